"""How long what is kept, and what a sweep erases of it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput

Open = Callable[..., Engine]
DAY_US = 86_400_000_000
# The tests' clock begins on 2026-06-02.
MONTH, YEAR = timedelta(days=30), timedelta(days=365)
COURT: dict[str, Any] = {"authority": "District court", "reason": "case 12/7"}


@pytest.fixture
def memory(engine: Open, line_extractor: Callable[..., Any]) -> Engine:
    """An old session and a young one, a note in each; each states something."""
    memory = engine(extractor=line_extractor())
    for session, day in (("old", "2026-01-01"), ("young", "2026-06-01")):
        memory.add(f"Ana | saw | {session} times", session=session, at=day)
        memory.add(f"A note of {session} times.", session=session, at=day, kind="note")
    return memory


def texts(memory: Any) -> list[str]:
    return [turn.text for turn in memory.turns()]


def values(memory: Any) -> list[str]:
    return [each.object for each in memory.facts()]


OLD = ["Ana | saw | old times", "A note of old times."]
YOUNG = ["Ana | saw | young times", "A note of young times."]


def test_a_sweep_erases_what_is_older_than_it_is_to_be_kept(memory: Engine) -> None:
    memory.set_retention(MONTH)
    swept = memory.sweep()
    assert (texts(memory), values(memory)) == (YOUNG, ["young times"])
    assert [each.name for each in memory.sessions()] == ["young"]
    assert (swept.due, swept.held, swept.verified) == (3, 0, True)
    assert memory.verify().ok


def test_without_a_rule_nothing_is_due(memory: Engine) -> None:
    before = memory.head
    swept = memory.sweep(now="2099-01-01")
    assert (swept.due, swept.position, memory.head) == (0, None, before)
    assert texts(memory) == OLD + YOUNG


def test_a_sweep_with_nothing_due_writes_nothing(memory: Engine) -> None:
    memory.set_retention(YEAR)
    before = memory.head
    assert memory.sweep().position is None
    assert memory.head == before


def test_a_second_sweep_finds_nothing_left(memory: Engine) -> None:
    memory.set_retention(MONTH)
    memory.sweep()
    before = memory.head
    assert memory.sweep().due == 0
    assert memory.head == before


def test_a_dry_run_tells_what_would_go_and_writes_nothing(memory: Engine) -> None:
    memory.set_retention(MONTH)
    before = memory.head
    told = memory.sweep(dry_run=True)
    assert (told.due, told.position, memory.head) == (3, None, before)
    assert (len(told.content.sessions), len(told.content.turns), len(told.content.facts)) == (
        *(1, 2, 1),
    )
    assert texts(memory) == OLD + YOUNG


def test_a_sweep_can_be_made_as_of_another_time(memory: Engine) -> None:
    memory.set_retention(YEAR)
    memory.sweep(now="2027-03-01")
    assert texts(memory) == YOUNG


def test_what_is_as_old_as_it_may_be_is_due(memory: Engine) -> None:
    memory.set_retention(MONTH)
    assert memory.sweep(now="2026-01-30T23:59:59.999999Z", dry_run=True).due == 0
    assert memory.sweep(now="2026-01-31T00:00Z", dry_run=True).due == 3


def test_the_rule_of_a_session_counts_before_that_of_the_space(memory: Engine) -> None:
    memory.set_retention(MONTH)
    memory.set_retention(YEAR, session="old")
    memory.add("From long before.", session="older", at="2025-01-01")
    memory.sweep()
    assert texts(memory) == OLD + YOUNG


def test_what_was_found_in_a_session_falls_under_its_rule(memory: Engine) -> None:
    memory.set_retention(MONTH)
    memory.set_retention(YEAR, session="old")
    memory.sweep()
    assert values(memory) == ["old times", "young times"]
    memory.set_retention(YEAR)
    memory.set_retention(MONTH, session="old")
    memory.sweep()
    assert values(memory) == ["young times"]


def test_the_rule_of_a_kind_counts_before_that_of_the_space(memory: Engine) -> None:
    memory.set_retention(YEAR)
    memory.set_retention(MONTH, kind="note")
    memory.sweep()
    assert texts(memory) == [OLD[0], *YOUNG]


def test_the_rule_of_a_session_counts_before_that_of_a_kind(memory: Engine) -> None:
    memory.set_retention(MONTH, kind="note")
    memory.set_retention(YEAR, session="old")
    memory.sweep()
    assert texts(memory) == OLD + YOUNG


def test_the_rule_of_a_kind_in_a_session_counts_before_all_others(memory: Engine) -> None:
    memory.set_retention(YEAR, session="old")
    memory.set_retention(YEAR, kind="note")
    memory.set_retention(MONTH, session="old", kind="note")
    memory.sweep()
    assert texts(memory) == [OLD[0], *YOUNG]


def test_of_two_words_on_the_same_the_last_one_counts(memory: Engine) -> None:
    memory.set_retention(MONTH)
    memory.set_retention(YEAR)
    assert [each.keep_for for each in memory.retention()] == [365 * DAY_US]
    assert memory.sweep().due == 0


def test_a_rule_means_the_space_in_which_it_was_set(engine: Open, memory: Engine) -> None:
    other = engine(extractor=None, space="team")
    other.add("Long ago.", session="old", at="2025-01-01")
    other.set_retention(MONTH)
    assert memory.sweep().due == 1
    assert (texts(memory), texts(other)) == (OLD + YOUNG, [])


def test_what_a_session_gets_later_falls_under_its_rule(memory: Engine) -> None:
    memory.set_retention(MONTH, session="young")
    memory.add("A word of May.", session="young", at="2026-05-01")
    memory.sweep()
    assert texts(memory) == OLD + YOUNG
    memory.add("A word of June.", session="young", at="2026-06-02")
    memory.sweep(now="2026-07-01")
    assert texts(memory) == [*OLD, "A word of June."]


def test_facts_that_were_stated_directly_fall_under_the_rule(memory: Engine) -> None:
    memory.assert_fact("Ana", "owns", "a boat", said_at="2026-02-01")
    memory.assert_fact("Ana", "owns", "a house", said_at="2026-06-01", multi=True)
    memory.set_retention(MONTH)
    memory.sweep()
    assert values(memory) == ["young times", "a house"]


def test_facts_of_a_kind_have_a_rule_of_their_own(memory: Engine) -> None:
    memory.assert_fact("Ana", "prefers", "tea", kind="preference", said_at="2026-02-01")
    memory.set_retention(MONTH, kind="preference")
    memory.sweep()
    assert values(memory) == ["old times", "young times"]
    assert texts(memory) == OLD + YOUNG


def test_what_came_without_a_time_was_said_when_it_was_recorded(memory: Engine) -> None:
    memory.add("Whenever that was.", session="undated")
    memory.set_retention(MONTH)
    memory.sweep(now="2026-06-15")
    assert texts(memory) == [*YOUNG, "Whenever that was."]
    memory.sweep(now="2026-07-03")
    assert texts(memory) == []


def test_what_is_kept_for_no_time_goes_with_the_next_sweep(memory: Engine) -> None:
    memory.set_retention(timedelta(0))
    memory.sweep()
    assert (texts(memory), values(memory)) == ([], [])


def test_a_rule_that_is_lifted_lets_everything_stay(memory: Engine) -> None:
    memory.set_retention(MONTH)
    memory.set_retention(None, reason="wanted after all")
    assert memory.retention() == []
    assert memory.sweep().due == 0


def test_what_is_held_is_skipped_and_counted(memory: Engine) -> None:
    memory.add("From long before.", session="older", at="2025-01-01")
    memory.place_hold(session="old", **COURT)
    memory.set_retention(MONTH)
    swept = memory.sweep()
    assert (swept.due, swept.held) == (1, 3)
    assert texts(memory) == OLD + YOUNG
    assert memory.verify().ok


def test_what_is_held_goes_once_it_is_released(memory: Engine) -> None:
    hold = memory.place_hold(session="old", **COURT)
    memory.set_retention(MONTH)
    assert memory.sweep().position is None
    memory.release_hold(hold)
    assert memory.sweep().due == 3
    assert texts(memory) == YOUNG


def test_with_everything_held_a_sweep_erases_nothing(memory: Engine) -> None:
    memory.place_hold(**COURT)
    memory.set_retention(MONTH)
    before = memory.head
    swept = memory.sweep()
    assert (swept.due, swept.held, memory.head) == (0, 3, before)


def test_a_hold_that_has_expired_keeps_nothing_from_a_sweep(memory: Engine, clock: Any) -> None:
    memory.place_hold(session="old", expires_at="2026-06-02T12:00Z", **COURT)
    memory.set_retention(MONTH)
    assert memory.sweep(now="2026-06-02T12:00Z", dry_run=True).held == 3
    clock.now += 7_200_000_000
    assert memory.sweep(dry_run=True).held == 0


def test_the_sources_of_what_is_held_are_kept_with_it(memory: Engine) -> None:
    (fact,) = [each.position for each in memory.facts(object="old times")]
    memory.place_hold(fact=fact, **COURT)
    memory.set_retention(MONTH)
    swept = memory.sweep()
    assert (swept.due, swept.held) == (1, 2)
    assert texts(memory) == [OLD[0], *YOUNG]
    assert values(memory) == ["old times", "young times"]


def test_what_is_young_goes_with_the_old_things_that_it_rests_on(memory: Engine) -> None:
    (old,) = [each.position for each in memory.facts(object="old times")]
    memory.assert_fact("Ana", "remembers", "them", because=[old], said_at="2026-06-01")
    memory.set_retention(MONTH)
    swept = memory.sweep()
    assert (swept.due, len(swept.content.facts)) == (3, 2)
    assert values(memory) == ["young times"]


def test_what_is_young_is_kept_by_a_hold_with_the_old_things_that_it_rests_on(
    memory: Engine,
) -> None:
    (old,) = [each.position for each in memory.facts(object="old times")]
    them = memory.assert_fact("Ana", "remembers", "them", because=[old], said_at="2026-06-01")
    memory.place_hold(fact=them, **COURT)
    memory.set_retention(MONTH)
    assert memory.sweep().held == 2
    assert values(memory) == ["old times", "young times", "them"]


def test_rules_outlast_closing_the_memory(engine: Open, memory: Engine) -> None:
    memory.set_retention(MONTH, session="old", kind="note")
    memory.close()
    again = engine(extractor=None)
    (rule,) = again.retention()
    assert (rule.space, rule.session, rule.kind) == ("main", "old", "note")
    assert rule.keep_for_s == 30 * 86_400
    assert again.sweep().due == 1


def test_rules_outlast_rebuilding_what_is_derived_from_the_log(memory: Engine) -> None:
    memory.set_retention(YEAR)
    memory.set_retention(MONTH)
    memory.set_retention(MONTH, kind="note")
    before = memory.retention()
    memory.rebuild("trust")
    assert memory.retention() == before
    assert [(each.kind, each.keep_for_s) for each in before] == [
        ("", 30 * 86_400),
        ("note", 30 * 86_400),
    ]


def test_a_rule_of_an_erased_session_goes_with_it(memory: Engine) -> None:
    memory.set_retention(YEAR, session="old", reason="of old times")
    memory.erase(session="old")
    assert memory.retention() == []


def test_a_sweep_is_recorded_as_an_erasure_by_retention(memory: Engine) -> None:
    memory.set_retention(MONTH)
    at = memory.sweep().position
    assert at is not None
    (erased,) = memory.events(at, at + 1)
    assert (erased.header.type, getattr(erased.event, "named", None)) == ("Erased", "retention")


@pytest.mark.parametrize(
    "wrong",
    [
        {"keep_for": timedelta(days=-1)},
        {"keep_for": timedelta(days=3_650_001)},
        {"keep_for": MONTH, "session": ""},
        {"keep_for": MONTH, "kind": ""},
        {"keep_for": MONTH, "session": "a\0b"},
    ],
    ids=str,
)
def test_a_rule_that_says_nothing_clear_is_refused(memory: Engine, wrong: dict[str, Any]) -> None:
    before = memory.head
    with pytest.raises(InvalidInput):
        memory.set_retention(**wrong)
    assert memory.head == before


@pytest.mark.parametrize("wrong", [30, 30.0, "30 days"], ids=str)
def test_how_long_is_told_as_a_length_of_time(memory: Engine, wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="keep_for"):
        memory.set_retention(wrong)


def test_the_rule_of_a_session_stays_when_a_sweep_takes_all_of_it(engine: Open) -> None:
    memory = engine()
    memory.add("It rained.", session="s1", at="2026-01-01")
    memory.set_retention(timedelta(days=10), session="s1")
    assert memory.sweep(now="2026-02-01").due == 1
    memory.add("It snowed.", session="s1", at="2026-02-01")
    assert memory.sweep(now="2026-03-01").due == 1
    assert memory.turns() == []


def test_a_hold_that_is_in_force_keeps_it_whatever_time_the_sweep_is_for(engine: Open) -> None:
    memory = engine()
    memory.add("It rained.", session="s1", at="2026-01-01")
    memory.set_retention(timedelta(days=10))
    memory.place_hold(session="s1", reason="", authority="court", expires_at="2027-01-01")
    for dry_run in (True, False):
        swept = memory.sweep(now="2030-01-01", dry_run=dry_run)
        assert (swept.due, swept.held, swept.position) == (0, 1, None)


def test_a_session_may_be_an_exception_that_is_kept(memory: Engine) -> None:
    memory.set_retention(MONTH)
    memory.set_retention(None, session="old")
    assert [(each.session, each.keep_for_s) for each in memory.retention()] == [
        ("", 30 * 86_400.0),
        ("old", None),
    ]
    assert memory.sweep().due == 0
    assert texts(memory) == OLD + YOUNG


def test_a_session_of_which_no_turn_is_left_goes_when_it_is_old(engine: Open, clock: Any) -> None:
    memory = engine()
    (turn,) = memory.add("It rained.", session="s1").positions
    memory.erase(turn=turn)
    memory.set_retention(timedelta(days=10))
    memory.sweep()
    assert [each.name for each in memory.sessions()] == ["s1"]
    clock.now += 11 * 86_400_000_000
    memory.sweep()
    assert memory.sessions() == []
