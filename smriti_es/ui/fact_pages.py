"""Pages about facts: when they held, and why they are believed."""

from typing import Any, Final

from starlette.responses import Response

from smriti_es.beliefs import Fact, FactStatus
from smriti_es.events.instants import format_instant
from smriti_es.fact_history import Cause, Explanation
from smriti_es.forms.json_forms import event_members
from smriti_es.rest.paging import of_one_answer
from smriti_es.ui.asking import position_of
from smriti_es.ui.bars import timeline
from smriti_es.ui.lineage_graph import LineageGraph, lineage_graph
from smriti_es.ui.visit import PAGE, Visit

_STATUSES: Final = tuple(each.value for each in FactStatus)


def facts(visit: Visit) -> Response:
    """Show facts as bars along the time in which they hold."""
    asked, as_of = visit.asked, visit.as_of
    status = asked.text("status")
    wanted: dict[str, Any] = {
        "subject": asked.text("subject") or None,
        "predicate": asked.text("predicate") or None,
        "scopes": None,
        "statuses": [status] if status else None,
        "valid_at": as_of.world,
        "known_at": as_of.known,
    }
    at = visit.engine.world_time(valid_at=as_of.world, known_at=as_of.known)
    found = of_one_answer(
        lambda times: visit.engine.facts(**(wanted | times)),
        lambda fact: {"fact": fact},
        asked.text("cursor") or None,
        PAGE,
        lambda: format_instant(at),
    )
    shown: list[Fact] = [each["fact"] for each in found["items"]]
    line = timeline(shown, at)
    return visit.show(
        "facts.html",
        "Facts",
        line=line,
        days=line.days,
        following=found["next"],
        provisional=found["provisional"],
        statuses=_STATUSES,
        status=status,
        subject=asked.text("subject"),
        predicate=asked.text("predicate"),
    )


def fact(visit: Visit) -> Response:
    """Say why a fact is believed, and how the belief changed."""
    position = position_of(visit.request.path_params["position"])
    explained = visit.engine.explain(
        position, valid_at=visit.as_of.world, known_at=visit.as_of.known
    )
    causes = [("rests on", each) for each in explained.rests_on]
    causes += [("decided", each) for each in explained.decided]
    return visit.show(
        "fact.html",
        f"Fact {position}",
        fact=explained.fact,
        revisions=explained.revisions,
        causes=[(how, each, _said(each)) for how, each in causes],
        graph=_graph(visit, explained),
        provisional=explained.provisional,
    )


def _said(cause: Cause) -> dict[str, Any] | None:
    return None if cause.content is None else event_members(cause.content)


def _graph(visit: Visit, explained: Explanation) -> LineageGraph:
    """Lay out the lineage; that one event follows from another stands in its header."""
    positions = [each.position for each in (*explained.rests_on, *explained.decided)]
    own = explained.fact.position
    headers = {
        each: next(iter(visit.engine.events(each, each + 1))).header for each in (own, *positions)
    }
    refs = {each: header.refs for each, header in headers.items()}
    return lineage_graph(explained, headers[own].type, refs)
