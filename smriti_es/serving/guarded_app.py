"""A door before an ASGI application: whoever has no key does not come in."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from anyio import to_thread

from smriti_es.events.errors import SmritiError
from smriti_es.serving.access_keys import AccessKey, AccessKeys
from smriti_es.serving.agent_memory import AgentMemory

_SCHEME: Final = "bearer"


@dataclass(frozen=True, slots=True)
class GuardedApp:
    """Asks for a key before it hands a request on, as soon as there is any key.

    Attributes:
        app: The application.
        keys: The keys.
        admits: Whether a key lets in here.
        local: Whether only this machine reaches it: then, and then alone, nobody is asked for a key
            as long as there is none. Where others reach it, taking back the last key opens nothing.
    """

    app: Any
    keys: AccessKeys
    admits: Callable[[AccessKey], bool]
    local: bool

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            status = await to_thread.run_sync(self._refusal, bearer_of(scope))
            if status is not None:
                await _refuse(send, status)
                return
        await self.app(scope, receive, send)

    def _refusal(self, presented: str | None) -> int | None:
        """Give the status with which a request is refused, or None."""
        try:
            if self.local and not self.keys.all():
                return None  # what is presented may be meant for whoever comes behind
            key = None if presented is None else self.keys.find(presented)
            if key is None:
                return 401
            return None if self.admits(key) else 403
        except SmritiError:
            return 503  # who may come in cannot be told: nobody does


def admitting(memory: AgentMemory) -> Callable[[AccessKey], bool]:
    """Make what tells whether a key lets in to a memory: it must reach all that is shown there."""
    status = memory.engine.status()
    tenant, spaces = status.tenant, frozenset(status.spaces)

    def admits(key: AccessKey) -> bool:
        return key.role != "auditor" and key.tenant == tenant and spaces <= set(key.spaces)

    return admits


def bearer_of(scope: Any) -> str | None:
    """Give what a request presents as its key, or None."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, presented = value.decode("latin-1").partition(" ")
            return presented.strip() if scheme.lower() == _SCHEME else ""
    return None


async def _refuse(send: Any, status: int) -> None:
    told = {401: "an access key is needed", 403: "this key is not for this memory"}
    title = told.get(status, "the access keys cannot be read")
    body = json.dumps({"title": title, "status": status}).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", b"%d" % len(body)),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
