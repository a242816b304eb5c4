"""The Merkle tree of a log as the database keeps it.

The head row holds the compact range, so that an append hashes only what is new. Of the nodes below
the border, every eighth level is kept, one row for 256 leaves: they come of an append's own hashing
and let a proof of a log of any length do with a few hundred hashes. The levels between are made
from them on demand.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, exc, select, update

from smriti_es.events.database import damage_of, insert_rows, rows_are_new
from smriti_es.events.errors import ChainBroken, IntegrityError
from smriti_es.events.merkle_tree import HASH_BYTES, CompactRange, perfect_subtrees
from smriti_es.events.tables import event_table, log_table, tree_node_table

# Every how manieth level is kept.
LEVELS_APART: Final = 8
_BATCH: Final = 10_000


def tree_of_head(size: object, peaks: object) -> CompactRange:
    """Read the compact range of a head row.

    Raises:
        IntegrityError: It is not that of as many events.
    """
    try:
        return CompactRange.of_bytes(
            size if isinstance(size, int) else -1, peaks if isinstance(peaks, bytes) else b""
        )
    except ValueError as error:
        raise IntegrityError(f"the tree in the head row of the log is damaged: {error}") from error


def is_kept(level: int) -> bool:
    """Tell whether the nodes of a level, above the leaves, have rows."""
    return level % LEVELS_APART == 0


def grow(
    connection: Connection, log: int, tree: CompactRange, leaves: Iterable[bytes]
) -> CompactRange:
    """Give the tree with some more leaves, and keep the nodes that became whole.

    Args:
        connection: A write transaction.
        log: The log's number.
        tree: The tree before them.
        leaves: Leaf hashes of the new events.

    Raises:
        IntegrityError: There is a node already where none can be.
    """
    nodes: list[tuple[int, int, int, bytes]] = []

    def keep(level: int, index: int, root: bytes) -> None:
        if is_kept(level):
            nodes.append((log, level, index, root))

    grown = tree.extend(leaves, keep)
    if nodes:
        with rows_are_new("a node of the tree beyond the head of the log"):
            insert_rows(connection, tree_node_table, nodes)
    return grown


def build_trees(connection: Connection) -> None:
    """Build the trees of all logs anew, as for files from before there were any."""
    for log in connection.execute(select(log_table.c.log)).scalars().all():
        build_tree(connection, log)


def build_tree(connection: Connection, log: int) -> None:
    """Build the tree of a log anew from the leaf hashes in its rows.

    Where they cannot all be read the head row is left without a tree: what is there can still be
    read, verified and rescued, but not appended to.

    Args:
        connection: A write transaction.
        log: The log's number; its head row says how many events it has.
    """
    node, head = tree_node_table, log_table
    connection.execute(delete(node).where(node.c.log == log))
    said = connection.execute(select(head.c.size).where(head.c.log == log)).scalar_one()
    size = said if isinstance(said, int) else 0
    tree = CompactRange()
    try:
        for leaves in _leaves_in_batches(connection, log, size):
            tree = grow(connection, log, tree, leaves)
    except exc.DBAPIError as error:
        damage_of(error)
    peaks = tree.to_bytes() if tree.size == size else b""
    connection.execute(update(head).where(head.c.log == log).values(peaks=peaks))


def _leaves_in_batches(connection: Connection, log: int, size: int) -> Iterator[list[bytes]]:
    """Read the leaf hashes of a log up to the first that is not there."""
    event = event_table.c
    for start in range(0, size, _BATCH):
        statement = select(event.position, event.leaf).where(
            event.log == log, event.position >= start, event.position < min(start + _BATCH, size)
        )
        leaves = []
        for position, row in enumerate(
            connection.execute(statement.order_by(event.position)), start
        ):
            if row.position != position or not _is_hash(row.leaf):
                break
            leaves.append(row.leaf)
        yield leaves
        if len(leaves) < _BATCH:
            return


def _is_hash(value: object) -> bool:
    return isinstance(value, bytes) and len(value) == HASH_BYTES


@dataclass(frozen=True, slots=True)
class StoredTree:
    """The tree of a log, read in one snapshot.

    Attributes:
        connection: The snapshot.
        log: The log's number.
    """

    connection: Connection
    log: int

    def at(self, size: int) -> CompactRange:
        """Give the tree of the first `size` events, none of which may be missing.

        Raises:
            ChainBroken: One is.
        """
        peaks = tuple(self.subtree(*each) for each in perfect_subtrees(0, size))
        return CompactRange(size, peaks)

    def subtree(self, level: int, index: int) -> bytes:
        """Give the root of the perfect subtree over events `index * 2**level` and following.

        Raises:
            ChainBroken: One of its events, or a node that is kept, is missing.
        """
        below = level % LEVELS_APART
        first, count = index << below, 1 << below
        rows = (
            self._leaves(first, count)
            if level == below
            else self._nodes(level - below, first, count)
        )
        found = [number for number, _ in rows]
        if found != list(range(first, first + count)):
            missing = next(each for each in range(first, first + count) if each not in found)
            position = missing << (level - below)
            raise ChainBroken(f"the tree is not whole at position {position}", position=position)
        return CompactRange().extend([each for _, each in rows]).root()

    def _leaves(self, first: int, count: int) -> Sequence[Any]:
        event = event_table.c
        statement = select(event.position, event.leaf).where(
            event.log == self.log, event.position.between(first, first + count - 1)
        )
        return self.connection.execute(statement.order_by(event.position)).all()

    def _nodes(self, level: int, first: int, count: int) -> Sequence[Any]:
        node = tree_node_table.c
        statement = select(node.number, node.hash).where(
            node.log == self.log,
            node.level == level,
            node.number.between(first, first + count - 1),
        )
        return self.connection.execute(statement.order_by(node.number)).all()
