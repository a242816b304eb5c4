"""How erasures, holds and retention look in JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from smriti_es.events.instants import format_instant
from smriti_es.forms.fact_forms import with_times

if TYPE_CHECKING:
    from smriti_es.holds import Hold
    from smriti_es.keeping_verbs import Erasure
    from smriti_es.retention import Retention, Sweep

Form = dict[str, Any]


def erasure_form(erased: "Erasure") -> Form:
    """Write what an erasure took, or would take."""
    form = asdict(erased)
    form["content"].pop("served")
    return form


def sweep_form(swept: "Sweep") -> Form:
    """Write what a sweep did, or would do."""
    form = asdict(swept)
    form["content"].pop("served")
    return form


def hold_form(hold: "Hold") -> Form:
    """Write a hold that is not released."""
    expires = None if hold.expires_at is None else format_instant(hold.expires_at)
    return with_times(asdict(hold)) | {"expires_at": expires}


def retention_form(kept: "Retention") -> Form:
    """Write how long something is kept."""
    form = asdict(kept)
    form.pop("keep_for")
    return form | {"keep_for_s": kept.keep_for_s}
