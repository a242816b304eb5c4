"""The chain of a key as a pure function of its statements."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.chain import (
    Link,
    Replacement,
    StatedEnd,
    Statement,
    multiple_chains,
    single_chain,
)


def told(text: str) -> list[Statement]:
    """Read statements such as `A@3`, `A@3/7` (said at 7), `A@3-9` (until 9); positions count on."""
    statements = []
    for position, word in enumerate(text.split()):
        value, _, rest = word.partition("@")
        rest, _, until = rest.partition("-")
        begins, _, said_at = rest.partition("/")
        statements.append(
            Statement(
                position,
                f"fact {position}",
                value,
                int(begins),
                int(said_at or position),
                int(until) if until else None,
            )
        )
    return statements


def shown(links: dict[int, Link], statements: Sequence[Statement]) -> str:
    """Write a chain as `A[1,5)>1 B[5,) A=0`: interval, what follows, or what it repeats."""
    words = []
    for one in statements:
        link = links[one.position]
        if link.folded_into is not None:
            words.append(f"{one.value}={link.folded_into}")
            continue
        ends = "" if link.valid_to is None else link.valid_to
        follows = "" if link.superseded_by is None else f">{link.superseded_by}"
        words.append(f"{one.value}[{one.valid_from},{ends}){follows}")
    return " ".join(words)


@pytest.mark.parametrize(
    ("statements", "chain"),
    [
        ("", ""),
        ("A@1", "A[1,)"),
        ("A@1 B@5", "A[1,5)>1 B[5,)"),
        ("B@5 A@1", "B[5,) A[1,5)>0"),
        ("A@1 C@9 B@5", "A[1,5)>2 C[9,) B[5,9)>1"),
        ("A@1 B@5 A@8", "A[1,5)>1 B[5,8)>2 A[8,)"),
        ("A@1 A@5", "A[1,) A=0"),
        ("A@5 A@1", "A=1 A[1,)"),
        ("A@1 A@5 B@7", "A[1,7)>2 A=0 B[7,)"),
        ("A@1 A@7 B@5", "A[1,5)>2 A[7,) B[5,7)>1"),
        # of two that begin at the same moment the one said later stands
        ("A@4/1 B@4/2", "A[4,4)>1 B[4,)"),
        ("A@4/2 B@4/1", "A[4,) B[4,4)>0"),
        ("A@4/1 B@4/2 A@4/3", "A[4,4)>1 B[4,4)>2 A[4,)"),
        ("Z@1 A@4/1 B@4/2", "Z[1,4)>1 A[4,4)>2 B[4,)"),
        # said at the same moment, too: the greater value, whoever came first
        ("A@4/1 B@4/1", "A[4,4)>1 B[4,)"),
        ("B@4/1 A@4/1", "B[4,) A[4,4)>0"),
        # an end of their own
        ("A@1-3", "A[1,3)"),
        ("A@1-3 B@5", "A[1,3) B[5,)"),
        ("A@1-9 B@5", "A[1,5)>1 B[5,)"),
        ("A@1-5 B@5", "A[1,5)>1 B[5,)"),
        ("A@1-3 A@5", "A[1,3) A[5,)"),
        ("A@1-5 A@5", "A[1,5) A[5,)"),
        ("A@1-9 A@5", "A[1,9) A=0"),
        ("A@1-9 A@5-7", "A[1,7) A=0"),
    ],
)
def test_single_valued_statements_chain_by_when_they_begin(statements: str, chain: str) -> None:
    read = told(statements)
    assert shown(single_chain(read, []), read) == chain


@pytest.mark.parametrize(
    ("statements", "ends", "chain"),
    [
        ("A@1", [("A", 4, 9)], "A[1,4)"),
        ("A@1", [("B", 4, 9)], "A[1,)"),
        ("A@1", [("", 4, 9)], "A[1,4)"),
        ("A@5", [("A", 4, 9)], "A[5,)"),
        ("A@5", [("A", 5, 9)], "A[5,)"),
        ("A@1 B@5", [("A", 3, 9)], "A[1,3) B[5,)"),
        ("A@1 B@5", [("A", 7, 9)], "A[1,5)>1 B[5,)"),
        ("A@1 B@5", [("", 7, 9)], "A[1,5)>1 B[5,7)"),
        ("A@1 A@5", [("A", 3, 9)], "A[1,3) A[5,)"),
        ("A@1 A@5", [("A", 7, 9)], "A[1,7) A=0"),
        # of several ends, what was said last counts, be it earlier or later
        ("A@1", [("A", 4, 8), ("A", 6, 9)], "A[1,6)"),
        ("A@1", [("A", 4, 9), ("A", 6, 8)], "A[1,4)"),
        ("A@1/0-3", [("A", 6, 8)], "A[1,6)"),
    ],
)
def test_a_stated_end_ends_what_of_its_value_stood_then(
    statements: str, ends: list[tuple[str, int, int]], chain: str
) -> None:
    read = told(statements)
    stated = [StatedEnd(*end) for end in ends]
    assert shown(single_chain(read, stated), read) == chain


@pytest.mark.parametrize(
    ("statements", "replacements", "chain"),
    [
        ("A@1 B@5", [], "A[1,) B[5,)"),
        ("A@1 B@5 A@7", [], "A[1,) B[5,) A=0"),
        ("A@1 B@5", [(1, 0)], "A[1,5)>1 B[5,)"),
        # the one that begins later follows, whichever was said to replace the other
        ("A@1 B@5", [(0, 1)], "A[1,5)>1 B[5,)"),
        ("A@4/1 B@4/2", [(0, 1)], "A[4,4)>1 B[4,)"),
        # said again, a value that was replaced stands anew
        ("A@1 B@5 A@9", [(1, 0)], "A[1,5)>1 B[5,) A[9,)"),
        ("A@1 B@5 A@9", [(1, 0), (2, 1)], "A[1,5)>1 B[5,9)>2 A[9,)"),
        ("A@1 A@3 B@5", [(2, 0)], "A[1,5)>2 A=0 B[5,)"),
        ("A@1 A@3 B@5", [(2, 1)], "A[1,5)>2 A=0 B[5,)"),
        # replaced twice: by the earlier one
        ("A@1 B@5 C@3", [(1, 0), (2, 0)], "A[1,3)>2 B[5,) C[3,)"),
        ("A@1 B@5/2 C@5/3", [(2, 0), (1, 0)], "A[1,5)>1 B[5,) C[5,)"),
        # one of the two is not admitted
        ("A@1", [(7, 0)], "A[1,)"),
        # nothing replaces what only repeats it
        ("A@1 A@5", [(1, 0)], "A[1,) A=0"),
        # it was over before
        ("A@1-3 B@5", [(1, 0)], "A[1,3) B[5,)"),
        ("A@1-5 B@5", [(1, 0)], "A[1,5)>1 B[5,)"),
        ("A@1-9 B@5", [(1, 0)], "A[1,5)>1 B[5,)"),
    ],
)
def test_many_values_stand_side_by_side_until_one_is_said_to_replace_another(
    statements: str, replacements: list[tuple[int, int]], chain: str
) -> None:
    read = told(statements)
    decided = [Replacement(*pair) for pair in replacements]
    assert shown(multiple_chains(read, [], decided), read) == chain


def test_a_value_that_goes_unfolds_what_it_stood_between() -> None:
    a, b, again = told("A@1 B@5 A@8")
    assert shown(single_chain([a, b, again], []), [a, b, again]) == "A[1,5)>1 B[5,8)>2 A[8,)"
    assert shown(single_chain([a, again], []), [a, again]) == "A[1,) A=0"
    assert shown(single_chain([b, again], []), [b, again]) == "B[5,8)>2 A[8,)"


statements = st.builds(
    Statement,
    position=st.just(0),
    fact=st.just(""),
    value=st.sampled_from("ABC"),
    valid_from=st.integers(0, 12),
    said_at=st.integers(0, 4),
    stated_to=st.none(),
)


@st.composite
def keys(draw: st.DrawFn) -> list[Statement]:
    """Statements of one key with positions and ids, some of which say their end."""
    drawn = draw(st.lists(statements, max_size=9))
    lasts = draw(st.lists(st.sampled_from((None, None, 1, 3, 8)), min_size=9, max_size=9))
    return [
        replace(
            one,
            position=number,
            fact=f"{draw(st.integers(0, 2))}{number}",
            stated_to=None if last is None else one.valid_from + last,
        )
        for number, (one, last) in enumerate(zip(drawn, lasts, strict=False))
    ]


ends = st.lists(
    st.builds(StatedEnd, st.sampled_from(("A", "B", "")), st.integers(0, 14), st.integers(0, 6)),
    max_size=3,
)
replacements = st.lists(st.builds(Replacement, st.integers(0, 9), st.integers(0, 9)), max_size=5)


@given(keys(), ends, replacements, st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_same_chain(
    key: list[Statement],
    stated: list[StatedEnd],
    decided: list[Replacement],
    random: Random,
) -> None:
    def shuffled(items: list[Any]) -> list[Any]:
        return random.sample(items, len(items))

    assert single_chain(shuffled(key), shuffled(stated)) == single_chain(key, stated)
    expected = multiple_chains(key, stated, decided)
    assert multiple_chains(shuffled(key), shuffled(stated), shuffled(decided)) == expected


@given(keys(), ends)
def test_intervals_of_a_chain_are_sorted_disjoint_and_half_open(
    key: list[Statement], stated: list[StatedEnd]
) -> None:
    links = single_chain(key, stated)
    standing = sorted((s for s in key if links[s.position].folded_into is None), key=_order)
    assert set(links) == {one.position for one in key}
    before = None
    for one in standing:
        ends_at = links[one.position].valid_to
        assert ends_at is None or one.valid_from <= ends_at
        assert before is None or before <= one.valid_from
        before = ends_at if ends_at is not None else 10**9
    by_position = {one.position: one for one in key}
    for one in standing:
        follower = links[one.position].superseded_by
        if follower is not None:
            assert by_position[follower].valid_from == links[one.position].valid_to
            assert by_position[follower].value != one.value
            assert links[follower].folded_into is None


@given(keys())
def test_without_ends_a_chain_covers_exactly_what_the_last_statement_says(
    key: list[Statement],
) -> None:
    plain = [replace(one, stated_to=None) for one in key]
    links = single_chain(plain, [])
    for moment in range(-1, 14):
        spoken = [one for one in plain if one.valid_from <= moment]
        expected = {max(spoken, key=_order).value} if spoken else set()
        assert _standing_at(moment, plain, links) == expected


@given(keys(), ends)
def test_an_end_only_takes_away(key: list[Statement], stated: list[StatedEnd]) -> None:
    plain = [replace(one, stated_to=None) for one in key]
    bare, ended = single_chain(plain, []), single_chain(key, stated)
    for moment in range(-1, 15):
        assert _standing_at(moment, key, ended) <= _standing_at(moment, plain, bare)


@given(keys(), ends)
def test_a_restatement_repeats_the_value_that_it_is_folded_into(
    key: list[Statement], stated: list[StatedEnd]
) -> None:
    by_position = {one.position: one for one in key}
    for links in (single_chain(key, stated), multiple_chains(key, stated, [])):
        for position, link in links.items():
            if link.folded_into is not None:
                standing = by_position[link.folded_into]
                assert standing.value == by_position[position].value
                assert standing.order < by_position[position].order
                assert links[link.folded_into].folded_into is None
                assert (link.valid_to, link.superseded_by) == (None, None)


@given(keys(), replacements)
def test_a_replaced_value_never_stands_on_after_what_replaces_it_begins(
    key: list[Statement], decided: list[Replacement]
) -> None:
    plain = [replace(one, stated_to=None) for one in key]
    links = multiple_chains(plain, [], decided)
    by_position = {one.position: one for one in plain}
    for pair in decided:
        if not {pair.by, pair.of} <= set(by_position):
            continue
        old, new = sorted((by_position[pair.by], by_position[pair.of]), key=_order)
        if old.value == new.value:
            continue
        run = links[old.position].folded_into
        ends_at = links[old.position if run is None else run].valid_to
        assert ends_at is not None
        assert ends_at <= new.valid_from


def _order(statement: Statement) -> tuple[int, int, str, str, int]:
    return statement.order


def _standing_at(moment: int, statements: Sequence[Statement], links: dict[int, Link]) -> set[str]:
    standing = set()
    for one in statements:
        link = links[one.position]
        over = link.valid_to is not None and link.valid_to <= moment
        if link.folded_into is None and one.valid_from <= moment and not over:
            standing.add(one.value)
    return standing
