"""Turns that were erased stay out when they are sent again, unless somebody lets them in."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.recording import SessionInput
from smriti_es.results import Added

Open = Callable[..., Engine]


@pytest.fixture
def memory(engine: Open, line_extractor: Callable[..., Any]) -> Engine:
    """An empty memory in which lines are read as facts."""
    return engine(extractor=line_extractor())


def said(*texts: str, **options: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text, **options} for text in texts]


def texts(memory: Any) -> list[str]:
    return [turn.text for turn in memory.turns()]


def counted(added: Added) -> tuple[int, int, int]:
    """Give how many turns were recorded, were there, and had been erased."""
    return (len(added.positions), added.replayed, added.erased)


def erase_turn(memory: Engine, text: str, *, nth: int = 0) -> None:
    memory.erase(turn=[turn.position for turn in memory.turns() if turn.text == text][nth])


TALK = said("I live in Pune.", "ok", "I have a cat.")


def test_an_erased_turn_is_known_again_by_its_id(memory: Engine) -> None:
    turns = [{**turn, "id": f"m{number}"} for number, turn in enumerate(TALK)]
    memory.add(turns, session="a")
    erase_turn(memory, "I live in Pune.")
    assert counted(memory.add(turns[0], session="a")) == (0, 0, 1)
    assert counted(memory.add(turns, session="a")) == (0, 2, 1)
    assert texts(memory) == ["ok", "I have a cat."]


def test_an_erased_turn_stays_out_by_its_id_with_other_words(memory: Engine) -> None:
    memory.add(said("I live in Pune.", id="m1"), session="a")
    erase_turn(memory, "I live in Pune.")
    again = memory.add(said("I live in Pune, in fact.", id="m1"), session="a")
    assert (counted(again), again.kept, texts(memory)) == ((0, 0, 1), (), [])


def test_an_erased_turn_is_known_again_by_its_words_and_time(memory: Engine) -> None:
    memory.add(said("ok"), session="a", at="2026-01-01")
    erase_turn(memory, "ok")
    assert counted(memory.add(said("ok"), session="a", at="2026-01-01")) == (0, 0, 1)
    assert counted(memory.add(said("ok"), session="a", at="2026-01-02")) == (1, 0, 0)


def test_an_erased_turn_is_known_again_in_its_whole_conversation(memory: Engine) -> None:
    memory.add(TALK, session="a")
    erase_turn(memory, "I live in Pune.")
    assert counted(memory.add(TALK, session="a")) == (0, 2, 1)
    assert texts(memory) == ["ok", "I have a cat."]


def test_a_conversation_goes_on_after_one_of_its_turns_was_erased(memory: Engine) -> None:
    memory.add(TALK, session="a")
    erase_turn(memory, "I live in Pune.")
    assert counted(memory.add([*TALK, *said("And a dog.")], session="a")) == (1, 2, 1)
    assert counted(memory.add([*TALK, *said("And a dog.", "ok")], session="a")) == (1, 3, 1)
    assert texts(memory) == ["ok", "I have a cat.", "And a dog.", "ok"]


def test_an_erased_turn_is_known_again_in_a_session_longer_than_the_call(memory: Engine) -> None:
    memory.add(said(*map(str, range(20))), session="a", at="2026-01-01")
    erase_turn(memory, "7")
    assert counted(memory.add(said("6", "7", "8"), session="a", at="2026-01-01")) == (0, 2, 1)
    assert "7" not in texts(memory)


def test_an_erased_session_that_is_sent_again_stays_out(memory: Engine) -> None:
    memory.add(TALK, session="a")
    memory.erase(session="a")
    assert counted(memory.add(TALK, session="a")) == (0, 0, 3)
    assert (texts(memory), memory.sessions()) == ([], [])


def test_of_an_erased_session_that_goes_on_only_what_is_new_is_recorded(memory: Engine) -> None:
    memory.add(TALK, session="a")
    memory.erase(session="a")
    assert counted(memory.add([*TALK, *said("And a dog.")], session="a")) == (1, 0, 3)
    assert texts(memory) == ["And a dog."]
    grown = [*TALK, *said("And a dog.", "And a bird.")]
    assert counted(memory.add(grown, session="a")) == (1, 1, 3)
    assert texts(memory) == ["And a dog.", "And a bird."]


def test_nothing_is_written_when_all_that_is_sent_was_erased(memory: Engine) -> None:
    memory.add(TALK, session="a")
    memory.erase(session="a")
    before = memory.head
    assert memory.add(TALK, session="a").head == before
    assert memory.head == before


def test_what_was_erased_is_recorded_again_when_it_is_let_in(memory: Engine) -> None:
    memory.add("Ana | likes | tea", session="a", at="2026-01-01")
    memory.erase(session="a")
    again = memory.add("Ana | likes | tea", session="a", at="2026-01-01", readmit=True)
    assert counted(again) == (1, 0, 0)
    assert texts(memory) == ["Ana | likes | tea"]
    assert [each.object for each in memory.facts()] == ["tea"]
    assert memory.verify().ok


def test_letting_in_records_no_turn_that_is_still_there(memory: Engine) -> None:
    memory.add(TALK, session="a", at="2026-01-01")
    erase_turn(memory, "ok")
    assert counted(memory.add(TALK, session="a", at="2026-01-01", readmit=True)) == (1, 2, 0)
    assert sorted(texts(memory)) == ["I have a cat.", "I live in Pune.", "ok"]


def test_a_session_that_was_let_in_is_known_again(memory: Engine) -> None:
    memory.add(TALK, session="a")
    memory.erase(session="a")
    memory.add(TALK, session="a", readmit=True)
    assert counted(memory.add(TALK, session="a")) == (0, 3, 0)
    assert counted(memory.add([*TALK, *said("And a dog.")], session="a")) == (1, 3, 0)
    assert texts(memory) == ["I live in Pune.", "ok", "I have a cat.", "And a dog."]


def test_a_turn_that_was_let_in_is_known_again(memory: Engine) -> None:
    memory.add(TALK, session="a", at="2026-01-01")
    erase_turn(memory, "ok")
    memory.add(TALK, session="a", at="2026-01-01", readmit=True)
    assert counted(memory.add(TALK, session="a", at="2026-01-01")) == (0, 3, 0)
    assert counted(memory.add([*TALK, *said("And a dog.")], session="a", at="2026-01-02")) == (
        *(1, 3, 0),
    )


def test_what_was_let_in_and_erased_again_stays_out(memory: Engine) -> None:
    memory.add(TALK, session="a")
    memory.erase(session="a")
    memory.add(TALK, session="a", readmit=True)
    memory.erase(session="a")
    assert counted(memory.add(TALK, session="a")) == (0, 0, 3)
    assert texts(memory) == []


def test_a_second_ok_after_an_erased_one_is_a_new_turn(memory: Engine) -> None:
    memory.add(said("ok"), session="a")
    erase_turn(memory, "ok")
    assert counted(memory.add(said("ok"), session="a")) == (1, 0, 0)
    assert texts(memory) == ["ok"]


def test_of_two_equal_turns_the_one_that_was_erased_stays_out(memory: Engine) -> None:
    talk = said("ok", "I have a cat.", "ok")
    memory.add(talk, session="a")
    erase_turn(memory, "ok", nth=0)
    assert counted(memory.add(talk, session="a")) == (0, 2, 1)
    assert texts(memory) == ["I have a cat.", "ok"]


def test_another_session_may_say_what_was_erased(memory: Engine) -> None:
    memory.add(TALK, session="a", at="2026-01-01")
    memory.erase(session="a")
    assert counted(memory.add(TALK, session="b", at="2026-01-01")) == (3, 0, 0)


def test_a_session_of_the_same_name_in_another_space_may_say_it(
    engine: Open, memory: Engine
) -> None:
    memory.add(TALK, session="a", at="2026-01-01")
    memory.erase(session="a")
    team = engine(extractor=None, space="team")
    assert counted(team.add(TALK, session="a", at="2026-01-01")) == (3, 0, 0)


def test_turns_that_are_erased_with_an_origin_stay_out(memory: Engine) -> None:
    page = {"role": "tool", "content": "The weather in Oslo.", "id": "w1"}
    memory.add([*said("Look.", id="m1"), page], session="a")
    memory.erase(origin="tool")
    assert counted(memory.add([*said("Look.", id="m1"), page], session="a")) == (0, 1, 1)
    assert texts(memory) == ["Look."]


def test_many_conversations_at_once_count_what_was_erased_of_each(memory: Engine) -> None:
    memory.add(TALK, session="a")
    memory.add(TALK, session="b")
    memory.erase(session="a")
    both = [SessionInput(session=name, messages=TALK) for name in ("a", "b")]
    assert [counted(each) for each in memory.add_many(both)] == [(0, 0, 3), (0, 3, 0)]


def test_erased_turns_stay_out_after_reopening_and_rebuilding(engine: Open, memory: Engine) -> None:
    memory.add(TALK, session="a")
    memory.erase(session="a")
    memory.rebuild("trust")
    memory.close()
    assert counted(engine(extractor=None).add(TALK, session="a")) == (0, 0, 3)


def test_a_key_of_an_erased_commit_may_be_used_anew(memory: Engine) -> None:
    memory.add("I live in Pune.", session="a", idempotency_key="k1")
    memory.erase(session="a")
    again = memory.add("I have a cat.", session="b", idempotency_key="k1")
    assert (counted(again), again.repeated) == ((1, 0, 0), False)


def test_a_key_of_an_erased_commit_lets_nothing_back_in(memory: Engine) -> None:
    turn = said("I live in Pune.", id="m1")
    memory.add(turn, session="a", idempotency_key="k1")
    memory.erase(session="a")
    again = memory.add(turn, session="a", idempotency_key="k1")
    assert (counted(again), again.repeated, texts(memory)) == ((0, 0, 1), False, [])


def test_the_turns_that_follow_an_erasure_are_numbered_on(memory: Engine) -> None:
    memory.add(TALK, session="a")
    erase_turn(memory, "I have a cat.")
    memory.add("And a dog.", session="a")
    assert [turn.ordinal for turn in memory.turns()] == [0, 1, 3]


def test_an_erased_session_is_numbered_on(memory: Engine) -> None:
    memory.add(TALK, session="a")
    memory.erase(session="a")
    memory.add("And a dog.", session="a")
    assert [turn.ordinal for turn in memory.turns()] == [3]


def test_nothing_in_the_log_tells_the_words_of_an_erased_turn(memory: Engine) -> None:
    memory.add("I live in Pune.", session="in Pune", at="2026-01-01")
    at = memory.erase(session="in Pune").position
    assert at is not None
    memory.add("I live in Pune.", session="in Pune", at="2026-01-01")
    assert [each.position for each in memory.events(1) if "Pune" in str(each.event)] == []


@pytest.mark.parametrize("erased", ["turn", "session"])
def test_the_same_words_at_another_time_are_new_turns_after_an_erasure_too(
    engine: Open, erased: str
) -> None:
    memory = engine()
    words = ["hi", "yes", "hi"]
    first = memory.add(words, session="s1", at="2026-01-01").positions[0]
    if erased == "turn":
        memory.erase(turn=first)
    else:
        memory.erase(session="s1")
    added = memory.add(words, session="s1", at="2026-03-01")
    assert (len(added.positions), added.erased, added.replayed) == (3, 0, 0)
