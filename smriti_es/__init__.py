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
    from smriti_es.async_engine import AsyncEngine, AsyncReplay, AsyncView
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
    from smriti_es.examining import Examined
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
    from smriti_es.repairing import Repair, Repaired
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
    from smriti_es.tenant_separation import Separation, separate_tenants
    from smriti_es.version import __version__
    from smriti_es.view import View
    from smriti_es.witnesses import FolderWitness, Witness

_ERRORS = "smriti_es.events.errors"
# Which names are where; those that are not listed are errors.
_NAMES = {
    "smriti_es.answer": "Answer",
    "smriti_es.answering": "Asking",
    "smriti_es.async_engine": "AsyncEngine AsyncReplay AsyncView",
    "smriti_es.audit_import": "ImportedLog import_audit mount_audit",
    "smriti_es.audit_verbs": "Disclosed ExportedBundle",
    "smriti_es.backing_up": "Copied CopiedLog back_up restore",
    "smriti_es.belief_changes": "BeliefChange",
    "smriti_es.beliefs": "Fact FactStatus",
    "smriti_es.captured": "Limits SkippedTurn Turn",
    "smriti_es.data_flow": "DataFlow Flow",
    "smriti_es.doctor": "Diagnosis GraphReport",
    "smriti_es.embedder_switching": "EmbedderState EmbedderSwitch",
    "smriti_es.embedders": (
        "CallableEmbedder Embedder EmbedderIdentity HashEmbedder HttpEmbedder MiniLMEmbedder "
        "MultilingualEmbedder OnnxEmbedder"
    ),
    "smriti_es.engine": "Engine",
    "smriti_es.events.audit.checking": "check_bundle",
    "smriti_es.events.audit.outcome": "BundleCheck",
    "smriti_es.events.checkpoint": "Checkpoint",
    "smriti_es.events.log_keys": "LogKey",
    "smriti_es.events.proofs": "ConsistencyProof InclusionProof check_consistency check_inclusion",
    "smriti_es.events.signed_note": "NoteKey",
    "smriti_es.events.verification": "Finding Verification",
    "smriti_es.examining": "Examined",
    "smriti_es.extraction.arbitration": "Arbiter LLMArbiter Verdict",
    "smriti_es.extraction.chat": "ChatModel",
    "smriti_es.extraction.contract": "DroppedItem ExtractedFact Extraction Extractor SourceTurn",
    "smriti_es.extraction.digest_writer": "DigestWriter",
    "smriti_es.extraction.fact_digest": "FactDigest",
    "smriti_es.extraction.llm": "LLMExtractor",
    "smriti_es.extraction.patterns": "PatternExtractor",
    "smriti_es.fact_history": "Cause Explanation FactHistory Revision",
    "smriti_es.guarding": "Guards",
    "smriti_es.holds": "Hold",
    "smriti_es.http_witness": "HttpWitness",
    "smriti_es.keeping_verbs": "Erasure",
    "smriti_es.observing": "Observed",
    "smriti_es.policy": "Filters",
    "smriti_es.projections.check": "CheckReport",
    "smriti_es.projections.rebuild": "RebuildReport",
    "smriti_es.recall.evidence": "Evidence PackSettings",
    "smriti_es.recall.profiles": "PROFILES RecallProfile",
    "smriti_es.recall.weights": "RecallSettings",
    "smriti_es.recording": "SessionInput",
    "smriti_es.repairing": "Repair Repaired",
    "smriti_es.replaying": "Replay",
    "smriti_es.rerankers": "HttpReranker OnnxReranker Reranker SystemOneReranker",
    "smriti_es.rescuing": "Rescued rescue",
    "smriti_es.results": (
        "Added Context Hit ProjectionStatus RankStep RecordedSession RecordedTurn "
        "SearchResult Status VerifyReport"
    ),
    "smriti_es.retention": "Retention Sweep",
    "smriti_es.settings": "Settings",
    "smriti_es.signing_key": "CallbackSigner KeyFile Signer",
    "smriti_es.subject_access.export": "Exported",
    "smriti_es.tenant_destruction": "Destroyed destroy_tenant destroyed_tenants",
    "smriti_es.tenant_moving": "Moved move_tenant",
    "smriti_es.tenant_separation": "Separation separate_tenants",
    "smriti_es.version": "__version__",
    "smriti_es.view": "View",
    "smriti_es.witnesses": "FolderWitness Witness",
}
_HOME = {name: home for home, names in _NAMES.items() for name in names.split()}


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
    "AsyncEngine",
    "AsyncReplay",
    "AsyncView",
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
    "Examined",
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
    "Repair",
    "Repaired",
    "Replay",
    "Reranker",
    "RerankerError",
    "Rescued",
    "Retention",
    "Revision",
    "SchemaNewer",
    "SchemaOutdated",
    "SearchResult",
    "Separation",
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
    "separate_tenants",
]
