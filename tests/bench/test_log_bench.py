"""The bench of the log, with next to nothing to do."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from bench.disk import fdatasync_times
from bench.log import LogSizes
from bench.log_command import log_command
from bench.raw_sqlite import RawLog

TINY = LogSizes({1: 6, 10: 2}, adds=6, threads=2, adds_per_thread=3, bulk_turns=30)


@pytest.fixture
def figures(tmp_path: Path) -> dict[str, dict[str, float]]:
    console = Console(quiet=True)
    out = tmp_path / "log.json"
    log_command(console, folder=tmp_path, repetitions=2, sizes=TINY, out=out)
    found: dict[str, dict[str, float]] = json.loads(out.read_text("utf-8"))["figures"]
    return found


def test_every_part_of_the_log_is_measured(figures: dict[str, dict[str, float]]) -> None:
    assert list(figures) == [
        "append_1",
        "append_10",
        "append_1_normal",
        "append_10_normal",
        "replay",
        "add",
        "threads",
        "import",
        "import_looking_for_facts",
        "read_and_fold",
        "verify",
        "rebuild",
    ]
    assert all(value > 0 for section in figures.values() for value in section.values())


def test_rates_stand_beside_the_baseline(figures: dict[str, dict[str, float]]) -> None:
    for name in ("append_1", "append_10", "import", "read_and_fold", "verify"):
        assert {"events_per_s", "raw_events_per_s", "ratio"} <= figures[name].keys()


def test_appends_and_replay_stand_beside_the_peer(figures: dict[str, dict[str, float]]) -> None:
    for name in ("append_1", "append_10", "replay"):
        assert {"peer_events_per_s", "over_peer"} <= figures[name].keys()


def test_a_single_add_stands_beside_the_flush_of_the_disk(
    figures: dict[str, dict[str, float]],
) -> None:
    assert {"p50_ms", "raw_p50_ms", "fdatasync_p50_ms", "over_fdatasync", "limit_ms"} <= figures[
        "add"
    ].keys()
    assert figures["add"]["limit_ms"] >= 1.5


def test_the_baseline_notices_a_changed_body(tmp_path: Path) -> None:
    said = {"type": "Said", "ordinal": 0, "origin": "owner", "role": "user", "session": 1}
    one, two, three = (said | {"text": text} for text in ("one", "two", "three"))
    log = RawLog(tmp_path / "raw.db")
    log.append([one, two])
    log.append([three])
    assert log.verify()
    assert log.fold() == {"0": one, "1": two, "2": three}
    log._file.execute("UPDATE payload SET body = ? WHERE position = 1", (b'{"text":"2"}',))
    assert not log.verify()
    log.close()


def test_the_probe_of_the_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    assert len(fdatasync_times(tmp_path, 3)) == 3
    assert list(tmp_path.iterdir()) == []
