"""A memory is switched to another embedder: what that does, costs, and leaves."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import inspect

from smriti_es import (
    CallableEmbedder,
    EmbedderSwitch,
    Engine,
    HttpEmbedder,
    NotAllowed,
    Settings,
)
from smriti_es.events.catalogue import EmbedderChanged
from smriti_es.events.errors import EgressRefused, EmbedderError, InvalidInput

Open = Callable[..., Engine]
Letters = Callable[..., Any]
Stored = Callable[[Engine, int], dict[int, int]]
TURNS = ("The kiln is hot.", "Ana sells lamps.", "The kiln needs new bricks.")


@pytest.fixture
def memory(engine: Open, letters: Letters) -> Engine:
    """A memory of three turns with vectors of eight numbers."""
    opened = engine(embedder=letters(8))
    opened.add(TURNS, session="plant", wait_for="vectors")
    return opened


def changes(memory: Engine) -> list[EmbedderChanged]:
    return [each.event for each in memory.events() if isinstance(each.event, EmbedderChanged)]


def positions(memory: Engine) -> list[int]:
    return [turn.position for turn in memory.turns()]


def test_every_vector_is_made_anew_and_the_old_ones_are_removed(
    memory: Engine, letters: Letters, stored: Stored
) -> None:
    switch = memory.switch_embedder(letters(12))
    assert stored(memory, 2) == dict.fromkeys(positions(memory), 12)
    assert switch.removed
    with memory._opened.database.read() as connection:
        tables = [name for name in inspect(connection).get_table_names() if "vector" in name]
    assert {name for name in tables if not name.endswith("_g2")} == set()
    assert memory.search("kiln").degraded == memory.status().degraded == ()
    assert "semantic" in memory.search("kiln")[0].channels
    assert memory.verify().ok


def test_the_change_is_an_event_of_whoever_made_it(engine: Open, letters: Letters) -> None:
    memory = engine(embedder=letters(8), actor="ops")
    switch = memory.switch_embedder(letters(12))
    assert switch.position == memory.head
    (event,) = list(memory.events(memory.head))
    assert isinstance(event.event, EmbedderChanged)
    assert (event.event.embedder, event.event.generation) == (switch.after, 2)
    assert (event.header.actor.id, event.header.actor.kind) == ("ops", "owner")


def test_what_it_did_is_counted(memory: Engine, letters: Letters) -> None:
    switch = memory.switch_embedder(letters(12))
    assert switch.before is not None
    assert (switch.before["model"], switch.after["model"]) == ("letters-8", "letters-12")
    assert (switch.items, switch.characters) == (3, sum(map(len, TURNS)))
    assert (switch.tokens, switch.size_bytes) == (15, 3 * 12 * 2)
    assert (switch.resumed, switch.failed, switch.withheld) == (0, 0, 0)
    assert switch.seconds > 0


def test_a_dry_run_says_the_same_and_changes_nothing(memory: Engine, letters: Letters) -> None:
    head = memory.head
    told = memory.switch_embedder(letters(12), dry_run=True)
    assert memory.head == head
    assert {each.generation for each in memory.status().projections} == {1}
    assert memory.search("kiln").degraded == ()
    assert told.seconds > 0
    done = memory.switch_embedder(letters(12))
    names = ("before", "after", "items", "characters", "tokens", "size_bytes", "withheld")
    assert [getattr(told, name) for name in names] == [getattr(done, name) for name in names]
    assert (told.position, told.failed, told.removed) == (None, None, False)


def test_a_dry_run_of_a_long_log_embeds_a_sample_alone(engine: Open, letters: Letters) -> None:
    memory = engine(embedder=letters(8))
    memory.add([f"turn number {number}" for number in range(700)], session="a")
    measured = letters(12)
    told = memory.switch_embedder(measured, dry_run=True)
    assert told.items == 700
    assert 65 <= len(set(measured.asked)) <= 128
    assert told.size_bytes == pytest.approx(700 * 12 * 2, rel=0.05)
    numbers = [int(text.rsplit(" ", 1)[1]) for text in measured.asked]
    assert min(numbers) < 50
    assert max(numbers) > 650


def test_a_dry_run_may_be_made_of_a_memory_that_is_open_to_read_only(
    memory: Engine, engine: Open, letters: Letters
) -> None:
    reader = engine(embedder=letters(8), read_only=True)
    assert reader.switch_embedder(letters(12), dry_run=True).items == 3
    with pytest.raises(NotAllowed, match="read only"):
        reader.switch_embedder(letters(12))


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_switch_to_the_embedder_that_serves_is_none(
    dry_run: bool, memory: Engine, letters: Letters
) -> None:
    same = letters(8)
    head = memory.head
    switch = memory.switch_embedder(same, dry_run=dry_run)
    assert (switch.before, switch.position, switch.items) == (switch.after, None, 0)
    assert (memory.head, same.asked) == (head, [])


def test_an_engine_that_has_another_embedder_takes_the_one_that_serves(
    memory: Engine, engine: Open, letters: Letters
) -> None:
    other = engine(embedder=letters(12))
    assert "letters-8" in other.search("kiln").degraded[0]
    other.switch_embedder(letters(8))
    assert other.search("kiln").degraded == other.status().degraded == ()
    assert len(changes(memory)) == 1


def test_an_engine_without_an_embedder_has_one_afterwards(engine: Open, letters: Letters) -> None:
    memory = engine(embedder=None, settings=Settings(embed_in_background=True))
    memory.add(TURNS, session="plant")
    memory.switch_embedder(letters(12))
    memory.add("One more kiln.", session="plant", wait_for="vectors")
    assert (memory.status().vectors, memory.status().pending) == (4, 0)
    assert memory._opened.worker._thread is not None


def test_a_memory_where_nothing_was_said_is_switched_too(engine: Open, letters: Letters) -> None:
    memory = engine(embedder=letters(8))
    assert memory.switch_embedder(letters(12), dry_run=True).seconds == 0.0
    assert memory.switch_embedder(letters(12)).items == 0
    memory.add("A kiln.", session="a", wait_for="vectors")
    assert memory.status().vectors == 1


def test_what_is_said_afterwards_is_embedded_by_the_new_one(
    memory: Engine, letters: Letters, stored: Stored
) -> None:
    old, new = memory._opened.embedder, letters(12)
    memory.switch_embedder(new)
    asked = len(old.asked)  # type: ignore[union-attr]
    memory.add("One more kiln.", session="plant", wait_for="vectors")
    memory.search("kiln")
    assert len(old.asked) == asked  # type: ignore[union-attr]
    assert new.asked[-2:] == ["One more kiln.", "kiln"]
    assert set(stored(memory, 2).values()) == {12}


def test_everything_that_uses_the_embedder_has_the_new_one(
    memory: Engine, letters: Letters
) -> None:
    memory.switch_embedder(letters(12, endpoint="http://localhost:9/v1"))
    (flow, _) = memory.describe_data_flow().flows
    assert (flow.adapter, flow.endpoint) == ("embedder", "http://localhost:9/v1")
    state = memory.embedder_state()
    assert state.same
    assert state.given == memory.status().embedder


def test_the_state_tells_whose_vectors_serve_and_whose_are_at_hand(
    memory: Engine, engine: Open, letters: Letters
) -> None:
    state = engine(embedder=letters(12)).embedder_state()
    assert state.serving is not None
    assert state.given is not None
    assert (state.serving["model"], state.given["model"]) == ("letters-8", "letters-12")
    assert (state.same, state.next, state.problem) == (False, None, None)
    assert isinstance(next(memory.events(state.since)).event, EmbedderChanged)  # type: ignore[arg-type]
    nobody = engine(embedder=None).embedder_state()
    assert (nobody.given, nobody.same, nobody.serving) == (None, False, state.serving)


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_profile_keeps_the_memory_from_an_embedder_that_sends_text_away(
    dry_run: bool, engine: Open, letters: Letters
) -> None:
    memory = engine(embedder=letters(8), profile="local")
    away = letters(12, endpoint="https://api.example.com/v1")
    with pytest.raises(EgressRefused, match="the embedder would send text to api"):
        memory.switch_embedder(away, dry_run=dry_run)
    assert away.asked == []


def test_credentials_are_taken_out_of_what_the_new_one_is_sent(
    engine: Open, letters: Letters
) -> None:
    secret = "sk-proj-" + "Zz9Yy8Xx7Ww6Vv5Uu4Tt3"
    engine(embedder=letters(8)).add(f"My key is {secret}.", session="a", wait_for="vectors")
    away = letters(12, endpoint="https://api.example.com/v1")
    engine(embedder=letters(8), redact=True).switch_embedder(away)
    assert away.asked == ["My key is [redacted: api key]."]


def test_a_switch_is_for_the_owner(engine: Open, letters: Letters) -> None:
    with pytest.raises(NotAllowed):
        engine(embedder=letters(8), origin="agent").switch_embedder(letters(12))


@pytest.mark.parametrize("wrong", [None, "letters-12", CallableEmbedder])
def test_what_is_no_embedder_is_refused(wrong: Any, memory: Engine) -> None:
    with pytest.raises(InvalidInput):
        memory.switch_embedder(wrong)
    assert memory.search("kiln").degraded == ()


def test_token_vectors_come_and_go_with_the_embedder(
    memory: Engine, engine: Open, letters: Letters
) -> None:
    new = letters(12)
    new.token_space = "letters-12"
    memory.switch_embedder(new)
    found = memory.search("The kiln is hot.", explain=True)
    assert found.degraded == ()
    assert "late" in found[0].explanation
    memory.switch_embedder(letters(8))
    assert "late" not in memory.search("The kiln is hot.", explain=True)[0].explanation


def test_a_memory_that_is_not_to_keep_token_vectors_keeps_none_of_the_new_one(
    engine: Open, letters: Letters
) -> None:
    memory = engine(embedder=letters(8), token_vectors=False)
    memory.add(TURNS, session="plant", wait_for="vectors")
    new = letters(12)
    new.token_space = "letters-12"
    memory.switch_embedder(new)
    found = memory.search("The kiln is hot.", explain=True)
    assert (found.degraded, "late" in found[0].explanation) == ((), False)


@pytest.mark.sqlite_only("a server has no file for the graph")
def test_the_graph_of_the_old_vectors_is_removed_and_one_of_the_new_serves(
    engine: Open, letters: Letters, tmp_path: Path
) -> None:
    few = Settings(embed_in_background=False, graph_threshold=2)
    memory = engine(embedder=letters(8), settings=few)
    memory.add(TURNS, session="plant")
    memory.wait_for_vectors()
    graphs = [path for path in tmp_path.iterdir() if path.suffix == ".json"]
    assert len(graphs) == 1
    memory.switch_embedder(letters(12))
    assert not graphs[0].exists()
    assert memory.search("kiln").degraded == ()
    memory.wait_for_vectors()
    assert graphs[0].exists()


def test_progress_tells_how_many_events_are_done(memory: Engine, letters: Letters) -> None:
    steps: list[tuple[str, int, int]] = []
    memory.switch_embedder(letters(12), dry_run=True, progress=lambda *step: steps.append(step))
    size = memory.head + 1
    assert steps == [("look", 0, size), ("look", size, size)]
    steps.clear()
    memory.switch_embedder(letters(12), progress=lambda *step: steps.append(step))
    assert steps[:2] == [("fold", 0, size), ("fold", size, size)]
    assert steps[-1][0] == "done"


def test_an_embedder_that_does_not_say_what_it_is_is_told_in_the_state(
    engine: Open, letters: Letters
) -> None:
    def nobody(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody there")

    client = httpx.Client(transport=httpx.MockTransport(nobody))
    away = HttpEmbedder("http://localhost:9/v1", "m", client=client, retries=0)
    state = engine(embedder=away).embedder_state()
    assert (state.given, state.same) == (None, False)
    assert "localhost:9" in str(state.problem)
    with pytest.raises(EmbedderError):
        engine(embedder=letters(8)).switch_embedder(away)


def test_the_result_is_a_value(memory: Engine, letters: Letters) -> None:
    told = memory.switch_embedder(letters(8))
    assert told == EmbedderSwitch(before=told.before, after=told.after, removed=True)
