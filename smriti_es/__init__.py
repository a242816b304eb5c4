"""smriti-es: an event-sourced memory for agents.

What was said goes into a hash-chained log; everything that is read is derived from it and can be
derived again. `Engine.open` is the door. Importing this package is light: each name below is loaded
when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from smriti_es.answer import Answer
    from smriti_es.answering import Asking
    from smriti_es.audit_import import ImportedLog, import_audit, mount_audit
    from smriti_es.audit_verbs import Disclosed, ExportedBundle
    from smriti_es.backing_up import Copied, CopiedLog, back_up, restore
    from smriti_es.belief_changes import BeliefChange
    from smriti_es.beliefs import Fact, FactStatus
    from smriti_es.captured import Limits, SkippedTurn, Turn
    from smriti_es.data_flow import DataFlow, Flow
    from smriti_es.doctor import Diagnosis, GraphReport
    from smriti_es.embedder_switching import EmbedderState, EmbedderSwitch
    from smriti_es.embedders import (
        CallableEmbedder,
        Embedder,
        EmbedderIdentity,
        HashEmbedder,
        HttpEmbedder,
        MiniLMEmbedder,
        MultilingualEmbedder,
        OnnxEmbedder,
    )
    from smriti_es.engine import Engine
    from smriti_es.events.audit.checking import check_bundle
    from smriti_es.events.audit.outcome import BundleCheck
    from smriti_es.events.checkpoint import Checkpoint
    from smriti_es.events.errors import (
        ChainBroken,
        Conflict,
        ConflictError,
        EgressRefused,
        EmbedderError,
        ExtractionError,
        HeldError,
        IdempotencyConflict,
        IntegrityError,
        InvalidInput,
        LogRolledBack,
        MissingExtra,
        NotAllowed,
        NotFound,
        PayloadMissing,
        PolicyError,
        ProjectionBehind,
        ProjectionError,
        ProjectionFailed,
        ProofFailed,
        RerankerError,
        SchemaNewer,
        SchemaOutdated,
        SmritiError,
        StorageBusy,
        StorageDamaged,
        StorageError,
        StorageUnavailable,
        WitnessError,
    )
    from smriti_es.events.log_keys import LogKey
    from smriti_es.events.proofs import (
        ConsistencyProof,
        InclusionProof,
        check_consistency,
        check_inclusion,
    )
    from smriti_es.events.signed_note import NoteKey
    from smriti_es.events.verification import Finding, Verification
    from smriti_es.extraction.arbitration import Arbiter, LLMArbiter, Verdict
    from smriti_es.extraction.chat import ChatModel
    from smriti_es.extraction.contract import (
        DroppedItem,
        ExtractedFact,
        Extraction,
        Extractor,
        SourceTurn,
    )
    from smriti_es.extraction.digest_writer import DigestWriter
    from smriti_es.extraction.fact_digest import FactDigest
    from smriti_es.extraction.llm import LLMExtractor
    from smriti_es.extraction.patterns import PatternExtractor
    from smriti_es.fact_history import Cause, Explanation, FactHistory, Revision
    from smriti_es.guarding import Guards
    from smriti_es.holds import Hold
    from smriti_es.http_witness import HttpWitness
    from smriti_es.keeping_verbs import Erasure
    from smriti_es.observing import Observed
    from smriti_es.policy import Filters
    from smriti_es.projections.check import CheckReport
    from smriti_es.projections.rebuild import RebuildReport
    from smriti_es.recall.evidence import Evidence, PackSettings
    from smriti_es.recall.profiles import PROFILES, RecallProfile
    from smriti_es.recall.weights import RecallSettings
    from smriti_es.recording import SessionInput
    from smriti_es.replaying import Replay
    from smriti_es.rerankers import HttpReranker, OnnxReranker, Reranker, SystemOneReranker
    from smriti_es.rescuing import Rescued, rescue
    from smriti_es.results import (
        Added,
        Context,
        Hit,
        ProjectionStatus,
        RankStep,
        RecordedSession,
        RecordedTurn,
        SearchResult,
        Status,
        VerifyReport,
    )
    from smriti_es.retention import Retention, Sweep
    from smriti_es.settings import Settings
    from smriti_es.signing_key import CallbackSigner, KeyFile, Signer
    from smriti_es.subject_access.export import Exported
    from smriti_es.tenant_destruction import Destroyed, destroy_tenant, destroyed_tenants
    from smriti_es.tenant_moving import Moved, move_tenant
    from smriti_es.version import __version__
    from smriti_es.view import View
    from smriti_es.witnesses import FolderWitness, Witness

_CONTRACT = "smriti_es.extraction.contract"
_EMBEDDERS = "smriti_es.embedders"
_ERRORS = "smriti_es.events.errors"
_HISTORY = "smriti_es.fact_history"
_MOVING = "smriti_es.tenant_moving"
_BACKING_UP = "smriti_es.backing_up"
_PROOFS = "smriti_es.events.proofs"
_RERANKERS = "smriti_es.rerankers"
_RESULTS = "smriti_es.results"
_SWITCHING = "smriti_es.embedder_switching"
# Where each name is; those that are not listed are errors.
_HOME = {
    "Added": _RESULTS,
    "Answer": "smriti_es.answer",
    "Arbiter": "smriti_es.extraction.arbitration",
    "Asking": "smriti_es.answering",
    "BeliefChange": "smriti_es.belief_changes",
    "BundleCheck": "smriti_es.events.audit.outcome",
    "CallableEmbedder": _EMBEDDERS,
    "CallbackSigner": "smriti_es.signing_key",
    "Cause": _HISTORY,
    "ChatModel": "smriti_es.extraction.chat",
    "CheckReport": "smriti_es.projections.check",
    "Checkpoint": "smriti_es.events.checkpoint",
    "ConsistencyProof": _PROOFS,
    "Context": _RESULTS,
    "Copied": _BACKING_UP,
    "CopiedLog": _BACKING_UP,
    "DataFlow": "smriti_es.data_flow",
    "Destroyed": "smriti_es.tenant_destruction",
    "Diagnosis": "smriti_es.doctor",
    "DigestWriter": "smriti_es.extraction.digest_writer",
    "Disclosed": "smriti_es.audit_verbs",
    "DroppedItem": _CONTRACT,
    "Embedder": _EMBEDDERS,
    "EmbedderIdentity": _EMBEDDERS,
    "EmbedderState": _SWITCHING,
    "EmbedderSwitch": _SWITCHING,
    "Engine": "smriti_es.engine",
    "Erasure": "smriti_es.keeping_verbs",
    "Evidence": "smriti_es.recall.evidence",
    "Explanation": _HISTORY,
    "Exported": "smriti_es.subject_access.export",
    "ExportedBundle": "smriti_es.audit_verbs",
    "ExtractedFact": _CONTRACT,
    "Extraction": _CONTRACT,
    "Extractor": _CONTRACT,
    "Fact": "smriti_es.beliefs",
    "FactDigest": "smriti_es.extraction.fact_digest",
    "FactHistory": _HISTORY,
    "FactStatus": "smriti_es.beliefs",
    "Filters": "smriti_es.policy",
    "Finding": "smriti_es.events.verification",
    "Flow": "smriti_es.data_flow",
    "FolderWitness": "smriti_es.witnesses",
    "GraphReport": "smriti_es.doctor",
    "Guards": "smriti_es.guarding",
    "HashEmbedder": _EMBEDDERS,
    "Hit": _RESULTS,
    "Hold": "smriti_es.holds",
    "HttpEmbedder": _EMBEDDERS,
    "HttpWitness": "smriti_es.http_witness",
    "ImportedLog": "smriti_es.audit_import",
    "InclusionProof": _PROOFS,
    "KeyFile": "smriti_es.signing_key",
    "LLMArbiter": "smriti_es.extraction.arbitration",
    "LLMExtractor": "smriti_es.extraction.llm",
    "Limits": "smriti_es.captured",
    "LogKey": "smriti_es.events.log_keys",
    "MiniLMEmbedder": _EMBEDDERS,
    "MultilingualEmbedder": _EMBEDDERS,
    "Moved": _MOVING,
    "NoteKey": "smriti_es.events.signed_note",
    "Observed": "smriti_es.observing",
    "OnnxEmbedder": _EMBEDDERS,
    "PROFILES": "smriti_es.recall.profiles",
    "PackSettings": "smriti_es.recall.evidence",
    "PatternExtractor": "smriti_es.extraction.patterns",
    "ProjectionStatus": _RESULTS,
    "RebuildReport": "smriti_es.projections.rebuild",
    "RankStep": _RESULTS,
    "RecallProfile": "smriti_es.recall.profiles",
    "RecallSettings": "smriti_es.recall.weights",
    "RecordedSession": _RESULTS,
    "HttpReranker": _RERANKERS,
    "OnnxReranker": _RERANKERS,
    "Reranker": _RERANKERS,
    "SystemOneReranker": _RERANKERS,
    "RecordedTurn": _RESULTS,
    "Replay": "smriti_es.replaying",
    "Rescued": "smriti_es.rescuing",
    "Retention": "smriti_es.retention",
    "Revision": _HISTORY,
    "SearchResult": _RESULTS,
    "SessionInput": "smriti_es.recording",
    "Settings": "smriti_es.settings",
    "Signer": "smriti_es.signing_key",
    "SkippedTurn": "smriti_es.captured",
    "SourceTurn": _CONTRACT,
    "Status": _RESULTS,
    "Sweep": "smriti_es.retention",
    "Turn": "smriti_es.captured",
    "Verdict": "smriti_es.extraction.arbitration",
    "Verification": "smriti_es.events.verification",
    "VerifyReport": _RESULTS,
    "View": "smriti_es.view",
    "Witness": "smriti_es.witnesses",
    "__version__": "smriti_es.version",
    "back_up": _BACKING_UP,
    "check_bundle": "smriti_es.events.audit.checking",
    "destroy_tenant": "smriti_es.tenant_destruction",
    "destroyed_tenants": "smriti_es.tenant_destruction",
    "check_consistency": _PROOFS,
    "check_inclusion": _PROOFS,
    "import_audit": "smriti_es.audit_import",
    "mount_audit": "smriti_es.audit_import",
    "move_tenant": _MOVING,
    "restore": _BACKING_UP,
    "rescue": "smriti_es.rescuing",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME.get(name, _ERRORS)), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "PROFILES",
    "Added",
    "Answer",
    "Arbiter",
    "Asking",
    "BeliefChange",
    "BundleCheck",
    "CallableEmbedder",
    "CallbackSigner",
    "Cause",
    "ChainBroken",
    "ChatModel",
    "CheckReport",
    "Checkpoint",
    "Conflict",
    "ConflictError",
    "ConsistencyProof",
    "Context",
    "Copied",
    "CopiedLog",
    "DataFlow",
    "Destroyed",
    "Diagnosis",
    "DigestWriter",
    "Disclosed",
    "DroppedItem",
    "EgressRefused",
    "Embedder",
    "EmbedderError",
    "EmbedderIdentity",
    "EmbedderState",
    "EmbedderSwitch",
    "Engine",
    "Erasure",
    "Evidence",
    "Explanation",
    "Exported",
    "ExportedBundle",
    "ExtractedFact",
    "Extraction",
    "ExtractionError",
    "Extractor",
    "Fact",
    "FactDigest",
    "FactHistory",
    "FactStatus",
    "Filters",
    "Finding",
    "Flow",
    "FolderWitness",
    "GraphReport",
    "Guards",
    "HashEmbedder",
    "HeldError",
    "Hit",
    "Hold",
    "HttpEmbedder",
    "HttpReranker",
    "HttpWitness",
    "IdempotencyConflict",
    "ImportedLog",
    "InclusionProof",
    "IntegrityError",
    "InvalidInput",
    "KeyFile",
    "LLMArbiter",
    "LLMExtractor",
    "Limits",
    "LogKey",
    "LogRolledBack",
    "MiniLMEmbedder",
    "MissingExtra",
    "Moved",
    "MultilingualEmbedder",
    "NotAllowed",
    "NotFound",
    "NoteKey",
    "Observed",
    "OnnxEmbedder",
    "OnnxReranker",
    "PackSettings",
    "PatternExtractor",
    "PayloadMissing",
    "PolicyError",
    "ProjectionBehind",
    "ProjectionError",
    "ProjectionFailed",
    "ProjectionStatus",
    "ProofFailed",
    "RankStep",
    "RebuildReport",
    "RecallProfile",
    "RecallSettings",
    "RecordedSession",
    "RecordedTurn",
    "Replay",
    "Reranker",
    "RerankerError",
    "Rescued",
    "Retention",
    "Revision",
    "SchemaNewer",
    "SchemaOutdated",
    "SearchResult",
    "SessionInput",
    "Settings",
    "Signer",
    "SkippedTurn",
    "SmritiError",
    "SourceTurn",
    "Status",
    "StorageBusy",
    "StorageDamaged",
    "StorageError",
    "StorageUnavailable",
    "Sweep",
    "SystemOneReranker",
    "Turn",
    "Verdict",
    "Verification",
    "VerifyReport",
    "View",
    "Witness",
    "WitnessError",
    "__version__",
    "back_up",
    "check_bundle",
    "check_consistency",
    "check_inclusion",
    "destroy_tenant",
    "destroyed_tenants",
    "import_audit",
    "mount_audit",
    "move_tenant",
    "rescue",
    "restore",
]
