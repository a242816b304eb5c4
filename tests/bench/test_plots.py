"""Pictures of results: which are drawn, and that the same result gives the same picture."""

import json
import shutil
from pathlib import Path

import pytest

from bench.plots import draw_results
from bench.results import RESULTS


def test_each_kept_result_of_a_known_kind_is_drawn_beside_it(tmp_path: Path) -> None:
    for name in ("growth", "locomo", "log", "guarantees"):
        shutil.copy(RESULTS / f"{name}.json", tmp_path)
    drawn = draw_results(tmp_path)
    assert [path.name for path in drawn] == ["growth.svg", "locomo.svg", "log.svg"]
    assert {path.read_text("utf-8").partition("<svg")[1] for path in drawn} == {"<svg"}


def test_the_same_result_gives_the_same_bytes(tmp_path: Path) -> None:
    shutil.copy(RESULTS / "growth.json", tmp_path)
    (path,) = draw_results(tmp_path)
    first = path.read_bytes()
    draw_results(tmp_path)
    assert path.read_bytes() == first


def test_reads_are_drawn_with_and_without_token_vectors(tmp_path: Path) -> None:
    latency = {"search_and_context_ms": {"p50": 1.0, "p95": 2.0}}
    figures = {"100": latency | {"without_token_vectors": latency}, "1000": latency}
    result = {"figures": figures, "machine": {"cores": 2, "cpu": "a processor"}}
    (tmp_path / "search.json").write_text(json.dumps(result), "utf-8")
    (path,) = draw_results(tmp_path)
    assert path.read_text("utf-8").count("<!-- without, p95 -->") == 1


def test_a_system_that_was_not_asked_is_left_out_of_the_picture(tmp_path: Path) -> None:
    speed = {"1000": {"ours": {"version": "1", "search_p50_ms": 3.0}, "slow": {"version": "2"}}}
    result = {"figures": {"speed": speed}, "machine": {"cores": 2, "cpu": "a processor"}}
    (tmp_path / "peers.json").write_text(json.dumps(result), "utf-8")
    (path,) = draw_results(tmp_path)
    assert path.name == "peers.svg"


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"growth, locomo, log, peers, search"):
        draw_results(tmp_path)
