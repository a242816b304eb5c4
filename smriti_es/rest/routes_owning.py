"""Routes of an owner: review, quarantine, erasure, holds and retention."""

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query

from smriti_es.events.errors import NotAllowed, NotFound
from smriti_es.forms.keeping_forms import erasure_form, hold_form, retention_form, sweep_form
from smriti_es.forms.trust_forms import impact_form, proposal_form, quarantine_form
from smriti_es.rest import forms
from smriti_es.rest.access import AUDITOR, OWNER, WHOLE_AUDITOR, WHOLE_OWNER, Caller
from smriti_es.rest.bodies import (
    EditBody,
    ErasureBody,
    HoldBody,
    QuarantineBody,
    Reason,
    RetentionBody,
    SweepBody,
    TrustBody,
)
from smriti_es.rest.paging import by_position
from smriti_es.rest.problems import documented
from smriti_es.rest.queries import Paged
from smriti_es.rest.routes_reading import At

router = APIRouter(prefix="/v1", tags=["owning"], responses=documented(404, 409))


@router.get("/review", response_model=forms.page_of(forms.PROPOSAL))
def review(asked: Annotated[Paged, Query()], caller: Caller = AUDITOR) -> Any:
    """List what waits for an owner's word, oldest first."""
    return by_position(
        lambda after, most: caller.engine.review(after=after, limit=most),
        proposal_form,
        asked.cursor,
        asked.limit,
    )


@router.post("/review/{position}/approve", response_model=forms.DONE)
def approve(position: At, body: Reason, caller: Caller = OWNER) -> Any:
    """Let a proposal stand as if the owner had said it."""
    caller.engine.approve(position, **body.given())
    return {"head": caller.engine.head}


@router.post("/review/{position}/reject", response_model=forms.DONE)
def reject(position: At, body: Reason, caller: Caller = OWNER) -> Any:
    """Turn a proposal down; it is never believed nor read again."""
    caller.engine.reject(position, **body.given())
    return {"head": caller.engine.head}


@router.post("/review/{position}/edit", response_model=forms.RECORDED)
def edit(position: At, body: EditBody, caller: Caller = OWNER) -> Any:
    """Turn a proposed fact down and state it corrected, on the same evidence."""
    at = caller.engine.edit(position, **body.given())
    return {"position": at, "head": caller.engine.head}


@router.get("/quarantines", response_model=forms.list_of(forms.QUARANTINE))
def quarantines(caller: Caller = AUDITOR) -> Any:
    """List the quarantines that are not lifted and withhold something in the spaces of the key."""
    return {"items": [quarantine_form(each) for each in caller.engine.quarantines()]}


@router.post("/quarantines", response_model=forms.RECORDED, status_code=201)
def quarantine(body: QuarantineBody, caller: Caller = OWNER) -> Any:
    """Withhold a turn, a session or a fact from every read until it is released."""
    _within(caller, body, "origin", "actor")
    at = caller.engine.quarantine(cascade=body.cascade, reason=body.reason, **body.target())
    return {"position": at, "head": caller.engine.head}


@router.post("/quarantines/{position}/release", response_model=forms.DONE)
def release(position: At, body: Reason, caller: Caller = OWNER) -> Any:
    """Lift a quarantine; what another one holds back as well stays withheld."""
    engine = caller.engine
    if position not in {each.position for each in engine.quarantines()}:
        raise NotFound(f"no quarantine stands at position {position}")
    engine.release(position, **body.given())
    return {"head": engine.head}


@router.post("/impact", response_model=forms.IMPACT)
def impact(body: QuarantineBody, caller: Caller = OWNER) -> Any:
    """Tell everything that would not be there without something; nothing is changed."""
    _within(caller, body, "origin", "actor")
    target = body.target()
    found = caller.engine.impact(cascade=body.cascade, **target)
    return impact_form(target, found, cascade=body.cascade)


@router.post("/erasures", response_model=forms.ERASURE)
def erase(body: ErasureBody, caller: Caller = OWNER) -> Any:
    """Erase something and everything that was derived from it, for good, everywhere."""
    _within(caller, body, "origin", "entity", "before", "space")
    erased = caller.engine.erase(
        reason=body.reason,
        predecessor=body.predecessor,
        forget_values=body.forget_values,
        dry_run=body.dry_run,
        **body.target(),
    )
    return erasure_form(erased)


@router.get("/holds", response_model=forms.list_of(forms.HOLD))
def holds(caller: Caller = WHOLE_AUDITOR) -> Any:
    """List the holds that are not released, oldest first; expired ones among them."""
    return {"items": [hold_form(each) for each in caller.engine.holds()]}


@router.post("/holds", response_model=forms.RECORDED, status_code=201)
def place_hold(body: HoldBody, caller: Caller = WHOLE_OWNER) -> Any:
    """Keep something from being erased until the hold is released or expires."""
    at = caller.engine.place_hold(
        reason=body.reason,
        authority=body.authority,
        expires_at=body.expires_at,
        **body.target(),
    )
    return {"position": at, "head": caller.engine.head}


@router.post("/holds/{position}/release", response_model=forms.DONE)
def release_hold(position: At, body: Reason, caller: Caller = WHOLE_OWNER) -> Any:
    """Lift a hold; others on the same thing stand."""
    caller.engine.release_hold(position, **body.given())
    return {"head": caller.engine.head}


@router.get("/retention", response_model=forms.list_of(forms.RETENTION))
def retention(caller: Caller = WHOLE_AUDITOR) -> Any:
    """List how long what is kept, in every space."""
    return {"items": [retention_form(each) for each in caller.engine.retention()]}


@router.put("/retention", response_model=forms.DONE)
def set_retention(body: RetentionBody, caller: Caller = OWNER) -> Any:
    """Settle how long things are kept in the space that is written to."""
    keep_for = None if body.keep_for_s is None else timedelta(seconds=body.keep_for_s)
    caller.engine.set_retention(keep_for, session=body.session, kind=body.kind, reason=body.reason)
    return {"head": caller.engine.head}


@router.post("/sweeps", response_model=forms.SWEEP)
def sweep(body: SweepBody, caller: Caller = WHOLE_OWNER) -> Any:
    """Erase what is older than it is to be kept, in every space; what is held is skipped."""
    return sweep_form(caller.engine.sweep(**body.given()))


@router.put("/trust", response_model=forms.DONE)
def change_trust(body: TrustBody, caller: Caller = WHOLE_OWNER) -> Any:
    """Let another profile of trust hold; what was said before is weighed anew."""
    caller.engine.change_trust(**body.given())
    return {"head": caller.engine.head}


def _within(caller: Caller, body: QuarantineBody | ErasureBody, *beyond: str) -> None:
    """Refuse what reaches beyond the spaces of a key that is not for the whole tenant.

    Raises:
        NotAllowed: It does.
    """
    named = body.target()
    reaching = [kind for kind in beyond if kind in named]
    if caller.whole_tenant or not reaching:
        return
    if reaching == ["space"] and named["space"] in caller.spaces:
        return
    raise NotAllowed(
        f"what is named by its {reaching[0]} may lie in every space of the tenant",
        hint="Use a key for the whole tenant, or name a turn, a session or a fact.",
    )
