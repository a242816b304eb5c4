"""A set of positions as runs is a set of positions."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.position_runs import PositionRuns

POSITIONS = st.sets(st.integers(0, 30))
RANGES = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda two: (min(two), max(two)))


def positions(runs: PositionRuns) -> set[int]:
    return {each for first, last in runs.runs for each in range(first, last + 1)}


def assert_fewest(runs: PositionRuns) -> None:
    assert all(first <= last for first, last in runs.runs)
    assert all(one[1] + 1 < other[0] for one, other in pairwise(runs.runs))


@given(POSITIONS)
def test_it_holds_what_was_put_in(wanted: set[int]) -> None:
    runs = PositionRuns.of(wanted)
    assert_fewest(runs)
    assert positions(runs) == wanted
    assert len(runs) == len(wanted)
    assert {each for each in range(32) if each in runs} == wanted


@given(POSITIONS, RANGES)
def test_a_range_is_added(wanted: set[int], more: tuple[int, int]) -> None:
    runs = PositionRuns.of(wanted)
    runs.add(*more)
    assert_fewest(runs)
    assert positions(runs) == wanted | set(range(more[0], more[1] + 1))


@given(POSITIONS, RANGES)
def test_a_range_is_taken_out_and_counted(wanted: set[int], less: tuple[int, int]) -> None:
    runs, gone = PositionRuns.of(wanted), set(range(less[0], less[1] + 1))
    assert runs.remove(*less) == len(wanted & gone)
    assert_fewest(runs)
    assert positions(runs) == wanted - gone


@given(POSITIONS, RANGES)
def test_those_in_a_range_are_counted(wanted: set[int], asked: tuple[int, int]) -> None:
    within = [each for each in wanted if asked[0] <= each <= asked[1]]
    assert PositionRuns.of(wanted).count_in(*asked) == len(within)


@given(POSITIONS, RANGES)
def test_the_lowest_in_a_range_is_found(wanted: set[int], asked: tuple[int, int]) -> None:
    within = [each for each in sorted(wanted) if asked[0] <= each <= asked[1]]
    assert PositionRuns.of(wanted).first_in(*asked) == (within[0] if within else None)
