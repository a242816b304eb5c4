"""The graph's two files: the library's own, and a sidecar that says what it is.

Whoever writes or reads the pair holds its lock file, so nobody sees half a pair, and whatever a
crash left under a temporary name is overwritten by the next save. A pair that a crash tore apart
fails its checksum and is built anew.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from smriti_es.events.durable_files import delete, put_in_place, sync_file
from smriti_es.events.errors import StorageBusy, StorageUnavailable
from smriti_es.projections.vectors.hnsw import EF_CONSTRUCTION, LINKS, SEED, SPACE, HnswIndex

FORMAT = 1
_LOCK_TIMEOUT_S = 60
_OWNER_ONLY = 0o600

Refusal = Literal[
    "missing",
    "busy",
    "unreadable",
    "damaged",
    "other format",
    "other embedder",
    "other generation",
    "other erasure",
]


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What is known of a saved graph.

    Attributes:
        format: Version of this pair of files.
        embedder: Digest of the embedder's identity.
        generation: The generation of vector rows that the graph was built from.
        last_vector_seq: The highest label ever added; catching up begins after it.
        count: Vectors that a search can find.
        erased: Labels that were overwritten and marked.
        dimension: Length of every vector.
        space: Measure of distance, as the library names it.
        links: The M of the graph.
        ef_construction: Effort of building.
        seed: Of the levels of the graph.
        ef: Effort of searching that the recall was measured with.
        recall: Share of the exact nearest that a fixed sample found.
        measured_at: How many vectors there were at that time.
        sha256: Of the library's file.
        erasure: The last erasure of content that it knows of, -1 for none.
    """

    embedder: str
    generation: int
    last_vector_seq: int
    count: int
    erased: list[int]
    dimension: int
    ef: int
    recall: float
    measured_at: int
    sha256: str
    erasure: int = -1
    format: int = FORMAT
    space: str = SPACE
    links: int = LINKS
    ef_construction: int = EF_CONSTRUCTION
    seed: int = SEED


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a saved graph is of no use; the vector rows have everything to build another.

    Attributes:
        reason: One of a few words, for a report.
        detail: What was found, for a person.
    """

    reason: Refusal
    detail: str


def write_pair(
    index: HnswIndex, path: Path, *, still: Callable[[], bool], **known: Any
) -> Sidecar | None:
    """Replace the pair of files at `path` with this graph, readable by their owner alone.

    Args:
        index: The graph.
        path: Of the library's file; the sidecar has `.json` behind it.
        still: Asked while nobody else can touch the pair: whether it may still be written. What was
            erased meanwhile must not come back.
        known: The fields of the sidecar that the index does not know.

    Returns:
        The sidecar as written; None: it may not be, and the pair is as it was.

    Raises:
        StorageBusy: Another process held the pair for a minute.
        StorageUnavailable: The disk is full or the folder cannot be written; the old pair stays or
            fails its checksum.
    """
    try:
        with _held(path):
            if not still():
                return None
            sidecar = _write_index(index, path, known)
            _write_sidecar(sidecar, _sidecar_path(path))
            return sidecar
    except Timeout as error:
        raise StorageBusy(f"{path.name} is held by another process") from error
    except OSError as error:
        raise StorageUnavailable(
            f"{_told(error, path)}: it could not be written",
            hint="Make it and its folder writable, or remove what stands in its place.",
        ) from error


def _write_index(index: HnswIndex, path: Path, known: dict[str, Any]) -> Sidecar:
    temporary = _created(_temporary(path))
    state = index.save(temporary)
    if state is None:
        temporary.unlink()
        raise StorageUnavailable(
            f"the disk took only a part of {path.name}", hint="Make room on the disk."
        )
    digest = _sha256(temporary)
    # Flushed, or else a power failure could bring the old file back, with what was erased since.
    sync_file(temporary)
    put_in_place(temporary, path)
    return Sidecar(
        count=state.count,
        erased=list(state.erased),
        dimension=index.dimension,
        sha256=digest,
        **known,
    )


def _write_sidecar(sidecar: Sidecar, path: Path) -> None:
    values = asdict(sidecar)
    values["seal"] = _seal(values)
    temporary = _created(_temporary(path))
    temporary.write_text(json.dumps(values, indent=1) + "\n", encoding="ascii")
    sync_file(temporary)
    put_in_place(temporary, path)


def read_pair(
    path: Path, *, embedder: str, generation: int, erasure: int
) -> tuple[HnswIndex, Sidecar] | Refused:
    """Read the pair of files at `path`, if it is whole and the one that is wanted.

    Args:
        path: Of the library's file.
        embedder: Digest of the embedder whose vectors are wanted.
        generation: The generation of vector rows that is wanted.
        erasure: The last erasure of content, -1 for none.

    Returns:
        The graph and its sidecar, or why there is none. Never an exception for what lies on disk.
    """
    try:
        for each in (path, _sidecar_path(path)):
            if each.exists() and not each.is_file():
                return Refused("unreadable", f"{each} is no file: remove it")
        if not _sidecar_path(path).exists() or not path.exists():
            return Refused("missing", f"no {path.name} with its sidecar")
        with _held(path):
            sidecar = _read_sidecar(_sidecar_path(path))
            if isinstance(sidecar, Refused):
                return sidecar
            wanted = (embedder, generation, erasure)
            return _mismatch(sidecar, *wanted) or _read_index(path, sidecar)
    except Timeout:
        return Refused("busy", f"{path.name} is held by another process")
    except OSError as error:
        return Refused("unreadable", f"{_told(error, path)}: make it readable, or remove it")


def stamp_of(path: Path) -> tuple[int, ...] | None:
    """Tell one writing of the pair at `path` from another; None: there is no sidecar."""
    try:
        found = _sidecar_path(path).stat()
    except OSError:
        return None
    return (found.st_ino, found.st_mtime_ns, found.st_size)


@contextmanager
def building(path: Path) -> Iterator[bool]:
    """Hold the right to build the pair at `path`; gives whether it could be had."""
    lock = FileLock(path.with_name(path.name + ".build"), timeout=0, mode=_OWNER_ONLY)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def remove_pair(path: Path) -> None:
    """Delete the pair of files at `path`, and what a crash left of one; the rows make another.

    Raises:
        StorageBusy: Another process held the pair for a minute.
        StorageUnavailable: They cannot be deleted.
    """
    pair = (path, _sidecar_path(path))
    if not any(each.exists() for file in pair for each in (file, _temporary(file))):
        return
    try:
        with _held(path):
            delete(*pair, *map(_temporary, pair))
    except Timeout as error:
        raise StorageBusy(f"{path.name} is held by another process") from error
    except OSError as error:
        raise StorageUnavailable(
            f"{_told(error, path)}: it could not be deleted", hint="Delete it yourself."
        ) from error


def _read_sidecar(path: Path) -> Sidecar | Refused:
    try:
        values = json.loads(path.read_bytes())
        if values["format"] != FORMAT:
            return Refused("other format", f"format {values['format']!r}, not {FORMAT}")
        if values.pop("seal") != _seal(values):
            return Refused("damaged", f"{path.name} is not as it was written")
        return Sidecar(**values)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return Refused("damaged", f"{path.name} is no sidecar: {error}")


def _seal(values: dict[str, Any]) -> str:
    # The library would believe a wrong dimension, so the sidecar has a checksum as well.
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode("ascii")).hexdigest()


def _mismatch(sidecar: Sidecar, embedder: str, generation: int, erasure: int) -> Refused | None:
    if sidecar.embedder != embedder:
        return Refused("other embedder", f"built for {sidecar.embedder}, not {embedder}")
    if sidecar.generation != generation:
        return Refused("other generation", f"generation {sidecar.generation}, not {generation}")
    if sidecar.erasure != erasure:
        return Refused("other erasure", f"erasure {sidecar.erasure}, not {erasure}")
    return None


def _read_index(path: Path, sidecar: Sidecar) -> tuple[HnswIndex, Sidecar] | Refused:
    # The library trusts what it reads, so the bytes are checked before it sees them.
    if _sha256(path) != sidecar.sha256:
        return Refused("damaged", f"{path.name} does not have the checksum of its sidecar")
    try:
        index = HnswIndex(sidecar.dimension, saved=path, erased=sidecar.erased)
    except RuntimeError as error:
        return Refused("damaged", f"{path.name}: {error}")
    if len(index) != sidecar.count:
        return Refused("damaged", f"{path.name} holds {len(index)} vectors, not {sidecar.count}")
    return index, sidecar


@contextmanager
def _held(path: Path) -> Iterator[None]:
    with FileLock(path.with_name(path.name + ".lock"), timeout=_LOCK_TIMEOUT_S, mode=_OWNER_ONLY):
        yield


def _told(error: OSError, path: Path) -> str:
    """Say what is wrong, and with which file of the pair."""
    return f"{error.filename or path}: {error.strerror}"


def _sidecar_path(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def _temporary(path: Path) -> Path:
    return path.with_name(path.name + ".new")


def _created(path: Path) -> Path:
    # The library would create its file for everybody to read.
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY))
    return path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
