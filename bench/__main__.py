"""`python -m bench locomo|log|search|all`: run a bench, print its figures, keep them as JSON."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from bench.locomo import BUDGETS
from bench.locomo_command import locomo_command

app: Final = typer.Typer(add_completion=False, no_args_is_help=True)
_DATA: Final = Path("../shared/data/locomo10.json")


class SplitChoice(StrEnum):
    """Which conversations to ask."""

    DEV = "dev"
    TEST = "test"
    BOTH = "both"


Data = Annotated[Path, typer.Option(help="The file locomo10.json.", exists=True, dir_okay=False)]
Out = Annotated[Path | None, typer.Option(help="Write the result here instead.")]


@app.callback()
def benches() -> None:
    """Measure recall, the log and search on this machine."""


@app.command()
def locomo(
    data: Data = _DATA,
    split: Annotated[SplitChoice, typer.Option(help="Tune on dev alone.")] = SplitChoice.BOTH,
    budgets: Annotated[
        str, typer.Option(help="Sizes of the contexts in characters, with commas between.")
    ] = ",".join(map(str, BUDGETS)),
    weight: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE: a weight of the ranking to try.")
    ] = None,
    out: Out = None,
    details: Annotated[
        Path | None, typer.Option(help="Write a line of JSON per question here.")
    ] = None,
) -> None:
    """Evidence found by search and context in LoCoMo's conversations."""
    console = Console()
    written = locomo_command(
        console,
        data=data,
        split=split.value,
        budgets=numbers(budgets),
        weights=dict(_weight(text) for text in weight or ()),
        out=out,
        details=details,
    )
    console.print(f"written to {written}")


def numbers(text: str) -> list[int]:
    """Read whole numbers with commas between them.

    Raises:
        BadParameter: Something else stands there.
    """
    try:
        found = [int(part.replace("_", "")) for part in text.split(",")]
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is no list of whole numbers") from error
    if min(found) < 1:
        raise typer.BadParameter("each number must be 1 or more")
    return found


def _weight(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE") from error


if __name__ == "__main__":
    app(prog_name="python -m bench")
