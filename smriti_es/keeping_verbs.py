"""The owner's verbs about how long content is kept: erasure, legal holds, retention.

None of them is for an agent: no surface that a model reaches offers one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, Unpack

from smriti_es.blast_radius import (
    BlastRadius,
    NamedForErasure,
    NamedForHold,
    Target,
    Tracer,
)
from smriti_es.captured import TimeGiven
from smriti_es.checked_values import Place, checked_label, checked_position
from smriti_es.erased_predecessors import orphans_of, predecessors_of
from smriti_es.erasing import PREDECESSORS, Erase, PlanOf, Predecessor, plan_of_target
from smriti_es.erasure_plan import Planner
from smriti_es.erasure_scan import needles_of
from smriti_es.events.catalogue import HoldPlaced, RetentionSet
from smriti_es.events.errors import InvalidInput
from smriti_es.events.header import Actor
from smriti_es.events.records import NewEvent
from smriti_es.fact_verbs import checked_object, checked_reason
from smriti_es.forgotten_values import ReadmitValue
from smriti_es.holds import (
    HELD_KINDS,
    Hold,
    ReleaseHold,
    held_by,
    hold_name,
    read_holds,
)
from smriti_es.opening_arguments import checked_actor
from smriti_es.predicates import predicate_form
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.retention import DueItems, Retention, Sweep, kept_how_long
from smriti_es.scrubbing import Scrub, finish_scrubs
from smriti_es.tombstones import Value
from smriti_es.trust_verbs import TrustVerbs

_NAME_MAX: Final = 200
_KEEP_MAX: Final = timedelta(days=100_000)
# An actor is part of headers, which are never erased; quarantine takes one by name.
_ERASABLE: Final = ("turn", "session", "fact", "origin", "entity", "space", "before")


@dataclass(frozen=True, slots=True)
class Erasure:
    """What an erasure took, or would take; there is no content in it.

    Attributes:
        position: Of the event that records it; None for a dry run.
        content: Positions of the sessions, turns, facts and ends.
        aliases: How many aliases of an erased entity went.
        derived: How many other events went because they repeat content or say something of it.
        predecessors: Facts that an erased one had replaced or an erased end had ended.
        predecessor: What became of these: `lapse` or `reopen`.
        waiting: Proposals that would have moved what went: they wait for your word all the same.
        holds: Of a dry run the holds that forbid it, by position.
        places: For each place where content could lie: `clean`, `scrubbed`, `present`, or `not
            reachable` with the reason.
        verified: Whether every file was searched for the content and did not hold it.
        pending: What keeps it from being scrubbed to the end, or None; it is tried again when the
            memory is next opened for writing, and by `finish_erasures`.
    """

    position: int | None
    content: BlastRadius
    aliases: int
    derived: int
    predecessors: tuple[int, ...]
    predecessor: Predecessor
    waiting: tuple[int, ...] = ()
    holds: tuple[int, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict, hash=False)
    verified: bool = False
    pending: str | None = None


class KeepingVerbs(TrustVerbs):
    """Erasure, holds and retention; the engine has them, a view of the past does not."""

    def erase(
        self,
        *,
        reason: str = "",
        actor: str | None = None,
        predecessor: Predecessor = "lapse",
        forget_values: bool = False,
        dry_run: bool = False,
        progress: Progress = no_progress,
        **target: Unpack[NamedForErasure],
    ) -> Erasure:
        """Erase something and everything that was derived from it, for good, everywhere.

        The events stay, without their content, so the chain and every proof hold. A fact that other
        sources state by themselves stays on those. Sent again, erased turns stay out unless they
        are readmitted (see `add`).

        Args:
            reason: Why; it stays in the log, so name nobody in it.
            actor: Who does it; None: as the engine was opened.
            predecessor: What becomes of a fact that an erased one had replaced. "lapse": it ended,
                nobody knows when. "reopen": what is erased was never true, so it goes on.
            forget_values: Keep erased values from being extracted again.
            dry_run: Only tell what would go.
            progress: Called with phase, done and total while files are scrubbed.
            **target: Exactly one of turn and fact (positions), session (a name), entity (any of its
                names), origin, space, and before (a time: what was said before it).

        Raises:
            HeldError: A legal hold keeps some of it; nothing was erased.
            InvalidInput: Not exactly one thing is named.
            NotFound: There is no such thing, or it was erased before.
            StorageError: The database could not do it; nothing was erased.
        """
        wanted = self._erasable(target)
        if predecessor not in PREDECESSORS:
            raise InvalidInput(
                f"predecessor {predecessor!r}", hint=f"Choose one of {', '.join(PREDECESSORS)}."
            )
        command = self._erasing(plan_of_target(wanted), wanted.kind, reason)
        command.predecessor, command.forget_values = predecessor, forget_values
        if dry_run:
            return self._would_erase(command)
        return self._erase(command, actor, progress)

    def finish_erasures(self, *, progress: Progress = no_progress) -> int:
        """Scrub what earlier erasures could not reach, as when somebody was reading.

        Args:
            progress: Called with phase, done and total.

        Returns:
            How many erasures are still not scrubbed to the end.
        """
        return finish_scrubs(self._opened, progress)

    def readmit_value(self, subject: str, predicate: str, object: str, *, reason: str = "") -> None:
        """Let a value be extracted again that was erased to be forgotten, or turned down.

        Args:
            subject: Whom or what it is about, by any name.
            predicate: What is said of it.
            object: The value.
            reason: Why.

        Raises:
            NotFound: Nothing keeps it out.
        """
        opened = self._opened
        value = Value(
            opened.space,
            checked_label(subject, Place("subject"), _NAME_MAX),
            predicate_form(checked_label(predicate, Place("predicate"), _NAME_MAX)),
            checked_object(object),
        )
        self._do(ReadmitValue(opened.projector, value, checked_reason(reason)))

    def set_retention(
        self,
        keep_for: timedelta | None,
        *,
        session: str | None = None,
        kind: str | None = None,
        reason: str = "",
    ) -> None:
        """Settle how long things are kept; `sweep` erases what is older.

        Of several rules for one thing that of its session counts, then that of its kind, then that
        of the space. Turns that a session gets later fall under its rule, too, and so do facts that
        are found in them.

        Args:
            keep_for: From when it was said; None: for as long as one likes, whatever a rule that
                is less specific says.
            session: Only a session of the space that is written to; None: the whole space.
            kind: Only turns and facts of a kind; None: all.
            reason: Why.

        Raises:
            InvalidInput: It is no length of time, negative or longer than 100,000 days, or a
                name is none.
        """
        is_length = isinstance(keep_for, timedelta) and timedelta() <= keep_for <= _KEEP_MAX
        if keep_for is not None and not is_length:
            raise InvalidInput(
                f"keep_for is {keep_for}",
                hint="Give a length of time from 0 to 100,000 days.",
                field="keep_for",
            )
        name = None if session is None else checked_label(session, Place("session"), _NAME_MAX)
        of_kind = None if kind is None else checked_label(kind, Place("kind"), _NAME_MAX)
        event = RetentionSet(
            keep_for=-1 if keep_for is None else keep_for // timedelta(microseconds=1),
            space=self._opened.space,
            session=name or "",
            kind=of_kind or "",
            reason=checked_reason(reason),
        )
        self._do([NewEvent(event)])

    def retention(self) -> list[Retention]:
        """List how long what is kept."""
        return kept_how_long(self._opened)

    def sweep(
        self,
        *,
        now: TimeGiven | None = None,
        dry_run: bool = False,
        progress: Progress = no_progress,
    ) -> Sweep:
        """Erase what is older than it is to be kept; what a hold keeps is skipped and counted.

        Args:
            now: As of when; None: now.
            dry_run: Only tell what would go.
            progress: Called with phase, done and total while files are scrubbed.

        Raises:
            StorageError: The database could not do it; nothing was erased.
        """
        clock = self._opened.clock()
        due = DueItems(clock if now is None else self._time(now).at, clock)
        command = self._erasing(due.plan, "retention", "retention")
        command.now = clock
        erased = self._would_erase(command)
        if not dry_run and erased.content.positions:
            erased = self._erase(command, None, progress)
        return Sweep(
            due.due, due.held, erased.content, erased.position, erased.pending, erased.verified
        )

    def place_hold(
        self,
        *,
        reason: str,
        authority: str,
        expires_at: TimeGiven | None = None,
        **target: Unpack[NamedForHold],
    ) -> int:
        """Keep something from being erased until the hold is released or expires.

        Whatever rests on it is kept with it. Several holds on one thing count separately. With no
        target everything in this tenant is kept. What is named need not exist yet.

        Args:
            reason: Why.
            authority: Who asks for it.
            expires_at: When it ceases by itself; None: never.
            **target: At most one of turn and fact (positions), session (a name), entity (any of its
                names) and space.

        Returns:
            Position of the hold, by which it is released.

        Raises:
            InvalidInput: More than one thing is named, or one that cannot be held.
            NotFound: There is no such turn or fact.
        """
        kind, name = "tenant", ""
        if any(value is not None for value in target.values()):
            wanted = self._target(target, HELD_KINDS[:-1])
            kind, name = wanted.kind, str(wanted.name)
            self._assert_there(wanted)
        opened = self._opened
        expires = -1 if expires_at is None else self._time(expires_at).at
        if expires_at is not None and expires <= opened.clock():
            raise InvalidInput(
                "the hold would have expired already",
                hint="Give a later time, or none.",
                field="expires_at",
            )
        event = HoldPlaced(
            expires_at=expires,
            kind=kind,
            name=hold_name(kind, name),
            space=opened.space if kind == "session" else "",
            reason=checked_reason(reason),
            authority=checked_label(authority, Place("authority"), _NAME_MAX),
        )
        return self._do([NewEvent(event)]).first

    def release_hold(self, hold: int, *, reason: str = "") -> None:
        """Lift a hold; others on the same thing stand.

        Raises:
            NotFound: No hold stands at that position.
        """
        at = checked_position(hold, Place("hold"))
        self._do(ReleaseHold(self._opened.projector, at, checked_reason(reason)))

    def holds(self) -> list[Hold]:
        """List the holds that are not released, oldest first; expired ones among them."""
        return read_holds(self._opened)

    def _erasable(self, named: Mapping[str, Any]) -> Target:
        target = self._target(named, _ERASABLE)
        if target.kind == "before":
            return Target("before", self._time(named["before"]).at)
        return target

    def _assert_there(self, target: Target) -> None:
        """Refuse a position at which there is no such thing; a name may be of what comes yet."""
        if target.kind not in ("turn", "fact"):
            return
        opened = self._opened
        with opened.database.read() as connection:
            serving = opened.projector.serving(connection)
            Tracer.of(connection, opened.log, serving, opened.space).radius(target, cascade=False)

    def _erasing(self, plan_of: PlanOf, named: str, reason: str) -> Erase:
        opened = self._opened
        return Erase(
            projector=opened.projector,
            log=opened.log,
            space=opened.space,
            plan_of=plan_of,
            named=named,
            reason=checked_reason(reason),
            now=opened.clock(),
        )

    def _erase(self, command: Erase, actor: str | None, progress: Progress) -> Erasure:
        opened = self._opened
        opened.guarding.assert_owner()
        who = opened.actor if actor is None else Actor("owner", checked_actor(actor))
        commit = opened.log.append(command, actor=who)
        opened.forget_caches()
        opened.close_replays()
        needles = needles_of(command.plan, command.vectors, command.tokens)
        scrubbed = Scrub(opened, progress).run(
            commit.first, needles, sequences=tuple(command.vectors), before=command.before
        )
        return Erasure(
            position=commit.first,
            content=command.plan.content,
            aliases=len(command.plan.aliases),
            derived=command.plan.derived,
            predecessors=tuple(command.predecessors),
            predecessor=command.predecessor,
            waiting=tuple(command.orphans),
            places=scrubbed.places,
            verified=scrubbed.verified,
            pending=scrubbed.pending,
        )

    def _would_erase(self, command: Erase) -> Erasure:
        opened = self._opened
        with opened.database.read() as connection:
            serving = opened.projector.serving(connection)
            for name in ("turns", "facts", "lineage", "trust", "entities"):
                opened.projector.readable(serving, name)
            planner = Planner.of(connection, opened.log, serving, opened.space)
            plan = command.plan_of(planner)
            holds = held_by(planner, plan, command.now)
            before = predecessors_of(planner, plan)
            waiting = orphans_of(planner, plan) if command.predecessor == "lapse" else []
        return Erasure(
            position=None,
            content=plan.content,
            aliases=len(plan.aliases),
            derived=plan.derived,
            predecessors=tuple(before),
            predecessor=command.predecessor,
            waiting=tuple(waiting),
            holds=tuple(holds),
        )
