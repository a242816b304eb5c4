"""What a verification found, as values."""

from dataclasses import dataclass
from typing import Final

from smriti_es.events.errors import ChainBroken

FINDINGS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it was written.

    Attributes:
        position: The event it concerns; None when it concerns the log as a whole, or a row that
            names no position.
        place: Table and column.
        problem: What is wrong.
        unreadable: Whether the database cannot give it back at all, as from a damaged page.
        newer: Whether it is no fault: a later release wrote it, and only that one can check it.
    """

    position: int | None
    place: str
    problem: str
    unreadable: bool = False
    newer: bool = False

    def __str__(self) -> str:
        where = "log" if self.position is None else f"position {self.position}"
        return f"{where}, {self.place}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What a verification found.

    Attributes:
        events: How many events were read.
        head: Leaf hash of the last, 64 hex.
        findings: What is wrong, events first, in order of position; at most a thousand.
        unproved: What could not be decided of the checkpoints that somebody asked about.
    """

    events: int
    head: str
    findings: tuple[Finding, ...]
    unproved: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def raise_if_broken(self) -> None:
        """Raise `ChainBroken` with the first finding, if there is one."""
        if self.findings:
            raise ChainBroken(str(self.findings[0]), position=self.findings[0].position)
