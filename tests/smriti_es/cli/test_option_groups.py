"""Groups of options: a dataclass on one side, single options on the other."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from smriti_es.cli.option_groups import with_option_groups
from smriti_es.cli.shared_options import Chosen, SharedOptions


@dataclass(frozen=True, slots=True)
class Size:
    """A group of two options."""

    width: Annotated[int, typer.Option("--width")]
    height: Annotated[int, typer.Option("--height")] = 3


def test_a_group_is_spread_into_its_fields_and_put_together_again() -> None:
    seen: list[object] = []

    def verb(name: str, size: Size) -> None:
        seen.append((name, size))

    app = typer.Typer()
    app.command()(with_option_groups(verb))
    done = CliRunner().invoke(app, ["box", "--width", "2"])
    assert done.exit_code == 0, done.output
    assert seen == [("box", Size(2, 3))]


def test_a_field_without_a_default_is_required() -> None:
    def verb(size: Size) -> None:
        del size

    parameters = inspect.signature(with_option_groups(verb)).parameters
    assert parameters["width"].default is inspect.Parameter.empty
    assert parameters["height"].default == 3


def test_options_written_later_win_and_the_others_stay() -> None:
    earlier = SharedOptions(db="a.db", tenant="mira", as_json=True)
    later = SharedOptions(db="b.db", space=[])
    assert later.over(earlier) == SharedOptions(db="b.db", tenant="mira", as_json=True)


def test_an_option_written_empty_is_not_left_out() -> None:
    assert SharedOptions(db="").over(SharedOptions(db="a.db")).db == ""


def test_without_anything_written_the_defaults_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DB", "TENANT", "SPACE", "TIMEZONE", "EMBEDDER"):
        monkeypatch.delenv(f"SMRITI_ES_{name}", raising=False)
    assert Chosen.of(SharedOptions()) == Chosen(
        db="memory.db",
        db_written=False,
        tenant="default",
        spaces=("main",),
        timezone=None,
        embedder="auto",
    )
