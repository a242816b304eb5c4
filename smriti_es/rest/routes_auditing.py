"""Routes about the log and what is derived from it: for auditors and owners of a whole tenant."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from smriti_es.forms.fact_forms import with_times
from smriti_es.forms.json_forms import check_form, event_form, rebuild_form, verify_form
from smriti_es.rest import forms
from smriti_es.rest.access import AUDITOR, READER, WHOLE_AUDITOR, WHOLE_OWNER, Caller
from smriti_es.rest.bodies import Body, Name, ServedBody, VerifyBody
from smriti_es.rest.paging import by_position
from smriti_es.rest.problems import documented
from smriti_es.rest.queries import EventsQuery
from smriti_es.rest.routes_reading import At

router = APIRouter(prefix="/v1", tags=["auditing"], responses=documented(404, 409, 500, 502))
Projection = Annotated[str, Path(max_length=200)]


@router.get("/events", response_model=forms.page_of(forms.EVENT))
def events(asked: Annotated[EventsQuery, Query()], caller: Caller = WHOLE_AUDITOR) -> Any:
    """Read the log itself, withheld content included."""

    def listed(after: int | None, most: int) -> list[Any]:
        found: Iterator[Any] = caller.engine.events(0 if after is None else after + 1)
        return [_Positioned(each) for each in islice(found, most)]

    page = by_position(
        listed,
        lambda each: event_form(each.event, content=asked.content),
        asked.cursor,
        asked.limit,
    )
    return page | {"head": caller.engine.head}


@router.post("/log/verify", response_model=forms.VERIFIED)
def verify(request: Request, body: VerifyBody, caller: Caller = WHOLE_AUDITOR) -> Any:
    """Recompute the log's chain and tree from its bytes, and what every projection should say."""
    found = caller.engine.verify(**body.given())
    if body.projections:
        request.app.state.metrics.note_verified(caller.engine.status().tenant, ok=found.ok)
    return verify_form(found)


@router.get("/checkpoints", response_model=forms.list_of(forms.CHECKPOINT))
def checkpoints(caller: Caller = WHOLE_AUDITOR) -> Any:
    """List the checkpoints that are kept."""
    return {"items": [_checkpoint_form(each) for each in caller.engine.checkpoints()]}


@router.post("/checkpoints", response_model=forms.CHECKPOINT, status_code=201)
def checkpoint(body: Body, caller: Caller = WHOLE_OWNER) -> Any:
    """Sign how many events there are and the root of their tree, with the key on the server."""
    del body
    return _checkpoint_form(caller.engine.checkpoint())


@router.get("/signing-keys", response_model=forms.list_of(forms.SIGNING_KEY))
def signing_keys(caller: Caller = WHOLE_AUDITOR) -> Any:
    """List the keys that signed this log's checkpoints, the one in force last."""
    return {
        "items": [
            {"key": str(each.key), "position": each.position, "endorsed": each.is_endorsed}
            for each in caller.engine.signing_keys()
        ]
    }


@router.get("/proofs/{position}", response_model=forms.PROOF)
def prove(position: At, caller: Caller = WHOLE_AUDITOR) -> Any:
    """Prove that an event stands in the log, to somebody who has the newest checkpoint or key."""
    proof = caller.engine.prove(position)
    return {"proof": str(proof), "header": proof.header.decode("ascii")}


@router.get("/consistency/{old_size}", response_model=forms.CONSISTENCY)
def prove_consistency(old_size: At, caller: Caller = WHOLE_AUDITOR) -> Any:
    """Prove that the log went on from a number of events without changing any of them."""
    return {"proof": str(caller.engine.prove_consistency(old_size))}


@router.post("/receipts/find", response_model=forms.list_of(forms.RECEIPT))
def verify_receipt(body: ServedBody, caller: Caller = WHOLE_AUDITOR) -> Any:
    """Tell when a text was handed out, and which state of the log it came from."""
    found = caller.engine.verify_receipt(body.text)
    return {"items": [_receipt_form(each) for each in found]}


@router.get("/names/{name}", response_model=forms.NAMES)
def names_of(name: Annotated[Name, Path()], caller: Caller = WHOLE_AUDITOR) -> Any:
    """Give every name of an entity, in key form, whichever space says so."""
    return {"names": list(caller.engine.names_of(name))}


@router.get("/trust", response_model=forms.TRUST)
def trust(caller: Caller = READER) -> Any:
    """Tell the profile of trust that holds in the memory."""
    return {"profile": caller.engine.trust}


@router.get("/data-flow", response_model=forms.FLOW)
def describe_data_flow(caller: Caller = AUDITOR) -> Any:
    """Say where the text of the memory can go; nothing is sent."""
    return caller.engine.describe_data_flow()


@router.get("/projections/check", response_model=forms.list_of(forms.CHECK))
def check(caller: Caller = WHOLE_AUDITOR) -> Any:
    """Fold the log anew, aside, and compare with every projection."""
    return {"items": [check_form(each) for each in caller.engine.check()]}


@router.post("/projections/{name}/rebuild", response_model=forms.REBUILT)
def rebuild(name: Projection, body: Body, caller: Caller = WHOLE_OWNER) -> Any:
    """Rebuild a projection beside the serving one and switch to it in one step."""
    del body
    return rebuild_form(caller.engine.rebuild(name))


@router.post("/extractions/retry", response_model=forms.EXTRACTED)
def extract_pending(body: Body, caller: Caller = WHOLE_OWNER) -> Any:
    """Look for facts in every turn that waits, those that an extraction failed on included."""
    del body
    return {"facts": caller.engine.extract_pending(), "head": caller.engine.head}


@router.post("/erasures/finish", response_model=forms.UNFINISHED)
def finish_erasures(body: Body, caller: Caller = WHOLE_OWNER) -> Any:
    """Scrub what earlier erasures could not reach, as when somebody was reading."""
    del body
    return {"unfinished": caller.engine.finish_erasures()}


class _Positioned:
    """An event with its position where pages look for it."""

    def __init__(self, event: Any) -> None:
        self.event, self.position = event, event.header.position


def _checkpoint_form(made: Any) -> dict[str, Any]:
    return {
        "origin": made.origin,
        "size": made.size,
        "root": made.root.hex(),
        "note": str(made),
    }


def _receipt_form(receipt: Any) -> dict[str, Any]:
    return with_times(asdict(receipt))
