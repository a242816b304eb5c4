"""A real server plays what services do wrong, and each has its exact outcome."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.events.errors import ExtractionError
from smriti_es.extraction.contract import Extraction

PUNE: dict[str, Any] = {
    "statement": "Ana moved to Pune",
    "subject": "Ana",
    "predicate": "lives_in",
    "object": "Pune",
    "turns": [1],
    "quote": "Ana moved to Pune on May 3rd",
}
ACME: dict[str, Any] = {
    "statement": "Ben works at Acme",
    "subject": "Ben",
    "predicate": "works_at",
    "object": "Acme",
    "turns": [2],
    "quote": "Ben works at Acme",
}
GOOD = json.dumps({"facts": [PUNE]})
Extract = Callable[..., Extraction]


def objects(found: Extraction) -> list[str]:
    return [fact.object for fact in found.facts]


def test_429_without_and_with_a_time_to_wait(
    service: Any, extract: Extract, waits: list[float]
) -> None:
    service.fails(429).fails(429, Retry_After="9").says(GOOD)
    found = extract()
    assert (found.status, objects(found)) == ("ok", ["Pune"])
    assert waits == [0.5, 9.0]
    assert (found.usage["calls"], found.usage["http_attempts"]) == (1, 3)


def test_500s_until_patience_ends(service: Any, extract: Extract, waits: list[float]) -> None:
    service.fails(500).fails(502).fails(503)
    with pytest.raises(ExtractionError, match=r"answered 503: no \(3 attempts\)") as caught:
        extract()
    assert (caught.value.retryable, caught.value.status) == (True, 503)
    assert waits == [0.5, 1.0]


def test_a_slow_drip(service: Any, extract: Extract) -> None:
    service.drips()
    with pytest.raises(ExtractionError, match=r"bytes still came\) \(2 attempts\)") as caught:
        extract(seconds_per_look=40.0, retries=1)
    assert caught.value.retryable


def test_silence(service: Any, extract: Extract) -> None:
    service.is_slow()
    with pytest.raises(ExtractionError, match=r"did not answer in time .* \(1 attempt\)") as caught:
        extract(timeout_s=0.1, retries=0)
    assert caught.value.retryable


def test_hanging_up_before_and_within_an_answer(service: Any, extract: Extract) -> None:
    service.hangs_up().hangs_up(b'{"choices": [{"message"').says(GOOD)
    found = extract()
    assert objects(found) == ["Pune"]
    assert found.usage["http_attempts"] == 3


@pytest.mark.parametrize(
    "body", [b"", b"<html><h1>502</h1></html>", GOOD.encode()[:-30], b"\xff\xfe\x00\xd8"]
)
def test_a_body_that_is_no_json(service: Any, extract: Extract, body: bytes) -> None:
    service.sends(body, Content_Type="text/html")
    with pytest.raises(ExtractionError, match="something that is no JSON") as caught:
        extract()
    assert not caught.value.retryable
    assert len(service.requests) == 1


def test_a_body_without_choices(service: Any, extract: Extract) -> None:
    service.sends(GOOD.encode())
    with pytest.raises(ExtractionError, match="no `choices` with a `message`") as caught:
        extract()
    assert not caught.value.retryable


def test_a_wrong_content_type(service: Any, extract: Extract) -> None:
    body = {"choices": [{"message": {"content": GOOD}}]}
    service.sends(json.dumps(body).encode(), Content_Type="text/plain; charset=latin-1")
    assert objects(extract()) == ["Pune"]


def test_a_redirect(service: Any, extract: Extract) -> None:
    service.fails(302, Location=f"{service.address}/elsewhere")
    with pytest.raises(ExtractionError, match="answered 302") as caught:
        extract()
    assert not caught.value.retryable
    assert len(service.requests) == 1


def test_401_with_the_key_in_it(service: Any, extract: Extract) -> None:
    service.sends(b'{"error": {"message": "Incorrect key sk-sec***"}}', status=401)
    with pytest.raises(ExtractionError, match="answered 401") as caught:
        extract(api_key="sk-secret")
    assert "sk-sec" not in f"{caught.value} {caught.value.hint}"
    assert not caught.value.retryable
    assert len(service.requests) == 1


def test_a_refusal_of_json_mode(service: Any, extract: Extract) -> None:
    service.fails(400).says(GOOD)
    found = extract()
    assert objects(found) == ["Pune"]
    assert ["response_format" in body for body in service.bodies] == [True, False]
    assert (found.usage["attempts"], found.usage["calls"]) == (2, 1)


def test_a_refusal_to_answer(service: Any, extract: Extract) -> None:
    service.says(None, message={"content": None, "refusal": "I cannot."})
    with pytest.raises(ExtractionError, match="refuses to answer") as caught:
        extract()
    assert not caught.value.retryable


def test_an_outage_in_the_middle_of_a_correction(service: Any, extract: Extract) -> None:
    service.lists(ACME, PUNE | {"scope": "project:x"}).fails(503)
    found = extract()
    assert (found.status, objects(found)) == ("retry_failed", ["Acme"])
    assert found.details["scopes"][0]["retry_error"].endswith("(3 attempts)")


def test_no_tokens_counted(service: Any, extract: Extract) -> None:
    service.says(GOOD, usage=None)
    assert extract().usage["usage_missing"] == 1
