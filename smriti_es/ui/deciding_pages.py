"""Pages of an owner's word: what waits for it, and saying it."""

import re
from collections.abc import Callable
from typing import Any, Final

from starlette.responses import Response

from smriti_es.forms.json_forms import event_members
from smriti_es.ui.asking import position_of
from smriti_es.ui.visit import PAGE, Visit, page_of

_DONE: Final = re.compile(r"(approved|rejected) ([0-9]{1,16})")


def review(visit: Visit) -> Response:
    """List what waits for an owner's word, as of now, with what approving would change."""
    found = visit.engine.review(after=visit.asked.position("after"), limit=PAGE + 1)
    shown, more = page_of(found)
    changes = {
        each.position: [(change.TYPE, event_members(change)) for change in each.changes]
        for each in shown
    }
    done = _DONE.fullmatch(visit.asked.text("done"))
    return visit.show(
        "review.html",
        "Review",
        proposals=shown,
        changes=changes,
        more=more,
        done=None if done is None else done.groups(),
    )


def approve(visit: Visit) -> Response:
    """Let a proposal stand as if the owner had said it."""
    return _decided(visit, visit.engine.approve, "approved")


def reject(visit: Visit) -> Response:
    """Turn a proposal down."""
    return _decided(visit, visit.engine.reject, "rejected")


def _decided(visit: Visit, decide: Callable[..., Any], how: str) -> Response:
    position = position_of(visit.request.path_params["position"])
    decide(position, reason=visit.asked.text("reason"))
    return visit.to("/review", done=f"{how} {position}")
