"""Which reranker a word means."""

from pathlib import Path
from typing import Any

import pytest

from smriti_es.cli.reranker_choice import chosen_reranker
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.rerankers import HttpReranker, SystemOneReranker


def test_none_is_no_reranker() -> None:
    assert chosen_reranker("none") is None


@pytest.mark.parametrize(
    ("address", "endpoint"),
    [
        ("http://localhost:8080#m", "http://localhost:8080/v1/rerank"),
        ("http://localhost:8080/v1/rerank#m", "http://localhost:8080/v1/rerank"),
        ("http://localhost:8080/rerank", "http://localhost:8080/rerank"),
    ],
)
def test_an_address_is_a_model_behind_http(address: str, endpoint: str) -> None:
    chosen = chosen_reranker(address)
    assert isinstance(chosen, HttpReranker)
    assert chosen.endpoint == endpoint


@pytest.mark.parametrize("mode", ["noul", "fanout", "choice", "rank"])
def test_a_mode_before_an_address_is_a_system_one_model(mode: str) -> None:
    chosen = chosen_reranker(f"{mode}:https://api.example.com#jev-latest")
    assert isinstance(chosen, SystemOneReranker)
    assert (chosen.mode, chosen.model) == (mode, "jev-latest")
    assert chosen.endpoint == "https://api.example.com/v1/systemone"


def test_its_key_is_read_from_the_environment(
    loopback: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMRITI_ES_RERANKER_KEY", "hush")
    loopback.sends(b'{"results": []}')
    chosen = chosen_reranker(f"{loopback.address}#m")
    assert isinstance(chosen, HttpReranker)
    with chosen:
        chosen.rerank("tea?", ["tea"])
    assert loopback.requests[0][1]["Authorization"] == "Bearer hush"


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"model\.onnx"):
        chosen_reranker(str(tmp_path))


@pytest.mark.parametrize("name", ["best", "vote:https://api.example.com#m"])
def test_what_is_none_of_these_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        chosen_reranker(name)
