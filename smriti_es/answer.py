"""What every read says of itself: up to where it knows the log, and whether that may change."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from smriti_es.time_travel import Moment

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class KnownTo:
    """Up to where an answer knows the log.

    Attributes:
        head: Position of the last event that it knows; as `known_at`, it gives the same answer for
            ever.
        provisional: Whether a time was asked for that lies at or past the head of the log, so that
            commits still to come may belong to it.
    """

    head: int
    provisional: bool

    @classmethod
    def of(cls, folded: int, moment: Moment | None) -> "KnownTo":
        """Tell it of a read as of a moment (None: now) from tables that hold so many events."""
        if moment is None:
            return cls(folded - 1, provisional=False)
        return cls(min(folded - 1, moment.position), moment.provisional)


class Answer(list[Item]):
    """A list that says up to where it knows the log.

    Attributes:
        head: Position of the last event that it knows; as `known_at`, it gives the same answer for
            ever.
        provisional: Whether a time was asked for that lies at or past the head of the log, so that
            commits still to come may belong to it.
    """

    __slots__ = ("head", "provisional")

    def __init__(self, items: Iterable[Item], known_to: KnownTo) -> None:
        super().__init__(items)
        self.head = known_to.head
        self.provisional = known_to.provisional
