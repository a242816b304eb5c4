"""What a search of a database's own storage for pieces of content has found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Searched:
    """One place that was searched.

    Attributes:
        place: Its name: of a file, or of what a server keeps.
        found: The pieces that its bytes hold.
        problem: Why it could not be searched; None when it was.
    """

    place: str
    found: frozenset[bytes] = frozenset()
    problem: str | None = None
