"""`python -m bench search`: every size, repeated, as a table and as a file."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.repeating import Show, repeated
from bench.results import write_result
from bench.search import BUDGET, QUESTIONS, WARM_UP, K, measure_search
from bench.synthetic import DIMENSION, SEED, TOKEN_DIMENSION


def search_command(
    console: Console,
    *,
    sizes: Sequence[int],
    folder: Path,
    repetitions: int,
    plain_to: int = 100_000,
    out: Path | None = None,
) -> Path:
    """Run the bench, print its table and write its result.

    Args:
        console: Where to print.
        sizes: Numbers of turns.
        folder: Where to make the memories.
        repetitions: How often to measure each size; the figures are medians.
        plain_to: Up to how many turns it is measured without token vectors as well.
        out: Where to write the result; None: the usual place.

    Returns:
        Where the result was written.
    """
    figures: dict[str, Any] = {}
    for turns in sizes:

        def measure(show: Show, turns: int = turns) -> Mapping[str, Any]:
            found: dict[str, Any] = {}
            for tokens in (True, False)[: 1 + (turns <= plain_to)]:
                show(f"{turns:,} turns{'' if tokens else ' without token vectors'}")
                with tempfile.TemporaryDirectory(prefix="bench-search-", dir=folder) as made:
                    measured = measure_search(Path(made), turns, tokens=tokens)
                found |= measured if tokens else {"without_token_vectors": measured}
            return found

        figures[str(turns)] = repeated(console, "search", repetitions, measure)
    console.print(_table(figures))
    console.print(_size_table(figures))
    return write_result(
        "search",
        settings=_settings(repetitions),
        figures=figures,
        folder=folder,
        path=out,
    )


def _settings(repetitions: int) -> dict[str, Any]:
    return {
        "repetitions": repetitions,
        "figures_are": "medians over the repetitions",
        "k": K,
        "budget": BUDGET,
        "questions": QUESTIONS,
        "warm_up": WARM_UP,
        "embedder": f"sums of signs per word, {DIMENSION} dimensions, and {TOKEN_DIMENSION} "
        "for each word; its time is taken off",
        "context": "asked right after the search for the same question, whose ranking it "
        "shares; `context_alone_ms` is of questions that nobody asked before",
        "filtered": "one session in a hundred",
        "rebuild": "all but vectors in one pass, old and new compared by fingerprint; "
        "`rebuild_fold_events_per_s` without comparing",
        "generator_seed": SEED,
    }


def _table(figures: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(title="memories of many turns; times without the question's embedding")
    columns = (
        "turns",
        "fill/s",
        "record/s",
        "vectors/s",
        "open ms",
        "first search ms",
        "search p50 / p95 ms",
        "context p50 / p95 ms",
        "both p50 / p95 ms",
        "peak MiB fill / ask",
        "bytes a turn",
        "rebuilt events/s",
    )
    for column in columns:
        table.add_column(column, justify="right")
    for found in figures.values():
        table.add_row(
            f"{found['turns']:,}",
            f"{found['fill_turns_per_s']:,.0f}",
            f"{found['record_turns_per_s']:,.0f}",
            f"{found['vector_turns_per_s']:,.0f}",
            f"{found['open_ms']:.0f}",
            f"{found['first_search_ms']:.0f}",
            f"{found['search_ms']['p50']:.1f} / {found['search_ms']['p95']:.1f}",
            f"{found['context_ms']['p50']:.1f} / {found['context_ms']['p95']:.1f}",
            f"{found['search_and_context_ms']['p50']:.1f} / "
            f"{found['search_and_context_ms']['p95']:.1f}",
            f"{found['fill_peak_mib']:.0f} / {found['ask_peak_mib']:.0f}",
            f"{found['bytes_per_turn']:,.0f}",
            f"{found['rebuild_events_per_s']:,.0f}",
        )
    return table


def _size_table(figures: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(title="bytes a turn, by table with its indexes")
    table.add_column("table")
    for size in figures:
        table.add_column(f"{int(size):,} turns", justify="right")
    names = {name for found in figures.values() for name in found["bytes_per_turn_by_table"]}
    for name in sorted(names):
        cells = [found["bytes_per_turn_by_table"].get(name, 0.0) for found in figures.values()]
        table.add_row(name, *(f"{cell:,.0f}" for cell in cells))
    return table
