"""Of any life: under the trust of then the past is what was answered when it was the present."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from smriti_es.beliefs import Fact
from smriti_es.view import View

LONG = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
# Any world time, as long as it is the same for all that are compared.
WORLD = ("2024-06-01", "2026-06-02", "2031-01-01")
DIGESTS = tuple(f"digest:{name}" for name in ("entity", "lives_in", "likes", "works_at"))

# What is erased is gone at every time.
ERASING = {"erase", "sweep"}

bounded = settings(max_examples=200 if LONG else 8)


def plain(facts: Any) -> list[Fact]:
    """Facts without the label, which tells of today."""
    return [replace(fact, withheld=()) for fact in facts]


def believed(view: View, **trust: Any) -> Iterator[Any]:
    """What can be asked about beliefs."""
    for valid_at in WORLD:
        yield plain(view.facts(valid_at=valid_at, scopes=None, **trust))
        yield plain(view.facts(valid_at=valid_at, scopes=None, statuses=None, **trust))
        for predicate in (None, *DIGESTS):
            histories = view.history(predicate=predicate, valid_at=valid_at, **trust)
            yield plain(each.fact for each in histories)
            yield [each.revisions for each in histories]


def said(view: View) -> list[Any]:
    """What was said."""
    turns = [replace(turn, withheld=()) for turn in view.turns()]
    return [*turns, *(replace(session, withheld=()) for session in view.sessions())]


def what_was_seen(one: Any, life: list[Any], see: Callable[[View], Any]) -> dict[int, Any]:
    """Live a life without erasures, and note at each head what was answered there."""
    seen = {}
    for step in life:
        if step[0] not in ERASING:
            one.take(step)
            seen[one.engine.head] = see(one.engine)
    return seen


@bounded
@given(data=st.data())
def test_facts_of_a_commit_are_what_was_answered_when_it_was_the_head(
    data: st.DataObject, lives: st.SearchStrategy[Any], living: Callable[..., Any]
) -> None:
    def see(view: View) -> list[Any]:
        return [*believed(view), said(view)]

    with living([]) as one:
        for head, answered in what_was_seen(one, data.draw(lives), see).items():
            assert see(one.engine.at(head, trust="then")) == answered


@bounded
@given(data=st.data())
def test_a_replay_under_the_trust_of_then_agrees_with_the_view_to_the_label(
    data: st.DataObject, lives: st.SearchStrategy[Any], living: Callable[..., Any]
) -> None:
    def everything(view: View) -> list[Any]:
        facts = view.history(valid_at=WORLD[1])
        explained = [view.explain(each.fact.position, valid_at=WORLD[1]) for each in facts]
        return [facts, explained, view.turns(), view.sessions(), view.diff(0, view.head)]

    with living(data.draw(lives)) as one:
        engine = one.engine
        commits = sorted({sum(event.header.commit) - 1 for event in engine.events()})
        for position in commits[len(commits) // 2 :]:
            with engine.replay(position, trust="then") as replay:
                assert everything(engine.at(position, trust="then")) == everything(replay)


@bounded
@given(data=st.data())
def test_changes_under_the_trust_of_then_are_what_the_heads_did_not_agree_on(
    data: st.DataObject, lives: st.SearchStrategy[Any], living: Callable[..., Any]
) -> None:
    def standing(view: View) -> dict[int, tuple[Any, ...]]:
        facts = [each.fact for each in view.history()]
        admitted = [fact for fact in facts if fact.state == "admitted"]
        return {f.position: (f.interval, f.superseded_by, f.folded_into) for f in admitted}

    with living([]) as one:
        seen = what_was_seen(one, data.draw(lives), standing)
        heads = sorted(seen)
        for earlier, later in zip(heads, heads[len(heads) // 2 :], strict=False):
            before, after = seen[earlier], seen[later]
            differ = {p for p in before | after if before.get(p) != after.get(p)}
            changes = one.engine.diff(earlier, later, trust="then")
            assert {change.position for change in changes} == differ


@bounded
@given(data=st.data())
def test_the_label_names_what_today_is_shown_by_no_read(
    data: st.DataObject, lives: st.SearchStrategy[Any], living: Callable[..., Any]
) -> None:
    with living(data.draw(lives)) as one:
        engine = one.engine
        today = {turn.position for turn in engine.turns()}
        commits = sorted({sum(event.header.commit) - 1 for event in engine.events()})
        for position in commits[len(commits) // 2 :]:
            shown = engine.at(position, trust="then").turns()
            assert {t.position for t in shown if not t.withheld} == {
                t.position for t in shown
            } & today
