"""`python -m bench.mutation [MODULE...]`: try the mutants of modules, print and keep what survives.

Each module's figures replace those that `bench/results/mutation.json` holds of it. With --survivors
only the mutants that survived the last time are tried again, after tests were added for them.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench.mutation.mutants import mutants_of
from bench.mutation.targets import TARGETS
from bench.mutation.trials import DIED, SURVIVED, TIMED_OUT, Target, apart, try_mutants

ROOT: Final = Path(__file__).parents[2]
RESULT: Final = ROOT / "bench" / "results" / "mutation.json"
EQUIVALENT: Final = Path(__file__).with_name("equivalent.toml")
_COPIED: Final = ("alembic", "docs", "events", "projections", "smriti_es", "tests")
_HOURS: Final = 12 * 3600


def main() -> None:
    """Try mutants of the modules that the command line names; of all without one."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", help=f"of {', '.join(TARGETS)}; none: all")
    parser.add_argument("--sample", type=int, default=0, help="so many of each module; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--survivors", action="store_true", help="only those that survived before")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULT, help="default: %(default)s")
    options = parser.parse_args()
    for path in options.modules or TARGETS:
        before = figures_in(options.out).get(path)
        found = _module(path, before if options.survivors else None, options)
        _show(path, found)
        _, written = apart(partial(_write, path, found, options.out), 60)
        if not written:
            sys.exit(f"{options.out} could not be written")


def figures_in(result: Path) -> dict[str, Any]:
    """Read the figures of a result file, by module; none where there is no file."""
    if not result.is_file():
        return {}
    found: dict[str, Any] = json.loads(result.read_text("utf-8"))["figures"]
    return found


def equivalents_of(path: str) -> dict[str, str]:
    """Read which mutants of a module change nothing that a caller could see: key and reason."""
    groups = tomllib.loads(EQUIVALENT.read_text("utf-8")).get(path, ())
    return {key: group["why"] for group in groups for key in group["mutants"]}


def _module(
    path: str, before: Mapping[str, Any] | None, options: argparse.Namespace
) -> dict[str, Any]:
    """Try mutants of one module and give its figures."""
    every = mutants_of((ROOT / path).read_text("utf-8"))
    equivalent = equivalents_of(path)
    worth = [each for each in every if each.key not in equivalent]
    if before is None:
        size = min(options.sample or len(worth), len(worth))
        chosen, gone = random.Random(options.seed).sample(worth, size), 0
    else:
        left = {each.partition(", ")[2] for each in before["survivors"]}
        chosen = [each for each in worth if each.key in left]
        # Those that are no longer there, or are equivalent, were not worth trying.
        gone = len(left) - len(chosen)
        size = before["tried"] - gone
    outcomes = _tried_in_copies(Target(path, TARGETS[path], chosen), options.processes)
    survivors = [each for each in chosen if outcomes[each.key] == SURVIVED]
    by_time, by_death = (list(outcomes.values()).count(each) for each in (TIMED_OUT, DIED))
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "mutants": len(every),
        "equivalent": len(every) - len(worth),
        "tried": size,
        "killed": size - len(survivors),
        "of_these_by_time": by_time + (before or {}).get("of_these_by_time", 0),
        "of_these_by_death": by_death + (before or {}).get("of_these_by_death", 0),
        "killed_percent": round(100 * (size - len(survivors)) / max(size, 1), 1),
        "survivors": [f"line {each.line}, {each.key}" for each in survivors],
    }


def _tried_in_copies(target: Target, processes: int) -> dict[str, str]:
    """Share the mutants out among processes, each with its own copy of the repository."""
    if not target.mutants:
        return {}
    processes = min(processes, len(target.mutants))
    with tempfile.TemporaryDirectory(prefix="mutation-") as scratch:
        shares = [target.mutants[start::processes] for start in range(processes)]
        copies = [_copy(Path(scratch, str(number)), target.path) for number in range(processes)]
        with ThreadPoolExecutor(processes) as pool:
            answers = pool.map(
                lambda share, copy: apart(
                    lambda: _quietly(replace(target, mutants=share), copy), _HOURS
                )[1],
                shares,
                copies,
            )
            outcomes: dict[str, str] = {}
            for answer in answers:
                if answer is None:
                    sys.exit(f"{target.path}: the tests fail without a mutant, or cannot be run")
                outcomes |= answer
    return outcomes


def _quietly(target: Target, copy: Path) -> dict[str, str]:
    """Try mutants, and keep what the tests print to this process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    return try_mutants(target, copy)


def _copy(folder: Path, mutated: str) -> Path:
    for name in _COPIED:
        shutil.copytree(ROOT / name, folder / name, symlinks=True)
    shutil.copy2(ROOT / "pyproject.toml", folder)
    for stale in (folder / mutated).parent.glob(f"__pycache__/{Path(mutated).stem}.*"):
        stale.unlink()
    return folder.resolve()


def _show(path: str, found: Mapping[str, Any]) -> None:
    for each in found["survivors"]:
        print(f"  {each}")
    print(
        f"{path}: {found['killed']} of {found['tried']} killed ({found['killed_percent']} %), "
        f"{found['mutants']} mutants, {found['equivalent']} equivalent",
        flush=True,
    )


def _write(path: str, found: Mapping[str, Any], out: Path) -> bool:
    # Loads the product, which no process may have done that tries mutants.
    from bench.results import write_result

    figures = figures_in(out) | {path: dict(found)}
    write_result(
        "mutation",
        settings={"tests": {each: TARGETS[each] for each in figures}},
        figures={each: figures[each] for each in TARGETS if each in figures},
        folder=Path(tempfile.gettempdir()),
        path=out,
        program="python -m bench.mutation",
    )
    return True


if __name__ == "__main__":
    main()
