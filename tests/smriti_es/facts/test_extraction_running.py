"""Running an extractor: nothing lost by a failure, nothing recorded twice, nobody kept waiting."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import update

from smriti_es.engine import Engine
from smriti_es.events.catalogue import (
    ExtractionCompleted,
    ExtractionFailed,
    FactAsserted,
    FactEnded,
)
from smriti_es.events.errors import ExtractionError, InvalidInput
from smriti_es.events.tables import projection_table
from smriti_es.extraction.contract import Extraction, SourceTurn
from smriti_es.settings import Settings

Open = Callable[..., Engine]
Extracting = Callable[..., Any]
OSLO = "Rachel | lives_in | Oslo"
PUNE = "Rachel | lives_in | Pune"
BY_HAND = Settings(embed_in_background=False, extract_in_background=False)


@pytest.fixture
def lose_pointer(engine: Open) -> Callable[[], None]:
    """Forget how far extraction has come, as a crash before the next flush does."""

    def forget() -> None:
        memory = engine(extractor=None)
        with memory._opened.database.write() as connection:
            forgetting = update(projection_table).where(projection_table.c.name == "extraction")
            assert connection.execute(forgetting.values(folded=0)).rowcount == 1
        memory.close()

    return forget


def test_an_extractor_that_fails_loses_no_turn_and_is_seen_in_the_status(
    engine: Open, line_extractor: Extracting, objects: Any, events: Any, said: Any
) -> None:
    memory = engine(extractor=line_extractor())
    added = memory.add(said("FAIL", OSLO), session="a")
    assert added.facts == ()
    assert added.head == memory.head
    assert [turn.text for turn in memory.turns()] == ["FAIL", OSLO]
    (failed,) = events(memory, ExtractionFailed)
    assert (failed.turns, failed.attempt, failed.retryable) == ([2, 3], 1, False)
    assert memory.status().extraction_failed == ((2, "out of order"), (3, "out of order"))
    memory.add(PUNE, session="a")
    assert objects(memory) == ["Pune"]
    assert memory.verify().ok


@pytest.mark.parametrize("error", [ValueError("it broke"), KeyError("x"), ExtractionError("no")])
def test_whatever_an_extractor_raises_is_recorded(
    error: Exception, engine: Open, making: Any
) -> None:
    def fail(turns: Sequence[SourceTurn]) -> Any:
        raise error

    memory = engine(extractor=making(fail))
    memory.add("a", session="a")
    ((position, reason),) = memory.status().extraction_failed
    assert position == 2
    assert str(error) in reason


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda fact_of: None,
        lambda fact_of: "text",
        lambda fact_of: [],
        lambda fact_of: Extraction((None,)),  # type: ignore[arg-type]
        lambda fact_of: Extraction((fact_of(2, value=7),)),
    ],
    ids=["none", "text", "list", "no fact", "a fact of the wrong types"],
)
def test_nonsense_of_an_extractor_is_its_failure_and_shuts_nobody_out(
    nonsense: Callable[[Any], Any], engine: Open, making: Any, fact_of: Any
) -> None:
    extractor = making(lambda turns: nonsense(fact_of), as_is=True)
    memory = engine(extractor=extractor)
    assert len(memory.add("a", session="a").positions) == 1
    assert [position for position, _ in memory.status().extraction_failed] == [2]
    memory.close()
    memory = engine(extractor=extractor)
    assert memory.extract_pending() == []
    assert [turn.text for turn in memory.turns()] == ["a"]


def test_what_cannot_be_written_down_is_a_failure_of_the_extractor(
    engine: Open, making: Any, fact_of: Any
) -> None:
    memory = engine(extractor=making(lambda turns: [fact_of(2, value="half \ud800")]))
    memory.add("a", session="a")
    ((_, reason),) = memory.status().extraction_failed
    assert "cannot be recorded" in reason
    assert [turn.text for turn in memory.turns()] == ["a"]


def test_failed_turns_are_extracted_on_request(
    engine: Open, line_extractor: Extracting, events: Any
) -> None:
    extractor = line_extractor(broken=True)
    memory = engine(extractor=extractor)
    memory.add(OSLO, session="a")
    assert memory.extract_pending() == []
    assert [failed.attempt for failed in events(memory, ExtractionFailed)] == [1, 2]
    extractor.broken = False
    assert memory.extract_pending(retry=False) == []
    (fact,) = memory.extract_pending()
    assert [each.position for each in memory.facts()] == [fact]
    assert memory.status().extraction_failed == ()
    head = memory.head
    assert memory.extract_pending() == []
    assert memory.head == head


def test_failed_turns_that_say_nothing_are_off_the_list_once_they_were_read(
    engine: Open, line_extractor: Extracting, events: Any
) -> None:
    extractor = line_extractor(broken=True)
    memory = engine(extractor=extractor)
    memory.add("It rained.", session="a")
    extractor.broken = False
    assert memory.extract_pending() == []
    assert memory.status().extraction_failed == ()
    assert [each.turns for each in events(memory, ExtractionCompleted)] == [[2]]


def test_failed_turns_are_tried_again_session_by_session(
    engine: Open, line_extractor: Extracting, said: Any
) -> None:
    extractor = line_extractor(broken=True)
    memory = engine(extractor=extractor)
    memory.add(said(OSLO, PUNE), session="a")
    memory.add("user | lives_in | Bergen", session="b")
    extractor.broken = False
    extractor.seen.clear()
    assert len(memory.extract_pending()) == 3
    assert extractor.seen == [(2, 3), (6,)]


def test_an_engine_without_an_extractor_extracts_nothing(engine: Open) -> None:
    memory = engine(extractor=None)
    memory.add(OSLO, session="a")
    assert memory.status().extraction_behind == 0
    with pytest.raises(InvalidInput):
        memory.extract_pending()


def test_extraction_comes_to_what_was_recorded_while_nobody_extracted(
    engine: Open, line_extractor: Extracting, said: Any
) -> None:
    engine(extractor=None).add(said(OSLO, PUNE), session="a")
    later = engine(extractor=line_extractor(), settings=Settings(embed_in_background=False))
    assert [each.fact.object for each in later.history()] == ["Oslo", "Pune"]


def test_running_twice_records_nothing_twice(
    engine: Open, line_extractor: Extracting, lose_pointer: Callable[[], None], said: Any
) -> None:
    memory = engine(extractor=line_extractor())
    lines = [OSLO, PUNE, f"{PUNE} | from=2024", "Rachel | lives_in | Oslo | ended", PUNE]
    memory.add(said(*lines), session="a")
    before = (memory.head, memory.history())
    assert memory.extract_pending() == []
    for _ in range(2):
        memory.close()
        lose_pointer()
        extractor = line_extractor()
        memory = engine(extractor=extractor)
        assert extractor.seen == [(2, 3, 4, 5, 6)]
        assert (memory.head, memory.history()) == before


def test_what_was_taken_back_is_not_extracted_again(
    engine: Open, line_extractor: Extracting, lose_pointer: Callable[[], None], objects: Any
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add("user | works_at | Acme | from=2024", session="a", at="2026-01-01")
    memory.add("user | works_at | Acme | ended", session="a", at="2026-05-01")
    memory.add("user | likes | rain", session="a")
    memory.retract(memory.facts("user", "likes")[0].position)
    (end,) = [e.position for e in memory.events() if isinstance(e.event, FactEnded)]
    memory.retract_end(end)
    before = memory.head
    memory.close()
    lose_pointer()
    extractor = line_extractor()
    memory = engine(extractor=extractor)
    assert len(extractor.seen) == 1
    assert memory.head == before
    assert objects(memory) == ["Acme"]


def test_a_replayed_session_gives_facts_of_its_new_turns_alone(
    engine: Open, line_extractor: Extracting, events: Any, said: Any
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add(said(OSLO, PUNE), session="a")
    added = memory.add(said(OSLO, PUNE, "user | likes | rain"), session="a")
    assert (added.replayed, len(added.facts)) == (2, 1)
    assert len(events(memory, FactAsserted)) == 3


def test_many_sessions_are_extracted_together(
    engine: Open, line_extractor: Extracting, objects: Any
) -> None:
    from smriti_es.recording import SessionInput

    extractor = line_extractor()
    memory = engine(extractor=extractor)
    sessions = [
        SessionInput(session=f"s{n}", messages=f"user | likes | thing {n}") for n in range(5)
    ]
    memory.add_many(sessions)
    assert objects(memory) == [f"thing {n}" for n in range(5)]
    assert len(extractor.seen) == 5


def test_an_add_waits_for_nobody_else_who_extracts(
    engine: Open, line_extractor: Extracting
) -> None:
    memory = engine(extractor=line_extractor())
    opened = memory._opened
    with opened.database.exclusive(f"extract-{opened.log.log}") as won:
        assert won
        assert len(memory.add(OSLO, session="a").facts) == 1


def test_an_add_also_comes_to_what_another_engine_left(
    engine: Open, line_extractor: Extracting, objects: Any
) -> None:
    memory = engine(extractor=line_extractor())
    engine(extractor=None).add("user | likes | rain", session="a")
    assert len(memory.add("user | likes | snow", session="a").facts) == 2
    assert objects(memory) == ["rain", "snow"]


def test_threads_that_add_at_once_each_get_their_own_facts(
    engine: Open, line_extractor: Extracting, objects: Any
) -> None:
    memory = engine(extractor=line_extractor())
    door = threading.Barrier(8)

    def add(number: int) -> list[int]:
        door.wait()
        return [
            len(memory.add(f"user | likes | thing {number} {n}", session=f"s{number}").facts)
            for n in range(5)
        ]

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(add, range(8))) == [[1] * 5] * 8
    assert len(objects(memory)) == 40
    assert memory.status().extraction_behind == 0
    assert memory.verify().ok


class Killed(BaseException):
    """The process ends."""


def test_what_a_model_said_is_not_asked_again_after_a_crash(
    engine: Open, line_extractor: Extracting, making: Any
) -> None:
    lines = line_extractor(immediate=False)

    def ask(turns: Sequence[SourceTurn]) -> Extraction:
        if turns[0].text == PUNE:
            raise Killed
        found: Extraction = lines.extract(turns, timezone="UTC")
        return found

    memory = engine(extractor=making(ask, immediate=False, as_is=True), settings=BY_HAND)
    memory.add("It rained.", session="a")
    memory.add(OSLO, session="b")
    memory.add(PUNE, session="c")
    with pytest.raises(Killed):
        memory.extract_pending()
    later = engine(extractor=lines, settings=BY_HAND)
    later.extract_pending()
    assert lines.seen == [(2,), (4,), (6,)]


def test_two_engines_on_one_memory_extract_each_turn_once(
    engine: Open, line_extractor: Extracting, events: Any
) -> None:
    first, second = (line_extractor(immediate=False) for _ in range(2))
    one = engine(extractor=first, settings=BY_HAND)
    other = engine(extractor=second, settings=BY_HAND)
    one.add(OSLO, session="a")
    one.extract_pending()
    other.add(PUNE, session="a")
    other.extract_pending()
    assert other.status().extraction_behind == one.status().extraction_behind == 0
    one.add("user | likes | rain", session="a")
    one.extract_pending()
    assert (len(first.seen), len(second.seen)) == (2, 1)
    assert len(events(one, ExtractionCompleted)) == 3


def test_a_reader_extracts_nothing(engine: Open, line_extractor: Extracting, objects: Any) -> None:
    engine(extractor=None).add(OSLO, session="a")
    reader = engine(extractor=line_extractor(), read_only=True)
    assert objects(reader) == []
    with pytest.raises(InvalidInput):
        reader.extract_pending()


def test_raw_replies_are_kept_whatever_came_of_them(engine: Open, events: Any, making: Any) -> None:
    memory = engine(extractor=making(lambda turns: Extraction((), replies=("[]",)), as_is=True))
    memory.add("a", session="a")
    (completed,) = events(memory, ExtractionCompleted)
    assert (completed.replies, completed.accepted) == (["[]"], 0)
