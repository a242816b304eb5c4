"""The lineage of a fact as a picture: what it rests on at its left, what was decided then."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from smriti_es.fact_history import Cause, Explanation

BOX_WIDTH: Final = 190
BOX_HEIGHT: Final = 46
_COLUMN: Final = 250
_ROW: Final = 64
_MARGIN: Final = 8
# So many events stand in a column at most; the table tells the others. An extraction may have read
# a hundred turns, of which one supports the fact.
COLUMN_MAX: Final = 8
_LABEL_MAX: Final = 27
# The members of events that say something in words, the best of them first.
_SAYING: Final = ("text", "statement", "reason", "extractor", "source")


@dataclass(frozen=True, slots=True)
class Node:
    """An event in the picture, by its upper left corner.

    Attributes:
        position: Its place in the log.
        type: Its type.
        label: What it says, in a few words; "" where that may not be read, or is no text.
        near: Whether the fact itself was derived from it.
        withheld: Whether its content may not be read, or is gone.
        x: From the left.
        y: From the top.
    """

    position: int
    type: str
    label: str
    near: bool
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
        left_out: How many events are in the table alone.
        width: Of the picture.
        height: Of the picture.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: int
    width: int
    height: int


def lineage_graph(
    explained: Explanation, kind: str, refs: Mapping[int, Sequence[int]]
) -> LineageGraph:
    """Lay out what a fact rests on and what was decided about it.

    Args:
        explained: Why the fact is believed.
        kind: Type of the fact's own event.
        refs: Of each event, the positions of those that it was derived from.
    """
    causes = {each.position: each for each in (*explained.rests_on, *explained.decided)}
    own = explained.fact.position
    every = sorted({own, *causes})
    columns = _columns(every, {each: _among(refs.get(each, ()), causes, own) for each in every})
    near = {own, *refs.get(own, ()), *(each for each in causes if own in refs.get(each, ()))}
    places = _places(every, columns, near)
    nodes = {}
    for position in sorted(places):
        cause = causes.get(position)
        nodes[position] = Node(
            position,
            kind if cause is None else cause.type,
            _shortened(explained.fact.statement if cause is None else _words(cause)),
            position in refs.get(own, ()),
            cause is not None and cause.content is None,
            *places[position],
        )
    edges = [
        _edge(nodes[ref], node)
        for node in nodes.values()
        for ref in refs[node.position]
        if ref in nodes
    ]
    return LineageGraph(
        tuple(nodes.values()),
        tuple(edges),
        len(every) - len(nodes),
        max(x for x, _ in places.values()) + BOX_WIDTH + _MARGIN,
        max(y for _, y in places.values()) + BOX_HEIGHT + _MARGIN,
    )


def _among(refs: Sequence[int], causes: Mapping[int, Cause], own: int) -> list[int]:
    return [each for each in refs if each == own or each in causes]


def _places(
    every: Sequence[int], columns: Mapping[int, int], near: set[int]
) -> dict[int, tuple[int, int]]:
    """Give each event that is drawn its corner; those beside the fact in lineage come first."""
    taken: Counter[int] = Counter()
    places = {}
    for position in sorted(every, key=lambda each: (each not in near, each)):
        column = columns[position]
        if taken[column] < COLUMN_MAX:
            places[position] = (_MARGIN + column * _COLUMN, _MARGIN + taken[column] * _ROW)
            taken[column] += 1
    return places


def _words(cause: Cause) -> str:
    """Give what an event says, if it says it in words."""
    said = (getattr(cause.content, name, "") for name in _SAYING)
    return next((each for each in said if isinstance(each, str) and each), "")


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LABEL_MAX else f"{line[: _LABEL_MAX - 1].rstrip()}…"


def _columns(shown: Sequence[int], parents: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Put each event into the column after the last of those that it was derived from."""
    columns: dict[int, int] = {}
    for position in shown:  # in the order of the log, in which a parent comes first
        columns[position] = 1 + max((columns[each] for each in parents[position]), default=-1)
    return columns


def _edge(start: Node, end: Node) -> Edge:
    middle = BOX_HEIGHT // 2
    return Edge(start.x + BOX_WIDTH, start.y + middle, end.x, end.y + middle)
