"""How proposals, quarantines and what rests on something look in JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from smriti_es.forms.fact_forms import change_form, fact_form, with_times

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from smriti_es.belief_changes import BeliefChange
    from smriti_es.blast_radius import BlastRadius
    from smriti_es.reviewing import Proposal
    from smriti_es.trust_verbs import StandingQuarantine

Form = dict[str, Any]


def proposal_form(proposal: "Proposal") -> Form:
    """Write what waits, and what approving it would record."""
    return with_times(asdict(proposal)) | {
        "evidence": [{"turn": turn, "quote": quote} for turn, quote in proposal.evidence],
        "against": None if proposal.against is None else fact_form(proposal.against),
        "changes": [
            {"type": change.TYPE} | with_times(asdict(change)) for change in proposal.changes
        ],
    }


def quarantine_form(standing: "StandingQuarantine") -> Form:
    """Write a quarantine that is not lifted."""
    return with_times(asdict(standing))


def impact_form(
    target: "Mapping[str, object]", found: "BlastRadius", *, cascade: bool = True
) -> Form:
    """Write what rests on something."""
    return {"target": dict(target), "cascade": cascade} | asdict(found)


def without_form(
    target: "Mapping[str, object]",
    known_at: int,
    left_out: "BlastRadius",
    changes: "Sequence[BeliefChange]",
) -> Form:
    """Write what would be believed otherwise; what would have caused it was never recorded."""
    return {
        "without": dict(target),
        "known_at": known_at,
        "left_out": _but("served", asdict(left_out)),
        "changes": [_but("cause", change_form(change)) for change in changes],
    }


def _but(member: str, form: Form) -> Form:
    return {name: value for name, value in form.items() if name != member}
