"""The bench of peers: what it makes of the rows of the harness, and of a harness that is none."""

from pathlib import Path
from typing import Any

import pytest

from bench.peers import Harness, failures, quality_figures, speed_figures

INGEST: dict[str, Any] = {"phase": "ingest", "n": 1_000, "version": "1"}
SEARCH: dict[str, Any] = {"phase": "search", "n": 1_000, "version": "1", "peak_rss_mib": 50.0}


def filled(system: str, rate: float) -> dict[str, Any]:
    found = {"turns_per_s_engine": rate, "peak_rss_mib": 60.0, "kib_per_1k_turns": 2_000.0}
    return INGEST | {"system": system} | found


def searched(system: str, p50: float) -> dict[str, Any]:
    return SEARCH | {"system": system, "p50_ms": p50, "p95_ms": 2 * p50, "open_s": 0.01}


def test_figures_are_medians_and_over_one_where_this_library_is_better() -> None:
    rows = [filled("smriti_es", rate) for rate in (900.0, 1_000.0, 5_000.0)]
    rows += [searched("smriti_es", 4.0), filled("peer", 500.0), searched("peer", 2.0)]
    figures = speed_figures(rows)
    assert figures["1000"]["smriti_es"]["turns_per_s"] == 1_000.0
    assert figures["1000"]["smriti_es"]["open_ms"] == 10.0
    assert figures["1000"]["peer"]["ours_is_better_by"] == {
        "ingest": 2.0,
        "search_p50_ms": 0.5,
        "kib_per_1k_turns": 1.0,
        "search_peak_rss_mib": 1.0,
    }
    assert "ours_is_better_by" not in figures["1000"]["smriti_es"]


def test_a_peer_that_was_stopped_is_said_to_be() -> None:
    rows = [filled("slow", 3.0) | {"stopped_at": 450}, filled("smriti_es", 9.0)]
    figures = speed_figures(rows)["1000"]
    assert figures["slow"]["stopped"]
    assert "stopped" not in figures["smriti_es"]


def test_quality_is_in_percent() -> None:
    scores = {f"recall@{depth}": 0.5 for depth in (5, 10, 20)}
    scores |= {f"complete@{budget}": 0.25 for budget in (1_500, 3_000, 9_000)}
    row = {"phase": "locomo", "system": "peer", "version": "2", "n": 1_536, **scores}
    assert quality_figures([row])["peer"] == {
        "version": "2",
        "questions": 1_536,
        "recall@5": 50.0,
        "recall@10": 50.0,
        "recall@20": 50.0,
        "complete@1500": 25.0,
        "complete@3000": 25.0,
        "complete@9000": 25.0,
    }


def test_a_phase_that_failed_is_named_with_the_last_line_it_printed() -> None:
    rows = [{"phase": "error", "cmd": "run_store.py search peer", "stderr": "Trace\nKeyError: 7\n"}]
    assert failures(rows) == ["run_store.py search peer: KeyError: 7"]


def test_a_folder_that_is_not_set_up_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"setup\.sh"):
        Harness(tmp_path, tmp_path / "made").prepare()


def test_our_adapter_is_put_among_those_of_a_copy(tmp_path: Path) -> None:
    adapters = tmp_path / "bench" / "adapters"
    adapters.mkdir(parents=True)
    (adapters / "__init__.py").write_text("ADAPTERS = {}\n", "utf-8")
    (tmp_path / "venvs" / "base").mkdir(parents=True)
    made = tmp_path / "made"
    Harness(tmp_path, made).prepare()
    copied = made / "bench" / "adapters"
    assert "class SmritiES" in (copied / "smriti_es.py").read_text("utf-8")
    assert "smriti_es_tokens" in (copied / "__init__.py").read_text("utf-8")
    assert (adapters / "__init__.py").read_text("utf-8") == "ADAPTERS = {}\n"
    assert (tmp_path / "venvs" / "smriti_es" / "bin" / "python").exists()
