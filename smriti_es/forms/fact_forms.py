"""How facts and what is known of them look in JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from smriti_es.events.instants import format_instant

if TYPE_CHECKING:
    from smriti_es.belief_changes import BeliefChange
    from smriti_es.beliefs import Fact
    from smriti_es.fact_history import Cause, Explanation, FactHistory, Revision
    from smriti_es.observing import Observed

Form = dict[str, Any]

_TIMES = ("said_at", "valid_from", "valid_to", "known_from", "known_to", "known")


def with_times(form: Form) -> Form:
    """Write the times among the members as RFC 3339 text."""
    told = {name: form[name] for name in _TIMES if isinstance(form.get(name), int)}
    return form | {name: format_instant(at) for name, at in told.items()}


def fact_form(fact: "Fact") -> Form:
    """Write a fact."""
    evidence = [{"turn": turn, "quote": quote} for turn, quote in fact.evidence]
    return with_times(asdict(fact)) | {"evidence": evidence}


def history_form(history: "FactHistory") -> Form:
    """Write a fact with every belief about it."""
    return {
        "fact": fact_form(history.fact),
        "revisions": [_revision_form(each) for each in history.revisions],
    }


def explanation_form(explanation: "Explanation") -> Form:
    """Write why a fact is believed."""
    return {
        "fact": fact_form(explanation.fact),
        "rests_on": [_cause_form(each) for each in explanation.rests_on],
        "decided": [_cause_form(each) for each in explanation.decided],
        "revisions": [_revision_form(each) for each in explanation.revisions],
        "head": explanation.head,
        "provisional": explanation.provisional,
    }


def change_form(change: "BeliefChange") -> Form:
    """Write how a belief changed."""
    return {
        "kind": change.kind,
        "position": change.position,
        "cause": change.cause,
        "before": None if change.before is None else fact_form(change.before),
        "after": None if change.after is None else fact_form(change.after),
    }


def observed_form(observed: "Observed") -> Form:
    """Write what `observe` did."""
    skipped = [{"group": group, "reason": reason} for group, reason in observed.skipped]
    return asdict(observed) | {"skipped": skipped}


def _revision_form(revision: "Revision") -> Form:
    return with_times(asdict(revision))


def _cause_form(cause: "Cause") -> Form:
    content = None if cause.content is None else with_times(asdict(cause.content))
    return with_times({name: getattr(cause, name) for name in _CAUSE}) | {"event": content}


_CAUSE = ("position", "type", "known", "actor", "leaf", "withheld")
