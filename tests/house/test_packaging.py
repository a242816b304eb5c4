"""The wheel holds all of the packages, and asks for all that they import."""

import ast
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import files, packages_distributions
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

LINKS = {"smriti_es/events": "../events", "smriti_es/projections": "../projections"}
PRODUCT = {"smriti_es", "events", "projections", "alembic"}
# Shipped as well, and no code: a bundle encloses the page on the format.
PAGES = "docs"


def folder_of(package: str, mapping: Mapping[str, str]) -> str:
    """Where setuptools looks for a package: the nearest mapped name above it, then the rest."""
    parts = package.split(".")
    for count in range(len(parts), 0, -1):
        if (mapped := mapping.get(".".join(parts[:count]))) is not None:
            return str(PurePosixPath(mapped, *parts[count:]))
    return "/".join(parts)


def normalised(requirement: str) -> str:
    """The name of a distribution as package indexes compare it."""
    name = re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def imported_distributions(sources: Mapping[Path, str]) -> set[str]:
    """The distributions that the product's imports come from; `?name` where nobody provides it."""
    names: set[str] = set()
    for path, text in sources.items():
        if path.parts[0] not in PRODUCT:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    provided = packages_distributions()
    ours = sys.stdlib_module_names | {"smriti_es"}
    return {
        normalised(distribution)
        for name in names
        if (top := name.split(".")[0]) not in ours
        for distribution in homes_of(name, provided.get(top, [f"?{top}"]))
    }


def homes_of(name: str, candidates: Sequence[str]) -> set[str]:
    """Those of the distributions that share a namespace which hold what is imported."""
    parts = name.split(".")
    for count in range(len(parts), 1, -1):
        path = "/".join(parts[:count])
        holders = {each for each in set(candidates) if holds(each, path)}
        if holders and len(set(candidates)) > 1:
            return holders
    return set(candidates)


@cache
def holds(distribution: str, path: str) -> bool:
    """Whether a distribution has a module or package at a path."""
    return any(
        str(each).startswith((f"{path}/", f"{path}.py")) for each in files(distribution) or []
    )


def test_every_package_folder_is_listed(
    sources: Mapping[Path, str], project: dict[str, Any]
) -> None:
    settings = project["tool"]["setuptools"]
    listed = {folder_of(package, settings["package-dir"]) for package in settings["packages"]}
    folders = {
        path.parent.as_posix()
        for path in sources
        if path.parts[0] in PRODUCT and (path.name == "__init__.py" or path.parts[0] == "alembic")
    }
    assert listed == folders | {PAGES}


def test_packages_are_listed_in_order(project: dict[str, Any]) -> None:
    packages = project["tool"]["setuptools"]["packages"]
    assert packages == sorted(packages)


def test_every_data_file_of_a_package_is_shipped(
    checkout: Path, sources: Mapping[Path, str], project: dict[str, Any]
) -> None:
    settings = project["tool"]["setuptools"]
    folders = {
        checkout / folder_of(package, settings["package-dir"]): package
        for package in settings["packages"]
    }
    forgotten = []
    for folder, package in folders.items():
        patterns = settings["package-data"].get(package, [])
        shipped = {path for pattern in patterns for path in folder.glob(pattern)}
        forgotten += [
            f"{package}: {path.relative_to(folder)}"
            for path in folder.rglob("*")
            if path.is_file() and path.suffix not in {".py", ".pyc"}
            if next(each for each in path.parents if each in folders) == folder
            if path not in shipped
        ]
    assert forgotten == []


def test_the_alembic_folder_never_becomes_a_package(checkout: Path) -> None:
    # It would hide the library of that name from whoever runs Python in the root.
    assert not (checkout / "alembic" / "__init__.py").exists()


@pytest.mark.parametrize("link", LINKS)
def test_the_links_lead_to_the_real_folders(link: str, checkout: Path) -> None:
    if not (checkout / ".git").exists():
        pytest.skip("a source distribution holds no links")
    assert os.readlink(checkout / link) == LINKS[link]


def test_the_package_says_that_it_is_typed(checkout: Path) -> None:
    assert (checkout / "smriti_es" / "py.typed").is_file()


def test_everything_imported_is_declared(
    sources: Mapping[Path, str], project: dict[str, Any]
) -> None:
    extras = project["project"]["optional-dependencies"]
    offered = {
        name: needs for name, needs in extras.items() if name not in {"dev", "bench", "docs", "all"}
    }
    declared = {
        normalised(one)
        for needs in [project["project"]["dependencies"], *offered.values()]
        for one in needs
    }
    assert imported_distributions(sources) - declared == set()


def test_nothing_is_required_that_is_not_imported(
    sources: Mapping[Path, str], project: dict[str, Any]
) -> None:
    required = {normalised(one) for one in project["project"]["dependencies"]}
    assert required - imported_distributions(sources) == set()


def test_the_licence_is_the_apache_licence_and_is_shipped(
    checkout: Path, project: dict[str, Any]
) -> None:
    text = (checkout / "LICENSE").read_text("utf-8")
    assert project["project"]["license"] == "Apache-2.0"
    assert set(project["project"]["license-files"]) == {"LICENSE", "NOTICE"}
    assert text.split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert "END OF TERMS AND CONDITIONS" in text
