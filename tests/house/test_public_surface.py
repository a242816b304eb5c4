"""`import smriti_es` offers one flat list of names, and costs nothing until one is used."""

import json
import subprocess
from collections.abc import Callable
from inspect import isclass, ismodule
from pathlib import Path

import pytest

import smriti_es
from smriti_es.events import errors

HEAVY = {
    "alembic",
    "cryptography",
    "fastapi",
    "hnswlib",
    "httpx",
    "matplotlib",
    "mcp",
    "numpy",
    "opentelemetry",
    "onnxruntime",
    "prometheus_client",
    "pydantic",
    "rich",
    "sqlalchemy",
    "starlette",
    "tokenizers",
    "typer",
    "uvicorn",
}
# Prints what an import of the package loaded and which sockets it touched.
WATCHED_IMPORT = """
import json, sys
touched = []
sys.addaudithook(lambda event, args: touched.append(event) if event.startswith("socket.") else None)
import smriti_es
print(json.dumps({"loaded": sorted(sys.modules), "touched": touched}))
"""


def as_ruff_sorts(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest: the order that the linter holds `__all__` to."""
    bare = name.strip("_")
    return (0 if bare.isupper() and len(bare) > 1 else 1 if name[0].isupper() else 2, name)


def test_all_is_sorted_and_names_nothing_twice() -> None:
    names = list(smriti_es.__all__)
    assert names == sorted(set(names), key=as_ruff_sorts)


@pytest.mark.parametrize("name", smriti_es.__all__)
def test_every_name_in_all_can_be_imported(name: str) -> None:
    assert getattr(smriti_es, name) is not None


def test_all_names_everything_public() -> None:
    offered = {
        name
        for name in dir(smriti_es)
        if not name.startswith("_") and not ismodule(getattr(smriti_es, name))
    }
    assert offered <= set(smriti_es.__all__)


def test_every_error_is_offered() -> None:
    raised = {
        name
        for name, value in vars(errors).items()
        if isclass(value) and issubclass(value, errors.SmritiError)
    }
    assert raised <= set(smriti_es.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = smriti_es.no_such_name  # type: ignore[attr-defined, unused-ignore]


def test_importing_the_package_loads_nothing_heavy_and_opens_no_socket(
    run_apart: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    done = run_apart("-c", WATCHED_IMPORT, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert HEAVY & {name.split(".")[0] for name in seen["loaded"]} == set()
    assert seen["touched"] == []
