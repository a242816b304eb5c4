"""A memory that a later release has written to is read, verified and said to be so, not written."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from smriti_es.engine import Engine
from smriti_es.events.chain import leaf_hash
from smriti_es.events.errors import SchemaNewer
from smriti_es.events.merkle_tree import CompactRange


@pytest.fixture
def kept(engine: Callable[..., Engine], tmp_path: Path) -> Path:
    """The file of a memory with one fact, closed; all projections have read all of its log."""
    memory = engine("kept.db")
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15")
    memory.close()
    return tmp_path / "kept.db"


def edit_last(file: Path, old: bytes, new: bytes) -> None:
    """Let the last event be one of a later release, which has also folded it."""
    with closing(sqlite3.connect(file)) as connection, connection:
        statement = "SELECT position, header, type FROM event ORDER BY position"
        rows = connection.execute(statement).fetchall()
        position, header, kind = rows[-1]
        changed = header.replace(old, new)
        assert changed != header
        leaf = leaf_hash(changed)
        leaves = [leaf_hash(row[1]) for row in rows[:-1]] + [leaf]
        connection.execute(
            "UPDATE event SET header = ?, leaf = ?, type = ? WHERE position = ?",
            (changed, leaf, kind.replace(old.decode(), new.decode()), position),
        )
        peaks = CompactRange().extend(leaves).to_bytes()
        connection.execute("UPDATE log SET head = ?, peaks = ?", (leaf, peaks))
        statement = "UPDATE projection SET leaf = ? WHERE folded = ?"
        connection.execute(statement, (leaf, position + 1))


UNKNOWN_TYPE = (b"FactAsserted", b"FactDreamtUp")
UNKNOWN_VERSION = (b'"ver":1', b'"ver":9')


@pytest.mark.parametrize("change", [UNKNOWN_TYPE, UNKNOWN_VERSION])
def test_it_answers_and_says_what_it_is(
    change: tuple[bytes, bytes], kept: Path, engine: Callable[..., Engine]
) -> None:
    edit_last(kept, *change)
    memory = engine("kept.db")
    assert [turn.text for turn in memory.turns()] == ["I live in Hyderabad."]
    (said, *_) = memory.status().degraded
    assert said.startswith("writing: its log holds events of a later one: Fact")


@pytest.mark.parametrize("change", [UNKNOWN_TYPE, UNKNOWN_VERSION])
def test_it_refuses_to_be_written(
    change: tuple[bytes, bytes], kept: Path, engine: Callable[..., Engine]
) -> None:
    edit_last(kept, *change)
    before = kept.read_bytes()
    with pytest.raises(SchemaNewer, match="can only be read by this release") as caught:
        engine("kept.db").add("I live in Pune.", session="s2", at="2026-03-15")
    assert "Upgrade" in caught.value.hint
    assert kept.read_bytes() == before


@pytest.mark.parametrize("change", [UNKNOWN_TYPE, UNKNOWN_VERSION])
@pytest.mark.parametrize("read_only", [False, True])
def test_its_chain_is_verified_and_its_projections_are_left_alone(
    read_only: bool, change: tuple[bytes, bytes], kept: Path, engine: Callable[..., Engine]
) -> None:
    edit_last(kept, *change)
    report = engine("kept.db", read_only=read_only).verify()
    assert report.ok
    assert report.projections == ()


def test_a_newer_format_is_told_by_the_verification(
    kept: Path, engine: Callable[..., Engine]
) -> None:
    edit_last(kept, b"smriti-es/1", b"smriti-es/2")
    (only,) = engine("kept.db").verify().log.findings
    assert only.newer


def test_a_damaged_memory_is_not_taken_for_a_newer_one(
    kept: Path, engine: Callable[..., Engine]
) -> None:
    with closing(sqlite3.connect(kept)) as connection, connection:
        connection.execute("UPDATE event SET header = x'00' WHERE position = 1")
    assert "writing" not in "".join(engine("kept.db", read_only=True).status().degraded)
