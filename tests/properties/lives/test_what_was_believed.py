"""Of any life: its revisions, its projections and its changes are what its log says."""

import os
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from smriti_es.engine import Engine
from smriti_es.fact_history import FactHistory
from smriti_es.view import View

LONG = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
PROJECTIONS = (
    *("turns", "entities", "lineage", "trust", "facts", "revisions", "extractions", "lexical"),
    *("receipts", "vectors"),
)
# Digests are read only by who names them; None: all other facts.
PREDICATES = (None, *(f"digest:{name}" for name in ("entity", "lives_in", "likes", "works_at")))

bounded = settings(max_examples=200 if LONG else 8)


def everything(view: View) -> list[FactHistory]:
    """Every fact, digests too."""
    return [each for predicate in PREDICATES for each in view.history(predicate=predicate)]


@bounded
@given(data=st.data())
def test_revisions_tile_knowledge_time_from_the_commit_of_the_fact_on(
    data: st.DataObject, lives: st.SearchStrategy[Any], living: Callable[..., Any]
) -> None:
    with living(data.draw(lives)) as one:
        engine = one.engine
        known = {event.position: event.header.known for event in engine.events()}
        for each in everything(engine):
            first, last = each.revisions[0], each.revisions[-1]
            assert first.known_from == known[each.fact.position]
            assert last.known_to is None
            for number, (one, following) in enumerate(pairwise(each.revisions)):
                assert (one.number, following.number) == (number, number + 1)
                assert one.known_from < following.known_from
                assert one.known_to == following.known_from
            assert all(known[one.cause] == one.known_from for one in each.revisions)


@bounded
@given(data=st.data())
def test_every_projection_comes_out_of_the_log_as_it_is(
    data: st.DataObject, lives: st.SearchStrategy[Any], living: Callable[..., Any]
) -> None:
    with living(data.draw(lives)) as one:
        engine: Engine = one.engine
        report = engine.verify()
        assert report.ok, report
        assert [name for name in PROJECTIONS if not engine.rebuild(name).equal] == []


@bounded
@given(data=st.data())
def test_what_changed_between_two_commits_is_what_their_views_do_not_agree_on(
    data: st.DataObject, lives: st.SearchStrategy[Any], living: Callable[..., Any]
) -> None:
    def believed(view: View) -> dict[int, tuple[Any, ...]]:
        return {
            each.fact.position: (
                each.fact.state,
                each.fact.interval,
                each.fact.superseded_by,
                each.fact.folded_into,
            )
            for each in everything(view)
            if each.fact.state in {"admitted", "lapsed"}
        }

    with living(data.draw(lives)) as one:
        engine = one.engine
        places = sorted({sum(event.header.commit) - 1 for event in engine.events()})
        for earlier, later in zip(places, places[len(places) // 2 :], strict=False):
            before, after = believed(engine.at(earlier)), believed(engine.at(later))
            differ = {p for p in before | after if before.get(p) != after.get(p)}
            told = [engine.diff(earlier, later, predicate=name) for name in PREDICATES]
            assert {change.position for changes in told for change in changes} == differ
