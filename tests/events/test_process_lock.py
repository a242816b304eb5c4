"""One process at a time, and whoever dies has given it back."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import smriti_es
from smriti_es.events.process_lock import ProcessLock

PATIENCE_S = 30
# Takes the lock named by the first argument, says so, and keeps it until told to go on.
HOLD = """
import sys
from pathlib import Path
from smriti_es.events.process_lock import ProcessLock
lock = ProcessLock(Path(sys.argv[1]))
print(lock.acquire(0), flush=True)
sys.stdin.readline()
lock.release()
print("released", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[ProcessLock]:
    """A lock that nobody has."""
    made = ProcessLock(tmp_path / "lock")
    yield made
    made.close()


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        env={**os.environ, "PYTHONPATH": str(Path(smriti_es.__file__).parents[1])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert heard(process) == "True"
        yield process
        if process.poll() is None:
            process.kill()


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def test_a_lock_that_another_process_has_is_not_won(lock: ProcessLock) -> None:
    with holder(lock.path) as process:
        assert not lock.acquire(0)
        assert not lock.acquire(0.01)
        tell(process)
        assert heard(process) == "released"
        assert lock.acquire(0)


def test_a_lock_is_waited_for_as_long_as_one_is_told_to(lock: ProcessLock) -> None:
    with holder(lock.path) as process:
        tell(process)
        assert lock.acquire(PATIENCE_S)


def test_a_lock_whose_holder_was_killed_is_free(lock: ProcessLock) -> None:
    with holder(lock.path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
        assert lock.acquire(0)


def test_two_locks_on_one_file_exclude_each_other_within_a_process_too(lock: ProcessLock) -> None:
    other = ProcessLock(lock.path)
    assert lock.acquire(0)
    assert not other.acquire(0)
    lock.release()
    assert other.acquire(0)
    assert not lock.acquire(0)
    other.close()
    assert lock.acquire(0)


def test_a_lock_taken_twice_is_given_back_by_the_second_release(lock: ProcessLock) -> None:
    other = ProcessLock(lock.path)
    assert lock.acquire(0)
    assert lock.acquire(0)
    lock.release()
    assert not other.acquire(0)
    lock.release()
    assert other.acquire(0)
    other.close()


def test_a_closed_lock_can_be_taken_again(lock: ProcessLock) -> None:
    assert lock.acquire(0)
    lock.close()
    lock.close()
    assert lock.acquire(0)


def test_the_lock_file_is_for_its_owner_alone(lock: ProcessLock) -> None:
    before = os.umask(0)
    try:
        lock.acquire(0)
    finally:
        os.umask(before)
    assert stat.S_IMODE(lock.path.stat().st_mode) == 0o600


def test_a_lock_file_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        ProcessLock(tmp_path / "missing" / "lock").acquire(0)
