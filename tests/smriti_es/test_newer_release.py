"""A memory that a later release has written to is read, verified and said to be so, not written."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.chain import leaf_hash
from smriti_es.events.errors import SchemaNewer
from smriti_es.events.merkle_tree import CompactRange

Run = Callable[..., Any]


@pytest.fixture
def kept(engine: Callable[..., Engine], past_the_library: Run) -> Run:
    """Runs SQL on a memory with one fact, closed; all projections have read all of its log."""
    memory = engine()
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15")
    memory.close()
    return past_the_library


def edit_last(run: Run, old: bytes, new: bytes) -> None:
    """Let the last event be one of a later release, which has also folded it."""
    statement = "SELECT position, header, type FROM event ORDER BY position"
    rows = run(statement).fetchall()
    position, header, kind = rows[-1]
    changed = header.replace(old, new)
    assert changed != header
    leaf = leaf_hash(changed)
    leaves = [leaf_hash(row[1]) for row in rows[:-1]] + [leaf]
    run(
        "UPDATE event SET header = ?, leaf = ?, type = ? WHERE position = ?",
        changed,
        leaf,
        kind.replace(old.decode(), new.decode()),
        position,
    )
    peaks = CompactRange().extend(leaves).to_bytes()
    run("UPDATE log SET head = ?, peaks = ?", leaf, peaks)
    run("UPDATE projection SET leaf = ? WHERE folded = ?", leaf, position + 1)


def every_row(run: Run) -> list[Any]:
    tables = ("event", "payload", "log", "projection", "checkpoint", "idempotency")
    return [sorted(map(repr, run(f"SELECT * FROM {table}").fetchall())) for table in tables]


UNKNOWN_TYPE = (b"FactAsserted", b"FactDreamtUp")
UNKNOWN_VERSION = (b'"ver":1', b'"ver":9')


@pytest.mark.parametrize("change", [UNKNOWN_TYPE, UNKNOWN_VERSION])
def test_it_answers_and_says_what_it_is(
    change: tuple[bytes, bytes], kept: Run, engine: Callable[..., Engine]
) -> None:
    edit_last(kept, *change)
    memory = engine()
    assert [turn.text for turn in memory.turns()] == ["I live in Hyderabad."]
    (said, *_) = memory.status().degraded
    assert said.startswith("writing: its log holds events of a later one: Fact")


@pytest.mark.parametrize("change", [UNKNOWN_TYPE, UNKNOWN_VERSION])
def test_it_refuses_to_be_written(
    change: tuple[bytes, bytes], kept: Run, engine: Callable[..., Engine]
) -> None:
    edit_last(kept, *change)
    before = every_row(kept)
    with pytest.raises(SchemaNewer, match="can only be read by this release") as caught:
        engine().add("I live in Pune.", session="s2", at="2026-03-15")
    assert "Upgrade" in caught.value.hint
    assert every_row(kept) == before


@pytest.mark.parametrize("change", [UNKNOWN_TYPE, UNKNOWN_VERSION])
@pytest.mark.parametrize("read_only", [False, True])
def test_its_chain_is_verified_and_its_projections_are_left_alone(
    read_only: bool, change: tuple[bytes, bytes], kept: Run, engine: Callable[..., Engine]
) -> None:
    edit_last(kept, *change)
    report = engine(read_only=read_only).verify()
    assert report.ok
    assert report.projections == ()


def test_a_newer_format_is_told_by_the_verification(
    kept: Run, engine: Callable[..., Engine]
) -> None:
    edit_last(kept, b"smriti-es/1", b"smriti-es/2")
    (only,) = engine().verify().log.findings
    assert only.newer


def test_a_damaged_memory_is_not_taken_for_a_newer_one(
    kept: Run, engine: Callable[..., Engine]
) -> None:
    kept("UPDATE event SET header = x'00' WHERE position = 1")
    assert "writing" not in "".join(engine(read_only=True).status().degraded)
