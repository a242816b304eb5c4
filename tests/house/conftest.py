"""What the house tests share: the checkout, the text of its files, and a way to run code apart."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import smriti_es

ROOT = Path(__file__).resolve().parents[2]
# Made by tools, never committed.
GENERATED = {"build", "dist", "htmlcov", "__pycache__"}
TEXT_BYTES_MAX = 2_000_000


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The repository's root; the test is skipped where only the installed package exists."""
    if not (ROOT / "pyproject.toml").is_file():
        pytest.skip("needs a checkout")
    return ROOT


@pytest.fixture(scope="session")
def project(checkout: Path) -> dict[str, Any]:
    """The parsed pyproject.toml."""
    return tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))


@pytest.fixture(scope="session")
def texts(checkout: Path) -> Mapping[Path, str]:
    """Every text file by its path from the root; what lies behind a link is found once."""
    found = {}
    for folder, subfolders, names in os.walk(checkout):
        subfolders[:] = [name for name in subfolders if not _generated(name)]
        # In a working tree beside the main one, `.git` is a file of git's own.
        for path in (Path(folder, name) for name in names if name != ".git"):
            if (text := _text(path)) is not None:
                found[path.relative_to(checkout)] = text
    return found


@pytest.fixture(scope="session")
def sources(texts: Mapping[Path, str]) -> Mapping[Path, str]:
    """The Python files among `texts`."""
    return {path: text for path, text in texts.items() if path.suffix == ".py"}


@pytest.fixture(scope="session")
def run_apart() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run Python arguments in a fresh interpreter that finds the same smriti_es as this one."""

    def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
        found_in = str(Path(smriti_es.__file__).parents[1])
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": found_in, "PYTHONUTF8": "1"},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run


def _generated(folder: str) -> bool:
    hidden = folder.startswith(".") and folder != ".ci"
    return hidden or folder in GENERATED or folder.endswith(".egg-info")


def _text(path: Path) -> str | None:
    if path.is_symlink() or path.stat().st_size > TEXT_BYTES_MAX:
        return None
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
