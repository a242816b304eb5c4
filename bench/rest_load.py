"""REST under load: many clients at once, reading and writing, on two servers over one file."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from bench.statistics import milliseconds
from bench.synthetic import SEED
from smriti_es.embedders import HashEmbedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import TurnRecorded
from smriti_es.recording import SessionInput

SERVERS: Final = 2
READS: Final = 0.8
START_TIMEOUT_S: Final = 60.0
ANSWER_TIMEOUT_S: Final = 60.0
_ADDRESS: Final = re.compile(r"serving REST at (\S+)")
_THINGS: Final = ("kiln", "harbour", "orchard", "violin", "glacier", "lantern", "quarry", "saffron")
_READS: Final = ("search", "search", "search", "context", "facts", "turns")


@dataclass(slots=True)
class Client:
    """What one client did.

    Attributes:
        seconds: Kind of request -> how long each took.
        statuses: How often each status came back.
        written: What was acknowledged: words that occur in no other turn.
        failed: Requests without an answer, by the kind of failure.
    """

    seconds: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    written: list[str] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)


def measure_rest(folder: Path, *, clients: int, seconds: float, turns: int) -> dict[str, Any]:
    """Fill a memory, serve it by two processes, and load both.

    Args:
        folder: Where to make the memory.
        clients: How many at once; they take turns in choosing a server.
        seconds: For how long.
        turns: How many turns are there before.

    Returns:
        Requests a second, latencies, statuses, and how many acknowledged writes are not there.
    """
    place = folder / "memory.db"
    _fill(place, turns)
    with ExitStack() as stack:
        addresses = [stack.enter_context(_served(place, folder)) for _ in range(SERVERS)]
        done, took = _load(addresses, clients, seconds)
    return _figures(done, took) | _found_again(place, done)


def _fill(place: Path, turns: int) -> None:
    chosen = random.Random(SEED)
    with Engine.open(place, embedder=HashEmbedder()) as engine:
        sessions = [
            SessionInput(session=f"before {number}", messages=[_sentence(chosen, str(number))])
            for number in range(turns)
        ]
        engine.add_many(sessions)
        engine.assert_fact("user", "lives_in", "Pune")
        engine.wait_for_vectors()


def _sentence(chosen: random.Random, mark: str) -> str:
    first, second = chosen.sample(_THINGS, 2)
    return f"The {first} lies behind the {second}, which is number {mark}."


@contextmanager
def _served(place: Path, folder: Path) -> Iterator[str]:
    """Run a server as anybody would; gives its address."""
    told = folder / f"server-{time.perf_counter_ns()}.log"
    command = [sys.executable, "-m", "smriti_es", "serve", "rest", "--port", "0"]
    with told.open("wb") as log:
        server = subprocess.Popen(
            [*command, "--db", str(place), "--embedder", "hash"],
            stderr=log,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200"},
        )
    try:
        yield _address(server, told)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(START_TIMEOUT_S)


def _address(server: "subprocess.Popen[bytes]", told: Path) -> str:
    until = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < until and server.poll() is None:
        if found := _ADDRESS.search(told.read_text("utf-8")):
            return found[1]
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start: {told.read_text('utf-8')}")


def _load(addresses: Sequence[str], clients: int, seconds: float) -> tuple[list[Client], float]:
    done = [Client() for _ in range(clients)]
    began = time.perf_counter()
    threads = [
        threading.Thread(
            target=_run, args=(client, addresses[number % len(addresses)], number, seconds)
        )
        for number, client in enumerate(done)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done, time.perf_counter() - began


def _run(client: Client, address: str, number: int, seconds: float) -> None:
    chosen = random.Random(SEED + number)
    until = time.perf_counter() + seconds
    with httpx.Client(base_url=address, trust_env=False, timeout=ANSWER_TIMEOUT_S) as http:
        while time.perf_counter() < until:
            kind = chosen.choice(_READS) if chosen.random() < READS else "write"
            mark = f"c{number}n{len(client.written)}"
            began = time.perf_counter()
            try:
                answer = _request(http, kind, chosen, mark)
            except httpx.HTTPError as error:
                client.failed[type(error).__name__] += 1
                continue
            client.seconds.setdefault(kind, []).append(time.perf_counter() - began)
            client.statuses[answer.status_code] += 1
            if kind == "write" and answer.is_success:
                client.written.append(mark)


def _request(http: httpx.Client, kind: str, chosen: random.Random, mark: str) -> httpx.Response:
    thing = chosen.choice(_THINGS)
    if kind == "write":
        said = {"session": f"load {mark}", "messages": [_sentence(chosen, mark)]}
        return http.post("/v1/turns", json=said)
    if kind in ("search", "context"):
        return http.post(f"/v1/{kind}", json={"question": f"Where is the {thing}?"})
    return http.get(f"/v1/{kind}", params={"limit": 20})


def _figures(done: Sequence[Client], took: float) -> dict[str, Any]:
    seconds: dict[str, list[float]] = {}
    for client in done:
        for kind, spent in client.seconds.items():
            seconds.setdefault(kind, []).extend(spent)
    statuses = sum((client.statuses for client in done), Counter[int]())
    failed = sum((client.failed for client in done), Counter[str]())
    every = [each for spent in seconds.values() for each in spent]
    return {
        "seconds": round(took, 1),
        "requests": len(every),
        "requests_per_second": round(len(every) / took, 1),
        "all_ms": milliseconds(every),
        "ms": {kind: milliseconds(spent) for kind, spent in sorted(seconds.items())},
        "statuses": {str(status): count for status, count in sorted(statuses.items())},
        "server_errors": sum(count for status, count in statuses.items() if status >= 500),
        "without_answer": dict(failed),
    }


def _found_again(place: Path, done: Sequence[Client]) -> dict[str, Any]:
    """Look for every acknowledged write, and verify the log."""
    written = {mark for client in done for mark in client.written}
    with Engine.open(place, embedder=None) as engine:
        counted = Counter(
            event.event.text.rpartition(" ")[2].rstrip(".")
            for event in engine.events()
            if isinstance(event.event, TurnRecorded)
        )
        verified = engine.verify(projections=False).ok
    return {
        "writes_acknowledged": len(written),
        "writes_lost": sum(counted[mark] == 0 for mark in written),
        "writes_doubled": sum(counted[mark] > 1 for mark in written),
        "verified": verified,
    }
