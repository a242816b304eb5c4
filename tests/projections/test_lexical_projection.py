"""What the full-text index holds, log by log, and nothing beyond (decision 30)."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import Connection

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.database import Database
from smriti_es.events.header import Actor, Header
from smriti_es.events.opening import open_database
from smriti_es.events.records import RecordedEvent
from smriti_es.projections.lexical.analysis import query_terms, terms
from smriti_es.projections.lexical.projection import LexicalProjection, postings
from smriti_es.projections.projection import Fold, canonical_line

OpenEngine = Callable[..., Engine]
LEXICAL = LexicalProjection()
ANY_TEXT = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("aAeÉß '._-/:@&\\,;*\"()^+0123😀👍🏽‍梨を三กา한\x00\n"),
    ),
    max_size=60,
)


def said(position: int, text: str, name: str | None = None) -> RecordedEvent:
    event = TurnRecorded(session=0, ordinal=0, origin="owner", role="user", text=text, name=name)
    header = Header(
        log="0" * 32,
        position=position,
        previous="0" * 64,
        id="0" * 32,
        commit=(position, 1),
        type=TurnRecorded.TYPE,
        version=1,
        known=0,
        actor=Actor("owner", "test"),
        refs=(),
        facets={},
        payload=None,
    )
    return RecordedEvent(header, bytes(32), event)


@pytest.fixture(scope="module")
def scratch(places_in: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database of its own that all examples share."""
    places = places_in(tmp_path_factory.mktemp("lexical"))
    database = open_database(places.another())
    with database.write() as connection:
        LEXICAL.create(Fold(connection, 1, 1))
    yield database
    database.close()
    places.close()


def found(connection: Connection, log: int, term: str) -> list[tuple[int, int]]:
    positions, counts = postings(connection, log, 1, term)
    assert positions.dtype == counts.dtype == np.int64
    return list(zip(positions.tolist(), counts.tolist(), strict=True))


def integrity(connection: Connection) -> None:
    """Let FTS5 check itself; raises when its index contradicts itself."""
    if connection.dialect.name != "sqlite":
        return
    name = f"term_v{LEXICAL.version}_g1"
    connection.exec_driver_sql(f"INSERT INTO {name}({name}) VALUES ('integrity-check')")


@given(st.lists(ANY_TEXT, min_size=1, max_size=6))
@example(["std::vector", "C++ & C#", "v1.2.3", "AND OR NOT NEAR(", '"quoted" *', "\x00", " "])
def test_the_index_holds_the_terms_of_our_analysis_and_no_others(
    scratch: Database, texts: list[str]
) -> None:
    with scratch.write() as connection:
        fold = Fold(connection, 1, 1)
        LEXICAL.apply([said(place, text) for place, text in enumerate(texts)], fold)
        rows = [tuple(row) for row in LEXICAL.canonical_rows(fold)]
        LEXICAL.clear(fold)
    expected = [(place, len(terms(text))) for place, text in enumerate(texts)]
    counted = Counter((term, place) for place, text in enumerate(texts) for term in terms(text))
    expected += [(term, place, count) for (term, place), count in counted.items()]  # type: ignore[misc]
    assert sorted(rows, key=repr) == sorted(expected, key=repr)


@given(st.lists(ANY_TEXT, min_size=1, max_size=6))
def test_the_lines_of_the_fingerprint_are_those_of_the_rows(
    scratch: Database, texts: list[str]
) -> None:
    with scratch.write() as connection:
        fold = Fold(connection, 1, 1)
        LEXICAL.apply([said(place, text) for place, text in enumerate(texts)], fold)
        lines = "".join(LEXICAL.canonical_lines(fold))
        expected = "".join(map(canonical_line, LEXICAL.canonical_rows(fold)))
        LEXICAL.clear(fold)
    assert lines == expected


@given(ANY_TEXT.filter(query_terms))
def test_a_turn_is_found_by_every_term_of_a_question_with_its_words(
    scratch: Database, text: str
) -> None:
    with scratch.write() as connection:
        fold = Fold(connection, 1, 1)
        LEXICAL.apply([said(3, text)], fold)
        missed = [term for term in query_terms(text) if not found(connection, 1, term)]
        LEXICAL.clear(fold)
    assert missed == []


def test_a_name_is_indexed_before_the_text(scratch: Database) -> None:
    with scratch.write() as connection:
        fold = Fold(connection, 1, 1)
        LEXICAL.apply([said(3, "It rained.", name="Maren"), said(4, "It rained.")], fold)
        assert found(connection, 1, "maren") == [(3, 1)]
        assert found(connection, 1, "rain") == [(3, 1), (4, 1)]
        LEXICAL.clear(fold)


def test_postings_are_counted_and_ascend(scratch: Database) -> None:
    with scratch.write() as connection:
        fold = Fold(connection, 1, 1)
        LEXICAL.apply([said(5, "pear pear"), said(2**39, "pear"), said(6, "plum")], fold)
        assert found(connection, 1, "pear") == [(5, 2), (2**39, 1)]
        assert found(connection, 1, "apple") == []
        LEXICAL.clear(fold)


@pytest.mark.parametrize("question", ['"pear', "pear*", "1:pear", "pear OR plum", "", "%", "'; --"])
def test_no_term_is_read_as_syntax(question: str, scratch: Database) -> None:
    with scratch.write() as connection:
        fold = Fold(connection, 1, 1)
        LEXICAL.apply([said(5, "pear plum")], fold)
        assert found(connection, 1, question) == []
        LEXICAL.clear(fold)


def test_logs_whose_numbers_begin_alike_are_kept_apart(scratch: Database) -> None:
    with scratch.write() as connection:
        for log in (1, 11, 111, 2):
            LEXICAL.apply([said(log, "pear")], Fold(connection, log, 1))
        for log in (1, 11, 111, 2):
            assert found(connection, log, "pear") == [(log, 1)]
            rows = [tuple(row) for row in LEXICAL.canonical_rows(Fold(connection, log, 1))]
            assert rows == [(log, 1), ("pear", log, 1)]
        LEXICAL.clear(Fold(connection, 1, 1))
        assert [found(connection, log, "pear") for log in (1, 11, 111, 2)] == [
            [],
            [(11, 1)],
            [(111, 1)],
            [(2, 1)],
        ]
        integrity(connection)
        for log in (11, 111, 2):
            LEXICAL.clear(Fold(connection, log, 1))
        integrity(connection)


def test_a_cleared_log_leaves_no_posting_and_no_length(scratch: Database) -> None:
    with scratch.write() as connection:
        fold = Fold(connection, 1, 1)
        LEXICAL.apply([said(n, f"pear number {n} of a large basket") for n in range(300)], fold)
        LEXICAL.clear(fold)
        integrity(connection)
        assert list(LEXICAL.canonical_rows(fold)) == []
        assert found(connection, 1, "pear") == []


def test_a_text_without_terms_is_a_document_of_length_none(scratch: Database) -> None:
    with scratch.write() as connection:
        fold = Fold(connection, 1, 1)
        LEXICAL.apply([said(5, "... !?"), said(6, "")], fold)
        assert [tuple(row) for row in LEXICAL.canonical_rows(fold)] == [(5, 0), (6, 0)]
        LEXICAL.clear(fold)


def test_a_turn_of_a_hundred_thousand_words_is_indexed_whole(scratch: Database) -> None:
    with scratch.write() as connection:
        fold = Fold(connection, 1, 1)
        LEXICAL.apply([said(5, "pear " * 100_000 + "quince")], fold)
        assert found(connection, 1, "pear") == [(5, 100_000)]
        assert found(connection, 1, "quinc") == [(5, 1)]
        LEXICAL.clear(fold)


@pytest.mark.sqlite_only("the blocks of FTS5")
def test_nothing_of_an_erased_turn_stays_in_the_index_after_a_rebuild(
    engine: OpenEngine, tamper: Callable[..., int]
) -> None:
    memory = engine()
    memory.add("The rhubarb is secret.", session="a")
    memory.add("The pear is not.", session="a")
    assert _in_any_file(memory, b"rhubarb")
    tamper("DELETE FROM payload WHERE position = 2")
    memory.rebuild("lexical")
    assert len(memory.search("rhubarb")) == 0
    with memory._opened.database.read() as connection:
        names = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE name LIKE 'term%'")
        blocks = [
            bytes(row.block)
            for name in names.scalars().all()
            if name.endswith("_data")
            for row in connection.exec_driver_sql(f"SELECT block FROM {name}")
        ]
    assert blocks
    assert not any(b"rhubarb" in block for block in blocks)


def test_scores_come_from_our_own_counts_and_not_from_the_database(
    engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    quiet = engine("quiet.db")
    quiet.add("pear tree", session="a")
    quiet.add("pear and pear and plum", session="a")
    expected = [(hit.text, hit.score) for hit in quiet.search("pear", explain=True)]
    loud = engine("loud.db")
    for number in range(30):
        engine("loud.db", tenant="other").add(f"pear {number} " * number, session="a")
    loud.add("pear tree", session="a")
    loud.add("pear and pear and plum", session="a")
    assert [(hit.text, hit.score) for hit in loud.search("pear", explain=True)] == expected


def _in_any_file(memory: Engine, secret: bytes) -> bool:
    path = Path(memory._opened.database.location)
    return any(secret in each.read_bytes() for each in path.parent.glob(f"{path.name}*"))
