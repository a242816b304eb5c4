"""Imports run one way: surfaces, then the engine, then projections, then events."""

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

MAY_IMPORT = {
    "events": {"events"},
    "projections": {"events", "projections"},
}
SURFACES = {"cli", "mcp", "proxy", "rest", "ui"}


def imported(text: str) -> set[str]:
    """The dotted name of everything that the code imports, wherever the import stands."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def own_parts(text: str) -> set[str]:
    """What the code imports of ours, by the name that follows `smriti_es.`."""
    return {
        f"{name}.".split(".")[1] for name in imported(text) if name.split(".")[0] == "smriti_es"
    }


@pytest.mark.parametrize("floor", MAY_IMPORT)
def test_a_floor_imports_only_what_lies_below(floor: str, sources: Mapping[Path, str]) -> None:
    on_floor = {path: text for path, text in sources.items() if path.parts[0] == floor}
    upward = {
        str(path): upwards
        for path, text in on_floor.items()
        if (upwards := own_parts(text) - MAY_IMPORT[floor])
    }
    assert on_floor
    assert upward == {}


def test_only_a_surface_imports_a_surface(sources: Mapping[Path, str]) -> None:
    upward = {
        str(path): used
        for path, text in sources.items()
        if path.parts[0] == "smriti_es"
        and path.parts[1] not in SURFACES | {"__main__.py"}
        and (used := own_parts(text) & SURFACES)
    }
    assert upward == {}


def test_the_product_imports_neither_its_tests_nor_its_benches(sources: Mapping[Path, str]) -> None:
    strange = {
        str(path): used
        for path, text in sources.items()
        if path.parts[0] in {"events", "projections", "smriti_es", "alembic"}
        and (used := {name.split(".")[0] for name in imported(text)} & {"bench", "tests"})
    }
    assert strange == {}
