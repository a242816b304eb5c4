"""The application: recall, hand on, stream back untouched, record."""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import anyio
import httpx
from anyio import to_thread
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from smriti_es.events.errors import SmritiError
from smriti_es.proxy.conversation import Conversation
from smriti_es.proxy.replies import StreamedReply, reply_of
from smriti_es.serving.access_keys import KEY_PREFIX
from smriti_es.serving.agent_memory import AgentMemory

SESSION_HEADER: Final = "x-memory-session"
TOLD_HEADER: Final = "x-memory"
CHAT: Final = "/chat/completions"
# Headers that are of one connection, and those that we write anew.
_HOP: Final = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te"),
        *("trailer", "transfer-encoding", "upgrade", "host", "content-length", "accept-encoding"),
        SESSION_HEADER,
    }
)
_HOP_BACK: Final = _HOP | {"content-encoding"}
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Upstream:
    """The service behind the proxy.

    Attributes:
        address: Its base address, as in http://localhost:11434/v1.
        key: What is sent to it as a bearer key; None: what the client sent, unless that is a key of
            ours.
        timeout_s: How long it may say nothing.
        budget: Characters of a context at most.
    """

    address: str
    key: str | None = None
    timeout_s: float = 600.0
    budget: int = 4_000


@dataclass(slots=True)
class MemoryProxy:
    """Answers requests with the help of a service and a memory.

    Attributes:
        memory: The memory.
        upstream: The service.
        http: Talks to it.
    """

    memory: AgentMemory
    upstream: Upstream
    http: httpx.AsyncClient

    async def handle(self, request: Request) -> Response:
        """Hand a request on; a chat is enriched before and recorded afterwards."""
        body = await request.body()
        path = request.url.path.removeprefix("/v1")
        conversation = None
        told = "off"
        if request.method == "POST" and path == CHAT:
            parsed = _parsed(body)
            conversation = Conversation.of(parsed)
            if conversation is not None:
                body, told = await self._enriched(parsed, conversation, body)
        sent = self.http.build_request(
            request.method,
            self.upstream.address.rstrip("/") + path,
            params=request.query_params,
            headers=self._headers(request.headers),
            content=body,
        )
        try:
            answer = await self.http.send(sent, stream=True)
        except httpx.HTTPError as error:
            logger.warning("the service gave no answer: %s", type(error).__name__)
            return _failed("the service behind the memory gave no answer")
        session = self._session(request, conversation)
        return await self._answered(answer, conversation, session, told)

    async def _enriched(
        self, parsed: dict[str, Any], conversation: Conversation, body: bytes
    ) -> tuple[bytes, str]:
        """Put what is known into a request; a memory that cannot be read keeps nobody waiting."""
        question = conversation.question
        if not question:
            return body, "empty"
        try:
            context = await to_thread.run_sync(self._recalled, question)
        except SmritiError as error:
            logger.warning("nothing was recalled: %s", error)
            return body, "unavailable"
        if not context:
            return body, "empty"
        enriched = parsed | {"messages": conversation.with_context(context)}
        return json.dumps(enriched, ensure_ascii=False).encode(), "recalled"

    def _recalled(self, question: str) -> str:
        return self.memory.recall(question, budget=self.upstream.budget).text

    async def _answered(
        self,
        answer: httpx.Response,
        conversation: Conversation | None,
        session: str,
        told: str,
    ) -> Response:
        headers = _back(answer.headers) | {TOLD_HEADER: told}
        streamed = answer.headers.get("content-type", "").startswith("text/event-stream")
        if conversation is None or answer.status_code != 200 or not streamed:
            body = await answer.aread()
            await answer.aclose()
            task = None
            if conversation is not None and answer.status_code == 200:
                task = BackgroundTask(self._record, conversation, reply_of(body), session)
            return Response(body, answer.status_code, headers, background=task)
        reply = StreamedReply()
        passing = self._passing(answer, reply, conversation, session)
        if encoding := answer.headers.get("content-encoding"):
            headers["content-encoding"] = encoding  # it passes as it came
        return StreamingResponse(passing, answer.status_code, headers)

    async def _passing(
        self, answer: httpx.Response, reply: StreamedReply, conversation: Conversation, session: str
    ) -> AsyncIterator[bytes]:
        """Pass a stream on, byte for byte, and record it when it ends, however it ends."""
        try:
            async for part in answer.aiter_raw():
                reply.feed(part)
                yield part
        except httpx.HTTPError as error:
            logger.warning("the service broke off: %s", type(error).__name__)
        finally:
            with anyio.CancelScope(shield=True):
                await answer.aclose()
                await self._record(conversation, reply.message, session, whole=reply.finished)

    async def _record(
        self,
        conversation: Conversation,
        reply: Mapping[str, Any] | None,
        session: str,
        *,
        whole: bool = True,
    ) -> None:
        """Record an exchange; what cannot be recorded is told in the log, and nowhere else."""
        if reply is None:
            return
        turns = conversation.recorded(reply)
        if not whole:
            turns[-1]["tags"] = ["cut-off"]
        try:
            await to_thread.run_sync(lambda: self.memory.remember(turns, session=session))
        except SmritiError as error:
            logger.warning("an exchange was not recorded: %s", error)

    def _session(self, request: Request, conversation: Conversation | None) -> str:
        named = request.headers.get(SESSION_HEADER)
        if named:
            return named
        return "" if conversation is None else f"proxy-{conversation.root}"

    def _headers(self, given: Mapping[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in given.items() if name.lower() not in _HOP}
        if kept.get("authorization", "").partition(" ")[2].startswith(f"{KEY_PREFIX}_"):
            del kept["authorization"]  # a key of ours is not for others to see
        if self.upstream.key is not None:
            kept["authorization"] = f"Bearer {self.upstream.key}"
        # What passes is read on its way, so it comes as it is.
        return kept | {"accept-encoding": "identity"}


def proxy_app(
    memory: AgentMemory, upstream: Upstream, *, http: httpx.AsyncClient | None = None
) -> Starlette:
    """Make the application.

    Args:
        memory: The memory; whoever opened it closes it.
        upstream: The service.
        http: A client of your own.
    """
    client = http or httpx.AsyncClient(
        timeout=httpx.Timeout(upstream.timeout_s, connect=10.0), follow_redirects=False
    )
    proxy = MemoryProxy(memory, upstream, client)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await client.aclose()

    async def live(_: Request) -> Response:
        return JSONResponse({"status": "alive"})

    methods = ["GET", "POST", "DELETE"]
    routes = [
        Route("/health/live", live),
        Route("/v1/{path:path}", proxy.handle, methods=methods),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None  # the service will say so


def _back(headers: httpx.Headers) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _HOP_BACK}


def _failed(detail: str) -> Response:
    """Answer as services of this kind do when they fail."""
    return JSONResponse({"error": {"message": detail, "type": "upstream_error"}}, 502)
