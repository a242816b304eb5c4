"""smriti-es: an event-sourced memory for agents.

What was said goes into a hash-chained log; everything that is read is derived from it and can be
derived again. `Engine.open` is the door. Importing this package is light: each name below is loaded
when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from smriti_es.captured import Limits, SkippedTurn, Turn
    from smriti_es.embedders import (
        CallableEmbedder,
        Embedder,
        EmbedderIdentity,
        HashEmbedder,
        HttpEmbedder,
        MiniLMEmbedder,
        OnnxEmbedder,
    )
    from smriti_es.engine import Engine
    from smriti_es.events.errors import (
        ChainBroken,
        Conflict,
        ConflictError,
        EmbedderError,
        ExtractionError,
        IdempotencyConflict,
        IntegrityError,
        InvalidInput,
        MissingExtra,
        NotAllowed,
        NotFound,
        PayloadMissing,
        PolicyError,
        ProjectionBehind,
        ProjectionError,
        ProjectionFailed,
        SchemaNewer,
        SchemaOutdated,
        SmritiError,
        StorageBusy,
        StorageError,
        StorageUnavailable,
    )
    from smriti_es.events.verification import Finding, Verification
    from smriti_es.policy import Filters
    from smriti_es.projections.check import CheckReport
    from smriti_es.projections.rebuild import RebuildReport
    from smriti_es.recall.evidence import Evidence, PackSettings
    from smriti_es.recall.weights import RecallSettings
    from smriti_es.recording import SessionInput
    from smriti_es.results import (
        Added,
        Context,
        Hit,
        ProjectionStatus,
        RecordedSession,
        RecordedTurn,
        SearchResult,
        Status,
        VerifyReport,
    )
    from smriti_es.settings import Settings
    from smriti_es.version import __version__

_EMBEDDERS = "smriti_es.embedders"
_ERRORS = "smriti_es.events.errors"
_RESULTS = "smriti_es.results"
_HOME = {
    "Added": _RESULTS,
    "CallableEmbedder": _EMBEDDERS,
    "ChainBroken": _ERRORS,
    "CheckReport": "smriti_es.projections.check",
    "Conflict": _ERRORS,
    "ConflictError": _ERRORS,
    "Context": _RESULTS,
    "Embedder": _EMBEDDERS,
    "EmbedderError": _ERRORS,
    "EmbedderIdentity": _EMBEDDERS,
    "Engine": "smriti_es.engine",
    "Evidence": "smriti_es.recall.evidence",
    "ExtractionError": _ERRORS,
    "Filters": "smriti_es.policy",
    "Finding": "smriti_es.events.verification",
    "HashEmbedder": _EMBEDDERS,
    "Hit": _RESULTS,
    "HttpEmbedder": _EMBEDDERS,
    "IdempotencyConflict": _ERRORS,
    "IntegrityError": _ERRORS,
    "InvalidInput": _ERRORS,
    "Limits": "smriti_es.captured",
    "MiniLMEmbedder": _EMBEDDERS,
    "MissingExtra": _ERRORS,
    "NotAllowed": _ERRORS,
    "NotFound": _ERRORS,
    "OnnxEmbedder": _EMBEDDERS,
    "PackSettings": "smriti_es.recall.evidence",
    "PayloadMissing": _ERRORS,
    "PolicyError": _ERRORS,
    "ProjectionBehind": _ERRORS,
    "ProjectionError": _ERRORS,
    "ProjectionFailed": _ERRORS,
    "ProjectionStatus": _RESULTS,
    "RebuildReport": "smriti_es.projections.rebuild",
    "RecallSettings": "smriti_es.recall.weights",
    "RecordedSession": _RESULTS,
    "RecordedTurn": _RESULTS,
    "SchemaNewer": _ERRORS,
    "SchemaOutdated": _ERRORS,
    "SearchResult": _RESULTS,
    "SessionInput": "smriti_es.recording",
    "Settings": "smriti_es.settings",
    "SkippedTurn": "smriti_es.captured",
    "SmritiError": _ERRORS,
    "Status": _RESULTS,
    "StorageBusy": _ERRORS,
    "StorageError": _ERRORS,
    "StorageUnavailable": _ERRORS,
    "Turn": "smriti_es.captured",
    "Verification": "smriti_es.events.verification",
    "VerifyReport": _RESULTS,
    "__version__": "smriti_es.version",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Added",
    "CallableEmbedder",
    "ChainBroken",
    "CheckReport",
    "Conflict",
    "ConflictError",
    "Context",
    "Embedder",
    "EmbedderError",
    "EmbedderIdentity",
    "Engine",
    "Evidence",
    "ExtractionError",
    "Filters",
    "Finding",
    "HashEmbedder",
    "Hit",
    "HttpEmbedder",
    "IdempotencyConflict",
    "IntegrityError",
    "InvalidInput",
    "Limits",
    "MiniLMEmbedder",
    "MissingExtra",
    "NotAllowed",
    "NotFound",
    "OnnxEmbedder",
    "PackSettings",
    "PayloadMissing",
    "PolicyError",
    "ProjectionBehind",
    "ProjectionError",
    "ProjectionFailed",
    "ProjectionStatus",
    "RebuildReport",
    "RecallSettings",
    "RecordedSession",
    "RecordedTurn",
    "SchemaNewer",
    "SchemaOutdated",
    "SearchResult",
    "SessionInput",
    "Settings",
    "SkippedTurn",
    "SmritiError",
    "Status",
    "StorageBusy",
    "StorageError",
    "StorageUnavailable",
    "Turn",
    "Verification",
    "VerifyReport",
    "__version__",
]
