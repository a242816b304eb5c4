"""The tree of a log, made anew from its events, beside the tree that the database keeps."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from smriti_es.events.merkle_tree import CompactRange
from smriti_es.events.stored_rows import raw
from smriti_es.events.stored_tree import is_kept
from smriti_es.events.tables import tree_node_table


@dataclass(slots=True)
class TreeMadeAnew:
    """Takes the leaf hashes of a log in order.

    Attributes:
        watched: Sizes at which the root is noted, ascending.
        tree: The tree so far.
        is_known: Whether no event was missing so far; after one, nothing is known of the tree.
        roots: Root by size, at the sizes watched.
        nodes: Level and number -> hash of what the database should keep.
    """

    watched: Sequence[int] = ()
    tree: CompactRange = field(default_factory=CompactRange)
    is_known: bool = True
    roots: dict[int, bytes] = field(default_factory=dict)
    nodes: dict[tuple[int, int], bytes] = field(default_factory=dict)
    _due: int = 0

    def extend(self, leaves: Sequence[bytes]) -> None:
        """Take some more leaves."""
        if not self.is_known:
            return
        start, before = 0, self.tree.size
        while self._due < len(self.watched) and self.watched[self._due] <= before + len(leaves):
            stop = max(start, self.watched[self._due] - before)
            self._grow(leaves[start:stop])
            self.roots[self.tree.size] = self.tree.root()
            start, self._due = stop, self._due + 1
        self._grow(leaves[start:])

    def _grow(self, leaves: Iterable[bytes]) -> None:
        self.tree = self.tree.extend(leaves, self._note)

    def _note(self, level: int, index: int, root: bytes) -> None:
        if is_kept(level):
            self.nodes[level, index] = root

    def wrong_nodes(self, connection: Connection, log: int) -> Iterator[tuple[int | None, str]]:
        """Compare the nodes that the database keeps.

        Yields:
            The first event under each node that is not as it should be, and what is wrong.
        """
        node = tree_node_table.c
        columns = map(raw, (node.level, node.number, node.hash))
        missing = dict(self.nodes)
        for row in connection.execute(select(*columns).where(node.log == log)):
            expected = missing.pop((row.level, row.number), None)
            if expected is None:
                yield None, f"({row.level!r}, {row.number!r}) stands over no events"
            elif _bytes_of(row.hash) != expected:
                yield _first_under(row.level, row.number), "is not what the events give"
        for level, number in sorted(missing):
            yield _first_under(level, number), "is missing"


def _first_under(level: int, number: int) -> int:
    return number << level


def _bytes_of(value: Any) -> bytes | None:
    return bytes(value) if isinstance(value, bytes | memoryview) else None
