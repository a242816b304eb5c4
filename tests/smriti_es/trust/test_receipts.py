"""What was handed out can be told later: when, from which state of the log, and with what in it."""

from collections.abc import Callable

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import ContextServed

Open = Callable[..., Engine]


@pytest.fixture
def memory(engine: Open) -> Engine:
    """A memory that keeps receipts."""
    memory = engine("kept.db", receipts=True)
    memory.add("I live in Pune.", session="a", at="2026-01-01")
    return memory


def test_a_context_that_was_handed_out_is_known_by_its_text(memory: Engine) -> None:
    head = memory.head
    served = memory.context("Where do I live?")
    (receipt,) = memory.verify_receipt(served.text)
    assert (receipt.kind, receipt.head, receipt.position) == ("context", head, memory.head)
    assert set(receipt.items) == {
        *(each.position for each in served.evidence),
        *(fact.position for fact in served.facts),
    }
    assert memory.at(receipt.head).context("Where do I live?").text == served.text


def test_a_text_that_was_changed_has_no_receipt(memory: Engine) -> None:
    served = memory.context("Where do I live?")
    assert memory.verify_receipt(served.text + " ") == []


def test_a_search_is_known_by_its_result(memory: Engine) -> None:
    found = memory.search("Pune")
    (receipt,) = memory.verify_receipt(found)
    assert (receipt.kind, receipt.items) == ("search", tuple(hit.position for hit in found))


def test_the_same_answer_given_twice_has_two_receipts(memory: Engine) -> None:
    first, second = (
        memory.context("Pune?", now="2026-06-01"),
        memory.context("Pune?", now="2026-06-01"),
    )
    assert first.text == second.text
    assert [each.head for each in memory.verify_receipt(first)] == [first.head, second.head]


def test_neither_question_nor_answer_is_in_a_receipt(memory: Engine) -> None:
    memory.context("Where does the zebra live?")
    (served,) = [e.event for e in memory.events() if isinstance(e.event, ContextServed)]
    assert "zebra" not in repr(served)
    assert "Pune" not in repr(served)


def test_what_was_derived_and_what_was_served_is_the_impact_of_a_session(memory: Engine) -> None:
    memory.context("Where do I live?")
    radius = memory.impact(session="a")
    assert radius.served == (memory.head,)
    assert memory.head not in radius.positions
    quarantine = memory.quarantine(session="a")
    assert [each.items for each in memory.quarantines()] == [len(radius.positions)]
    memory.release(quarantine)


def test_without_receipts_a_read_records_nothing(engine: Open) -> None:
    memory = engine(":memory:")
    memory.add("I live in Pune.", session="a")
    head = memory.head
    served = memory.context("Where do I live?")
    assert (memory.head, memory.verify_receipt(served)) == (head, [])


def test_a_memory_that_is_opened_to_read_only_keeps_none(memory: Engine, engine: Open) -> None:
    memory.close()
    reading = engine("kept.db", read_only=True, receipts=True)
    served = reading.context("Where do I live?")
    assert reading.verify_receipt(served) == []


def test_a_view_of_the_past_gives_receipts_and_a_replay_gives_none(memory: Engine) -> None:
    then = memory.head
    seen = memory.at(then).context("Pune?", now="2026-06-01")
    with memory.replay(then) as replay:
        replay.context("Pune?", now="2026-06-01")
    assert [each.head for each in memory.verify_receipt(seen)] == [then]
    assert memory.verify().ok
