"""What is too large, too slow, malformed or sent by another page is refused, in one shape."""

import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from smriti_es.events import errors
from smriti_es.rest.engines import Engines, Opening
from smriti_es.rest.limits import LimitedApp, Limits
from smriti_es.rest.problems import STATUS, status_of

Api = Callable[..., Any]


def raw(address: str, request: bytes) -> bytes:
    """Send bytes as they are, and give what comes back."""
    at = urlsplit(address)
    assert at.hostname is not None
    with socket.create_connection((at.hostname, at.port or 0), timeout=20) as connection:
        connection.sendall(request)
        found = b""
        while part := connection.recv(65_536):
            found += part
            if b"\r\n\r\n" in found and found.endswith(b"}"):
                break
        return found


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_a_body_that_is_too_large_is_refused(api: Api) -> None:
    said = {"session": "s1", "messages": ["x" * 300_000]}
    refused = api("POST", "/v1/turns", json=said)
    assert (refused.status_code, refused.json()["status"]) == (413, 413)


def test_a_body_without_a_length_is_bounded_too(address: str) -> None:
    head = b"POST /v1/turns HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    assert status(raw(address, head + chunk * 5)) == 413


def test_a_body_that_does_not_arrive_is_given_up(address: str) -> None:
    head = b"POST /v1/turns HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"
    assert status(raw(address, head)) == 408


@pytest.mark.parametrize(
    "request_line",
    [
        b"\x00\x01\x02",
        b"GET /v1/turns\x00 HTTP/1.1",
        b"POST /v1/turns HTTP/1.1\r\nContent-Length: -5",
        b"POST /v1/turns HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6",
        b"POST /v1/turns HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked, x",
    ],
)
def test_what_is_no_request_is_refused(address: str, request_line: bytes) -> None:
    assert 400 <= status(raw(address, request_line + b"\r\nHost: x\r\n\r\n{}")) < 505


@pytest.mark.parametrize(
    "path",
    [
        "/v1/../etc/passwd",
        "/v1/facts/..%2f..%2fetc%2fpasswd",
        "/v1/facts/-1",
        "/v1/facts/99999999999999999999999",
        "/v1/facts/4.5",
        "/v1/projections/..%2f..%2fx/rebuild",
        "//v1/turns",
        "/v1/turns/",
        "/V1/turns",
        "/docs",
        "/redoc",
    ],
)
def test_a_path_that_leads_nowhere_is_refused(api: Api, path: str) -> None:
    answer = api("GET", path)
    assert answer.status_code in (404, 405, 422)
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b'{"question": 5}',
        b'{"question": "x", "k": true}',
        b'{"question": "x", "k": "5"}',
        b'{"question": "x", "unknown": 1}',
        b'{"question": "x", "where": {"a": {"b": 1}}}',
        b'{"question": "x", "known_at": -1}',
        b'{"question": "x", "valid_at": "yesterday"}',
        b'{"question": "\xff"}',
        b'{"question": "x", "where": ' + b'{"not":' * 200 + b"1" + b"}" * 200 + b"}",
        b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
    ],
)
def test_a_body_that_cannot_be_understood_is_a_problem(api: Api, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = api("POST", "/v1/search", content=body, headers=headers)
    assert answer.status_code in (400, 422), answer.text
    told = answer.json()
    assert told["status"] == answer.status_code
    assert told["type"].startswith("urn:smriti-es:")
    assert told["detail"]


def test_a_text_that_is_not_declared_as_json_is_refused(api: Api) -> None:
    headers = {"Content-Type": "text/plain"}
    answer = api("POST", "/v1/search", content=b'{"question": "x"}', headers=headers)
    assert answer.status_code in (415, 422)


def test_a_wrong_method_is_a_problem(api: Api) -> None:
    answer = api("DELETE", "/v1/turns")
    assert (answer.status_code, answer.json()["title"]) == (405, "Not this method")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({b"host": b"here:1"}, None),
        ({b"host": b"here:1", b"origin": b"http://here:1"}, None),
        ({b"host": b"evil.example"}, 421),
        ({}, 421),
        ({b"host": b"here:1", b"origin": b"http://evil.example"}, 403),
        ({b"host": b"here:1", b"origin": b"null"}, 403),
    ],
)
def test_a_page_of_another_server_does_not_get_in(
    headers: dict[bytes, bytes], status: int | None
) -> None:
    import asyncio

    told: list[Any] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        told.append(None)

    async def send(message: Any) -> None:
        told.append(message.get("status"))

    scope = {"type": "http", "method": "GET", "headers": list(headers.items())}
    app = LimitedApp(inner, Limits(names=("here:1",)))
    asyncio.run(app(scope, None, send))
    assert told[0] == status


def test_every_error_of_the_library_has_a_status() -> None:
    kinds = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.SmritiError)
    ]
    found = {kind: status_of(kind("what happened")) for kind in kinds}
    assert found[errors.IdempotencyConflict] == 409
    assert found[errors.HeldError] == 409
    assert found[errors.EgressRefused] == 403
    assert found[errors.ChainBroken] == 500
    assert set(STATUS) <= set(found)


def test_no_path_of_the_server_is_told(api: Api, app: Any) -> None:
    class Gone(Engines):
        def using(self, opening: Opening) -> Any:
            raise errors.StorageUnavailable("/somewhere/memory.db is gone", hint="Look there.")

    door = app.api.state.door
    app.api.state.door = replace(door, engines=Gone(door.engines.using))
    answer = api("POST", "/v1/turns", json={"session": "s1", "messages": ["Hello there."]})
    assert (answer.status_code, answer.json()["hint"]) == (503, "")
    assert "somewhere" not in answer.text
