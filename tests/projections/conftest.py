"""What tests of projections share: histories, a guard for purity, and ways to spoil a fold."""

import os
import random
import secrets
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

import smriti_es
from smriti_es.engine import Engine
from smriti_es.events.catalogue import Event, FactAsserted
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.tables import projection_table
from smriti_es.projections.entities import EntitiesProjection
from smriti_es.projections.extractions import ExtractionsProjection
from smriti_es.projections.facts import FactsProjection
from smriti_es.projections.inline import InlineFolding
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.projections.lineage import LineageProjection
from smriti_es.projections.projection import Fold, Projection, fingerprint
from smriti_es.projections.projector import Projector
from smriti_es.projections.receipts import ReceiptsProjection
from smriti_es.projections.revisions import RevisionsProjection
from smriti_es.projections.trust import TrustProjection
from smriti_es.projections.turns import TurnsProjection
from smriti_es.projections.vectors import tables as vector_tables
from smriti_es.projections.vectors.projection import VectorsProjection
from smriti_es.results import ProjectionStatus

KINDS: tuple[type[Projection], ...] = (
    TurnsProjection,
    EntitiesProjection,
    LineageProjection,
    TrustProjection,
    FactsProjection,
    RevisionsProjection,
    ExtractionsProjection,
    LexicalProjection,
    ReceiptsProjection,
    VectorsProjection,
)
# What a fold must not look at: (owner, name).
IMPURE = (
    *((time, name) for name in ("time", "time_ns", "monotonic", "localtime", "sleep")),
    *((random, name) for name in ("random", "randint", "choice", "shuffle", "getrandbits")),
    (os, "urandom"),
    (os, "getenv"),
    (secrets, "token_bytes"),
    (uuid, "uuid4"),
    (socket.socket, "__init__"),
    (socket, "create_connection"),
    (socket, "getaddrinfo"),
)


class Impure(Exception):
    """A fold looked at something that is not in the log."""


@pytest.fixture
def state() -> Callable[[Engine, str], ProjectionStatus]:
    """Give the status of the generation that serves."""

    def of(engine: Engine, name: str) -> ProjectionStatus:
        serving = [
            each
            for each in engine.status().projections
            if each.name == name and each.state in ("active", "halted")
        ]
        assert len(serving) == 1
        return serving[0]

    return of


@pytest.fixture(scope="session")
def said() -> Callable[..., list[dict[str, str]]]:
    """Make messages of texts."""
    return lambda *texts: [{"role": "user", "content": text} for text in texts]


@pytest.fixture(scope="session")
def told() -> Callable[..., FactAsserted]:
    """Make the event that states a fact: that Rachel Smith lives in Oslo, or in what is given."""

    def make(value: str = "Oslo", **more: Any) -> FactAsserted:
        given: dict[str, Any] = {
            "origin": "owner",
            "fact": f"{len(value):032}",
            "space": "main",
            "subject": "Rachel  SMITH",
            "predicate": "lives_in",
            "object": value,
            "statement": f"Rachel lives in {value}.",
            "said_at": 5_000,
            "valid_from": 1_000,
        }
        return FactAsserted(**(given | more))

    return make


@pytest.fixture(scope="session")
def fingerprints() -> Callable[[Engine], dict[str, str]]:
    """Fingerprint the rows that serve, of every projection."""

    def of(engine: Engine) -> dict[str, str]:
        projector = engine._opened.projector
        with engine._opened.database.read() as connection:
            return {
                name: fingerprint(
                    projector.projections[name], projector.fold(connection, generation)
                )
                for name, generation in projector.serving(connection).items()
            }

    return of


@pytest.fixture(scope="session")
def unfold() -> Callable[[Engine, str], None]:
    """Set what serves back to the state before the first event."""

    def back(engine: Engine, name: str) -> None:
        projector = engine._opened.projector
        with engine._opened.database.write() as connection:
            serving = projector.serving(connection)[name]
            projector.projections[name].clear(projector.fold(connection, serving))
            this = (projection_table.c.name == name) & (
                projection_table.c.generation == serving.number
            )
            begun = update(projection_table).where(this).values(folded=0, leaf=bytes(32))
            connection.execute(begun)

    return back


@dataclass(frozen=True, slots=True)
class Alone:
    """One projection with a log to itself.

    Attributes:
        projector: Runs it.
        name: Its name.
        tamper: Runs SQL on the file.
    """

    projector: Projector
    name: str
    tamper: Callable[..., int]

    def append(self, *events: Event, refs: Sequence[tuple[int, ...]] = ()) -> int:
        """Append one commit; gives the position of its first event."""
        named = [*refs, *[()] * len(events)]
        news = [NewEvent(event, named[number]) for number, event in enumerate(events)]
        return self.projector.log.append(news, actor=Actor("owner", "test")).first

    def rows(self, table: int = 0) -> list[dict[str, Any]]:
        """Read the rows of a table in key order, without the log's number."""
        read = self.projector.projections[self.name].tables(1)[table]
        with self.projector.log.database.read() as connection:
            found = connection.execute(read.select().order_by(*read.primary_key)).mappings()
            return [{key: value for key, value in row.items() if key != "log"} for row in found]

    def known(self, position: int) -> int:
        """The knowledge time of an event."""
        (recorded,) = self.projector.log.read(position, position + 1)
        return recorded.header.known

    def fold_anew(self, batch: int) -> None:
        """Empty the tables and fold the log once more, so many events at a time."""
        for table in self.projector.projections[self.name].tables(1):
            self.tamper(f"DELETE FROM {table.name}")
        self.tamper("UPDATE projection SET folded = 0, leaf = zeroblob(32)")
        self.projector.catch_up(self.name, batch=batch)

    def erase(self, position: int) -> None:
        """Take an event's content away."""
        assert self.tamper("DELETE FROM payload WHERE position = ?", position) == 1

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the rows."""
        with self.projector.log.database.read() as connection:
            fold = self.projector.fold(connection, self.projector.serving(connection)[self.name])
            return fingerprint(self.projector.projections[self.name], fold)


@pytest.fixture
def alone(log: EventLog, tamper: Callable[..., int]) -> Callable[[Projection], Alone]:
    """Run one projection on a founded log, with no other beside it."""

    def run(projection: Projection) -> Alone:
        runner = Projector(log, [projection])
        InlineFolding(runner)
        with log.database.write() as connection:
            runner.begin(connection)
        runner.catch_up(projection.name)
        return Alone(runner, projection.name, tamper)

    return run


@pytest.fixture
def a_life() -> Callable[[Engine], None]:
    """Record a small history that has something of everything."""

    def record(engine: Engine) -> None:
        engine.add(
            [
                {"role": "user", "content": "I grow three kinds of pear.", "name": "Maren"},
                {"role": "assistant", "content": "Which ones?", "timestamp": "2026-05-01"},
            ],
            session="garden",
            tags=["fruit", "garden"],
            metadata={"level": 4, "open": True, "kinds": ["Conference", "Williams"], "x": "y"},
            session_tags=["home"],
            session_metadata={"place": "Aarhus"},
        )
        engine.add("Jonas: 昨日は梨を三つ食べました。", session="garden", at="2026-05-02T09:00Z")
        engine.add("The kiln is at 1,240 degrees; see user_name in bay7-valve.", session="kiln")
        engine.add({"role": "tool", "content": "exit 0", "tool_call_id": "c1"}, session="kiln")
        engine.add("word " * 700 + "and the end of a long turn", session="long")
        engine.add("...", session="long", idempotency_key="dots")
        engine.add("😀 grüße, Straße, ﬁne", session="garden", at="1969-12-31")
        _believe(engine)

    return record


def _believe(engine: Engine) -> None:
    """State, repeat, replace, end, take back and rename."""
    pear = engine.assert_fact("Maren", "grows", "pears", valid_from="2020", entities=["pear"])
    engine.assert_fact("Maren Holm", "grows", "Pears", valid_from="2021", scope="place:Aarhus")
    engine.alias("Maren Holm", "Maren")
    engine.assert_fact("Maren", "grows", "pears", valid_from="2024")
    quince = engine.assert_fact("Maren", "grows", "quinces", valid_from="2022", because=[pear])
    end = engine.end_fact(engine.assert_fact("Maren", "keeps", "bees", multi=True), at="2028")
    engine.retract_end(end)
    engine.unalias("Maren Holm")
    engine.retract(quince)
    engine.release(engine.quarantine(session="kiln"))


@pytest.fixture
def spoil(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Callable[[], None]]:
    """Make a projection raise whenever it folds a turn that holds a word; gives the repair."""

    def install(kind: type[Projection], word: str = "poison") -> Callable[[], None]:
        folds: Any = kind.apply

        def apply(self: Projection, prepared: Any, fold: Fold) -> None:
            # The rows are written first, so that a test sees whether they are taken back.
            folds(self, prepared, fold)
            if any(word in getattr(each.event, "text", "") for each in prepared):
                raise ValueError(f"cannot digest {word}")

        monkeypatch.setattr(kind, "apply", apply)
        return lambda: monkeypatch.setattr(kind, "apply", folds)

    return install


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Play another release of the software, whose projections all have this version."""

    def set_version(version: int) -> None:
        for kind in KINDS:
            monkeypatch.setattr(kind, "version", version)
        monkeypatch.setattr(vector_tables, "VERSION", version)
        _forget_table_names()

    yield set_version
    monkeypatch.undo()
    _forget_table_names()


def _forget_table_names() -> None:
    """Empty what modules keep under the number of a generation: a process has one release only."""
    modules = [each for name, each in sys.modules.items() if name.startswith("smriti_es.")]
    for module in modules:
        for kept in list(vars(module).values()):
            if isinstance(kept, _lru_cache_wrapper):
                kept.cache_clear()


@pytest.fixture
def pure(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Guard `apply`: time, chance, environment, network and foreign tables raise in it.

    Gives the names of the projections that folded under the guard.
    """
    folded: list[str] = []
    for kind in KINDS:
        monkeypatch.setattr(kind, "apply", _guarded(kind, kind.apply, folded))
    return folded


def _guarded(kind: type[Projection], folds: Any, folded: list[str]) -> Any:
    def apply(self: Projection, prepared: Any, fold: Fold) -> None:
        with _nothing_impure(), _own_tables_only(kind, fold):
            folds(self, prepared, fold)
        folded.append(kind.name)

    return apply


@contextmanager
def _nothing_impure() -> Iterator[None]:
    here = threading.get_ident()

    def refused(real: Callable[..., object]) -> Callable[..., object]:
        def refuse(*given: object, **named: object) -> object:
            # A server that another test keeps running in this process needs its clock.
            if threading.get_ident() != here:
                return real(*given, **named)
            raise Impure

        return refuse

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in IMPURE:
            patch.setattr(owner, name, refused(getattr(owner, name)))
        yield


@contextmanager
def _own_tables_only(kind: type[Projection], fold: Fold) -> Iterator[None]:
    """Let SQLite itself refuse every statement that names another projection's tables."""
    import sqlite3

    others = tuple(f"{stem}_v" for other in KINDS if other is not kind for stem in other.stems)
    driver: Any = fold.connection.connection.driver_connection

    def authorise(action: int, table: str | None, *_: object) -> int:
        return sqlite3.SQLITE_DENY if table and table.startswith(others) else sqlite3.SQLITE_OK

    driver.set_authorizer(authorise)
    try:
        yield
    finally:
        driver.set_authorizer(None)


@pytest.fixture(scope="session")
def run_apart() -> Callable[..., str]:
    """Run Python in a fresh interpreter, under settings of its environment; gives its output."""

    def run(*arguments: str, **environment: str) -> str:
        found_in = str(Path(smriti_es.__file__).parents[1])
        done = subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": found_in, "PYTHONUTF8": "1", **environment},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
