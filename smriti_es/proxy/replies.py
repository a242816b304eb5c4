"""Read the reply out of what a service answers, whole or as a stream, while it passes by."""

import codecs
import json
from dataclasses import dataclass, field
from typing import Any, Final

# A stream that says more is passed on all the same; only no more of it is kept.
REPLY_BYTES_MAX: Final = 4 * 1024 * 1024
_DATA: Final = "data:"
_DONE: Final = "[DONE]"


def reply_of(body: bytes) -> dict[str, Any] | None:
    """Give the first reply in a whole answer; None: there is none."""
    try:
        message = json.loads(body)["choices"][0]["message"]
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    return _message(message.get("content"), message.get("tool_calls")) if message else None


@dataclass(slots=True)
class StreamedReply:
    """Puts together the first reply of a stream of server-sent events.

    Attributes:
        finished: Whether the service said that it is complete.
    """

    finished: bool = False
    _text: list[str] = field(default_factory=list)
    _calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    _rest: str = ""
    _size: int = 0
    _decoder: Any = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")(errors="replace")
    )

    def feed(self, part: bytes) -> None:
        """Read a part of the stream, wherever it was cut."""
        self._size += len(part)
        if self._size > REPLY_BYTES_MAX:
            return
        *lines, self._rest = (self._rest + self._decoder.decode(part)).split("\n")
        for line in lines:
            if line.startswith(_DATA):
                self._read(line[len(_DATA) :].strip())

    @property
    def message(self) -> dict[str, Any] | None:
        """The reply as far as it came; None: nothing was said."""
        calls = [self._calls[index] for index in sorted(self._calls)]
        return _message("".join(self._text), calls)

    def _read(self, data: str) -> None:
        if data == _DONE:
            self.finished = True
            return
        try:
            choice = json.loads(data)["choices"][0]
        except (ValueError, KeyError, IndexError, TypeError):
            return  # a chunk without a reply, as for what was used
        if not isinstance(choice, dict) or choice.get("index", 0) != 0:
            return
        self.finished = self.finished or choice.get("finish_reason") is not None
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        if isinstance(delta.get("content"), str):
            self._text.append(delta["content"])
        for call in delta.get("tool_calls") or ():
            self._read_call(call)

    def _read_call(self, told: Any) -> None:
        """Add a part of a call of a tool to what is known of it."""
        if not isinstance(told, dict) or not isinstance(told.get("index", 0), int):
            return
        call = self._calls.setdefault(
            told.get("index", 0), {"id": "", "type": "function", "function": {}}
        )
        call["id"] = told.get("id") or call["id"]
        function = told.get("function") if isinstance(told.get("function"), dict) else {}
        assert isinstance(function, dict)
        known = call["function"]
        for name in ("name", "arguments"):
            known[name] = known.get(name, "") + str(function.get(name) or "")


def _message(content: Any, calls: Any) -> dict[str, Any] | None:
    """Make the message of a reply, if it says or calls anything."""
    if not content and not calls:
        return None
    message = {"role": "assistant", "content": content or ""}
    return message | {"tool_calls": calls} if calls else message
