"""`python -m bench growth`: let a log grow, show and keep what it costs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from bench.growth import SIZES, measure_growth
from bench.results import write_result
from bench.synthetic import SEED

_ROWS: Final = {
    "append_events_per_s": "append, 1,000 a commit, events/s",
    "verify_events_per_s": "verify, events/s",
    "verified_replay_events_per_s": "read with every check, events/s",
    "export_events_per_s": "export as a bundle, events/s",
    "proof_p50_ms": "an inclusion proof, p50 ms",
    "proof_p95_ms": "an inclusion proof, p95 ms",
    "open_ms": "open, ms",
    "rss_before_verify_mib": "memory before verifying, MiB",
    "rss_after_verify_mib": "memory after verifying, MiB",
    "bytes_per_event": "bytes of the file per event",
}


def growth_command(
    console: Console, *, folder: Path, sizes: Sequence[int] = SIZES, out: Path | None = None
) -> Path:
    """Run the bench, print its table and write its result.

    Args:
        console: Where to print.
        folder: On the disk that is to be measured.
        sizes: How many events, ascending.
        out: Where to write the result; None: the usual place.

    Returns:
        Where the result was written.
    """
    with console.status("growth") as status:
        figures = measure_growth(folder, sizes, lambda part: status.update(f"growth: {part}"))
    table = Table(title="a log that grows")
    table.add_column("events")
    for size in sizes:
        table.add_column(f"{size:,}", justify="right")
    for name, label in _ROWS.items():
        cells = [figures[str(size)].get(name) for size in sizes]
        table.add_row(label, *("" if cell is None else f"{cell:,.1f}" for cell in cells))
    console.print(table)
    return write_result(
        "growth",
        settings={"sizes": list(sizes), "repetitions": 1, "generator_seed": SEED},
        figures=figures,
        folder=folder,
        path=out,
    )
