"""What the extraction tests share: a chat service on loopback that obeys, models, and turns."""

import itertools
import json
import socket
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import pytest

from smriti_es.events.errors import ExtractionError
from smriti_es.extraction.chat import ChatModel, Message, Reply
from smriti_es.extraction.contract import Extraction, SourceTurn
from smriti_es.extraction.llm import LLMExtractor

# 2026-06-02T10:00:00Z, a Tuesday.
SAID_AT = 1_780_394_400_000_000
MINUTE = 60_000_000


class Service:
    """Plays the scripted answers in their order, and the last one for ever after.

    Each method adds one answer and returns the service.
    """

    def __init__(self, loopback: Any) -> None:
        self._loopback = loopback
        self.address: str = loopback.address

    @property
    def requests(self) -> list[tuple[str, dict[str, str], Any]]:
        """Path, headers and body of each request."""
        asked: list[tuple[str, dict[str, str], Any]] = self._loopback.requests
        return asked

    @property
    def bodies(self) -> list[Any]:
        """What was asked, request by request."""
        return [body for _, _, body in self.requests]

    def stop(self) -> None:
        self._loopback.stop()

    def says(self, content: Any, **options: Any) -> "Service":
        """Answer as a chat service does; `message`, `usage` and `finish_reason` replace parts."""
        message = options.get("message", {"role": "assistant", "content": content})
        answer: dict[str, Any] = {
            "choices": [{"message": message, "finish_reason": options.get("finish_reason", "stop")}]
        }
        usage = options.get("usage", {"prompt_tokens": 10, "completion_tokens": 3})
        return self.sends(json.dumps(answer | ({"usage": usage} if usage else {})).encode())

    def lists(self, *facts: Any) -> "Service":
        """Answer with facts in the form that the prompt asks for."""
        return self.says(json.dumps({"facts": list(facts)}))

    def sends(self, body: bytes, *, status: int = 200, **headers: str) -> "Service":
        self._loopback.sends(body, status=status, **headers)
        return self

    def fails(self, status: int, **headers: str) -> "Service":
        return self.sends(b'{"error": {"message": "no"}}', status=status, **headers)

    def is_slow(self) -> "Service":
        self._loopback.answers.append(self._loopback.hesitate)
        return self

    def drips(self) -> "Service":
        """Send blanks, one by one, until nobody listens any more."""

        def act(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.end_headers()
            handler.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                while not self._loopback.released.wait(0.002):
                    handler.wfile.write(b" ")
            except OSError:
                handler.close_connection = True

        self._loopback.answers.append(act)
        return self

    def hangs_up(self, after: bytes = b"") -> "Service":
        def act(handler: BaseHTTPRequestHandler) -> None:
            if after:
                handler.send_response(200)
                handler.send_header("Content-Length", "1000")
                handler.end_headers()
                handler.wfile.write(after)
            handler.wfile.flush()
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True

        self._loopback.answers.append(act)
        return self


class ScriptedChat:
    """A model without a network: gives its replies in order, and notes what it was asked.

    A reply that is an exception is raised.
    """

    model = "scripted"

    def __init__(self, *replies: str | Reply | Exception) -> None:
        self._replies = list(replies)
        self.asked: list[Sequence[Message]] = []
        self.json_modes: list[bool] = []

    def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
        self.asked.append(messages)
        self.json_modes.append(json_mode)
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else Reply(reply, {"calls": 1})


@pytest.fixture
def service(loopback: Any) -> Service:
    return Service(loopback)


@pytest.fixture
def waits() -> list[float]:
    """How long the model would have slept between attempts."""
    return []


@pytest.fixture(scope="session")
def client() -> Iterator[httpx.Client]:
    """One client for all models: to make one takes longer than most tests."""
    with httpx.Client(trust_env=False) as shared:
        yield shared


@pytest.fixture
def connect(
    service: Service, client: httpx.Client, waits: list[float]
) -> Iterator[Callable[..., ChatModel]]:
    """Make models that ask the service, and close them afterwards.

    `seconds_per_look` is what passes at each look at the clock, and `client=None` lets the model
    make its own client.
    """
    opened: list[ChatModel] = []

    def make(*, seconds_per_look: float = 0.0, **options: Any) -> ChatModel:
        looks = itertools.count()
        defaults: dict[str, Any] = {
            "base_url": service.address,
            "client": client,
            "sleep": waits.append,
            "steady_clock": lambda: next(looks) * seconds_per_look,
        }
        opened.append(ChatModel(model="small", **(defaults | options)))
        return opened[-1]

    yield make
    for model in opened:
        model.close()


@pytest.fixture
def scripted() -> Callable[..., ScriptedChat]:
    """Make models that give the replies they are made with."""
    return ScriptedChat


@pytest.fixture
def outage() -> ExtractionError:
    """What a model raises that is out of reach."""
    return ExtractionError("the model is out of reach", retryable=True)


@pytest.fixture
def turns() -> Callable[..., list[SourceTurn]]:
    """Make turns of texts, or of (role, speaker, text); positions begin at 10, a minute apart."""

    def make(*said: str | tuple[str, str | None, str]) -> list[SourceTurn]:
        made = []
        for at, one in enumerate(said):
            role, speaker, text = ("user", None, one) if isinstance(one, str) else one
            origin = {"assistant": "agent", "tool": "tool"}.get(role, "owner")
            made.append(SourceTurn(10 + at, role, speaker, text, SAID_AT + at * MINUTE, origin))
        return made

    return make


@pytest.fixture
def extract(
    connect: Callable[..., ChatModel], turns: Callable[..., list[SourceTurn]]
) -> Callable[..., Extraction]:
    """Extract with the model that the service plays, by default from a turn each of two origins."""
    said = turns("Ana moved to Pune on May 3rd.", ("tool", None, "Ben works at Acme."))

    def run(turns: list[SourceTurn] | None = None, **options: Any) -> Extraction:
        return LLMExtractor(connect(**options)).extract(turns or said, timezone="UTC")

    return run
