"""What a chat service answers, in all the forms that services have."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.events.errors import ExtractionError
from smriti_es.extraction.chat import TEXT_LENGTH_MAX, ChatModel

Connect = Callable[..., ChatModel]
ASKED = [{"role": "user", "content": "hello"}]


def test_a_reply_tells_words_tokens_and_requests(service: Any, connect: Connect) -> None:
    service.says("hi")
    reply = connect().complete(ASKED, json_mode=True)
    assert reply.text == "hi"
    assert reply.finish_reason == "stop"
    assert reply.http_attempts == 1
    assert reply.usage == {
        "attempts": 1,
        "calls": 1,
        "http_attempts": 1,
        "tokens_in": 10,
        "tokens_out": 3,
        "usage_missing": 0,
    }


def test_without_json_mode_no_format_is_asked_for(service: Any, connect: Connect) -> None:
    service.says("hi")
    connect().complete(ASKED, json_mode=False)
    assert "response_format" not in service.bodies[0]


@pytest.mark.parametrize(
    "body", [b"", b"<html>Welcome</html>", b'{"choices": [', b"\xff\xfe\x00", b"[" * 100_000]
)
def test_a_body_that_is_no_json_is_asked_once(service: Any, connect: Connect, body: bytes) -> None:
    service.sends(body)
    with pytest.raises(ExtractionError, match="something that is no JSON") as caught:
        connect().complete(ASKED, json_mode=True)
    assert not caught.value.retryable
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b"[]",
        b"null",
        b'{"choices": []}',
        b'{"choices": {}}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": ["hi"]}',
    ],
)
def test_an_answer_without_a_message_is_asked_once(
    service: Any, connect: Connect, body: bytes
) -> None:
    service.sends(body)
    with pytest.raises(ExtractionError, match="no `choices` with a `message`") as caught:
        connect().complete(ASKED, json_mode=True)
    assert not caught.value.retryable
    assert len(service.requests) == 1


@pytest.mark.parametrize(("code", "retryable"), [(429, True), (502, True), (400, False)])
def test_an_error_inside_an_answer_that_says_200_is_told_without_the_key(
    service: Any, connect: Connect, code: int, retryable: bool
) -> None:
    service.sends(b'{"error": {"code": %d, "message": "busy for sk-secret"}}' % code)
    with pytest.raises(ExtractionError, match=r"reports an error: busy for \*\*\*") as caught:
        connect(api_key="sk-secret").complete(ASKED, json_mode=True)
    assert caught.value.retryable is retryable


def test_an_error_that_is_only_text_is_told(service: Any, connect: Connect) -> None:
    service.sends(b'{"error": "no such model"}')
    with pytest.raises(ExtractionError, match="reports an error: no such model"):
        connect().complete(ASKED, json_mode=True)


@pytest.mark.parametrize("status", [400, 422])
def test_a_service_that_refuses_json_mode_is_asked_once_without(
    service: Any, connect: Connect, status: int
) -> None:
    service.fails(status).says("hi")
    model = connect()
    reply = model.complete(ASKED, json_mode=True)
    assert reply.text == "hi"
    assert ["response_format" in body for body in service.bodies] == [True, False]
    assert (reply.usage["attempts"], reply.usage["calls"], reply.http_attempts) == (2, 1, 2)
    assert (model.counts["attempts"], model.counts["calls"]) == (2, 1)


def test_a_service_that_refused_json_mode_is_not_asked_for_it_again(
    service: Any, connect: Connect
) -> None:
    service.fails(400).says("hi")
    model = connect()
    model.complete(ASKED, json_mode=True)
    model.complete(ASKED, json_mode=True)
    assert ["response_format" in body for body in service.bodies] == [True, False, False]


def test_a_request_that_is_wrong_in_another_way_is_refused_after_the_second_try(
    service: Any, connect: Connect
) -> None:
    service.fails(400)
    model = connect()
    with pytest.raises(ExtractionError, match="answered 400"):
        model.complete(ASKED, json_mode=True)
    assert len(service.requests) == 2
    with pytest.raises(ExtractionError, match="answered 400"):
        model.complete(ASKED, json_mode=True)
    assert "response_format" in service.bodies[2]


def test_a_broken_connection_is_no_refusal_of_json_mode(service: Any, connect: Connect) -> None:
    service.hangs_up()
    with pytest.raises(ExtractionError) as caught:
        connect().complete(ASKED, json_mode=True)
    assert caught.value.retryable
    assert all("response_format" in body for body in service.bodies)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "hi"}, "hi"),
        ({"content": None, "reasoning_content": "well"}, "well"),
        ({"content": " \n", "reasoning_content": "well"}, "well"),
        ({"content": "hi", "reasoning_content": "well"}, "hi"),
        ({"reasoning": "so"}, "so"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": ""}, ""),
    ],
)
def test_words_are_found_where_services_put_them(
    service: Any, connect: Connect, message: dict[str, Any], text: str
) -> None:
    service.says(None, message=message)
    assert connect().complete(ASKED, json_mode=True).text == text


@pytest.mark.parametrize(
    "message",
    [
        {"content": None},
        {"content": 5},
        {"content": {"text": "hi"}},
        {"content": [{"type": "image"}, "odd", {"text": 7}]},
        {},
    ],
)
def test_a_message_without_text_is_an_error_that_may_be_tried_again(
    service: Any, connect: Connect, message: dict[str, Any]
) -> None:
    service.says(None, message=message)
    with pytest.raises(ExtractionError, match="has a message without text") as caught:
        connect().complete(ASKED, json_mode=True)
    assert caught.value.retryable


def test_a_message_that_broke_off_before_its_first_word_is_cut_short(
    service: Any, connect: Connect
) -> None:
    service.says(None, message={"content": None}, finish_reason="length")
    reply = connect().complete(ASKED, json_mode=True)
    assert (reply.text, reply.finish_reason) == ("", "length")


@pytest.mark.parametrize(
    "options",
    [
        {"message": {"content": None, "refusal": "I cannot help with that."}},
        {"message": {"content": ""}, "finish_reason": "content_filter"},
    ],
)
def test_a_refusal_is_an_error_and_not_an_empty_answer(
    service: Any, connect: Connect, options: dict[str, Any]
) -> None:
    service.says(None, **options)
    with pytest.raises(ExtractionError, match="refuses to answer") as caught:
        connect().complete(ASKED, json_mode=True)
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (None, (0, 0, 1)),
        ({"prompt_tokens": 5}, (5, 0, 1)),
        ({"prompt_tokens": True, "completion_tokens": -1}, (0, 0, 1)),
        ({"prompt_tokens": "5", "completion_tokens": 2**60}, (0, 0, 1)),
        ("many", (0, 0, 1)),
    ],
)
def test_missing_token_counts_are_counted(
    service: Any, connect: Connect, usage: Any, tokens: tuple[int, int, int]
) -> None:
    service.says("hi", usage=usage)
    told = connect().complete(ASKED, json_mode=True).usage
    assert (told["tokens_in"], told["tokens_out"], told["usage_missing"]) == tokens


def test_words_that_no_encoder_takes_are_mended(service: Any, connect: Connect) -> None:
    service.sends(rb'{"choices": [{"message": {"content": "a\ud83d\ude00b\ud800c"}}]}')
    assert connect().complete(ASKED, json_mode=True).text == "a\U0001f600b\ufffdc"


def test_words_without_measure_are_cut(service: Any, connect: Connect) -> None:
    service.says("a" * (TEXT_LENGTH_MAX + 1))
    reply = connect().complete(ASKED, json_mode=True)
    assert len(reply.text) == TEXT_LENGTH_MAX
    assert reply.finish_reason == "length"


def test_a_wrong_content_type_is_no_hindrance(service: Any, connect: Connect) -> None:
    body = b'{"choices": [{"message": {"content": "hi"}}]}'
    service.sends(body, Content_Type="text/html; charset=latin-1")
    assert connect().complete(ASKED, json_mode=True).text == "hi"
