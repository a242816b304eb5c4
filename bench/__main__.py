"""`python -m bench NAME`: run a bench or all of them, print figures, keep them as JSON."""

import tempfile
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from bench.facts_command import facts_command
from bench.growth import SIZES
from bench.growth_command import growth_command
from bench.knowledge_updates_command import knowledge_updates_command
from bench.locomo_data import load_locomo
from bench.log_command import log_command
from bench.longmemeval_data import load_longmemeval
from bench.peers_command import peers_command
from bench.plots import draw_results
from bench.recall_command import recall_command, recall_settings
from bench.recall_run import BUDGETS
from bench.reembed_command import reembed_command
from bench.rest_command import rest_command
from bench.results import RESULTS
from bench.search_command import search_command
from smriti_es.recall.weights import RecallSettings

app: Final = typer.Typer(add_completion=False, no_args_is_help=True)


class SplitChoice(StrEnum):
    """Which conversations to ask."""

    DEV = "dev"
    TEST = "test"
    BOTH = "both"


_DATA = typer.Option(
    help="The file locomo10.json of snap-research/locomo.",
    exists=True,
    dir_okay=False,
    envvar="LOCOMO_DATA",
)
_LONGMEMEVAL_DATA = typer.Option(
    help="A file in LongMemEval's form.",
    exists=True,
    dir_okay=False,
    envvar="LONGMEMEVAL_DATA",
)
_HARNESS = typer.Option(
    help="The folder of the harness of peers, set up with its setup.sh.",
    exists=True,
    file_okay=False,
    envvar="PEERS_HARNESS",
)
Folder = Annotated[
    Path | None,
    typer.Option(
        help="Where to make databases: the disk to measure.", exists=True, file_okay=False
    ),
]
Out = Annotated[Path | None, typer.Option(help="Write the result here instead.")]
Budgets = Annotated[
    str, typer.Option(help="Sizes of the contexts in characters, with commas between.")
]
Weights = Annotated[
    list[str] | None, typer.Option(help="NAME=VALUE: a weight of the ranking to try.")
]
Details = Annotated[Path | None, typer.Option(help="Write a line of JSON per question here.")]
_BUDGETS: Final = ",".join(map(str, BUDGETS))


@app.callback()
def benches() -> None:
    """Measure recall, the log, search, facts and servers on this machine."""


@app.command()
def locomo(
    data: Annotated[Path, _DATA],
    split: Annotated[SplitChoice, typer.Option(help="Tune on dev alone.")] = SplitChoice.BOTH,
    budgets: Budgets = _BUDGETS,
    weight: Weights = None,
    out: Out = None,
    details: Details = None,
    *,
    facts: Annotated[bool, typer.Option(help="Extract facts, as an engine does.")] = True,
) -> None:
    """Evidence found by search and context in LoCoMo's conversations."""
    console = Console()
    written = recall_command(
        console,
        bench="locomo",
        conversations=[c for c in load_locomo(data) if split.value in (c.part, "both")],
        data=data,
        chosen={"split": split.value},
        budgets=numbers(budgets),
        recall=_recall(weight or ()),
        facts=facts,
        out=out,
        details=details,
    )
    console.print(f"written to {written}")


@app.command()
def longmemeval(
    data: Annotated[Path, _LONGMEMEVAL_DATA],
    questions: Annotated[
        int | None, typer.Option(min=1, help="So many, spread over the file; all if not given.")
    ] = None,
    budgets: Budgets = _BUDGETS,
    weight: Weights = None,
    out: Out = None,
    details: Details = None,
    *,
    facts: Annotated[bool, typer.Option(help="Extract facts, as an engine does.")] = True,
) -> None:
    """Evidence found by search and context among LongMemEval's sessions."""
    console = Console()
    written = recall_command(
        console,
        bench="longmemeval",
        conversations=load_longmemeval(data, at_most=questions),
        data=data,
        chosen={"questions": questions},
        budgets=numbers(budgets),
        recall=_recall(weight or ()),
        facts=facts,
        out=out,
        details=details,
    )
    console.print(f"written to {written}")


@app.command()
def log(
    folder: Folder = None,
    repetitions: Annotated[int, typer.Option(min=1, help="Figures are medians of these.")] = 3,
    out: Out = None,
) -> None:
    """Append, import, read, verify and rebuild, beside raw sqlite3 and the disk's flush."""
    console = Console()
    written = log_command(console, folder=_place(folder), repetitions=repetitions, out=out)
    console.print(f"written to {written}")


@app.command()
def growth(
    sizes: Annotated[str, typer.Option(help="How many events, with commas between.")] = ",".join(
        map(str, SIZES)
    ),
    folder: Folder = None,
    out: Out = None,
) -> None:
    """Append, verify, prove and open a log that grows to a million events."""
    console = Console()
    written = growth_command(console, folder=_place(folder), sizes=numbers(sizes), out=out)
    console.print(f"written to {written}")


@app.command()
def search(
    sizes: Annotated[str, typer.Option(help="How many turns, with commas between.")] = "1000,10000",
    folder: Folder = None,
    repetitions: Annotated[int, typer.Option(min=1, help="Figures are medians of these.")] = 3,
    plain_to: Annotated[
        int, typer.Option(help="Up to so many turns also without token vectors.")
    ] = 100_000,
    out: Out = None,
) -> None:
    """Fill, open, search and size of memories of many turns."""
    console = Console()
    written = search_command(
        console,
        sizes=numbers(sizes),
        folder=_place(folder),
        repetitions=repetitions,
        plain_to=plain_to,
        out=out,
    )
    console.print(f"written to {written}")


@app.command()
def facts(
    folder: Folder = None,
    repetitions: Annotated[int, typer.Option(min=1, help="Figures are medians of these.")] = 3,
    out: Out = None,
) -> None:
    """State, read, fold and search facts on two time axes."""
    console = Console()
    written = facts_command(console, folder=_place(folder), repetitions=repetitions, out=out)
    console.print(f"written to {written}")


@app.command(name="knowledge_updates")
def knowledge_updates(
    seeds: Annotated[str, typer.Option(help="A history each, with commas between.")] = "1,2,3",
    facts: Annotated[int, typer.Option(min=50, help="About how many facts a history holds.")] = (
        1_000
    ),
    each: Annotated[int, typer.Option(min=1, help="Questions of a kind and history.")] = 40,
    out: Out = None,
) -> None:
    """What is, what was, what was believed and what must not be there, with facts on and off."""
    console = Console()
    written = knowledge_updates_command(
        console, seeds=numbers(seeds), facts=facts, each=each, out=out
    )
    console.print(f"written to {written}")


@app.command()
def reembed(
    turns: Annotated[int, typer.Option(min=1, help="How many turns.")] = 1_024,
    repetitions: Annotated[int, typer.Option(min=1, help="Figures are medians of these.")] = 3,
    folder: Folder = None,
    out: Out = None,
) -> None:
    """Switch a memory to MiniLM, beside what the model can do by itself."""
    console = Console()
    written = reembed_command(
        console, folder=_place(folder), turns=turns, repetitions=repetitions, out=out
    )
    console.print(f"written to {written}")


@app.command()
def rest(
    clients: Annotated[int, typer.Option(min=1, help="How many at once.")] = 32,
    seconds: Annotated[float, typer.Option(min=1, help="For how long.")] = 60,
    turns: Annotated[int, typer.Option(min=1, help="How many turns are there before.")] = 1_000,
    folder: Folder = None,
    out: Out = None,
) -> None:
    """Load two REST servers on one file: errors, lost writes, latencies."""
    console = Console()
    written = rest_command(
        console, clients=clients, seconds=seconds, turns=turns, folder=_place(folder), out=out
    )
    console.print(f"written to {written}")


@app.command()
def peers(
    harness: Annotated[Path, _HARNESS],
    data: Annotated[Path | None, _DATA] = None,
    sizes: Annotated[str, typer.Option(help="How many turns, with commas between.")] = "1000,10000",
    repetitions: Annotated[int, typer.Option(min=1, help="Figures are medians of these.")] = 3,
    limit: Annotated[int, typer.Option(min=10, help="Seconds for one filling.")] = 150,
    folder: Folder = None,
    out: Out = None,
) -> None:
    """Fill, open, search and evidence found, beside mem0, smrti, vector stores and a floor."""
    console = Console()
    written = peers_command(
        console,
        harness=harness,
        sizes=numbers(sizes),
        repetitions=repetitions,
        data=data,
        folder=_place(folder),
        limit_s=limit,
        out=out,
    )
    console.print(f"written to {written}")


@app.command()
def plots(
    results: Annotated[
        Path, typer.Option(help="Where the results lie.", exists=True, file_okay=False)
    ] = RESULTS,
) -> None:
    """Draw the results that there are, as SVG beside them."""
    try:
        drawn = draw_results(results)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    for picture in drawn:
        Console().print(f"drawn to {picture}")


@app.command(name="all")
def every(
    data: Annotated[Path | None, _DATA] = None,
    longmemeval_data: Annotated[Path | None, _LONGMEMEVAL_DATA] = None,
    harness: Annotated[Path | None, _HARNESS] = None,
) -> None:
    """Every bench, one after the other, with its defaults."""
    if data is None:
        Console().print("LoCoMo is left out: name its file with --data or LOCOMO_DATA.")
    else:
        locomo(data)
    if longmemeval_data is None:
        Console().print("LongMemEval is left out: name its file in LONGMEMEVAL_DATA.")
    else:
        longmemeval(longmemeval_data)
    if harness is None:
        Console().print("Peers are left out: name the folder of their harness in PEERS_HARNESS.")
    else:
        peers(harness, data)
    log()
    growth()
    search()
    facts()
    knowledge_updates()
    rest()
    reembed()
    plots()


def _place(folder: Path | None) -> Path:
    return Path(tempfile.gettempdir()) if folder is None else folder


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


def _recall(weights: Sequence[str]) -> RecallSettings:
    """Read weights that differ from the defaults.

    Raises:
        BadParameter: One is not NAME=VALUE, or there is no such weight.
    """
    try:
        return recall_settings(
            {name: float(value) for name, _, value in (text.partition("=") for text in weights)}
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


if __name__ == "__main__":
    app(prog_name="python -m bench")
