"""When a request is tried again, how long it waits, and what an error may say."""

import itertools
import ssl
from collections.abc import Callable, Iterator

import httpx
import pytest

from smriti_es.endpoint import parse_endpoint
from smriti_es.events.errors import EmbedderError, InvalidInput
from smriti_es.http_posting import ANSWER_BYTES_MAX, JsonPoster, Patience, user_agent

Reply = Callable[[httpx.Request], httpx.Response]
ENDPOINT = parse_endpoint("https://api.example.com/v1", "/v1/embeddings", api_key="sk-secret")


def reply(status: int, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda request: httpx.Response(status, json={"ok": status}, headers=named)


def failure(error: Exception) -> Reply:
    def fail(request: httpx.Request) -> httpx.Response:
        raise error

    return fail


class Attempt:
    """One post against scripted replies, the last of which repeats; notes requests and waits."""

    def __init__(self, *replies: Reply, retries: int = 2, seconds_per_look: float = 0.0) -> None:
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        self.answer: object = None
        self.attempts = 0
        self.error: EmbedderError | None = None
        scripted = list(replies)
        looks = itertools.count()

        def handle(request: httpx.Request) -> httpx.Response:
            self.requests.append(request)
            return (scripted.pop(0) if len(scripted) > 1 else scripted[0])(request)

        with httpx.Client(transport=httpx.MockTransport(handle), follow_redirects=True) as client:
            poster = JsonPoster(
                ENDPOINT,
                service="the service",
                error=EmbedderError,
                patience=Patience(
                    timeout_s=5,
                    retries=retries,
                    sleep=self.waits.append,
                    steady_clock=lambda: next(looks) * seconds_per_look,
                ),
                client=client,
            )
            try:
                posted = poster.post({"input": ["a"]})
                self.answer, self.attempts = posted.answer, posted.attempts
            except EmbedderError as error:
                self.error = error


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 408, 409, 422])
def test_another_client_error_is_asked_once(status: int) -> None:
    attempt = Attempt(reply(status))
    assert attempt.error is not None
    assert (attempt.error.status, attempt.error.attempts) == (status, 1)
    assert not attempt.error.retryable
    assert len(attempt.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_an_outage_twice_and_then_an_answer_takes_three_requests(status: int) -> None:
    attempt = Attempt(reply(status), reply(status), reply(200))
    assert attempt.answer == {"ok": 200}
    assert attempt.attempts == len(attempt.requests) == 3
    assert attempt.waits == [0.5, 1.0]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_outage_that_stays_is_told_with_its_attempts(status: int) -> None:
    attempt = Attempt(reply(status), retries=3)
    assert attempt.error is not None
    assert f"answered {status} (4 attempts)" in str(attempt.error)
    assert attempt.error.retryable
    assert attempt.waits == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    "error", [httpx.ReadTimeout("slow"), httpx.ConnectError("refused"), httpx.ReadError("reset")]
)
def test_a_broken_connection_is_tried_again(error: Exception) -> None:
    attempt = Attempt(failure(error), reply(200))
    assert attempt.answer == {"ok": 200}


def test_without_retries_one_request_is_sent() -> None:
    attempt = Attempt(reply(503), retries=0)
    assert attempt.error is not None
    assert attempt.error.retryable
    assert "(1 attempt)" in str(attempt.error)


def test_a_certificate_that_fails_its_check_is_asked_once() -> None:
    error = httpx.ConnectError("certificate verify failed")
    error.__cause__ = ssl.SSLCertVerificationError("self-signed certificate")
    attempt = Attempt(failure(error))
    assert attempt.error is not None
    assert "failed the TLS check" in str(attempt.error)
    assert not attempt.error.retryable
    assert len(attempt.requests) == 1


@pytest.mark.parametrize(
    "error",
    [httpx.UnsupportedProtocol("odd"), httpx.LocalProtocolError("ours"), httpx.InvalidURL("odd")],
)
def test_a_request_that_we_made_wrongly_is_not_repeated(error: Exception) -> None:
    attempt = Attempt(failure(error))
    assert attempt.error is not None
    assert not attempt.error.retryable


def test_a_redirect_is_not_followed_even_by_a_client_that_would() -> None:
    attempt = Attempt(reply(307, Location="https://elsewhere.example/"))
    assert attempt.error is not None
    assert attempt.error.status == 307
    assert [request.url.host for request in attempt.requests] == ["api.example.com"]


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"Retry_After": "3"}, 3.0),
        ({"Retry_After": "0"}, 0.0),
        ({"Retry_After": "86400"}, 30.0),
        ({"Retry_After": "soon"}, 0.5),
        ({"Retry_After": "-5"}, 0.5),
        ({"Retry_After": "Wed, 21 Oct 2026 07:28:20 GMT"}, 0.5),
        (
            {
                "Retry_After": "Wed, 21 Oct 2026 07:28:20 GMT",
                "Date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            20.0,
        ),
        (
            {
                "Retry_After": "Wed, 21 Oct 2026 07:28:00 GMT",
                "Date": "Wed, 21 Oct 2026 07:28:20 GMT",
            },
            0.0,
        ),
    ],
)
def test_the_wait_is_what_the_answer_says_up_to_half_a_minute(
    headers: dict[str, str], wait_s: float
) -> None:
    assert Attempt(reply(429, **headers), reply(200)).waits == [wait_s]


def test_the_backoff_never_exceeds_half_a_minute() -> None:
    attempt = Attempt(reply(500), retries=9)
    assert attempt.waits == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


@pytest.mark.parametrize(
    "body", [{"error": "no sk-secret"}, {"error": {"message": "no sk-secret"}}]
)
def test_the_services_own_words_are_told_without_the_key(body: object) -> None:
    attempt = Attempt(lambda request: httpx.Response(400, json=body))
    assert attempt.error is not None
    assert "answered 400: no *** (1 attempt)" in str(attempt.error)


def test_long_words_of_a_service_become_one_short_line() -> None:
    attempt = Attempt(lambda request: httpx.Response(400, json={"error": "a\n\x1b[31m" * 500}))
    told = str(attempt.error)
    assert len(told) < 300
    assert told.isprintable()


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"error": 7}', b'{"error": {}}'])
def test_a_refusal_in_no_known_form_is_told_by_its_status(body: bytes) -> None:
    attempt = Attempt(lambda request: httpx.Response(400, content=body))
    assert "answered 400 (1 attempt)" in str(attempt.error)


def test_the_user_agent_names_library_and_version() -> None:
    name, version = user_agent().split("/")
    assert name == "smriti-es"
    assert version
    assert Attempt(reply(200)).requests[0].headers["User-Agent"] == user_agent()


def test_an_error_names_the_endpoint() -> None:
    assert "https://api.example.com/v1/embeddings answered" in str(Attempt(reply(400)).error)


def test_an_answer_that_only_drips_is_an_outage() -> None:
    def drip(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=(b" " for _ in range(100)))

    attempt = Attempt(drip, retries=1, seconds_per_look=2.0)
    assert attempt.error is not None
    assert "did not answer in time (bytes still came) (2 attempts)" in str(attempt.error)
    assert attempt.error.retryable


def test_an_answer_without_end_is_given_up_and_not_asked_for_again() -> None:
    def endless(request: httpx.Request) -> httpx.Response:
        def pieces() -> Iterator[bytes]:
            while True:
                yield b" " * 2**22

        return httpx.Response(200, content=pieces())

    attempt = Attempt(endless)
    assert attempt.error is not None
    assert f"answered with more than {ANSWER_BYTES_MAX} bytes (1 attempt)" in str(attempt.error)
    assert not attempt.error.retryable


@pytest.mark.parametrize("status", [200, 400])
def test_an_answer_nested_without_measure_is_no_json(status: int) -> None:
    attempt = Attempt(lambda request: httpx.Response(status, content=b"[" * 100_000))
    assert attempt.error is not None
    assert not attempt.error.retryable
    assert attempt.error.status == status


@pytest.mark.parametrize(
    ("options", "field"), [({"timeout_s": 0}, "timeout_s"), ({"retries": -1}, "retries")]
)
def test_patience_that_cannot_work_is_refused(options: dict[str, float], field: str) -> None:
    with pytest.raises(InvalidInput, match="cannot work") as caught:
        Patience(**options)  # type: ignore[arg-type]
    assert caught.value.field == field
