"""A log becomes a bundle: byte for byte, private, whole or not at all."""

import base64
import json
import os
import subprocess
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.events.audit import exporting
from smriti_es.events.audit.checking import check_bundle
from smriti_es.events.audit.exporting import Stretch, export_log
from smriti_es.events.audit.layout import Manifest
from smriti_es.events.errors import (
    ChainBroken,
    InvalidInput,
    PayloadMissing,
    StorageUnavailable,
)
from smriti_es.events.header import Header
from smriti_es.events.log import EventLog

FILES = {"manifest.json", "events.jsonl", "payloads.jsonl", "FORMAT.md", "verify_bundle.py"}


def everything(_: Header) -> bool:
    return True


def export(log: EventLog, target: Path, first: int = 0, stop: int = 7, **options: Any) -> Manifest:
    stretch = Stretch(first, stop, options.pop("shows", everything), **options)
    with log.database.read() as connection:
        return export_log(log, connection, target, stretch)


def test_a_bundle_holds_the_exact_bytes_of_headers_and_payloads(
    whole: EventLog, tmp_path: Path
) -> None:
    export(whole, tmp_path / "b")
    with whole.database.read() as connection:
        rows = whole.read_rows(0, 100, connection)
    events = (tmp_path / "b" / "events.jsonl").read_bytes()
    assert events == b"".join(row.header + b"\n" for row in rows)
    payloads = [
        json.loads(line) for line in (tmp_path / "b" / "payloads.jsonl").read_text().splitlines()
    ]
    assert [
        (each["pos"], bytes.fromhex(each["key"]), base64.b64decode(each["body"]))
        for each in payloads
    ] == [(row.position, row.key, row.body) for row in rows]


def test_a_bundle_holds_its_files_and_what_reads_them(whole: EventLog, tmp_path: Path) -> None:
    manifest = export(whole, tmp_path / "b")
    assert {each.name for each in (tmp_path / "b").iterdir()} == FILES
    assert set(manifest.files) == FILES - {"manifest.json"}
    assert (manifest.first, manifest.events, manifest.withheld) == (0, 7, ())


def test_a_bundle_is_for_its_owner_alone(whole: EventLog, tmp_path: Path) -> None:
    export(whole, tmp_path / "b")
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in (tmp_path / "b").iterdir()} == {0o600}


def test_a_bundle_verifies(whole: EventLog, verify: Any, tmp_path: Path) -> None:
    export(whole, tmp_path / "b")
    assert verify(tmp_path / "b", unsigned=True).code == 0


def test_what_is_not_disclosed_is_declared(whole: EventLog, verify: Any, tmp_path: Path) -> None:
    manifest = export(whole, tmp_path / "b", shows=lambda header: header.position in (0, 3, 4))
    assert manifest.withheld == ((1, 2), (5, 6))
    lines = (tmp_path / "b" / "payloads.jsonl").read_text().splitlines()
    assert [json.loads(line)["pos"] for line in lines] == [0, 3, 4]
    assert verify(tmp_path / "b", unsigned=True).code == 0


def test_a_stretch_is_a_bundle(whole: EventLog, verify: Any, tmp_path: Path) -> None:
    manifest = export(whole, tmp_path / "b", 1, 5)
    assert (manifest.first, manifest.events) == (1, 4)
    assert verify(tmp_path / "b", unsigned=True).code == 0


def test_compressed_files_are_the_same_files(whole: EventLog, tmp_path: Path) -> None:
    plain = export(whole, tmp_path / "plain")
    packed = export(whole, tmp_path / "packed", compress=True)
    assert packed == plain
    assert (tmp_path / "packed" / "events.jsonl.zst").is_file()
    assert not (tmp_path / "packed" / "events.jsonl").exists()
    assert check_bundle(tmp_path / "packed", unsigned=True).ok


def test_a_compressed_file_that_is_cut_off_is_found(whole: EventLog, tmp_path: Path) -> None:
    export(whole, tmp_path / "b", compress=True)
    packed = tmp_path / "b" / "events.jsonl.zst"
    packed.write_bytes(packed.read_bytes()[:-20])
    checked = check_bundle(tmp_path / "b", unsigned=True)
    assert checked.findings[-1].place == "events.jsonl"


def test_a_compressed_file_that_is_none_is_found(whole: EventLog, tmp_path: Path) -> None:
    export(whole, tmp_path / "b", compress=True)
    (tmp_path / "b" / "payloads.jsonl.zst").write_bytes(b"nothing of the kind")
    assert check_bundle(tmp_path / "b", unsigned=True).findings


def test_the_program_zstd_unpacks_a_bundle_for_the_script(
    whole: EventLog, verify: Any, tmp_path: Path
) -> None:
    export(whole, tmp_path / "b", compress=True)
    packed = [str(each) for each in (tmp_path / "b").glob("*.zst")]
    try:
        subprocess.run(["zstd", "-q", "-d", "--rm", *packed], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("needs the program zstd")
    assert verify(tmp_path / "b", unsigned=True).code == 0


@pytest.mark.parametrize("kind", ["file", "folder", "dangling link"])
def test_nothing_is_ever_overwritten(kind: str, whole: EventLog, tmp_path: Path) -> None:
    target = tmp_path / "b"
    match kind:
        case "file":
            target.write_text("mine")
        case "folder":
            target.mkdir()
        case _:
            target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="there is something at"):
        export(whole, target)
    assert [each for each in tmp_path.iterdir() if each.name.startswith(".b")] == []


def left_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir() if "memory.db" not in each.name]


def test_a_place_that_cannot_be_written_is_an_error(whole: EventLog, tmp_path: Path) -> None:
    with pytest.raises(StorageUnavailable, match="cannot be written"):
        export(whole, tmp_path / "nowhere" / "b")


def test_a_failure_on_the_way_leaves_nothing_behind(
    whole: EventLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exporting, "sync_folder", full)
    with pytest.raises(StorageUnavailable, match="No space left"):
        export(whole, tmp_path / "b")
    assert left_in(tmp_path) == []


def test_an_interruption_leaves_nothing_behind(whole: EventLog, tmp_path: Path) -> None:
    def interrupted(_: Header) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(whole, tmp_path / "b", shows=interrupted)
    assert left_in(tmp_path) == []


def test_somebody_who_was_faster_is_not_overwritten(whole: EventLog, tmp_path: Path) -> None:
    def make_it(header: Header) -> bool:
        (tmp_path / "b").mkdir(exist_ok=True)
        (tmp_path / "b" / "mine").touch()
        return True

    with pytest.raises(InvalidInput, match="there is something at"):
        export(whole, tmp_path / "b", shows=make_it)
    assert os.listdir(tmp_path / "b") == ["mine"]


def test_of_a_log_with_a_lost_payload_no_bundle_is_made(
    whole: EventLog, tamper: Callable[..., int], tmp_path: Path
) -> None:
    tamper("DELETE FROM payload WHERE position = 3")
    with pytest.raises(PayloadMissing, match="position 3") as caught:
        export(whole, tmp_path / "b")
    assert caught.value.position == 3
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(
    ("statement", "position"),
    [
        ("UPDATE payload SET body = x'00' WHERE position = 2", 2),
        ("UPDATE payload SET key = zeroblob(32) WHERE position = 4", 4),
        ("DELETE FROM event WHERE position = 5", 5),
    ],
)
def test_of_a_log_that_is_not_what_was_written_no_bundle_is_made(
    statement: str,
    position: int,
    whole: EventLog,
    tamper: Callable[..., int],
    tmp_path: Path,
) -> None:
    assert tamper(statement) == 1
    with pytest.raises(ChainBroken) as caught:
        export(whole, tmp_path / "b")
    assert caught.value.position == position
    assert left_in(tmp_path) == []


def test_a_payload_that_is_too_large_for_a_bundle_is_named(
    whole: EventLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smriti_es.events.audit.payload_lines.PAYLOAD_BYTES_MAX", 10)
    with pytest.raises(InvalidInput, match="the payload at position 0 has") as caught:
        export(whole, tmp_path / "b")
    assert "Withhold it" in caught.value.hint


def test_progress_comes_to_its_end(whole: EventLog, tmp_path: Path) -> None:
    told = []
    with whole.database.read() as connection:
        stretch = Stretch(1, 5, everything)
        export_log(whole, connection, tmp_path / "b", stretch, lambda *seen: told.append(seen))
    assert told[-1] == ("check", 4, 4)
    assert ("export", 4, 4) in told


def test_a_longer_log_takes_no_more_memory(
    log: EventLog, turn: Callable[..., Any], owner: Any, tmp_path: Path
) -> None:
    peaks = []
    for number in range(2):
        for _ in range(1 + 3 * number):
            log.append([turn("x" * 400) for _ in range(600)], actor=owner)
        tracemalloc.start()
        export(log, tmp_path / f"b{number}", stop=log.head + 1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert log.head + 1 == 3_001
    assert peaks[1] < 1.3 * peaks[0]
