"""Write everything that is held on somebody to a file: find it, read it, write it."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from sqlalchemy import Connection, select

from smriti_es.checked_values import Place, checked_label, checked_text
from smriti_es.events.errors import InvalidInput
from smriti_es.events.instants import format_instant
from smriti_es.events.tables import event_table
from smriti_es.opened import Opened
from smriti_es.projections.entities import names_at
from smriti_es.projections.projector import Progress
from smriti_es.projections.speakers import GENERIC_NAMES
from smriti_es.subject_access.jsonl_form import write_json_lines
from smriti_es.subject_access.markdown_form import write_markdown
from smriti_es.subject_access.marking import Marks
from smriti_es.subject_access.naming import Person
from smriti_es.subject_access.new_file import Writing, new_file
from smriti_es.subject_access.records import Record, Records

FORMAT: Final = "smriti-es/about/1"
_NAME_MAX: Final = 1_000
# Few, for any of them may be large.
_AT_ONCE: Final = 64

Form = Literal["jsonl", "markdown"]
Others = Literal["whole", "excerpts"]
_Write = Callable[[Writing, Record, Records], dict[str, int]]
_FORMS: Final[Mapping[str, _Write]] = {"jsonl": write_json_lines, "markdown": write_markdown}
_OTHERS: Final = ("whole", "excerpts")


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes:
        path: The file.
        about: Whom it is about, as asked.
        names: Every name of theirs that was looked for, in key form.
        spaces: The spaces that were looked into.
        head: Position of the last event that was looked at.
        records: How many of each kind were written.
        not_looked_at: Where more may be, in words.
        digest: SHA-256 of the file, 64 hex.
    """

    path: str
    about: str
    names: tuple[str, ...]
    spaces: tuple[str, ...]
    head: int
    records: Mapping[str, int] = field(hash=False)
    not_looked_at: tuple[str, ...]
    digest: str

    @property
    def total(self) -> int:
        """How many records there are."""
        return sum(self.records.values())


def export_about(
    opened: Opened,
    path: object,
    *,
    about: object,
    form: object,
    others: object,
    progress: Progress,
) -> Exported:
    """Write what the readable spaces hold on somebody; see `Engine.export`."""
    place, write = checked_path(path), _FORMS[one_of("form", form, tuple(_FORMS))]
    name = checked_label(about, Place("about"), _NAME_MAX)
    excerpts = one_of("others", others, _OTHERS) == "excerpts"
    with opened.database.read() as connection:
        opened.assert_spaces_exist(connection, opened.spaces, None)
        marks = _marks(opened, connection, name, progress)
        head = _head(opened, connection, name, marks, excerpts=excerpts)
        records = Records.of(opened, connection, marks, excerpts=excerpts)
        with new_file(place, opened.log.randomness(8).hex()) as writing:
            counts = write(writing, head, records)
            digest = writing.digest.hexdigest()
    return Exported(
        path=str(place),
        about=name,
        names=tuple(sorted(marks.person.names)),
        spaces=opened.spaces,
        head=marks.size - 1,
        records=counts,
        not_looked_at=tuple(head["not_looked_at"]),
        digest=digest,
    )


def _marks(opened: Opened, connection: Connection, name: str, progress: Progress) -> Marks:
    serving = opened.projector.serving(connection)
    aliases = opened.projector.readable(serving, "entities").number
    names = names_at(connection, opened.log.log, aliases)
    person = Person(frozenset(names.all_of(names.key(name))))
    size = opened.log.size(connection)
    marks = Marks(person, frozenset(opened.spaces), size)
    for number, look in enumerate((marks.look_at, marks.follow)):
        for start in range(0, size, _AT_ONCE):
            progress("look", number * size + start, 2 * size)
            stop = min(start + _AT_ONCE, size)
            for recorded in opened.log.read(start, stop, connection=connection):
                look(recorded)
    progress("look", 2 * size, 2 * size)
    return marks


def _head(
    opened: Opened, connection: Connection, name: str, marks: Marks, *, excerpts: bool
) -> Record:
    """Say what the file is about, up to where it knows the log, and what was not looked at."""
    c, last = event_table.c, marks.size - 1
    row = connection.execute(
        select(c.leaf, c.known).where(c.log == opened.log.log, c.position == last)
    ).one()
    return {
        "record": "export",
        "format": FORMAT,
        "about": name,
        "names": sorted(marks.person.names),
        "log": opened.log.log_id,
        "spaces": list(opened.spaces),
        "head": {
            "position": last,
            "leaf": bytes(row.leaf).hex(),
            "known": format_instant(row.known),
        },
        "made": format_instant(opened.clock()),
        "others": "excerpts" if excerpts else "whole",
        "not_looked_at": list(_not_looked_at(marks)),
    }


def _not_looked_at(marks: Marks) -> Iterator[str]:
    if marks.elsewhere:
        some = f"{len(marks.elsewhere)} other space{'s' if len(marks.elsewhere) > 1 else ''}"
        yield f"{some} of this memory, which it was not opened to read"
    if marks.erased:
        yield (
            f"{marks.erased} events whose content was erased: nobody can tell whom they spoke of, "
            "nor whom the keyed marks concern that keep some of it from coming back"
        )
    if generic := sorted(marks.person.names & GENERIC_NAMES):
        yield (
            f"texts for the word {', '.join(map(repr, generic))}, which is a role: turns of that "
            "role and facts on it are here"
        )
    yield "names that the memory does not know to be theirs: an alias (`alias`) makes it know"
    yield "pictures, sound and files, of which a memory keeps a placeholder"
    yield "vectors, which are made from the turns and facts that are here"
    yield "other tenants and other memories; copies, backups, exports and answers handed out before"
    yield "what models and services that text was sent to have kept (`data-flow` names them)"


def checked_path(path: object) -> Path:
    """Check the path of a file that is to be made."""
    place = Place("path")
    given = os.fspath(path) if isinstance(path, os.PathLike) else path
    text = checked_text(given, place)
    if not text or "\0" in text:
        raise place.refusal("is empty" if not text else "holds NUL", "Name a new file.")
    return Path(text)


def one_of(name: str, given: Any, allowed: Sequence[str]) -> str:
    """Check that a value is one of those that are allowed."""
    if given not in allowed:
        raise InvalidInput(
            f"{name} is {given!r}", hint=f"There are: {', '.join(allowed)}.", field=name
        )
    return str(given)
