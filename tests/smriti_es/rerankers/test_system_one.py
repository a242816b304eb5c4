"""A System One model behind HTTP in its four modes, against a real server on loopback."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from smriti_es.events.errors import InvalidInput, RerankerError
from smriti_es.rerankers import SystemOneReranker

DOCS = ["the kite is red", "tea at four", "green tea"]


def answers_of(body: dict[str, Any]) -> dict[str, Any]:
    """Answer as a model would for which a text with tea is relevant."""
    state = body["state"]
    answers: dict[str, Any] = {}
    for name, question in body["questions"].items():
        if question["type"] == "choice":
            odds = {key: float("tea" in text) / 2 for key, text in question["criteria"].items()}
            answers[name] = {"type": "choice", "choice": "", "probabilities": odds}
        else:
            text = state.get(name, state.get("document"))
            answers[name] = {"type": "noul", "noul": 0.9 if "tea" in text else 0.2}
    return answers


@pytest.fixture
def model(loopback: Any) -> Any:
    """A server that judges; each request costs 100 tokens."""

    def act(handler: BaseHTTPRequestHandler) -> None:
        found = {
            "answers": answers_of(loopback.requests[-1][2]),
            "usage": {"input_tokens": 100, "output_tokens": 1},
        }
        sent = json.dumps(found).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(sent)))
        handler.end_headers()
        handler.wfile.write(sent)

    loopback.answers.append(act)
    return loopback


Make = Callable[..., SystemOneReranker]


@pytest.fixture
def judge(model: Any) -> Make:
    def make(**options: Any) -> SystemOneReranker:
        given = {"workers": 1, "retries": 0, **options}
        return SystemOneReranker(model.address, "jev-latest", **given)

    return make


@pytest.mark.parametrize(
    ("options", "requests"),
    [
        ({"mode": "noul"}, 3),
        ({"mode": "fanout", "fanout_size": 2}, 2),
        ({"mode": "choice"}, 1),
        ({"mode": "rank"}, 1),
    ],
)
def test_every_mode_tells_what_bears_on_the_question(
    model: Any, judge: Make, options: dict[str, Any], requests: int
) -> None:
    with judge(api_key="k", **options) as asked:
        scores = asked.rerank("When is tea?", DOCS)
    assert scores[1] == scores[2]
    assert scores[1] > scores[0]  # type: ignore[operator]
    assert len(model.requests) == requests
    for path, headers, body in model.requests:
        assert (path, headers["Authorization"]) == ("/v1/systemone", "Bearer k")
        assert body["model"] == "jev-latest"
    used = asked.usage
    assert (used.calls, used.requests, used.docs) == (1, requests, 3)
    assert (used.input_tokens, used.errors) == (100 * requests, 0)


def test_ranking_gives_the_question_as_instruction_and_the_texts_in_order(
    model: Any, judge: Make
) -> None:
    with judge(mode="rank") as asked:
        asked.rerank("When is tea?", DOCS)
    body = model.requests[0][2]
    assert body["state"] == ""
    (question,) = body["questions"].values()
    assert question["instructions"] == "When is tea?"
    assert list(question["criteria"].values()) == DOCS


def test_requests_at_the_same_time_come_back_in_the_order_of_the_texts(judge: Make) -> None:
    with judge(workers=4) as asked:
        # The server answers by its last request, so each is judged by itself alone.
        assert len(asked.rerank("When is tea?", ["green tea"] * 6)) == 6


def test_a_request_that_fails_leaves_its_text_unjudged(loopback: Any) -> None:
    loopback.sends(b'{"answers": {"document_1": {"type": "noul", "noul": 0.7}}}')
    loopback.sends(b"{}", status=400)
    with SystemOneReranker(loopback.address, workers=1) as asked:
        assert asked.rerank("When is tea?", DOCS[:2]) == [0.7, None]
    assert asked.usage.errors == 1
    assert "model" not in loopback.requests[0][2]
    assert "Authorization" not in loopback.requests[0][1]


def test_when_every_request_fails_it_is_an_error(loopback: Any) -> None:
    loopback.sends(b"{}", status=400)
    with (
        SystemOneReranker(loopback.address, workers=1) as asked,
        pytest.raises(RerankerError) as told,
    ):
        asked.rerank("When is tea?", DOCS)
    assert told.value.status == 400
    assert asked.usage.errors == 3


@pytest.mark.parametrize("mode", ["noul", "fanout", "choice", "rank"])
@pytest.mark.parametrize(
    "answer",
    [
        b"[]",
        b'{"answers": []}',
        b'{"answers": {"document_1": 1, "best": 1}}',
        b'{"answers": {"document_1": {"noul": "much"}, "best": {"probabilities": {}}}}',
    ],
)
def test_an_answer_of_another_form_is_an_error(loopback: Any, mode: Any, answer: bytes) -> None:
    loopback.sends(answer)
    with (
        SystemOneReranker(loopback.address, mode=mode, workers=1) as asked,
        pytest.raises(RerankerError, match="answer"),
    ):
        asked.rerank("When is tea?", ["tea"])


def test_no_texts_cost_no_request(loopback: Any) -> None:
    with SystemOneReranker(loopback.address) as asked:
        assert asked.rerank("When is tea?", []) == []
    assert loopback.requests == []
    assert asked.usage.calls == 0


def test_what_was_counted_starts_from_nothing_again(judge: Make) -> None:
    with judge(mode="rank") as asked:
        asked.rerank("When is tea?", DOCS)
    assert asked.reset_usage().docs == 3
    assert asked.usage.docs == 0


def test_a_long_text_is_cut(model: Any, judge: Make) -> None:
    with judge(max_doc_chars=3) as asked:
        asked.rerank("When is tea?", ["tea at four"])
    assert model.requests[0][2]["state"]["document"] == "tea"


def test_an_unknown_mode_is_named() -> None:
    with pytest.raises(InvalidInput, match="'vote'"):
        SystemOneReranker("http://localhost:1", mode="vote")  # type: ignore[arg-type]
