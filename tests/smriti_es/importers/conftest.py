"""Files that importers read, and what they give."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.importers import Conversation, LeftOut, find_source


@pytest.fixture
def as_json(tmp_path: Path) -> Callable[..., Path]:
    """Write a value to a file as JSON."""

    def write(value: Any, name: str = "export.json") -> Path:
        file = tmp_path / name
        file.write_text(json.dumps(value), "utf-8")
        return file

    return write


@pytest.fixture
def read() -> Callable[[Path], tuple[list[Conversation], list[str]]]:
    """Read a file: its conversations, and what is left out, each as one line without the file."""

    def run(file: Path) -> tuple[list[Conversation], list[str]]:
        items = list(find_source(file).items())
        left_out = [each for each in items if isinstance(each, LeftOut)]
        lines = [str(each).removeprefix(f"{each.place.file}: ") for each in left_out]
        return [each for each in items if isinstance(each, Conversation)], lines

    return run
