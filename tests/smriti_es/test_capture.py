"""Messages in every form become turns (decisions 8 to 12; cases BC-09, 10, 51, 53, 55; ING-*)."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.capture import CapturedTurn, SkippedTurn, Turn, capture
from smriti_es.events.errors import InvalidInput

JANUARY = 1_768_471_200_000_000  # 2026-01-15T10:00:00Z


def one(message: Mapping[str, Any] | Turn | str, **call: Any) -> CapturedTurn:
    (turn,) = capture(message, **call).turns
    return turn


def said(role: str = "user", content: object = "hi", **rest: object) -> dict[str, Any]:
    return {"role": role, "content": content, **rest}


def test_text_alone_is_one_user_turn() -> None:
    turn = one("The kiln runs at night.")
    assert (turn.index, turn.role, turn.name) == (0, "user", None)
    assert (turn.text, turn.content) == ("The kiln runs at night.", None)


def test_each_text_in_a_list_is_a_turn_of_the_user() -> None:
    captured = capture(["a", said(content="b", role="assistant"), "c"])
    assert [(turn.role, turn.text) for turn in captured.turns] == [
        ("user", "a"),
        ("assistant", "b"),
        ("user", "c"),
    ]


def test_mappings_and_turns_may_be_mixed_and_keep_their_order() -> None:
    captured = capture([said(content="a"), Turn("assistant", "b"), said(content="c")])
    assert [(turn.index, turn.role, turn.text) for turn in captured.turns] == [
        (0, "user", "a"),
        (1, "assistant", "b"),
        (2, "user", "c"),
    ]


def test_a_mapping_and_the_same_turn_are_captured_alike() -> None:
    fields: dict[str, Any] = {
        "role": "user",
        "content": "hi",
        "name": "Asha",
        "timestamp": "2026-01-15T10:00:00Z",
        "id": "m1",
        "tags": ["b", "a"],
        "metadata": {"level": 4},
        "kind": "note",
        "origin": "untrusted",
    }
    assert capture([fields]) == capture([Turn(**fields)])


def test_an_empty_list_gives_nothing() -> None:
    captured = capture([])
    assert (captured.turns, captured.skipped) == ((), ())


@pytest.mark.parametrize("messages", [None, 7, b"hi", {"a"}, iter([]), object()])
def test_what_is_no_list_of_messages_is_refused(messages: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        capture(messages)
    assert caught.value.field == "messages"
    assert "role" in caught.value.hint


def test_a_message_of_another_type_is_refused_with_its_index() -> None:
    messages: Any = [said(), 7]
    with pytest.raises(InvalidInput) as caught:
        capture(messages)
    assert caught.value.index == 1


@pytest.mark.parametrize(
    ("role", "stored", "origin"),
    [
        ("user", "user", "owner"),
        ("human", "user", "owner"),
        ("USER", "user", "owner"),
        ("assistant", "assistant", "agent"),
        ("ai", "assistant", "agent"),
        ("bot", "assistant", "agent"),
        ("model", "assistant", "agent"),
        ("system", "system", "agent"),
        ("developer", "system", "agent"),
        ("tool", "tool", "tool"),
        ("function", "tool", "tool"),
    ],
)
def test_known_roles_and_synonyms_have_their_origin(role: str, stored: str, origin: str) -> None:
    turn = one(said(role))
    assert (turn.role, turn.origin, turn.name) == (stored, origin, None)


def test_any_other_role_is_the_name_of_a_speaker_who_is_an_owner() -> None:
    turn = one(said("Caroline"))
    assert (turn.role, turn.name, turn.origin) == ("user", "Caroline", "owner")


def test_a_name_wins_over_a_named_role_and_the_role_is_kept() -> None:
    turn = one(said("critic", name="Caroline"))
    assert (turn.role, turn.name, turn.extra) == ("user", "Caroline", {"role": "critic"})


def test_an_enumeration_member_is_taken_as_the_text_it_holds() -> None:
    class Speaker(str, Enum):  # noqa: UP042 - the older form is what clients have
        USER = "user"

    turn = one(said(Speaker.USER, name=Speaker.USER))
    assert turn.role == "user"
    assert type(turn.name) is str


def test_a_blank_name_is_no_name() -> None:
    assert one(said(name=" ")).name is None


@pytest.mark.parametrize("role", [None, "", "  ", 3, ["user"], "us\0er"])
def test_an_unusable_role_is_refused_with_its_index(role: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        capture([said(), said(role)])
    assert (caught.value.index, caught.value.field) == (1, "role")


def test_a_missing_role_is_refused() -> None:
    with pytest.raises(InvalidInput, match="role is missing"):
        capture([{"content": "hi"}])


@pytest.mark.parametrize(
    ("role", "origin"), [("user", "untrusted"), ("assistant", "tool"), ("tool", "tool")]
)
def test_an_origin_may_be_lowered_or_repeated(role: str, origin: str) -> None:
    assert one(said(role, origin=origin)).origin == origin


@pytest.mark.parametrize(
    ("role", "origin"), [("assistant", "owner"), ("tool", "owner"), ("tool", "agent")]
)
def test_an_origin_is_never_raised(role: str, origin: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        capture([said(), said(role, origin=origin)])
    assert (caught.value.index, caught.value.field) == (1, "origin")


def test_the_origin_of_a_call_is_never_raised_either() -> None:
    with pytest.raises(InvalidInput):
        capture([said("assistant")], origin="owner")


def test_the_origin_of_a_call_holds_where_the_turn_names_none() -> None:
    captured = capture([said(), said(origin="untrusted")], origin="agent")
    assert [turn.origin for turn in captured.turns] == ["agent", "untrusted"]


@pytest.mark.parametrize("origin", ["", "root", "Owner", 1])
def test_an_unknown_origin_is_refused(origin: Any) -> None:
    with pytest.raises(InvalidInput):
        capture([said(origin=origin)])


@pytest.mark.parametrize("content", ["", "   ", "\n\t", None, [], [{"type": "text", "text": " "}]])
def test_a_turn_that_says_nothing_is_skipped_with_the_reason(content: object) -> None:
    captured = capture([said(content=content), said(content="x")])
    assert captured.skipped == (SkippedTurn(0, "empty"),)
    assert [turn.index for turn in captured.turns] == [1]


def test_a_mixed_call_of_texts_tool_calls_and_blanks_is_understood() -> None:
    """BC-53."""
    call = {"id": "c1", "function": {"name": "lookup", "arguments": '{"q":1}'}}
    captured = capture(
        [
            said(content="hi"),
            said("assistant", None, tool_calls=[call]),
            said("tool", '{"temp":21}', tool_call_id="c1"),
            said(content=""),
            said(content="   "),
        ]
    )
    asked, answered = captured.turns[1:]
    assert asked.text == '[calls lookup({"q":1})]'
    assert asked.tool_calls == [{"id": "c1", "name": "lookup", "arguments": '{"q":1}'}]
    assert (answered.text, answered.tool_call_id) == ('{"temp":21}', "c1")
    assert answered.origin == "tool"
    assert [skip.index for skip in captured.skipped] == [3, 4]


@pytest.mark.parametrize("content", [5, 1.5, True, b"hi", {"text": "hi"}, object()])
def test_content_of_another_type_is_refused_with_its_index(content: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        capture([said(), said(content=content)])
    assert (caught.value.index, caught.value.field) == (1, "content")


def test_a_skipped_turn_is_checked_all_the_same() -> None:
    with pytest.raises(InvalidInput):
        capture([said(content="", timestamp="soon")])


def test_nul_and_control_characters_in_text_are_kept() -> None:
    """BC-50."""
    assert one("tool output: \x00\x01binary").text == "tool output: \x00\x01binary"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_text_is_kept_exactly_as_it_was_given(text: str) -> None:
    captured = capture([said(content=text)])
    assert [turn.text for turn in captured.turns] == ([text] if text.strip() else [])


def test_half_a_surrogate_pair_in_text_is_refused_with_its_offset() -> None:
    with pytest.raises(InvalidInput) as caught:
        capture([said(), said(content="abc\ud83d")])
    assert (caught.value.index, caught.value.field, caught.value.offset) == (1, "content", 3)


@pytest.mark.parametrize(
    "rest",
    [
        {"name": "\udc00"},
        {"id": "a\udc00"},
        {"tags": ["\udc00"]},
        {"metadata": {"k": "\udc00"}},
        {"metadata": {"\udc00": 1}},
        {"kind": "\udc00"},
        {"timestamp": "2026-01-15\ud80010:00"},
        {"tool_calls": [{"name": "f", "arguments": {"q": "\udc00"}}]},
        {"tool_call_id": "\udc00"},
        {"annotations": ["\udc00"]},
        {"\udc00": 1},
    ],
)
def test_half_a_surrogate_pair_is_refused_anywhere(rest: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        capture([said(), said(**rest)])
    assert caught.value.index == 1
    assert caught.value.offset is not None


@pytest.mark.parametrize(
    "rest",
    [
        {"name": "a\0"},
        {"id": "a\0"},
        {"tags": ["a\0"]},
        {"metadata": {"a\0": 1}},
        {"metadata": {"a": "b\0"}},
        {"kind": "a\0"},
        {"tool_call_id": "a\0"},
        {"timestamp": "2026-01-15\x0010:00"},
    ],
)
def test_nul_in_what_names_or_labels_is_refused(rest: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="NUL"):
        capture([said(**rest)])


def test_the_time_of_a_turn_wins_over_that_of_the_call() -> None:
    """ING-21."""
    captured = capture([said(timestamp="2026-01-15T10:00:00Z"), said()], at="2026-02-01")
    own, of_call = captured.turns
    assert (own.said_at, own.said_precision, own.said_by_call) == (JANUARY, "instant", False)
    assert (of_call.said_precision, of_call.said_by_call) == ("day", True)
    assert of_call.said_at == 1_769_904_000_000_000


def test_without_any_time_the_turn_says_so() -> None:
    turn = one("hi")
    assert (turn.said_at, turn.said_precision, turn.said_text) == (None, "unknown", None)


def test_a_written_time_is_kept_as_it_was_written() -> None:
    turn = one(said(timestamp="2026-01-15T15:30:00+05:30"))
    assert (turn.said_at, turn.said_text) == (JANUARY, "2026-01-15T15:30:00+05:30")


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 1, 15, 10, tzinfo=UTC),
        datetime(2026, 1, 15, 12, tzinfo=timezone(timedelta(hours=2))),
        datetime(2026, 1, 15, 10, tzinfo=UTC).replace(tzinfo=None),
        1_768_471_200,
        1_768_471_200.0,
    ],
)
def test_times_that_are_not_text_are_read(moment: Any) -> None:
    turn = one(said(timestamp=moment))
    assert (turn.said_at, turn.said_text) == (JANUARY, None)


def test_a_date_is_known_to_the_day() -> None:
    assert one(said(timestamp=date(2026, 1, 15))).said_precision == "day"


def test_a_time_without_offset_is_read_in_the_given_zone() -> None:
    """BC-09."""
    turn = one(said(timestamp="2026-01-15T15:30:00"), zone=ZoneInfo("Asia/Kolkata"))
    assert turn.said_at == JANUARY


@pytest.mark.parametrize("moment", ["soon", "", " ", "2026-13-01", True, float("nan"), 1e18, [1]])
def test_a_time_that_cannot_be_read_is_refused_with_its_index(moment: Any) -> None:
    """ING-26."""
    with pytest.raises(InvalidInput) as caught:
        capture([said(), said(timestamp=moment)])
    assert (caught.value.index, caught.value.field) == (1, "timestamp")


def test_a_time_of_the_call_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        capture("hi", at="soon")
    assert (caught.value.index, caught.value.field) == (None, "at")


def test_tags_of_turn_and_call_are_joined_sorted_and_unique() -> None:
    assert one(said(tags=["b", "a", "b"]), tags=["c", "a"]).tags == ("a", "b", "c")


def test_metadata_of_the_turn_wins_over_that_of_the_call() -> None:
    turn = one(said(metadata={"z": 1, "a": "x"}), metadata={"a": "y", "m": True})
    assert list(turn.metadata.items()) == [("a", "x"), ("m", True), ("z", 1)]


def test_a_kind_comes_back_as_given() -> None:
    """BC-55."""
    captured = capture([said(kind="field-note"), said(), said(kind="message")], kind="other")
    assert [turn.kind for turn in captured.turns] == ["field-note", "other", "message"]
    assert one("x").kind == "message"


def test_other_keys_are_kept_when_they_hold_something() -> None:
    turn = one(said(refusal=None, annotations=[{"url": "https://example.org"}], weight=1.5))
    assert turn.extra == {"annotations": [{"url": "https://example.org"}], "weight": 1.5}


@pytest.mark.parametrize("value", [object(), {1: 2}, float("inf"), 2**70, {"a", "b"}])
def test_other_keys_that_json_cannot_carry_are_refused(value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        capture([said(), said(custom=value)])
    assert caught.value.index == 1


def test_the_same_message_twice_under_one_id_is_skipped_as_repeated() -> None:
    captured = capture([said(id="m1"), said(id="m1")])
    assert len(captured.turns) == 1
    assert captured.skipped == (SkippedTurn(1, "repeated"),)


def test_two_messages_under_one_id_are_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        capture([said(id="m1", content="yes"), said(id="m1", content="no")])
    assert (caught.value.index, caught.value.field) == (1, "id")


def test_what_is_captured_does_not_change_with_what_was_handed_in() -> None:
    metadata, parts = {"level": [1]}, [{"type": "text", "text": "a"}]
    turn = one(said(content=parts, metadata=metadata))
    metadata["level"].append(2)
    parts[0]["text"] = "b"
    assert turn.metadata == {"level": [1]}
    assert turn.content == [{"type": "text", "text": "a"}]
