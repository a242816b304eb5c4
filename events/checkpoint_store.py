"""The checkpoints that are kept in the database, and the tree that the next one attests."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from smriti_es.events import head_row
from smriti_es.events.chain import leaf_hash
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.errors import IntegrityError, LogRolledBack
from smriti_es.events.merkle_tree import CompactRange
from smriti_es.events.stored_tree import StoredTree
from smriti_es.events.tables import checkpoint_table, event_table

Progress = Callable[[str, int, int], None]
_BATCH: Final = 5_000
_kept = checkpoint_table.c


def kept_checkpoints(connection: Connection, log: int) -> list[Checkpoint]:
    """Give all checkpoints of a log that are kept, in the order in which they were signed.

    Raises:
        InvalidInput: One of them has been changed and is none any more.
    """
    statement = select(_kept.note).where(_kept.log == log).order_by(_kept.made, _kept.size)
    return [Checkpoint.parse(note) for note in connection.execute(statement).scalars()]


def newest_checkpoint(connection: Connection, log: int, origin: str) -> Checkpoint | None:
    """Give the checkpoint of the most events that is kept under one identity, if there is one."""
    statement = select(_kept.note).where(_kept.log == log, _kept.origin == origin)
    note = connection.execute(statement.order_by(_kept.size.desc()).limit(1)).scalar()
    return None if note is None else Checkpoint.parse(note)


def keep_checkpoint(connection: Connection, log: int, made: Checkpoint, at: int) -> Checkpoint:
    """Keep a checkpoint; one of the same size is kept as it is, with the signatures of both.

    Args:
        connection: A write transaction.
        log: The log's number.
        made: The checkpoint.
        at: When it was signed, microseconds since the epoch.

    Returns:
        The checkpoint as it is kept now.
    """
    this = (_kept.log == log) & (_kept.origin == made.origin) & (_kept.size == made.size)
    before = connection.execute(select(_kept.note).where(this)).scalar()
    if before is None:
        row = {"log": log, "origin": made.origin, "size": made.size, "note": str(made), "made": at}
        connection.execute(insert(checkpoint_table).values(row))
        return made
    merged = Checkpoint.parse(before).with_signatures(made.note.signatures)
    connection.execute(update(checkpoint_table).where(this).values(note=str(merged)))
    return merged


def assert_continues(connection: Connection, log: int, last: Checkpoint) -> CompactRange:
    """Give the tree that a checkpoint attested, if the log still begins with it.

    Raises:
        LogRolledBack: It does not: it is shorter, or something before was changed.
    """
    size = head_row.size_of(connection, log) or 0
    if size < last.size:
        raise LogRolledBack(
            f"the log has {size} events, and a checkpoint of it attests {last.size}",
            size=size,
            attested=last.size,
        )
    tree = StoredTree(connection, log).at(last.size)
    if tree.root() != last.root:
        raise LogRolledBack(
            f"the first {last.size} events of the log are not those that a checkpoint attests",
            size=size,
            attested=last.size,
        )
    return tree


def tree_to_attest(
    connection: Connection, log: int, known: Sequence[Checkpoint], progress: Progress
) -> CompactRange:
    """Give the tree of a log once everything since the newest checkpoint was hashed again.

    So each event is read once more, and nothing is attested that is not there.

    Args:
        connection: A snapshot.
        log: The log's number.
        known: The checkpoints of this identity that the log must go on from.
        progress: Called with "checkpoint", events done and in all.

    Raises:
        LogRolledBack: It does not go on from one of them.
        IntegrityError: The head row does not say what the events give.
    """
    tree = CompactRange()
    for each in sorted(known, key=lambda checkpoint: checkpoint.size):
        tree = assert_continues(connection, log, each)
    head = head_row.tree_of(connection, log)
    while tree.size < head.size:
        leaves = _leaves_made_anew(connection, log, tree.size)
        if not leaves:
            break
        tree = tree.extend(leaves)
        progress("checkpoint", tree.size, head.size)
    if tree != head:
        raise IntegrityError("the head row of the log does not say what its events give")
    return tree


def _leaves_made_anew(connection: Connection, log: int, start: int) -> list[bytes]:
    event = event_table.c
    statement = (
        select(event.position, event.header)
        .where(event.log == log, event.position >= start)
        .order_by(event.position)
        .limit(_BATCH)
    )
    rows: Sequence[Any] = connection.execute(statement).all()
    return [leaf_hash(row.header) for at, row in enumerate(rows, start) if row.position == at]
