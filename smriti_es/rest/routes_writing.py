"""Routes that record: what was said, what is stated, and what is taken back."""

from typing import Annotated, Any

from fastapi import APIRouter, Header

from smriti_es.events.errors import NotFound
from smriti_es.events.idempotency import KEY_LENGTH_MAX
from smriti_es.forms.json_forms import added_form
from smriti_es.rest import forms
from smriti_es.rest.access import OWNER, WHOLE_OWNER, WRITER, WRITER_ONCE, Caller
from smriti_es.rest.bodies import (
    AddBody,
    AliasBody,
    EndBody,
    FactBody,
    Reason,
    UnaliasBody,
    ValueBody,
)
from smriti_es.rest.problems import documented
from smriti_es.rest.routes_reading import At

router = APIRouter(prefix="/v1", tags=["recording"], responses=documented(404, 409, 502))
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=KEY_LENGTH_MAX,
        description="Makes a repeated request take effect once.",
    ),
]


@router.post("/turns", response_model=forms.ADDED, status_code=201)
def add(body: AddBody, idempotency_key: IdempotencyKey = None, caller: Caller = WRITER_ONCE) -> Any:
    """Record what was said, durably: all new turns, or none."""
    given = body.given()
    added = caller.engine.add(given.pop("messages"), idempotency_key=idempotency_key, **given)
    return added_form(added)


@router.post("/facts", response_model=forms.STATED, status_code=201)
def assert_fact(body: FactBody, caller: Caller = WRITER) -> Any:
    """State a fact; against a more trusted word it waits for an owner's."""
    engine = caller.engine
    position = engine.assert_fact(**body.given())
    waits = position >= 0 and not _is_believed(caller, position)
    return {
        "position": position if position >= 0 else None,
        "stored": position >= 0,
        "waits_for_review": waits,
        "head": engine.head,
    }


@router.post("/facts/{position}/end", response_model=forms.RECORDED)
def end_fact(position: At, body: EndBody, caller: Caller = OWNER) -> Any:
    """Say that a fact's value holds no longer, with nothing in its place."""
    at = caller.engine.end_fact(position, **body.given())
    return {"position": at, "head": caller.engine.head}


@router.post("/facts/{position}/retract", response_model=forms.DONE)
def retract(position: At, body: Reason, caller: Caller = OWNER) -> Any:
    """Say that a fact was never true; what it had replaced stands again."""
    caller.engine.retract(position, **body.given())
    return {"head": caller.engine.head}


@router.post("/ends/{position}/retract", response_model=forms.DONE)
def retract_end(position: At, body: Reason, caller: Caller = OWNER) -> Any:
    """Take back a stated end, by the position of its event."""
    caller.engine.retract_end(position, **body.given())
    return {"head": caller.engine.head}


@router.post("/aliases", response_model=forms.DONE, status_code=201)
def alias(body: AliasBody, caller: Caller = WHOLE_OWNER) -> Any:
    """Say that two names are the same entity, in every space."""
    caller.engine.alias(**body.given())
    return {"head": caller.engine.head}


@router.post("/aliases/remove", response_model=forms.DONE)
def unalias(body: UnaliasBody, caller: Caller = WHOLE_OWNER) -> Any:
    """Say that an alias is not the same entity after all."""
    caller.engine.unalias(**body.given())
    return {"head": caller.engine.head}


@router.post("/values/readmit", response_model=forms.DONE)
def readmit_value(body: ValueBody, caller: Caller = OWNER) -> Any:
    """Let a value be extracted again that was erased to be forgotten, or turned down."""
    caller.engine.readmit_value(**body.given())
    return {"head": caller.engine.head}


def _is_believed(caller: Caller, position: int) -> bool:
    try:
        caller.engine.explain(position)
    except NotFound:
        return False
    return True
