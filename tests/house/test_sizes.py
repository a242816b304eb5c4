"""A file and a function stay small enough to be read at once."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
# One file on purpose: whoever checks a bundle with it reads it from top to bottom first.
IN_ONE_PIECE = {"events/audit/verify_bundle.py": 950}
BANNED_NAMES = {"utils", "helpers", "common", "base", "manager", "misc"}


def long_functions(path: Path, text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                yield f"{path}:{node.lineno} {node.name}: {lines} lines"


def test_no_file_is_longer_than_the_limit(sources: Mapping[Path, str]) -> None:
    lengths = {path.as_posix(): len(text.splitlines()) for path, text in sources.items()}
    assert {
        path: lines
        for path, lines in lengths.items()
        if lines > IN_ONE_PIECE.get(path, FILE_LINES_MAX)
    } == {}


def test_no_function_is_longer_than_a_screen(sources: Mapping[Path, str]) -> None:
    assert [one for path, text in sources.items() for one in long_functions(path, text)] == []


def test_no_file_or_folder_is_named_after_nothing_in_particular(texts: Mapping[Path, str]) -> None:
    vague = {
        str(path)
        for path in texts
        for part in path.parts
        if part.split(".")[0].removeprefix("test_").strip("_").lower() in BANNED_NAMES
    }
    assert vague == set()
