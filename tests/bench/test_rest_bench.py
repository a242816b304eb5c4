"""`python -m bench rest`: it counts what is there, and what is not."""

import json
from collections import Counter
from pathlib import Path

from typer.testing import CliRunner

from bench import __main__ as command_line
from bench.rest_load import Client, _figures, _found_again
from smriti_es.engine import Engine


def test_an_acknowledged_write_that_is_not_there_is_counted_as_lost(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    with Engine.open(place, embedder=None) as engine:
        engine.add("The kiln lies behind the quarry, which is number c0n0.", session="s1")
        for session in ("s2", "s3"):
            engine.add("The kiln lies behind the quarry, which is number c0n2.", session=session)
    done = [Client(written=["c0n0", "c0n1", "c0n2"])]
    assert _found_again(place, done) == {
        "writes_acknowledged": 3,
        "writes_lost": 1,
        "writes_doubled": 1,
        "verified": True,
    }


def test_figures_are_of_all_clients_together() -> None:
    one = Client({"write": [0.1, 0.3]}, Counter({201: 2}), ["a", "b"])
    two = Client({"search": [0.2]}, Counter({200: 1, 503: 1}), [], Counter({"ReadTimeout": 1}))
    found = _figures([one, two], 2.0)
    assert (found["requests"], found["requests_per_second"]) == (3, 1.5)
    assert found["all_ms"] == {"p50": 200.0, "p95": 300.0}
    assert found["statuses"] == {"200": 1, "201": 2, "503": 1}
    assert (found["server_errors"], found["without_answer"]) == (1, {"ReadTimeout": 1})


def test_two_servers_on_one_file_lose_nothing_under_load(tmp_path: Path) -> None:
    out = tmp_path / "rest.json"
    options = ["--clients", "4", "--seconds", "2", "--turns", "20"]
    done = CliRunner().invoke(
        command_line.app, ["rest", *options, "--folder", str(tmp_path), "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    figures = json.loads(out.read_text("utf-8"))["figures"]
    assert figures["writes_acknowledged"] > 0
    assert (figures["server_errors"], figures["writes_lost"], figures["writes_doubled"]) == (
        0,
        0,
        0,
    )
    assert figures["without_answer"] == {}
    assert figures["verified"]
