from collections.abc import Callable, Sequence

import pytest

from smriti_es.events.errors import InvalidInput
from smriti_es.recall.evidence import Candidate, Packed, PackSettings
from smriti_es.recall.render import quotable

MakeTurn = Callable[..., Candidate]
PackTurns = Callable[..., Packed]
FILLER = "The weather was mild and nothing much happened in the garden that day. "


def test_evidence_is_in_the_order_of_rank(turn: MakeTurn, packed: PackTurns) -> None:
    turns = [turn("b", position=5, ordinal=4), turn("a", position=1)]
    assert [entry.position for entry in packed(turns).evidence] == [5, 1]


def test_a_turn_given_twice_is_shown_once(turn: MakeTurn, packed: PackTurns) -> None:
    result = packed([turn("hi"), turn("hi")])
    assert result.text.count("hi") == 1
    assert len(result.evidence) == 1


def test_a_budget_is_used_to_the_last_character(turn: MakeTurn, packed: PackTurns) -> None:
    turns = [turn("a" * 40), turn("b" * 40, position=2, ordinal=2)]
    full = packed(turns, budget=250, now=None)
    assert full.omitted == 0
    size = len(full.text)
    assert packed(turns, budget=size, now=None).text == full.text
    assert packed(turns, budget=size - 1, now=None).omitted == 1


def test_a_turn_that_closes_a_gap_pays_for_no_mark(turn: MakeTurn, packed: PackTurns) -> None:
    turns = [turn(f"t{n}", position=n + 1, ordinal=n) for n in (0, 2, 1)]
    full = packed(turns, budget=250, now=None)
    assert "…" not in full.text
    assert packed(turns, budget=len(full.text), now=None) == full


def test_a_smaller_turn_fills_the_room_that_a_larger_one_does_not_fit_into(
    turn: MakeTurn, packed: PackTurns
) -> None:
    large = [turn(f"{n} " + "x" * 98, position=n, ordinal=n) for n in range(1, 9)]
    small = turn("small", position=50, ordinal=9)
    result = packed([*large, small], budget=520, now=None)
    assert result.evidence[-1].position == 50
    assert all(entry.whole for entry in result.evidence)


def test_a_whole_turn_is_not_altered(turn: MakeTurn, packed: PackTurns) -> None:
    text = 'She said: "# 2023" & <b>`code`</b>\\n …  two  spaces'
    assert text in packed([turn(text)]).text


def test_dates_give_way_where_they_would_cost_the_turn(turn: MakeTurn, packed: PackTurns) -> None:
    text = "I ran yesterday."
    result = packed([turn(text)], budget=len(f"# 2023-05-08 Mon\n  user: {text}"), now=None)
    assert result.text.endswith(text)
    assert result.evidence[0].whole


def test_a_long_turn_is_shown_around_what_was_asked(turn: MakeTurn, packed: PackTurns) -> None:
    text = FILLER * 50 + "The dentist is in Harbour Street. " + FILLER * 50
    result = packed([turn(text), turn("other", position=2, session="b")], budget=3_000)
    assert "The dentist is in Harbour Street." in result.text
    assert not result.evidence[0].whole
    assert result.omitted == 0


def test_an_answer_at_the_end_of_a_long_answer_survives(turn: MakeTurn, packed: PackTurns) -> None:
    text = FILLER * 60 + "The dentist is in Harbour Street."
    assert "Harbour Street." in packed([turn(text, role="assistant")], budget=3_000).text


def test_one_long_turn_does_not_crowd_out_the_others(turn: MakeTurn, packed: PackTurns) -> None:
    long = turn(FILLER * 100 + "dentist")
    others = [turn(f"dentist {n} " + "x" * 60, position=n, session=str(n)) for n in range(2, 8)]
    assert packed([long, *others], budget=1_500).omitted == 0


def test_a_single_long_turn_may_use_the_whole_budget(turn: MakeTurn, packed: PackTurns) -> None:
    result = packed([turn(FILLER * 100 + "dentist")], budget=1_500)
    assert 1_300 <= len(result.text) <= 1_500


def test_a_long_turn_is_whole_where_the_budget_allows(turn: MakeTurn, packed: PackTurns) -> None:
    result = packed([turn(FILLER * 100)], budget=20_000)
    assert result.evidence[0].whole
    assert quotable(FILLER * 100) in result.text


def test_a_lower_hit_is_whole_or_waits_for_what_is_left(turn: MakeTurn, packed: PackTurns) -> None:
    top = [turn(f"{n} " + "x" * 90, position=n, ordinal=n) for n in range(1, 6)]
    long = turn("dentist " + FILLER * 12, position=50, session="b")
    small = turn("small", position=51, session="c")
    result = packed([*top, long, small], budget=1_000, now=None)
    assert [(entry.position, entry.whole) for entry in result.evidence[5:]] == [
        (50, False),
        (51, True),
    ]


def test_an_excerpt_too_short_to_be_worth_it_is_not_shown(
    turn: MakeTurn, packed: PackTurns
) -> None:
    first = turn("x" * 300)
    second = turn("dentist " + FILLER * 12, position=2, session="b")
    result = packed([first, second], budget=500, now=None)
    assert [entry.position for entry in result.evidence] == [1]


def test_rather_a_short_excerpt_than_nothing(turn: MakeTurn, packed: PackTurns) -> None:
    result = packed([turn(FILLER * 5 + "The dentist moved.")], budget=100, now=None)
    assert "The dentist moved." in result.text
    assert len(result.text) <= 100


def test_neighbours_of_hits_fill_what_is_left(turn: MakeTurn, packed: PackTurns) -> None:
    around = {
        2: [
            turn("before", position=1, ordinal=1),
            turn("after", position=3, ordinal=3),
            turn("too far", position=4, ordinal=4),
            turn("elsewhere", position=5, ordinal=1, session="b"),
        ]
    }
    result = packed(
        [turn("hit", position=2, ordinal=2)],
        neighbours=lambda hit: around.get(hit.position, ()),
    )
    assert result.text.split("\n")[2:] == ["  user: before", "  user: hit", "  user: after"]
    assert [entry.position for entry in result.evidence] == [2, 1, 3]
    assert result.omitted == 0


def test_no_neighbour_is_asked_for_when_none_is_wanted(turn: MakeTurn, packed: PackTurns) -> None:
    def ask(hit: Candidate) -> Sequence[Candidate]:
        raise AssertionError(hit)

    assert packed([turn("hit")], neighbours=ask, knobs=PackSettings(neighbours=0)).evidence


def test_no_neighbour_takes_the_place_of_a_hit(turn: MakeTurn, packed: PackTurns) -> None:
    hits = [turn("x" * 80, position=n, ordinal=2 * n) for n in range(1, 5)]
    near = [turn("n" * 80, position=50, ordinal=3)]
    result = packed(hits, neighbours=lambda _: near, budget=400, now=None)
    assert [entry.position for entry in result.evidence] == [1, 2, 3, 4]


def test_a_negative_budget_is_refused(turn: MakeTurn, packed: PackTurns) -> None:
    with pytest.raises(InvalidInput) as refused:
        packed([turn("hi")], budget=-1)
    assert refused.value.field == "budget"
