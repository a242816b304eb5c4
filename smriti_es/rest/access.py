"""Who asks, and what they may do: a key's tenant, spaces and role decide, never the request."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from smriti_es.captured import Origin
from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput, NotAllowed
from smriti_es.policy import SHOWN_ORIGINS
from smriti_es.rest.engines import Engines, Opening
from smriti_es.serving.access_keys import AccessKey, AccessKeys, Role
from smriti_es.serving.guarded_app import bearer_of

Right = Literal["read", "audit", "write", "own"]
# Which roles have which right.
RIGHTS: Final[Mapping[Right, frozenset[Role]]] = {
    "read": frozenset({"agent", "owner", "auditor"}),
    "audit": frozenset({"owner", "auditor"}),
    "write": frozenset({"agent", "owner"}),
    "own": frozenset({"owner"}),
}


_IDEMPOTENCY_KEY: Final = "idempotency-key"


@dataclass(frozen=True, slots=True)
class Door:
    """What decides who comes in.

    Attributes:
        keys: The keys.
        engines: The memories.
        own: The memory of whoever runs the server, for whoever comes while there is no key.
        local: Whether only this machine reaches it; where others do, a key is needed even when the
            last one was taken back.
    """

    keys: AccessKeys
    engines: Engines
    own: Opening
    local: bool

    def key_of(self, scope: Any) -> AccessKey | None:
        """Give the key of a request; None: there is none, and none is needed.

        Raises:
            HTTPException: 401: a key is needed, or what is presented is none.
        """
        presented = bearer_of(scope)
        if presented is None and self.local and not self.keys.all():
            return None
        found = None if presented is None else self.keys.find(presented)
        if found is None:
            told = "no access key was given" if presented is None else "this is no access key"
            raise HTTPException(401, told, {"WWW-Authenticate": "Bearer"})
        return found

    def opening(self, key: AccessKey | None) -> Opening:
        """Say how the memory of a key is opened."""
        if key is None:
            return self.own
        origin: Origin = "agent" if key.role == "agent" else "owner"
        return Opening(key.tenant, key.spaces, origin, key.role == "auditor", actor=f"key-{key.id}")


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever asks.

    Attributes:
        engine: The memory, opened as the key allows.
        role: The role of the key; an owner's where none is needed.
        spaces: The spaces of the key.
        whole_tenant: Whether it may do what concerns every space.
    """

    engine: Engine
    role: Role
    spaces: tuple[str, ...]
    whole_tenant: bool

    def shown(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Narrow a read to what the role may see; what was not given is left out.

        Raises:
            NotAllowed: An agent asks for what is not shown to models.
        """
        wanted = {name: value for name, value in given.items() if value is not None}
        if self.role != "agent":
            return wanted
        if wanted.get("trust") == "then":
            raise NotAllowed("what is withheld today is not for agents", hint="Leave trust out.")
        origins = wanted.setdefault("origins", list(SHOWN_ORIGINS))
        if not set(origins) <= set(SHOWN_ORIGINS):
            raise NotAllowed(
                "what is untrusted is not for agents",
                hint=f"Give origins out of {', '.join(SHOWN_ORIGINS)}.",
            )
        return wanted


@contextmanager
def admitted(
    door: Door, key: AccessKey | None, right: Right, *, whole_tenant: bool = False
) -> Iterator[Caller]:
    """Let somebody in who has a right, and give them their memory.

    Args:
        door: Who comes in.
        key: Their key; None: none is needed.
        right: The right.
        whole_tenant: Whether what they do concerns every space of the tenant.

    Raises:
        HTTPException: 403: they have not.
        SmritiError: The memory cannot be opened.
    """
    role: Role = "owner" if key is None else key.role
    if role not in RIGHTS[right]:
        raise HTTPException(403, f"a key with the role {role} is not for that")
    whole = key is None or key.whole_tenant
    if whole_tenant and not whole:
        raise HTTPException(403, "that concerns every space, and the key is for some of them")
    opening = door.opening(key)
    with door.engines.using(opening) as engine:
        yield Caller(engine, role, opening.spaces, whole)


def needs(
    right: Right, *, whole_tenant: bool = False, once: bool = False
) -> Callable[..., Iterator[Caller]]:
    """Make what a route depends on: somebody with a right.

    Args:
        right: The right.
        whole_tenant: Whether what the route does concerns every space of the tenant.
        once: Whether it takes an idempotency key; where it takes none and writes, one is refused,
            since whoever sends it relies on it.
    """

    def caller(request: Request) -> Iterator[Caller]:
        door: Door = request.app.state.door
        key = door.key_of(request.scope)
        with admitted(door, key, right, whole_tenant=whole_tenant) as found:
            if _IDEMPOTENCY_KEY in request.headers and request.method != "GET" and not once:
                _refuse_idempotency(right)
            yield found

    caller.right, caller.whole_tenant = right, whole_tenant  # type: ignore[attr-defined]
    return caller


def _refuse_idempotency(right: Right) -> None:
    if right != "read":
        raise InvalidInput(
            "an idempotency key has no effect here",
            hint="Leave it out; only POST /v1/turns takes one.",
        )


READER: Final = Depends(needs("read"))
AUDITOR: Final = Depends(needs("audit"))
WHOLE_AUDITOR: Final = Depends(needs("audit", whole_tenant=True))
WRITER: Final = Depends(needs("write"))
WRITER_ONCE: Final = Depends(needs("write", once=True))
OWNER: Final = Depends(needs("own"))
WHOLE_OWNER: Final = Depends(needs("own", whole_tenant=True))
