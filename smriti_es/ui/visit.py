"""One visit to one page: who comes, what is asked, as of when, and how the answer is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from smriti_es.engine import Engine
from smriti_es.rest.access import RIGHTS, Caller
from smriti_es.ui.asking import Asked, AsOf
from smriti_es.ui.rendering import render
from smriti_es.view import View

PAGE: Final = 50
# The pages that the navigation leads to: where, and what they are called.
PAGES: Final = (
    ("/", "Overview"),
    ("/sessions", "Sessions"),
    ("/turns", "Turns"),
    ("/facts", "Facts"),
    ("/search", "Search"),
    ("/review", "Review"),
    ("/log", "Log"),
)
_YEAR_DAYS: Final = 365
_DAY_US: Final = 86_400_000_000
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit to one page.

    Attributes:
        request: The request.
        asked: Its fields: of its address, or of the form that it brings.
        as_of: As of when the memory is read.
        caller: Who comes, with their memory.
        token: What forms of this visit carry.
        keyed: Whether they came in with a key, so that they can leave.
    """

    request: Request
    asked: Asked
    as_of: AsOf
    caller: Caller
    token: str
    keyed: bool

    @property
    def engine(self) -> Engine:
        """The memory."""
        return self.caller.engine

    @property
    def view(self) -> View:
        """The memory as of the knowledge time that is asked about."""
        known = self.as_of.known
        return self.engine if known is None else self.engine.at(known)

    @property
    def zone(self) -> ZoneInfo:
        """The zone in which times are shown."""
        return ZoneInfo(self.engine.timezone)

    def may(self, right: Any) -> bool:
        """Tell whether whoever comes has a right."""
        return self.caller.role in RIGHTS[right]

    def show(self, template: str, title: str, **values: Any) -> Response:
        """Answer with a page."""
        engine, now = self.engine, self.engine.world_time() // _DAY_US
        days = values.pop("days", (now - 5 * _YEAR_DAYS, now + _YEAR_DAYS))
        values |= {
            "head": engine.head,
            "recorded": self._recorded(),
            "zone": self.zone,
            "spaces": self.caller.spaces,
            "owner": self.may("own"),
            "whole_tenant": self.caller.whole_tenant,
            "token": self.token,
            "keyed": self.keyed,
            "days": days,
        }
        return page(template, title, self.request, self.asked, self.as_of, **values)

    def _recorded(self) -> int | None:
        """Tell when the position that is asked about was recorded; None: a time was, or now."""
        known = self.as_of.known
        if not isinstance(known, int) or not 0 <= known <= self.engine.head:
            return None
        return next(iter(self.engine.events(known, known + 1))).header.known

    def to(self, path: str, **fields: object) -> Response:
        """Lead on to a page, at the same times."""
        return RedirectResponse(self.as_of.link(path, "", **fields), 303)


def page(
    template: str,
    title: str,
    request: Request,
    asked: Asked,
    as_of: AsOf,
    *,
    code: int = 200,
    **values: Any,
) -> Response:
    """Answer with a page, also one for whoever is not let in."""
    path = request.url.path
    known = {
        "head": None,
        "recorded": None,
        "spaces": (),
        "keyed": False,
        "token": "",
        "days": None,
    }
    told = known | values
    kept = {name: value for name, value in asked.fields.items() if name not in _NOT_KEPT}
    return HTMLResponse(
        render(
            template,
            title=title,
            path=path,
            pages=PAGES,
            as_of=as_of,
            link=as_of.link,
            kept=kept if request.method != "POST" else {},
            **told,
        ),
        code,
    )


# What a form that changes the times does not carry on: the times, and where a page begins.
_NOT_KEPT: Final = frozenset({"valid_at", "known_at", "after", "cursor", "token", "done"})


def page_of(found: Sequence[Item]) -> tuple[list[Item], bool]:
    """Split what was read, one more than is shown, into what is shown and whether more follows."""
    return list(found[:PAGE]), len(found) > PAGE
