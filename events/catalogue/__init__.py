"""The closed catalogue of event types: what can happen.

An unknown type, or a version newer than the one here, is never skipped: `upcast` refuses it.
"""

from smriti_es.events.catalogue.event import Event
from smriti_es.events.catalogue.log import EmbedderChanged, LogOpened, ProjectionSkipped
from smriti_es.events.catalogue.turns import SessionStarted, TurnRecorded

EVENT_TYPES: dict[str, type[Event]] = {
    kind.TYPE: kind
    for kind in (LogOpened, EmbedderChanged, ProjectionSkipped, SessionStarted, TurnRecorded)
}

__all__ = [
    "EVENT_TYPES",
    "EmbedderChanged",
    "Event",
    "LogOpened",
    "ProjectionSkipped",
    "SessionStarted",
    "TurnRecorded",
]
