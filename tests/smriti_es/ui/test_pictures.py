"""Where bars and boxes lie."""

from dataclasses import dataclass, replace

from smriti_es.beliefs import Fact, FactStatus
from smriti_es.fact_history import Cause, Explanation
from smriti_es.ui.bars import WIDTH, timeline
from smriti_es.ui.lineage_graph import COLUMN_MAX, lineage_graph

DAY = 86_400_000_000
FACT = Fact(
    position=9,
    fact="f",
    space="main",
    subject="user",
    predicate="lives_in",
    object="Oslo",
    scope="",
    statement="The user lives in Oslo.",
    status=FactStatus.CURRENT,
    state="admitted",
    valid_from=0,
    valid_to=None,
    precision="day",
    said_at=0,
    known_from=0,
    superseded_by=None,
    folded_into=None,
    restated_by=(),
    origin="owner",
    kind="profile",
    source="test",
    evidence=(),
    because=(),
)


def cause(position: int, kind: str = "TurnRecorded", *, content: object = "said") -> Cause:
    return Cause(position, kind, position * DAY, "user:local", "ab" * 32, content)


def test_the_known_times_fill_the_axis_but_for_what_lies_beyond() -> None:
    line = timeline([replace(FACT, valid_to=94 * DAY), FACT], at=94 * DAY)
    ended, still_open = line.bars
    assert (line.first, line.last, line.mark) == (0, 100 * DAY, 940)
    assert (ended.x, ended.width, ended.open) == (0, 940, False)
    assert (still_open.x, still_open.width, still_open.open) == (0, WIDTH, True)
    assert line.days == (0, 100)


def test_a_bar_is_never_too_short_to_be_seen_nor_beyond_the_axis() -> None:
    moment = replace(FACT, valid_from=50 * DAY, valid_to=50 * DAY + 1)
    last = replace(FACT, valid_from=10_000 * DAY, valid_to=10_000 * DAY)
    for bar in timeline([FACT, moment, last], at=0).bars:
        assert bar.width >= 6
        assert 0 <= bar.x <= bar.x + bar.width <= WIDTH


def test_of_a_lapsed_fact_only_the_beginning_is_drawn() -> None:
    [bar, _] = timeline([replace(FACT, state="lapsed"), FACT], at=100 * DAY).bars
    assert (bar.x, bar.width, bar.open) == (0, 6, False)


def test_no_fact_is_an_axis_of_a_day_or_more() -> None:
    line = timeline([], at=5 * DAY)
    assert line.first == 5 * DAY
    assert line.last > 6 * DAY
    assert line.bars == ()


def test_what_a_fact_rests_on_lies_left_of_it_and_what_was_decided_right() -> None:
    rests_on = (cause(1), cause(2, content=None), cause(8, "ExtractionCompleted"))
    explained = Explanation(FACT, rests_on, (cause(12, "FactSuperseded"),), (), 20, False)
    refs = {1: (), 2: (), 8: (1, 2), 9: (2, 8), 12: (9, 11)}
    graph = lineage_graph(explained, "FactAsserted", refs)
    places = {each.position: (each.x, each.y) for each in graph.nodes}
    columns = {position: x for position, (x, _) in places.items()}
    assert columns[1] == columns[2] < columns[8] < columns[9] < columns[12]
    assert len(set(places.values())) == 5
    assert [each.position for each in graph.nodes if each.withheld] == [2]
    assert [each.position for each in graph.nodes if each.near] == [2, 8]
    assert len(graph.edges) == 5  # the one to 11, which is not told, is left out
    assert all(edge.x1 < edge.x2 for edge in graph.edges)
    assert max(each.x for each in graph.nodes) + 190 < graph.width
    assert max(each.y for each in graph.nodes) + 46 < graph.height


def test_what_the_fact_follows_from_is_drawn_before_what_was_only_read_with_it() -> None:
    read = tuple(map(cause, range(1, 100)))
    fact = replace(FACT, position=101)
    explained = Explanation(fact, (*read, cause(100, "ExtractionCompleted")), (), (), 101, False)
    refs = {**dict.fromkeys(range(1, 100), ()), 100: tuple(range(1, 100)), 101: (77, 100)}
    graph = lineage_graph(explained, "FactAsserted", refs)
    places = {each.position: (each.x, each.y) for each in graph.nodes}
    assert set(places) == {1, 2, 3, 4, 5, 6, 7, 77, 100, 101}
    assert min(y for x, y in places.values() if x == places[77][0]) == places[77][1]
    assert graph.left_out == 91
    assert len(graph.edges) == COLUMN_MAX + 2


def test_a_box_says_a_few_words_of_what_it_stands_for() -> None:
    @dataclass
    class Said:
        text: str

    turn = cause(1, content=Said("I  live\nin Oslo, and have done so for years."))
    explained = Explanation(FACT, (turn, cause(2, content=None)), (), (), 9, False)
    graph = lineage_graph(explained, "FactAsserted", {1: (), 2: (), 9: (1, 2)})
    labels = [each.label for each in graph.nodes]
    assert labels == ["I live in Oslo, and have d…", "", "The user lives in Oslo."]
