"""A service that answers as a test has it answer, and a proxy before it, both on real ports."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from smriti_es.engine import Engine
from smriti_es.proxy.application import Upstream, proxy_app
from smriti_es.serving.access_keys import AccessKeys
from smriti_es.serving.agent_memory import AgentMemory
from smriti_es.serving.guarded_app import GuardedApp, admitting
from smriti_es.serving.listening import Listening

LIMIT_S = 60


@dataclass(slots=True)
class Service:
    """An OpenAI-compatible service.

    Attributes:
        address: Its base address.
        bodies: Bodies of the requests that it got, as they were.
        asked: The same as JSON, where they are, with the headers.
        answer: Gives the next answer.
    """

    address: str = ""
    bodies: list[bytes] = field(default_factory=list)
    asked: list[tuple[Any, dict[str, str]]] = field(default_factory=list)
    answer: Callable[[], Response] = field(default=lambda: said("Noted."))

    async def handle(self, request: Request) -> Response:
        body = await request.body()
        self.bodies.append(body)
        with suppress(ValueError):
            self.asked.append((json.loads(body), dict(request.headers)))
        return self.answer()

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of the last request."""
        return list(self.asked[-1][0]["messages"])


def said(text: str, status: int = 200) -> Response:
    """An answer that says something."""
    message = {"role": "assistant", "content": text}
    return JSONResponse({"choices": [{"index": 0, "message": message}], "usage": {}}, status)


def streamed(*parts: bytes, broken: bool = False) -> Response:
    """An answer that comes in parts; `broken`: it ends in the middle of things."""

    async def body() -> AsyncIterator[bytes]:
        for part in parts:
            yield part
        if broken:
            raise ConnectionError("gone")

    return StreamingResponse(body(), media_type="text/event-stream")


def chunk(content: str | None, **more: Any) -> bytes:
    """One event of a stream."""
    told = {"choices": [{"index": 0, "delta": {"content": content}, **more}]}
    return f"data: {json.dumps(told)}\n\n".encode()


@contextmanager
def served(app: Any) -> Iterator[str]:
    listener = Listening().bound()
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=LIMIT_S))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(LIMIT_S)
    listener.close()


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    route = Route("/base/{path:path}", service.handle, methods=["GET", "POST"])
    with served(Starlette(routes=[route])) as address:
        service.address = f"{address}/base"
        yield service


@pytest.fixture
def owner(engine: Callable[..., Engine]) -> Engine:
    """The owner of the memory behind the proxy."""
    return engine()


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """What is to be closed at the end, or before."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def finish(opened: ExitStack) -> Callable[[], None]:
    """Let the proxy finish what it does after its answers, and end."""
    return opened.close


@pytest.fixture
def proxy(
    service: Service,
    owner: Engine,
    engine: Callable[..., Engine],
    opened: ExitStack,
    tmp_path: Path,
) -> httpx.Client:
    """A client of the proxy."""
    memory = AgentMemory(engine(origin="agent", actor="proxy"), "today")
    inner = proxy_app(memory, Upstream(service.address), http=direct())
    app = GuardedApp(inner, AccessKeys(tmp_path / "access"), admitting(memory), local=True)
    address = opened.enter_context(served(app))
    client = httpx.Client(base_url=address, trust_env=False, timeout=LIMIT_S)
    return opened.enter_context(client)


def direct() -> httpx.AsyncClient:
    return httpx.AsyncClient(trust_env=False, timeout=LIMIT_S)


@pytest.fixture
def chat(proxy: httpx.Client) -> Callable[..., httpx.Response]:
    """Send messages to the proxy."""

    def send(*messages: Any, headers: Any = None, **more: Any) -> httpx.Response:
        listed = [
            {"role": "user", "content": each} if isinstance(each, str) else each
            for each in messages
        ]
        body = {"model": "m", "messages": listed, **more}
        return proxy.post("/v1/chat/completions", json=body, headers=headers)

    return send


@pytest.fixture
def answers() -> Any:
    """How a service may answer: `said`, `streamed` and `chunk`."""

    class Answers:
        said = staticmethod(said)
        streamed = staticmethod(streamed)
        chunk = staticmethod(chunk)

    return Answers
