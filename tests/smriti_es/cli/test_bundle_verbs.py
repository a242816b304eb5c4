"""`log export`, `log verify-bundle` and `log import`: what they write, and how they end."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from smriti_es.events.chain import leaf_hash
from smriti_es.events.merkle_tree import CompactRange

Call = Callable[..., Any]


def test_export_makes_a_bundle_and_says_how_to_check_it(two_homes: Call, tmp_path: Path) -> None:
    done = two_homes("log", "export", "audit")
    assert done.code == 0
    assert done.out == f"Exported positions 0 to 6 to {tmp_path / 'audit'}.\n"
    assert "`smriti-es log verify-bundle audit`" in done.err
    assert (tmp_path / "audit" / "manifest.json").is_file()


def test_export_in_json_says_what_was_written(two_homes: Call, tmp_path: Path) -> None:
    found = two_homes("log", "export", "audit", "--no-content", "--json").json
    assert found == {
        "path": str(tmp_path / "audit"),
        "first": 0,
        "events": 7,
        "withheld": 7,
        "files": ["FORMAT.md", "events.jsonl", "payloads.jsonl", "verify_bundle.py"],
    }


def test_export_says_what_it_withholds(two_homes: Call) -> None:
    done = two_homes("log", "export", "audit", "--position", "0-2", "--type", "TurnRecorded")
    assert "withheld, and said to be" in done.out


def test_export_shows_a_session_alone(two_homes: Call) -> None:
    found = two_homes("log", "export", "audit", "--session", "s1", "--json").json
    assert found["withheld"] == 4


def test_export_takes_a_stretch(two_homes: Call) -> None:
    found = two_homes("log", "export", "audit", "--first", 5, "--last", 5, "--json").json
    assert (found["first"], found["events"]) == (5, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--position", "x"], "--position is 'x'"),
        (["--no-content", "--type", "TurnRecorded"], "--no-content goes with none of"),
        (["--type", "Rumour"], "no event type 'Rumour'"),
        (["--first", "9"], "lies behind the last, 6"),
        (["--derived", "--no-content"], "follow from the whole log"),
    ],
)
def test_export_refuses_what_it_cannot_do(
    options: list[str], message: str, two_homes: Call
) -> None:
    done = two_homes("log", "export", "audit", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_export_never_overwrites(two_homes: Call, tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    done = two_homes("log", "export", "audit")
    assert done.code == 2
    assert "there is something at" in done.err


def test_a_bundle_is_checked_without_a_memory(two_homes: Call, call: Call) -> None:
    two_homes("log", "export", "audit")
    done = call("log", "verify-bundle", "audit", "--unsigned", SMRITI_ES_DB="nowhere.db")
    assert (done.code, done.out) == (
        0,
        "The bundle is what it says: positions 0 to 6, 7 with their content.\n",
    )


def test_what_is_under_no_signature_is_said_and_ends_with_2(two_homes: Call) -> None:
    two_homes("log", "export", "audit")
    done = two_homes("log", "verify-bundle", "audit")
    assert done.code == 2
    assert "not checked: there is no checkpoint" in done.out


def test_what_is_broken_is_named_by_position_and_ends_with_1(
    two_homes: Call, tmp_path: Path
) -> None:
    two_homes("log", "export", "audit")
    events = tmp_path / "audit" / "events.jsonl"
    lines = events.read_bytes().splitlines(keepends=True)
    events.write_bytes(b"".join(lines[:3] + lines[4:]))
    done = two_homes("log", "verify-bundle", "audit", "--unsigned")
    assert done.code == 1
    assert "The bundle is NOT what it says" in done.out
    assert "       3  events.jsonl" in done.out
    found = two_homes("log", "verify-bundle", "audit", "--unsigned", "--json")
    assert found.code == 1
    assert found.json["ok"] is False
    assert found.json["findings"][0]["position"] == 3


def test_a_bundle_that_is_not_there_ends_with_2(two_homes: Call) -> None:
    done = two_homes("log", "verify-bundle", "nowhere")
    assert (done.code, done.out) == (2, "")
    assert "there is no bundle at nowhere" in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--key", "nonsense"], "no public key"),
        (["--since", "nowhere"], "no file at nowhere"),
    ],
)
def test_what_is_no_key_and_no_checkpoint_is_refused(
    options: list[str], message: str, two_homes: Call
) -> None:
    two_homes("log", "export", "audit")
    done = two_homes("log", "verify-bundle", "audit", *options)
    assert done.code == 2
    assert message in done.err


def test_import_takes_a_log_over(two_homes: Call, tmp_path: Path) -> None:
    two_homes("log", "export", "audit", "--derived")
    done = two_homes("log", "import", "audit", "--db", "copy.db", "--tenant", "bob")
    assert done.code == 0
    assert done.out == (
        "Imported 7 events into copy.db as tenant bob; the log goes on at position 7.\n"
    )
    assert "note: not checked: there is no checkpoint" in done.err
    assert two_homes("log", "verify", "--db", "copy.db", "--tenant", "bob").code == 0


def test_import_in_json_says_what_was_found(two_homes: Call) -> None:
    two_homes("log", "export", "audit")
    found = two_homes("log", "import", "audit", "--db", "copy.db", "--json").json
    assert (found["events"], found["head"]) == (7, 7)
    assert found["verified"]["ok"] is True
    assert found["checked"]["findings"] == []


def test_import_of_a_log_that_is_there_is_refused(two_homes: Call) -> None:
    two_homes("log", "export", "audit")
    done = two_homes("log", "import", "audit", "--tenant", "bob")
    assert done.code == 2
    assert "this database holds the log" in done.err


def test_import_of_a_broken_bundle_ends_with_1(two_homes: Call, tmp_path: Path) -> None:
    two_homes("log", "export", "audit")
    (tmp_path / "audit" / "payloads.jsonl").write_bytes(b"")
    done = two_homes("log", "import", "audit", "--db", "copy.db")
    assert done.code == 1
    assert "the bundle is broken" in done.err
    assert not (tmp_path / "copy.db").exists()


def test_a_newer_format_is_told_by_verify_and_is_no_damage(two_homes: Call, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        rows = connection.execute("SELECT header FROM event ORDER BY position").fetchall()
        changed = rows[6][0].replace(b"smriti-es/1", b"smriti-es/2")
        connection.execute(
            "UPDATE event SET header = ?, leaf = ? WHERE position = 6",
            (changed, leaf_hash(changed)),
        )
        leaves = [leaf_hash(row[0]) for row in rows[:6]] + [leaf_hash(changed)]
        peaks = CompactRange().extend(leaves).to_bytes()
        connection.execute("UPDATE log SET head = ?, peaks = ?", (leaves[6], peaks))
    done = two_homes("log", "verify")
    assert done.code == 2
    assert "goes on in a newer format: 6 events are intact" in done.out
    assert "Upgrade smriti-es" in done.err
