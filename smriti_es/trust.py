"""Whose word counts for more: the profiles of trust that a memory can have.

Source: design page on trust, "Who may change what stands".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from smriti_es.captured import ORIGINS
from smriti_es.events.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class TrustPolicy:
    """What each origin may do to what stands.

    Attributes:
        name: The profile's name, as the log records it.
        ranks: The rank of each origin; a greater number is trusted less, and what is trusted less
            moves nothing that is trusted more.
        reviewed_from: From this rank on nothing stands before an owner approved it; None: nothing
            needs that by its rank alone.
    """

    name: str
    ranks: Mapping[str, int]
    reviewed_from: int | None = None

    def rank(self, origin: str, *, approved: bool) -> int:
        """Give the rank of a statement; what an owner approved counts as theirs."""
        return self.ranks[ORIGINS[0]] if approved else self.ranks[origin]

    def needs_review(self, origin: str, *, approved: bool) -> bool:
        """Tell whether a statement waits for an owner whatever it says."""
        return (
            self.reviewed_from is not None
            and self.rank(origin, approved=approved) >= self.reviewed_from
        )


TRUST_DEFAULT: Final = "personal"
_BY_ORIGIN: Final[Mapping[str, int]] = {origin: rank for rank, origin in enumerate(ORIGINS)}

# By name. `open`: everybody's word counts alike. `personal`: a lower origin proposes where it would
# move what a higher one said. `regulated`: besides, nothing but an owner's word stands unread.
PROFILES: Final[Mapping[str, TrustPolicy]] = {
    "open": TrustPolicy("open", dict.fromkeys(_BY_ORIGIN, 0)),
    "personal": TrustPolicy("personal", _BY_ORIGIN),
    "regulated": TrustPolicy("regulated", _BY_ORIGIN, reviewed_from=1),
}


def profile_named(name: str) -> TrustPolicy:
    """Give a profile by name.

    Raises:
        InvalidInput: There is none of that name.
    """
    if name not in PROFILES:
        raise InvalidInput(
            f"no profile of trust {name!r}",
            hint=f"There are: {', '.join(PROFILES)}.",
            field="trust",
        )
    return PROFILES[name]
