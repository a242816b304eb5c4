"""A server of PostgreSQL that is stopped and started while memories are open on it."""

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import StorageError
from smriti_es.settings import Settings
from tests.postgres_places import NAMED, connect, run_as_server, server_programs

pytestmark = pytest.mark.skipif(NAMED in os.environ, reason="a server of its own is stopped")
QUIET = Settings(embed_in_background=False, extract_in_background=False)


class Server:
    """A server of the test's own, with durable commits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = server_programs()
        self.data = folder / "data"
        for each in (self.data, folder / "socket"):
            each.mkdir(mode=0o700)
            if os.geteuid() == 0:
                shutil.chown(each, "nobody")
        (folder / "socket").chmod(0o755)
        options = ("-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C")
        assert run_as_server(self.programs / "initdb", "-D", self.data, *options).wait() == 0
        self.running: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://test@/postgres?host={self.folder / 'socket'}"

    def start(self) -> None:
        given = ("-k", self.folder / "socket", "--listen_addresses=", "--shared_buffers=16MB")
        self.running = run_as_server(self.programs / "postgres", "-D", self.data, *given)
        for _ in range(400):
            try:
                connect(self.url).close()
            except OSError:
                raise
            except Exception:  # noqa: BLE001  whatever it says until it is up
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the server did not start")

    def stop(self, signal: int) -> None:
        assert self.running is not None
        self.running.send_signal(signal)
        self.running.wait()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that runs; it is stopped in the end."""
    folder = Path(tempfile.mkdtemp(prefix="smriti-es-restart-"))
    folder.chmod(0o755)
    made = Server(folder)
    made.start()
    yield made
    made.stop(3)  # SIGQUIT: at once
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def opened(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Callable[[], Engine]]:
    """Open the memory of a tenant of the test's own."""
    monkeypatch.setenv("SMRITI_ES_STATE", str(tmp_path))
    made: list[Engine] = []

    def run() -> Engine:
        tenant = str(abs(hash(request.node.name)))
        made.append(
            Engine.open(server.url, tenant=tenant, embedder=None, extractor=None, settings=QUIET)
        )
        return made[-1]

    yield run
    for each in made:
        each.close()


@pytest.mark.parametrize("signal", [2, 3], ids=["orderly", "at once, as a crash"])
def test_an_open_memory_goes_on_when_the_server_is_back(
    signal: int, server: Server, opened: Callable[[], Engine]
) -> None:
    memory = opened()
    memory.add("Before the restart.", session="s1")
    server.stop(signal)
    server.start()
    assert [turn.text for turn in memory.turns()] == ["Before the restart."]
    memory.add("After it.", session="s1")
    assert [turn.text for turn in memory.turns()] == ["Before the restart.", "After it."]
    assert memory.verify().ok


def test_what_was_acknowledged_before_a_crash_is_there_once_and_what_failed_is_not(
    server: Server, opened: Callable[[], Engine]
) -> None:
    memory = opened()
    acknowledged: list[str] = []
    failed: list[str] = []
    enough = threading.Event()

    def write() -> None:
        for number in range(2_000):
            if enough.is_set():
                return
            text = f"Remark number {number}."
            try:
                memory.add(text, session="s1")
                acknowledged.append(text)
            except StorageError:
                failed.append(text)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(2):
        before = len(acknowledged)
        while len(acknowledged) < before + 5:
            time.sleep(0.01)
        server.stop(3)
        server.start()
    before = len(acknowledged)
    while len(acknowledged) < before + 5:
        time.sleep(0.01)
    enough.set()
    writer.join()
    kept = [turn.text for turn in opened().turns()]
    assert kept == [text for text in acknowledged if text not in failed]
    assert memory.verify().ok


def test_a_server_that_is_away_is_said_to_be_and_nothing_is_recorded(
    server: Server, opened: Callable[[], Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smriti_es.events.dialect_postgres._RESTART_S", 0.5)
    memory = opened()
    memory.add("Before.", session="s1")
    server.stop(2)
    with pytest.raises(StorageError, match="cannot be used"):
        memory.add("Meanwhile.", session="s1")
    server.start()
    assert [turn.text for turn in memory.turns()] == ["Before."]
