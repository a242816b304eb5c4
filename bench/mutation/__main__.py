"""`python -m bench.mutation [MODULE...]`: try the mutants, print and keep what survives."""

import argparse
import os
import random
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from bench.mutation.mutants import Mutant, mutants_of
from bench.mutation.targets import TARGETS
from bench.mutation.trials import DIED, SURVIVED, TIMED_OUT, Target, apart, try_mutants

ROOT: Final = Path(__file__).parents[2]
EQUIVALENT: Final = Path(__file__).with_name("equivalent.toml")
_COPIED: Final = ("alembic", "docs", "events", "projections", "smriti_es", "tests")
_HOURS: Final = 12 * 3600


def main() -> None:
    """Try mutants of the modules that the command line names; of all without one."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", help=f"of {', '.join(TARGETS)}; none: all")
    parser.add_argument("--sample", type=int, default=0, help="so many of each module; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--key", default="", help="only mutants with this in their key")
    parser.add_argument("--out", type=Path, help="write here; default: bench/results/mutation.json")
    options = parser.parse_args()
    known = tomllib.loads(EQUIVALENT.read_text("utf-8"))
    figures = {}
    for path in options.modules or TARGETS:
        every = mutants_of((ROOT / path).read_text("utf-8"))
        named = [each for each in every if options.key in each.key]
        equivalent = {each["mutant"]: each["why"] for each in known.get(path, ())}
        figures[path] = _module(path, named, equivalent, options)
        _show(path, figures[path])
    if not options.modules and not options.key:
        print(f"written to {_written(figures, options)}")


def _module(
    path: str, every: Sequence[Mutant], equivalent: Mapping[str, str], options: argparse.Namespace
) -> dict[str, Any]:
    """Try the mutants of one module and give its figures."""
    worth = [each for each in every if each.key not in equivalent]
    size = min(options.sample or len(worth), len(worth))
    tried = random.Random(options.seed).sample(worth, size)
    outcomes = _tried_in_copies(Target(path, TARGETS[path], tried), options.processes)
    survivors = [each for each in worth if outcomes.get(each.key) == SURVIVED]
    return {
        "mutants": len(every),
        "equivalent": len(every) - len(worth),
        "tried": size,
        "killed": size - len(survivors),
        "of_these_by_time": list(outcomes.values()).count(TIMED_OUT),
        "of_these_by_death": list(outcomes.values()).count(DIED),
        "killed_percent": round(100 * (size - len(survivors)) / size, 1) if size else None,
        "survivors": [f"line {each.line}, {each.key}" for each in survivors],
    }


def _tried_in_copies(target: Target, processes: int) -> dict[str, str]:
    """Share the mutants out among processes, each with its own copy of the repository."""
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
    """Try mutants and keep what the tests print to this process; it is of no interest."""
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


def _written(figures: Mapping[str, Any], options: argparse.Namespace) -> Path:
    # Loads the product, which must not happen before the mutants were tried.
    from bench.results import write_result

    return write_result(
        "mutation",
        settings={"sample": options.sample or "all", "seed": options.seed},
        figures=figures,
        folder=Path(tempfile.gettempdir()),
        path=options.out,
        program="python -m bench.mutation",
    )


if __name__ == "__main__":
    main()
