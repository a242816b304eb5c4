"""Which predicates hold one value at a time is settled when a memory is founded, and stays."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es import founding, predicates
from smriti_es.engine import Engine
from smriti_es.events.catalogue import LogOpened
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import InvalidInput
from smriti_es.events.registry import Founding, open_log
from smriti_es.predicates import SHIPPED, UNRECORDED, SingleValued

Open = Callable[..., Engine]
Extractor = Callable[..., Any]


def recorded(memory: Engine) -> Any:
    """What the first event of a memory says of it."""
    genesis = next(memory.events(0, 1)).event
    assert isinstance(genesis, LogOpened)
    return genesis.single_valued


def current(memory: Engine, predicate: str) -> list[str]:
    """What is current once two values were extracted, the second said a day later."""
    for day, value in (("01", "first"), ("02", "second")):
        memory.add(
            f"Rachel | {predicate} | {value}", session=predicate, at=f"2026-05-{day}T10:00:00Z"
        )
    return [fact.object for fact in memory.facts("Rachel", predicate)]


def test_a_new_memory_records_the_shipped_registry_in_its_first_event(engine: Open) -> None:
    assert recorded(engine()) == list(SHIPPED)


def test_predicates_of_ones_own_are_recorded_beside_them_in_their_one_form(engine: Open) -> None:
    memory = engine(single_valued=["Home  Airport", "preferred-*", "favorite_*", "lives_in"])
    assert recorded(memory) == sorted([*SHIPPED, "home_airport", "preferred_*"])
    assert memory.single_valued == tuple(recorded(memory))


def test_an_extracted_value_replaces_the_one_before_where_the_registry_says_so(
    engine: Open, line_extractor: Extractor
) -> None:
    memory = engine(extractor=line_extractor(), single_valued=["home_airport", "preferred_*"])
    assert current(memory, "home_airport") == ["second"]
    assert current(memory, "preferred_seat") == ["second"]
    assert current(memory, "lives_in") == ["second"]
    assert current(memory, "visited") == ["first", "second"]


def test_the_registry_wins_over_an_extractor_that_knows_of_many(engine: Open) -> None:
    memory = engine(single_valued=["has_pet"])
    memory.add("I have a dog.", session="s", at="2026-05-01T10:00:00Z")
    memory.add("I have a cat.", session="s", at="2026-05-02T10:00:00Z")
    assert [fact.object for fact in memory.facts("user", "has_pet")] == ["cat"]


def test_a_later_releases_registry_changes_no_memory_that_exists(
    engine: Open, line_extractor: Extractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine().close()
    monkeypatch.setattr(founding, "SHIPPED", ("visited",))
    memory = engine(extractor=line_extractor())
    assert current(memory, "visited") == ["first", "second"]
    assert current(memory, "lives_in") == ["second"]
    other = engine(tenant="other", extractor=line_extractor())
    assert current(other, "visited") == ["second"]
    assert current(other, "lives_in") == ["first", "second"]


def test_a_memory_that_recorded_no_registry_goes_by_the_one_of_its_time(
    engine: Open,
    database: SqliteDatabase,
    clock: Any,
    line_extractor: Extractor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_log(database, "default", clock=clock, founding=Founding("UTC", "smriti-es/0"))
    monkeypatch.setattr(founding, "SHIPPED", ("visited",))
    memory = engine(extractor=line_extractor())
    assert recorded(memory) is None
    assert memory.single_valued == UNRECORDED
    assert current(memory, "lives_in") == ["second"]
    assert current(memory, "visited") == ["first", "second"]


def test_the_registry_of_memories_that_recorded_none_is_frozen() -> None:
    frozen = hashlib.sha256("\n".join(UNRECORDED).encode()).hexdigest()
    assert (len(UNRECORDED), frozen[:16]) == (30, "cda2dc95fec421c9")


def test_a_memory_is_opened_again_with_what_it_was_founded_with_or_with_less(engine: Open) -> None:
    engine(single_valued=["home_airport", "preferred_*"]).close()
    for again in (["home_airport", "preferred_*"], ["Home Airport"], ["preferred_seat"], []):
        memory = engine(single_valued=again)
        assert "home_airport" in memory.single_valued
        memory.close()


@pytest.mark.parametrize("other", ["gate", "home_*", "preferred*"])
@pytest.mark.parametrize("read_only", [False, True])
def test_naming_what_a_memory_was_not_founded_with_is_refused(
    other: str, engine: Open, *, read_only: bool
) -> None:
    engine(single_valued=["home_airport", "preferred_*"]).close()
    with pytest.raises(InvalidInput, match="was not among the single-valued predicates"):
        engine(single_valued=["home_airport", other], read_only=read_only)


@pytest.mark.parametrize("entry", ["", " ", "*", " * ", "a*b", "digest:entity", "digest:*", 7])
def test_what_is_no_predicate_founds_no_memory(entry: Any, engine: Open, tmp_path: Any) -> None:
    with pytest.raises(InvalidInput):
        engine(single_valued=[entry])
    assert not (tmp_path / "memory.db").exists()


def test_one_word_is_not_taken_for_a_list_of_letters(engine: Open) -> None:
    with pytest.raises(InvalidInput, match="takes a list"):
        engine(single_valued="home_airport")


def test_a_replay_knows_the_registry(engine: Open) -> None:
    memory = engine(single_valued=["home_airport"])
    with memory.replay(0) as replay:
        assert replay.single_valued == memory.single_valued
    assert memory.at(0).single_valued == memory.single_valued


def test_a_memory_that_lost_its_first_payload_can_still_be_opened_as_ever(engine: Open) -> None:
    memory = engine(single_valued=["home_airport"])
    with memory._opened.database.write() as connection:
        connection.exec_driver_sql("UPDATE payload SET body = 'no json' WHERE position = 0")
    memory.close()
    again = engine(single_valued=["home_airport"])
    assert "home_airport" in again.single_valued
    assert not again.verify(projections=False).ok


@pytest.mark.parametrize(
    ("predicate", "one"),
    [
        ("lives_in", True),
        ("favourite_tea", True),
        ("attitude_to:soup", True),
        ("primary_editor", True),
        ("visited", False),
        ("favourite", False),
        ("lives_in_summer", False),
    ],
)
def test_the_shipped_registry_knows_names_and_beginnings(predicate: str, *, one: bool) -> None:
    assert SingleValued.of(predicates.SHIPPED).holds_one(predicate) is one
