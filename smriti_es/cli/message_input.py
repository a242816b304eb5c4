"""Read what `add` is to record: a text, stdin, or a file of messages."""

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from smriti_es.events.errors import InvalidInput

if TYPE_CHECKING:
    from smriti_es.capture import Messages

STDIN: Final = "-"
_HINT: Final = "Give a text, - to read it from stdin, or --file with a JSON list of messages."


def read_messages(
    text: str | None, file: str | None, *, role: str | None, name: str | None
) -> "Messages":
    """Read the messages.

    Args:
        text: What was said; `-` reads stdin, less the line end that closes it.
        file: A file with a JSON list of messages, or one of them; `-` reads stdin.
        role: Who spoke the text; None: user.
        name: The speaker's name.

    Raises:
        InvalidInput: Neither or both were given, or what was read is not text or not JSON.
        NotFound: There is no such file.
    """
    if (text is None) == (file is None):
        problem = "there is nothing to add" if text is None else "a text and --file were given"
        raise InvalidInput(problem, hint=_HINT)
    if text is not None:
        content = _stdin().removesuffix("\n") if text == STDIN else text
        message: dict[str, Any] = {"role": "user" if role is None else role, "content": content}
        return message if name is None else message | {"name": name}
    from smriti_es.importers.source import read_text

    assert file is not None
    if role is not None or name is not None:
        raise InvalidInput(
            "--role and --name do not go with --file", hint="Each message of the file says them."
        )
    return _parsed(_stdin() if file == STDIN else read_text(Path(file)), file)


def _parsed(text: str, file: str) -> "Messages":
    from smriti_es.importers.json_text import read_json

    messages: Messages = read_json(text, file, _HINT)
    if not isinstance(messages, (list, dict)):
        raise InvalidInput(f"{file}: neither a list of messages nor one message", hint=_HINT)
    return messages


def _stdin() -> str:
    from smriti_es.importers.source import FILE_BYTES_MAX

    content = sys.stdin.buffer.read(FILE_BYTES_MAX + 1)
    if len(content) > FILE_BYTES_MAX:
        raise InvalidInput(
            f"stdin holds more than {FILE_BYTES_MAX} bytes",
            hint="Split it, or use `smriti-es import`.",
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"stdin is not UTF-8 at byte {error.start}", hint="Convert it to UTF-8."
        ) from error


def read_metadata(pairs: Sequence[str]) -> dict[str, Any]:
    """Read `key=value` pairs; a value that is a number, true or false in JSON is taken as that.

    Raises:
        InvalidInput: A pair has no `=`, or a key comes twice.
    """
    metadata: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key in metadata:
            problem = "has no =" if not equals else f"gives {key!r} a second time"
            raise InvalidInput(f"--meta {pair!r} {problem}", hint="Write --meta key=value.")
        metadata[key] = _value(value)
    return metadata


def _value(text: str) -> Any:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(parsed, float) and not math.isfinite(parsed):
        return text  # "NaN" and "Infinity" are words here
    # What is written in quotes is text, even if it looks like a number.
    return parsed if isinstance(parsed, (str, int, float, bool)) else text
