"""Peers beside this library in one run: the harness of peers with our adapter in it.

The harness lies in a folder of its own, set up with its `setup.sh`: an environment for every peer,
the model, the vectors. It runs one process a phase, one after the other, all on the same vectors.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

OURS: Final = "smriti_es"
# The same library with its default embedder, for what late interaction adds.
OURS_WITH_TOKENS: Final = "smriti_es_tokens"
_ADAPTER: Final = Path(__file__).with_name("peer_adapter.py")
_REGISTERED: Final = f"""
ADAPTERS["{OURS_WITH_TOKENS}"] = ("{OURS}", "smriti_es", "SmritiES", {{"tokens": True}})
"""
# What is kept of a phase, under the name of the harness. More is better where it says so.
_INGEST: Final = {
    "turns_per_s": "turns_per_s_engine",
    "peak_rss_mib": "peak_rss_mib",
    "kib_per_1k_turns": "kib_per_1k_turns",
}
_SEARCH: Final = {
    "search_p50_ms": "p50_ms",
    "search_p95_ms": "p95_ms",
    "open_ms": "open_s",
    "search_peak_rss_mib": "peak_rss_mib",
}
_QUALITY: Final = (
    *(f"recall@{depth}" for depth in (5, 10, 20)),
    *(f"complete@{budget}" for budget in (1_500, 3_000, 9_000)),
)

Show = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Harness:
    """A harness that is set up, with our adapter in a copy of its programs.

    Attributes:
        root: Its folder, with `venvs`, `model` and `cache`.
        folder: Where its programs are copied to, and where stores and results go.
        data: The LoCoMo file, or None.
    """

    root: Path
    folder: Path
    data: Path | None = None

    def prepare(self) -> None:
        """Copy the programs, put our adapter among them, and lead to our interpreter.

        Raises:
            FileNotFoundError: The folder is no harness, or it is not set up.
        """
        if not (self.root / "venvs" / "base").exists():
            raise FileNotFoundError(f"{self.root} has no venvs/base: run its setup.sh first")
        programs = self.folder / "bench"
        shutil.copytree(self.root / "bench", programs)
        shutil.copyfile(_ADAPTER, programs / "adapters" / "smriti_es.py")
        with (programs / "adapters" / "__init__.py").open("a", encoding="utf-8") as registry:
            registry.write(_REGISTERED)
        ours = self.root / "venvs" / OURS
        if not ours.exists():
            ours.symlink_to(sys.prefix)

    def run(self, what: str, systems: Sequence[str], show: Show, *options: str) -> None:
        """Run one kind of measurement; every line the harness prints is shown."""
        base = self.root / "venvs" / "base" / "bin" / "python"
        given = {
            "PEERBENCH_ROOT": self.root,
            "PEERBENCH_WORK": self.folder / "work",
            "PEERBENCH_RESULTS": self.folder / "results",
            **({} if self.data is None else {"PEERBENCH_LOCOMO": self.data}),
        }
        command = [str(base), "driver.py", what, "--systems", ",".join(systems), *options]
        environment = os.environ | {name: str(value) for name, value in given.items()}
        with subprocess.Popen(
            command,
            cwd=self.folder / "bench",
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as running:
            assert running.stdout is not None
            for line in running.stdout:
                show(line.strip())
        if running.returncode:
            raise subprocess.CalledProcessError(running.returncode, command)

    def rows(self) -> list[dict[str, Any]]:
        """Give what was found so far, a row a phase."""
        lines = (self.folder / "results" / "raw.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]


def speed_figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Put medians together, by number of turns and system."""
    figures: dict[str, dict[str, Any]] = {}
    for size in sorted({row["n"] for row in rows if row["phase"] in ("ingest", "search")}):
        of_size = figures[str(size)] = {}
        for row in rows:
            if row.get("n") == size and row["system"] not in of_size:
                of_size[row["system"]] = _medians(rows, size, row["system"])
        with_ratios(of_size)
    return figures


def _medians(rows: Sequence[Mapping[str, Any]], size: int, system: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for phase, names in (("ingest", _INGEST), ("search", _SEARCH)):
        own = [
            row
            for row in rows
            if (row["phase"], row.get("n"), row.get("system")) == (phase, size, system)
        ]
        if own:
            found["version"] = own[0]["version"]
            for name, theirs in names.items():
                scale = 1_000 if theirs == "open_s" else 1
                found[name] = round(scale * statistics.median(row[theirs] for row in own), 2)
    if any("stopped_at" in row for row in rows if row.get("system") == system):
        found["stopped"] = True
    return found


def with_ratios(systems: dict[str, Any]) -> None:
    """Put beside every peer how it compares: over 1 is how many times better this library is."""
    ours = systems.get(OURS, {})
    for system, found in systems.items():
        if system.startswith(OURS):
            continue
        ratios = {}
        if "turns_per_s" in found and "turns_per_s" in ours:
            ratios["ingest"] = round(ours["turns_per_s"] / found["turns_per_s"], 2)
        for name in ("search_p50_ms", "kib_per_1k_turns", "search_peak_rss_mib"):
            if name in found and ours.get(name):
                ratios[name] = round(found[name] / ours[name], 2)
        found["ours_is_better_by"] = ratios


def quality_figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the last LoCoMo figures of each system, in percent."""
    return {
        row["system"]: {
            "version": row["version"],
            "questions": row["n"],
            **{name: round(100 * row[name], 1) for name in _QUALITY},
        }
        for row in rows
        if row["phase"] == "locomo"
    }


def failures(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which phases failed, each with the last line of what it printed."""
    return [
        f"{row['cmd']}: {(row['stderr'].strip().splitlines() or ['nothing was printed'])[-1]}"
        for row in rows
        if row["phase"] == "error"
    ]
