"""The bench of a growing log, with next to nothing to do."""

import json
from pathlib import Path

from rich.console import Console

from bench.growth_command import growth_command


def test_each_size_is_measured_and_tells_memory_and_bytes(tmp_path: Path) -> None:
    out = tmp_path / "growth.json"
    growth_command(Console(quiet=True), folder=tmp_path, sizes=(40, 80), out=out)
    figures = json.loads(out.read_text("utf-8"))["figures"]
    assert list(figures) == ["40", "80"]
    for found in figures.values():
        assert set(found) == {
            "append_events_per_s",
            "open_ms",
            "verify_events_per_s",
            "verified_replay_events_per_s",
            "rss_before_verify_mib",
            "rss_after_verify_mib",
            "proof_p50_ms",
            "proof_p95_ms",
            "export_events_per_s",
            "bytes_per_event",
        }
        assert all(value > 0 for value in found.values())
