"""How serious a hit is: a failure that must not be repeated, what was given up, or plain context.

Whoever records a turn or a fact may state how it felt and how strongly, as metadata: `valence` from
-1 to 1 and `intensity` from 0 to 1. Nothing estimates them. That something was given up is no
guess either: a fact says so by how it stands.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from smriti_es.beliefs import Fact
    from smriti_es.results import RecordedTurn

CRITICAL_WARNING: Final = "critical_warning"
KNOWN_ANTIPATTERN: Final = "known_antipattern"
CONTEXT: Final = "context"
VALENCE: Final = "valence"
INTENSITY: Final = "intensity"
# Worse, and stronger, than that is severe.
_SEVERE: Final = 0.5
_GIVEN_UP: Final = ("superseded", "corrected", "retracted")


def severity_of(item: "RecordedTurn | Fact") -> str:
    """Say how serious a turn or a fact is.

    Returns:
        `critical_warning` for what was stated as very bad and strong; `known_antipattern` for a
        fact that another took the place of; else `context`.
    """
    if stated_weight(item.metadata) > 0.0:
        return CRITICAL_WARNING
    return KNOWN_ANTIPATTERN if getattr(item, "status", None) in _GIVEN_UP else CONTEXT


def stated_weight(metadata: Mapping[str, Any]) -> float:
    """Weigh a stated failure, 0 to 1: how bad times how strong; 0 where it is not severe."""
    valence, intensity = metadata.get(VALENCE), metadata.get(INTENSITY)
    if not (_is_number(valence) and _is_number(intensity)):
        return 0.0
    bad, strong = -float(valence or 0), float(intensity or 0)
    if not (bad > _SEVERE and strong > _SEVERE):
        return 0.0
    return min(bad, 1.0) * min(strong, 1.0)


def _is_number(given: Any) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)
