"""Pages that read: what there is, sessions, turns, search, and the log."""

from typing import Final

from starlette.responses import Response

from smriti_es.events.errors import NotFound
from smriti_es.forms.json_forms import event_members
from smriti_es.ui.asking import position_of
from smriti_es.ui.visit import PAGE, Visit, page_of

_HITS: Final = 20


def overview(visit: Visit) -> Response:
    """Say what there is, and where each projection stands."""
    status = visit.engine.status()
    return visit.show("overview.html", "Overview", status=status)


def sessions(visit: Visit) -> Response:
    """List sessions in the order in which they were started."""
    found = visit.engine.sessions(
        after=visit.asked.position("after"), limit=PAGE + 1, known_at=visit.as_of.known
    )
    shown, more = page_of(found)
    return visit.show(
        "sessions.html", "Sessions", sessions=shown, more=more, provisional=found.provisional
    )


def turns(visit: Visit) -> Response:
    """List turns, of all sessions or of one, in the order in which they were recorded."""
    session = visit.asked.text("session")
    narrowed = {"sessions": [session]} if session else {}
    found = visit.engine.turns(
        after=visit.asked.position("after"),
        limit=PAGE + 1,
        known_at=visit.as_of.known,
        **narrowed,  # type: ignore[arg-type]
    )
    shown, more = page_of(found)
    return visit.show(
        "turns.html",
        f"Turns of {session}" if session else "Turns",
        turns=shown,
        more=more,
        session=session,
        provisional=found.provisional,
    )


def search(visit: Visit) -> Response:
    """Find turns and facts, and say why each stands where it stands."""
    question, history = visit.asked.text("question"), bool(visit.asked.text("history"))
    found = None
    if question:
        found = visit.engine.search(
            question,
            k=_HITS,
            explain=True,
            history=True if history else None,
            valid_at=visit.as_of.world,
            known_at=visit.as_of.known,
        )
    return visit.show("search.html", "Search", question=question, history=history, found=found)


def log(visit: Visit) -> Response:
    """List events with their hashes, the newest ones first to be met."""
    view, start = visit.view, visit.asked.position("from")
    first = max(0, view.head - PAGE + 1) if start is None else start
    events = list(view.events(first, first + PAGE))
    return visit.show(
        "log.html",
        "Log",
        events=events,
        older=max(0, first - PAGE) if first > 0 else None,
        newer=first + PAGE if first + PAGE <= view.head else None,
        last=view.head,
    )


def event(visit: Visit) -> Response:
    """Show one event: its header as the log holds it, and what it says."""
    position = position_of(visit.request.path_params["position"])
    found = next(iter(visit.view.events(position, position + 1)), None)
    if found is None:
        raise NotFound(f"the log holds no event {position}, or held none by that time")
    content = None if found.event is None else event_members(found.event)
    return visit.show(
        "event.html",
        f"Event {position}",
        position=position,
        event=found,
        content=content,
        last=visit.view.head,
    )


def verified(visit: Visit) -> Response:
    """Recompute the log's chain and tree, and what every projection should say."""
    return visit.show("verified.html", "Verification", report=visit.engine.verify())
