"""Look at what a memory rests on: its log, its file or server, what attests it, what lies about."""

import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from sqlalchemy import Connection, inspect, select, text

from smriti_es.attestation import Attestation
from smriti_es.embedder_switching import embedder_state
from smriti_es.events.checkpoint_store import kept_checkpoints
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import InvalidInput, StorageDamaged
from smriti_es.events.findings import Verification
from smriti_es.events.local_state import state_folder
from smriti_es.events.network_file_systems import file_system_of
from smriti_es.events.sqlite_scrub import files_beside
from smriti_es.events.tables import projection_table
from smriti_es.opened import Opened
from smriti_es.projections.generation import BUILDING, POINTER, RETIRED, Generation
from smriti_es.projections.projector import Projector

Verdict = Literal["well", "note", "wrong"]
# SQLite before this can damage a write-ahead log when two connections write and checkpoint at once.
_SQLITE_MENDED: Final = (3, 51, 3)
# What a rebuild of everything needs beside what there is, at most, and a little to breathe.
_ROOM_BYTES: Final = 64 * 1024 * 1024
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
_SERVER_PROMISES: Final = ("fsync", "full_page_writes", "synchronous_commit")
_TABLE: Final = re.compile(r"(?P<stem>.+)_v(?P<version>\d+)_g(?P<generation>\d+)")


@dataclass(frozen=True, slots=True)
class Examined:
    """One thing that was looked at.

    Attributes:
        what: chain, file, durability, versions, disk, permissions, attestation, embedder or
            leftovers.
        verdict: "well"; "note": nothing is wrong with the memory, but somebody should know;
            "wrong".
        told: What was found, for a person.
    """

    what: str
    verdict: Verdict
    told: str


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What was begun or given up, and lies about.

    Attributes:
        retired: Generations out of service that were not deleted.
        unfinished: Generations that a rebuild or a switch began; it may still be at work.
        orphans: Name of a projection, version and number of tables that no generation is of.
    """

    retired: tuple[Generation, ...]
    unfinished: tuple[Generation, ...]
    orphans: tuple[tuple[str, int, int], ...]


def examine(opened: Opened, verified: Verification) -> tuple[Examined, ...]:
    """Look at everything but projections and graph; see `Engine.doctor`.

    Args:
        opened: The memory.
        verified: What the verification of its log found.
    """
    looks = {
        "file": _file,
        "durability": _durability,
        "versions": _versions,
        "disk": _disk,
        "permissions": _permissions,
        "attestation": _attestation,
        "embedder": _embedder,
        "leftovers": _leftovers,
    }
    return _chain(verified), *(_looked(opened, what, look) for what, look in looks.items())


def _looked(opened: Opened, what: str, look: Callable[[Opened], Examined]) -> Examined:
    try:
        return look(opened)
    except StorageDamaged as error:
        return Examined(what, "wrong", str(error))


def private_files(opened: Opened) -> list[Path]:
    """List the files of this memory on this machine that nobody else should read."""
    database = opened.database
    if isinstance(database, SqliteDatabase):
        return [] if database.in_memory else files_beside(database.path)
    return sorted(each for each in state_folder().iterdir() if each.is_file())


def readable_to_others(files: Sequence[Path]) -> list[Path]:
    """Give those of some files that others than their owner may read or write."""
    if os.name == "nt":
        return []  # rights lie with the folder there
    others = stat.S_IRWXG | stat.S_IRWXO
    return [each for each in files if each.stat().st_mode & others]


def leftovers(opened: Opened) -> Leftovers:
    """Find what was begun or given up, and lies about."""
    projector = opened.projector
    with opened.database.read() as connection:
        generations = projector.generations(connection)
        orphans = _orphans(projector, connection)
    return Leftovers(
        tuple(each for each in generations if each.state == RETIRED),
        tuple(each for each in generations if each.state == BUILDING),
        tuple(orphans),
    )


def _orphans(projector: Projector, connection: Connection) -> list[tuple[str, int, int]]:
    c = projection_table.c
    of = {stem: each.name for each in projector.projections.values() for stem in each.stems}
    known = {
        tuple(row)
        for row in connection.execute(
            select(c.name, c.version, c.generation).where(c.state != POINTER).distinct()
        )
    }
    found = {
        (of[match["stem"]], int(match["version"]), int(match["generation"]))
        for name in inspect(connection).get_table_names()
        if (match := _TABLE.fullmatch(name)) and match["stem"] in of
    }
    return sorted(found - known)


def _chain(verified: Verification) -> Examined:
    if verified.ok:
        return Examined("chain", "well", f"{verified.events:,} events are what was written")
    if all(each.newer for each in verified.findings):
        return Examined("chain", "note", "events of a later release, which cannot be followed here")
    return Examined(
        "chain", "wrong", f"{len(verified.findings):,} findings, the first: {verified.findings[0]}"
    )


def _file(opened: Opened) -> Examined:
    damage = opened.database.self_check()
    if damage is None:
        return Examined("file", "well", "the database finds no damage in its storage")
    return Examined("file", "wrong", damage)


def _durability(opened: Opened) -> Examined:
    database = opened.database
    if isinstance(database, SqliteDatabase):
        kind = None if database.in_memory else file_system_of(database.path)
        if database.in_memory or kind in _IN_MEMORY:
            return Examined("durability", "note", "it lies in memory, and is gone with it")
        with database.read() as connection:
            journal = connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()
        if journal != "wal":
            return Examined("durability", "note", f"the journal is {journal}, and not wal")
        return Examined("durability", "well", "every commit is flushed (wal, synchronous=FULL)")
    with database.read() as connection:
        rows = connection.execute(
            text("SELECT name, setting FROM pg_settings WHERE name = ANY(:names)"),
            {"names": list(_SERVER_PROMISES)},
        )
        off = sorted(row.name for row in rows if row.setting == "off")
    if off:
        said = f"the server runs with {', '.join(f'{name}=off' for name in off)}"
        return Examined("durability", "note", f"{said}: it may lose what was acknowledged")
    return Examined("durability", "well", "every commit is flushed by the server")


def _versions(opened: Opened) -> Examined:
    database = opened.database
    if database.newer:
        return Examined("versions", "note", f"it can only be read here: {database.newer}")
    if isinstance(database, SqliteDatabase) and sqlite3.sqlite_version_info < _SQLITE_MENDED:
        return Examined(
            "versions",
            "note",
            f"{database.product}: before 3.51.3 other programs that write to the file while it is "
            "open can damage its write-ahead log; this library keeps its own writers apart",
        )
    return Examined("versions", "well", database.product)


def _disk(opened: Opened) -> Examined:
    database = opened.database
    if not isinstance(database, SqliteDatabase):
        return Examined("disk", "well", f"{_mebibytes(database.size_bytes)} on the server")
    if database.in_memory:
        return Examined("disk", "well", "none is used")
    free = shutil.disk_usage(database.path.parent).free
    told = f"{_mebibytes(free)} free beside {_mebibytes(database.size_bytes)}"
    if free < database.size_bytes + _ROOM_BYTES:
        return Examined("disk", "note", f"{told}: a rebuild or a backup may not fit")
    return Examined("disk", "well", told)


def _mebibytes(size_bytes: int) -> str:
    return f"{size_bytes / 1024 / 1024:,.1f} MiB"


def _permissions(opened: Opened) -> Examined:
    files = private_files(opened)
    open_ones = readable_to_others(files)
    if open_ones:
        named = ", ".join(each.name for each in open_ones)
        return Examined("permissions", "wrong", f"others than the owner have rights on {named}")
    return Examined("permissions", "well", f"{len(files)} files are the owner's alone")


def _attestation(opened: Opened) -> Examined:
    try:
        with opened.database.read() as connection:
            kept = kept_checkpoints(connection, opened.log.log)
    except InvalidInput:
        return Examined("attestation", "wrong", "a checkpoint that is kept was changed")
    if not kept:
        told = "no checkpoint: a tail cut off together with the head row could not be noticed"
        return Examined("attestation", "note", told)
    newest = max(kept, key=lambda each: each.size)
    own = [each.key for each in Attestation.of(opened).keys.all()]
    witnesses = len(newest.note.signatures) - len(newest.signers(own))
    told = f"the newest checkpoint attests {newest.size:,} of {opened.log.head + 1:,} events"
    if witnesses < 1:
        return Examined("attestation", "well", f"{told}; no witness signed it")
    return Examined("attestation", "well", f"{told}; witnesses that signed it: {witnesses}")


def _embedder(opened: Opened) -> Examined:
    state = embedder_state(opened)
    if state.problem is not None:
        return Examined("embedder", "note", state.problem)
    if state.serving is None:
        return Examined("embedder", "well", "nothing has vectors yet")
    serving = f"the vectors are those of {state.serving.get('model', 'another embedder')}"
    if state.given is None:
        return Examined("embedder", "note", f"{serving}; there is none to embed questions with")
    if not state.same:
        return Examined("embedder", "note", f"{serving}; the one at hand is {state.given}")
    return Examined("embedder", "well", serving)


def _leftovers(opened: Opened) -> Examined:
    found = leftovers(opened)
    told = [
        *(f"{each.name} {each.number}, out of service" for each in found.retired),
        *(
            f"{each.name} {each.number}, begun, and {each.folded:,} events far"
            for each in found.unfinished
        ),
        *(f"tables of {name} {number} that nothing names" for name, _, number in found.orphans),
    ]
    if told:
        return Examined("leftovers", "note", "; ".join(told))
    return Examined("leftovers", "well", "nothing lies about")
