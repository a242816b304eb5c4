"""Out of a damaged file comes a new memory of everything that can be read."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from smriti_es import Engine, IdempotencyConflict, InvalidInput, NotFound, StorageDamaged, rescue
from smriti_es.rescuing import verify_unopened

DamagePage = Callable[[Path, bytes | int], None]
RootPage = Callable[[Path, str], int]
LINES = 40


def line(number: int) -> str:
    """Rows long enough that the log fills several pages."""
    return f"line {number:03} {'y' * 300}"


@pytest.fixture(scope="session")
def two_tenants(
    tmp_path_factory: pytest.TempPathFactory, line_extractor: Callable[..., Any]
) -> Path:
    """A closed memory of two tenants; of the first, each line is a commit of its own."""
    path = tmp_path_factory.mktemp("tenants") / "memory.db"
    with Engine.open(path, embedder=None, extractor=line_extractor()) as memory:
        for number in range(LINES):
            memory.add(line(number), session="s1", idempotency_key=f"key {number}")
    with Engine.open(path, tenant="other", embedder=None, extractor=None) as memory:
        memory.add("I keep bees.", session="s1")
    return path


def change(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)
        connection.commit()


def texts(memory: Engine) -> list[str]:
    return [turn.text for turn in memory.turns()]


@pytest.fixture
def file(two_tenants: Path, tmp_path: Path) -> Path:
    """A memory of two tenants, to be damaged."""
    return Path(shutil.copy(two_tenants, tmp_path / "memory.db"))


@pytest.fixture
def copy(file: Path) -> Path:
    """Where the rescued memory goes."""
    return file.with_name("copy.db")


@pytest.mark.parametrize("name", ["turn_v1_g1", "sqlite_autoindex_event_1", "event_by_type"])
def test_where_the_log_itself_is_whole_nothing_is_lost(
    file: Path, copy: Path, damage_page: DamagePage, root_page: RootPage, name: str
) -> None:
    damage_page(file, root_page(file, name))
    first, second = rescue(file, copy)
    assert (first.tenant, first.events, first.whole) == ("default", LINES + 2, True)
    assert (second.tenant, second.events, second.whole) == ("other", 3, True)
    with Engine.open(copy, embedder=None, read_only=True) as memory:
        assert texts(memory) == [line(number) for number in range(LINES)]
        assert memory.verify().ok
    with Engine.open(copy, tenant="other", embedder=None, read_only=True) as memory:
        assert texts(memory) == ["I keep bees."]


def test_content_that_is_lost_is_named_and_all_other_turns_are_there(
    file: Path, copy: Path, damage_page: DamagePage
) -> None:
    damage_page(file, b"line 020")
    rescued = rescue(file, copy)[0]
    assert not rescued.whole
    assert rescued.events == LINES + 2
    with Engine.open(copy, embedder=None, read_only=True) as memory:
        there = texts(memory)
        found = memory.verify().log.findings
    assert line(20) not in there
    assert len(there) == LINES - len(rescued.lost)
    assert tuple(finding.position for finding in found) == rescued.lost


def test_content_whose_rows_are_gone_is_named(file: Path, copy: Path) -> None:
    change(file, "DELETE FROM payload WHERE log = 1 AND position BETWEEN 10 AND 12")
    rescued = rescue(file, copy)[0]
    assert (rescued.events, rescued.lost, rescued.whole) == (LINES + 2, (10, 11, 12), False)


def test_content_that_is_not_what_was_written_is_copied_as_it_is_and_named(
    file: Path, copy: Path
) -> None:
    cast = "CAST(replace(CAST(body AS TEXT), 'line', 'lime') AS BLOB)"
    change(file, f"UPDATE payload SET body = {cast} WHERE log = 1 AND position = 10")
    rescued = rescue(file, copy)[0]
    assert (rescued.lost, rescued.altered, rescued.whole) == ((), (10,), False)
    with Engine.open(copy, embedder=None, read_only=True) as memory:
        assert {finding.position for finding in memory.verify().log.findings} == {10}


def test_content_that_is_garbled_is_lost_and_the_copy_can_be_read(file: Path, copy: Path) -> None:
    change(file, "UPDATE payload SET body = x'7b7d' WHERE log = 1 AND position = 10")
    rescued = rescue(file, copy)[0]
    assert (rescued.lost, rescued.altered) == ((10,), ())
    with Engine.open(copy, embedder=None, read_only=True) as memory:
        assert len(texts(memory)) == LINES - 1


@pytest.mark.parametrize("table", ["event", "payload"])
def test_an_index_that_leads_to_the_wrong_rows_is_not_followed(
    file: Path, copy: Path, root_page: RootPage, table: str
) -> None:
    stored = bytearray(file.read_bytes())
    size = int.from_bytes(stored[16:18], "big")
    start = (root_page(file, f"sqlite_autoindex_{table}_1") - 1) * size
    # The last places of the list of entries come first: nothing of it is malformed.
    cells = slice(start + 8, start + 8 + 2 * LINES)
    stored[cells] = stored[cells][2:] + stored[cells][:2]
    file.write_bytes(stored)
    assert rescue(file, copy)[0].whole
    with Engine.open(copy, embedder=None, read_only=True) as memory:
        assert texts(memory) == [line(number) for number in range(LINES)]


@pytest.mark.parametrize("ends", [(b"line 015",), (b"line 015", b"line 030"), (b"line 039",)])
def test_rows_around_damaged_pages_are_all_had(
    file: Path, copy: Path, damage_page: DamagePage, ends: tuple[bytes, ...]
) -> None:
    for end in ends:
        damage_page(file, end)
    rescued = rescue(file, copy)[0]
    assert rescued.events == LINES + 2
    assert 0 < len(rescued.lost) <= len(ends) * 12
    with Engine.open(copy, embedder=None, read_only=True) as memory:
        there = texts(memory)
    assert len(there) == LINES - len(rescued.lost)


def test_the_log_ends_before_the_first_event_that_is_lost(
    file: Path, copy: Path, damage_page: DamagePage
) -> None:
    damage_page(file, b'"pos":20,')
    rescued = rescue(file, copy)[0]
    assert 0 < rescued.events <= 20
    assert (rescued.size, rescued.lost) == (LINES + 2, ())
    with Engine.open(copy, embedder=None, read_only=True) as memory:
        assert texts(memory) == [line(number) for number in range(rescued.events - 2)]
        assert memory.verify().ok


def test_a_commit_of_which_a_part_is_lost_is_left_out_whole(
    tmp_path: Path, damage_page: DamagePage
) -> None:
    many = [{"role": "user", "content": line(number)} for number in range(LINES)]
    with Engine.open(tmp_path / "one.db", embedder=None, extractor=None) as memory:
        memory.add("first", session="s1")
        memory.add(many, session="s2")
    damage_page(tmp_path / "one.db", b'"pos":30,')
    (rescued,) = rescue(tmp_path / "one.db", tmp_path / "copy.db")
    assert (rescued.events, rescued.size) == (3, LINES + 4)
    with Engine.open(tmp_path / "copy.db", embedder=None, read_only=True) as copy:
        assert texts(copy) == ["first"]
        assert copy.verify().ok


def test_a_repeated_request_is_still_recognised_in_the_copy(
    file: Path, copy: Path, damage_page: DamagePage, root_page: RootPage
) -> None:
    damage_page(file, root_page(file, "idempotency"))
    rescue(file, copy)
    with Engine.open(copy, embedder=None, extractor=None) as memory:
        memory.add(line(3), session="s1", idempotency_key="key 3")
        assert memory.head == LINES + 1
        with pytest.raises(IdempotencyConflict):
            memory.add(line(4), session="s1", idempotency_key="key 3")


def test_turns_that_were_read_for_facts_are_not_read_again(
    file: Path, copy: Path, line_extractor: Callable[..., Any]
) -> None:
    rescue(file, copy)
    extractor = line_extractor()
    with Engine.open(copy, embedder=None, extractor=extractor) as memory:
        memory.extract_pending()
    assert extractor.seen == []


def test_a_copy_goes_nowhere_where_something_is(file: Path, copy: Path) -> None:
    copy.write_text("mine")
    with pytest.raises(InvalidInput, match="there is something at"):
        rescue(file, copy)
    assert copy.read_text() == "mine"


def test_there_must_be_a_file(copy: Path) -> None:
    with pytest.raises(NotFound, match="there is no file at"):
        rescue(copy.with_name("missing.db"), copy)


def test_without_the_list_of_tenants_nothing_is_made(
    file: Path, copy: Path, damage_page: DamagePage, root_page: RootPage
) -> None:
    damage_page(file, root_page(file, "log"))
    with pytest.raises(StorageDamaged) as caught:
        rescue(file, copy)
    assert caught.value.hint == "Restore a backup: not even the list of tenants can be read."
    assert list(copy.parent.glob("copy.db*")) == []


def test_a_rescue_leaves_the_damaged_file_as_it_is(
    file: Path, copy: Path, damage_page: DamagePage
) -> None:
    damage_page(file, b"line 020")
    before = file.read_bytes()
    rescue(file, copy)
    assert file.read_bytes() == before


def test_a_rescue_tells_how_far_it_is(file: Path, copy: Path) -> None:
    told: list[tuple[str, int, int]] = []
    rescue(file, copy, progress=lambda *step: told.append(step))
    assert told == [
        ("rescue", 0, LINES + 2),
        ("rescue", LINES + 2, LINES + 2),
        ("rescue", 0, 3),
        ("rescue", 3, 3),
    ]


def test_a_memory_that_cannot_be_opened_is_verified_as_far_as_it_can_be_read(
    file: Path, damage_page: DamagePage
) -> None:
    damage_page(file, b"timezone")
    with pytest.raises(StorageDamaged):
        Engine.open(file, tenant="other", embedder=None, read_only=True)
    report = verify_unopened(file, "other")
    assert (report.log.findings[0].position, report.log.findings[0].place) == (0, "payload")
    assert report.log.events == 3


def test_a_file_of_an_older_release_is_rescued_and_verified_too(file: Path, copy: Path) -> None:
    for statement in (
        "ALTER TABLE log DROP COLUMN peaks",
        "DROP TABLE tree_node",
        "DROP TABLE checkpoint",
        "UPDATE smriti_es_schema SET version_num = '0001'",
    ):
        change(file, statement)
    assert verify_unopened(file, "default").log.ok
    assert [each.whole for each in rescue(file, copy)] == [True, True]
    with Engine.open(copy, embedder=None, extractor=None) as memory:
        memory.add("One line more.", session="s1")
        assert memory.verify().ok
        assert memory.checkpoint().size == LINES + 4


def test_a_memory_that_cannot_be_opened_is_held_against_a_checkpoint(
    file: Path, damage_page: DamagePage
) -> None:
    with Engine.open(file, tenant="other", embedder=None, extractor=None) as memory:
        memory.checkpoint()
        for text in ("one", "two"):
            memory.add(text, session="s1")
        note = str(memory.checkpoint()).encode()
    damage_page(file, b"timezone")
    problems = [each.place for each in verify_unopened(file, "other").log.findings]
    assert "checkpoint" not in problems
    longer = note.replace(b"\n6\n", b"\n9\n")
    report = verify_unopened(file, "other", checkpoint=longer)
    assert "checkpoint" in [each.place for each in report.log.findings]


def test_a_file_that_is_no_database_is_a_finding_of_the_verification(
    file: Path, damage_page: DamagePage
) -> None:
    damage_page(file, 1)
    (finding,) = verify_unopened(file, "default").log.findings
    assert (finding.position, finding.place, finding.unreadable) == (None, "file", True)
    assert "not a database" in finding.problem
