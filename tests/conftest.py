"""What all tests share: time and chance that are the same in every run, and open memories."""

import hashlib
import os
import random
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from smriti_es.embedders import CallableEmbedder, FloatMatrix
from smriti_es.embedders.tokens import TokenVectors
from smriti_es.engine import Engine
from smriti_es.events import dialect_postgres
from smriti_es.events.database import Database
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import ExtractionError
from smriti_es.events.instants import parse_instant
from smriti_es.events.local_state import VARIABLE as STATE_FOLDER
from smriti_es.events.log import EventLog
from smriti_es.events.opening import open_database
from smriti_es.events.postgres_scrub import await_readers
from smriti_es.events.registry import Founding, open_log
from smriti_es.extraction.contract import Evidence, ExtractedFact, Extraction, SourceTurn
from smriti_es.migrate import migrate
from smriti_es.settings import Settings
from tests.places import DATABASES, Places, SqlitePlaces, chosen
from tests.postgres_places import (
    STOCK,
    as_postgres,
    connect,
    make_folder,
    stop_server,
)

# 2026-06-02T10:00:00Z, a Tuesday.
START = 1_780_394_400_000_000
SECOND = 1_000_000
DIMENSION = 16

# A property that uses `log` gets one log for all its examples, on purpose: it only ever grows.
_SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
settings.register_profile(
    "default", max_examples=50, derandomize=True, deadline=None, suppress_health_check=_SHARED
)
settings.register_profile(
    "guarantee", max_examples=2_000, deadline=None, print_blob=True, suppress_health_check=_SHARED
)
settings.load_profile("guarantee" if os.environ.get("SMRITI_ES_GUARANTEES") == "1" else "default")


@dataclass(slots=True)
class SteppingClock:
    """Gives the time `now`, in microseconds since the epoch, and moves on by `step`."""

    now: int = START
    step: int = SECOND

    def __call__(self) -> int:
        self.now += self.step
        return self.now - self.step


@pytest.fixture
def clock() -> SteppingClock:
    """A clock that begins on 2026-06-02 at 10:00 UTC and moves one second at each look.

    A test may set `clock.now` and `clock.step`, also backwards.
    """
    return SteppingClock()


@pytest.fixture
def randomness() -> Callable[[int], bytes]:
    """Random bytes that are the same in every run."""
    return random.Random(0).randbytes


@pytest.fixture(scope="session")
def empty_memory(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a database file with the schema of this release and no log in it."""
    opened = SqliteDatabase(tmp_path_factory.mktemp("schema") / "memory.db")
    migrate(opened)
    opened.close()
    return opened.path.read_bytes()


def pytest_configure(config: pytest.Config) -> None:
    """Say where a server is to lie, for all workers, should one of them start it."""
    if not hasattr(config, "workerinput"):
        make_folder()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop a server that was started."""
    STOCK.drop_all()
    if not hasattr(config, "workerinput"):
        stop_server()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out on other databases what is about files of SQLite, and what would take too long."""
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item, runs in zip(items, chosen(items), strict=True):
        (kept if runs else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


@pytest.fixture(scope="session", params=sorted(DATABASES))
def places_in(request: pytest.FixtureRequest, empty_memory: bytes) -> Callable[[Path], Places]:
    """Give the places that belong to a folder; runs its tests on every database."""
    return lambda folder: DATABASES[request.param](folder, empty_memory)


@pytest.fixture
def places(
    places_in: Callable[[Path], Places], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Places]:
    """The places of this test; runs it on every database."""
    monkeypatch.setenv(STATE_FOLDER, str(tmp_path / "state"))
    found = places_in(tmp_path)
    yield found
    found.close()


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[None]]:
    """Wait long for other tests' transactions, of one server; gives a block that waits as usual."""

    def waiting(driver: Any, wait_s: float) -> bool:
        return await_readers(driver, max(wait_s, 60.0))

    monkeypatch.setattr(dialect_postgres, "await_readers", waiting)

    @contextmanager
    def as_usual() -> Iterator[None]:
        with monkeypatch.context() as usual:
            usual.setattr(dialect_postgres, "await_readers", await_readers)
            yield

    return as_usual


@pytest.fixture
def every_database(
    tmp_path: Path, empty_memory: bytes, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Places]]:
    """Places on every database at once, by the name of the database."""
    monkeypatch.setenv(STATE_FOLDER, str(tmp_path / "state"))
    found = {name: make(tmp_path, empty_memory) for name, make in DATABASES.items()}
    yield found
    for each in found.values():
        each.close()


@pytest.fixture
def database(places: Places) -> Iterator[Database]:
    """A database of its own at the place `memory.db`, with the schema of this release."""
    opened = open_database(places.with_schema("memory.db"), busy_timeout_ms=5_000)
    yield opened
    opened.close()


@pytest.fixture
def file_database(tmp_path: Path, empty_memory: bytes) -> Iterator[SqliteDatabase]:
    """An SQLite file of its own, `memory.db`, with the schema of this release."""
    place = SqlitePlaces(tmp_path, empty_memory).with_schema("memory.db")
    opened = SqliteDatabase(place, busy_timeout_ms=5_000)
    yield opened
    opened.close()


@pytest.fixture
def log(database: Database, clock: SteppingClock, randomness: Callable[[int], bytes]) -> EventLog:
    """The founded log of the tenant "default": `LogOpened` is at position 0."""
    founding = Founding(timezone="UTC", engine="smriti-es/test")
    return open_log(database, "default", clock=clock, randomness=randomness, founding=founding)


def _raw(place: str | Path) -> Any:
    if isinstance(place, Path):
        return sqlite3.connect(place, isolation_level=None)
    return connect(place)


@pytest.fixture
def past_the_library(places: Places) -> Iterator[Callable[..., Any]]:
    """Run SQL, written as for SQLite, on `memory.db`; each statement stands at once."""
    with ExitStack() as opened:
        connections: list[Any] = []

        def run(statement: str, *values: Any) -> Any:
            if not connections:
                connections.append(opened.enter_context(closing(_raw(places.named("memory.db")))))
            written = as_postgres(statement) if hasattr(connections[0], "info") else statement
            return connections[0].execute(written, values)

        yield run


@pytest.fixture
def tamper(past_the_library: Callable[..., Any]) -> Callable[..., int]:
    """Run SQL on `memory.db` behind the library's back; gives how many rows it changed."""
    return lambda statement, *values: int(past_the_library(statement, *values).rowcount)


@pytest.fixture(scope="session")
def damage_page() -> Callable[[Path, bytes | int], None]:
    """Fill a page of a closed SQLite file with zeros.

    The page is named by its number, or by bytes of which the last place in the file is on it.
    """

    def damage(file: Path, which: bytes | int) -> None:
        stored = bytearray(file.read_bytes())
        size = int.from_bytes(stored[16:18], "big")
        if isinstance(which, bytes):
            found = stored.rindex(which)
            start = found - found % size
        else:
            start = (which - 1) * size
        stored[start : start + size] = bytes(size)
        file.write_bytes(stored)

    return damage


@pytest.fixture(scope="session")
def root_page() -> Callable[[Path, str], int]:
    """Give the number of the first page of a table or an index of an SQLite file."""

    def find(file: Path, name: str) -> int:
        with closing(sqlite3.connect(file)) as connection:
            statement = "SELECT rootpage FROM sqlite_master WHERE name = ?"
            return int(connection.execute(statement, [name]).fetchone()[0])

    return find


class WordSums(CallableEmbedder):
    """Adds up a vector for each word."""

    token_space = "word-sums"

    def __init__(self) -> None:
        super().__init__(
            lambda texts: [_word_sums(text) for text in texts],
            model="word-sums",
            dimension=DIMENSION,
            endpoint=None,
        )

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        """Embed texts, and each of their words."""
        return self.embed(texts), [_word_vectors(text) for text in texts]


@pytest.fixture(scope="session")
def embedder() -> CallableEmbedder:
    """A small embedder: texts that share words have vectors that point the same way.

    It gives token vectors: one for each word, wherever it stands.
    """
    return WordSums()


@pytest.fixture
def engine(places: Places, clock: SteppingClock) -> Iterator[Callable[..., Engine]]:
    """Open engines, by default at the place `memory.db` and without an embedder.

    Takes what `Engine.open` takes. Nothing embeds in the background; every engine is closed at the
    end.
    """
    opened: list[Engine] = []

    def open_engine(location: str | Path = "memory.db", **options: Any) -> Engine:
        defaults = {
            "embedder": None,
            "settings": Settings(embed_in_background=False),
            "clock": clock,
        }
        opened.append(Engine.open(places.named(str(location)), **(defaults | options)))
        return opened[-1]

    yield open_engine
    for each in reversed(opened):
        each.close()


@dataclass(slots=True)
class LineExtractor:
    """Reads facts that are written as facts, one a line: `Rachel | lives_in | Pune`.

    Further parts are `scope=project:x`, `from=2024-03`, `to=2025`, `keys=oven`, `single`
    and `ended`. A turn with the word FAIL is more than it can do.
    """

    immediate: bool = True
    name: str = "lines/1"
    model: str = ""
    prompt_digest: str = ""
    # Positions of the turns that it was shown, call by call.
    seen: list[tuple[int, ...]] = field(default_factory=list)
    broken: bool = False

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        """Read every line of every turn."""
        self.seen.append(tuple(turn.position for turn in turns))
        if self.broken or any("FAIL" in turn.text for turn in turns):
            raise ExtractionError("out of order")
        return Extraction(
            tuple(
                _fact_of_line(line, turn)
                for turn in turns
                for line in turn.text.splitlines()
                if line.count("|") >= 2
            )
        )


def _fact_of_line(line: str, turn: SourceTurn) -> ExtractedFact:
    subject, predicate, value, *options = (part.strip() for part in line.split("|"))
    said = dict(option.partition("=")[::2] for option in options)
    begins = parse_instant(said["from"]) if "from" in said else None
    return ExtractedFact(
        subject,
        predicate,
        value,
        f"{subject} {predicate.replace('_', ' ')} {value}",
        (Evidence(turn.position, line.strip()),),
        scope=said.get("scope", ""),
        valid_from=None if begins is None else begins.at,
        valid_to=parse_instant(said["to"]).at if "to" in said else None,
        precision="unknown" if begins is None else begins.precision,
        time_text=said.get("from"),
        search_keys=tuple(said.get("keys", "").split()),
        single="single" in said,
        ends="ended" in said,
    )


@pytest.fixture(scope="session")
def line_extractor() -> Callable[..., LineExtractor]:
    """Make an extractor that reads facts written as `Rachel | lives_in | Pune`."""
    return LineExtractor


def _word_vectors(text: str) -> TokenVectors:
    words = list(re.finditer(r"\S+", text))
    sums = np.array([_word_sums(word[0]) for word in words], np.float32).reshape(-1, DIMENSION)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return TokenVectors(sums / lengths, tuple(word.span() for word in words))


def _word_sums(text: str) -> list[float]:
    sums = [0.0] * DIMENSION
    for word in text.lower().split() or [""]:
        digest = hashlib.sha256(word.encode()).digest()
        sums[digest[0] % DIMENSION] += 1.0
        sums[digest[1] % DIMENSION] += 0.5
    return sums
