"""Routes that read: questions, turns, facts and what is known of them."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from smriti_es.events.instants import format_instant
from smriti_es.forms.fact_forms import change_form, explanation_form, fact_form, history_form
from smriti_es.forms.json_forms import (
    context_form,
    search_form,
    session_form,
    status_form,
    turn_form,
)
from smriti_es.rest import forms
from smriti_es.rest.access import AUDITOR, READER, Caller
from smriti_es.rest.bodies import ContextBody, Position, SearchBody
from smriti_es.rest.paging import by_position, of_one_answer
from smriti_es.rest.problems import documented
from smriti_es.rest.queries import (
    DiffQuery,
    ExplainQuery,
    FactsQuery,
    HistoryQuery,
    SessionsQuery,
    TurnsQuery,
)

router = APIRouter(prefix="/v1", tags=["reading"], responses=documented(404))
At = Annotated[Position, Path(description="A position of the log.")]
_PAGE = ("cursor", "limit")


@router.post("/search", response_model=forms.FOUND)
def search(body: SearchBody, caller: Caller = READER) -> Any:
    """Find the turns and facts that answer a question best."""
    return search_form(caller.engine.search(**caller.shown(body.given())))


@router.post("/context", response_model=forms.CONTEXT)
def context(body: ContextBody, caller: Caller = READER) -> Any:
    """Gather dated evidence for a question, as text for a prompt."""
    return context_form(caller.engine.context(**caller.shown(body.given())))


@router.get("/turns", response_model=forms.page_of(forms.TURN))
def turns(asked: Annotated[TurnsQuery, Query()], caller: Caller = READER) -> Any:
    """List turns in the order in which they were recorded."""
    wanted = caller.shown(asked.given(*_PAGE))
    return by_position(
        lambda after, most: caller.engine.turns(after=after, limit=most, **wanted),
        turn_form,
        asked.cursor,
        asked.limit,
    )


@router.get("/sessions", response_model=forms.page_of(forms.SESSION))
def sessions(asked: Annotated[SessionsQuery, Query()], caller: Caller = READER) -> Any:
    """List sessions in the order in which they were started."""
    wanted = asked.given(*_PAGE)
    return by_position(
        lambda after, most: caller.engine.sessions(after=after, limit=most, **wanted),
        session_form,
        asked.cursor,
        asked.limit,
    )


@router.get("/facts", response_model=forms.page_of(forms.FACT))
def facts(asked: Annotated[FactsQuery, Query()], caller: Caller = READER) -> Any:
    """Read what is believed, or was believed, to hold now or at a time."""
    wanted = caller.shown(asked.given(*_PAGE, "all_scopes", "any_status"))
    if asked.all_scopes:
        wanted["scopes"] = None
    if asked.any_status:
        wanted["statuses"] = None
    return of_one_answer(
        lambda times: caller.engine.facts(**(wanted | times)),
        fact_form,
        asked.cursor,
        asked.limit,
        lambda: _world_time(caller, asked),
    )


@router.get("/history", response_model=forms.page_of(forms.HISTORY))
def history(asked: Annotated[HistoryQuery, Query()], caller: Caller = READER) -> Any:
    """Read every statement about something, however it stands, with each belief about it."""
    wanted = caller.shown(asked.given(*_PAGE))
    return of_one_answer(
        lambda times: caller.engine.history(**(wanted | times)),
        history_form,
        asked.cursor,
        asked.limit,
        lambda: _world_time(caller, asked),
    )


@router.get("/facts/{position}", response_model=forms.EXPLANATION)
def explain(position: At, asked: Annotated[ExplainQuery, Query()], caller: Caller = READER) -> Any:
    """Say why a fact is believed: turns, extraction, verdicts, each with position and hash."""
    return explanation_form(caller.engine.explain(position, **caller.shown(asked.given())))


@router.get("/diff", response_model=forms.page_of(forms.CHANGE))
def diff(asked: Annotated[DiffQuery, Query()], caller: Caller = AUDITOR) -> Any:
    """List what came to be believed, ceased to be believed or was re-dated between two times."""
    found = caller.engine.diff(**asked.given())
    return {
        "items": [change_form(each) for each in found],
        "next": None,
        "head": found.head,
        "provisional": found.provisional,
    }


@router.get("/status", response_model=forms.STATUS_FORM)
def status(caller: Caller = READER) -> Any:
    """Say what there is, and how well it is."""
    return status_form(caller.engine.status()) | {"timezone": caller.engine.timezone}


def _world_time(caller: Caller, asked: HistoryQuery) -> str:
    at = caller.engine.world_time(valid_at=asked.valid_at, known_at=asked.known_at)
    return format_instant(at)
