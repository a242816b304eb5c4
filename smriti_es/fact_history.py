"""Why is something believed, and how did the belief change?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from smriti_es.beliefs import BeliefReader, Fact, FactFilter
from smriti_es.events.database import in_parts
from smriti_es.events.errors import NotFound
from smriti_es.events.log import EventLog
from smriti_es.events.records import RecordedEvent
from smriti_es.explained_events import ExplainedEvents
from smriti_es.projections.lineage import children_of, parents_of


@dataclass(frozen=True, slots=True)
class Revision:
    """What the memory believed of a fact between two knowledge times.

    Attributes:
        number: From 0.
        state: admitted, lapsed or retracted.
        valid_from: Since when it held, microseconds since the epoch.
        valid_to: Until when, or None.
        superseded_by: Position of the fact that followed, or None.
        folded_into: Position of the fact that it only repeated, or None.
        known_from: Since when this was believed.
        known_to: Until when, or None.
        cause: Position of the event that changed it.
    """

    number: int
    state: str
    valid_from: int
    valid_to: int | None
    superseded_by: int | None
    folded_into: int | None
    known_from: int
    known_to: int | None
    cause: int


@dataclass(frozen=True, slots=True)
class FactHistory:
    """A fact and every belief about it.

    Attributes:
        fact: The fact as it stands.
        revisions: In the order in which they were believed; together they tile knowledge time.
    """

    fact: Fact
    revisions: tuple[Revision, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """An event that a belief rests on.

    Attributes:
        position: Its place in the log.
        type: Its type.
        known: When it was recorded, microseconds since the epoch.
        actor: Who recorded it.
        leaf: Its leaf hash, 64 hex.
        content: What it says, or None when it was erased, or it or what it rests on may not be read
            (withheld, in another space, of another scope, not believed).
        withheld: Of what is shown under the trust of then: positions of what withholds it, or what
            it rests on, today.
    """

    position: int
    type: str
    known: int
    actor: str
    leaf: str
    content: Any
    withheld: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a fact is believed.

    Attributes:
        fact: The fact.
        rests_on: Turns, extraction and premises that it was derived from, at every depth.
        decided: What was decided about it since: supersessions, verdicts, ends, retractions.
        revisions: How the belief changed.
        head: Position of the last event that is known here.
        provisional: Whether commits still to come may belong to the time that was asked for.
    """

    fact: Fact
    rests_on: tuple[Cause, ...]
    decided: tuple[Cause, ...]
    revisions: tuple[Revision, ...]
    head: int
    provisional: bool


def read_history(reader: BeliefReader, wanted: FactFilter) -> list[FactHistory]:
    """Read facts with every revision that was believed up to the reader's knowledge time."""
    facts = reader.facts_of_any_status(wanted)
    revisions = _revisions(reader, [fact.position for fact in facts])
    return [FactHistory(fact, tuple(revisions[fact.position])) for fact in facts]


def read_explanation(shown: ExplainedEvents, log: EventLog, position: int) -> Explanation:
    """Gather what a fact rests on and what was decided about it.

    Args:
        shown: Reads what events say, in one snapshot.
        log: The log.
        position: The fact.

    Raises:
        NotFound: There is no such fact.
    """
    reader, lineage = shown.beliefs, shown.lineage
    wanted = FactFilter(
        shown.spaces, scopes=shown.scopes, origins=shown.origins, positions=(position,)
    )
    found = reader.facts_of_any_status(wanted)
    if not found:
        raise NotFound(
            f"there is no fact at position {position}",
            hint="engine.facts() and engine.history() give positions.",
        )
    connection = reader.connection
    ancestors = _closure([position], lambda each: parents_of(connection, reader.log, lineage, each))
    decided = children_of(connection, reader.log, lineage, position)
    revisions = _revisions(reader, [position])[position]
    return Explanation(
        found[0],
        _causes(shown, log, ancestors - {position}),
        _causes(shown, log, decided),
        tuple(revisions),
        reader.known_to.head,
        reader.known_to.provisional,
    )


def _closure(start: Sequence[int], step: Any) -> set[int]:
    seen: set[int] = set()
    waiting = list(start)
    while waiting:
        position = waiting.pop()
        if position not in seen:
            seen.add(position)
            waiting.extend(step(position))
    return seen


def _causes(shown: ExplainedEvents, log: EventLog, positions: Iterable[int]) -> tuple[Cause, ...]:
    """Read events; of what may not be read, or rests on that, only that it happened."""
    reader = shown.beliefs
    causes = []
    for position in sorted(positions):
        recorded = next(log.read(position, position + 1, connection=reader.connection), None)
        if recorded is not None and (reader.known is None or recorded.header.known <= reader.known):
            causes.append(_cause(recorded, shown))
    return tuple(causes)


def _cause(recorded: RecordedEvent, shown: ExplainedEvents) -> Cause:
    header, content = recorded.header, shown.content(recorded)
    return Cause(
        header.position,
        header.type,
        header.known,
        f"{header.actor.kind}:{header.actor.id}",
        recorded.leaf.hex(),
        content,
        () if content is None else shown.withheld_today(recorded),
    )


def _revisions(reader: BeliefReader, positions: Sequence[int]) -> dict[int, list[Revision]]:
    found: dict[int, list[Revision]] = {position: [] for position in positions}
    for part in in_parts(positions):
        _add_revisions(reader, part, found)
    return found


def _add_revisions(
    reader: BeliefReader, positions: Sequence[int], found: dict[int, list[Revision]]
) -> None:
    r = reader.tables.revisions.c
    statement = (
        select(reader.tables.revisions)
        .where(r.log == reader.log, r.fact.in_(positions))
        .order_by(r.fact, r.revision)
    )
    if reader.known is not None:
        statement = statement.where(r.known_from <= reader.known)
    for row in reader.connection.execute(statement):
        known_to = row.known_to
        if reader.known is not None and known_to is not None and known_to > reader.known:
            known_to = None  # it was not yet known that the belief would change
        found[row.fact].append(
            Revision(
                row.revision,
                row.state,
                row.valid_from,
                row.valid_to,
                row.superseded_by,
                row.folded_into,
                row.known_from,
                known_to,
                row.cause,
            )
        )
