"""Keys: shown once, kept as hashes, each for a tenant, some spaces and a role."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.events.errors import InvalidInput, NotFound, StorageUnavailable
from smriti_es.serving.access_keys import AccessKeys


@pytest.fixture
def keys(tmp_path: Path, clock: Callable[[], int]) -> AccessKeys:
    return AccessKeys(tmp_path / "access", clock=clock)


def test_a_key_finds_whom_it_was_made_for(keys: AccessKeys) -> None:
    made, secret = keys.add("laptop", tenant="acme", spaces=["main", "shared"], role="owner")
    assert keys.find(secret) == made
    assert (made.name, made.tenant, made.spaces, made.role) == (
        "laptop",
        "acme",
        ("main", "shared"),
        "owner",
    )


def test_no_part_of_the_secret_is_kept(keys: AccessKeys) -> None:
    _, secret = keys.add("laptop")
    assert secret.rpartition("_")[2] not in keys.path.read_text("utf-8")


def test_the_file_is_for_its_owner_alone(keys: AccessKeys) -> None:
    keys.add("laptop")
    assert keys.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "change",
    [
        lambda key: key[:-1],
        lambda key: key[:-1] + ("0" if key[-1] != "0" else "1"),
        lambda key: key.replace("smriti", "smritj"),
        lambda key: key.rpartition("_")[0],
        lambda key: f"{key} ",
        lambda _: "",
        lambda _: "smriti__",
        lambda _: "\ud800",
    ],
)
def test_what_is_no_key_finds_nobody(keys: AccessKeys, change: Callable[[str], str]) -> None:
    _, secret = keys.add("laptop")
    assert keys.find(change(secret)) is None


def test_the_secret_of_one_key_does_not_open_another(keys: AccessKeys) -> None:
    first, one = keys.add("first")
    second, _ = keys.add("second")
    assert keys.find(one.replace(first.id, second.id)) is None


def test_a_removed_key_finds_nobody_in_a_server_that_runs(keys: AccessKeys) -> None:
    _, secret = keys.add("laptop")
    elsewhere = AccessKeys(keys.path)
    assert elsewhere.find(secret) is not None
    keys.remove("laptop")
    assert elsewhere.find(secret) is None


def test_keys_are_listed_as_they_were_made(keys: AccessKeys) -> None:
    made = [keys.add(name)[0] for name in ("one", "two")]
    assert list(keys.all()) == made
    assert list(AccessKeys(keys.path).all()) == made


def test_without_a_file_there_are_no_keys(keys: AccessKeys) -> None:
    assert keys.all() == ()
    assert keys.find("smriti_0_0") is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"role": "king"},
        {"spaces": []},
        {"spaces": [""]},
        {"tenant": ""},
        {"role": "agent", "whole_tenant": True},
    ],
)
def test_a_key_for_what_cannot_be_is_not_made(keys: AccessKeys, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        keys.add("laptop", **wrong)
    assert keys.all() == ()


def test_a_name_stands_for_one_key(keys: AccessKeys) -> None:
    keys.add("laptop")
    with pytest.raises(InvalidInput, match="there is a key 'laptop'"):
        keys.add("laptop")


def test_a_key_that_is_not_there_cannot_be_removed(keys: AccessKeys) -> None:
    with pytest.raises(NotFound, match="there is no key 'laptop'"):
        keys.remove("laptop")


@pytest.mark.skipif(sys.platform == "win32", reason="the mode of files is that of POSIX")
def test_a_file_that_others_may_read_lets_nobody_in(keys: AccessKeys) -> None:
    _, secret = keys.add("laptop")
    keys.path.chmod(0o640)
    with pytest.raises(StorageUnavailable, match="by others"):
        AccessKeys(keys.path).find(secret)


@pytest.mark.parametrize("text", ["", "[]", '{"keys": [{"id": 1}]}', '{"keys": 1}', "\0"])
def test_a_damaged_file_lets_nobody_in(keys: AccessKeys, text: str) -> None:
    keys.path.touch(mode=0o600)
    keys.path.write_text(text, "utf-8")
    with pytest.raises(StorageUnavailable, match="cannot be read"):
        keys.find("smriti_0_0")


def test_a_role_that_nobody_knows_lets_nobody_in(keys: AccessKeys) -> None:
    _, secret = keys.add("laptop")
    stored = json.loads(keys.path.read_text("utf-8"))
    stored["keys"][0]["role"] = "king"
    keys.path.write_text(json.dumps(stored), "utf-8")
    with pytest.raises(StorageUnavailable):
        AccessKeys(keys.path).find(secret)
