"""`python -m bench knowledge_updates`: how the figures are shown and kept."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress as ProgressBar
from rich.table import Table

from bench.knowledge_updates import (
    BUDGET,
    WAYS,
    K,
    difference,
    run_knowledge_updates,
    summary,
)
from bench.remembering import MODES
from bench.results import write_result
from bench.vector_cache import CachedEmbedder
from smriti_es import MiniLMEmbedder
from smriti_es.embedders import Embedder

# What is promised of facts that are stated as they are, asked by person and predicate.
RIGHT_WANTED: Final = 99.0
_COUNTS: Final = ("stale_unlabelled", "mislabelled", "leaked_scope", "stale_first")

Figures = Mapping[str, Any]


def knowledge_updates_command(
    console: Console,
    *,
    seeds: Sequence[int],
    facts: int,
    each: int,
    out: Path | None = None,
    embedder: Embedder | None = None,
) -> Path:
    """Run the bench, print its tables and write its result.

    Args:
        console: Where to print.
        seeds: One history each.
        facts: About how many statements of fact each history holds.
        each: How many questions of each kind each history is asked.
        out: Where to write the result; None: the usual place.
        embedder: Makes vectors; None: the default model, with a cache on disk.

    Returns:
        Where the result was written.
    """
    if embedder is None:
        with CachedEmbedder(MiniLMEmbedder(batch_size=1)) as cached:
            return knowledge_updates_command(
                console, seeds=seeds, facts=facts, each=each, out=out, embedder=cached
            )
    figures = _run(console, embedder, seeds, facts, each)
    console.print(_shares(figures))
    console.print(_counts(figures))
    return write_result(
        "knowledge_updates",
        settings={
            "seeds": list(seeds),
            "facts_per_history": facts,
            "questions_per_kind_and_history": each,
            "k": K,
            "budget": BUDGET,
            "embedder": embedder.identity.model,
            "right_first_wanted": {"mode": "direct", "way": "facts", "share": RIGHT_WANTED},
            "left_out": ["poisoned turns", "erasures"],
        },
        figures=figures,
        folder=Path(tempfile.gettempdir()),
        path=out,
    )


def _run(
    console: Console, embedder: Embedder, seeds: Sequence[int], facts: int, each: int
) -> dict[str, Any]:
    with ProgressBar(console=console, transient=True) as bar:
        task = bar.add_task("knowledge updates")

        def show(phase: str, done: int, total: int) -> None:
            bar.update(task, description=phase, completed=done, total=total)

        outcomes = run_knowledge_updates(seeds, embedder, facts=facts, each=each, progress=show)
    modes: dict[str, Any] = {mode: summary(outcome) for mode, outcome in outcomes.items()}
    return {
        **modes,
        "facts_buy": {mode: difference(modes[mode], modes["off"]) for mode in MODES[1:]},
    }


def _shares(figures: Figures) -> Table:
    """Show how often the right value came first, by kind of question; `+` is what facts buy."""
    table = Table(title="right value first, %: turns alone, facts stated directly, by patterns")
    for column in ("question", "asked", "facts: direct", "patterns"):
        table.add_column(column, justify="left" if column == "question" else "right")
    for way in WAYS[1:]:
        for column in (f"{way}: off", "direct", "+", "patterns", "+"):
            table.add_column(column, justify="right")
    rows = {kind: kind for kind in figures["off"]["kinds"]} | {"all": None}
    for name, kind in rows.items():
        modes = {mode: _of_kind(figures[mode], kind) for mode in MODES}
        asked = sum(each["asked"] for each in figures["off"]["kinds"].values())
        count = asked if kind is None else figures["off"]["kinds"][kind]["asked"]
        cells = [f"{modes[mode]['facts']:.1f}" for mode in MODES[1:]]
        for way in WAYS[1:]:
            off = modes["off"][way]
            cells.append(f"{off:.1f}")
            for mode in MODES[1:]:
                cells += [f"{modes[mode][way]:.1f}", f"{modes[mode][way] - off:+.1f}"]
        table.add_row(name, str(count), *cells)
    return table


def _of_kind(mode: Figures, kind: str | None) -> Figures:
    found: Figures = mode["right_first"] if kind is None else mode["kinds"][kind]["right_first"]
    return found


def _counts(figures: Figures) -> Table:
    """Show what must not be: facts that are shown as current and are not, and so on."""
    table = Table(title="what must not be there, over all answers: facts / search / context")
    table.add_column("")
    for mode in MODES:
        table.add_column(f"{mode} ({figures[mode]['facts']:,} facts)", justify="right")
    for name in _COUNTS:
        cells = [" / ".join(str(figures[mode][name][way]) for way in WAYS) for mode in MODES]
        table.add_row(name.replace("_", " "), *cells)
    return table
