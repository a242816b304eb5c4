"""What a user can meet is written down, and what is written down exists."""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from smriti_es.events import errors
from smriti_es.events.catalogue import EVENT_TYPES

ERRORS = sorted(
    name
    for name, value in vars(errors).items()
    if inspect.isclass(value) and issubclass(value, errors.SmritiError)
)
VARIABLE = re.compile(r"\bSMRITI_ES_[A-Z_]+\b")
SHELL_BLOCK = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND_LINE = re.compile(r"^(?:\$ )?smriti-es((?: [a-z-]+)+)", re.MULTILINE)
INLINE_COMMAND = re.compile(r"`smriti-es((?: [a-z-]+)+)")


def page(checkout: Path, name: str) -> str:
    path = checkout / "docs" / name
    assert path.is_file(), f"docs/{name} is missing"
    return path.read_text("utf-8")


def verbs(command: Any, *above: str) -> Iterator[tuple[str, ...]]:
    """Each verb as the words that call it: ("add",), ("log", "verify")."""
    subcommands = getattr(command, "commands", None)
    if subcommands is None:
        yield above
        return
    for name, subcommand in subcommands.items():
        if not subcommand.hidden:
            yield from verbs(subcommand, *above, name)


def all_verbs() -> set[tuple[str, ...]]:
    return set(verbs(get_command(import_module("smriti_es.cli").app)))


def named_commands(text: str) -> Iterator[tuple[str, ...]]:
    """Each call of the command line that a text shows, as its leading lower-case words."""
    for found in INLINE_COMMAND.findall(text):
        yield tuple(found.split())
    for block in SHELL_BLOCK.findall(text):
        for found in COMMAND_LINE.findall(block):
            yield tuple(found.split())


def exists(named: tuple[str, ...], known: set[tuple[str, ...]]) -> bool:
    """Whether the words begin with a verb, or stop at a group of verbs."""
    return any(named[: len(verb)] == verb or verb[: len(named)] == named for verb in known)


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_is_documented(name: str, checkout: Path) -> None:
    assert f"`{name}`" in page(checkout, "errors.md")


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_stands_in_the_tree_that_the_module_draws(name: str) -> None:
    assert re.search(rf"\b{name}\b", errors.__doc__ or "")


@pytest.mark.parametrize("name", sorted(EVENT_TYPES))
def test_every_event_type_is_documented_with_its_fields(name: str, checkout: Path) -> None:
    text = page(checkout, "events.md")
    members = [item.name for item in fields(EVENT_TYPES[name])]
    assert [word for word in [name, *members] if f"`{word}`" not in text] == []


def test_every_verb_of_the_command_line_is_documented(checkout: Path) -> None:
    text = page(checkout, "cli.md")
    called = {verb: f"smriti-es {' '.join(verb)}" for verb in all_verbs()}
    assert [call for call in called.values() if not re.search(rf"{call}\b", text)] == []


def test_every_command_that_the_docs_and_the_hints_name_exists(
    texts: Mapping[Path, str],
) -> None:
    known = all_verbs()
    told = {path: text for path, text in texts.items() if path.parts[0] not in {"tests", "bench"}}
    invented = [
        f"{path}: smriti-es {' '.join(named)}"
        for path, text in told.items()
        if path.suffix == ".py" or path.parts[0] in {"README.md", "docs"}
        for named in named_commands(text)
        if not exists(named, known)
    ]
    assert invented == []


def test_every_setting_of_an_engine_is_documented(checkout: Path) -> None:
    text = page(checkout, "settings.md")
    open_engine = import_module("smriti_es").Engine.open
    names = [name for name in inspect.signature(open_engine).parameters if name != "cls"]
    names += import_module("smriti_es").Guards.__annotations__
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_environment_variable_is_documented(
    checkout: Path, sources: Mapping[Path, str]
) -> None:
    read = {
        variable
        for path, text in sources.items()
        if path.parts[0] in {"smriti_es", "events", "projections", "alembic"}
        for variable in VARIABLE.findall(text)
    }
    text = page(checkout, "settings.md")
    assert {variable for variable in read if f"`{variable}`" not in text} == set()
