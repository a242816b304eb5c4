"""What goes into a context and what comes out: plain data, no behaviour.

Source: design page on recall, "packing".
"""

from dataclasses import dataclass
from typing import Literal, get_args

from smriti_es.events.errors import InvalidInput

Layout = Literal["chrono", "relevance", "top"]
LAYOUTS: tuple[str, ...] = get_args(Layout)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A turn that may go into a context.

    Attributes:
        position: Log position of the turn; its id.
        session: Which conversation; groups turns and is never shown.
        ordinal: 0-based place in the session.
        role: `user`, `assistant`, `system`, `tool`, `other`, or a name used as one.
        speaker: Display name, or None when nobody is named.
        text: What was said, as recorded.
        said_at: Microseconds since the epoch, UTC.
        said_precision: How exactly that is known: `instant`, `day`, `week`, `month`, `year` or
            `unknown`.
        score: How well it answers; kept for the caller, since the order given is the rank.
    """

    position: int
    session: str
    ordinal: int
    role: str
    speaker: str | None
    text: str
    said_at: int
    said_precision: str
    score: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """A turn that a context holds.

    Attributes:
        position: Log position of the turn.
        session: Which conversation it is from.
        said_at: Microseconds since the epoch, UTC.
        whole: All of it is there; False for an excerpt.
    """

    position: int
    session: str
    said_at: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Packed:
    """A context within its budget.

    Attributes:
        text: What a model reads; empty when nothing fitted.
        evidence: The turns in `text`, best first; neighbours of hits come after all hits.
        omitted: How many candidates are not in `text`.
    """

    text: str
    evidence: tuple[Evidence, ...]
    omitted: int


@dataclass(frozen=True, slots=True)
class PackSettings:
    """The knobs of packing; lengths in characters of turn text.

    Attributes:
        top_hits: How many of the best hits get the larger limit, and an excerpt at once when they
            do not fit.
        top_turn_chars: The longest that one of them is shown before everything else has had its
            turn.
        max_turn_chars: The same for all other hits.
        min_turn_chars: A shorter excerpt than this is not worth its line.
        neighbour_chars: The longest that a neighbour of a hit is shown at first.
        neighbours: How many turns on each side of a hit are neighbours; 0 for none.
        annotate_time: Write the resolved date after words such as "yesterday".
        layout: `chrono` sorts sessions by time, `relevance` by their best hit; `top` puts the best
            hits first and the rest by time.
    """

    top_hits: int = 5
    top_turn_chars: int = 2000
    max_turn_chars: int = 1400
    min_turn_chars: int = 220
    neighbour_chars: int = 360
    neighbours: int = 1
    annotate_time: bool = True
    layout: Layout = "chrono"

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise InvalidInput(
                f"unknown layout: {self.layout!r}",
                hint=f"Use one of {', '.join(LAYOUTS)}.",
                field="layout",
            )
