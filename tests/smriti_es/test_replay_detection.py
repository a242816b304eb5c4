"""Which turns of a call its session already holds (decision 8; ING-07, 08, 10, 22, 23, 28)."""

from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from smriti_es.capture import CapturedTurn, capture
from smriti_es.projections.turn_digest import turn_digest
from smriti_es.replay_detection import StoredSession, StoredTurn, kept_back, new_turns

MONDAY, TUESDAY = "2026-06-01T10:00:00Z", "2026-06-02T10:00:00Z"


def stored_as(turns: Iterable[CapturedTurn]) -> tuple[StoredTurn, ...]:
    return tuple(StoredTurn(turn.digest, turn.said_at, turn.source_id) for turn in turns)


class Session:
    """A session as the engine keeps it: what is new is added at the end."""

    def __init__(self) -> None:
        self.stored: tuple[StoredTurn, ...] = ()

    def add(self, *messages: Any, at: str | None = None) -> list[str]:
        listed = [m if isinstance(m, dict) else {"role": "user", "content": m} for m in messages]
        fresh = new_turns(capture(listed, at=at).turns, StoredSession(self.stored))
        self.stored += stored_as(fresh)
        return [turn.text for turn in fresh]


def message(content: str, **rest: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **rest}


def test_the_same_call_at_the_same_time_stores_nothing() -> None:
    """ING-07."""
    session = Session()
    assert session.add("ok", "ok", at=MONDAY) == ["ok", "ok"]
    assert session.add("ok", "ok", at=MONDAY) == []


def test_another_time_is_no_duplicate() -> None:
    """ING-08."""
    session = Session()
    session.add("a", "b", at=MONDAY)
    assert session.add("a", "b", at=TUESDAY) == ["a", "b"]


def test_changing_only_the_time_of_one_turn_is_no_duplicate() -> None:
    """ING-23."""
    session = Session()
    session.add(message("a", timestamp=MONDAY), message("b", timestamp=MONDAY))
    again = session.add(message("a", timestamp=MONDAY), message("b", timestamp=TUESDAY))
    assert again == ["b"]


def test_a_second_ok_is_a_second_turn() -> None:
    session = Session()
    session.add("ok")
    assert session.add("ok") == ["ok"]


def test_one_more_equal_turn_at_the_same_time_is_new_once() -> None:
    session = Session()
    session.add("ok", at=MONDAY)
    assert session.add("ok", "ok", at=MONDAY) == ["ok"]
    assert session.add("ok", "ok", at=MONDAY) == []


def test_a_turn_whose_source_id_is_stored_is_a_replay_whatever_it_says() -> None:
    session = Session()
    session.add(message("a", id="m1"))
    assert session.add(message("a, edited", id="m1", timestamp=MONDAY)) == []


def test_equal_turns_under_two_source_ids_are_two_turns() -> None:
    session = Session()
    session.add(message("ok", id="m1"), at=MONDAY)
    assert session.add(message("ok", id="m2"), at=MONDAY) == ["ok"]


def test_a_turn_stored_with_an_id_is_recognised_without_it_by_its_time() -> None:
    session = Session()
    session.add(message("a", id="m1"), at=MONDAY)
    assert session.add("a", at=MONDAY) == []


def test_a_turn_stored_without_an_id_is_recognised_with_one_by_its_time() -> None:
    session = Session()
    session.add("a", at=MONDAY)
    assert session.add(message("a", id="m1"), at=MONDAY) == []


def test_a_stored_turn_that_is_named_by_its_id_answers_for_no_other() -> None:
    session = Session()
    session.add(message("ok", id="m1"), at=MONDAY)
    assert session.add("ok", message("ok", id="m1"), at=MONDAY) == ["ok"]


def test_a_grown_session_sent_again_stores_only_what_is_new() -> None:
    """ING-28."""
    session = Session()
    session.add("a", "b")
    assert session.add("a", "b", "a") == ["a"]


def test_a_grown_session_is_recognised_at_the_time_of_a_later_call() -> None:
    session = Session()
    session.add("a", "b", at=MONDAY)
    assert session.add("a", "b", "c", at=TUESDAY) == ["c"]
    assert session.add("a", "b", "c", "d") == ["d"]


def test_a_longer_list_whose_own_times_differ_is_no_grown_session() -> None:
    session = Session()
    session.add("a", "b", at=MONDAY)
    later = [message(text, timestamp=TUESDAY) for text in ("a", "b", "c")]
    assert session.add(*later) == ["a", "b", "c"]


def test_one_stored_turn_is_too_little_to_be_recognised_as_a_beginning() -> None:
    session = Session()
    session.add("hi")
    assert session.add("hi", "there") == ["hi", "there"]


def test_a_list_that_begins_otherwise_is_new() -> None:
    session = Session()
    session.add("a", "b", "c")
    assert session.add("b", "c") == ["b", "c"]


def test_a_source_id_held_by_the_session_is_not_stored_again_after_its_beginning() -> None:
    session = Session()
    session.add(message("a", id="m1"), message("b"))
    assert session.add("a", "b", message("c", id="m1"), "d") == ["d"]


def test_a_session_known_in_part_recognises_no_beginning() -> None:
    captured = capture([message("a"), message("b")]).turns
    part = StoredSession(stored_as(captured), whole=False)
    assert new_turns(captured, part) == list(captured)


def test_a_session_known_in_part_recognises_times_and_ids() -> None:
    captured = capture([message("a", id="m1"), message("b")], at=MONDAY).turns
    part = StoredSession(stored_as(captured), whole=False)
    assert new_turns(captured, part) == []


def test_the_digest_tells_speakers_contents_and_tool_calls_apart() -> None:
    texts: list[dict[str, Any]] = [
        message("a"),
        message("b"),
        message("a", name="Asha"),
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        message("a", tool_call_id="c1"),
        message("a", tool_calls=[{"name": "f"}]),
        message("a", tool_calls=[{"name": "g"}]),
    ]
    assert len({turn.digest for turn in capture(texts).turns}) == len(texts)


def test_the_digest_is_frozen() -> None:
    assert turn_digest("user", None, "hi", None) == "1f8fff1ac2a3d420ef075b4f1ca8eefa"


def test_the_digest_leaves_time_labels_and_id_out() -> None:
    plain = message("a")
    labelled = message("a", timestamp=MONDAY, id="m", tags=["t"], metadata={"k": 1}, kind="n")
    first, second = capture([plain, labelled]).turns
    assert first.digest == second.digest


def test_the_digest_of_parts_does_not_depend_on_how_they_read_as_text() -> None:
    content: list[Any] = [{"type": "image"}]
    assert turn_digest("user", None, "[image]", content) == turn_digest("user", None, "", content)


def test_a_turn_whose_id_is_held_with_other_words_is_named_and_not_new() -> None:
    session = Session()
    session.add(message("a", id="m1"), message("b", id="m2"), message("c"))
    call = capture([message("A", id="m1"), message("b", id="m2"), message("d", id="m3")]).turns
    stored = StoredSession(session.stored)
    assert [turn.text for turn in new_turns(call, stored)] == ["d"]
    assert kept_back(call, stored) == ("m1",)


def test_a_turn_that_continues_its_session_is_named_when_its_id_is_held() -> None:
    session = Session()
    session.add(message("a", id="m1"), message("b", id="m2"))
    call = capture([message("a"), message("b"), message("c", id="m1")]).turns
    stored = StoredSession(session.stored)
    assert new_turns(call, stored) == []
    assert kept_back(call, stored) == ("m1",)


_texts = st.lists(st.sampled_from(["ok", "yes", "no"]), min_size=2, max_size=6)


@given(_texts, st.integers(min_value=0), st.sampled_from([None, MONDAY]))
def test_sending_a_grown_session_stores_exactly_the_rest(
    texts: list[str], cut: int, at: str | None
) -> None:
    session = Session()
    first = 2 + cut % (len(texts) - 1)
    session.add(*texts[:first], at=at)
    assert session.add(*texts, at=at) == texts[first:]
    assert len(session.stored) == len(texts)


@given(_texts, st.booleans())
def test_sending_a_session_one_turn_longer_each_time_stores_every_turn_once(
    texts: list[str], timed: bool
) -> None:
    session = Session()
    for length in range(2, len(texts) + 1):
        session.add(*texts[:length], at=f"2026-06-0{length}T10:00:00Z" if timed else None)
    assert len(session.stored) == len(texts)


@given(st.lists(st.sampled_from(["ok", "no"]), max_size=5), st.sampled_from(["at", "ids", "both"]))
def test_sending_a_call_twice_stores_nothing_when_times_or_ids_are_given(
    texts: list[str], given_as: str
) -> None:
    session = Session()
    session.add("before", "that")
    ids = [{"id": f"m{i}"} if given_as != "at" else {} for i in range(len(texts))]
    call = [message(text, **rest) for text, rest in zip(texts, ids, strict=True)]
    at = None if given_as == "ids" else MONDAY
    assert session.add(*call, at=at) == texts
    assert session.add(*call, at=at) == []


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([None, MONDAY, TUESDAY]))))
def test_what_is_new_keeps_its_order_and_is_part_of_the_call(
    turns: list[tuple[str, str | None]],
) -> None:
    captured = capture([message(text, timestamp=at) for text, at in turns]).turns
    stored = StoredSession(stored_as(captured[::2]))
    indexes = [turn.index for turn in new_turns(captured, stored)]
    assert indexes == sorted(set(indexes))
    assert set(indexes) <= set(range(len(turns)))
