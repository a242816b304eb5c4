"""Read JSON that somebody wrote, refusing what would have to be guessed at."""

import json
from typing import Any, NoReturn

from smriti_es.events.errors import InvalidInput


def read_json(text: str, place: str, hint: str) -> Any:
    """Read a JSON text, in which no object may name a key twice and every number is one of JSON.

    Args:
        text: The text.
        place: Where it stands, for the message.
        hint: What should stand there.

    Raises:
        InvalidInput: It is no such JSON.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except _Twice as error:
        raise InvalidInput(
            f"{place}: has the key {error.args[0]!r} twice", hint="Keep one of the two."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{place}: not JSON: {error}", hint=hint) from error


class _Twice(Exception):
    """A key that stands twice in one object; readers of JSON differ in which of them they take."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            raise _Twice(key)
        read[key] = value
    return read


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
