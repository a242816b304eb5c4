"""Which reranker a word on the command line means."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from smriti_es.events.errors import InvalidInput

if TYPE_CHECKING:
    from smriti_es.rerankers import Reranker

_HINT: Final = (
    "Give none, a folder with model.onnx and tokenizer.json, an address as in "
    "https://api.example.com#model, or one of System One with its mode before it, as in "
    "noul:https://api.example.com#model; the modes are noul, fanout, choice and rank."
)
_WEB: Final = ("http://", "https://")


def chosen_reranker(name: str) -> "Reranker | None":
    """Make the reranker that is named.

    Args:
        name: `none`, the path of a folder, or an http(s) address with the model behind a `#`, with
            a mode of System One and a colon before it where it is one. An address that ends in
            `/rerank` speaks the language of text-embeddings-inference, any other Cohere's; its key
            is read from SMRITI_ES_RERANKER_KEY.

    Raises:
        InvalidInput: It means none of these.
        NotFound: The model has no such file.
    """
    if name == "none":
        return None
    from smriti_es.rerankers import HttpReranker, OnnxReranker, SystemOneReranker

    key = os.environ.get("SMRITI_ES_RERANKER_KEY") or None
    if name.startswith(_WEB):
        url, _, model = name.partition("#")
        own = url.partition("?")[0].rstrip("/").endswith("/rerank") and "/v1/" not in url
        return HttpReranker(url, model, api="tei" if own else "cohere", api_key=key)
    mode, _, address = name.partition(":")
    if address.startswith(_WEB):
        url, _, model = address.partition("#")
        return SystemOneReranker(url, model, mode=mode, api_key=key)  # type: ignore[arg-type]
    if os.sep in name or Path(name).exists():
        return OnnxReranker(name)
    raise InvalidInput(f"there is no reranker {name!r}", hint=_HINT)
