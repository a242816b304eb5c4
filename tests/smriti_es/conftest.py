"""A real HTTP server on loopback that answers as a test has it answer."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest

Act = Callable[[BaseHTTPRequestHandler], None]


class LoopbackServer:
    """Answers each request with the next scripted answer, and the last one for ever after.

    Attributes:
        address: Its base URL.
        answers: What is still to be answered, each a function of the handler.
        requests: Path, headers and body (read as JSON) of each request.
        released: Set when the test is over, for answers that wait.
    """

    def __init__(self) -> None:
        self.answers: list[Act] = []
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.released = Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append((self.path, dict(self.headers), body))
                answers = server.answers
                (answers.pop(0) if len(answers) > 1 else answers[0])(self)

            def log_message(self, *args: object) -> None:
                """Keep quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False  # so that closing waits for them
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def sends(self, body: bytes, *, status: int = 200, **headers: str) -> None:
        """Answer with a status, headers (`Retry_After` is Retry-After) and a body."""

        def act(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            given = {"Content-Type": "application/json", "Content-Length": str(len(body))}
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            for name, value in (given | named).items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(body)

        self.answers.append(act)

    def hesitate(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer nothing until the test is over; itself one of the `answers`."""
        self.released.wait()

    def stop(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """A server that no proxy of the environment may stand before."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    running = LoopbackServer()
    yield running
    running.stop()
