"""The door before an application: who is asked for a key, and who comes in."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from smriti_es.serving.access_keys import AccessKeys
from smriti_es.serving.guarded_app import GuardedApp


@pytest.fixture
def keys(tmp_path: Path) -> AccessKeys:
    return AccessKeys(tmp_path / "access")


def answered(keys: AccessKeys, presented: str | None, *, local: bool, admits: bool = True) -> int:
    """Give the status with which a request is answered; 200: it came in."""
    told: list[int] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        told.append(200)

    async def send(message: Any) -> None:
        told.append(message.get("status", 0))

    headers = [] if presented is None else [(b"authorization", presented.encode())]
    app = GuardedApp(inner, keys, lambda _: admits, local)
    asyncio.run(app({"type": "http", "headers": headers}, None, send))
    return told[0]


@pytest.mark.parametrize("presented", [None, "Bearer sk-of-somebody-else", "Basic eDp5"])
def test_on_this_machine_nobody_is_asked_as_long_as_there_is_no_key(
    keys: AccessKeys, presented: str | None
) -> None:
    assert answered(keys, presented, local=True) == 200
    keys.add("laptop")
    assert answered(keys, presented, local=True) == 401


def test_where_others_reach_it_a_key_is_needed_though_there_is_none(keys: AccessKeys) -> None:
    _, key = keys.add("laptop")
    assert answered(keys, f"Bearer {key}", local=False) == 200
    keys.remove("laptop")
    assert answered(keys, None, local=False) == 401
    assert answered(keys, f"Bearer {key}", local=False) == 401


def test_a_key_for_something_else_is_told_so(keys: AccessKeys) -> None:
    _, key = keys.add("laptop")
    assert answered(keys, f"bearer {key}", local=True, admits=False) == 403


def test_keys_that_cannot_be_read_let_nobody_in(keys: AccessKeys) -> None:
    keys.path.touch(mode=0o600)
    keys.path.write_text("{", "utf-8")
    assert answered(keys, None, local=True) == 503
