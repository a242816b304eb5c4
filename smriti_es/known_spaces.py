"""Which spaces there are: those that something was written to; a read of any other is an error.

An answer from a space that nobody ever wrote to would be empty for ever, and a name that is spelt
wrongly would look like a memory that knows nothing. Source: decision 11.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Self

from sqlalchemy import Connection, Table, func, select

from smriti_es.events.errors import NotFound

# Every memory has it, also before anything was written.
DEFAULT_SPACE: Final = "main"


@dataclass(frozen=True, slots=True)
class KnownSpaces:
    """Tells whether the spaces of a read exist; each is looked for once, since none goes away.

    Attributes:
        required: Spaces that have to exist; what else is read may be empty.
        first: Space -> position of the first event in it, of those that were found.
    """

    required: frozenset[str] = frozenset()
    first: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, spaces: Iterable[str], space: str, *, read_only: bool) -> Self:
        """Say which spaces of an engine have to exist.

        The space that is written to need not: it begins with the first write. An engine that only
        reads begins none.

        Args:
            spaces: The spaces that are read.
            space: The space that is written to.
            read_only: Whether nothing is written.
        """
        may_be_empty = {DEFAULT_SPACE} if read_only else {DEFAULT_SPACE, space}
        return cls(frozenset(spaces) - may_be_empty)

    def assert_exist(
        self,
        connection: Connection,
        log: int,
        tables: tuple[Table, ...],
        spaces: Iterable[str],
        until: int | None,
    ) -> None:
        """Refuse a read of a space that nothing was ever written to.

        Args:
            connection: The snapshot.
            log: The log's number.
            tables: Tables of what lies in spaces: sessions, facts.
            spaces: The spaces that are read.
            until: Position of the last event that is known; None: all are.

        Raises:
            NotFound: There is no such space, or was none then.

        Cost: Nothing for a space that was found before.
        """
        for space in sorted(self.required.intersection(spaces)):
            first = self.first.get(space)
            if first is None and (found := _first_in(connection, log, tables, space)) is not None:
                first = self.first[space] = found
            if first is None or (until is not None and first > until):
                raise NotFound(
                    f"there is no space {space!r}",
                    hint="Check the name; the first write to a space makes it.",
                    space=space,
                )


def _first_in(
    connection: Connection, log: int, tables: tuple[Table, ...], space: str
) -> int | None:
    found = [
        connection.execute(
            select(func.min(table.c.position)).where(table.c.log == log, table.c.space == space)
        ).scalar()
        for table in tables
    ]
    return min((position for position in found if position is not None), default=None)
