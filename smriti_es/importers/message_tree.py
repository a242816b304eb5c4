"""Conversations whose messages form a tree: the branch that was read last, and the others."""

from collections.abc import Mapping
from typing import Any

from smriti_es.importers.records import Unreadable


def path_to(leaf: str, parents: Mapping[str, str | None]) -> list[str]:
    """Walk from a leaf up to its root.

    Args:
        leaf: Where to begin.
        parents: Node -> its parent; one that is not a node ends the way.

    Returns:
        The nodes from the root to the leaf.

    Raises:
        Unreadable: A node is its own ancestor.
    """
    way: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at in parents:
        if at in way:
            raise Unreadable(f"node {at!r} is its own ancestor")
        way[at] = None
        at = parents[at]
    return list(reversed(way))


def newest_leaf(parents: Mapping[str, str | None], times: Mapping[str, Any]) -> str | None:
    """Find the leaf that was said last; of those of one time, the last one named."""
    inner = set(parents.values())
    leaves = [node for node in parents if node not in inner]

    def said(node: str) -> float:
        time = times.get(node)
        return time if isinstance(time, (int, float)) else float("-inf")

    return max(reversed(leaves), key=said, default=None)
