"""A reranking model behind HTTP, against a real server on loopback."""

import json
from typing import Any

import pytest

from smriti_es.events.errors import InvalidInput, RerankerError
from smriti_es.rerankers import HttpReranker


def test_texts_go_out_in_order_and_scores_come_back_by_index(loopback: Any) -> None:
    loopback.sends(
        b'{"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]}'
    )
    with HttpReranker(loopback.address, "judge-1", api_key="k") as judge:
        assert judge.rerank("tea?", ["kite", "tea"]) == [0.1, 0.9]
    ((path, headers, body),) = loopback.requests
    assert path == "/v1/rerank"
    assert headers["Authorization"] == "Bearer k"
    assert body == {"query": "tea?", "documents": ["kite", "tea"], "model": "judge-1"}


def test_the_other_form_has_a_bare_list_and_no_model(loopback: Any) -> None:
    loopback.sends(b'[{"index": 0, "score": 2.5}]')
    with HttpReranker(loopback.address, api="tei", max_doc_chars=3) as judge:
        assert judge.rerank("tea?", ["kites"]) == [2.5]
    ((path, headers, body),) = loopback.requests
    assert path == "/rerank"
    assert "Authorization" not in headers
    assert body == {"query": "tea?", "texts": ["kit"]}


def test_no_texts_cost_no_request(loopback: Any) -> None:
    with HttpReranker(loopback.address, "m") as judge:
        assert judge.rerank("tea?", []) == []
    assert loopback.requests == []


@pytest.mark.parametrize(
    "row",
    [
        {"index": 7, "score": 1.0},
        {"index": -1, "score": 1.0},
        {"index": True, "score": 1.0},
        {"index": "0", "score": 1.0},
        {"index": 0, "score": "much"},
        {"index": 0, "score": True},
        {"index": 0, "score": 10**400},
        {"index": 0},
        {},
    ],
)
def test_what_is_no_score_of_a_text_judges_none(loopback: Any, row: dict[str, Any]) -> None:
    loopback.sends(json.dumps([row]).encode())
    with HttpReranker(loopback.address, "m") as judge:
        assert judge.rerank("tea?", ["kite"]) == [None]


@pytest.mark.parametrize("answer", [b"{}", b'"yes"', b"[1]", b'{"results": 3}'])
def test_an_answer_of_another_form_is_an_error(loopback: Any, answer: bytes) -> None:
    loopback.sends(answer)
    with HttpReranker(loopback.address, "m") as judge, pytest.raises(RerankerError, match="list"):
        judge.rerank("tea?", ["kite"])


def test_an_outage_is_tried_again_and_then_told(loopback: Any) -> None:
    loopback.sends(b"{}", status=503)
    waited: list[float] = []
    with (
        HttpReranker(loopback.address, "m", retries=2, sleep=waited.append) as judge,
        pytest.raises(RerankerError) as told,
    ):
        judge.rerank("tea?", ["kite"])
    assert (told.value.status, told.value.attempts, told.value.retryable) == (503, 3, True)
    assert waited == [0.5, 1.0]


def test_an_unknown_form_and_a_bad_number_are_refused() -> None:
    with pytest.raises(InvalidInput, match="'soap'"):
        HttpReranker("http://localhost:1", "m", api="soap")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="max_doc_chars=0"):
        HttpReranker("http://localhost:1", "m", max_doc_chars=0)


def test_neither_the_key_nor_the_query_of_the_address_is_shown() -> None:
    judge = HttpReranker("http://user:secret@localhost:1/?token=hush", "m", api_key="key")
    assert repr(judge) == "HttpReranker('http://localhost:1/v1/rerank', 'm')"
