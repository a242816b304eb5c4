"""`python -m bench peers`: what is measured beside whom, as tables and as a file."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from bench.conversations import file_sha256
from bench.peers import (
    OURS,
    OURS_WITH_TOKENS,
    Harness,
    failures,
    quality_figures,
    speed_figures,
)
from bench.results import write_result

# With the harness's names: what users would take instead, vector stores, and a floor by hand.
PEERS: Final = ("mem0_qdrant", "smrti", "chroma", "lancedb", "diy_hybrid")
QUALITY_PEERS: Final = ("mem0_qdrant", "smrti_noboost", "diy_bm25", "diy_hybrid")


def peers_command(  # noqa: PLR0913  one argument an option
    console: Console,
    *,
    harness: Path,
    sizes: Sequence[int],
    repetitions: int,
    data: Path | None,
    folder: Path,
    limit_s: int,
    out: Path | None = None,
) -> Path:
    """Run the harness, print its figures with ratios and write the result.

    Args:
        console: Where to print.
        harness: The folder of the harness, set up.
        sizes: Numbers of turns.
        repetitions: How often each is measured; the figures are medians.
        data: The LoCoMo file, or None to leave quality out.
        folder: Where stores are made.
        limit_s: Seconds after which a system that fills slowly is stopped.
        out: Where to write the result; None: the usual place.
    """
    with tempfile.TemporaryDirectory(prefix="bench-peers-", dir=folder) as made:
        run = Harness(harness.resolve(), Path(made), None if data is None else data.resolve())
        run.prepare()
        options = {"sizes": ",".join(map(str, sizes)), "reps": repetitions, "limit": limit_s}
        given = [f"--{name}={value}" for name, value in options.items()]
        run.run("speed", (OURS, *PEERS), console.print, *given)
        if data is not None:
            run.run("locomo", (OURS, OURS_WITH_TOKENS, *QUALITY_PEERS), console.print)
        rows = run.rows()
    speed, quality, failed_phases = speed_figures(rows), quality_figures(rows), failures(rows)
    for size, systems in speed.items():
        console.print(_speed_table(f"{int(size):,} turns", systems))
    if data is not None:
        console.print(_quality_table(quality))
    for failed in failed_phases:
        console.print(f"failed: {failed}", style="red", markup=False)
    return write_result(
        "peers",
        settings={
            "repetitions": repetitions,
            "figures_are": "medians over the repetitions; more than 1 means this library is better",
            "vectors": "the same ones for all; their time is taken off. Of speed: signs of words;"
            f" of LoCoMo: MiniLM, and {OURS_WITH_TOKENS} with its token vectors as well",
            "limit_s": limit_s,
        },
        figures={"speed": speed, "locomo": quality, "failed": failed_phases},
        folder=folder,
        data_sha256=None if data is None else file_sha256(data),
        path=out,
    )


def _speed_table(title: str, systems: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(title=title)
    shown = {
        "turns/s": "turns_per_s",
        "search p50 ms": "search_p50_ms",
        "p95 ms": "search_p95_ms",
        "open ms": "open_ms",
        "peak MiB": "search_peak_rss_mib",
        "KiB/1k turns": "kib_per_1k_turns",
    }
    for column in ("", *shown):
        table.add_column(column, justify="right")
    for name, found in systems.items():
        cells = (f"{found[key]:,.1f}" if key in found else "-" for key in shown.values())
        table.add_row(name, *cells)
    return table


def _quality_table(systems: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(title="LoCoMo, percent of the evidence; of questions with all of it")
    names = [name for name in next(iter(systems.values()), {}) if "@" in name]
    for column in ("", *names):
        table.add_column(column, justify="right")
    for system, found in systems.items():
        table.add_row(system, *(f"{found[name]:.1f}" for name in names))
    return table
