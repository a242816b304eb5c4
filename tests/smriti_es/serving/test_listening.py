"""Where a server may listen, and how long it waits for whoever says nothing."""

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import uvicorn

from smriti_es.events.errors import InvalidInput, NotAllowed, StorageUnavailable
from smriti_es.serving.access_keys import AccessKeys
from smriti_es.serving.bounded_protocol import BoundedProtocol
from smriti_es.serving.listening import Listening

LIMIT_S = 60


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.5", False),
        ("memory.example", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
    ],
)
def test_what_is_of_this_machine_and_what_is_not(host: str, local: bool, tmp_path: Path) -> None:
    keys = AccessKeys(tmp_path / "access")
    assert Listening(host).local is local
    if local:
        Listening(host).assert_guarded(keys)
        return
    with pytest.raises(NotAllowed, match="there is no access key"):
        Listening(host).assert_guarded(keys)
    keys.add("laptop")
    Listening(host).assert_guarded(keys)


@pytest.mark.parametrize("port", [-1, 65_536])
def test_what_is_no_port_is_refused(port: int, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is no port"):
        Listening(port=port).assert_guarded(AccessKeys(tmp_path / "access"))


def test_a_port_that_is_taken_is_told() -> None:
    with Listening().bound() as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StorageUnavailable, match=f"cannot listen on 127.0.0.1:{port}"):
            Listening(port=port).bound()


def test_a_server_is_called_by_the_names_of_its_address_and_those_it_is_given() -> None:
    assert Listening(port=8).names(8) == ("127.0.0.1:8", "[::1]:8", "localhost:8")
    public = Listening("10.0.0.5", 8, ("memory.example",))
    assert public.names(8) == ("10.0.0.5:8", "memory.example")


@pytest.fixture
def impatient() -> Iterator[tuple[str, int]]:
    """A server that gives the head of a request a fifth of a second."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    class Impatient(BoundedProtocol):
        head_timeout_s = 0.2

    listener = Listening().bound()
    config = uvicorn.Config(app, http=Impatient, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield listener.getsockname()
    server.should_exit = True
    thread.join(LIMIT_S)
    listener.close()


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_whoever_does_not_finish_the_head_of_a_request_is_cut_off(
    impatient: tuple[str, int], said: bytes
) -> None:
    with socket.create_connection(impatient, timeout=LIMIT_S) as connection:
        connection.sendall(said)
        assert connection.recv(1_000) == b""


def test_whoever_does_is_answered_again_and_again(impatient: tuple[str, int]) -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection(impatient, timeout=LIMIT_S) as connection:
        for _ in range(3):
            connection.sendall(request)
            assert connection.recv(1_000).startswith(b"HTTP/1.1 204")
        connection.sendall(request[:10])
        assert connection.recv(1_000) == b""
