"""The verbs that change what is believed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from smriti_es.captured import MetadataValue, Origin, TimeGiven
from smriti_es.checked_values import (
    Place,
    checked_label,
    checked_metadata,
    checked_names,
    checked_position,
    checked_positions,
    checked_tags,
    checked_text,
)
from smriti_es.entity_writing import AliasEntity, RemoveAlias
from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.catalogue.facts import DIGEST
from smriti_es.events.errors import InvalidInput, NotAllowed
from smriti_es.events.instants import Instant, parse_instant
from smriti_es.events.records import Command, Commit, NewEvent
from smriti_es.fact_draft import FactDraft
from smriti_es.fact_reads import FactReads
from smriti_es.fact_writing import (
    AssertFacts,
    EndFact,
    RetractEnd,
    RetractFact,
    assert_ends_later,
    plain_sentence,
)
from smriti_es.predicates import DIGEST_PREFIX, predicate_form
from smriti_es.roles import checked_origin, lowered
from smriti_es.scopes import checked_scope
from smriti_es.within_spaces import assert_within_spaces

_NAME_MAX = 200
_TEXT_MAX = 10_000


class FactVerbs(FactReads):
    """The verbs that change what is believed; the engine has them, a view of the past does not."""

    def assert_fact(  # noqa: PLR0913  everything that may be said of a fact
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        statement: str | None = None,
        scope: str = "",
        valid_from: TimeGiven | None = None,
        valid_to: TimeGiven | None = None,
        said_at: TimeGiven | None = None,
        multi: bool = False,
        kind: str = "knowledge",
        because: Sequence[int] = (),
        origin: str | None = None,
        entities: Sequence[str] = (),
        tags: Sequence[str] = (),
        metadata: Mapping[str, MetadataValue] | None = None,
    ) -> int:
        """State a fact by yourself.

        Args:
            subject: Whom or what it is about.
            predicate: What is said of it, in any spelling of snake_case.
            object: The value.
            statement: A sentence that says it; None: made of the three.
            scope: Where it applies, `kind:value`, several joined by " & "; "" for everywhere.
            valid_from: When it began to hold, also coarse ("2019", "2024-03"); None: when said.
            valid_to: When it ceases to hold, if that is known.
            said_at: When it was said; None: now.
            multi: The subject may have several such values at once.
            kind: profile, preference, event or knowledge.
            because: Positions of facts that it follows from: it takes their scopes and their lowest
                origin, and is stale when one of them falls.
            origin: Lowers the origin: agent, tool or untrusted. None: that of whoever opened it.
            entities: Names in it.
            tags: Labels.
            metadata: A flat map.

        Returns:
            The fact's position; -1 when exactly this was recorded before.

        Raises:
            InvalidInput: Something cannot be stored as it is, or the origin is above a premise's.
            NotAllowed: The origin is above that of whoever opened the memory.
            NotFound: A premise is not believed.
        """
        limits = self._opened.settings.limits
        event = replace(
            self._stated((subject, predicate, object, statement), said_at, valid_from, valid_to),
            origin=self._origin(origin),
            scope=checked_scope(scope),
            single=not multi,
            kind=_checked_kind(kind),
            because=self._premises(because),
            entities=_checked_entities(entities),
            tags=sorted(checked_tags(tags, Place("tags"), limits)),
            metadata=checked_metadata(metadata, Place("metadata"), limits),
        )
        return self._record(FactDraft(event, origin_named=origin is not None))

    def end_fact(self, position: int, *, at: TimeGiven | None = None, reason: str = "") -> int:
        """Say that a fact's value holds no longer, with nothing in its place.

        Args:
            position: The fact.
            at: Since when not; None: now.
            reason: Why.

        Returns:
            Position of the stated end, by which `retract_end` takes it back.

        Raises:
            NotFound: There is no such fact that is believed.
            InvalidInput: It would end before it began.
        """
        opened = self._opened
        when = None if at is None else self._time(at)
        command = EndFact(
            opened.projector,
            self._within_spaces(position),
            None if when is None else when.at,
            said_at=opened.clock(),
            precision="instant" if when is None else when.precision,
            written=_as_written(at),
            reason=checked_reason(reason),
        )
        return self._do(command).first

    def retract(self, position: int, *, reason: str = "") -> None:
        """Say that a fact was never true; what it had replaced stands again.

        Raises:
            NotFound: There is no such fact that is believed.
        """
        at = self._within_spaces(position)
        self._do(RetractFact(self._opened.projector, at, checked_reason(reason)))

    def retract_end(self, position: int, *, reason: str = "") -> None:
        """Take back a stated end, by the position of its event.

        Raises:
            NotFound: There is no such end.
        """
        at = self._within_spaces(position)
        self._do(RetractEnd(self._opened.projector, at, checked_reason(reason)))

    def alias(self, alias: str, canonical: str, *, reason: str = "") -> None:
        """Say that two names are the same entity; facts about both form one history.

        Args:
            alias: The other name.
            canonical: The name that stands for both.
            reason: Why.
        """
        pair = self._opened.guarding.screening.value([alias, canonical])
        other = checked_label(pair[0], Place("alias"), _NAME_MAX)
        stands = checked_label(pair[1], Place("canonical"), _NAME_MAX)
        self._do(AliasEntity(self._opened.projector, other, stands, checked_reason(reason)))

    def unalias(self, alias: str, *, reason: str = "") -> None:
        """Say that an alias is not the same entity after all.

        Raises:
            NotFound: It is no alias.
        """
        known_as = self._opened.guarding.screening.value(alias)
        name = checked_label(known_as, Place("alias"), _NAME_MAX)
        self._do(RemoveAlias(self._opened.projector, name, checked_reason(reason)))

    def _stated(
        self,
        words: tuple[str, str, str, str | None],
        said_at: TimeGiven | None,
        valid_from: TimeGiven | None,
        valid_to: TimeGiven | None,
    ) -> FactAsserted:
        """Check what is stated and when it holds."""
        said = Instant(self._opened.clock()) if said_at is None else self._time(said_at)
        begins = said if valid_from is None else self._time(valid_from)
        ends = None if valid_to is None else self._time(valid_to).at
        assert_ends_later(begins.at, ends)
        subject = checked_label(words[0], Place("subject"), _NAME_MAX)
        predicate = _checked_predicate(words[1])
        value = checked_object(words[2])
        made = plain_sentence(subject, predicate, value)
        return FactAsserted(
            origin="owner",
            fact="",
            space=self._opened.space,
            subject=subject,
            predicate=predicate,
            object=value,
            statement=made if words[3] is None else checked_text(words[3], Place("statement")),
            said_at=said.at,
            valid_from=begins.at,
            valid_precision=begins.precision,
            valid_to=ends,
            valid_text=_as_written(valid_from),
        )

    def _record(self, draft: FactDraft) -> int:
        # Before its id and its place in the chain are derived from what it says.
        stated = replace(draft, event=self._opened.guarding.screening.fact(draft.event))
        command = AssertFacts(self._opened.projector, [stated])
        self._append(command)
        return command.positions[0]

    def _premises(self, because: Sequence[int]) -> tuple[int, ...]:
        positions = tuple(sorted(set(checked_positions(because, Place("because")))))
        assert_within_spaces(self._opened, positions)
        return positions

    def _within_spaces(self, position: object, place: str = "position") -> int:
        """Check the position of something that a verb is about."""
        at = checked_position(position, Place(place))
        assert_within_spaces(self._opened, (at,))
        return at

    def _origin(self, named: str | None) -> Origin:
        """Give the origin of what is stated, never more trusted than whoever states it."""
        most_trusted = self._opened.guarding.origin
        if named is None:
            return most_trusted
        origin = checked_origin(named, Place("origin"))
        if lowered(origin, most_trusted) != origin:
            raise NotAllowed(
                f"origin {origin} is above {most_trusted}, as which the memory was opened",
                hint="Leave it out.",
            )
        return origin

    def _do(self, command: Command | Sequence[NewEvent]) -> Commit:
        """Append what only an owner may say."""
        self._opened.guarding.assert_owner()
        return self._append(command)

    def _append(self, command: Command | Sequence[NewEvent]) -> Commit:
        commit = self._opened.log.append(command, actor=self._opened.actor)
        self._opened.worker.wake()
        return commit

    def _time(self, given: TimeGiven) -> Instant:
        return parse_instant(given, zone=self._opened.zone)


def _checked_kind(kind: str) -> str:
    if kind == DIGEST:
        raise InvalidInput("digests are written by `observe`", hint="Choose another kind.")
    return checked_label(kind, Place("kind"), _NAME_MAX)


def _checked_entities(entities: object) -> list[str]:
    place = Place("entities")
    return [checked_label(each, place, _NAME_MAX) for each in checked_names(entities, place)]


def _checked_predicate(predicate: str) -> str:
    form = predicate_form(checked_label(predicate, Place("predicate"), _NAME_MAX))
    if not form or form.startswith(DIGEST_PREFIX):
        raise InvalidInput(f"not a predicate: {predicate!r}", hint="Write words, as in lives_in.")
    return form


def checked_object(value: object) -> str:
    """Check the value of a fact."""
    return checked_label(value, Place("object"), _TEXT_MAX)


def checked_reason(reason: str) -> str:
    """Check the words in which an owner gives a reason."""
    return checked_text(reason, Place("reason"))


def _as_written(given: TimeGiven | None) -> str | None:
    """Keep a time as it was written, whatever was understood by it."""
    return given if isinstance(given, str) else None
