"""The power fails at any moment: what was acknowledged stays, and nothing is half-written (BC-80).

The engine as it is, with its own statements and pragmas, runs on a disk that records (`disk.py`).
Below it stands apsw and not the `sqlite3` of the standard library, which cannot be given a VFS;
both are the same C library (`apsw_driver.py`). Our own files beside the database are recorded by
the calls that make them (`own_files.py`). What a power failure leaves is then opened with the
`sqlite3` of the standard library, as after a real one.

A disk that lies about what it has synced, or that damages sectors which nobody wrote to, is not
what is promised against.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest

LosePower = Callable[..., dict[str, Any]]
BrokenPromises = Callable[[dict[str, Any]], list[str]]

GUARANTEES = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
WORKLOADS = ("found", "append", "append together", "erase", "rebuild", "attest")
# 6 x 50 power failures, of which four of each workload are the sample.
FAILURES = 50 if GUARANTEES else 4
TRIES = 50
# Mistakes, and the promise that each of them breaks first.
FAULTS = [
    ("synchronous=NORMAL", "lost: acknowledged events"),
    ("projections in a transaction of their own", "apart"),
    ("a commit between events and projections", "verify: log, log.size: is"),
    ("a disk that does not sync", "lost: acknowledged events"),
    ("a commit between projections and head", "verify: log, log.size: is"),
    ("synchronous=OFF", "lost: acknowledged events"),
]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_power_failure_loses_nothing_acknowledged_and_leaves_nothing_half(
    workload: str, lose_power: LosePower, broken_promises: BrokenPromises
) -> None:
    for seed in range(FAILURES):
        left = lose_power(workload, seed)
        assert broken_promises(left) == [], (seed, left["cut"], left["told"])


@pytest.mark.parametrize(("fault", "broken"), FAULTS if GUARANTEES else FAULTS[:4])
def test_a_mistake_in_the_write_path_is_found(
    fault: str, broken: str, lose_power: LosePower, broken_promises: BrokenPromises
) -> None:
    found = (broken_promises(lose_power("append", seed, fault)) for seed in range(TRIES))
    assert any(each.startswith(broken) for promises in found for each in promises)
