"""Who looks at the page: whoever runs it, or whoever came in with an access key."""

import hashlib
import hmac
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final

from starlette.exceptions import HTTPException

from smriti_es.clock import system_clock
from smriti_es.events.identifiers import Randomness
from smriti_es.rest.access import RIGHTS, Door
from smriti_es.serving.access_keys import AccessKey
from smriti_es.serving.guarded_app import bearer_of

COOKIE: Final = "smriti-es-visit"
VISIT_US: Final = 12 * 3_600 * 1_000_000
VISITS_MAX: Final = 1_000
_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class _Visit:
    key: str
    until: int


@dataclass(slots=True)
class Visitors:
    """Lets people in, remembers them for a while, and tells their forms from those of others.

    A visit lasts twelve hours, until its key is taken back, or until the server ends.

    Attributes:
        door: Who comes in.
        randomness: Gives random bytes.
        clock: Gives microseconds since the epoch.
    """

    door: Door
    randomness: Randomness
    clock: Callable[[], int] = system_clock
    _secret: bytes = field(init=False, repr=False)
    _visits: OrderedDict[str, _Visit] = field(default_factory=OrderedDict, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self._secret = self.randomness(_BYTES)

    def key_of(self, scope: Any) -> AccessKey | None:
        """Give the key with which somebody comes; None: there is none, and none is needed.

        Raises:
            HTTPException: 401: a key is needed, and was not shown or is none.
        """
        if bearer_of(scope) is None:
            visit = self._visit(scope)
            known = {each.id: each for each in self.door.keys.all()}
            if visit is not None and visit.key in known:
                return known[visit.key]
        return self.door.key_of(scope)

    def come_in(self, presented: str) -> str | None:
        """Begin a visit; gives what the browser is to remember, or None: that opens nothing here.

        Agents have no business here: their keys reach what a model may read, by other ways.
        """
        key = self.door.keys.find(presented)
        if key is None or key.role not in RIGHTS["audit"]:
            return None
        name = self.randomness(_BYTES).hex()
        with self._lock:
            self._visits[_hashed(name)] = _Visit(key.id, self.clock() + VISIT_US)
            while len(self._visits) > VISITS_MAX:
                self._visits.popitem(last=False)
        return name

    def leave(self, scope: Any) -> None:
        """End a visit."""
        with self._lock:
            self._visits.pop(_hashed(_cookie(scope)), None)

    def token(self, scope: Any) -> str:
        """Give what a form of this visit carries; no page of another server can read it."""
        name = _cookie(scope).encode()
        return hmac.new(self._secret, name, hashlib.sha256).hexdigest()

    def assert_own_form(self, scope: Any, token: str) -> None:
        """Refuse what was not sent from a page of ours, in this visit.

        Raises:
            HTTPException: 403: it was not.
        """
        sent_from = _header(scope, b"sec-fetch-site")
        same = hmac.compare_digest(token.encode(), self.token(scope).encode())
        if sent_from not in ("", "same-origin") or not same:
            raise HTTPException(403, "this form is not of this visit; load its page anew")

    def assert_opened(self, scope: Any) -> None:
        """Refuse what a page of another server loads from here without anybody going there.

        Raises:
            HTTPException: 403: a page elsewhere asks, and not a person who followed a link.
        """
        elsewhere = _header(scope, b"sec-fetch-site") in ("cross-site", "same-site")
        if elsewhere and _header(scope, b"sec-fetch-mode") != "navigate":
            raise HTTPException(403, "pages of other servers may not read this one")

    def _visit(self, scope: Any) -> _Visit | None:
        with self._lock:
            visit = self._visits.get(_hashed(_cookie(scope)))
        return visit if visit is not None and self.clock() < visit.until else None


def _hashed(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _header(scope: Any, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), "")


def _cookie(scope: Any) -> str:
    try:
        found = SimpleCookie(_header(scope, b"cookie")).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value
