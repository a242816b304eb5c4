"""What comes in: contexts of ours and credentials are taken out, chatter is not stored."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.capture import capture
from smriti_es.captured import Captured, SkippedTurn, Turn
from smriti_es.events.errors import InvalidInput
from smriti_es.redaction import Redactor
from smriti_es.screening import Screening, Tally, ignoring

BLOCK = "[memory, as of 2024-07-01 Mon]\n# 2024-01-15 Mon\n  Ana: I live in Hyderabad."
GONE = "[redacted: password]"
REDACTING = Screening(Redactor())


def screened(*messages: Any, screening: Screening = REDACTING, **options: Any) -> Captured:
    return capture(list(messages), screening=screening, **options)


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


def test_without_a_redactor_nothing_is_redacted() -> None:
    kept = screened(user("password: hunter2"), screening=Screening())
    assert [turn.text for turn in kept.turns] == ["password: hunter2"]


@pytest.mark.parametrize(
    "message",
    [user("password: hunter2"), Turn("user", "password: hunter2"), "password: hunter2"],
)
def test_a_message_in_any_form_loses_its_credentials(message: Any) -> None:
    found = capture(message, screening=REDACTING)
    assert [turn.text for turn in found.turns] == [f"password: {GONE}"]
    assert found.redacted == {"password": 1}


@pytest.mark.parametrize(
    ("more", "field", "expected"),
    [
        ({"name": "pwd=hunter2"}, "name", f"pwd={GONE}"),
        ({"tags": ["pwd=hunter2"]}, "tags", (f"pwd={GONE}",)),
        ({"metadata": {"password": "hunter2"}}, "metadata", {"password": GONE}),
        ({"metadata": {"pwd=hunter2": 1}}, "metadata", {f"pwd={GONE}": 1}),
        ({"metadata": {"a": ["pwd=hunter2"]}}, "metadata", {"a": [f"pwd={GONE}"]}),
        ({"kind": "pwd=hunter2"}, "kind", f"pwd={GONE}"),
        ({"tool_call_id": "pwd=hunter2"}, "tool_call_id", f"pwd={GONE}"),
        ({"seen": {"password": "hunter2"}}, "extra", {"seen": {"password": GONE}}),
        (
            {"tool_calls": [{"id": "c", "name": "login", "arguments": {"password": "hunter2"}}]},
            "tool_calls",
            [{"id": "c", "name": "login", "arguments": {"password": GONE}}],
        ),
        (
            {"tool_calls": [{"id": "c", "name": "f", "arguments": '{"password": "hunter2"}'}]},
            "tool_calls",
            [{"id": "c", "name": "f", "arguments": f'{{"password": "{GONE}"}}'}],
        ),
    ],
)
def test_credentials_go_from_every_part_of_a_message(
    more: dict[str, Any], field: str, expected: Any
) -> None:
    (turn,) = screened(user("hi", **more)).turns
    assert getattr(turn, field) == expected


@pytest.mark.parametrize(
    ("options", "field", "expected"),
    [
        ({"tags": {"pwd=hunter2"}}, "tags", (f"pwd={GONE}",)),
        ({"metadata": {"password": "hunter2"}}, "metadata", {"password": GONE}),
        ({"kind": "pwd=hunter2"}, "kind", f"pwd={GONE}"),
    ],
)
def test_credentials_go_from_what_holds_for_a_whole_call(
    options: dict[str, Any], field: str, expected: Any
) -> None:
    found = screened(user("hi"), **options)
    assert getattr(found.turns[0], field) == expected
    assert found.redacted == {"password": 1}


def test_credentials_go_from_the_parts_of_a_content() -> None:
    parts = [{"type": "text", "text": "pwd=hunter2"}, {"type": "image", "name": "a.png"}]
    (turn,) = screened(user(parts)).turns
    assert turn.content == [{"type": "text", "text": f"pwd={GONE}"}, parts[1]]
    assert turn.text == f"pwd={GONE} [image: a.png]"


def test_a_credential_that_lies_over_two_parts_goes_with_the_parts() -> None:
    (turn,) = screened(user(["the password:", "swordfish"])).turns
    assert turn.content == [{"type": "text", "text": f"the password: {GONE}"}]
    assert turn.text == f"the password: {GONE}"


def test_a_turn_that_only_calls_a_tool_shows_no_credential_in_its_text() -> None:
    call = {"id": "c", "name": "login", "arguments": {"password": "hunter2"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    (turn,) = screened(message).turns
    assert turn.text == f'[calls login({{"password":"{GONE}"}})]'


def test_an_id_that_holds_a_credential_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"message 1: id holds a credential \(password\)"):
        screened(user("hi"), user("ho", id="pwd=hunter2"))


def test_a_redacted_turn_has_the_digest_of_what_is_stored() -> None:
    (first,) = screened(user("password: hunter2")).turns
    (again,) = screened(user(f"password: {GONE}")).turns
    assert first.digest == again.digest


@pytest.mark.parametrize("form", [user, partial(Turn, "user"), str])
def test_a_context_of_ours_is_taken_out_of_what_is_said(form: Callable[[str], Any]) -> None:
    found = screened(form(f"{BLOCK}\n\nWhere do I live?"), screening=Screening())
    assert [turn.text for turn in found.turns] == ["Where do I live?"]
    assert found.stripped == 1


def test_a_turn_that_is_only_a_context_of_ours_is_not_stored() -> None:
    found = screened(user("hi"), {"role": "system", "content": BLOCK}, screening=Screening())
    assert [turn.text for turn in found.turns] == ["hi"]
    assert found.skipped == (SkippedTurn(1, "context"),)


def test_a_context_of_ours_goes_from_parts_tool_results_and_arguments() -> None:
    result = {"type": "tool_result", "tool_use_id": "c", "content": BLOCK}
    call = {"id": "d", "name": "note", "arguments": {"text": f"{BLOCK}\n\nkeep"}}
    found = screened(
        user([{"type": "text", "text": f"So: {BLOCK}"}, result]),
        {"role": "assistant", "content": "ok", "tool_calls": [call]},
        screening=Screening(),
    )
    assert "Hyderabad" not in repr(found.turns)
    assert found.stripped == 2


def test_a_context_of_ours_that_lies_over_two_parts_goes() -> None:
    title, _, rest = BLOCK.partition("\n")
    parts = [{"type": "text", "text": f"{title}\n"}, {"type": "text", "text": f"{rest}\n\nHi"}]
    (turn,) = screened(user(parts), screening=Screening()).turns
    assert "Hyderabad" not in repr(turn)


def test_a_message_with_nothing_of_ours_comes_back_as_the_same_object() -> None:
    message = user("# A heading\n- [ ] a task", tags=["x"])
    assert Screening().message(message, 0, Tally()) is message


CHATTER = Screening(ignored=ignoring([r"^HEARTBEAT\b", r"no-?reply", r"(?i)^\[bot\]"]))


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("HEARTBEAT 17", r"^HEARTBEAT\b"),
        ("first\nHEARTBEAT", r"^HEARTBEAT\b"),
        ("from noreply@example.com", r"no-?reply"),
        ("[Bot] online", r"(?i)^\[bot\]"),
    ],
)
def test_a_turn_that_fits_a_pattern_is_not_stored_and_said(text: str, pattern: str) -> None:
    found = screened(user("hi"), user(text), screening=CHATTER)
    assert [turn.text for turn in found.turns] == ["hi"]
    assert found.skipped == (SkippedTurn(1, "ignored", pattern),)


def test_a_turn_that_fits_no_pattern_is_stored() -> None:
    found = screened(user("the HEARTBEAT of the city"), screening=CHATTER)
    assert len(found.turns) == 1


def test_patterns_look_at_the_text_as_it_would_be_stored() -> None:
    screening = Screening(Redactor(), ignoring([r"redacted: password"]))
    assert screened(user("password: hunter2"), screening=screening).turns == ()


@pytest.mark.parametrize(
    ("patterns", "told"),
    [
        ("HEARTBEAT", "ignore is of type str"),
        (["("], "ignore: '(' is no regular expression"),
        (["x*"], "ignore: 'x*' fits an empty text"),
        ([7], "ignore: 7 is of type int"),
    ],
)
def test_what_cannot_be_ignored_is_refused(patterns: Any, told: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(told)):
        ignoring(patterns)


def test_what_is_nested_without_end_is_refused_with_its_place() -> None:
    endless: dict[str, Any] = {}
    endless["more"] = endless
    with pytest.raises(InvalidInput, match="message 0: another key is nested more than 32 deep"):
        screened(user("hi", seen=endless))


PIECE = st.lists(
    st.sampled_from(
        [
            "password",
            ": ",
            "is ",
            "hunter2",
            "[redacted: ",
            "]",
            '"',
            "\\n",
            " ",
            "=",
            "a:b@c",
            "://",
            "sk-",
            "a1B2c3D4e5F6g7H8i9J0",
            "token",
            "Bearer ",
            "{",
            "}",
            "--",
            "curl -u ",
            "**",
        ]
    ),
    min_size=1,
    max_size=8,
).map("".join)


@given(PIECE, PIECE, PIECE, PIECE)
def test_what_is_stored_is_what_was_compared_with_earlier_turns(
    text: str, other: str, name: str, value: str
) -> None:
    call = {"id": "c", "name": "f", "arguments": {name: value, "more": [other]}}
    messages = [
        user(text, seen={name: value}),
        user([text, {"type": "text", "text": other}]),
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    for turn in screened(*messages).turns:
        assert Redactor().fields_of(turn) == turn
