"""`python -m bench reembed`: switch a memory to MiniLM, show the figures and keep them."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from bench.reembed import measure_reembedding
from bench.repeating import Show, repeated
from bench.results import write_result
from bench.synthetic import SEED
from smriti_es import MiniLMEmbedder

_ROWS: Final = {
    "model_alone_per_s": "the model alone, turns/s",
    "switch_per_s": "switch_embedder, turns/s",
    "share_of_the_model": "share of the model's own speed",
    "share_of_the_model_in_processor_time": "the same in processor time",
}


def reembed_command(
    console: Console, *, folder: Path, turns: int, repetitions: int, out: Path | None = None
) -> Path:
    """Run the bench, print its table and write its result.

    Args:
        console: Where to print.
        folder: Where to make the memories.
        turns: How many turns.
        repetitions: How often to measure; the figures are medians.
        out: Where to write the result; None: the usual place.

    Returns:
        Where the result was written.
    """
    model = MiniLMEmbedder()
    model.embed(["It is loaded by the first text."])

    def measure(show: Show) -> Mapping[str, Any]:
        show(f"{turns:,} turns")
        with tempfile.TemporaryDirectory(prefix="bench-reembed-", dir=folder) as made:
            return measure_reembedding(Path(made), turns, model)

    figures = repeated(console, "reembed", repetitions, measure)
    table = Table("", "median", title=f"{turns:,} turns are given vectors of MiniLM")
    for name, label in _ROWS.items():
        table.add_row(label, f"{figures[name]:,.2f}")
    console.print(table)
    return write_result(
        "reembed",
        settings={
            "turns": turns,
            "repetitions": repetitions,
            "figures_are": "medians over the repetitions",
            "embedder": "all-MiniLM-L6-v2-int8 with token vectors",
            "generator_seed": SEED,
        },
        figures=figures,
        folder=folder,
        path=out,
    )
