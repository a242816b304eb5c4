"""A server of PostgreSQL that is stopped and started while memories are open on it."""

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGINT, SIGQUIT

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import StorageError
from smriti_es.settings import Settings
from tests.postgres_places import NAMED
from tests.postgres_server import Server

pytestmark = pytest.mark.skipif(NAMED in os.environ, reason="a server of its own is stopped")
QUIET = Settings(embed_in_background=False, extract_in_background=False)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that runs; it is stopped in the end."""
    folder = Path(tempfile.mkdtemp(prefix="smriti-es-restart-"))
    folder.chmod(0o755)
    made = Server(folder, {"shared_buffers": "16MB"})
    made.create()
    made.start()
    yield made
    made.stop()
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
        place = server.url.render_as_string()
        made.append(
            Engine.open(place, tenant=tenant, embedder=None, extractor=None, settings=QUIET)
        )
        return made[-1]

    yield run
    for each in made:
        each.close()


@pytest.mark.parametrize("how", [SIGINT, SIGQUIT], ids=["orderly", "at once, as a crash"])
def test_an_open_memory_goes_on_when_the_server_is_back(
    how: int, server: Server, opened: Callable[[], Engine]
) -> None:
    memory = opened()
    memory.add("Before the restart.", session="s1")
    server.stop(how)
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
        server.stop(SIGQUIT)
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
    server.stop(SIGINT)
    with pytest.raises(StorageError, match="cannot be used"):
        memory.add("Meanwhile.", session="s1")
    server.start()
    assert [turn.text for turn in memory.turns()] == ["Before."]
