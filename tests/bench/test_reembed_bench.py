"""The bench of a switch of embedders: it measures both, and keeps the figures."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bench.__main__ import app
from smriti_es.embedders import minilm as installed

if not installed.minilm_installed():
    pytest.skip("needs the extra `minilm`", allow_module_level=True)


def test_a_small_switch_is_measured_and_kept(tmp_path: Path) -> None:
    out = tmp_path / "reembed.json"
    options = ["--turns", "12", "--repetitions", "1", "--folder", str(tmp_path), "--out", str(out)]
    done = CliRunner().invoke(app, ["reembed", *options])
    assert done.exit_code == 0, done.output
    figures = json.loads(out.read_text("utf-8"))["figures"]
    assert figures["share_of_the_model"] == pytest.approx(
        figures["switch_per_s"] / figures["model_alone_per_s"]
    )
    assert figures["switch_per_s"] > 0
