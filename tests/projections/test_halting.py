"""Stop, do not skip: what happens when an event cannot be folded (contract, point 4)."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import ProjectionSkipped
from smriti_es.events.errors import InvalidInput, NotFound, ProjectionBehind, ProjectionFailed
from smriti_es.events.records import Append
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.projections.turns import TurnsProjection
from smriti_es.recording import SessionInput
from smriti_es.results import ProjectionStatus

OpenEngine = Callable[..., Engine]
State = Callable[[Engine, str], ProjectionStatus]
Spoil = Callable[..., Callable[[], None]]
Said = Callable[..., Sequence[Any]]
Fingerprints = Callable[[Engine], dict[str, str]]


def test_a_halted_index_names_the_event_and_lets_everything_else_go_on(
    engine: OpenEngine, spoil: Spoil, state: State, said: Said
) -> None:
    memory = engine()
    memory.add("A ripe pear.", session="a")
    spoil(LexicalProjection)
    added = memory.add(said("First.", "poison pear", "Last."), session="a")
    memory.add("Another pear.", session="b")
    halted = state(memory, "lexical")
    assert (halted.state, halted.folded, halted.behind) == ("halted", 3, 5)
    assert halted.error is not None
    assert f"position {added.positions[1]}: ValueError: cannot digest poison" in halted.error
    assert state(memory, "turns").behind == 0
    assert len(memory.turns()) == 5
    assert memory.verify(projections=False).ok


def test_a_halted_index_is_said_in_every_answer(engine: OpenEngine, spoil: Spoil) -> None:
    memory = engine()
    memory.add("A ripe pear.", session="a")
    spoil(LexicalProjection)
    memory.add("poison pear", session="a")
    found = memory.search("pear")
    assert [hit.text for hit in found] == ["A ripe pear."]
    assert found.degraded[0].startswith("lexical: the last 1 events are not indexed")
    assert "cannot digest poison" in memory.context("pear").degraded[0]
    assert any("lexical: halted" in said for said in memory.status().degraded)
    assert [report.projection for report in memory.check() if not report.ok] == ["lexical"]


def test_a_halted_index_leaves_no_half_of_the_commit_behind(
    engine: OpenEngine, spoil: Spoil, said: Said, fingerprints: Fingerprints
) -> None:
    memory = engine()
    memory.add("One.", session="a")
    before = fingerprints(memory)["lexical"]
    spoil(LexicalProjection)
    memory.add(said("Fine.", "poison", "Fine too."), session="a")
    assert fingerprints(memory)["lexical"] == before


def test_a_halted_index_goes_on_when_the_cause_is_gone(
    engine: OpenEngine, spoil: Spoil, state: State
) -> None:
    memory = engine()
    repair = spoil(LexicalProjection)
    memory.add("poison pear", session="a")
    memory.close()
    repair()
    again = engine()
    assert state(again, "lexical").state == "active"
    assert len(again.search("pear")) == 1
    assert again.verify().ok


def test_lengths_of_turns_count_once_the_index_has_caught_up(
    engine: OpenEngine, spoil: Spoil
) -> None:
    memory, repair = engine(), spoil(LexicalProjection)
    memory.add("poison pear and a good many other words besides", session="a")
    memory.add("pear", session="a")
    assert len(memory.search("pear")) == 0
    repair()
    memory._opened.projector.catch_up("lexical")
    scores = [(hit.position, hit.score) for hit in memory.search("pear")]
    memory._opened.reader.visible.forget()
    assert scores == [(hit.position, hit.score) for hit in memory.search("pear")]
    assert [position for position, _ in scores] == [3, 2]


@pytest.fixture
def halted_turns(
    engine: OpenEngine, spoil: Spoil, release: Callable[[int], None], said: Said
) -> tuple[Engine, Callable[[], None]]:
    """A memory that this release cannot fold beyond position 3, and the repair."""
    memory = engine()
    memory.add(said("One.", "poison", "Three."), session="a")
    memory.close()
    release(2)
    repair = spoil(TurnsProjection)
    return engine(), repair


def test_halted_turns_refuse_writes_and_answer_reads(
    halted_turns: tuple[Engine, Callable[[], None]], state: State
) -> None:
    memory, _ = halted_turns
    assert (state(memory, "turns").state, state(memory, "turns").folded) == ("halted", 3)
    with pytest.raises(ProjectionBehind) as caught:
        memory.add("Four.", session="a")
    assert (caught.value.projection, caught.value.position) == ("turns", 3)
    assert [turn.text for turn in memory.turns()] == ["One."]
    assert memory.head == 4


def test_an_owner_lets_halted_turns_step_over_the_event(
    halted_turns: tuple[Engine, Callable[[], None]], state: State
) -> None:
    memory, _ = halted_turns
    memory.skip("turns", 3, "unreadable")
    assert state(memory, "turns").state == "active"
    memory.add("Four.", session="a")
    assert [turn.text for turn in memory.turns()] == ["One.", "Three.", "Four."]
    report = memory.rebuild("turns")
    assert report.equal
    assert memory.check("turns")[0].ok


def test_halted_turns_are_repaired_by_a_release_that_can_fold_them(
    halted_turns: tuple[Engine, Callable[[], None]], state: State
) -> None:
    memory, repair = halted_turns
    repair()
    memory.rebuild("turns")
    memory.add("Four.", session="a")
    assert [turn.text for turn in memory.turns()] == ["One.", "poison", "Three.", "Four."]
    assert memory.check("turns")[0].ok


def test_every_rebuild_steps_over_what_the_owner_skipped(
    engine: OpenEngine, spoil: Spoil, state: State, said: Said
) -> None:
    memory = engine()
    spoil(LexicalProjection)
    memory.add(said("One pear.", "poison pear", "Two pears."), session="a")
    memory.skip("lexical", 3, "a known bug")
    assert state(memory, "lexical").behind == 0
    assert [hit.position for hit in memory.search("pear")] == [2, 4]
    assert memory.check("lexical")[0].ok
    assert memory.rebuild("lexical").equal
    assert [hit.position for hit in memory.search("pear")] == [2, 4]
    *_, last = memory.events()
    assert last.event == ProjectionSkipped(projection="lexical", target=3, reason="a known bug")
    assert last.header.refs == (3,)


def test_a_replay_steps_over_what_was_skipped_since(
    engine: OpenEngine, spoil: Spoil, said: Said
) -> None:
    memory = engine()
    spoil(LexicalProjection)
    memory.add(said("One pear.", "poison pear", "Two pears."), session="a")
    then = memory.head
    memory.skip("lexical", 3, "a known bug")
    with memory.replay(then) as replay:
        for view in (memory.at(then), replay):
            found = view.search("pear")
            assert [hit.position for hit in found] == [2, 4]
            assert not any("lexical" in reason for reason in found.degraded)


def test_a_skip_concerns_one_projection_alone(engine: OpenEngine, spoil: Spoil, said: Said) -> None:
    memory = engine()
    spoil(LexicalProjection)
    memory.add(said("One.", "poison", "Three."), session="a")
    memory.skip("lexical", 3, "a known bug")
    assert memory.rebuild("turns").equal
    assert [turn.text for turn in memory.turns()] == ["One.", "poison", "Three."]


@pytest.mark.parametrize("position", [-1, 2, 3, 99])
def test_only_an_event_that_is_not_folded_can_be_skipped(position: int, engine: OpenEngine) -> None:
    memory = engine()
    memory.add("One.", session="a")
    with pytest.raises(InvalidInput):
        memory.skip("lexical", position, "for no reason")
    with pytest.raises(NotFound):
        memory.skip("lexicon", 2, "no such projection")
    assert memory.head == 2


def test_a_request_that_cannot_be_folded_spoils_nothing_for_those_it_shares_a_flush_with(
    engine: OpenEngine, spoil: Spoil
) -> None:
    memory = engine()
    spoil(TurnsProjection)
    batches = [SessionInput(session=name, messages=name) for name in ("a", "poison", "b")]
    commands = [memory._command(batch) for batch in batches]
    actor = memory._opened.actor
    outcomes = memory._opened.log.append_all([Append(each, actor) for each in commands])
    assert [isinstance(outcome, ProjectionFailed) for outcome in outcomes] == [False, True, False]
    assert [turn.text for turn in memory.turns()] == ["a", "b"]
    assert memory.verify().ok


def test_what_a_driver_refused_is_said_in_one_line_without_the_statement(
    engine: OpenEngine, tamper: Callable[..., int]
) -> None:
    memory = engine()
    memory.add("One.", session="a")
    tamper("UPDATE projection SET folded = 0, leaf = zeroblob(32) WHERE name = 'turns'")
    memory.close()
    memory = engine()
    (halted,) = [each for each in memory.status().projections if each.state == "halted"]
    assert halted.error is not None
    assert "UniqueViolation" in halted.error or "UNIQUE constraint failed" in halted.error
    assert "Key (" not in halted.error  # the values that it is about, as a server would add them
    assert [mark for mark in ("\n", "[SQL", "http") if mark in halted.error] == []
