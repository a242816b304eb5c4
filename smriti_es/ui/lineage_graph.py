"""The lineage of a fact as a picture: what it rests on at its left, what was decided then."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from smriti_es.fact_history import Explanation

BOX_WIDTH: Final = 190
BOX_HEIGHT: Final = 46
_COLUMN: Final = 250
_ROW: Final = 64
_MARGIN: Final = 8
# More than so many events are told in the table alone: nobody reads such a picture.
NODES_MAX: Final = 60


@dataclass(frozen=True, slots=True)
class Node:
    """An event in the picture, by its upper left corner.

    Attributes:
        position: Its place in the log.
        type: Its type.
        known: When it was recorded, microseconds since the epoch.
        withheld: Whether its content may not be read, or is gone.
        x: From the left.
        y: From the top.
    """

    position: int
    type: str
    known: int
    withheld: bool
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from an event to one that was derived from it.

    Attributes:
        x1: Where it begins, from the left.
        y1: From the top.
        x2: Where it ends, from the left.
        y2: From the top.
    """

    x1: int
    y1: int
    x2: int
    y2: int


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """The picture.

    Attributes:
        nodes: The events, in the order of the log.
        edges: What was derived from what.
        width: Of the picture.
        height: Of the picture.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    width: int
    height: int


def lineage_graph(
    explained: Explanation, kind: str, known: int, refs: Mapping[int, Sequence[int]]
) -> LineageGraph | None:
    """Lay out what a fact rests on and what was decided about it.

    Args:
        explained: Why the fact is believed.
        kind: Type of the fact's own event.
        known: When that was recorded.
        refs: Of each event, the positions of those that it was derived from.

    Returns:
        The picture; None where there is too much for one.
    """
    causes = {each.position: each for each in (*explained.rests_on, *explained.decided)}
    own = explained.fact.position
    shown = sorted({own, *causes})
    if len(shown) > NODES_MAX:
        return None
    parents = {each: [ref for ref in refs.get(each, ()) if ref in shown] for each in shown}
    columns = _columns(shown, parents)
    taken: Counter[int] = Counter()
    nodes = {}
    for position in shown:
        column = columns[position]
        cause = causes.get(position)
        nodes[position] = Node(
            position,
            kind if cause is None else cause.type,
            known if cause is None else cause.known,
            cause is not None and cause.content is None,
            _MARGIN + column * _COLUMN,
            _MARGIN + taken[column] * _ROW,
        )
        taken[column] += 1
    edges = [_edge(nodes[ref], nodes[each]) for each in shown for ref in parents[each]]
    width = 2 * _MARGIN + max(columns.values()) * _COLUMN + BOX_WIDTH
    height = 2 * _MARGIN + (max(taken.values()) - 1) * _ROW + BOX_HEIGHT
    return LineageGraph(tuple(nodes.values()), tuple(edges), width, height)


def _columns(shown: Sequence[int], parents: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Put each event into the column after the last of those that it was derived from."""
    columns: dict[int, int] = {}
    for position in shown:  # in the order of the log, in which a parent comes first
        columns[position] = 1 + max((columns[each] for each in parents[position]), default=-1)
    return columns


def _edge(start: Node, end: Node) -> Edge:
    middle = BOX_HEIGHT // 2
    return Edge(start.x + BOX_WIDTH, start.y + middle, end.x, end.y + middle)
