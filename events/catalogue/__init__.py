"""The closed catalogue of event types: what can happen.

An unknown type, or a version newer than the one here, is never skipped: `upcast` refuses it.
"""

from smriti_es.events.catalogue.entities import AliasRemoved, EntityAliased
from smriti_es.events.catalogue.event import Event
from smriti_es.events.catalogue.extraction import ExtractionCompleted, ExtractionFailed
from smriti_es.events.catalogue.facts import (
    ArbitrationDecided,
    FactAsserted,
    FactEnded,
    FactEndRetracted,
    FactIntervalRevised,
    FactLapsed,
    FactReaffirmed,
    FactReopened,
    FactRetracted,
    FactSuperseded,
)
from smriti_es.events.catalogue.lifecycle import (
    Erased,
    ErasureCompleted,
    HoldPlaced,
    HoldReleased,
    RetentionSet,
    TenantDestroyed,
    TombstonesCleared,
)
from smriti_es.events.catalogue.log import (
    EmbedderChanged,
    LogOpened,
    ProjectionSkipped,
    SettingsChanged,
)
from smriti_es.events.catalogue.trust import (
    ContextServed,
    FactAdmitted,
    FactApproved,
    FactProposed,
    FactRejected,
    Quarantined,
    Released,
)
from smriti_es.events.catalogue.turns import SessionStarted, TurnRecorded

_TYPES: tuple[type[Event], ...] = (
    LogOpened,
    EmbedderChanged,
    ProjectionSkipped,
    SessionStarted,
    TurnRecorded,
    ExtractionCompleted,
    ExtractionFailed,
    FactAsserted,
    FactEnded,
    FactEndRetracted,
    FactRetracted,
    FactSuperseded,
    FactReopened,
    FactIntervalRevised,
    FactReaffirmed,
    ArbitrationDecided,
    EntityAliased,
    AliasRemoved,
    FactProposed,
    FactAdmitted,
    FactApproved,
    FactRejected,
    Quarantined,
    Released,
    SettingsChanged,
    ContextServed,
    FactLapsed,
    Erased,
    ErasureCompleted,
    HoldPlaced,
    HoldReleased,
    RetentionSet,
    TenantDestroyed,
    TombstonesCleared,
)
EVENT_TYPES: dict[str, type[Event]] = {kind.TYPE: kind for kind in _TYPES}

__all__ = [
    "EVENT_TYPES",
    "AliasRemoved",
    "ArbitrationDecided",
    "ContextServed",
    "EmbedderChanged",
    "EntityAliased",
    "Erased",
    "ErasureCompleted",
    "Event",
    "ExtractionCompleted",
    "ExtractionFailed",
    "FactAdmitted",
    "FactApproved",
    "FactAsserted",
    "FactEndRetracted",
    "FactEnded",
    "FactIntervalRevised",
    "FactLapsed",
    "FactProposed",
    "FactReaffirmed",
    "FactRejected",
    "FactReopened",
    "FactRetracted",
    "FactSuperseded",
    "HoldPlaced",
    "HoldReleased",
    "LogOpened",
    "ProjectionSkipped",
    "Quarantined",
    "Released",
    "RetentionSet",
    "SessionStarted",
    "SettingsChanged",
    "TenantDestroyed",
    "TombstonesCleared",
    "TurnRecorded",
]
