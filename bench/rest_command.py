"""`python -m bench rest`: load two servers, show the figures and keep them."""

import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.rest_load import READS, SERVERS, measure_rest
from bench.results import write_result


def rest_command(
    console: Console,
    *,
    clients: int,
    seconds: float,
    turns: int,
    folder: Path,
    out: Path | None = None,
) -> Path:
    """Run the bench, print its table and write its result.

    Args:
        console: Where to print.
        clients: How many at once.
        seconds: For how long.
        turns: How many turns are there before.
        folder: Where to make the memory.
        out: Where to write the result; None: the usual place.

    Returns:
        Where the result was written.
    """
    with tempfile.TemporaryDirectory(prefix="bench-rest-", dir=folder) as made:
        figures = measure_rest(Path(made), clients=clients, seconds=seconds, turns=turns)
    console.print(_table(figures))
    console.print(
        f"{figures['requests_per_second']} requests/s; {figures['server_errors']} answers of 5xx, "
        f"{figures['writes_lost']} of {figures['writes_acknowledged']} acknowledged writes lost"
    )
    return write_result(
        "rest",
        settings={
            "clients": clients,
            "seconds": seconds,
            "turns_before": turns,
            "reads": READS,
            "servers_on_the_file": SERVERS,
            "embedder": "hash",
        },
        figures=figures,
        folder=folder,
        path=out,
    )


def _table(figures: dict[str, Any]) -> Table:
    shown = Table("request", "p50 ms", "p95 ms", title="REST under load")
    for kind, found in {**figures["ms"], "all": figures["all_ms"]}.items():
        shown.add_row(kind, str(found["p50"]), str(found["p95"]))
    return shown
