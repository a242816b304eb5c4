"""`python -m bench locomo` and `longmemeval`: how the figures are found, shown and kept."""

import dataclasses
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress as ProgressBar
from rich.table import Table

from bench.conversations import Conversation, file_sha256
from bench.recall_run import (
    QuestionResult,
    embedding_times,
    run_questions,
    summary,
    texts_to_embed,
)
from bench.results import write_result
from bench.timed_embedder import TimedEmbedder
from bench.vector_cache import CachedEmbedder
from smriti_es import MiniLMEmbedder, Settings
from smriti_es.recall.weights import RecallSettings

_RANKING_SHOWN: Final = ("r@1", "r@3", "r@5", "r@10", "r@20", "r@50", "sr@5")
_CONTEXT_SHOWN: Final = ("ctx_full", "ctx_all_full", "ans_in_ctx")


def recall_command(  # noqa: PLR0913  one argument an option
    console: Console,
    *,
    bench: str,
    conversations: Sequence[Conversation],
    data: Path,
    chosen: Mapping[str, Any],
    budgets: Sequence[int],
    recall: RecallSettings,
    out: Path | None,
    details: Path | None,
    facts: bool = True,
) -> Path:
    """Ask what a data set asks, print tables and write the result.

    Args:
        console: Where to print.
        bench: The data set's name.
        conversations: What is remembered and asked.
        data: The data file.
        chosen: Which part of it was chosen, for the result.
        budgets: Sizes of the contexts, in characters.
        recall: The weights of the ranking.
        out: Where to write the result; None: the usual place.
        details: Where to write one line of JSON per question, or None.
        facts: Whether facts are extracted as by default, or none at all.

    Returns:
        Where the result was written.
    """
    settings = Settings(embed_in_background=False, recall=recall)
    results = _ask(console, conversations, settings, budgets, facts=facts)
    if details is not None:
        _write_details(results, details)
    figures = _figures(conversations, results, budgets)
    for part, figure in figures.items():
        console.print(_quality_table(f"{bench} {part}", figure, budgets))
    console.print(_latency_table(figures))
    return write_result(
        bench,
        settings={
            **chosen,
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
        return run_questions(
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
    for part in dict.fromkeys(c.part for c in conversations):
        members = [c for c in conversations if c.part == part]
        names = {c.name for c in members}
        questions = [question.text for c in members for question in c.questions]
        figures[part] = summary(
            [result for result in results if result.conversation in names],
            budgets,
            embedding_times(model, questions),
        )
    return figures


def _write_details(results: Sequence[QuestionResult], path: Path) -> None:
    """Write a line per question, without any text of the data set, to compare two runs by."""
    lines = [json.dumps(dataclasses.asdict(result)) for result in results]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _quality_table(name: str, figure: Mapping[str, Any], budgets: Sequence[int]) -> Table:
    table = Table(title=f"{name}: {figure['scored']} of {figure['questions']} scored, in percent")
    table.add_column("")
    kinds = {"all": figure, **figure["categories"]}
    for kind in kinds:
        table.add_column(kind, justify="right", overflow="fold")
    table.add_row("questions", *(str(found["scored"]) for found in kinds.values()))
    for metric in _RANKING_SHOWN:
        table.add_row(metric, *(_cell(found["ranking"], metric) for found in kinds.values()))
    for metric in _CONTEXT_SHOWN:
        for budget in budgets:
            cells = (_cell(found["context"][str(budget)], metric) for found in kinds.values())
            table.add_row(f"{metric}@{budget}", *cells)
    return table


def _cell(scores: Mapping[str, float], metric: str) -> str:
    return f"{scores[metric]:.1f}" if metric in scores else "-"


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
