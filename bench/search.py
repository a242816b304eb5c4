"""Search at size: what it costs to fill, open, ask and rebuild a memory of many turns.

Each of these runs in a process of its own, so that the peak of memory is its alone.
Vectors cost next to nothing here (`WordVectors`), and what they cost is taken off.
"""

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, TypeVar

from bench.disk_use import bytes_by_table
from bench.statistics import milliseconds
from bench.synthetic import (
    TURNS_PER_SESSION,
    WordVectors,
    last_instant,
    synthetic_questions,
    synthetic_session,
    synthetic_sessions,
)
from bench.timed_embedder import TimedEmbedder
from smriti_es import Engine, Settings
from smriti_es.doctor import graph_report

K: Final = 20
BUDGET: Final = 9_000
WARM_UP: Final = 20
QUESTIONS: Final = 200
_SESSIONS_PER_CALL: Final = 256
_NO_GRAPH: Final = 10**9
_MEMORY: Final = "memory.db"

T = TypeVar("T")


def measure_search(folder: Path, turns: int, *, tokens: bool = True) -> dict[str, Any]:
    """Fill a memory, ask it, then rebuild all but its vectors, each in a fresh process.

    Args:
        folder: An empty folder for it.
        turns: How many turns it gets.
        tokens: Whether its embedder gives token vectors, too.

    Returns:
        Rates per second, durations in milliseconds, memory in MiB, bytes per turn by table.
    """
    filled = _apart(fill, folder, turns, tokens)
    asked = _apart(ask, folder, turns, tokens)
    tables = bytes_by_table(folder / _MEMORY)
    beside = sum(
        path.stat().st_size
        for path in folder.iterdir()
        if path.is_file() and path.suffix == ".hnsw"
    )
    rebuilt = _apart(rebuild, folder, turns, tokens)
    return {
        "turns": turns,
        **filled,
        **asked,
        **rebuilt,
        "bytes_per_turn": round((sum(tables.values()) + beside) / turns, 1),
        "bytes_per_turn_by_table": {
            **{name: round(size / turns, 1) for name, size in sorted(tables.items()) if size},
            "graph_file": round(beside / turns, 1),
        },
    }


def fill(folder: Path, turns: int, tokens: bool) -> dict[str, Any]:  # noqa: FBT001  pickled
    """Import turns and make their vectors; then the graph, where there are vectors enough."""
    embedder = TimedEmbedder(WordVectors(tokens=tokens))
    recording: list[float] = []
    embedding: list[float] = []
    closing: list[float] = []
    graph: list[float] = []
    engine = _open(folder, embedder, graph_threshold=_NO_GRAPH)
    sessions = synthetic_sessions(turns)
    while part := [next(sessions, None) for _ in range(_SESSIONS_PER_CALL)]:
        inputs = [session.as_input() for session in part if session is not None]
        if not inputs:
            break
        with embedder.timing_the_rest(recording):
            engine.add_many(inputs)
    with embedder.timing_the_rest(embedding):
        engine.wait_for_vectors()
    with embedder.timing_the_rest(closing):
        engine.close()
    with _open(folder, embedder) as engine, embedder.timing_the_rest(graph):
        engine.wait_for_vectors()
    total = sum(recording) + sum(embedding) + sum(closing)
    return {
        "fill_turns_per_s": round(turns / total, 1),
        "record_turns_per_s": round(turns / sum(recording), 1),
        "vector_turns_per_s": round(turns / sum(embedding), 1),
        "graph_s": round(sum(graph), 1),
        "fill_peak_mib": _peak_mib(),
    }


def ask(folder: Path, turns: int, tokens: bool) -> dict[str, Any]:  # noqa: FBT001  pickled
    """Open a filled memory and ask it questions that it has not been asked before.

    Each is searched for and then asked for as a context, which shares the ranking; others are asked
    for as a context alone, or within one session in a hundred.
    """
    embedder = TimedEmbedder(WordVectors(tokens=tokens))
    alone = QUESTIONS // 4
    questions = synthetic_questions(1 + WARM_UP + QUESTIONS + 2 * alone, turns)
    asked, rest = questions[1 + WARM_UP :][:QUESTIONS], questions[1 + WARM_UP + QUESTIONS :]
    now = last_instant(turns)
    opening: list[float] = []
    first: list[float] = []
    searches: list[float] = []
    contexts: list[float] = []
    lone: list[float] = []
    filtered: list[float] = []
    with embedder.timing_the_rest(opening):
        engine = _open(folder, embedder)
    with engine:
        with embedder.timing_the_rest(first):
            found = engine.search(questions[0], k=K, now=now)
        if found.degraded or found.pending:
            raise RuntimeError(f"degraded: {found.degraded}, {found.pending} without a vector")
        for question in questions[1 : 1 + WARM_UP]:
            engine.search(question, k=K, now=now)
            engine.context(question, budget=BUDGET, now=now)
        for question in asked:
            with embedder.timing_the_rest(searches):
                engine.search(question, k=K, now=now)
            with embedder.timing_the_rest(contexts):
                engine.context(question, budget=BUDGET, now=now)
        for question in rest[:alone]:
            with embedder.timing_the_rest(lone):
                engine.context(question, budget=BUDGET, now=now)
        some = _some_sessions(turns)
        for question in rest[alone:]:
            with embedder.timing_the_rest(filtered):
                engine.search(question, k=K, now=now, sessions=some)
        graph = graph_report(engine._opened)
        assert graph is not None, "vectors are served"
    return {
        "open_ms": round(1e3 * opening[0], 1),
        "first_search_ms": round(1e3 * first[0], 1),
        "search_ms": milliseconds(searches),
        "context_ms": milliseconds(contexts),
        "search_and_context_ms": milliseconds(map(sum, zip(searches, contexts, strict=True))),
        "context_alone_ms": milliseconds(lone),
        "filtered_search_ms": milliseconds(filtered),
        "graph": {name: value for name, value in asdict(graph).items() if value is not None},
        "ask_peak_mib": _peak_mib(),
    }


def rebuild(folder: Path, turns: int, tokens: bool) -> dict[str, Any]:  # noqa: FBT001  pickled
    """Rebuild everything but the vectors in one pass; the whole, and the folding of it alone."""
    del turns, tokens
    at: dict[str, float] = {}
    settings = Settings(embed_in_background=False)
    with Engine.open(folder / _MEMORY, embedder=None, extractor=None, settings=settings) as engine:
        names = [each.name for each in engine.status().projections if each.name != "vectors"]
        started = time.perf_counter()

        def note(phase: str, _done: int, _total: int) -> None:
            at.setdefault(phase, time.perf_counter() - started)

        reports = engine.rebuild_all(names, progress=note)
        events = engine.head + 1
    if differing := [each.projection for each in reports if not each.equal]:
        raise RuntimeError(f"rebuilt otherwise: {', '.join(differing)}")
    return {
        "rebuild_events_per_s": round(events / at["done"], 1),
        "rebuild_fold_events_per_s": round(events / at["compare"], 1),
        "rebuild_peak_mib": _peak_mib(),
    }


def _some_sessions(turns: int) -> list[str]:
    """Name one session in a hundred, at least one."""
    sessions = -(-turns // TURNS_PER_SESSION)
    return [synthetic_session(number).name for number in range(0, sessions, 100)]


def _open(folder: Path, embedder: TimedEmbedder, **settings_: Any) -> Engine:
    settings = Settings(embed_in_background=False, **settings_)
    return Engine.open(folder / _MEMORY, embedder=embedder, settings=settings)


def _apart(work: Callable[[Path, int, bool], T], folder: Path, turns: int, tokens: bool) -> T:  # noqa: FBT001
    """Run in a fresh interpreter: no cache and no memory of this one."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, folder, turns, tokens).result()


def _peak_mib() -> float:
    """Read the most memory that this process has had, in MiB; 0 where the system does not tell.

    Not `ru_maxrss`, which a new process inherits from the one that started it.
    """
    try:
        lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
    except OSError:
        return 0.0
    peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return round(peaks[0] / 1024, 1) if peaks else 0.0
