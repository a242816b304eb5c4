"""Which extractor and which language model the words on the command line mean."""

import os
from typing import TYPE_CHECKING, Final, Literal

from smriti_es.events.errors import InvalidInput

if TYPE_CHECKING:
    from smriti_es.extraction.chat import ChatModel
    from smriti_es.extraction.contract import Extractor

_LLM_HINT: Final = (
    "Give an address with the model behind a #, as in http://localhost:11434#qwen2.5:7b."
)


def chosen_llm(address: str | None) -> "ChatModel | None":
    """Make the language model that is named.

    Args:
        address: An http(s) address of an OpenAI-compatible service with the model behind a `#`; its
            key is read from SMRITI_ES_LLM_KEY. None: no model.

    Raises:
        InvalidInput: It is no such address, or names no model.
    """
    if address is None:
        return None
    from smriti_es.extraction.chat import ChatModel

    url, _, model = address.partition("#")
    if not model:
        raise InvalidInput(f"--llm {address!r} names no model", hint=_LLM_HINT)
    return ChatModel(url, model, api_key=os.environ.get("SMRITI_ES_LLM_KEY") or None)


def chosen_extractor(name: str, llm: "ChatModel | None") -> "Extractor | Literal['auto'] | None":
    """Make the extractor that is named.

    Args:
        name: `auto`, `patterns` or `none`; `auto` is the language model where one is named, and
            patterns elsewhere.
        llm: The language model, or None.

    Raises:
        InvalidInput: It means none of these.
    """
    if name == "none":
        return None
    if name == "auto" and llm is not None:
        from smriti_es.extraction.llm import LLMExtractor

        return LLMExtractor(llm)
    if name in ("auto", "patterns"):
        return "auto"
    raise InvalidInput(f"there is no extractor {name!r}", hint="Give auto, patterns or none.")
