"""What a request may be: of this server by its name, not too large, and here in good time."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from smriti_es.rest.problems import problem

BODY_BYTES_MAX: Final = 16 * 1024 * 1024
BODY_TIMEOUT_S: Final = 30.0
_CARRYING: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a request may be.

    Attributes:
        body_bytes_max: Bytes of its body.
        body_timeout_s: Seconds until all of its body is here.
        names: What its `Host` may be; None: anything.
    """

    body_bytes_max: int = BODY_BYTES_MAX
    body_timeout_s: float = BODY_TIMEOUT_S
    names: Sequence[str] | None = None


class _Refused(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True, slots=True)
class LimitedApp:
    """Holds requests to the limits before an ASGI application sees them.

    Attributes:
        app: The application.
        limits: The limits.
    """

    app: Any
    limits: Limits

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
            self._check_names(headers)
            if scope["method"] in _CARRYING:
                receive = await self._whole_body(headers, receive)
        except _Refused as refused:
            answer = problem(refused.status, "Refused", str(refused))
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _check_names(self, headers: dict[bytes, str]) -> None:
        """Refuse requests of a page that reaches this server under another name."""
        names = self.limits.names
        if names is None:
            return
        if headers.get(b"host", "") not in names:
            raise _Refused(421, "the Host header names another server")
        origin = headers.get(b"origin")
        if origin is not None and origin.partition("://")[2] not in names:
            raise _Refused(403, "pages of other servers may not call this one")

    async def _whole_body(self, headers: dict[bytes, str], receive: Any) -> Any:
        """Read the body, at most so much of it and for so long; gives what hands it on."""
        declared = headers.get(b"content-length", "0")
        if not declared.isdecimal():
            raise _Refused(400, "Content-Length is no number")
        if int(declared) > self.limits.body_bytes_max:
            raise self._too_large()
        try:
            async with asyncio.timeout(self.limits.body_timeout_s):
                body = await self._read(receive)
        except TimeoutError as error:
            raise _Refused(408, "the body did not arrive in time") from error
        given = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Any:
            return given.pop() if given else await receive()

        return replay

    async def _read(self, receive: Any) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise _Refused(400, "the request broke off")
            body += message.get("body", b"")
            if len(body) > self.limits.body_bytes_max:
                raise self._too_large()
            if not message.get("more_body", False):
                return bytes(body)

    def _too_large(self) -> _Refused:
        return _Refused(413, f"at most {self.limits.body_bytes_max} bytes are taken")
