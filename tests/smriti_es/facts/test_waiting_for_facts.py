"""`add(wait_for="facts")` returns when the turns were read for facts, whoever reads them."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import ExtractionError, InvalidInput
from smriti_es.extraction.contract import Extraction, SourceTurn
from smriti_es.settings import Settings

Open = Callable[..., Engine]
OSLO = "Rachel | lives_in | Oslo"
PUNE = "Rachel | lives_in | Pune"
BY_HAND = Settings(embed_in_background=False, extract_in_background=False)
BY_THREAD = Settings(embed_in_background=False)


class Patient:
    """An extractor that is asked in the background, and can be made to fail or be interrupted."""

    name, model, prompt_digest, immediate = "patient/1", "", "", False

    def __init__(self, extractor: Any) -> None:
        self.extractor = extractor
        self.raises: list[BaseException] = []

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        if self.raises:
            raise self.raises.pop()
        found: Extraction = self.extractor.extract(turns, timezone=timezone)
        return found


@pytest.fixture
def patient(line_extractor: Callable[..., Any]) -> Patient:
    return Patient(line_extractor())


@pytest.mark.parametrize("settings", [BY_HAND, BY_THREAD], ids=["by hand", "by thread"])
def test_the_facts_of_the_turns_are_there_and_named(
    engine: Open, patient: Patient, objects: Any, settings: Settings
) -> None:
    memory = engine(extractor=patient, settings=settings)
    memory.add(OSLO, session="a")
    added = memory.add(PUNE, session="b", wait_for="facts")
    assert [fact.object for fact in map(fact_at(memory), added.facts)] == ["Pune"]
    assert added.head == memory.head
    assert memory.status().extraction_behind == 0


def fact_at(memory: Engine) -> Callable[[int], Any]:
    return lambda position: memory.explain(position).fact


def test_an_extractor_that_is_done_at_once_is_not_run_again(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    extractor = line_extractor()
    memory = engine(extractor=extractor)
    added = memory.add(OSLO, session="a", wait_for="facts")
    assert len(added.facts) == 1
    assert extractor.seen == [(2,)]


def test_a_turn_in_which_nothing_is_found_keeps_nobody_waiting(
    engine: Open, patient: Patient
) -> None:
    memory = engine(extractor=patient, settings=BY_HAND)
    assert memory.add("Nothing of note.", session="a", wait_for="facts").facts == ()


def test_turns_that_were_there_already_are_waited_for_too(
    engine: Open, patient: Patient, objects: Any
) -> None:
    memory = engine(extractor=patient, settings=BY_HAND)
    sent = [{"role": "user", "content": OSLO, "id": "m1"}]
    memory.add(sent, session="a")
    assert objects(memory) == []
    assert memory.add(sent, session="a", wait_for="facts").replayed == 1
    assert objects(memory) == ["Oslo"]


def test_a_repeated_request_names_the_facts_of_the_first(engine: Open, patient: Patient) -> None:
    memory = engine(extractor=patient, settings=BY_HAND)
    memory.add(OSLO, session="a", idempotency_key="k")
    again = memory.add(OSLO, session="a", idempotency_key="k", wait_for="facts")
    assert (again.repeated, len(again.facts)) == (True, 1)


def test_another_process_that_has_the_turns_in_hand_is_waited_for(
    engine: Open, patient: Patient, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=patient, settings=BY_HAND)
    other = engine(extractor=line_extractor(), settings=BY_HAND)
    claim = f"extract-{memory._opened.log.log}"
    done: list[Any] = []
    with other._opened.database.exclusive(claim):
        waiting = threading.Thread(
            target=lambda: done.append(memory.add(OSLO, session="a", wait_for="facts"))
        )
        waiting.start()
        waiting.join(timeout=0.2)
        assert done == []
    waiting.join(timeout=30)
    assert len(done[0].facts) == 1


def test_a_failure_is_raised_and_the_turn_is_recorded(
    engine: Open, patient: Patient, objects: Any
) -> None:
    memory = engine(extractor=patient, settings=BY_HAND)
    patient.raises = [ExtractionError("out of reach")]
    with pytest.raises(ExtractionError, match=r"at position 2 .*: out of reach") as caught:
        memory.add(OSLO, session="a", wait_for="facts")
    assert "extract_pending" in caught.value.hint
    assert [turn.text for turn in memory.turns()] == [OSLO]
    memory.extract_pending()
    assert objects(memory) == ["Oslo"]


def test_without_an_extractor_nothing_is_written(engine: Open) -> None:
    memory = engine(extractor=None)
    with pytest.raises(InvalidInput, match="there is no extractor to wait for"):
        memory.add(OSLO, session="a", wait_for="facts")
    assert memory.head == 0


def test_what_cannot_be_waited_for_is_refused(engine: Open) -> None:
    memory = engine(extractor=None)
    with pytest.raises(InvalidInput, match="cannot wait for 'rain'") as caught:
        memory.add(OSLO, session="a", wait_for="rain")  # type: ignore[arg-type]
    assert caught.value.hint == "There are: commit, vectors, facts."
    assert memory.head == 0
