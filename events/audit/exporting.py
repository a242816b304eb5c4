"""Write a log, or a stretch of it, as a bundle: in one pass, whole or not at all.

The bundle grows in a folder beside its destination, is checked there as whoever receives it would
check it, and takes its name last. Of a log that is not what was written no bundle is made.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, select

from smriti_es.events.audit.bundle_files import HashedFile, written
from smriti_es.events.audit.checking import check_bundle
from smriti_es.events.audit.layout import (
    EVENTS,
    FORMAT,
    MANIFEST,
    PAYLOADS,
    VERIFIER,
    ListedFile,
    Manifest,
    format_page,
    verifier,
)
from smriti_es.events.audit.payload_lines import DisclosedPayload
from smriti_es.events.catalogue import Erased
from smriti_es.events.durable_files import sync_folder
from smriti_es.events.errors import (
    ChainBroken,
    IntegrityError,
    InvalidInput,
    PayloadMissing,
    StorageUnavailable,
)
from smriti_es.events.header import Header, decode_header
from smriti_es.events.log import EventLog, assert_in_order
from smriti_es.events.position_runs import PositionRuns, runs_of
from smriti_es.events.tables import event_table

# Fewer than a read of headers alone would take: each may come with megabytes of content.
_BATCH: Final = 256

Progress = Callable[[str, int, int], None]
Shows = Callable[[Header], bool]


@dataclass(frozen=True, slots=True)
class Stretch:
    """What of a log is exported.

    Attributes:
        first: Position of the first event.
        stop: The position after the last.
        shows: Tells of a header whether its payload is disclosed.
        evidence: Small files that come along: checkpoint and proofs.
        derived: Writes what follows from the events, by file name; each gives its lines.
        compress: Whether the large files are compressed.
    """

    first: int
    stop: int
    shows: Shows
    evidence: Mapping[str, bytes] = field(default_factory=dict)
    derived: Mapping[str, Iterator[bytes]] = field(default_factory=dict)
    compress: bool = False


@dataclass(slots=True)
class _Parts:
    """A bundle that is being written."""

    folder: Path
    compress: bool
    withheld: PositionRuns = field(default_factory=PositionRuns)
    files: dict[str, ListedFile] = field(default_factory=dict)

    @contextmanager
    def writing(self, name: str, *, large: bool = True) -> Iterator[HashedFile]:
        with written(self.folder / name, compressed=large and self.compress) as file:
            yield file
        self.files[name] = file.listed


def export_log(
    log: EventLog,
    connection: Connection,
    target: Path,
    stretch: Stretch,
    progress: Progress = lambda *_: None,
) -> Manifest:
    """Write a stretch of a log as a bundle.

    Args:
        log: The log.
        connection: The snapshot to read.
        target: The folder to make; its parent must be there.
        stretch: What of it.
        progress: Called with "export" or "check", events done and in all.

    Returns:
        What the bundle says that it holds.

    Raises:
        InvalidInput: There is something at `target`, or a payload is too large for a bundle.
        IntegrityError: The log is not what was written.
        SchemaNewer: An event is written in a later format.
        StorageUnavailable: The folder cannot be written.
    """
    with new_folder(target) as folder:
        parts = _Parts(folder, stretch.compress)
        _write_events(log, connection, stretch, parts, progress)
        for name, lines in stretch.derived.items():
            with parts.writing(name) as file:
                for line in lines:
                    file.write(line)
        enclosed = {FORMAT: format_page(), VERIFIER: verifier()}
        small = {name: path.read_bytes() for name, path in enclosed.items()}
        for name, content in {**stretch.evidence, **small}.items():
            with parts.writing(name, large=False) as file:
                file.write(content)
        manifest = Manifest(
            log.log_id,
            stretch.first,
            stretch.stop - stretch.first,
            tuple(parts.withheld.runs),
            parts.files,
        )
        with written(folder / MANIFEST) as file:
            file.write(manifest.to_bytes())
        _assert_whole(folder, progress)
    return manifest


def _write_events(
    log: EventLog, connection: Connection, stretch: Stretch, parts: _Parts, progress: Progress
) -> None:
    inside, outside = _erased(log, connection, stretch)
    first, stop = stretch.first, stretch.stop
    with parts.writing(EVENTS) as events, parts.writing(PAYLOADS) as payloads:
        for start in range(first, stop, _BATCH):
            rows = log.read_rows(start, min(_BATCH, stop - start), connection)
            assert_in_order(rows, start)
            for row in rows:
                events.write(row.header + b"\n")
                header = decode_header(row.header)
                if header.payload is None:
                    continue
                if row.body is not None and stretch.shows(header):
                    shown = DisclosedPayload(row.position, row.key, row.body)
                    payloads.write(shown.to_line())
                elif row.body is not None or row.position in outside:
                    parts.withheld.append(row.position)
                elif row.position not in inside:
                    _refuse_lost(row.position)
            progress("export", start + len(rows) - first, stop - first)


def _refuse_lost(position: int) -> None:
    raise PayloadMissing(
        f"the content of position {position} is gone, and no event erased it", position=position
    )


def _erased(
    log: EventLog, connection: Connection, stretch: Stretch
) -> tuple[PositionRuns, PositionRuns]:
    """Give what events of the stretch have erased, and what events behind it have."""
    c = event_table.c
    statement = select(c.header).where(c.log == log.log, c.type == Erased.TYPE).order_by(c.position)
    inside, outside = PositionRuns(), PositionRuns()
    for encoded in connection.execute(statement).scalars():
        header = decode_header(encoded)
        into = inside if header.position < stretch.stop else outside
        for first, last in runs_of(header.facets.get("ranges"), 0, header.position) or ():
            into.add(first, last)
    return inside, outside


def _assert_whole(folder: Path, progress: Progress) -> None:
    """Refuse to hand out a bundle that whoever receives it would find broken."""
    checked = check_bundle(folder, progress=progress)
    if checked.findings:
        found = checked.findings[0]
        raise ChainBroken(f"the log cannot be exported: {found}", position=found.position)


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Give a folder to fill, which becomes the target once it is left, and not on an error.

    Raises:
        InvalidInput: There is something at the target.
        StorageUnavailable: It cannot be written.
    """
    _assert_free(target)
    try:
        folder = Path(tempfile.mkdtemp(".partial", f".{target.name}.", target.parent))
        try:
            yield folder
            sync_folder(folder)
            _assert_free(target)
            os.rename(folder, target)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        sync_folder(target.parent)
    except OSError as error:
        if isinstance(error, IntegrityError):
            raise
        raise StorageUnavailable(
            f"the bundle {target} cannot be written: {error}",
            hint="Name a place in a folder that exists, can be written and has room.",
        ) from error


def _assert_free(target: Path) -> Any:
    if os.path.lexists(target):
        raise InvalidInput(f"there is something at {target} already", hint="Name a new folder.")
