"""`access add`, `access list`, `access remove`."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.serving.access_keys import AccessKeys

Call = Callable[..., Any]


def test_a_key_is_made_shown_once_listed_and_removed(call: Call, tmp_path: Any) -> None:
    db = str(tmp_path / "memory.db")
    made = call("access", "add", "laptop", "--db", db, "--space", "main", "--space", "shared")
    secret = made.out.strip()
    keys = AccessKeys.beside(db)
    found = keys.find(secret)
    assert found is not None
    assert (found.name, found.spaces, found.role) == ("laptop", ("main", "shared"), "agent")
    listed = call("access", "list", "--db", db, "--json")
    assert secret not in listed.out
    assert listed.json["name"] == "laptop"
    assert "hash" not in listed.json
    call("access", "remove", "laptop", "--db", db)
    assert keys.find(secret) is None


def test_a_key_may_be_kept_in_a_file_of_ones_own(call: Call, tmp_path: Any) -> None:
    options = ("--keys", tmp_path / "keys", "--role", "owner")
    made = call("access", "add", "desk", *options, "--json")
    told = made.json
    found = AccessKeys(tmp_path / "keys").find(told["key"])
    assert found is not None
    assert (found.role, told["id"]) == ("owner", found.id)


@pytest.mark.parametrize("words", [("--role", "king"), ("--whole-tenant",)])
def test_a_key_for_what_cannot_be_is_refused(call: Call, tmp_path: Any, words: Any) -> None:
    done = call("access", "add", "x", "--db", str(tmp_path / "memory.db"), *words)
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_the_keys_of_what_is_no_file_are_named(call: Call) -> None:
    done = call("access", "list", "--db", "postgresql+psycopg://localhost/memory")
    assert done.code == 2
    assert "--keys" in done.err
