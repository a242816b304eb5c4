"""The owner's verbs about what may be believed and read: review, quarantine, trust.

None of them is for an agent: no surface that a model reaches offers one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Unpack

from smriti_es.blast_radius import BlastRadius, Named, Target, Tracer, target_of
from smriti_es.captured import TimeGiven
from smriti_es.checked_values import Place, checked_position, checked_text
from smriti_es.events.catalogue import Quarantined
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.fact_verbs import FactVerbs, checked_object, checked_reason
from smriti_es.projections.receipts import receipt_table
from smriti_es.receipts import Receipt, find_receipts
from smriti_es.results import Context, SearchResult
from smriti_es.reviewing import Proposal, ReviewQueue
from smriti_es.standing_quarantines import QuarantineReader
from smriti_es.trust import profile_named
from smriti_es.trust_writing import ChangeTrust, EditProposal, Quarantine, Release, Review
from smriti_es.view import assert_page
from smriti_es.withholding import profile_of


@dataclass(frozen=True, slots=True)
class StandingQuarantine:
    """A quarantine that is not lifted.

    Attributes:
        position: Its place in the log, by which it is released.
        known: Since when, microseconds since the epoch.
        target: What was named, as `{kind: name}`.
        cascade: Whether what rested on it went along.
        reason: Why.
        items: How many sessions, turns and facts it withholds in the spaces that are read.
    """

    position: int
    known: int
    target: Mapping[str, Any]
    cascade: bool
    reason: str
    items: int


# What is told of a quarantine whose reasons were erased.
_UNTOLD: Final = Quarantined(ranges=(), part_of=NOBODY)


class TrustVerbs(FactVerbs):
    """Review, quarantine and trust; the engine has them, a view of the past does not."""

    @property
    def trust(self) -> str:
        """Name of the profile of trust that holds in this memory."""
        return profile_of(self._opened.projector)

    def change_trust(self, profile: str, *, reason: str = "") -> None:
        """Let another profile of trust hold from here on; what was said before is weighed anew.

        Args:
            profile: open, personal or regulated.
            reason: Why.

        Raises:
            InvalidInput: There is no such profile.
        """
        policy = profile_named(profile)
        self._do(ChangeTrust(self._opened.projector, policy, checked_reason(reason)))

    def review(self, *, after: int | None = None, limit: int = 100) -> list[Proposal]:
        """List what waits for an owner's word, oldest first.

        Args:
            after: Position of the last of the page before; None: from the beginning.
            limit: How many at most, 1 to 10,000.

        Raises:
            InvalidInput: One of them is out of range.
            NotFound: A space that is read does not exist.
        """
        assert_page(after, limit)
        with self._opened.database.read() as connection:
            opened = self._opened
            opened.assert_spaces_exist(connection, opened.spaces, None)
            beliefs = opened.beliefs(connection, None, opened.clock())
            queue = ReviewQueue(beliefs, opened.spaces)
            return queue.waiting(after=after, limit=limit)

    def approve(self, position: int, *, reason: str = "") -> None:
        """Let a proposal stand as if you had said it; from then on it moves what it would move.

        Raises:
            NotFound: Nothing waits there.
        """
        self._review(position, approve=True, reason=reason)

    def reject(self, position: int, *, reason: str = "") -> None:
        """Turn a proposal down; it is never believed nor read again.

        Raises:
            NotFound: Nothing waits there.
        """
        self._review(position, approve=False, reason=reason)

    def edit(
        self,
        position: int,
        *,
        object: str | None = None,
        statement: str | None = None,
        valid_from: TimeGiven | None = None,
        valid_to: TimeGiven | None = None,
        reason: str = "",
    ) -> int:
        """Turn a proposed fact down and state it yourself, corrected, on the same evidence.

        It is your word, unless it follows from facts that are not: then it has their origin, and
        may wait as the other did.

        Args:
            position: The proposal.
            object: The right value; None: as proposed.
            statement: A sentence that says it; None: made of subject, predicate and value.
            valid_from: Since when it holds; None: as proposed.
            valid_to: Until when; None: as proposed.
            reason: Why.

        Returns:
            Position of the new fact.

        Raises:
            InvalidInput: Something cannot be stored as it is.
            NotFound: No fact waits there, or one that it follows from is not believed.
        """
        opened = self._opened
        command = EditProposal(
            projector=opened.projector,
            position=self._within_spaces(position),
            now=opened.clock(),
            object=None if object is None else checked_object(object),
            statement=None if statement is None else checked_text(statement, Place("statement")),
            valid_from=None if valid_from is None else self._time(valid_from),
            valid_to=None if valid_to is None else self._time(valid_to),
            reason=checked_reason(reason),
            screened=opened.guarding.screening.fact,
        )
        self._do(command)
        return command.position_of_new

    def quarantine(self, *, cascade: bool = True, reason: str = "", **target: Unpack[Named]) -> int:
        """Withhold something from every read until it is released.

        A session that is quarantined stays so when it goes on; an origin or an actor is quarantined
        as far as it has come. What it had replaced stands again.

        Args:
            cascade: Also everything that was derived from it.
            reason: Why.
            **target: Exactly one of turn (a position), session (a name), fact (a position), origin
                and actor.

        Returns:
            Position of the quarantine, by which `release` lifts it.

        Raises:
            InvalidInput: Not exactly one thing is named.
            NotFound: There is no such thing.
        """
        opened = self._opened
        command = Quarantine(
            opened.projector,
            opened.log,
            opened.space,
            self._target(target),
            cascade=cascade,
            reason=checked_reason(reason),
        )
        return self._do(command).first

    def release(self, quarantine: int, *, reason: str = "") -> None:
        """Lift a quarantine; what another one holds back as well stays withheld.

        Raises:
            NotFound: No quarantine stands at that position.
        """
        at = checked_position(quarantine, Place("quarantine"))
        self._do(Release(self._opened.projector, at, checked_reason(reason)))

    def _review(self, position: int, *, approve: bool, reason: str) -> None:
        at = self._within_spaces(position)
        projector = self._opened.projector
        self._do(Review(projector, at, approve=approve, reason=checked_reason(reason)))

    def quarantines(self) -> list[StandingQuarantine]:
        """List the quarantines that are not lifted, oldest first.

        Those that withhold only what lies in spaces that are not read are left out.
        """
        opened = self._opened
        with opened.database.read() as connection:
            serving = opened.projector.serving(connection)
            for name in ("trust", "turns", "facts"):
                opened.projector.readable(serving, name)
            reader = QuarantineReader.of(connection, opened.log.log, serving, opened.spaces)
            standing = []
            for at, known, items in reader.standing():
                (recorded,) = opened.log.read(at, at + 1, connection=connection)
                said = recorded.event if isinstance(recorded.event, Quarantined) else _UNTOLD
                quarantine = (at, known, said.target, said.cascade, said.reason, items)
                standing.append(StandingQuarantine(*quarantine))
        return standing

    def verify_receipt(self, served: str | Context | SearchResult) -> list[Receipt]:
        """Tell when something was handed out, and which state of the log it came from.

        Args:
            served: The text of a context, byte for byte, or the answer itself.

        Returns:
            Its receipts, oldest first; empty when it was never handed out, was changed since, or
            no receipts were kept.
        """
        return find_receipts(self._opened, served)

    def impact(self, *, cascade: bool = True, **target: Unpack[Named]) -> BlastRadius:
        """Tell everything that would not be there without something, through all generations.

        Where receipts are kept, also the answers in which any of it was handed out.

        Args:
            cascade: False: only what is named itself, as a quarantine without cascade withholds it.
            **target: As in `quarantine`.

        Raises:
            InvalidInput: Not exactly one thing is named.
            NotFound: There is no such thing.
        """
        opened, named = self._opened, self._target(target)
        with opened.database.read() as connection:
            serving = opened.projector.serving(connection)
            for name in ("turns", "facts", "lineage", "receipts"):
                opened.projector.readable(serving, name)
            tracer = Tracer.of(connection, opened.log, serving, opened.space)
            receipts = receipt_table(serving["receipts"].number)
            return tracer.with_served(tracer.radius(named, cascade=cascade), receipts)

    def _target(
        self, named: Mapping[str, Any], kinds: Sequence[str] = tuple(Named.__annotations__)
    ) -> Target:
        """Check what is named; what has a position lies in a space that is read."""
        target = target_of(named, kinds)
        if target.kind in ("turn", "fact"):
            self._within_spaces(target.name, target.kind)
        return target
