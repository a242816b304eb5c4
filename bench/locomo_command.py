"""`python -m bench locomo`: what may be chosen, and how the figures are shown and kept."""

import dataclasses
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress as ProgressBar
from rich.table import Table

from bench.locomo import (
    QuestionResult,
    embedding_times,
    run_locomo,
    summary,
    texts_to_embed,
)
from bench.locomo_data import SPLITS, Conversation, file_sha256, load_locomo
from bench.results import write_result
from bench.timed_embedder import TimedEmbedder
from bench.vector_cache import CachedEmbedder
from smriti_es import MiniLMEmbedder, Settings
from smriti_es.recall.weights import RecallSettings

_RANKING_SHOWN: Final = ("r@1", "r@3", "r@5", "r@10", "r@20", "r@50", "sr@5")
_CONTEXT_SHOWN: Final = ("ctx_full", "ctx_all_full", "ans_in_ctx")


def locomo_command(  # noqa: PLR0913  one argument an option
    console: Console,
    *,
    data: Path,
    split: str,
    budgets: Sequence[int],
    recall: RecallSettings,
    out: Path | None,
    details: Path | None,
    facts: bool = True,
) -> Path:
    """Run the bench, print its tables and write its result.

    Args:
        console: Where to print.
        data: The data file.
        split: dev, test or both.
        budgets: Sizes of the contexts, in characters.
        recall: The weights of the ranking.
        out: Where to write the result; None: the usual place.
        details: Where to write one line of JSON per question, or None.
        facts: Whether facts are extracted as by default, or none at all.

    Returns:
        Where the result was written.
    """
    chosen = [c for c in load_locomo(data) if split in (c.split, "both")]
    settings = Settings(embed_in_background=False, recall=recall)
    results = _ask(console, chosen, settings, budgets, facts=facts)
    if details is not None:
        _write_details(results, details)
    figures = _figures(chosen, results, budgets)
    for name, figure in figures.items():
        console.print(_quality_table(name, figure, budgets))
    console.print(_latency_table(figures))
    return write_result(
        "locomo",
        settings={
            "split": split,
            "budgets": list(budgets),
            "embedder": "all-MiniLM-L6-v2, one text at a time",
            "repetitions": 1,
            "extractor": "patterns of English" if facts else None,
            "recall": dataclasses.asdict(recall),
        },
        figures=figures,
        folder=Path(tempfile.gettempdir()),
        data_sha256=file_sha256(data),
        path=out,
    )


def recall_settings(weights: Mapping[str, float]) -> RecallSettings:
    """Give the default weights with some changed.

    Raises:
        ValueError: There is no weight of that name.
    """
    defaults = dataclasses.asdict(RecallSettings())
    if unknown := sorted(weights.keys() - defaults.keys()):
        raise ValueError(f"no weight {unknown[0]!r}; there are {', '.join(defaults)}")
    typed = {name: type(defaults[name])(value) for name, value in weights.items()}
    return dataclasses.replace(RecallSettings(), **typed)


def _ask(
    console: Console,
    conversations: Sequence[Conversation],
    settings: Settings,
    budgets: Sequence[int],
    *,
    facts: bool,
) -> list[QuestionResult]:
    with (
        CachedEmbedder(MiniLMEmbedder(batch_size=1)) as cached,
        ProgressBar(console=console, transient=True) as bar,
    ):
        task = bar.add_task("embed")

        def show(phase: str, done: int, total: int) -> None:
            bar.update(task, description=phase, completed=done, total=total)

        cached.fill(texts_to_embed(conversations), lambda done, total: show("embed", done, total))
        return run_locomo(
            conversations,
            TimedEmbedder(cached),
            settings=settings,
            budgets=budgets,
            progress=show,
            facts=facts,
        )


def _figures(
    conversations: Sequence[Conversation],
    results: Sequence[QuestionResult],
    budgets: Sequence[int],
) -> dict[str, Any]:
    model = MiniLMEmbedder()
    figures: dict[str, Any] = {}
    for split in SPLITS:
        members = [c for c in conversations if c.split == split]
        if not members:
            continue
        names = {c.name for c in members}
        questions = [question.text for c in members for question in c.questions]
        figures[split] = summary(
            [result for result in results if result.conversation in names],
            budgets,
            embedding_times(model, questions),
        )
    return figures


def _write_details(results: Sequence[QuestionResult], path: Path) -> None:
    """Write a line per question, without any text of the data set, to compare two runs by."""
    lines = [json.dumps(dataclasses.asdict(result)) for result in results]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _quality_table(split: str, figure: Mapping[str, Any], budgets: Sequence[int]) -> Table:
    table = Table(title=f"LoCoMo {split}: {figure['scored']} of {figure['questions']} scored")
    columns = ["", "scored", *_RANKING_SHOWN]
    columns += [f"{name}@{budget}" for name in _CONTEXT_SHOWN for budget in budgets]
    for column in columns:
        table.add_column(column, justify="right")
    rows = {"all": figure, **figure["categories"]}
    for name, row in rows.items():
        cells = [row["ranking"].get(metric) for metric in _RANKING_SHOWN]
        cells += [row["context"][str(b)].get(metric) for metric in _CONTEXT_SHOWN for b in budgets]
        shown = ["-" if cell is None else f"{cell:.1f}" for cell in cells]
        table.add_row(name, str(row["scored"]), *shown)
    return table


def _latency_table(figures: Mapping[str, Any]) -> Table:
    table = Table(title="milliseconds per question: p50 / p95")
    table.add_column("")
    for split in figures:
        table.add_column(split, justify="right")
    first = next(iter(figures.values()))
    for name in first["latency_ms"]:
        found = [figure["latency_ms"][name] for figure in figures.values()]
        table.add_row(name, *(f"{cell['p50']:.1f} / {cell['p95']:.1f}" for cell in found))
    return table
