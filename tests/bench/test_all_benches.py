"""`python -m bench all`: which benches run, and where their databases lie."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bench import __main__ as command_line

# Found by their name, so that none is forgotten here and run in earnest.
BENCHES = [
    name.removesuffix("_command") for name in vars(command_line) if name.endswith("_command")
]
LOCOMO = "recall"
NOT_HERE: dict[str, str | None] = dict.fromkeys(
    ("LOCOMO_DATA", "LONGMEMEVAL_DATA", "PEERS_HARNESS")
)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """What each bench would have been run with."""
    found: dict[str, dict[str, Any]] = {}
    for name in BENCHES:

        def note(_console: object, *, name: str = name, **given: Any) -> Path:
            found[name] = given
            return Path("nowhere.json")

        monkeypatch.setattr(command_line, f"{name}_command", note)
    monkeypatch.setattr(command_line, "draw_results", lambda folder: [])
    return found


def test_all_benches_run_with_their_defaults(
    ran: dict[str, dict[str, Any]], locomo_file: Path
) -> None:
    arguments = ["all", "--data", str(locomo_file)]
    done = CliRunner().invoke(command_line.app, arguments, env=NOT_HERE)
    assert done.exit_code == 0, done.output
    assert sorted(ran) == sorted(set(BENCHES) - {"peers"})
    assert (ran[LOCOMO]["bench"], ran[LOCOMO]["budgets"]) == ("locomo", [1_500, 3_000, 9_000])
    assert [c.part for c in ran[LOCOMO]["conversations"]] == ["dev", "test"]
    assert ran["search"]["sizes"] == [1_000, 10_000]


def test_what_has_no_data_here_is_left_out_and_said_to_be(
    ran: dict[str, dict[str, Any]],
) -> None:
    done = CliRunner().invoke(command_line.app, ["all"], env=NOT_HERE)
    assert done.exit_code == 0, done.output
    assert sorted(ran) == sorted(set(BENCHES) - {LOCOMO, "peers"})
    for name in ("LoCoMo is", "LongMemEval is", "Peers are"):
        assert f"{name} left out" in done.output


def test_databases_lie_where_they_are_told_to(
    ran: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    done = CliRunner().invoke(command_line.app, ["log", "--folder", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert ran["log"]["folder"] == tmp_path
