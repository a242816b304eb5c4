"""`python -m bench log`: repeat, take medians, show and keep them."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from bench.log import FULL_SIZES, LogSizes, measure_log
from bench.repeating import repeated
from bench.results import write_result
from bench.synthetic import SEED

# What the first release promises; the bench shows it beside what it found.
IMPORT_WANTED: Final = 6_000
VERIFY_WANTED: Final = 12_000
_NO_PEER: Final = ("", "")


def log_command(
    console: Console,
    *,
    folder: Path,
    repetitions: int,
    sizes: LogSizes = FULL_SIZES,
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
    figures = repeated(console, "log", repetitions, lambda show: measure_log(folder, sizes, show))
    console.print(_table(figures))
    return write_result(
        "log",
        settings={
            "repetitions": repetitions,
            "figures_are": "medians over the repetitions",
            "sizes": asdict(sizes),
            "synchronous": "FULL, but for the sections that say NORMAL",
            "generator_seed": SEED,
        },
        figures=figures,
        folder=folder,
        path=out,
    )


def _table(figures: Mapping[str, Mapping[str, float]]) -> Table:
    table = Table(title="the log, beside sqlite3 with the same hashing by hand, and eventsourcing")
    for column in ("", "smriti-es", "raw sqlite3", "ratio", "eventsourcing", "ratio", "wanted"):
        table.add_column(column, justify="right" if column else "left")
    for row in _rows(figures):
        table.add_row(*row)
    return table


def _rows(figures: Mapping[str, Mapping[str, float]]) -> list[tuple[str, ...]]:
    add, threads = figures["add"], figures["threads"]
    rows = [
        _rate_row(f"append, {_commit_of(name)}, events/s", found)
        for name, found in figures.items()
        if name.startswith("append_")
    ]
    rows += [
        (
            "one turn added, p50 / p95 ms",
            f"{add['p50_ms']:.2f} / {add['p95_ms']:.2f}",
            f"{add['raw_p50_ms']:.2f}",
            f"{add['over_raw']:.2f}",
            *_NO_PEER,
            f"at most {add['limit_ms']:.2f}",
        ),
        (
            "the disk's fdatasync, p50 / p95 ms",
            f"{add['fdatasync_p50_ms']:.2f} / {add['fdatasync_p95_ms']:.2f}",
            "",
            f"{add['over_fdatasync']:.2f}",
            *_NO_PEER,
            "",
        ),
        (
            "threads that wait, turns/s; p50 ms",
            f"{threads['turns_per_s']:,.0f}; {threads['p50_ms']:.1f}",
            "",
            "",
            *_NO_PEER,
            "",
        ),
        _replay_row(figures["replay"]),
        _rate_row("import, turns/s", figures["import"], f"{IMPORT_WANTED:,}"),
        _rate_row("import, looking for facts, turns/s", figures["import_looking_for_facts"]),
        _rate_row("read and fold, events/s", figures["read_and_fold"]),
        _rate_row("verify, events/s", figures["verify"], f"{VERIFY_WANTED:,}"),
    ]
    rows += [
        (f"rebuild {name.partition('_')[0]}, events/s", f"{rate:,.0f}", "", "", *_NO_PEER, "")
        for name, rate in figures["rebuild"].items()
    ]
    return rows


def _commit_of(name: str) -> str:
    """Say of which commits a section tells: `append_10_normal`."""
    _, per_commit, *normal = name.split("_")
    return f"{per_commit} a commit{', synchronous NORMAL' if normal else ''}"


def _rate_row(label: str, found: Mapping[str, Any], wanted: str = "") -> tuple[str, ...]:
    ours, raw = f"{found['events_per_s']:,.0f}", f"{found['raw_events_per_s']:,.0f}"
    return (label, ours, raw, f"{found['ratio']:.2f}", *_peer_cells(found), wanted)


def _replay_row(found: Mapping[str, Any]) -> tuple[str, ...]:
    ours = f"{found['events_per_s']:,.0f}"
    return ("verify and read back, events/s", ours, "", "", *_peer_cells(found), "")


def _peer_cells(found: Mapping[str, Any]) -> tuple[str, str]:
    if "over_peer" not in found:
        return _NO_PEER
    return f"{found['peer_events_per_s']:,.0f}", f"{found['over_peer']:.2f}"
