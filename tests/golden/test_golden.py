"""What any release has written, this one reads, verifies and would write again.

The files beside this one are frozen: a change of theirs is a break of every log out there. New ones
are made by `freeze.py`.
"""

import base64
import json
import runpy
import shutil
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from smriti_es.events.catalogue import EVENT_TYPES, Event
from smriti_es.events.catalogue.event import body_of, members_of
from smriti_es.events.chain import leaf_hash
from smriti_es.events.commitment import matches
from smriti_es.events.header import decode_header, encode_header
from smriti_es.events.records import decode_recorded

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Golden:
    """One frozen event."""

    type: str
    version: int
    case: str
    header: bytes
    leaf: bytes
    key: bytes
    body: bytes
    event: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.type}.{self.version} {self.case}"


def frozen(path: Path) -> list[Golden]:
    kind, version, _ = path.name.split(".")
    return [
        Golden(
            type=kind,
            version=int(version),
            case=line["case"],
            header=bytes.fromhex(line["header"]),
            leaf=bytes.fromhex(line["leaf"]),
            key=bytes.fromhex(line["key"]),
            body=base64.b64decode(line["body"], validate=True),
            event=line["event"],
        )
        for line in map(json.loads, path.read_text("ascii").splitlines())
    ]


FILES = sorted(FOLDER.glob("*.jsonl"))
GOLDEN = [entry for path in FILES for entry in frozen(path)]
each = pytest.mark.parametrize("golden", GOLDEN, ids=str)


def today(golden: Golden) -> Event:
    event = decode_recorded(golden.header, golden.leaf, golden.body).event
    assert event is not None
    return event


def set_fields(event: Event) -> dict[str, Any]:
    """The fields whose value is not the default."""
    values = {}
    for item in fields(event):
        factory = item.default_factory
        default = item.default if factory is MISSING else factory()
        if getattr(event, item.name) != default:
            values[item.name] = getattr(event, item.name)
    return values


def test_every_version_of_every_type_is_frozen() -> None:
    wanted = {
        f"{name}.{version}.jsonl"
        for name, kind in EVENT_TYPES.items()
        for version in range(1, kind.VERSION + 1)
    }
    assert {path.name for path in FILES} == wanted


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_events_of_a_file_follow_one_another_in_one_chain(path: Path) -> None:
    entries = frozen(path)
    assert len({entry.case for entry in entries}) == len(entries) >= 1
    for before, after in pairwise(entries):
        assert decode_header(after.header).previous == before.leaf.hex()


@each
def test_a_frozen_header_is_read_and_written_again_to_the_same_bytes(golden: Golden) -> None:
    assert encode_header(decode_header(golden.header)) == golden.header


@each
def test_a_frozen_header_says_what_its_file_is_named_for(golden: Golden) -> None:
    header = decode_header(golden.header)
    assert (header.type, header.version) == (golden.type, golden.version)


@each
def test_a_frozen_leaf_is_the_hash_of_its_header(golden: Golden) -> None:
    assert leaf_hash(golden.header) == golden.leaf


@each
def test_a_frozen_commitment_holds_for_its_key_and_body_and_for_no_other(golden: Golden) -> None:
    payload = decode_header(golden.header).payload
    assert payload is not None
    assert payload.size == len(golden.body)
    assert matches(payload.commitment, golden.key, golden.body)
    assert not matches(payload.commitment, golden.key, golden.body + b" ")


@each
def test_a_frozen_event_is_read_in_today_s_form_with_the_values_it_had(golden: Golden) -> None:
    event = today(golden)
    assert type(event) is EVENT_TYPES[golden.type]
    assert set_fields(event) == golden.event


@pytest.mark.parametrize(
    "golden", [g for g in GOLDEN if g.version == EVENT_TYPES[g.type].VERSION], ids=str
)
def test_an_event_of_the_current_version_is_written_again_to_the_same_bytes(golden: Golden) -> None:
    members = members_of(golden.body)
    reserved = {name: value for name, value in members.items() if name.startswith("$")}
    assert body_of(today(golden), reserved) == golden.body


@pytest.fixture
def freeze() -> Callable[[Path], list[Path]]:
    """What `freeze.py` does, in a folder of one's choice."""
    function: Callable[[Path], list[Path]] = runpy.run_path(str(FOLDER / "freeze.py"))["freeze"]
    return function


def test_freezing_again_writes_what_is_missing_and_touches_nothing_else(
    freeze: Callable[[Path], list[Path]], tmp_path: Path
) -> None:
    for path in FILES:
        shutil.copy(path, tmp_path)
    missing, kept = tmp_path / "TurnRecorded.1.jsonl", tmp_path / "LogOpened.1.jsonl"
    missing.unlink()
    kept.write_text("kept as it is\n")
    assert freeze(tmp_path) == [missing]
    assert kept.read_text() == "kept as it is\n"
    assert freeze(tmp_path) == []
    assert [entry.event for entry in frozen(missing)] == [
        entry.event for entry in GOLDEN if entry.type == "TurnRecorded"
    ]
