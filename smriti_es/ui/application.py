"""The application: pages, who may see them, and what keeps other pages out."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from smriti_es.events.errors import SmritiError
from smriti_es.rest.access import Right, admitted
from smriti_es.rest.limits import LimitedApp, Limits
from smriti_es.ui import deciding_pages, fact_pages, reading_pages
from smriti_es.ui.asking import Asked, assert_form
from smriti_es.ui.entrance import come_in, entrance, leave
from smriti_es.ui.refusals import refused
from smriti_es.ui.visit import Visit
from smriti_es.ui.visiting import Visitors

BODY_BYTES_MAX: Final = 64 * 1024
_STATIC: Final = Path(__file__).with_name("static")
# No script and no style but our own files, nothing from elsewhere, and no page may frame this one.
# The origin of a form's page is told to ourselves alone: without it we could not check it.
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Page:
    """A page.

    Attributes:
        path: Where it is.
        answer: What it answers.
        method: GET, or POST for what a form sends.
        right: What whoever comes must have the right to.
        whole_tenant: Whether it concerns every space of the tenant.
    """

    path: str
    answer: Callable[[Visit], Response]
    method: str = "GET"
    right: Right = "audit"
    whole_tenant: bool = False

    @property
    def route(self) -> Route:
        """The route of the page."""

        async def endpoint(request: Request) -> Response:
            asked = await _fields_of(request)
            return await to_thread.run_sync(self._answered, request, asked)

        return Route(self.path, endpoint, methods=[self.method])

    def _answered(self, request: Request, asked: Asked) -> Response:
        visitors: Visitors = request.app.state.visitors
        visitors.assert_opened(request.scope)
        try:
            key = visitors.key_of(request.scope)
        except HTTPException:
            return RedirectResponse("/enter", 303)
        if self.method == "POST":
            visitors.assert_own_form(request.scope, asked.text("token"))
        token = visitors.token(request.scope)
        door = visitors.door
        with admitted(door, key, self.right, whole_tenant=self.whole_tenant) as caller:
            as_of = Asked.of(request.scope["query_string"]).as_of
            return self.answer(Visit(request, asked, as_of, caller, token, key is not None))


PAGES: Final = (
    Page("/", reading_pages.overview),
    Page("/sessions", reading_pages.sessions),
    Page("/turns", reading_pages.turns),
    Page("/facts", fact_pages.facts),
    Page("/facts/{position}", fact_pages.fact),
    Page("/search", reading_pages.search),
    Page("/review", deciding_pages.review),
    Page("/review/{position}/approve", deciding_pages.approve, "POST", "own"),
    Page("/review/{position}/reject", deciding_pages.reject, "POST", "own"),
    Page("/log", reading_pages.log, whole_tenant=True),
    Page("/log/verify", reading_pages.verified, "POST", whole_tenant=True),
    Page("/log/{position}", reading_pages.event, whole_tenant=True),
)


@dataclass(frozen=True, slots=True)
class UiApp:
    """An ASGI application that gives every answer the headers which keep others out.

    Attributes:
        app: The application.
        pages: The part of it that knows the pages.
    """

    app: Any
    pages: Starlette

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""

        async def send_guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = {name.encode(): value.encode() for name, value in _HEADERS.items()}
                kept = [each for each in message["headers"] if each[0] not in given]
                message["headers"] = [*kept, *given.items()]
            await send(message)

        await self.app(scope, receive, send_guarded)


def ui_app(visitors: Visitors, *, limits: Limits | None = None) -> UiApp:
    """Make the application.

    Args:
        visitors: Who comes in, and to which memories; they are closed when the application ends.
        limits: How much a request may be, and under which names the page is reached.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        visitors.door.engines.close()

    routes: list[BaseRoute] = [
        *(each.route for each in PAGES),
        Route("/enter", entrance, methods=["GET"]),
        Route("/enter", come_in, methods=["POST"]),
        Route("/leave", leave, methods=["POST"]),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    pages = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={
            SmritiError: refused,
            HTTPException: refused,
            Exception: refused,
        },
    )
    pages.router.redirect_slashes = False
    pages.state.visitors = visitors
    bounded = replace(limits or Limits(), body_bytes_max=BODY_BYTES_MAX)
    return UiApp(LimitedApp(pages, bounded), pages)


async def _fields_of(request: Request) -> Asked:
    """Read the fields of a request: of its address, or of the form that it brings."""
    if request.method != "POST":
        return Asked.of(request.scope["query_string"])
    assert_form(request.headers.get("content-type", ""))
    return Asked.of(await request.body())
