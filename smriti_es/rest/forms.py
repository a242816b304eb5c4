"""What answers look like, for OpenAPI: the engine's own values, with times as RFC 3339 text.

The fields are those of the frozen dataclasses that the engine gives back, so that none is forgotten
here when one is added there.
"""

from dataclasses import fields, is_dataclass
from typing import Any, Final, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from smriti_es.belief_changes import BeliefChange
from smriti_es.beliefs import Fact
from smriti_es.blast_radius import BlastRadius
from smriti_es.data_flow import DataFlow
from smriti_es.fact_history import Cause, Revision
from smriti_es.holds import Hold
from smriti_es.keeping_verbs import Erasure
from smriti_es.projections.check import CheckReport
from smriti_es.projections.rebuild import RebuildReport
from smriti_es.recall.evidence import Evidence
from smriti_es.receipts import Receipt
from smriti_es.results import Added, Hit, RecordedSession, RecordedTurn, Status
from smriti_es.retention import Retention, Sweep
from smriti_es.reviewing import Proposal
from smriti_es.trust_verbs import StandingQuarantine

Form = type[BaseModel]
Time = str
Later = str | None
_OPEN: Final = ConfigDict(extra="allow")


def form_of(of: type, /, *without: str, **members: Any) -> Form:
    """Make the model of a dataclass.

    Args:
        of: The dataclass.
        without: Fields that are not shown.
        members: Name -> type, of fields that are written otherwise and of what is added.
    """
    assert is_dataclass(of)
    hints = get_type_hints(of)
    own = {each.name: hints[each.name] for each in fields(of) if each.name not in without}
    return made(of.__name__, **(own | members))


def made(name: str, /, **members: Any) -> Form:
    """Make a model out of its members."""
    described: dict[str, Any] = {
        # A model has attributes of its own by some names; there only the form has the name.
        f"{each}_" if hasattr(BaseModel, each) else each: (kind, Field(alias=each))
        for each, kind in members.items()
    }
    return create_model(name, **described)


def page_of(form: Form) -> Form:
    """Make the model of a page of a list."""
    items: Any = list[form]  # type: ignore[valid-type]
    name = f"PageOf{form.__name__}"
    return made(name, items=items, next=Later, head=int, provisional=bool)


def list_of(form: Form) -> Form:
    """Make the model of a whole list."""
    return made(f"ListOf{form.__name__}", items=list[form])  # type: ignore[valid-type]


QUOTE: Final = made("Quote", turn=int, quote=str)
FACT: Final = form_of(
    Fact,
    valid_from=Time,
    valid_to=Later,
    said_at=Time,
    known_from=Time,
    evidence=list[QUOTE],  # type: ignore[valid-type]
)
TURN: Final = form_of(RecordedTurn, said_at=Time, known=Time)
SESSION: Final = form_of(RecordedSession, first_said_at=Later, last_said_at=Later, known=Time)
ADDED: Final = form_of(Added)
STATED: Final = made("Stated", position=int | None, stored=bool, waits_for_review=bool, head=int)
RECORDED: Final = made("Recorded", position=int, head=int)
DONE: Final = made("Done", head=int)

HIT: Final = form_of(Hit, turn=TURN | None, fact=FACT | None, severity=str)
FOUND: Final = made(
    "SearchResult",
    hits=list[HIT],  # type: ignore[valid-type]
    observed=list[FACT],  # type: ignore[valid-type]
    head=int,
    provisional=bool,
    degraded=list[str],
    pending=int,
    unread=int,
)
EVIDENCE: Final = form_of(Evidence, said_at=Time)
CONTEXT: Final = made(
    "Context",
    text=str,
    evidence=list[EVIDENCE],  # type: ignore[valid-type]
    facts=list[FACT],  # type: ignore[valid-type]
    observed=list[FACT],  # type: ignore[valid-type]
    omitted=int,
    head=int,
    degraded=list[str],
    pending=int,
    provisional=bool,
    unread=int,
    digest=str,
    tokens=int,
)
REVISION: Final = form_of(
    Revision, valid_from=Time, valid_to=Later, known_from=Time, known_to=Later
)
HISTORY: Final = made("FactHistory", fact=FACT, revisions=list[REVISION])  # type: ignore[valid-type]
CAUSE: Final = form_of(Cause, "content", known=Time, event=Any)
EXPLANATION: Final = made(
    "Explanation",
    fact=FACT,
    rests_on=list[CAUSE],  # type: ignore[valid-type]
    decided=list[CAUSE],  # type: ignore[valid-type]
    revisions=list[REVISION],  # type: ignore[valid-type]
    head=int,
    provisional=bool,
)
CHANGE: Final = form_of(BeliefChange, before=FACT | None, after=FACT | None)
FAILED: Final = made("Failed", position=int, reason=str)
STATUS_FORM: Final = form_of(
    Status,
    "location",
    failed=list[FAILED],  # type: ignore[valid-type]
    extraction_failed=list[FAILED],  # type: ignore[valid-type]
    timezone=str,
)
PROPOSAL: Final = form_of(
    Proposal,
    valid_from=Time,
    said_at=Time,
    evidence=list[QUOTE],  # type: ignore[valid-type]
    against=FACT | None,
    changes=list[dict[str, Any]],
)
QUARANTINE: Final = form_of(StandingQuarantine, known=Time)
RADIUS: Final = form_of(BlastRadius)
IMPACT: Final = form_of(BlastRadius, target=dict[str, Any], cascade=bool)
ERASED: Final = form_of(BlastRadius, "served")
ERASURE: Final = form_of(Erasure, content=ERASED)
SWEEP: Final = form_of(Sweep, content=ERASED)
HOLD: Final = form_of(Hold, known=Time, expires_at=Later)
RETENTION: Final = form_of(Retention, "keep_for", keep_for_s=float | None)
FLOW: Final = form_of(DataFlow, "location")
CHECK: Final = form_of(CheckReport, ok=bool)
RECEIPT: Final = form_of(Receipt, known=Time)
EVENT: Final = create_model("Event", __config__=_OPEN, position=(int, ...), type=(str, ...))
VERIFIED: Final = create_model("Verified", __config__=_OPEN, ok=(bool, ...))
CHECKPOINT: Final = made("Checkpoint", origin=str, size=int, root=str, note=str)
SIGNING_KEY: Final = made("SigningKey", key=str, position=int, endorsed=bool)
PROOF: Final = made("Proof", proof=str, header=str)
CONSISTENCY: Final = made("Consistency", proof=str)
NAMES: Final = made("Names", names=list[str])
TRUST: Final = made("TrustProfile", profile=str)
REBUILT: Final = form_of(RebuildReport, equal=bool)
EXTRACTED: Final = made("Extracted", facts=list[int], head=int)
UNFINISHED: Final = made("Unfinished", unfinished=int)
