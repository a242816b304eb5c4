"""`python -m bench facts`: repeat, take medians, show and keep them."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from bench.facts import BUDGET, FULL_SIZES, FactSizes, K, measure_facts
from bench.fold import WITHOUT_TEXT
from bench.repeating import repeated
from bench.results import write_result
from bench.synthetic import DIMENSION, SEED
from bench.synthetic_facts import SEED as FACT_SEED

# What is promised; the bench shows it beside what it found.
READ_WANTED_MS: Final = 3.0
FOLD_WANTED: Final = 15_000

Figures = Mapping[str, Any]


def facts_command(
    console: Console,
    *,
    folder: Path,
    repetitions: int,
    sizes: FactSizes = FULL_SIZES,
    out: Path | None = None,
) -> Path:
    """Run the bench, print its table and write its result.

    Args:
        console: Where to print.
        folder: On the disk that is to be measured.
        repetitions: How often to measure everything; the figures are medians.
        sizes: How much each repetition does.
        out: Where to write the result; None: the usual place.

    Returns:
        Where the result was written.
    """
    figures = repeated(
        console, "facts", repetitions, lambda show: measure_facts(folder, sizes, show)
    )
    console.print(_table(figures))
    return write_result(
        "facts",
        settings={
            "repetitions": repetitions,
            "figures_are": "medians over the repetitions",
            "sizes": asdict(sizes),
            "k": K,
            "budget": BUDGET,
            "turns_and_facts_are": list(WITHOUT_TEXT),
            "embedder": f"sums of signs per word, {DIMENSION} dimensions; its time is taken off",
            "generator_seeds": [SEED, FACT_SEED],
        },
        figures=figures,
        folder=folder,
        path=out,
    )


def _table(figures: Figures) -> Table:
    table = Table(title="facts on two time axes")
    for column in ("", "p50 / p95 ms", "a second", "wanted"):
        table.add_column(column, justify="right" if column else "left")
    for row in (*_reads(figures["reads"]), *_fold(figures["fold"]), *_rest(figures)):
        table.add_row(*row)
    return table


def _reads(reads: Figures) -> Iterator[tuple[str, ...]]:
    for found in reads.values():
        size = f"{found['revisions']:,} revisions"
        wanted = f"at most {READ_WANTED_MS:g}"
        yield (f"one key as of a position, {size}", _both(found["key_ms"]), "", wanted)
        yield (f"one key as of a time, {size}", _both(found["key_at_time_ms"]), "", wanted)
        yield (f"one subject as of a position, {size}", _both(found["subject_ms"]), "", wanted)
        yield (f"one key now, {size}", _both(found["key_now_ms"]), "", "")
        yield (f"facts stated in bulk, {size}", "", f"{found['stated_in_bulk_per_s']:,.0f}", "")


def _fold(fold: Figures) -> Iterator[tuple[str, ...]]:
    size = f"{fold['events']:,.0f} events"
    rates = {
        name.removesuffix("_events_per_s"): f"{rate:,.0f}"
        for name, rate in fold.items()
        if name.endswith("_events_per_s")
    }
    yield (f"fold turns and facts, {size}", "", rates.pop("turns_and_facts"), f"{FOLD_WANTED:,}")
    for name, rate in rates.items():
        label = "only read the log" if name == "read" else f"fold {name} alone"
        yield (label, "", rate, "")


def _rest(figures: Figures) -> Iterator[tuple[str, ...]]:
    stated, search = figures["assert"], figures["search"]
    yield ("one fact stated, durable", f"{stated['p50_ms']:.2f} / {stated['p95_ms']:.2f}", "", "")
    yield ("the disk's fdatasync", f"{stated['fdatasync_p50_ms']:.2f}", "", "")
    for length, found in figures["chains"].items():
        yield (f"joins a chain of {length} at its end", _both(found["at_end_ms"]), "", "")
        yield (f"joins a chain of {length} in its middle", _both(found["in_middle_ms"]), "", "")
    turns, facts = f"{search['turns']:,.0f} turns", f"{search['facts']:,.0f} facts"
    for with_facts, beside in (("without_facts", turns), ("with_facts", f"{turns}, {facts}")):
        for name in ("search", "context"):
            yield (f"{name}, {beside}", _both(search[with_facts][f"{name}_ms"]), "", "")
    after = _both(search["search_after_a_new_fact_ms"])
    yield (f"search after a new fact, {turns}, {facts}", after, "", "")


def _both(found: Mapping[str, float]) -> str:
    return f"{found['p50']:.2f} / {found['p95']:.2f}"
