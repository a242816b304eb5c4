"""The central promise: what was known at any moment is answered as it would have been then.

Random histories with every verb that writes; for each commit of them, the views from the
projections and a fold of the log's prefix give the same answers.
"""

import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from smriti_es.engine import Engine
from smriti_es.view import View
from smriti_es.witnesses import FolderWitness

LONG = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
NAMES = ("user", "Rachel", "RACHEL", "Rachel Smith", "Caf\u00e9", "Cafe\u0301")
WORLD = (None, "2019-06-01", "2025-03-01", "2031-01-01")
QUESTIONS = (
    "Where does Rachel live?",
    "What did the user like before?",
    "project Atlas in March 2024",
    "In how many places does the user or Rachel live?",
)
DIGESTS = tuple(f"digest:{name}" for name in ("entity", "lives_in", "likes", "works_at"))
# Verbs that an engine has beyond what a view of the past has, and that record nothing.
READS: dict[str, Callable[[Engine], object]] = {
    "at": lambda engine: engine.at(0),
    "replay": lambda engine: engine.replay(0),
    "status": lambda engine: engine.status(),
    "verify": lambda engine: engine.verify(),
    "check": lambda engine: engine.check(),
    "review": lambda engine: engine.review(),
    "verify_receipt": lambda engine: engine.verify_receipt("never said"),
    "holds": lambda engine: engine.holds(),
    "retention": lambda engine: engine.retention(),
    "finish_erasures": lambda engine: engine.finish_erasures(),
    "quarantines": lambda engine: engine.quarantines(),
    "impact": lambda engine: engine.impact(origin="owner"),
    "doctor": lambda engine: engine.doctor(),
    "repair": lambda engine: engine.repair(),
    "describe_data_flow": lambda engine: engine.describe_data_flow(),
    "embedder_state": lambda engine: engine.embedder_state(),
    "export": lambda engine: engine.export(Path(mkdtemp()) / "user", about="user"),
    "export_conversations": lambda engine: engine.export_conversations(Path(mkdtemp()) / "all"),
    "export_audit": lambda engine: engine.export_audit(Path(mkdtemp()) / "bundle"),
    "checkpoints": lambda engine: engine.checkpoints(),
    "signing_keys": lambda engine: engine.signing_keys(),
    "prove": lambda engine: engine.prove(0),
    "prove_consistency": lambda engine: engine.prove_consistency(1),
    "witness": lambda engine: engine.witness(FolderWitness(Path(mkdtemp()))),
}
# What can be said only of a memory in whose place a backup was put.
AFTER_A_RESTORE = {"accept_restore"}

Step = tuple[Any, ...]


def commits(engine: Engine) -> list[int]:
    """The position of the last event of each commit."""
    return sorted({sum(event.header.commit) - 1 for event in engine.events()})


def answers(view: View) -> Iterator[Any]:
    """Everything that can be asked about what was known."""
    for valid_at in WORLD:
        yield view.facts(statuses=None, scopes=None, valid_at=valid_at)
        yield view.facts(valid_at=valid_at, scopes=["project:atlas"])
        yield view.facts(kinds=["digest"], statuses=None, scopes=None, valid_at=valid_at)
        yield view.history(valid_at=valid_at)
    yield [view.history(predicate=predicate) for predicate in DIGESTS]
    for question in QUESTIONS:
        options: dict[str, Any] = {"now": "2026-06-02", "scopes": ["project:Atlas"]}
        found = view.search(question, explain=True, **options)
        yield [(hit.turn, hit.fact, hit.score, hit.channels, hit.explanation) for hit in found]
        yield found.observed, found.degraded, found.pending, found.head
        context = view.context(question, history=True, **options)
        yield context.text, context.facts, context.evidence, context.observed
    yield view.turns()
    yield view.sessions()
    yield [view.names_of(name) for name in NAMES]
    yield [view.facts("rachel", scopes=None), view.facts(entity="Rachel Smith", scopes=None)]
    digests = view.facts(kinds=["digest"], statuses=None, scopes=None)
    facts = [*(each.fact for each in view.history()), *digests]
    yield [view.explain(fact.position) for fact in facts]


def bounded(examples: int, *, long: int = 200) -> settings:
    """So many examples in the everyday run, and in the long one; each is a life and its replays."""
    return settings(max_examples=long if LONG else examples)


@bounded(5)
@given(data=st.data())
def test_a_view_of_any_commit_answers_as_a_replay_of_the_log_up_to_it(
    data: st.DataObject, lives: st.SearchStrategy[list[Step]], living: Callable[..., Any]
) -> None:
    with living(data.draw(lives)) as one:
        engine = one.engine
        for position in commits(engine):
            with engine.replay(position) as replay:
                for seen, folded in zip(answers(engine.at(position)), answers(replay), strict=True):
                    assert seen == folded


@bounded(8)
@given(data=st.data())
def test_an_answer_at_a_commit_never_changes_whatever_happens_later(
    data: st.DataObject, lives: st.SearchStrategy[list[Step]], living: Callable[..., Any]
) -> None:
    # A view's world time is now while knowledge runs ahead of a clock that was set back.
    life = [step for step in data.draw(lives) if step[0] != "clock" or step[1] > 0]
    half = len(life) // 2
    # What is withheld today is withheld from the past as well (decision 22).
    # So is what is erased. And another embedder finds other turns alike, old ones as well.
    withheld = {"quarantine", "reject", "edit", "erase", "sweep", "switch_embedder"}
    later = [step for step in life[half:] if step[0] not in withheld]
    with living(life[:half]) as one:
        position, before = one.engine.head, list(answers(one.engine.at(one.engine.head)))
        for step in later:
            one.take(step)
        one.engine.wait_for_vectors()
        assert list(answers(one.engine.at(position))) == before


def test_lives_use_every_verb_that_writes(
    long_lives: list[list[Step]], living: Callable[..., Any]
) -> None:
    verbs = {name for name, _ in inspect.getmembers(Engine, callable) if not name.startswith("_")}
    writing = verbs - set(dir(View)) - READS.keys() - {"open", "close"} - AFTER_A_RESTORE
    for life in long_lives:
        # The same step may be refused in another run, for ids are random and break ties.
        if writing:
            with living(life) as one:
                writing -= one.taken.keys()
    assert writing == set()


def test_what_is_said_to_record_nothing_leaves_the_log_as_it_is(
    long_lives: list[list[Step]], living: Callable[..., Any]
) -> None:
    with living(long_lives[0][:30]) as one:
        one.engine.checkpoint()
        head = one.engine.head
        for read in READS.values():
            read(one.engine)
        assert one.engine.head == head
