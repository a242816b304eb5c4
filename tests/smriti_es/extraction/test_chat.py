"""A model behind HTTP, against a real server on loopback that misbehaves on purpose."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from smriti_es.events.errors import ExtractionError, InvalidInput
from smriti_es.events.guard import CallInsideTransaction, transaction_open
from smriti_es.extraction.chat import ChatModel
from smriti_es.http_posting import user_agent

Connect = Callable[..., ChatModel]
ASKED = [{"role": "user", "content": "hello"}]


def test_the_request_is_what_a_chat_service_expects(service: Any, connect: Connect) -> None:
    service.says("hi")
    connect(api_key="sk-secret").complete(ASKED, json_mode=True)
    path, headers, body = service.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer sk-secret"
    assert headers["User-Agent"] == user_agent()
    assert body == {
        "model": "small",
        "messages": ASKED,
        "stream": False,
        "temperature": 0.0,
        "max_tokens": 2048,
        "response_format": {"type": "json_object"},
    }


def test_further_fields_are_sent_and_none_takes_one_away(service: Any, connect: Connect) -> None:
    service.says("hi")
    extra = {"max_tokens": None, "max_completion_tokens": 99, "seed": 7}
    connect(extra_body=extra, temperature=0.5).complete(ASKED, json_mode=False)
    assert service.bodies[0] == {
        "model": "small",
        "messages": ASKED,
        "stream": False,
        "temperature": 0.5,
        "max_completion_tokens": 99,
        "seed": 7,
    }


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/api/v1/", "/api/v1/chat/completions"),
        ("/v1beta/openai", "/v1beta/openai/chat/completions"),
        ("/openai/chat/completions", "/openai/chat/completions"),
        ("/v1?api-version=2", "/v1/chat/completions?api-version=2"),
    ],
)
def test_a_base_url_is_taken_as_it_is_and_a_bare_host_at_its_usual_place(
    service: Any, connect: Connect, path: str, asked: str
) -> None:
    service.says("hi")
    connect(base_url=service.address + path).complete(ASKED, json_mode=False)
    assert service.requests[0][0] == asked


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_client_error_is_asked_once(service: Any, connect: Connect, status: int) -> None:
    service.fails(status)
    model = connect()
    with pytest.raises(ExtractionError, match=f"the model at .* answered {status}") as caught:
        model.complete(ASKED, json_mode=False)
    assert not caught.value.retryable
    assert (caught.value.status, caught.value.attempts) == (status, 1)
    assert len(service.requests) == 1
    assert (model.counts["attempts"], model.counts["calls"]) == (1, 0)
    assert (model.counts["tokens_in"], model.counts["usage_missing"]) == (0, 0)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_outage_twice_and_then_an_answer_is_one_call_in_three_requests(
    service: Any, connect: Connect, waits: list[float], status: int
) -> None:
    service.fails(status).fails(status).says("hi")
    model = connect()
    assert model.complete(ASKED, json_mode=True).http_attempts == 3
    assert waits == [0.5, 1.0]
    assert model.counts == {
        "attempts": 1,
        "calls": 1,
        "http_attempts": 3,
        "tokens_in": 10,
        "tokens_out": 3,
        "usage_missing": 0,
    }


def test_an_outage_that_stays_is_told_with_its_attempts(service: Any, connect: Connect) -> None:
    service.fails(503)
    model = connect()
    with pytest.raises(ExtractionError, match=r"answered 503: no \(3 attempts\)") as caught:
        model.complete(ASKED, json_mode=True)
    assert caught.value.retryable
    assert (model.counts["calls"], model.counts["http_attempts"]) == (0, 3)


@pytest.mark.parametrize(("told", "wait_s"), [("7", 7.0), ("3600", 30.0), ("soon", 0.5)])
def test_429_waits_as_long_as_the_service_says_up_to_half_a_minute(
    service: Any, connect: Connect, waits: list[float], told: str, wait_s: float
) -> None:
    service.fails(429, Retry_After=told).says("hi")
    connect().complete(ASKED, json_mode=True)
    assert waits == [wait_s]


def test_a_time_out_is_tried_again(service: Any, connect: Connect) -> None:
    service.is_slow().says("hi")
    assert connect(timeout_s=0.2).complete(ASKED, json_mode=True).http_attempts == 2


def test_an_answer_that_only_drips_is_tried_again(service: Any, connect: Connect) -> None:
    service.drips().says("hi")
    model = connect(seconds_per_look=40.0)
    assert model.complete(ASKED, json_mode=True).http_attempts == 2


@pytest.mark.parametrize("after", [b"", b'{"choices": ['])
def test_a_connection_that_breaks_is_tried_again(
    service: Any, connect: Connect, after: bytes
) -> None:
    service.hangs_up(after).says("hi")
    assert connect().complete(ASKED, json_mode=True).http_attempts == 2


def test_a_service_that_is_gone_is_an_outage_after_three_attempts(
    service: Any, connect: Connect
) -> None:
    model = connect()
    service.stop()
    with pytest.raises(ExtractionError, match=r"ConnectError: .* \(3 attempts\)") as caught:
        model.complete(ASKED, json_mode=True)
    assert caught.value.retryable


def test_tls_to_a_service_without_tls_is_asked_once(service: Any, connect: Connect) -> None:
    model = connect(base_url=service.address.replace("http:", "https:"), client=None)
    with pytest.raises(ExtractionError, match="failed the TLS check") as caught:
        model.complete(ASKED, json_mode=True)
    assert not caught.value.retryable
    assert caught.value.attempts == 1


def test_a_redirect_is_not_followed(service: Any, connect: Connect) -> None:
    service.fails(307, Location=f"{service.address}/elsewhere")
    with pytest.raises(ExtractionError, match="answered 307") as caught:
        connect().complete(ASKED, json_mode=True)
    assert not caught.value.retryable
    assert len(service.requests) == 1


def test_neither_an_error_nor_repr_shows_a_secret(service: Any, connect: Connect) -> None:
    service.sends(b'{"error": {"message": "Bad key sk-secret for ada p@ss q-key"}}', status=404)
    address = service.address.replace("//", "//ada:p%40ss@") + "?code=q-key"
    model = connect(base_url=address, api_key="sk-secret")
    with pytest.raises(ExtractionError, match="answered 404") as caught:
        model.complete(ASKED, json_mode=True)
    shown = f"{caught.value} {caught.value.hint} {model!r} {model.endpoint}"
    secrets = ("ada", "p@ss", "p%40ss", "q-key", "sk-secret")
    assert [secret for secret in secrets if secret in shown] == []
    assert service.requests[0][1]["Authorization"] == "Bearer sk-secret"


def test_nothing_is_sent_inside_a_write_transaction(service: Any, connect: Connect) -> None:
    model = connect()
    with transaction_open(), pytest.raises(CallInsideTransaction, match="the model small"):
        model.complete(ASKED, json_mode=True)
    assert service.requests == []


def test_a_closed_model_opens_new_connections(service: Any, connect: Connect) -> None:
    service.says("hi")
    with connect(client=None) as model:
        model.complete(ASKED, json_mode=True)
    assert model.complete(ASKED, json_mode=True).text == "hi"


def test_a_transport_takes_the_place_of_the_network() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"choices": [{"message": {"content": request.url.host}}]})

    transport = httpx.MockTransport(handle)
    with ChatModel("https://api.example.com", "small", transport=transport) as model:
        assert model.complete(ASKED, json_mode=True).text == "api.example.com"


def test_a_client_that_was_given_stays_open() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"choices": [{"message": {"content": "hi"}}]})

    with httpx.Client(transport=httpx.MockTransport(handle)) as client:
        with ChatModel("https://api.example.com", "small", client=client) as model:
            model.complete(ASKED, json_mode=True)
        assert not client.is_closed


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"base_url": "ftp://a.example"}, "base_url"),
        ({"base_url": "http://[s3cret"}, "base_url"),
        ({"model": " "}, "model"),
        ({"api_key": "a\n"}, "api_key"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"retries": -1}, "retries"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"extra_body": {"stream": True}}, "extra_body"),
        ({"client": object(), "transport": object()}, "transport"),
    ],
)
def test_an_argument_that_cannot_work_is_refused_at_once(
    options: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        ChatModel(**({"base_url": "http://localhost", "model": "small"} | options))
    assert caught.value.field == field
    assert "s3cret" not in str(caught.value)
