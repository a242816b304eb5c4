"""What waits for an owner's word: the review queue, with what approving would change."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Select, Table, and_, func, select

from smriti_es.beliefs import BeliefReader, Fact
from smriti_es.chain_members import Pending
from smriti_es.consolidation import Relinker
from smriti_es.events.catalogue import Event
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.tables import payload_table
from smriti_es.projections.entities import names_at
from smriti_es.projections.facts import PROPOSED
from smriti_es.projections.trust import not_withheld
from smriti_es.shown_evidence import Quotes, shown_evidence
from smriti_es.withholding import Withholding


@dataclass(frozen=True, slots=True)
class Proposal:
    """A statement, or a stated end, that waits for an owner's word.

    Attributes:
        position: Its place in the log, by which it is approved or rejected.
        what: `fact`, or `end` for what says that a value holds no longer.
        space: Its space.
        subject: Whom or what it is about, as it was said.
        predicate: What is said of it.
        object: The value; of an end, the value that would end, or "" for whichever stands.
        scope: Where it applies; "" for everywhere.
        statement: A sentence that says it.
        valid_from: Since when it would hold, microseconds since the epoch; of an end, when it ends.
        origin: Whose word it is.
        said_at: When it was said.
        evidence: Turns that support it, with the words.
        against: The fact that it would have moved, as it stands; None when a rule holds it back.
        changes: What approving would change of how facts stand, as the events that would say so.
    """

    position: int
    what: Literal["fact", "end"]
    space: str
    subject: str
    predicate: str
    object: str
    scope: str
    statement: str
    valid_from: int
    origin: str
    said_at: int
    evidence: tuple[tuple[int, str], ...]
    against: Fact | None
    changes: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """Reads what waits, in one snapshot.

    Attributes:
        beliefs: How facts stand.
        spaces: The spaces that are read.
    """

    beliefs: BeliefReader
    spaces: tuple[str, ...]

    def waiting(self, *, after: int | None, limit: int) -> list[Proposal]:
        """List what waits, in the order in which it was said to the memory."""
        found = sorted(
            [*self._rows("fact", after, limit), *self._rows("end", after, limit)],
            key=lambda row: int(row.position),
        )[:limit]
        against = {row.position: self._against(row.position) for row in found}
        named = sorted({each for each in against.values() if each >= 0})
        facts = self.beliefs.by_position(named)
        said = [json.loads(row.body) for row in found]
        reader = self.beliefs
        quotes = shown_evidence(reader.connection, reader.tables.trust, reader.log, said, None)
        return [
            self._proposal(row, body, shown, facts.get(against[row.position]))
            for row, body, shown in zip(found, said, quotes, strict=True)
        ]

    @property
    def size(self) -> int:
        """How much waits."""
        connection = self.beliefs.connection
        counted = (self._select(what).with_only_columns(func.count()) for what in ("fact", "end"))
        return sum(int(connection.execute(each).scalar_one()) for each in counted)

    def _rows(self, what: Literal["fact", "end"], after: int | None, limit: int) -> Iterator[Any]:
        position = self._table(what).c.position
        statement = self._select(what).order_by(position).limit(limit)
        if after is not None:
            statement = statement.where(position > after)
        yield from self.beliefs.connection.execute(statement)

    def _select(self, what: str) -> Select[Any]:
        """Select what waits and may be read."""
        c, stored = self._table(what).c, payload_table.c
        content = and_(stored.log == c.log, stored.position == c.position)
        return (
            select(c.position, c.space, c.origin, c.said_at, stored.body)
            .join(payload_table, content)
            .where(
                c.log == self.beliefs.log,
                c.state == PROPOSED,
                c.space.in_(self.spaces),
                not_withheld(self.beliefs.tables.trust, c.log, c.position),
            )
        )

    def _table(self, what: str) -> Table:
        table: Table = getattr(self.beliefs.tables.facts, what)
        return table

    def _against(self, position: int) -> int:
        """Give the fact that a proposal would move as things stand, or `NOBODY`."""
        relinker = self._relinker()
        (key,) = relinker.keys_at([position])
        return relinker.opposed_by(key).get(position, NOBODY)

    def _proposal(
        self, row: Any, said: Mapping[str, Any], quotes: Quotes, against: Fact | None
    ) -> Proposal:
        is_fact = "statement" in said
        return Proposal(
            position=row.position,
            what="fact" if is_fact else "end",
            space=row.space,
            subject=said["subject"],
            predicate=said["predicate"],
            object=said.get("object", ""),
            scope=said.get("scope", ""),
            statement=said["statement"] if is_fact else said.get("reason", ""),
            valid_from=said["valid_from"] if is_fact else said["valid_to"],
            origin=row.origin,
            said_at=row.said_at,
            evidence=quotes,
            against=against,
            changes=tuple(self._changes(row.position)),
        )

    def _changes(self, position: int) -> list[Event]:
        """Say what approving would record of the chain, and record nothing."""
        relinker = self._relinker()
        causes: dict[Any, Sequence[int]] = dict.fromkeys(relinker.keys_at([position]), ())
        return [new.event for new in relinker.relink(causes, Pending(approved={position}))]

    def _relinker(self) -> Relinker:
        reader = self.beliefs
        names = names_at(reader.connection, reader.log, reader.tables.aliases)
        withholding = Withholding(reader.connection, reader.log, reader.tables.trust)
        return Relinker(reader.connection, reader.log, reader.tables.facts, withholding, names)
