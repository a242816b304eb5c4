"""Facts: what stating, folding and reading them costs, and what they cost every question.

The facts come out of a generator (`synthetic_facts`); turns beside them are those of the search
bench. Vectors cost next to nothing here, and what they cost is taken off.
"""

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import func, select

from bench.disk import fdatasync_times
from bench.fold import folding_rates
from bench.statistics import median, milliseconds
from bench.synthetic import WordVectors, last_instant, synthetic_questions, synthetic_sessions
from bench.synthetic_facts import (
    BETWEEN_VALUES,
    FIRST,
    VALUES_PER_KEY,
    SyntheticFact,
    assert_facts,
    key_count,
    key_of,
    synthetic_facts,
)
from bench.timed_embedder import TimedEmbedder
from smriti_es import Engine, Settings
from smriti_es.events.instants import to_datetime
from smriti_es.projections.revisions import revision_table

K: Final = 12
BUDGET: Final = 9_000
# A fact has so many revisions: one when it is stated, one when another takes its place; the last of
# a key has none of those yet, and one that comes late is told its end at once.
_REVISIONS_PER_FACT: Final = 1.87
_SEED: Final = 20_260_103
_SESSIONS_PER_CALL: Final = 256
_PROBES: Final = 50
_WARM_UP: Final = 10

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FactSizes:
    """How much each part of one repetition does.

    Attributes:
        revisions: Sizes of the memories that are read, in revisions.
        reads: Reads of each kind.
        log_events: Events of the log that is folded: two parts of turns, three of facts.
        asserts: Facts stated one by one.
        chain_lengths: Lengths of the chains that one more value joins.
        joins: How many values join each.
        turns: Turns of the memory that is searched.
        facts: Facts that are then stated in it.
        questions: Questions asked before and after.
    """

    revisions: Sequence[int] = (1_000, 10_000, 100_000)
    reads: int = 300
    log_events: int = 100_000
    asserts: int = 300
    chain_lengths: Sequence[int] = (10, 100, 1_000)
    joins: int = 20
    turns: int = 10_000
    facts: int = 10_000
    questions: int = 100


FULL_SIZES: Final = FactSizes()


def measure_facts(folder: Path, sizes: FactSizes, progress: Progress) -> dict[str, Any]:
    """Measure every part once.

    Args:
        folder: On the disk that is to be measured; what is made there is deleted again.
        sizes: How much to do.
        progress: Called with the name of each part.

    Returns:
        Figures by section; durations in milliseconds, rates per second.
    """
    figures: dict[str, Any] = {"reads": {}}
    for revisions in sizes.revisions:
        progress(f"reads at {revisions:,} revisions")
        with _memory(folder) as engine:
            figures["reads"][str(revisions)] = _reads(engine, revisions, sizes.reads)
    progress("fold")
    with _memory(folder) as engine:
        figures["fold"] = _fold(engine, folder, sizes.log_events)
    progress("assert")
    with _memory(folder) as engine:
        figures["assert"] = _asserts(engine, folder, sizes.asserts)
    progress("chains")
    with _memory(folder) as engine:
        figures["chains"] = {
            str(length): _joining(engine, length, sizes.joins) for length in sizes.chain_lengths
        }
    progress("search")
    embedder = TimedEmbedder(WordVectors())
    with _memory(folder, embedder) as engine:
        figures["search"] = _searches(engine, embedder, sizes)
    return figures


def _reads(engine: Engine, revisions: int, reads: int) -> dict[str, Any]:
    """Read facts as of random points on both time axes."""
    count = round(revisions / _REVISIONS_PER_FACT)
    facts = list(synthetic_facts(count))
    stating = _seconds(assert_facts, engine, facts)
    draw = random.Random(_SEED)
    head, keys = engine.head, key_count(count)
    span = VALUES_PER_KEY * BETWEEN_VALUES
    kinds: dict[str, list[float]] = {"key": [], "key_at_time": [], "subject": [], "key_now": []}
    for _ in range(_WARM_UP + reads):
        key = key_of(draw.randrange(keys))
        then = FIRST + draw.random() * span
        position = draw.randrange(1, head + 1)
        known = to_datetime(next(engine.events(position, position + 1)).header.known)
        ask = engine.facts
        kinds["key"].append(_seconds(ask, *key, valid_at=then, known_at=position))
        kinds["key_at_time"].append(_seconds(ask, *key, valid_at=then, known_at=known))
        kinds["subject"].append(_seconds(ask, key[0], valid_at=then, known_at=position))
        kinds["key_now"].append(_seconds(ask, *key))
    return {
        "facts": count,
        "revisions": _revision_count(engine),
        "stated_in_bulk_per_s": round(count / stating, 1),
        **{f"{kind}_ms": milliseconds(times[_WARM_UP:]) for kind, times in kinds.items()},
    }


def _fold(engine: Engine, folder: Path, events: int) -> dict[str, float]:
    """Fold a log of turns and facts anew."""
    turns = events * 2 // 5
    _add_turns(engine, turns)
    # A fact makes nearly two events: itself and that it takes the place of another.
    left = events - (engine.head + 1)
    assert_facts(engine, list(synthetic_facts(round(left / _REVISIONS_PER_FACT))))
    return {
        "events": engine.head + 1,
        "turns": engine.status().turns,
        "facts": engine.status().facts,
        **folding_rates(engine, folder),
    }


def _asserts(engine: Engine, folder: Path, count: int) -> dict[str, float]:
    """State facts one by one, each durable before the next, beside the flush of the disk."""
    facts = synthetic_facts(_WARM_UP + count)
    flushes = fdatasync_times(folder, _PROBES)
    times = [_seconds(_state_fact, engine, fact) for fact in facts]
    flushes += fdatasync_times(folder, _PROBES)
    found = milliseconds(times[_WARM_UP:])
    flush = 1e3 * median(flushes)
    return {
        "p50_ms": found["p50"],
        "p95_ms": found["p95"],
        "fdatasync_p50_ms": round(flush, 3),
        "over_fdatasync": round(found["p50"] / flush, 2),
    }


def _joining(engine: Engine, length: int, joins: int) -> dict[str, Any]:
    """Let one more value join a chain, at its end and in its middle."""
    subject = f"Chain {length}"
    begin = datetime(2000, 1, 1, tzinfo=UTC)
    for number in range(length):
        _state(engine, subject, number, begin + timedelta(days=number))
    at_end, in_middle = [], []
    for number in range(joins):
        end = begin + timedelta(days=length + number)
        middle = begin + timedelta(days=length // 2, minutes=number + 1)
        at_end.append(_seconds(_state, engine, subject, length + number, end))
        in_middle.append(_seconds(_state, engine, subject, -1 - number, middle))
    return {"at_end_ms": milliseconds(at_end), "in_middle_ms": milliseconds(in_middle)}


def _searches(engine: Engine, embedder: TimedEmbedder, sizes: FactSizes) -> dict[str, Any]:
    """Ask a memory of turns, state facts in it, and ask it again."""
    _add_turns(engine, sizes.turns)
    engine.wait_for_vectors()
    questions = synthetic_questions(_WARM_UP + sizes.questions, sizes.turns)
    now = last_instant(sizes.turns)
    figures: dict[str, Any] = {"turns": sizes.turns, "facts": sizes.facts}
    figures["without_facts"] = _asked(engine, embedder, questions, now)
    facts = list(synthetic_facts(sizes.facts))
    assert_facts(engine, facts)
    engine.wait_for_vectors()
    figures["with_facts"] = _asked(engine, embedder, questions, now)
    # A fact that was just stated must be seen by the next question, whatever is kept in memory.
    after: list[float] = []
    for number, question in enumerate(questions[: max(3, sizes.questions // 10)]):
        _state(engine, "Newcomer", number, now)
        engine.wait_for_vectors()
        with embedder.timing_the_rest(after):
            engine.search(question, k=K, now=now)
    figures["search_after_a_new_fact_ms"] = milliseconds(after)
    return figures


def _asked(
    engine: Engine, embedder: TimedEmbedder, questions: Sequence[str], now: datetime
) -> dict[str, Any]:
    searches: list[float] = []
    contexts: list[float] = []
    for question in questions:
        with embedder.timing_the_rest(searches):
            engine.search(question, k=K, now=now)
        with embedder.timing_the_rest(contexts):
            engine.context(question, budget=BUDGET, now=now)
    return {
        "search_ms": milliseconds(searches[_WARM_UP:]),
        "context_ms": milliseconds(contexts[_WARM_UP:]),
    }


@contextmanager
def _memory(folder: Path, embedder: TimedEmbedder | None = None) -> Iterator[Engine]:
    settings = Settings(embed_in_background=False)
    with (
        tempfile.TemporaryDirectory(prefix="bench-facts-", dir=folder) as made,
        Engine.open(
            Path(made, "memory.db"), embedder=embedder, extractor=None, settings=settings
        ) as engine,
    ):
        yield engine


def _add_turns(engine: Engine, turns: int) -> None:
    sessions = [session.as_input() for session in synthetic_sessions(turns)]
    for start in range(0, len(sessions), _SESSIONS_PER_CALL):
        engine.add_many(sessions[start : start + _SESSIONS_PER_CALL])


def _state_fact(engine: Engine, fact: SyntheticFact) -> None:
    engine.assert_fact(
        fact.subject,
        fact.predicate,
        fact.object,
        valid_from=fact.valid_from,
        said_at=fact.said_at,
    )


def _state(engine: Engine, subject: str, number: int, when: datetime) -> None:
    _state_fact(engine, SyntheticFact(subject, "lives_in", f"Place {number}", when, when))


def _revision_count(engine: Engine) -> int:
    opened = engine._opened
    with opened.database.read() as connection:
        generation = opened.projector.serving(connection)["revisions"].number
        table = revision_table(generation)
        count = select(func.count()).select_from(table)
        return int(connection.execute(count).scalar_one())


def _seconds(work: Callable[..., object], *given: Any, **named: Any) -> float:
    started = time.perf_counter()
    work(*given, **named)
    return time.perf_counter() - started
