"""The head row of a log: how far it has come, locked while something is appended."""

from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from smriti_es.events.database import fetch_rows, run_for_each
from smriti_es.events.merkle_tree import CompactRange
from smriti_es.events.records import Transaction
from smriti_es.events.stored_tree import tree_of_head
from smriti_es.events.tables import log_table

# Built once: for a single row, building a statement costs more than running it.
_SIZE: Final = select(log_table.c.size).where(log_table.c.log == bindparam("this_log"))
_LOCK: Final = (
    select(log_table.c.size, log_table.c.head, log_table.c.known, log_table.c.peaks)
    .where(log_table.c.log == bindparam("this_log"))
    .with_for_update()
)
_MOVE: Final = (
    update(log_table)
    .where(log_table.c.log == bindparam("this_log"), log_table.c.size == bindparam("old_size"))
    .values(
        size=bindparam("new_size"),
        head=bindparam("new_head"),
        known=bindparam("new_known"),
        peaks=bindparam("new_peaks"),
    )
)


def size_of(connection: Connection, log: int) -> int | None:
    """Count the events of a log, in the snapshot of `connection`; None when its row is gone."""
    size = connection.execute(_SIZE, {"this_log": log}).scalar_one_or_none()
    return None if size is None else int(size)


def leaf_of(connection: Connection, log: int) -> bytes:
    """Give the leaf hash of the last event, as the head row of a log has it."""
    found: bytes = connection.execute(
        select(log_table.c.head).where(log_table.c.log == log)
    ).scalar_one()
    return found


def tree_of(connection: Connection, log: int) -> CompactRange:
    """Give the tree that the head row of a log has.

    Raises:
        IntegrityError: It is damaged, or the row is gone.
    """
    row = connection.execute(
        select(log_table.c.size, log_table.c.peaks).where(log_table.c.log == log)
    ).one_or_none()
    return tree_of_head(-1, None) if row is None else tree_of_head(row.size, row.peaks)


def lock(connection: Connection, log: int, *, together: bool) -> Transaction | None:
    """Lock the head row of a log.

    Args:
        connection: The write transaction.
        log: The log's number.
        together: See `Transaction`.

    Returns:
        Where the log stands, with the knowledge time of its last commit; None when the row is gone.

    Raises:
        IntegrityError: The tree in it is damaged.
    """
    rows = fetch_rows(connection, _LOCK, {"this_log": log})
    if not rows:
        return None
    ((size, leaf, known, peaks),) = rows
    tree = tree_of_head(size, peaks)
    return Transaction(connection, log, size, known, leaf, tree, size, together=together)


def move(after: Transaction) -> None:
    """Move the head row of a log to where its appends have come."""
    step = {
        "this_log": after.log,
        "old_size": after.start,
        "new_size": after.size,
        "new_head": after.leaf,
        "new_known": after.known,
        "new_peaks": after.tree.to_bytes(),
    }
    assert run_for_each(after.connection, _MOVE, [step]) == 1, "the head moved under its lock"
