"""After an erasure: let nothing of it stay in any file of the store, and say what was found.

The content is out of every table already. What is left are freed pages, the index of words until it
is merged, the write-ahead log, and the file of the graph. A crash, or somebody who reads, leaves an
erasure waiting; the next opening goes on with it. Source: design page on trust, "Erasure", 5 and 6;
decision 34.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from smriti_es.erasure_scan import Needles, said_elsewhere
from smriti_es.events.catalogue import ErasureCompleted
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.errors import StorageError
from smriti_es.events.records import NewEvent
from smriti_es.events.registry import ENGINE_ACTOR
from smriti_es.events.searched import Searched
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.projections.projector import Progress
from smriti_es.projections.sweeping import sweep
from smriti_es.projections.trust import trust_tables
from smriti_es.projections.vectors.projection import VectorsProjection

if TYPE_CHECKING:
    from smriti_es.opened import Opened

# How long to wait for whoever still reads what was before, seconds.
_WAIT_S: Final = 2.0
_STEPS: Final = 4
# So much is gone through for pieces of one kind, a second or two; so many are always looked for.
_SEARCHED_BYTES: Final = 4_000_000_000
_PIECES_MIN: Final = 16


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What became of a scrub.

    Attributes:
        places: What was found where.
        verified: Whether every file was searched and held nothing.
        pending: What is still to be done, or None.
    """

    places: Mapping[str, str]
    verified: bool
    pending: str | None = None


@dataclass(slots=True)
class Scrub:
    """Scrubs the files of one open memory after one erasure.

    Attributes:
        opened: The memory.
        progress: Called with "scrub", steps done and in all.
        places: What was found where, so far.
    """

    opened: "Opened"
    progress: Progress
    places: dict[str, str] = field(default_factory=dict)
    _left: str | None = field(default=None, init=False)  # what could not be written anew

    def run(
        self,
        erased: int,
        needles: Needles,
        *,
        sequences: tuple[int, ...] = (),
        before: int = NOBODY,
    ) -> Scrubbed:
        """Scrub, look for what was erased, and record that it is done.

        Args:
            erased: Position of the erasure.
            needles: What to look for; nothing after a crash.
            sequences: Numbers of the vectors that went.
            before: Position of the erasure before this one.
        """
        opened = self.opened
        with opened.database.exclusive(f"scrub-{opened.log.log}", wait_s=_WAIT_S) as won:
            if not won:
                return Scrubbed({}, verified=False, pending="another process is scrubbing")
            problem = self._scrubbed(erased, sequences, before)
            self.progress("scrub", 3, _STEPS)
            present = self._searched(needles) if needles else self._compacted()
            problem = problem or self._left
            unread = any(found.startswith("not reachable") for found in self.places.values())
            verified = bool(needles) and not present and not unread
            self.places.update(dict.fromkeys(opened.database.elsewhere, "not reachable"))
            if problem is None:
                completed = ErasureCompleted(
                    erased=erased, verified=int(verified), places=self._places_to_keep()
                )
                opened.log.append([NewEvent(completed, (erased,))], actor=ENGINE_ACTOR)
            self.progress("scrub", _STEPS, _STEPS)
        return Scrubbed(self.places, verified and problem is None, problem)

    def _places_to_keep(self) -> dict[str, str]:
        """Give what was found where, for the log: somebody else's files are not named for ever."""
        own, kept, other = self.opened.database.main_place, dict[str, str](), "another file"
        for place, found in self.places.items():
            beside = own and place.startswith(own) and place != own
            if beside and not place.startswith(f"{own}-"):
                kept[other] = "present" if "present" in (found, kept.get(other)) else found
            else:
                kept[place] = found
        return kept

    def _scrubbed(self, erased: int, sequences: tuple[int, ...], before: int) -> str | None:
        """Merge the index, take vectors out of the graph's file, cut the log file off."""
        opened, projector = self.opened, self.opened.projector
        self.progress("scrub", 0, _STEPS)
        sweep(projector)
        with opened.database.write() as connection:
            serving = projector.serving(connection)
            lexical = projector.projections[LexicalProjection.name]
            assert isinstance(lexical, LexicalProjection)
            lexical.optimize(projector.fold(connection, serving[lexical.name]))
        self.progress("scrub", 1, _STEPS)
        problem = None
        try:
            vectors = serving[VectorsProjection.name]
            opened.reader.semantic.let_go(vectors, sequences, (before, erased))
        except StorageError as error:
            problem = f"the graph of vectors: {error}"
            self.places["graph of vectors"] = f"not reachable: {error}"
        self.progress("scrub", 2, _STEPS)
        unreached = opened.database.scrub(wait_s=_WAIT_S)
        if unreached is not None:
            place, _, why = unreached.partition(": ")
            self.places[place] = f"not reachable: {why}"
        return problem or unreached

    def _searched(self, needles: Needles) -> bool:
        """Search everything; write the database anew if anything is found. Tells whether it is."""
        searched, main = self._search(needles), self.opened.database.main_place
        # What cannot be searched is written anew all the same.
        if any(each.found or (each.problem and each.place == main) for each in searched):
            self._compacted()
            self.places.pop(main, None)
            searched = self._search(needles)
        for each in searched:
            if each.problem is not None:
                self.places[each.place] = f"not reachable: {each.problem}"
            self.places.setdefault(each.place, "present" if each.found else "clean")
        if self._left is not None:
            place, _, why = self._left.partition(": ")
            self.places[place] = f"not reachable: {why}"
        return any(each.found for each in searched)

    def _search(self, needles: Needles) -> list[Searched]:
        """Search for pieces that no content which stays holds."""
        database = self.opened.database
        # Fewer of each kind where each takes longer.
        count = max(_PIECES_MIN, _SEARCHED_BYTES // max(1, database.size_bytes))
        needles = needles.at_most(count)
        searched = list(database.search(needles.all))
        everything: set[bytes] = set().union(*(each.found for each in searched))
        if not everything:
            return searched
        with database.of(None).read() as connection:
            shared = said_elsewhere(connection, everything, set(needles.words))
        return [replace(each, found=each.found - shared) for each in searched]

    def _compacted(self) -> bool:
        """Write the storage anew, without what lay in pages that nothing uses."""
        database = self.opened.database
        self._left = database.compact()
        database.scrub(wait_s=_WAIT_S)
        if database.main_place:
            self.places.setdefault(database.main_place, "scrubbed")
        return False


def finish_scrubs(opened: "Opened", progress: Progress) -> int:
    """Scrub what earlier erasures left waiting.

    Returns:
        How many are still waiting.
    """
    waiting = pending_scrubs(opened)
    for erased in waiting:
        Scrub(opened, progress).run(erased, Needles())
    return len(pending_scrubs(opened)) if waiting else 0


def pending_scrubs(opened: "Opened") -> list[int]:
    """Give the positions of the erasures that are not scrubbed to the end."""
    with opened.database.read() as connection:
        serving = opened.projector.serving(connection)
        c = trust_tables(opened.projector.readable(serving, "trust").number).keeping.erasure.c
        statement = select(c.position).where(c.log == opened.log.log, c.completed.is_(None))
        return list(connection.execute(statement.order_by(c.position)).scalars())
