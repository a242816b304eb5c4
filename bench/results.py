"""Results as files: one JSON object a bench, with everything needed to read its figures."""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bench.machine import ROOT, command_line, commit, machine_facts, software_versions

RESULTS: Final = ROOT / "bench" / "results"


def write_result(
    bench: str,
    *,
    settings: Mapping[str, Any],
    figures: Mapping[str, Any],
    folder: Path,
    data_sha256: str | None = None,
    path: Path | None = None,
    program: str = "python -m bench",
) -> Path:
    """Write what a bench found.

    Args:
        bench: Its name.
        settings: What was chosen, with the number of repetitions where a figure is a median.
        figures: What was measured.
        folder: Where the bench wrote its databases, for the file system's sake.
        data_sha256: SHA-256 of the data file, where there is one.
        path: Where to write; None: `bench/results/<bench>.json`.
        program: What was called, up to its arguments.

    Returns:
        Where it was written.
    """
    result = {
        "bench": bench,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine_facts(folder),
        "versions": software_versions(),
        "command": command_line(program),
        "data_sha256": data_sha256,
        "settings": dict(settings),
        "figures": dict(figures),
    }
    target = path or RESULTS / f"{bench}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    # Whole or not at all: a table made meanwhile must not read half a result.
    written = target.with_name(f"{target.name}.part")
    written.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", "utf-8")
    os.replace(written, target)
    return target
