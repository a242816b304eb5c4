"""Where the databases of a test lie, and which tests run on which of them."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Protocol

import pytest

from tests.postgres_places import NAMED, PostgresPlaces


class Places(Protocol):
    """Where the databases of one test lie."""

    def named(self, name: str) -> str | Path:
        """Give the place of a name, always the same; `:memory:` is gone once it is closed."""

    def with_schema(self, name: str) -> str | Path:
        """Give the place of a name, with the schema and no log in it."""

    def another(self) -> str | Path:
        """Give a place where nothing is yet."""

    def remove(self, place: str | Path) -> None:
        """Take away what lies at a place, for tests that use very many."""

    def copied(self, name: str) -> str | Path:
        """Keep a copy of what lies at the place of a name, as a backup would."""

    def put_back(self, name: str, copy: str | Path) -> None:
        """Put a copy in the place of what lies there, which nobody has open."""

    def close(self) -> None:
        """Take away what lies at any of them."""


@dataclass(frozen=True, slots=True)
class SqlitePlaces:
    """SQLite files in one folder; a new one has the schema already, which saves time."""

    folder: Path
    empty: bytes
    numbers: Iterator[int] = field(default_factory=count)

    def named(self, name: str) -> str | Path:
        return name if name == ":memory:" else self.folder / name

    def with_schema(self, name: str) -> Path:
        place = self.folder / name
        place.touch(mode=0o600)
        place.write_bytes(self.empty)
        return place

    def another(self) -> Path:
        return self.with_schema(f"place-{next(self.numbers)}.db")

    def remove(self, place: str | Path) -> None:
        for each in self.folder.glob(f"{Path(place).name}*"):
            each.unlink()

    def copied(self, name: str) -> Path:
        copy = self.folder / f"copy-{next(self.numbers)}"
        with (
            closing(sqlite3.connect(self.folder / name)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
        return copy

    def put_back(self, name: str, copy: str | Path) -> None:
        for ending in ("-wal", "-shm"):
            (self.folder / f"{name}{ending}").unlink(missing_ok=True)
        shutil.copy(copy, self.folder / name)

    def close(self) -> None:
        """Leave the files to pytest, which keeps them for a look at what failed."""


# The databases that engines are tested on. Another one is another entry: how to make its places out
# of a folder of the test's own and the bytes of an empty file.
DATABASES: dict[str, Callable[[Path, bytes], Places]] = {
    "sqlite": SqlitePlaces,
    "postgresql": lambda folder, empty: PostgresPlaces(),
}


# Where `make test` runs one case of every test on each database; `make guarantees` runs all cases
# of all tests that open a memory.
ON_EVERY_DATABASE = (
    "tests/cases",
    "tests/contract",
    "tests/events",
    "tests/projections",
    "tests/properties/lives",
    "tests/smriti_es",
)


def chosen(items: Sequence[pytest.Item]) -> Iterator[bool]:
    """Tell of each test whether it is run: always the same ones, in whatever order they come."""
    every = os.environ.get("SMRITI_ES_GUARANTEES") == "1" or NAMED in os.environ
    first = dict[str, str]()
    for item in items:
        if _database_of(item) != "sqlite":
            function = _function_of(item)
            first[function] = min(item.nodeid, first.get(function, item.nodeid))
    for item in items:
        if _database_of(item) == "sqlite":
            yield True
        elif item.get_closest_marker("sqlite_only") is not None:
            yield False
        else:
            function = _function_of(item)
            one = first[function] == item.nodeid and function.startswith(ON_EVERY_DATABASE)
            yield every or one


def _function_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _database_of(item: pytest.Item) -> str:
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return str(params.get("places_in", "sqlite"))
