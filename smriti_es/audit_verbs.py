"""The verb that hands the log to somebody who need not trust us."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from sqlalchemy import Connection, select

from smriti_es.audit_derived import derived_files
from smriti_es.checked_values import Place, checked_label, checked_position
from smriti_es.events.audit.evidence import evidence_for
from smriti_es.events.audit.exporting import Shows, Stretch, export_log
from smriti_es.events.catalogue import EVENT_TYPES
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.events.header import decode_header
from smriti_es.events.position_runs import PositionRuns
from smriti_es.opened import Opened
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.projections.turns import turn_tables
from smriti_es.time_travel import find_moment

_NAME_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class Disclosed:
    """Whose content a bundle shows; what none of them names is left out, and declared to be.

    Attributes:
        positions: Of events: single ones, or the first and the last of a run.
        sessions: Names of sessions, in the space that is written to: their turns, and what started
            them. Facts that were found in them are events of their own.
        types: Types of events, such as `FactAsserted`.
    """

    positions: Sequence[int | tuple[int, int]] = ()
    sessions: Sequence[str] = ()
    types: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ExportedBundle:
    """What an export wrote.

    Attributes:
        path: The bundle.
        first: Position of its first event.
        events: How many events it holds.
        withheld: How many payloads it leaves out and says so.
        files: Its files, as they are called before they are compressed.
    """

    path: str
    first: int
    events: int
    withheld: int
    files: tuple[str, ...]


class AuditVerbs:
    """Export the log; the engine has this, a view of the past does not."""

    _opened: Opened

    def export_audit(  # noqa: PLR0913  everything that may be chosen, each with a default
        self,
        path: str | os.PathLike[str],
        *,
        first: int = 0,
        last: int | None = None,
        disclose: Literal["all", "none"] | Disclosed = "all",
        since: str | bytes | Checkpoint | None = None,
        derived: bool = False,
        compress: bool = False,
        progress: Progress = no_progress,
    ) -> ExportedBundle:
        """Write the log as a bundle that anybody can check without us (docs/audit.md).

        Every header comes along, so that the chain can be followed; of the payloads those that are
        disclosed. What was erased is shown to be erased, what is left out is declared. The newest
        checkpoint that is kept comes along; make one before (`checkpoint`), to have all of it
        signed.

        Args:
            path: The folder to make; its parent must be there. It and its files are for the owner
                alone to read.
            first: Position of the first event; the whole commit it is in comes along.
            last: Position of the last event, with its whole commit; None: the head.
            disclose: Which content is shown.
            since: An older checkpoint that the receiver has; a stretch needs a proof that leads on
                from it.
            derived: Also write facts, their revisions and fingerprints; needs the whole log and all
                of its content.
            compress: Compress the large files with zstd (needs the extra `zstd`).
            progress: Called with "export" and "check", events done and in all.

        Returns:
            What was written.

        Raises:
            InvalidInput: There is something at `path`, or an argument cannot be used.
            NotFound: The log is not that long, or there is no such session.
            IntegrityError: The log is not what was written; nothing is left at `path`.
            StorageUnavailable: The folder cannot be written; nothing is left there.
            MissingExtra: It is to be compressed, and zstandard is not installed.
        """
        target, opened = Path(os.fspath(path)).absolute(), self._opened
        with opened.database.read() as connection:
            start, stop = self._stretch(connection, first, last)
            if derived:
                assert_everything(opened.log.size(connection), start, stop, disclose)
            stretch = Stretch(
                start,
                stop,
                self._shows(connection, disclose),
                evidence_for(connection, opened.log, start, stop, checkpoint_of(since)),
                derived_files(opened.projector, connection) if derived else {},
                compress,
            )
            manifest = export_log(opened.log, connection, target, stretch, progress)
        withheld = len(PositionRuns(list(manifest.withheld)))
        return ExportedBundle(
            str(target), start, manifest.events, withheld, tuple(sorted(manifest.files))
        )

    def _stretch(self, connection: Connection, first: int, last: int | None) -> tuple[int, int]:
        """Give the first position and the one after the last, at the borders of commits."""
        opened = self._opened
        size = opened.log.size(connection)
        begin = checked_position(first, Place("first"))
        end = size - 1 if last is None else checked_position(last, Place("last"))
        if begin > end:
            raise InvalidInput(
                f"the first position, {begin}, lies behind the last, {end}", field="first"
            )
        until = find_moment(connection, opened.log, end, opened.zone)
        row = opened.log.read_rows(begin, 1, connection)[0]
        return decode_header(row.header).commit[0], until.position + 1

    def _shows(self, connection: Connection, disclose: Literal["all", "none"] | Disclosed) -> Shows:
        if isinstance(disclose, Disclosed):
            return self._chosen(connection, disclose)
        if disclose not in ("all", "none"):
            raise InvalidInput(
                f"disclose is {disclose!r}",
                hint='Give "all", "none", or a Disclosed(positions=…, sessions=…, types=…).',
                field="disclose",
            )
        return lambda _: disclose == "all"

    def _chosen(self, connection: Connection, disclosed: Disclosed) -> Shows:
        if strange := sorted(set(disclosed.types) - set(EVENT_TYPES)):
            raise InvalidInput(
                f"there is no event type {strange[0]!r}",
                hint="docs/events.md lists them.",
                field="types",
            )
        positions = PositionRuns()
        for each in disclosed.positions:
            first, last = each if isinstance(each, tuple | list) else (each, each)
            place = Place("positions")
            positions.add(checked_position(first, place), checked_position(last, place))
        for name in disclosed.sessions:
            for position in self._session(connection, name):
                positions.add(position, position)
        types = frozenset(disclosed.types)
        return lambda header: header.position in positions or header.type in types

    def _session(self, connection: Connection, name: str) -> Iterator[int]:
        """Give the positions of a session: of what started it, and of its turns."""
        checked_label(name, Place("sessions"), _NAME_MAX)
        opened = self._opened
        serving = opened.projector.serving(connection)
        tables = turn_tables(opened.projector.readable(serving, "turns").number)
        session, turn, log = tables.session.c, tables.turn.c, opened.log.log
        begun = connection.execute(
            select(session.position).where(
                session.log == log, session.space == opened.space, session.name == name
            )
        ).scalar_one_or_none()
        if begun is None:
            raise NotFound(f"there is no session {name!r} in space {opened.space!r}")
        yield begun
        yield from connection.execute(
            select(turn.position).where(turn.log == log, turn.session == begun)
        ).scalars()


def assert_everything(
    size: int, start: int, stop: int, disclose: Literal["all", "none"] | Disclosed
) -> None:
    """Refuse to enclose what only follows from a whole log with all of its content.

    Raises:
        InvalidInput: The bundle holds less.
    """
    if (start, stop, disclose) != (0, size, "all"):
        raise InvalidInput(
            "facts and fingerprints follow from the whole log with all of its content",
            hint="Export everything, or leave derived out.",
            field="derived",
        )


def checkpoint_of(since: str | bytes | Checkpoint | None) -> Checkpoint | None:
    """Read a checkpoint that is given as it was kept.

    Raises:
        InvalidInput: It is none.
    """
    return since if since is None or isinstance(since, Checkpoint) else Checkpoint.parse(since)
