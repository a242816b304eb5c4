"""How results look in JSON: the names of the Python attributes, times as RFC 3339 text."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from smriti_es.events.instants import format_instant
from smriti_es.forms.fact_forms import fact_form, with_times

if TYPE_CHECKING:
    from smriti_es.audit_import import ImportedLog
    from smriti_es.audit_verbs import ExportedBundle
    from smriti_es.events.audit.outcome import BundleCheck
    from smriti_es.events.records import RecordedEvent
    from smriti_es.events.verification import Verification
    from smriti_es.projections.check import CheckReport
    from smriti_es.projections.rebuild import RebuildReport
    from smriti_es.rescuing import Rescued
    from smriti_es.results import (
        Added,
        Context,
        RecordedSession,
        RecordedTurn,
        SearchResult,
        Status,
        VerifyReport,
    )

Form = dict[str, Any]


def added_form(added: "Added") -> Form:
    """Write what an `add` did."""
    return asdict(added)


def turn_form(turn: "RecordedTurn") -> Form:
    """Write a turn."""
    return asdict(turn) | {"said_at": turn.said, "known": format_instant(turn.known)}


def session_form(session: "RecordedSession") -> Form:
    """Write a session."""
    return asdict(session) | {
        "first_said_at": _time(session.first_said_at),
        "last_said_at": _time(session.last_said_at),
        "known": format_instant(session.known),
    }


def search_form(result: "SearchResult") -> Form:
    """Write hits, and what did not take part."""
    return {
        "hits": [
            {
                "rank": hit.rank,
                "score": hit.score,
                "channels": list(hit.channels),
                "explanation": dict(hit.explanation),
                "steps": [asdict(step) for step in hit.steps],
                "judged": hit.judged,
                "severity": hit.severity,
                "turn": None if hit.turn is None else turn_form(hit.turn),
                "fact": None if hit.fact is None else fact_form(hit.fact),
            }
            for hit in result
        ],
        "observed": [fact_form(digest) for digest in result.observed],
        "head": result.head,
        "provisional": result.provisional,
        "degraded": list(result.degraded),
        "pending": result.pending,
        "unread": result.unread,
    }


def context_form(context: "Context") -> Form:
    """Write a context with its evidence."""
    return asdict(context) | {
        "evidence": [
            asdict(each) | {"said_at": format_instant(each.said_at)} for each in context.evidence
        ],
        "facts": [fact_form(fact) for fact in context.facts],
        "observed": [fact_form(digest) for digest in context.observed],
        "digest": context.digest,
        "tokens": context.tokens,
    }


def event_form(event: "RecordedEvent", *, content: bool) -> Form:
    """Write an event: its header as the log holds it, with its payload if asked for."""
    header = event.header
    form: Form = {
        "position": header.position,
        "known": format_instant(header.known),
        "type": header.type,
        "version": header.version,
        "actor": f"{header.actor.kind}:{header.actor.id}",
        "commit": list(header.commit),
        "refs": list(header.refs),
        "id": header.id,
        "leaf": event.leaf.hex(),
        "payload_bytes": 0 if header.payload is None else header.payload.size,
        "erased": header.payload is not None and event.event is None,
    }
    if content:
        form["event"] = None if event.event is None else event_members(event.event)
    return form


def event_members(event: Any) -> Form:
    """Write what an event says."""
    return with_times(asdict(event))


def status_form(status: "Status") -> Form:
    """Write a status."""
    return asdict(status) | {
        "failed": [{"position": position, "reason": reason} for position, reason in status.failed],
        "extraction_failed": [
            {"position": position, "reason": reason}
            for position, reason in status.extraction_failed
        ],
    }


def verify_form(report: "VerifyReport") -> Form:
    """Write what a verification found."""
    return {
        "ok": report.ok,
        "log": log_form(report.log),
        "projections": [check_form(each) for each in report.projections],
        "file": report.file,
    }


def log_form(verified: "Verification") -> Form:
    """Write what a verification of the log alone found."""
    return {"ok": verified.ok} | asdict(verified)


def rescued_form(rescued: "Rescued") -> Form:
    """Write what was copied of a log."""
    return {"whole": rescued.whole} | asdict(rescued)


def exported_form(exported: "ExportedBundle") -> Form:
    """Write what an export wrote."""
    return asdict(exported)


def imported_form(imported: "ImportedLog") -> Form:
    """Write what an import did."""
    return {
        "tenant": imported.tenant,
        "log_id": imported.log_id,
        "events": imported.events,
        "head": imported.head,
        "checked": bundle_form(imported.checked),
        "verified": verify_form(imported.verified),
    }


def bundle_form(checked: "BundleCheck") -> Form:
    """Write what a check of a bundle found."""
    manifest = checked.manifest
    named = {} if manifest is None else {"log": manifest.log, "first": manifest.first}
    found = {name: value for name, value in asdict(checked).items() if name != "manifest"}
    return {"ok": checked.ok} | named | found


def check_form(report: "CheckReport") -> Form:
    """Write how a projection compares with the log."""
    return {"ok": report.ok} | asdict(report)


def rebuild_form(report: "RebuildReport") -> Form:
    """Write what a rebuild did."""
    return {"equal": report.equal} | asdict(report)


def _time(at: int | None) -> str | None:
    return None if at is None else format_instant(at)
