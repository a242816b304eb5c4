"""Nothing of what was erased stays in any file of the store, in any form."""

import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import ErasureCompleted
from smriti_es.projections.lexical.analysis import terms
from smriti_es.projections.vectors.tables import vector_tables
from smriti_es.settings import Settings

pytestmark = pytest.mark.sqlite_only("files of SQLite; test_scrubbing_a_server.py has the other")

Open = Callable[..., Engine]
MARKS = ("Zanzibarquux", "Wolfgangus", "Kilimandrox", "Quetzalbeta")


@pytest.fixture
def open_memory(
    tmp_path: Path, engine: Open, line_extractor: Callable[..., Any], embedder: Embedder
) -> Callable[..., Engine]:
    """Open the memory at `memory.db` of the test's folder, with everything that leaves traces."""

    def run(**options: Any) -> Engine:
        defaults: dict[str, Any] = {
            "extractor": line_extractor(),
            "embedder": embedder,
            "settings": Settings(embed_in_background=False, graph_threshold=4),
        }
        return engine(tmp_path / "memory.db", **(defaults | options))

    return run


def fill(memory: Engine) -> None:
    """Say things with every mark in a session, a turn, a fact, an alias and labels."""
    for number in range(6):
        memory.add(f"Rae | owns | kiln number {number}", session="plain")
    for mark in MARKS:
        turn = {"role": "user", "name": f"Speaker {mark}", "content": f"Ana | moved_to | {mark}"}
        memory.add(turn, session=f"about {mark}", tags=[mark], metadata={"note": mark})
        memory.assert_fact(mark, "owns", f"a boat of {mark}", tags=[mark])
        memory.alias(f"Old {mark}", mark)
    memory.wait_for_vectors()
    memory.search("Where did Ana move?")


def let_go(memory: Engine, mark: str) -> list[Any]:
    """Erase everything with a mark; gives what became of it."""
    return [
        memory.erase(session=f"about {mark}"),
        memory.erase(entity=mark),
    ]


def forms(mark: str) -> list[bytes]:
    """What a mark looks like: as it was said, folded, and as the full-text index has it."""
    return sorted({mark.encode(), mark.lower().encode(), *(t.encode() for t in terms(mark))})


def files_with(folder: Path, needles: Sequence[bytes]) -> list[str]:
    """Names of the files of which the bytes hold one of some pieces."""
    return sorted(
        path.name
        for path in folder.iterdir()
        if any(needle in path.read_bytes() for needle in needles)
    )


def test_a_word_that_a_column_is_called_by_is_not_taken_for_what_was_erased(
    open_memory: Callable[..., Engine],
) -> None:
    memory = open_memory()
    memory.add("The checkpoint and the position.", session="gone")
    erased = memory.erase(session="gone")
    assert (erased.verified, erased.places["memory.db"]) == (True, "clean")


def test_no_file_holds_a_marker_after_it_was_erased(
    tmp_path: Path, open_memory: Callable[..., Engine]
) -> None:
    memory = open_memory()
    fill(memory)
    gone = MARKS[0]
    for form in forms(gone):
        assert files_with(tmp_path, [form]) != []
    for erased in let_go(memory, gone):
        assert (erased.verified, erased.pending) == (True, None)
    assert files_with(tmp_path, forms(gone)) == []
    assert files_with(tmp_path, forms(MARKS[1])) != []
    assert memory.verify().ok
    memory.close()
    open_memory().close()
    assert files_with(tmp_path, forms(gone)) == []


def test_no_file_holds_a_vector_after_it_was_erased(
    tmp_path: Path, open_memory: Callable[..., Engine]
) -> None:
    memory = open_memory()
    fill(memory)
    (turn,) = memory.turns(sessions=[f"about {MARKS[0]}"])
    with memory._opened.database.read() as connection:
        c = vector_tables(1).vector.c
        stored = connection.execute(
            select(c.vector).where(c.position == turn.position)
        ).scalar_one()
    wide = np.frombuffer(stored, "<f2").astype(np.float32)
    needles = [stored, (wide / np.linalg.norm(wide)).tobytes()]
    assert any(name.endswith(".hnsw") for name in files_with(tmp_path, needles[1:]))
    memory.erase(session=f"about {MARKS[0]}")
    memory.search("kiln")
    assert files_with(tmp_path, needles) == []


def test_the_graph_serves_on_without_what_was_erased(
    tmp_path: Path, open_memory: Callable[..., Engine]
) -> None:
    memory = open_memory()
    fill(memory)
    let_go(memory, MARKS[0])
    again = open_memory()
    for each in (memory, again):
        found = each.search(f"Ana moved_to {MARKS[0]}", k=50)
        assert all(MARKS[0] not in hit.text for hit in found)
        assert len(found.hits) > 0
    added = memory.add(f"Ana | moved_to | {MARKS[0]}", session="anew")
    memory.wait_for_vectors()
    turns = [hit.turn for hit in again.search(f"Ana moved_to {MARKS[0]}", sessions=["anew"])]
    assert [turn.position for turn in turns if turn is not None] == list(added.positions)


@pytest.fixture
def careless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let SQLite leave what it frees where it is, as software without `secure_delete` does."""
    connect = sqlite3.connect

    class Careless(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            return super().execute(sql.replace("secure_delete=ON", "secure_delete=OFF"), *values)

    monkeypatch.setattr(
        sqlite3, "connect", lambda *a, **options: connect(*a, **(options | {"factory": Careless}))
    )


def test_pages_that_were_freed_before_are_cleaned_as_well(
    tmp_path: Path, open_memory: Callable[..., Engine], careless: None
) -> None:
    memory = open_memory()
    fill(memory)
    erased = let_go(memory, MARKS[0])
    assert [each.verified for each in erased] == [True, True]
    assert files_with(tmp_path, forms(MARKS[0])) == []


def test_a_second_process_that_has_it_open_keeps_nothing_back(
    tmp_path: Path, open_memory: Callable[..., Engine]
) -> None:
    memory, other = open_memory(), open_memory()
    fill(memory)
    assert MARKS[0] in other.context(f"What does {MARKS[0]} own?").text
    let_go(memory, MARKS[0])
    assert files_with(tmp_path, forms(MARKS[0])) == []
    assert MARKS[0] not in other.context(f"What does {MARKS[0].lower()} own?", history=True).text


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no reader."""
    monkeypatch.setattr("smriti_es.scrubbing._WAIT_S", 0.0)


def test_a_reader_of_what_was_before_is_named_and_the_scrub_goes_on_later(
    tmp_path: Path, open_memory: Callable[..., Engine], impatient: None
) -> None:
    memory, other = open_memory(), open_memory()
    fill(memory)
    with other._opened.database.read() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM payload").fetchall()
        erased = memory.erase(session=f"about {MARKS[0]}")
        assert erased.pending == "memory.db-wal: somebody is reading what was before"
        assert erased.places["memory.db-wal"].startswith("not reachable")
        assert memory.finish_erasures() == 1
        told = "erasure: not scrubbed from every file yet: 1; the next opening goes on"
        assert told in memory.status().degraded
    assert memory.finish_erasures() == 0
    assert files_with(tmp_path, [b"Speaker Zanzibarquux"]) == []
    (completed,) = [
        each.event for each in memory.events() if isinstance(each.event, ErasureCompleted)
    ]
    assert (completed.erased, completed.verified) == (erased.position, 0)


def test_what_is_elsewhere_is_said_to_be_out_of_reach(open_memory: Callable[..., Engine]) -> None:
    memory = open_memory()
    fill(memory)
    erased = memory.erase(session=f"about {MARKS[0]}")
    assert erased.places["backups, exports and disk blocks"] == "not reachable"
    assert erased.places["memory.db"] == "clean"
    assert erased.places["memory.db-wal"] == "clean"


def test_a_copy_beside_the_memory_is_found_and_named(
    tmp_path: Path, open_memory: Callable[..., Engine]
) -> None:
    memory = open_memory()
    fill(memory)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as source:
        source.execute("VACUUM INTO ?", [str(tmp_path / "memory.db.copy")])
    erased = memory.erase(session=f"about {MARKS[0]}")
    assert (erased.places["memory.db.copy"], erased.verified) == ("present", False)
    assert erased.places["memory.db"] == "clean"


def test_a_file_beside_the_memory_that_cannot_be_read_is_named(
    tmp_path: Path, open_memory: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    fill(memory)
    (tmp_path / "memory.db.locked").write_bytes(b"locked")
    opening = Path.open

    def opened(path: Path, *values: Any) -> Any:
        if path.name == "memory.db.locked":
            raise PermissionError(13, "Permission denied")
        return opening(path, *values)

    monkeypatch.setattr(Path, "open", opened)
    erased = memory.erase(session=f"about {MARKS[0]}")
    assert erased.places["memory.db.locked"] == "not reachable: Permission denied"
    assert (erased.verified, erased.pending) == (False, None)


def test_what_other_content_holds_as_well_does_not_count_as_found(
    open_memory: Callable[..., Engine],
) -> None:
    memory = open_memory()
    memory.add("Ana | moved_to | Zanzibarquux", session="first")
    memory.add("Ana | moved_to | Zanzibarquux", session="second")
    assert memory.erase(session="first").verified is True
    assert [fact.object for fact in memory.facts()] == ["Zanzibarquux"]


STEPS = (
    "head locked",
    "decided",
    "events inserted",
    "payloads inserted",
    "projected",
    "head moved",
)


@pytest.fixture
def failing(open_memory: Callable[..., Engine]) -> Callable[[str], Engine]:
    """Open a memory in which the append of an erasure fails at a step."""

    def run(step: str) -> Engine:
        memory = open_memory()
        fill(memory)

        def fail(reached: str) -> None:
            if reached == step:
                raise RuntimeError(step)

        memory._opened.log.on_step = fail
        return memory

    return run


@pytest.mark.parametrize("step", STEPS)
def test_a_failure_at_any_step_leaves_everything_as_it_was(
    step: str, failing: Callable[[str], Engine]
) -> None:
    memory = failing(step)
    before = (memory.head, memory.facts(statuses=None), memory.turns(), memory.search("Ana").hits)
    with pytest.raises(RuntimeError, match=step):
        memory.erase(session=f"about {MARKS[0]}")
    memory._opened.log.on_step = lambda _: None
    memory._opened.forget_caches()
    after = (memory.head, memory.facts(statuses=None), memory.turns(), memory.search("Ana").hits)
    assert after == before
    assert memory.verify().ok


@pytest.mark.parametrize("part", ["_scrubbed", "_searched"])
def test_a_scrub_that_was_cut_short_is_finished_at_the_next_opening(
    part: str,
    tmp_path: Path,
    open_memory: Callable[..., Engine],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = open_memory()
    fill(memory)

    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as cut, pytest.raises(KeyboardInterrupt):
        cut.setattr(f"smriti_es.scrubbing.Scrub.{part}", fail)
        memory.erase(session=f"about {MARKS[0]}")
    memory.close()
    again = open_memory()
    assert files_with(tmp_path, [b"Speaker Zanzibarquux", b"speaker zanzibarquux"]) == []
    (completed,) = [
        each.event for each in again.events() if isinstance(each.event, ErasureCompleted)
    ]
    assert completed.verified == 0
    assert again.verify().ok


ANOTHER = """
import sys
from smriti_es import Engine
with Engine.open(sys.argv[1], embedder=None) as memory:
    print(len(memory.search("Where did Ana move?").hits), flush=True)
    sys.stdin.readline()
    print(len(memory.turns(sessions=["plain"])), flush=True)
"""


def test_another_process_that_has_read_it_keeps_nothing_back(
    tmp_path: Path, open_memory: Callable[..., Engine]
) -> None:
    memory = open_memory()
    fill(memory)
    command = [sys.executable, "-c", ANOTHER, str(tmp_path / "memory.db")]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert int(other.stdout.readline()) > 0
        erased = let_go(memory, MARKS[0])
        assert [each.verified for each in erased] == [True, True]
        assert files_with(tmp_path, forms(MARKS[0])) == []
        other.stdin.write("go on\n")
        other.stdin.flush()
        assert int(other.stdout.readline()) == 6
    assert other.returncode == 0
