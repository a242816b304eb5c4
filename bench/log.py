"""The log: what appending, importing, reading, verifying and rebuilding cost on this disk.

Each figure stands beside what raw `sqlite3` does with the same turns in the same repetition, where
it fits beside what the `eventsourcing` library does, and beside the disk's own flush, because all
of them move with the machine and the ratios do not.
"""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from bench.disk import fdatasync_times
from bench.eventsourcing_log import EventsourcingLog
from bench.raw_sqlite import RawLog
from bench.statistics import median, milliseconds
from bench.synthetic import SyntheticSession, SyntheticTurn, synthetic_sessions
from smriti_es import Engine
from smriti_es.clock import system_clock
from smriti_es.events.catalogue import SessionStarted, TurnRecorded
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.registry import Founding, open_log
from smriti_es.events.verified_reading import read_verified
from smriti_es.migrate import migrate

# Flushes, adds and raw appends take turns in rounds, for the disk's mood changes by the second.
_ROUNDS: Final = 6
ACTOR: Final = Actor("owner", "bench")
_PROBES: Final = 50

T = TypeVar("T")
Figures = dict[str, dict[str, float]]
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LogSizes:
    """How much each part of one repetition does.

    Attributes:
        commits: How many commits, by events per commit.
        adds: Single adds, of one thread.
        threads: Threads that add at once.
        adds_per_thread: Single adds of each.
        bulk_turns: Turns of the import, which are then read, verified and rebuilt from.
    """

    commits: Mapping[int, int]
    adds: int = 600
    threads: int = 16
    adds_per_thread: int = 30
    bulk_turns: int = 20_000


FULL_SIZES: Final = LogSizes({1: 600, 10: 300, 100: 100, 1_000: 20})


def measure_log(folder: Path, sizes: LogSizes, progress: Progress) -> Figures:
    """Measure everything once, in databases of its own.

    Args:
        folder: Where to make them; on the disk that is to be measured.
        sizes: How much to do.
        progress: Called with the name of each part.

    Returns:
        Figures by section. Rates are per second, durations in milliseconds; `raw_` marks the
        baseline, `ratio` is ours over the baseline's rate; `peer_` marks `eventsourcing`, and
        `over_peer` is ours over its rate.
    """
    figures: Figures = {}
    with tempfile.TemporaryDirectory(prefix="bench-log-", dir=folder) as made:
        place = Path(made)
        for per_commit, commits in sizes.commits.items():
            progress(f"append {per_commit}")
            figures[f"append_{per_commit}"] = _appends(place, per_commit, commits)
        for per_commit, commits in sizes.commits.items():
            progress(f"append {per_commit}, not durable")
            figures[f"append_{per_commit}_normal"] = _appends_normal(place, per_commit, commits)
        progress("replay")
        figures["replay"] = _replays(place, sizes.bulk_turns)
        progress("add")
        figures["add"] = _single_adds(place, sizes.adds)
        progress("threads")
        figures["threads"] = _waiting_threads(place, sizes)
        figures.update(_bulk(place, sizes.bulk_turns, progress))
    return figures


def _appends(folder: Path, per_commit: int, commits: int) -> dict[str, float]:
    """Append prepared events to a log without projections, and the same to the baseline."""
    batches, turns = list(_batches(per_commit, commits)), per_commit * commits
    ours: list[float] = []
    raw: list[float] = []
    theirs: list[float] = []
    baseline = RawLog(folder / f"raw-{per_commit}.db")
    peer = EventsourcingLog(folder / f"peer-{per_commit}.db")
    with bare_log(folder / f"log-{per_commit}.db") as log:
        session = log.append([NewEvent(SessionStarted(session="s", space="main"))], actor=ACTOR)
        for start in range(0, commits, -(-commits // _ROUNDS)):
            part = batches[start : start + -(-commits // _ROUNDS)]
            events = [[recorded(turn, session.first) for turn in batch] for batch in part]
            ours += _times(lambda batch: log.append(batch, actor=ACTOR), events)
            rows = [[_row(turn) for turn in batch] for batch in part]
            raw += _times(baseline.append, rows)
            theirs += _times(peer.append, rows)
    baseline.close()
    peer.close()
    figures = {f"{name}_ms": value for name, value in milliseconds(ours).items()}
    figures["raw_p50_ms"] = milliseconds(raw)["p50"]
    figures["peer_p50_ms"] = milliseconds(theirs)["p50"]
    beside = _beside(turns, sum(ours), sum(raw))
    return {**figures, **beside, **_beside_peer(turns, sum(ours), turns, sum(theirs))}


def _appends_normal(folder: Path, per_commit: int, commits: int) -> dict[str, float]:
    """Append with `synchronous=NORMAL`, which the product never uses: a power cut loses events."""
    batches = list(_batches(per_commit, commits))
    baseline = RawLog(folder / f"raw-normal-{per_commit}.db", synchronous="NORMAL")
    raw = _times(baseline.append, [[_row(turn) for turn in batch] for batch in batches])
    baseline.close()
    with bare_log(folder / f"log-normal-{per_commit}.db") as log:
        session = log.append([NewEvent(SessionStarted(session="s", space="main"))], actor=ACTOR)
        with log.database.write() as connection:
            driver: Any = connection.connection.driver_connection
        driver.execute("PRAGMA synchronous=NORMAL")
        events = [[recorded(turn, session.first) for turn in batch] for batch in batches]
        ours = _times(lambda batch: log.append(batch, actor=ACTOR), events)
    return _beside(per_commit * commits, sum(ours), sum(raw))


def _batches(per_commit: int, commits: int) -> Iterator[list[SyntheticTurn]]:
    turns = synthetic_turns(per_commit * commits)
    return (list(islice(turns, per_commit)) for _ in range(commits))


def _replays(folder: Path, turns: int) -> dict[str, float]:
    """Read a log back with every check, and the peer's without any."""
    rows = [_row(turn) for turn in synthetic_turns(turns)]
    batches = [rows[start : start + 1_000] for start in range(0, turns, 1_000)]
    peer = EventsourcingLog(folder / "peer-replay.db")
    for batch in batches:
        peer.append(batch)
    with bare_log(folder / "log-replay.db") as log:
        first = log.append([NewEvent(SessionStarted(session="s", space="main"))], actor=ACTOR)
        events = [recorded(turn, first.first) for turn in synthetic_turns(turns)]
        for start in range(0, turns, 1_000):
            log.append(events[start : start + 1_000], actor=ACTOR)
        seconds = _seconds(lambda: _replayed(log, turns))
    theirs = _seconds(lambda: _assert_ok(len(peer.fold()) == turns))
    peer.close()
    figures = {"events_per_s": round(turns / seconds, 1)}
    return figures | _beside_peer(turns, seconds, turns, theirs)


def _replayed(log: EventLog, turns: int) -> None:
    """Read every turn back, with every hash, link and commitment recomputed on the way."""
    _assert_ok(len([event.event for event in read_verified(log)]) == turns + 2)


def _beside_peer(events: int, seconds: float, peer_events: int, peer_s: float) -> dict[str, float]:
    ours, theirs = events / seconds, peer_events / peer_s
    return {"peer_events_per_s": round(theirs, 1), "over_peer": round(ours / theirs, 3)}


def _single_adds(folder: Path, adds: int) -> dict[str, float]:
    """Add one turn at a time with every inline projection, beside a flush and the baseline."""
    calls = [(s.name, turn) for s in synthetic_sessions(adds) for turn in s.turns]
    ours: list[float] = []
    raw: list[float] = []
    flushes: list[float] = []
    baseline = RawLog(folder / "raw-add.db")
    with Engine.open(folder / "add.db", embedder=None) as engine:
        engine.add("the first call prepares the statements", session="warm")
        for start in range(0, adds, -(-adds // _ROUNDS)):
            part = calls[start : start + -(-adds // _ROUNDS)]
            flushes += fdatasync_times(folder, _PROBES)
            ours += _times(lambda call: _add(engine, *call), part)
            raw += _times(lambda call: baseline.append([_row(call[1])]), part)
    baseline.close()
    flush = 1e3 * median(flushes)
    p50 = 1e3 * median(ours)
    return {
        **{f"{name}_ms": value for name, value in milliseconds(ours).items()},
        "raw_p50_ms": milliseconds(raw)["p50"],
        "fdatasync_p50_ms": round(flush, 3),
        "fdatasync_p95_ms": milliseconds(flushes)["p95"],
        "over_fdatasync": round(p50 / flush, 2),
        "over_raw": round(p50 / (1e3 * median(raw)), 2),
        "limit_ms": round(max(2.5 * flush, 1.5), 3),
    }


def _waiting_threads(folder: Path, sizes: LogSizes) -> dict[str, float]:
    """Let threads add to sessions of their own, each waiting for its turn to be durable."""
    texts = [turn for s in synthetic_sessions(sizes.adds_per_thread) for turn in s.turns]
    door = threading.Barrier(sizes.threads + 1)
    times: list[float] = []

    with Engine.open(folder / "threads.db", embedder=None) as engine:

        def work(number: int) -> None:
            door.wait()
            times.extend(_times(lambda turn: _add(engine, f"thread-{number}", turn), texts))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(sizes.threads)]
        for thread in threads:
            thread.start()
        door.wait()
        started = time.perf_counter()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - started
        stored = engine.status().turns
    expected = sizes.threads * len(texts)
    if stored != expected:
        raise RuntimeError(f"{stored} turns are stored, {expected} were added")
    summary = milliseconds(times)
    return {
        "turns_per_s": round(expected / seconds, 1),
        "p50_ms": summary["p50"],
        "p95_ms": summary["p95"],
    }


def _bulk(folder: Path, turns: int, progress: Progress) -> Figures:
    """Import without and with the pattern extractor; read, verify and rebuild the second."""
    sessions = list(synthetic_sessions(turns))
    figures: Figures = {}
    baseline = RawLog(folder / "raw-bulk.db")
    inputs = [session.as_input() for session in sessions]
    with Engine.open(folder / "bare.db", embedder=None, extractor=None) as engine:
        progress("import")
        ours = _seconds(lambda: engine.add_many(inputs))
        raw = _seconds(lambda: _import_raw(baseline, sessions))
        figures["import"] = _beside(turns, ours, raw)
    with Engine.open(folder / "bulk.db", embedder=None) as engine:
        progress("import, looking for facts")
        ours = _seconds(lambda: engine.add_many(inputs))
        figures["import_looking_for_facts"] = _beside(turns, ours, raw)
        events = engine.head + 1
        progress("read")
        ours = _seconds(lambda: {event.position: event for event in engine.events()})
        figures["read_and_fold"] = _beside(events, ours, _seconds(baseline.fold), raw_events=turns)
        progress("verify")
        ours = _seconds(lambda: _assert_ok(engine.verify(projections=False).ok))
        raw = _seconds(lambda: _assert_ok(baseline.verify()))
        figures["verify"] = _beside(events, ours, raw, raw_events=turns)
        figures["rebuild"] = {}
        for name in ("turns", "lexical"):
            progress(f"rebuild {name}")
            report = engine.rebuild(name)
            _assert_ok(report.equal)
            figures["rebuild"][f"{name}_events_per_s"] = round(report.events / report.seconds, 1)
    baseline.close()
    return figures


def _import_raw(baseline: RawLog, sessions: Sequence[SyntheticSession]) -> None:
    """Import with as few flushes as the engine: 64 sessions in one transaction."""
    for start in range(0, len(sessions), 64):
        part = sessions[start : start + 64]
        baseline.append([_row(turn) for session in part for turn in session.turns])


def _beside(
    events: int, seconds: float, raw_seconds: float, *, raw_events: int | None = None
) -> dict[str, float]:
    """Put a rate beside the baseline's."""
    ours = events / seconds
    raw = (events if raw_events is None else raw_events) / raw_seconds
    return {
        "events_per_s": round(ours, 1),
        "raw_events_per_s": round(raw, 1),
        "ratio": round(ours / raw, 3),
    }


@contextmanager
def bare_log(path: Path) -> Iterator[EventLog]:
    """Open a log without any projection."""
    database = SqliteDatabase(path)
    try:
        migrate(database)
        yield open_log(database, "default", clock=system_clock, founding=Founding("UTC", "bench"))
    finally:
        database.close()


def synthetic_turns(count: int) -> Iterator[SyntheticTurn]:
    """Give turns of generated sessions, one after the other."""
    for session in synthetic_sessions(count):
        yield from session.turns


def recorded(turn: SyntheticTurn, session: int) -> NewEvent:
    """Give a turn as an event of a session, to be appended."""
    event = TurnRecorded(
        session=session,
        ordinal=0,
        origin="owner",
        role=turn.role,
        text=turn.text,
        said_at=int(turn.at.timestamp() * 1_000_000),
    )
    return NewEvent(event, (session,))


def _row(turn: SyntheticTurn) -> dict[str, Any]:
    return {
        "type": "TurnRecorded",
        "session": 1,
        "ordinal": 0,
        "origin": "owner",
        "role": turn.role,
        "text": turn.text,
        "said_at": int(turn.at.timestamp() * 1_000_000),
    }


def _add(engine: Engine, session: str, turn: SyntheticTurn) -> None:
    engine.add({"role": turn.role, "content": turn.text, "timestamp": turn.at}, session=session)


def _times(work: Callable[[T], object], inputs: Sequence[T]) -> list[float]:
    """Time each call, in seconds."""
    times = []
    for given in inputs:
        started = time.perf_counter()
        work(given)
        times.append(time.perf_counter() - started)
    return times


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _assert_ok(ok: bool) -> None:  # noqa: FBT001  the answer of a check, nothing else
    """Refuse figures of a memory that is not what it should be."""
    if not ok:
        raise RuntimeError("a verification failed while it was being timed")
