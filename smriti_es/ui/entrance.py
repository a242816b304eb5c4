"""The entrance: whoever needs a key shows it here once, and is remembered for the visit."""

from typing import Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from smriti_es.ui.asking import Asked, AsOf, assert_form
from smriti_es.ui.visit import page
from smriti_es.ui.visiting import COOKIE, VISIT_US, Visitors

_WRONG: Final = "That key opens nothing here: it must be one of an owner or an auditor."


async def entrance(request: Request) -> Response:
    """Ask for a key."""
    return _asking(request)


async def come_in(request: Request) -> Response:
    """Begin a visit with a key."""
    visitors, asked = await _sent(request)
    name = await to_thread.run_sync(visitors.come_in, asked.text("key"))
    if name is None:
        return _asking(request, _WRONG, 403)
    answer = RedirectResponse("/", 303)
    age = VISIT_US // 1_000_000
    answer.set_cookie(COOKIE, name, max_age=age, httponly=True, samesite="strict")
    return answer


async def leave(request: Request) -> Response:
    """End a visit."""
    visitors, _ = await _sent(request)
    visitors.leave(request.scope)
    answer = RedirectResponse("/enter", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


async def _sent(request: Request) -> tuple[Visitors, Asked]:
    """Read a form of our own."""
    visitors: Visitors = request.app.state.visitors
    assert_form(request.headers.get("content-type", ""))
    asked = Asked.of(await request.body())
    visitors.assert_own_form(request.scope, asked.text("token"))
    return visitors, asked


def _asking(request: Request, wrong: str = "", status: int = 200) -> Response:
    visitors: Visitors = request.app.state.visitors
    token = visitors.token(request.scope)
    return page(
        "entrance.html",
        "Come in",
        request,
        Asked({}),
        AsOf(),
        code=status,
        token=token,
        wrong=wrong,
    )
