"""Whatever value of whatever column of a projection somebody edits, a check finds it."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, LargeBinary, String, Table
from sqlalchemy.exc import IntegrityError

from smriti_es.embedders import CallableEmbedder, FloatMatrix
from smriti_es.embedders.tokens import TokenVectors
from smriti_es.engine import Engine
from smriti_es.events.catalogue import ArbitrationDecided
from smriti_es.events.errors import EmbedderError
from smriti_es.events.records import NewEvent
from smriti_es.events.tables import projection_table
from smriti_es.projections.projection import Projection
from smriti_es.settings import Settings


def projections_of_a_memory() -> tuple[Projection, ...]:
    with Engine.open(":memory:", embedder=None, extractor=None) as memory:
        return tuple(memory._opened.projector.projections.values())


PROJECTIONS: Final = projections_of_a_memory()
# What no check can find, and why.
BEYOND_A_CHECK: Final = {
    ("vector_failure_v2_g1", "attempts"): "how often an embedder was asked is not in the log",
    ("vector_failure_v2_g1", "error"): "what an embedder said is not in the log",
}


class Place(NamedTuple):
    """A column, and the projection that it belongs to."""

    projection: str
    table: Table
    column: Column[Any]

    def __str__(self) -> str:
        return f"{self.table.name}.{self.column.name}"


def places() -> Iterator[Place]:
    for projection in PROJECTIONS:
        for table in projection.tables(1):
            for column in table.columns:
                if (table.name, column.name) not in BEYOND_A_CHECK:
                    yield Place(projection.name, table, column)


def edits(column: Column[Any]) -> list[str]:
    """Give expressions of SQL, each of another value than what a row holds."""
    name = column.name
    if isinstance(column.type, Boolean):
        return [f"NOT {name}", "2", "'words'"]
    if isinstance(column.type, (BigInteger, Integer, Double)):
        return [f"coalesce({name}, 0) + 1000000", "'words'", "x'00ff'"]
    if isinstance(column.type, String):
        return [f"coalesce({name}, '') || 'x'", "x'00ff'"]
    assert isinstance(column.type, LargeBinary)
    return [f"zeroblob(length({name}))", f"hex({name})", "17"]


class Lengths(CallableEmbedder):
    """Embeds a text by its length, as one token."""

    token_space = "lengths"

    def __init__(self) -> None:
        super().__init__(embed, model="lengths", dimension=2)

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        vectors = self.embed(texts)
        return vectors, [TokenVectors(each[None, :], ((0, 1),)) for each in vectors]


def embed(texts: Sequence[str]) -> list[list[float]]:
    if any("boom" in text for text in texts):
        raise EmbedderError("no vector for that")
    return [[float(len(text) + 1), 1.0] for text in texts]


@pytest.fixture(scope="module")
def life(
    tmp_path_factory: pytest.TempPathFactory, line_extractor: Callable[..., Any]
) -> Iterator[Engine]:
    """A memory that has a row in every table, open."""
    path: Path = tmp_path_factory.mktemp("life") / "memory.db"
    embedder = Lengths()
    memory = Engine.open(
        path,
        embedder=embedder,
        extractor=line_extractor(),
        settings=Settings(embed_in_background=False),
        receipts=True,
    )
    memory.add(
        [{"role": "user", "content": "I grow pears.", "name": "Maren", "id": "m1"}],
        session="garden",
        tags=["fruit"],
        metadata={"level": 4, "open": True, "kind": "Williams", "more": ["a", "b"]},
        session_tags=["home"],
        session_metadata={"place": "Aarhus"},
    )
    memory.add({"role": "tool", "content": "exit 0", "tool_call_id": "c1"}, session="garden")
    memory.add("FAIL at this | a | b", session="garden")
    memory.add("boom", session="garden")
    _believe(memory)
    memory.search("pears")
    memory.release(memory.quarantine(session="garden"))
    _keep_and_let_go(memory)
    memory.wait_for_vectors()
    pointer = memory._opened.extraction
    assert pointer is not None
    pointer.extracting.pointer.persist()
    assert memory.verify().ok
    yield memory
    memory.close()


def _keep_and_let_go(memory: Engine) -> None:
    said = {"role": "user", "content": "Let this go.", "id": "m2", "timestamp": "2026-06-02"}
    memory.add(said, session="passing")
    memory.assert_fact("Maren", "sells", "cider")
    memory.erase(session="passing")
    memory.erase(fact=memory.facts(predicate="sells")[0].position, forget_values=True)
    memory.set_retention(timedelta(days=90), session="garden", kind="note")
    held = memory.place_hold(session="garden", reason="case 12", authority="court")
    memory.place_hold(entity="Maren", reason="", authority="court", expires_at="2040-01-01")
    memory.release_hold(held)


def _believe(memory: Engine) -> None:
    pear = memory.assert_fact(
        "Maren", "grows", "pears", entities=["pear"], tags=["fruit"], metadata={"level": 4}
    )
    memory.assert_fact("Maren", "grows", "quinces", valid_from="2032", because=[pear])
    bees = memory.assert_fact("Maren", "keeps", "bees", multi=True, scope="place:Aarhus")
    wasps = memory.assert_fact("Maren", "keeps", "wasps", multi=True)
    memory.retract_end(memory.end_fact(bees, at="2038"))
    memory.alias("Maren Holm", "Maren")
    decided = ArbitrationDecided(fact=wasps, target=bees, action="supersede")
    memory._opened.log.append([NewEvent(decided)], actor=memory._opened.actor)


@pytest.fixture
def edited(life: Engine) -> Iterator[Callable[..., bool]]:
    """Edit one value of one row behind the memory's back; a later edit puts the one before back.

    Gives whether the database took it.
    """
    kept: dict[str, list[Any]] = {}

    def run(statement: str, *values: Any) -> list[Any]:
        with life._opened.database.write() as connection:
            found = connection.exec_driver_sql(statement, values)
            return list(found) if found.returns_rows else []

    def restore() -> None:
        for table, rows in kept.items():
            run(f"DELETE FROM {table}")
            for row in rows:
                run(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", *row)

    def edit(table: Table, column: str, value: str, **of: str) -> bool:
        restore()
        kept[table.name] = run(f"SELECT * FROM {table.name} ORDER BY {column} IS NULL")
        rows = [dict(zip(table.columns.keys(), row, strict=True)) for row in kept[table.name]]
        row = next(row for row in rows if of.items() <= row.items())
        keys = {key.name: row[key.name] for key in table.primary_key}
        this = " AND ".join(f"{key} = ?" for key in keys)
        try:
            run(f"UPDATE {table.name} SET {column} = {value} WHERE {this}", *keys.values())
        except IntegrityError:
            return False
        return True

    yield edit
    restore()


@pytest.mark.parametrize("place", list(places()), ids=str)
def test_an_edited_value_is_found(life: Engine, edited: Callable[..., bool], place: Place) -> None:
    passed = []
    for value in edits(place.column):
        took = edited(place.table, place.column.name, value)
        if took and life.check(place.projection)[0].ok:
            passed.append(value)
    assert passed == []


def test_what_a_check_cannot_find_is_still_there_to_be_left_out() -> None:
    columns = {(t.name, c.name) for p in PROJECTIONS for t in p.tables(1) for c in t.columns}
    assert set(BEYOND_A_CHECK) <= columns


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
@pytest.mark.parametrize("column", list(projection_table.columns), ids=lambda column: column.name)
def test_an_edited_value_of_a_checkpoint_is_found(
    life: Engine,
    edited: Callable[..., bool],
    projection: Projection,
    column: Column[Any],
) -> None:
    passed = []
    for value in edits(column):
        edited(projection_table, column.name, value, name=projection.name)
        if life.check(projection.name)[0].ok:
            passed.append(value)
    assert passed == []


# A row that another log has now is a row that is gone, and then extraction begins anew.
@pytest.mark.parametrize(
    "column", list(projection_table.columns)[1:], ids=lambda column: column.name
)
def test_an_edited_value_of_how_far_extraction_has_come_is_found(
    life: Engine, edited: Callable[..., bool], column: Column[Any]
) -> None:
    passed = []
    for value in edits(column):
        edited(projection_table, column.name, value, name="extraction")
        if life.check("extractions")[0].ok:
            passed.append(value)
    assert passed == []


def test_a_posting_that_was_moved_to_another_log_is_found(life: Engine) -> None:
    with life._opened.database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO term_v2_g1 (rowid, terms) VALUES ((7 << 40) | 2, '1:poison')"
        )
    assert not life.check("lexical")[0].ok
    with life._opened.database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO term_v2_g1 (term_v2_g1, rowid, terms) "
            "VALUES ('delete', (7 << 40) | 2, '1:poison')"
        )
    assert life.check("lexical")[0].ok
