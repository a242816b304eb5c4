"""What is believed: the reads about facts, shared by the engine and every view of the past."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from smriti_es.answer import Answer
from smriti_es.belief_changes import BeliefChange, belief_changes
from smriti_es.beliefs import BeliefReader, Fact, FactFilter, FactStatus
from smriti_es.captured import TimeGiven
from smriti_es.checked_values import Place, checked_names, checked_position, checked_text
from smriti_es.events.errors import InvalidInput
from smriti_es.events.instants import parse_instant
from smriti_es.explained_events import ExplainedEvents
from smriti_es.fact_history import Explanation, FactHistory, read_explanation, read_history
from smriti_es.filters import parse_filter
from smriti_es.opened import Opened
from smriti_es.predicates import DIGEST_PREFIX, predicate_form
from smriti_es.projections.entities import names_at
from smriti_es.projections.generation import Generation
from smriti_es.projections.turns import turn_tables
from smriti_es.roles import checked_origins
from smriti_es.time_travel import Moment, find_moment
from smriti_es.trust_of_then import Trust, is_then


class FactReads:
    """The reads about facts.

    A view of the past has a `moment`; every read is then as of that knowledge time, and the default
    world time is no later than it. It may have been opened under the trust of then (`_then`).
    """

    _opened: Opened
    _moment: Moment | None
    _then: bool

    def facts(  # noqa: PLR0913  each narrows the answer in its own way
        self,
        subject: str | None = None,
        predicate: str | None = None,
        *,
        object: str | None = None,
        entity: str | None = None,
        valid_at: TimeGiven | None = None,
        known_at: int | TimeGiven | None = None,
        scopes: Sequence[str] | None = (),
        origins: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        statuses: Sequence[str] | None = (FactStatus.CURRENT,),
        tags: Sequence[str] = (),
        tags_any: Sequence[str] = (),
        where: Mapping[str, object] | None = None,
        trust: Trust | None = None,
    ) -> Answer[Fact]:
        """Read what is believed, or was believed at `known_at`, to hold at `valid_at`.

        Args:
            subject: A name; every alias of the entity is meant. None: any.
            predicate: In any spelling. None: any.
            object: The value, in any spelling. None: any.
            entity: A name that occurs in the fact. None: any.
            valid_at: World time; None: now, or the view's knowledge time if that is earlier.
            known_at: Knowledge time, or a position; None: now, or the view's.
            scopes: The scopes one is in: their facts and unscoped ones. None: every scope.
            origins: Of these origins: owner, agent, tool, untrusted. None: any.
            kinds: Kinds of facts; None: all but digests, unless `predicate` names one of theirs.
            statuses: How the facts must stand at `valid_at`: current, scheduled, superseded, ended,
                corrected, retracted. None: any of these.
            tags: Tags that they have, all of them.
            tags_any: Tags of which they have one.
            where: What their metadata must meet, as in `search`.
            trust: "then" reads the past under the trust of its day: what is withheld today is
                shown, with a label (`Fact.withheld`). For owners and auditors, never for a model.
                None: "today", or as the view was opened.

        Returns:
            Facts, those with a scope first, then in the order in which they began to hold.

        Raises:
            InvalidInput: A time, scope, status or filter cannot be read.
            NotFound: The log, or a space that is read, did not exist at `known_at`.
        """
        about = self._fact_filter(subject, predicate, object, entity, scopes, kinds, origins)
        wanted = _labelled(about, tags, tags_any, where)
        stand = None if statuses is None else _statuses(statuses)
        with self._opened.database.read() as connection:
            moment = self._when(connection, known_at)
            reader = self._about_spaces(connection, valid_at, moment, trust)
            return Answer(reader.facts(wanted, statuses=stand), reader.known_to)

    def history(  # noqa: PLR0913  each narrows the answer in its own way
        self,
        subject: str | None = None,
        predicate: str | None = None,
        *,
        object: str | None = None,
        valid_at: TimeGiven | None = None,
        known_at: int | TimeGiven | None = None,
        scopes: Sequence[str] | None = None,
        origins: Sequence[str] | None = None,
        tags: Sequence[str] = (),
        tags_any: Sequence[str] = (),
        where: Mapping[str, object] | None = None,
        trust: Trust | None = None,
    ) -> Answer[FactHistory]:
        """Read every statement about something, however it stands, with each belief about it.

        Args:
            subject: A name, with its aliases. None: any.
            predicate: In any spelling. None: any.
            object: The value. None: any.
            valid_at: World time for which `status` is told; None: now.
            known_at: As of which knowledge time; None: now.
            scopes: Only these scopes and unscoped facts; None: every scope.
            origins: Of these origins; None: any.
            tags: Tags that they have, all of them.
            tags_any: Tags of which they have one.
            where: What their metadata must meet, as in `search`.
            trust: As in `facts`.

        Raises:
            InvalidInput: A time, scope or filter cannot be read.
            NotFound: The log, or a space that is read, did not exist at `known_at`.
        """
        about = self._fact_filter(subject, predicate, object, None, scopes, None, origins)
        wanted = _labelled(about, tags, tags_any, where)
        with self._opened.database.read() as connection:
            moment = self._when(connection, known_at)
            reader = self._about_spaces(connection, valid_at, moment, trust)
            return Answer(read_history(reader, wanted), reader.known_to)

    def explain(
        self,
        position: int,
        *,
        valid_at: TimeGiven | None = None,
        known_at: int | TimeGiven | None = None,
        scopes: Sequence[str] | None = None,
        origins: Sequence[str] | None = None,
        trust: Trust | None = None,
    ) -> Explanation:
        """Say why a fact is believed: turns, extraction, verdicts, each with position and hash.

        Args:
            position: The fact's position.
            valid_at: World time for which `status` is told; None: now.
            known_at: As of which knowledge time, or position; None: now.
            scopes: Only these scopes and unscoped facts; None: every scope.
            origins: Only what is of these origins, and rests on nothing else; None: any.
            trust: As in `facts`.

        Raises:
            NotFound: There is no such fact, or was none at `known_at`, or it is of another scope or
                origin.
        """
        opened = self._opened
        checked_position(position, Place("position"))
        named = None if scopes is None else checked_names(scopes, Place("scopes"))
        with opened.database.read() as connection:
            serving = opened.projector.serving(connection)
            turns = turn_tables(opened.projector.readable(serving, "turns").number)
            lineage = opened.projector.readable(serving, "lineage").number
            reader = self._beliefs(connection, valid_at, self._when(connection, known_at), trust)
            shown = ExplainedEvents(
                reader, turns, lineage, opened.spaces, named, checked_origins(origins)
            )
            return read_explanation(shown, opened.log, position)

    def diff(  # noqa: PLR0913  each narrows the answer in its own way
        self,
        earlier: int | TimeGiven,
        later: int | TimeGiven,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        scopes: Sequence[str] | None = None,
        tags: Sequence[str] = (),
        tags_any: Sequence[str] = (),
        where: Mapping[str, object] | None = None,
        trust: Trust | None = None,
    ) -> Answer[BeliefChange]:
        """List what the memory came to believe, ceased to believe or re-dated between two times.

        Args:
            earlier: A knowledge time or position.
            later: Another, not before it.
            subject: A name, with its aliases. None: any.
            predicate: In any spelling. None: any.
            scopes: Only these scopes and unscoped facts; None: every scope.
            tags: Tags that they have, all of them.
            tags_any: Tags of which they have one.
            where: What their metadata must meet, as in `search`.
            trust: As in `facts`; under the trust of then a quarantine and its release are changes.

        Raises:
            InvalidInput: `later` lies before `earlier`, or a filter cannot be read.
            NotFound: The log did not exist at one of them, or a space that is read at the later.
        """
        about = self._fact_filter(subject, predicate, None, None, scopes, None)
        wanted = _labelled(about, tags, tags_any, where)
        with self._opened.database.read() as connection:
            first = self._moment_at(connection, earlier)
            last = self._moment_at(connection, later)
            if last.known < first.known:
                raise InvalidInput("the later time lies before the earlier", hint="Swap them.")
            before = self._beliefs(connection, None, first, trust)
            after = self._about_spaces(connection, None, last, trust)
            changes = belief_changes(before, after, (first, last), wanted)
        return Answer(changes, after.known_to)

    def world_time(
        self, *, valid_at: TimeGiven | None = None, known_at: int | TimeGiven | None = None
    ) -> int:
        """Give the world time at which a read with these arguments tells how facts stand.

        Returns:
            Microseconds since the epoch.
        """
        with self._opened.database.read() as connection:
            moment = self._when(connection, known_at)
        return self._world_time(valid_at, None if moment is None else moment.known)

    def names_of(self, name: str) -> tuple[str, ...]:
        """Give every name, in key form, of the entity that a name stands for."""
        with self._opened.database.read() as connection:
            reader = self._beliefs(connection, None, self._moment)
            names = names_at(connection, reader.log, reader.tables.aliases, reader.known)
            return names.all_of(names.key(name))

    def _fact_filter(
        self,
        subject: str | None,
        predicate: str | None,
        value: str | None,
        entity: str | None,
        scopes: Sequence[str] | None,
        kinds: Sequence[str] | None,
        origins: Sequence[str] | None = None,
    ) -> FactFilter:
        named = {"subject": subject, "predicate": predicate, "object": value, "entity": entity}
        for name, given in named.items():
            if given is not None:
                checked_text(given, Place(name))
        return FactFilter(
            spaces=self._opened.spaces,
            subject=subject,
            predicate=predicate,
            object=value,
            entity=entity,
            scopes=None if scopes is None else checked_names(scopes, Place("scopes")),
            origins=checked_origins(origins),
            kinds=None if kinds is None else checked_names(kinds, Place("kinds")),
            digests=kinds is not None or _is_of_digests(predicate),
        )

    def _when(self, connection: Connection, known_at: int | TimeGiven | None) -> Moment | None:
        """Find the moment that is asked for, within what the view may know; None: now."""
        return self._moment if known_at is None else self._moment_at(connection, known_at)

    def _moment_at(self, connection: Connection, known_at: int | TimeGiven) -> Moment:
        """Find a moment; what lies past that of a view is the moment of the view."""
        moment = self._moment
        asked = find_moment(connection, self._opened.log, known_at, self._opened.zone)
        return asked if moment is None or asked.known < moment.known else moment

    def _beliefs(
        self,
        connection: Connection,
        valid_at: TimeGiven | None,
        moment: Moment | None,
        trust: Trust | None = None,
        serving: Mapping[str, Generation] | None = None,
    ) -> BeliefReader:
        """Open a reader of beliefs at two times, under the trust of today or of then."""
        known = None if moment is None else moment.known
        world_time, then = self._world_time(valid_at, known), is_then(trust, self._then)
        return self._opened.beliefs(connection, moment, world_time, then=then, serving=serving)

    def _about_spaces(
        self,
        connection: Connection,
        valid_at: TimeGiven | None,
        moment: Moment | None,
        trust: Trust | None,
    ) -> BeliefReader:
        """Open a reader of beliefs at two times, about spaces that exist."""
        self._opened.assert_spaces_exist(connection, self._opened.spaces, moment)
        return self._beliefs(connection, valid_at, moment, trust)

    def _world_time(self, valid_at: TimeGiven | None, known: int | None) -> int:
        if valid_at is not None:
            return parse_instant(valid_at, zone=self._opened.zone).at
        now = self._opened.clock()
        return now if known is None else min(now, known)


def _labelled(
    about: FactFilter,
    tags: Sequence[str],
    tags_any: Sequence[str],
    where: Mapping[str, object] | None,
) -> FactFilter:
    return replace(
        about,
        tags=checked_names(tags, Place("tags")),
        tags_any=checked_names(tags_any, Place("tags_any")),
        condition=parse_filter(where),
    )


def _is_of_digests(predicate: str | None) -> bool:
    return predicate is not None and predicate_form(predicate).startswith(DIGEST_PREFIX)


def _statuses(names: Sequence[str]) -> list[FactStatus]:
    try:
        return [FactStatus(name) for name in checked_names(names, Place("statuses"))]
    except ValueError as error:
        raise InvalidInput(
            f"no such status: {error}",
            hint=f"There are: {', '.join(FactStatus)}.",
            field="statuses",
        ) from error
