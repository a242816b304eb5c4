"""Which embedder a word means."""

from pathlib import Path

import pytest

from smriti_es.cli.embedder_choice import chosen_embedder
from smriti_es.embedders import (
    HashEmbedder,
    HttpEmbedder,
    MiniLMEmbedder,
    MultilingualEmbedder,
    OnnxEmbedder,
)
from smriti_es.embedders.minilm import minilm_installed
from smriti_es.embedders.multilingual import multilingual_installed
from smriti_es.events.errors import InvalidInput, NotFound


def test_auto_leaves_the_choice_to_the_engine() -> None:
    assert chosen_embedder("auto") == "auto"


def test_none_is_no_embedder() -> None:
    assert chosen_embedder("none") is None


def test_hash_needs_no_model() -> None:
    assert isinstance(chosen_embedder("hash"), HashEmbedder)


@pytest.mark.skipif(not minilm_installed(), reason="needs the extra minilm")
def test_minilm_is_the_model_that_is_installed() -> None:
    assert isinstance(chosen_embedder("minilm"), MiniLMEmbedder)


@pytest.mark.skipif(not multilingual_installed(), reason="needs the extra multilingual")
def test_multilingual_is_the_model_that_is_installed() -> None:
    assert isinstance(chosen_embedder("multilingual"), MultilingualEmbedder)


def test_a_folder_with_a_model_is_that_model(tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"")
    assert isinstance(chosen_embedder(str(tmp_path)), OnnxEmbedder)


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"model\.onnx"):
        chosen_embedder(str(tmp_path))


@pytest.mark.parametrize(
    ("address", "endpoint"),
    [
        ("http://localhost:11434#nomic", "http://localhost:11434/v1/embeddings"),
        ("https://api.example.com/v1#small", "https://api.example.com/v1/embeddings"),
        ("http://localhost:11434/api#nomic", "http://localhost:11434/api/embed"),
        ("http://localhost:11434/api/embed#nomic", "http://localhost:11434/api/embed"),
    ],
)
def test_an_address_tells_which_language_it_speaks(address: str, endpoint: str) -> None:
    embedder = chosen_embedder(address)
    assert isinstance(embedder, HttpEmbedder)
    assert embedder.endpoint == endpoint
    embedder.close()


def test_the_key_of_an_address_comes_from_the_environment_and_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SMRITI_ES_EMBEDDER_KEY", "sk-secret")
    embedder = chosen_embedder("https://api.example.com/v1#small")
    assert isinstance(embedder, HttpEmbedder)
    assert "sk-secret" not in repr(embedder)
    embedder.close()


@pytest.mark.parametrize("name", ["guess", "https://api.example.com/v1", "http://#model"])
def test_anything_else_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        chosen_embedder(name)
