"""Let nothing that was deleted stay in the tables of PostgreSQL, their indexes and their TOAST.

A deleted row stays where it was until its page is used again, and parts of it longer. Written anew,
a table holds the rows that are left and nothing else, and so do its indexes. What the server wrote
of it elsewhere (its write-ahead log, copies that follow it, slots that keep it back) is out of
reach from here. Source: https://www.postgresql.org/docs/16/sql-vacuum.html, "FULL".
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

import psycopg
from psycopg import sql

from smriti_es.events.searched import Searched

MAIN_PLACE: Final = "tables and indexes"
ELSEWHERE: Final = (
    "write-ahead log of the server and its archive",
    "replicas and replication slots",
    "backups, exports and disk blocks",
)
_PAUSE_S: Final = 0.05
_LOCK_WAIT: Final = "2s"
_SET_PATIENCE: Final = "SELECT set_config('lock_timeout', %s, false)"
_CHUNK: Final = 4 * 1024 * 1024
# No content is in these: the chain, its tree, what attests it.
_WITHOUT_CONTENT: Final = ("event", "tree_node", "checkpoint", "smriti_es_schema")
_NUMBER_OF_NOW: Final = "SELECT pg_current_xact_id()::text"
# A table that is written anew keeps what the oldest transaction may still see: one of this database
# that reads, and one of any database of the server that has written, because every snapshot counts
# it as running. A snapshot names a transaction by 32 of the bits of its number.
_SEEN_FROM_BEFORE: Final = """
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::numeric <= %(now)s::numeric OR EXISTS (
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND age(backend_xmin) > age((%(now)s::numeric %% 4294967296)::text::xid)
)
"""
_TABLES: Final = """
SELECT relname FROM pg_class
WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> ALL (%s)
  AND pg_relation_size(oid) > 0
ORDER BY relname
"""
_OF_OTHERS: Final = """
SELECT relname FROM pg_class
WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> ALL (%s)
  AND pg_relation_size(oid) > 0 AND NOT pg_has_role(relowner, 'USAGE')
ORDER BY relname
"""
_FILES: Final = """
WITH own AS (
  SELECT oid, reltoastrelid FROM pg_class
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
), heaps AS (
  SELECT oid FROM own UNION SELECT reltoastrelid FROM own WHERE reltoastrelid <> 0
)
SELECT pg_relation_filepath(oid) FROM heaps
UNION
SELECT pg_relation_filepath(indexrelid) FROM pg_index
WHERE indrelid IN (SELECT oid FROM heaps)
"""


def await_readers(driver: "psycopg.Connection[Any]", wait_s: float) -> bool:
    """Wait until no transaction is left from before, for which a table would have to keep rows.

    Args:
        driver: A connection outside any transaction.
        wait_s: For how long, seconds.

    Returns:
        Whether there is none, as far as this role may see who reads.
    """
    number = driver.execute(_NUMBER_OF_NOW).fetchone()
    assert number is not None, "a transaction has a number"
    until = time.monotonic() + wait_s
    while True:
        seen = driver.execute(_SEEN_FROM_BEFORE, {"now": number[0]}).fetchone()
        if seen is None or not seen[0]:
            return True
        if time.monotonic() >= until:
            return False
        time.sleep(_PAUSE_S)


def write_anew(driver: "psycopg.Connection[Any]") -> list[str]:
    """Write every table that may hold content anew, one after the other, with its indexes.

    Returns:
        The tables that somebody held on to, so that they are as they were.
    """
    left: list[str] = []
    patience = driver.execute("SHOW lock_timeout").fetchone()
    for (name,) in driver.execute(_TABLES, [list(_WITHOUT_CONTENT)]).fetchall():
        # Others who want the table wait behind us: not for long, and after one, for none.
        driver.execute(_SET_PATIENCE, ["1ms" if left else _LOCK_WAIT])
        try:
            driver.execute(sql.SQL("VACUUM (FULL) {}").format(sql.Identifier(name)))
        except psycopg.errors.LockNotAvailable:
            left.append(name)
    driver.execute(_SET_PATIENCE, patience)
    return left


def of_others(driver: "psycopg.Connection[Any]") -> list[str]:
    """Give the tables that may hold content and that only another role may write anew."""
    return [row[0] for row in driver.execute(_OF_OTHERS, [list(_WITHOUT_CONTENT)]).fetchall()]


def search_files(driver: "psycopg.Connection[Any]", pieces: Sequence[bytes]) -> Iterator[Searched]:
    """Look for pieces in the server's files of the tables, their TOAST and their indexes.

    It takes a role that may write a checkpoint, so that the files are what the tables are, and read
    the server's files; others are told that they cannot.
    """
    try:
        driver.execute("CHECKPOINT")
        paths = [row[0] for row in driver.execute(_FILES).fetchall()]
        found = {piece for path in paths for piece in _found_in(driver, path, pieces)}
    except psycopg.errors.InsufficientPrivilege as error:
        told = str(error).partition("\n")[0]
        yield Searched(MAIN_PLACE, problem=f"written anew, not searched: {told}")
    else:
        yield Searched(MAIN_PLACE, frozenset(found))


def _found_in(
    driver: "psycopg.Connection[Any]", path: str, pieces: Sequence[bytes]
) -> Iterator[bytes]:
    """Search one file and the segments that go on from it."""
    overlap = max(map(len, pieces), default=1) - 1
    segment = 0
    while True:
        name = path if segment == 0 else f"{path}.{segment}"
        start, before = 0, b""
        while chunk := _read(driver, name, start):
            content = before + chunk
            yield from (piece for piece in pieces if piece in content)
            before, start = content[len(content) - overlap :], start + len(chunk)
        if start == 0:
            return
        segment += 1


def _read(driver: "psycopg.Connection[Any]", name: str, start: int) -> bytes:
    """Read a part of a file; nothing where there is none."""
    statement = "SELECT pg_read_binary_file(%s, %s, %s, true)"
    row = driver.execute(statement, [name, start, _CHUNK], binary=True).fetchone()
    return b"" if row is None or row[0] is None else bytes(row[0])
