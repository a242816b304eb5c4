"""A bundle becomes rows again, and those rows the same bundle, erasures included."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from smriti_es.events.audit.checking import check_bundle
from smriti_es.events.audit.exporting import Stretch, export_log
from smriti_es.events.audit.layout import Manifest
from smriti_es.events.audit.unpacking import unpack
from smriti_es.events.database import Database
from smriti_es.events.errors import ChainBroken, Conflict, InvalidInput, PayloadMissing
from smriti_es.events.log import EventLog
from smriti_es.events.verification import verify_log

LOG = "5f" * 16


def take(database: Database, folder: Path, tenant: str = "eve") -> EventLog:
    checked = check_bundle(folder, unsigned=True)
    assert checked.ok
    with database.write() as connection:
        unpacked = unpack(connection, folder, checked, tenant, bytes(32))
    return EventLog(database, unpacked.log, LOG, lambda: 0)


@pytest.fixture
def taken(tiny: Any, bundle: Any, database: Database, tmp_path: Path) -> Iterator[EventLog]:
    """The tiny log, in a database."""
    yield take(database, bundle(tmp_path / "taken", tiny.files()))


def export(log: EventLog, target: Path, first: int, stop: int) -> Manifest:
    with log.database.read() as connection:
        return export_log(log, connection, target, Stretch(first, stop, lambda _: True))


def test_what_was_unpacked_is_exported_to_the_same_bytes(
    taken: EventLog, tiny: Any, verify: Any, tmp_path: Path
) -> None:
    manifest = export(taken, tmp_path / "b", 0, 11)
    for name, content in tiny.files(size=0).items():
        assert (tmp_path / "b" / name).read_bytes() == content
    assert manifest.withheld == ()
    assert verify(tmp_path / "b", unsigned=True).code == 0


def test_the_rows_verify_but_for_what_this_release_does_not_know(taken: EventLog) -> None:
    # Position 0 says nothing of keys, and nothing here knows what erased positions 2 and 3.
    places = {(each.position, each.place) for each in verify_log(taken).findings}
    assert {
        place for _, place in places if place.startswith(("event", "log.head", "tree"))
    } == set()


def test_what_was_erased_behind_a_stretch_is_declared_withheld(
    taken: EventLog, verify: Any, tmp_path: Path
) -> None:
    assert export(taken, tmp_path / "b", 0, 5).withheld == ((2, 3),)
    assert verify(tmp_path / "b", unsigned=True).code == 0


def test_what_was_erased_within_a_stretch_is_not(
    taken: EventLog, verify: Any, tmp_path: Path
) -> None:
    assert export(taken, tmp_path / "b", 3, 7).withheld == ()
    assert verify(tmp_path / "b", unsigned=True).code == 0


def test_what_is_lost_is_neither(taken: EventLog, tamper: Any, tmp_path: Path) -> None:
    assert tamper("DELETE FROM payload WHERE position = 1") == 1
    with pytest.raises(PayloadMissing, match="position 1"):
        export(taken, tmp_path / "b", 0, 11)


def test_what_is_still_there_though_it_was_erased_is_found(
    taken: EventLog, tamper: Any, tmp_path: Path
) -> None:
    assert tamper("INSERT INTO payload VALUES (?, 2, zeroblob(32), x'00')", taken.log) == 1
    with pytest.raises(ChainBroken, match="position 2"):
        export(taken, tmp_path / "b", 0, 11)


def test_there_is_one_live_copy_of_a_log_in_a_database(
    taken: EventLog, database: Database, tmp_path: Path
) -> None:
    with pytest.raises(Conflict, match="already, as tenant 'eve'"):
        take(database, tmp_path / "taken", "mallory")


def test_a_tenant_has_one_log(
    taken: EventLog, tiny: Any, bundle: Any, database: Database, tmp_path: Path
) -> None:
    tiny.log = "aa" * 16
    for entry in tiny.entries:
        entry.header["log"] = tiny.log
    folder = bundle(tmp_path / "other", tiny.files(size=0), log=tiny.log)
    with pytest.raises(Conflict, match="there is a tenant 'eve' already"):
        take(database, folder)


def test_a_stretch_is_not_unpacked(
    tiny: Any, bundle: Any, database: Database, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files(5, 10), first=5)
    with pytest.raises(InvalidInput, match="begins at position 5"):
        take(database, folder)


@pytest.mark.parametrize("name", ["events.jsonl", "payloads.jsonl"])
def test_a_bundle_that_changes_after_it_was_checked_is_refused(
    name: str, tiny: Any, bundle: Any, database: Database, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files(size=0))
    checked = check_bundle(folder, unsigned=True)
    lines = (folder / name).read_bytes().splitlines(keepends=True)
    (folder / name).write_bytes(b"".join(lines[:-1]))
    with pytest.raises(ChainBroken, match="has changed"), database.write() as connection:
        unpack(connection, folder, checked, "eve", bytes(32))
