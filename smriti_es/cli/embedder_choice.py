"""Which embedder a word on the command line means."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from smriti_es.events.errors import InvalidInput

if TYPE_CHECKING:
    from smriti_es.embedders import Embedder, HttpEmbedder

_HINT = (
    "Give auto, none, hash, minilm, multilingual, a folder with model.onnx and tokenizer.json, or "
    "an address with the model behind a #, as in http://localhost:11434#nomic-embed-text."
)


def chosen_embedder(name: str) -> "Embedder | Literal['auto'] | None":
    """Make the embedder that is named.

    Args:
        name: `auto`, `none`, `hash`, `minilm`, `multilingual`, the path of an ONNX model, or an
            http(s) address with the model behind a `#`. An address that ends in `/api` or
            `/api/embed` speaks Ollama's own language, any other OpenAI's; its key is read from
            SMRITI_ES_EMBEDDER_KEY.

    Raises:
        InvalidInput: It means none of these.
        NotFound: The model has no such file.
        MissingExtra: The extra of that name is not installed.
    """
    from smriti_es.embedders import (
        HashEmbedder,
        MiniLMEmbedder,
        MultilingualEmbedder,
        OnnxEmbedder,
    )

    if name in ("auto", "none"):
        return "auto" if name == "auto" else None
    if name == "hash":
        return HashEmbedder()
    if name in ("minilm", "multilingual"):
        return MiniLMEmbedder() if name == "minilm" else MultilingualEmbedder()
    if name.startswith(("http://", "https://")):
        return _http_embedder(name)
    if os.sep in name or Path(name).exists():
        return OnnxEmbedder(name)
    raise InvalidInput(f"there is no embedder {name!r}", hint=_HINT)


def _http_embedder(address: str) -> "HttpEmbedder":
    from smriti_es.embedders import HttpEmbedder

    url, _, model = address.partition("#")
    if not model:
        raise InvalidInput("the embedder's address names no model", hint=_HINT)
    path = url.partition("?")[0].rstrip("/")
    return HttpEmbedder(
        url,
        model,
        api="ollama" if path.endswith(("/api", "/api/embed")) else "openai",
        api_key=os.environ.get("SMRITI_ES_EMBEDDER_KEY") or None,
    )
