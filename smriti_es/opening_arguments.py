"""What `Engine.open` is given, checked before anything is opened or made.

Whatever passed here and failed later would leave a file behind, or a thread that ends in an error
that nobody sees.
"""

import inspect
import os
from collections.abc import Mapping
from typing import Final

from smriti_es.checked_values import Place, checked_label, checked_names, checked_text
from smriti_es.events.errors import InvalidInput
from smriti_es.events.header import canonical_bytes
from smriti_es.events.locations import names_server
from smriti_es.events.registry import assert_not_reserved, assert_tenant_name
from smriti_es.settings import Settings

_NAME_LENGTH_MAX: Final = 200
# What is asked of each kind of adapter, and what to write instead of one that lacks it.
_ADAPTERS: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "embedder": (
        ("identity", "weak", "embed"),
        'Give "auto", None, or an object such as HashEmbedder().',
    ),
    "extractor": (
        ("name", "model", "prompt_digest", "immediate", "extract"),
        'Give "auto", None, or an object such as LLMExtractor(chat).',
    ),
    "arbiter": (("decide",), "Give None, or an object such as LLMArbiter(chat)."),
    "reranker": (("rerank",), "Give None, or an object such as OnnxReranker(folder)."),
}
# Of these there is one to be had by "auto".
_WITH_DEFAULT: Final = ("embedder", "extractor")


def checked_location(location: object) -> str:
    """Check where a memory lies, and give it as text.

    Raises:
        InvalidInput: It is no path of a file, nor the URL of a database that is supported.
    """
    place = Place("location")
    hint = 'Give the path of a file, as in "memory.db", ":memory:", or "postgresql+psycopg://…".'
    path = os.fspath(location) if isinstance(location, os.PathLike) else location
    if not isinstance(path, str):
        raise place.refusal(f"must be a path, not {type(path).__name__}", hint)
    text = checked_text(path, place)
    if not text or "\0" in text:
        raise place.refusal("holds NUL" if text else "is empty", hint)
    scheme, mark, _ = text.partition("://")
    if mark and not names_server(text):
        raise InvalidInput(f"{scheme}:// is not supported by this release", hint=hint)
    return text


def checked_spaces(space: object, spaces: object) -> tuple[str, ...]:
    """Check the space that is written to, and give those that are read.

    Args:
        space: The space that is written to.
        spaces: The spaces that are read, or None: the one that is written to.

    Raises:
        InvalidInput: One of them cannot be the name of a space, or there is none to read.
    """
    written = checked_label(space, Place("space"), _NAME_LENGTH_MAX)
    if spaces is None:
        return (written,)
    place = Place("spaces")
    read = checked_names(spaces, place)
    if not read:
        raise place.refusal("is empty, so that nothing could be read", "Leave it out.")
    return tuple(checked_label(each, place, _NAME_LENGTH_MAX) for each in read)


def checked_actor(actor: object) -> str:
    """Check the name of whoever writes, which every event carries in its header.

    Raises:
        InvalidInput: A header cannot hold it.
    """
    name = checked_label(actor, Place("actor"), _NAME_LENGTH_MAX)
    try:
        canonical_bytes({"actor": name})
    except InvalidInput as error:
        raise Place("actor").refusal(
            "holds a character that the log cannot keep in a header",
            "Write printable ASCII without quote and backslash, as in agent-7.",
        ) from error
    return name


def check_adapters(**adapters: object) -> None:
    """Refuse what cannot do the work of an adapter; the model of none is asked.

    Args:
        **adapters: Kind -> what was given.

    Raises:
        InvalidInput: One of them lacks something of the protocol of its kind.
    """
    for kind, adapter in adapters.items():
        if adapter is None or (adapter == "auto" and kind in _WITH_DEFAULT):
            continue
        asked, hint = _ADAPTERS[kind]
        if isinstance(adapter, (str, type)):
            shown = repr(adapter) if isinstance(adapter, str) else f"the class {adapter.__name__}"
            raise Place(kind).refusal(f"is {shown}, and no object that can be used", hint)
        missing = [name for name in asked if not _has(adapter, name)]
        if missing:
            raise Place(kind).refusal(
                f"is of type {type(adapter).__name__}, which has no {' and no '.join(missing)}",
                hint,
            )


def check_plain(*, tenant: str, timezone: object, settings: object, clock: object) -> None:
    """Refuse values of a type that stands for nothing.

    Raises:
        InvalidInput: One of them is, or no tenant can have that name.
    """
    assert_tenant_name(tenant)
    assert_not_reserved(tenant)
    if timezone is not None:
        checked_text(timezone, Place("timezone"))
    if settings is not None and not isinstance(settings, Settings):
        raise Place("settings").refusal(
            f"must be Settings, not {type(settings).__name__}",
            "Give an instance of the class Settings, or leave it out.",
        )
    if settings is not None and settings.async_threads < 1:
        raise Place("settings.async_threads").refusal(
            f"is {settings.async_threads}; it must be at least 1", "Leave it out for 8."
        )
    if not callable(clock):
        raise Place("clock").refusal(
            f"must be a function, not {type(clock).__name__}",
            "Give a function that returns microseconds since the epoch.",
        )


def check_switches(**switches: object) -> None:
    """Refuse what is neither True nor False where it must be one of them.

    Raises:
        InvalidInput: One of them is something else, which Python would take for True or False.
    """
    for name, given in switches.items():
        if not isinstance(given, bool):
            raise Place(name).refusal(f"is {given!r}", "Give True or False.")


def _has(adapter: object, name: str) -> bool:
    """Tell whether an object has an attribute, without running what a property would."""
    try:
        inspect.getattr_static(adapter, name)
    except AttributeError:
        return hasattr(adapter, name)
    return True
