"""What a span tells of the result of a verb: counts and names of ours, never content."""

from smriti_es.projections.rebuild import RebuildReport
from smriti_es.results import Added, Context, SearchResult, VerifyReport
from smriti_es.tracing import Figures


def of_added(added: Added) -> Figures:
    """Tell what an `add` recorded."""
    return {
        "turns": len(added.positions),
        "replayed": added.replayed,
        "skipped": len(added.skipped),
        "facts": len(added.facts),
        "head": added.head,
    }


def of_all_added(added: list[Added]) -> Figures:
    """Tell what an `add_many` recorded."""
    return {
        "sessions": len(added),
        "turns": sum(len(each.positions) for each in added),
        "facts": sum(len(each.facts) for each in added),
    }


def of_found(found: SearchResult) -> Figures:
    """Tell how a search was answered."""
    return {
        "hits": len(found.hits),
        "degraded": len(found.degraded),
        "pending": found.pending,
        "head": found.head,
    }


def of_context(gathered: Context) -> Figures:
    """Tell how a context was gathered."""
    return {
        "turns": len(gathered.evidence),
        "facts": len(gathered.facts),
        "omitted": gathered.omitted,
        "characters": len(gathered.text),
        "degraded": len(gathered.degraded),
        "pending": gathered.pending,
        "head": gathered.head,
    }


def of_rebuilt(report: RebuildReport) -> Figures:
    """Tell what a rebuild did."""
    return {
        "projection": report.projection,
        "generation": report.generation,
        "events": report.events,
        "equal": report.equal,
    }


def of_verified(report: VerifyReport) -> Figures:
    """Tell what a verification found."""
    return {
        "ok": report.ok,
        "events": report.log.events,
        "findings": len(report.log.findings),
        "projections": len(report.projections),
    }
