"""The central promise: what was known at any moment is answered as it would have been then.

Random histories with every verb that writes; for each commit of them, the views from the
projections and a fold of the log's prefix give the same answers.
"""

import os
import random
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from smriti_es.engine import Engine
from smriti_es.events.key_form import key_form
from smriti_es.view import View

LONG = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
START = 1_780_394_400_000_000  # 2026-06-02T10:00:00Z
SECOND = 1_000_000
DAY = 86_400 * SECOND

SUBJECTS = ("user", "Rachel", "RACHEL", "Rachel Smith", "Caf\u00e9", "Cafe\u0301")
OFTEN = (*SUBJECTS[:2] * 8, *SUBJECTS)
PREDICATES = ("lives_in", "lives_in", "likes", "likes", "works_at")
# Alike enough for the arbiter to be asked about them.
VALUES = ("old Pune", "OLD  pune", "old Oslo", "old Bergen")
SCOPES = ("", "", "", "", "project:Atlas", "project:Borealis")
MOST_STEPS = 40 if LONG else 20
ENDINGS = ("", "", "", "many", "single", "ended", "to=2028")
TIMES = (
    "2019",
    "2024-03",
    "2025-02-03",
    "2026-06-02T09:00:00Z",
    "2026-06-02T14:30:00+05:30",
    "2027",
)
PROJECTIONS = ("turns", "entities", "lineage", "facts", "revisions", "extractions", "lexical")
WORLD = (None, "2019-06-01", "2025-03-01", "2031-01-01")
QUESTIONS = (
    "Where does Rachel live?",
    "What did the user like before?",
    "project Atlas in March 2024",
)

Life = tuple[Any, ...]
Open = Callable[..., Engine]


def one_step(chance: random.Random) -> Life:
    """Make one step of a life; most of them state something."""
    (verb,) = chance.choices(list(VERBS), [often for often, _ in VERBS.values()])
    return (verb, *VERBS[verb][1](chance))


def some_options(chance: random.Random) -> dict[str, Any]:
    pick = chance.choice
    return {
        "scope": pick(SCOPES),
        "valid_from": pick((None, *TIMES)),
        "valid_to": pick((None, None, None, "2028", "2024-06", "2029-01-01")),
        "said_at": pick((None, None, *TIMES)),
        "multi": pick((False, True)),
        "because": [chance.randrange(30) for _ in range(pick((0, 0, 0, 1, 2)))],
    }


def some_line(chance: random.Random) -> str:
    pick = chance.choice
    if chance.random() < 0.05:
        return "FAIL"
    begins = pick(("", *(f"from={time}" for time in TIMES)))
    words = (pick(OFTEN), pick(PREDICATES), pick(VALUES), f"scope={pick(SCOPES)}", begins)
    return " | ".join((*words, pick(ENDINGS)))


def number(chance: random.Random) -> int:
    return chance.randrange(30)


# How often each comes, and what it is done with.
VERBS: dict[str, tuple[int, Callable[[random.Random], tuple[Any, ...]]]] = {
    "assert": (
        6,
        lambda c: (c.choice(OFTEN), c.choice(PREDICATES), c.choice(VALUES), some_options(c)),
    ),
    "add": (
        6,
        lambda c: (
            [some_line(c) for _ in range(c.randint(1, 3))],
            c.choice(("walks", "work")),
            c.choice((None, *TIMES[2:5])),
            c.choice((None, None, "untrusted")),
        ),
    ),
    "end": (2, lambda c: (number(c), c.choice((None, "2028", *TIMES)))),
    "retract": (1, lambda c: (number(c),)),
    "retract end": (1, lambda c: (number(c),)),
    "alias": (1, lambda c: (c.choice(SUBJECTS), c.choice(SUBJECTS))),
    "unalias": (1, lambda c: (c.choice(SUBJECTS),)),
    "repair": (1, lambda c: ()),
    "rebuild": (1, lambda c: (c.choice((*PROJECTIONS, "vectors")),)),
    "reopen": (1, lambda c: ()),
    "embed": (1, lambda c: ()),
    "clock": (1, lambda c: (c.choice((-DAY, 40 * DAY, 400 * DAY)),)),
}


@st.composite
def lives(draw: st.DrawFn) -> list[Life]:
    """A life at random: what is drawn is where chance begins, and which steps are left out (0)."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    whole = [one_step(chance) for _ in range(MOST_STEPS)]
    kept = draw(st.lists(st.integers(0, 5), min_size=MOST_STEPS, max_size=MOST_STEPS))
    return [step for step, keep in zip(whole, kept, strict=True) if keep]


def commits(engine: Engine) -> list[int]:
    """The position of the last event of each commit."""
    return sorted({sum(event.header.commit) - 1 for event in engine.events()})


def answers(view: View) -> Iterator[Any]:
    """Everything that can be asked about what was known."""
    for valid_at in WORLD:
        yield view.facts(statuses=None, scopes=None, valid_at=valid_at)
        yield view.facts(valid_at=valid_at, scopes=["project:atlas"])
        yield view.history(valid_at=valid_at)
    for question in QUESTIONS:
        found = view.search(question, now="2026-06-02", scopes=["project:Atlas"], explain=True)
        yield [(hit.turn, hit.fact, hit.score, hit.channels, hit.explanation) for hit in found]
        context = view.context(question, now="2026-06-02", history=True)
        yield context.text, context.facts, context.evidence
    yield view.turns()
    yield view.sessions()
    yield [view.names_of(name) for name in SUBJECTS]
    yield [view.facts("rachel", scopes=None), view.facts(entity="Rachel Smith", scopes=None)]
    yield [view.explain(each.fact.position) for each in view.history()]


def bounded(examples: int, *, long: int = 200) -> settings:
    """So many examples in the everyday run, and in the long one; each is a life and its replays."""
    return settings(max_examples=long if LONG else examples)


@bounded(5)
@given(life=lives())
def test_a_view_of_any_commit_answers_as_a_replay_of_the_log_up_to_it(
    life: list[Life], living: Callable[..., Any]
) -> None:
    with living(life) as one:
        engine = one.engine
        for position in commits(engine):
            with engine.replay(position) as replay:
                for seen, folded in zip(answers(engine.at(position)), answers(replay), strict=True):
                    assert seen == folded


@bounded(8)
@given(life=lives())
def test_an_answer_at_a_commit_never_changes_whatever_happens_later(
    life: list[Life], living: Callable[..., Any]
) -> None:
    # A view's world time is now while knowledge runs ahead of a clock that was set back.
    life = [step for step in life if step != ("clock", -DAY)]
    half = len(life) // 2
    with living(life[:half]) as one:
        position, before = one.engine.head, list(answers(one.engine.at(one.engine.head)))
        for step in life[half:]:
            one.take(step)
        one.engine.wait_for_vectors()
        assert list(answers(one.engine.at(position))) == before


@bounded(8)
@given(life=lives())
def test_revisions_tile_knowledge_time_from_the_commit_of_the_fact_on(
    life: list[Life], living: Callable[..., Any]
) -> None:
    with living(life) as one:
        engine = one.engine
        known = {event.position: event.header.known for event in engine.events()}
        for each in engine.history():
            first, last = each.revisions[0], each.revisions[-1]
            assert first.known_from == known[each.fact.position]
            assert last.known_to is None
            for number, (one, following) in enumerate(pairwise(each.revisions)):
                assert (one.number, following.number) == (number, number + 1)
                assert one.known_from < following.known_from
                assert one.known_to == following.known_from
            assert all(known[one.cause] == one.known_from for one in each.revisions)


@bounded(8)
@given(life=lives())
def test_every_projection_comes_out_of_the_log_as_it_is(
    life: list[Life], living: Callable[..., Any]
) -> None:
    with living(life) as one:
        engine = one.engine
        report = engine.verify()
        assert report.ok, report
        assert [name for name in PROJECTIONS if not engine.rebuild(name).equal] == []


@bounded(8)
@given(life=lives())
def test_what_changed_between_two_commits_is_what_their_views_do_not_agree_on(
    life: list[Life], living: Callable[..., Any]
) -> None:
    def believed(view: View) -> dict[int, tuple[Any, ...]]:
        return {
            each.fact.position: (each.fact.interval, each.fact.superseded_by, each.fact.folded_into)
            for each in view.history()
            if each.fact.state == "admitted"
        }

    with living(life) as one:
        engine = one.engine
        places = commits(engine)
        for earlier, later in zip(places, places[len(places) // 2 :], strict=False):
            before, after = believed(engine.at(earlier)), believed(engine.at(later))
            differ = {p for p in before | after if before.get(p) != after.get(p)}
            assert {change.position for change in engine.diff(earlier, later)} == differ


statements = st.lists(
    st.tuples(
        st.sampled_from(("user", "USER", "Rachel")),
        st.sampled_from(VALUES),
        st.sampled_from(SCOPES[3:5]),
        st.sampled_from(TIMES),
        st.sampled_from(TIMES),
        st.sampled_from((None, None, "2025-06", "2028")),
        st.booleans(),
    ),
    max_size=9,
)


@bounded(20, long=2_000)
@given(stated=statements, seed=st.integers(0, 2**32))
def test_the_order_of_arrival_moves_no_interval(
    stated: list[tuple[Any, ...]], seed: int, line_extractor: Callable[..., Any]
) -> None:
    found = []
    shuffled = random.Random(seed).sample(stated, len(stated))
    for arrival in (stated, shuffled):
        with Engine.open(
            ":memory:", embedder=None, extractor=None, clock=count(START, SECOND).__next__
        ) as engine:
            for subject, value, scope, valid_from, said_at, valid_to, multi in arrival:
                ends = None if valid_to is not None and valid_to <= valid_from else valid_to
                engine.assert_fact(
                    subject,
                    "lives_in",
                    value,
                    scope=scope,
                    valid_from=valid_from,
                    said_at=said_at,
                    valid_to=ends,
                    multi=multi,
                )
            found.append(_intervals(engine))
    assert found[0] == found[1]


def _intervals(engine: Engine) -> list[Any]:
    """How everything stands, without a position: those say in which order it came."""
    facts = {each.fact.position: each.fact for each in engine.history(valid_at="2026-06-01")}

    def content(position: int | None) -> Any:
        if position is None:
            return None
        fact = facts[position]
        return (key_form(fact.subject), key_form(fact.object), fact.scope, fact.valid_from)

    return sorted(
        (content(f.position), f.valid_to or 0, f.status, content(f.superseded_by) or ())
        for f in facts.values()
        if f.folded_into is None
    )
