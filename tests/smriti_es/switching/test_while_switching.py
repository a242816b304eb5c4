"""While a memory is switched to another embedder: reads, writes, erasures and failures go on."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from smriti_es import Engine, Settings
from smriti_es.embedding import retry_failed
from smriti_es.events.catalogue import EmbedderChanged
from smriti_es.events.errors import EmbedderError, StorageBusy
from smriti_es.projections import rebuild as rebuilding

Open = Callable[..., Engine]
Letters = Callable[..., Any]
Stored = Callable[[Engine, int], dict[int, int]]
TURNS = ("The kiln is hot.", "Ana sells lamps.", "The kiln needs new bricks.", "Bees hum.")


@pytest.fixture(autouse=True)
def _in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a switch take two events a step."""
    monkeypatch.setattr(rebuilding, "MODEL_BATCH", 2)


@pytest.fixture
def memory(engine: Open, letters: Letters) -> Engine:
    """A memory of four turns with vectors of eight numbers."""
    opened = engine(embedder=letters(8))
    opened.add(TURNS, session="plant", wait_for="vectors")
    return opened


def apart(action: Callable[[], object]) -> None:
    """Do something in a thread of its own: what held a lock here would wait for itself."""
    thread = threading.Thread(target=action)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


def answer(memory: Engine) -> list[tuple[int, float]]:
    found = memory.search("hot kilns and bees")
    assert found.degraded == ()
    return [(hit.position, round(hit.score, 5)) for hit in found]


def changed_to(memory: Engine) -> list[str]:
    events = [each.event for each in memory.events()]
    return [each.embedder["model"] for each in events if isinstance(each, EmbedderChanged)]


def test_questions_are_answered_with_the_old_vectors_until_the_new_ones_serve(
    memory: Engine, letters: Letters
) -> None:
    before, during = answer(memory), []
    new = letters(12)
    new.meanwhile = lambda texts: during.append(answer(memory))
    memory.switch_embedder(new)
    new.meanwhile = len
    assert during == [before, before, before]
    assert answer(memory) != before


def test_turns_are_recorded_and_embedded_with_the_old_one_and_then_with_the_new(
    memory: Engine, letters: Letters, stored: Stored
) -> None:
    new = letters(12)
    said: list[int] = []

    def say(texts: Sequence[str]) -> None:
        if len(said) < 2:
            text = f"A kiln, {len(said)}."
            apart(lambda: said.extend(memory.add(text, session="b", wait_for="vectors").positions))

    new.meanwhile = say
    memory.switch_embedder(new)
    memory.wait_for_vectors()
    assert len(said) == 2
    turns = [turn.position for turn in memory.turns()]
    assert stored(memory, 2) == dict.fromkeys(turns, 12)
    assert (memory.status().pending, memory.check("vectors")[0].problem) == (0, None)


def test_what_comes_meanwhile_is_embedded_before_the_switch_while_it_gets_less(
    memory: Engine, letters: Letters
) -> None:
    new = letters(12)
    left = [8, 0]

    def say(texts: Sequence[str]) -> None:
        count = left.pop(0) if left else 0
        if count:
            apart(lambda: memory.add([f"turn {n}" for n in range(count)], session="b"))

    new.meanwhile = say
    memory.switch_embedder(new)
    assert memory.status().pending == 0


def test_readers_see_one_embedder_or_the_other_and_never_words_alone(
    memory: Engine, letters: Letters
) -> None:
    answers = {8: answer(memory)}
    memory.switch_embedder(letters(12))
    answers[12] = answer(memory)
    done = threading.Event()
    seen: list[Any] = []

    def ask() -> None:
        while not done.is_set():
            try:
                seen.append(answer(memory))
            except BaseException as error:
                seen.append(error)
                raise

    readers = [threading.Thread(target=ask) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for _ in range(4):
            memory.switch_embedder(letters(8))
            memory.switch_embedder(letters(12))
    finally:
        done.set()
        for reader in readers:
            reader.join(20)
    assert [each for each in seen if each not in answers.values()] == []
    assert answers[8] in seen
    assert answers[12] in seen
    assert answers[8] != answers[12]


def test_writers_that_wait_for_vectors_meet_no_error_in_any_switch(
    engine: Open, letters: Letters
) -> None:
    memory = engine(embedder=letters(8), settings=Settings(embed_in_background=True))
    done = threading.Event()
    failed: list[BaseException] = []

    def write(session: str) -> None:
        try:
            while not done.is_set():
                memory.add("A kiln.", session=session, wait_for="vectors")
        except BaseException as error:
            failed.append(error)
            raise

    writers = [threading.Thread(target=write, args=(f"w{n}",)) for n in range(2)]
    for writer in writers:
        writer.start()
    try:
        for _ in range(3):
            memory.switch_embedder(letters(12))
            memory.switch_embedder(letters(8))
    finally:
        done.set()
        for writer in writers:
            writer.join(20)
    assert failed == []
    memory.wait_for_vectors()
    assert memory.status().vectors == memory.status().turns
    assert memory.verify().ok


def test_an_embedder_that_fails_midway_loses_nothing_and_is_gone_on_with(
    memory: Engine, letters: Letters, stored: Stored
) -> None:
    before = answer(memory)
    new = letters(12)

    def fail(texts: Sequence[str]) -> None:
        if "Bees hum." in texts:
            raise ConnectionError("nobody there")

    new.meanwhile = fail
    with pytest.raises(EmbedderError, match="nobody there"):
        memory.switch_embedder(new)
    assert answer(memory) == before
    assert changed_to(memory) == ["letters-8"]
    state = memory.embedder_state()
    assert state.next is not None
    assert state.next["model"] == "letters-12"
    assert 0 < state.next_folded < state.events
    again = letters(12)
    told = memory.switch_embedder(again, dry_run=True)
    done = memory.switch_embedder(again)
    assert again.asked[-1] == "Bees hum."
    assert (told.items, told.resumed) == (done.items, done.resumed) == (1, 3)
    assert set(stored(memory, 2).values()) == {12}
    assert memory.embedder_state().next is None


def test_a_text_that_the_new_one_refuses_is_counted_and_keeps_nobody_waiting(
    memory: Engine, letters: Letters
) -> None:
    new = letters(12)

    def refuse(texts: Sequence[str]) -> None:
        if any("lamps" in text for text in texts):
            raise ValueError("no lamps")

    new.meanwhile = refuse
    switch = memory.switch_embedder(new)
    assert (switch.items, switch.failed) == (4, 1)
    assert (memory.status().vectors, len(memory.status().failed)) == (3, 1)


def test_a_switch_that_broke_off_is_given_up_by_switching_back(
    memory: Engine, letters: Letters
) -> None:
    class Killed(BaseException):
        pass

    def kill(phase: str, done: int, total: int) -> None:
        if done >= 4:
            raise Killed

    with pytest.raises(Killed):
        memory.switch_embedder(letters(12), progress=kill)
    assert memory.embedder_state().next is not None
    memory.switch_embedder(letters(8))
    assert memory.embedder_state().next is None
    assert {each.state for each in memory.status().projections} == {"active"}
    assert changed_to(memory) == ["letters-8"]


def test_two_switches_exclude_each_other(memory: Engine, engine: Open, letters: Letters) -> None:
    other = engine(embedder=letters(8))
    refused: list[StorageBusy] = []

    def try_too(texts: Sequence[str]) -> None:
        for dimension in (9, 8):  # another switch, and giving this one up
            with pytest.raises(StorageBusy) as caught:
                other.switch_embedder(letters(dimension))
            refused.append(caught.value)

    new = letters(12)
    new.meanwhile = try_too
    memory.switch_embedder(new)
    assert len(refused) == 6
    assert all(each.retryable for each in refused)
    assert changed_to(memory) == ["letters-8", "letters-12"]


def test_an_engine_that_has_the_old_one_goes_on_by_words_and_adds_no_vector_of_its_own(
    memory: Engine, engine: Open, letters: Letters, stored: Stored
) -> None:
    other = engine(embedder=letters(8))
    assert answer(other) == answer(memory)
    new = letters(12)

    def refuse(texts: Sequence[str]) -> None:
        if any("lamps" in text for text in texts):
            raise ValueError("no lamps")

    new.meanwhile = refuse
    memory.switch_embedder(new)
    found = other.search("kiln")
    assert {hit.channels for hit in found} == {("lexical",)}
    assert "another embedder, letters-12" in found.degraded[0]
    assert "another embedder, letters-12" in other.status().degraded[0]
    other.add("One more kiln.", session="b")
    assert retry_failed(other._opened.projector) == 0
    assert other._opened.worker._stepped() is False
    with pytest.raises(EmbedderError, match="another embedder"):
        other.wait_for_vectors()
    assert set(stored(memory, 2).values()) == {12}
    assert (memory.status().pending, len(memory.status().failed)) == (1, 1)
    other.switch_embedder(letters(12))
    assert other.search("kiln").pending == 1
    other.wait_for_vectors()
    assert set(stored(memory, 2).values()) == {12}
    assert memory.status().vectors == 5


def test_what_is_erased_meanwhile_has_no_vector_of_either_embedder(
    memory: Engine, letters: Letters, stored: Stored
) -> None:
    turns = {turn.text: turn.position for turn in memory.turns()}
    erased: list[Any] = []
    new = letters(12)

    def erase(texts: Sequence[str]) -> None:
        # One that is embedded already, one that is in hand, and one that comes yet.
        for text in [] if "Bees hum." not in texts or erased else TURNS[:1] + TURNS[3:]:
            apart(lambda text=text: erased.append(memory.erase(turn=turns[text])))  # type: ignore[misc]

    new.meanwhile = erase
    memory.switch_embedder(new)
    assert [each.verified for each in erased] == [True, True]
    assert set(stored(memory, 2)) == {turns[TURNS[1]], turns[TURNS[2]]}
    assert memory.check("vectors")[0].problem is None
    assert memory.verify().ok


@pytest.mark.sqlite_only("the bytes of a file are searched")
def test_no_byte_of_a_vector_that_was_made_anew_stays_after_an_erasure(
    memory: Engine, letters: Letters, tmp_path: Any
) -> None:
    import numpy as np

    new = letters(12)
    vector = np.asarray(new.embed([TURNS[0]])[0], np.float16).tobytes()
    found: list[bool] = []

    def in_a_file() -> bool:
        return any(vector in file.read_bytes() for file in tmp_path.glob("memory.db*"))

    def erase(texts: Sequence[str]) -> None:
        if "Bees hum." in texts and not found:
            found.append(in_a_file())
            apart(lambda: memory.erase(turn=memory.turns()[0].position))
            found.append(in_a_file())

    new.meanwhile = erase
    memory.switch_embedder(new)
    assert found == [True, False]
    assert not in_a_file()


def test_what_is_quarantined_is_shown_to_no_embedder_that_sends_text_on(
    memory: Engine, letters: Letters, stored: Stored
) -> None:
    turns = [turn.position for turn in memory.turns()]
    quarantine = memory.quarantine(turn=turns[1], reason="odd")
    away = letters(12, endpoint="http://localhost:9/v1")
    told = memory.switch_embedder(away, dry_run=True)
    switch = memory.switch_embedder(away)
    assert (told.items, told.withheld) == (switch.items, switch.withheld) == (3, 1)
    assert switch.failed == 0
    assert TURNS[1] not in away.asked
    memory.release(quarantine)
    memory.wait_for_vectors()
    assert set(stored(memory, 2)) == set(turns)


def test_the_past_is_compared_with_the_new_vectors_and_its_replay_is_the_same(
    memory: Engine, letters: Letters
) -> None:
    then = memory.head
    with memory.replay(then) as before:
        old = [(hit.position, hit.score) for hit in before.search("hot kilns")]
        memory.add("Later kilns.", session="b", wait_for="vectors")
        memory.switch_embedder(letters(12))
        assert [(hit.position, hit.score) for hit in before.search("hot kilns")] == old
        assert before.search("hot kilns").degraded == ()
    at = memory.at(then).search("hot kilns")
    with memory.replay(then) as replay:
        again = replay.search("hot kilns")
    assert at.degraded == again.degraded == ()
    assert [(h.position, h.score) for h in at] == [(h.position, h.score) for h in again]
    assert "semantic" in at[0].channels
    assert [(h.position, h.score) for h in at] != old


def test_facts_are_switched_with_the_turns(engine: Open, letters: Letters, stored: Stored) -> None:
    memory = engine(embedder=letters(8))
    first = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2024")
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2025")
    memory.wait_for_vectors()
    assert memory.switch_embedder(letters(12)).items == 2
    assert first in stored(memory, 2)
    found = memory.search("Where in Oslo did the user live?", history=True)
    assert found.degraded == ()
    assert first in {hit.position for hit in found if "semantic" in hit.channels}
