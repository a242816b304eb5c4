"""A model of what a memory believes, in plain Python: lists, gone through for each question."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from smriti_es.events.key_form import key_form

NEVER = 2**62
# Who has no digest of everything that is said of them.
GENERIC = "user"
# What a digest is of: an entity and a predicate such as `digest:entity`, in a scope.
Key = tuple[str, str, str]
# Facts as they stood: position, beginning and end of each.
Facts = frozenset[tuple[int, int, int | None]]


@dataclass
class Told:
    """A statement, and from when to when the memory believed it; `fact` breaks the last ties.

    A digest has in `sums` what it sums up; it is None for every other statement.
    """

    position: int
    known: int
    fact: str
    key: Key
    value: str
    begins: int
    until: int | None
    said: int
    single: bool
    because: tuple[int, ...] = ()
    sums: Facts | None = None
    gone: int = NEVER

    @property
    def order(self) -> tuple[int, int, str, str]:
        return (self.begins, self.said, self.value, self.fact)


@dataclass
class Ended:
    """A stated end, and from when to when it counted."""

    position: int
    known: int
    key: Key
    value: str
    at: int
    said: int
    gone: int = NEVER


@dataclass
class Named:
    """An alias, and from when to when it counted."""

    known: int
    alias: str
    canonical: str
    gone: int = NEVER


@dataclass
class Standing:
    """How a statement stands."""

    begins: int
    until: int | None = None
    followed: bool = False
    repeats: int | None = None
    status: str = ""
    stale: bool = False


@dataclass
class Model:
    """Everything that was told, in lists."""

    names: tuple[str, ...]
    told: list[Told] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)

    def root(self, name: str, known: int) -> str:
        """The name that stands for an entity, at a knowledge time."""
        root = {name: name for name in map(key_form, self.names)}
        for one in self.named:
            if one.known <= known < one.gone:
                over, under = root[one.canonical], root[one.alias]
                root = {each: over if now == under else now for each, now in root.items()}
        return root[name]

    def believed(self, known: int, valid_at: int) -> dict[int, Standing]:
        """How every statement stands at two times."""
        standing = {
            one.position: Standing(one.begins, status="retracted")
            for one in self.told
            if one.known <= known
        }
        for key in {self.key_of(one, known) for one in self.told}:
            standing |= self._chained(key, known)
        for one in standing.values():
            one.status = one.status or _status(one, valid_at)
        groups = self._grouped(standing, known)
        for told in self.told:
            if told.position in standing:
                standing[told.position].stale = self._is_stale(told, standing, groups, known)
        return standing

    def groups(self, known: int, valid_at: int) -> dict[Key, Facts]:
        """What a digest of each key would sum up."""
        return self._grouped(self.believed(known, valid_at), known)

    def digests(self, known: int, valid_at: int) -> dict[Key, tuple[Told, Standing]]:
        """The digest of each key that holds, or will; of two the one that begins later."""
        standing = self.believed(known, valid_at)
        told = sorted((one for one in self.told if one.sums is not None), key=lambda t: t.begins)
        return {
            self.key_of(one, known): (one, standing[one.position])
            for one in told
            if one.known <= known and standing[one.position].status in ("current", "scheduled")
        }

    def key_of(self, one: Told | Ended, known: int) -> Key:
        """The key of a statement or an end, under the name that stands for its subject."""
        return (self.root(one.key[0], known), *one.key[1:])

    def tell(self, **values: Any) -> None:
        """Take over a statement."""
        self.told.append(Told(**values))

    def tell_digest(self, recorded: Any, groups: dict[Key, Facts]) -> None:
        """Take over a digest, which must follow from exactly what it is to sum up."""
        event = recorded.event
        self.tell(
            position=recorded.position,
            known=recorded.header.known,
            fact=event.fact,
            key=(key_form(event.subject), event.predicate, key_form(event.scope)),
            value=key_form(event.object),
            begins=event.valid_from,
            until=event.valid_to,
            said=event.said_at,
            single=event.single,
            because=tuple(event.because),
        )
        one = self.told[-1]
        one.sums = groups[self.key_of(one, NEVER - 1)]
        assert sorted(one.because) == sorted(position for position, _, _ in one.sums)

    def end(self, recorded: Any, one: Told) -> None:
        """Take over a stated end of a statement's value."""
        event = recorded.event
        ended = Ended(
            recorded.position,
            recorded.header.known,
            one.key,
            one.value,
            event.valid_to,
            event.said_at,
        )
        self.ended.append(ended)

    def name(self, known: int, alias: str, canonical: str) -> None:
        """Take over an alias."""
        self.named.append(Named(known, alias, canonical))

    def at(self, position: int) -> Told:
        """The statement at a position."""
        return next(one for one in self.told if one.position == position)

    def _chained(self, key: Key, known: int) -> dict[int, Standing]:
        def of_key(one: Told | Ended) -> bool:
            return one.known <= known < one.gone and self.key_of(one, known) == key

        told = sorted(filter(of_key, self.told), key=lambda one: one.order)
        ended = list(filter(of_key, self.ended))
        if any(one.single for one in told):
            return dict(_chain(told, ended))
        return {
            position: one
            for value in {one.value for one in told}
            for position, one in _chain([t for t in told if t.value == value], ended)
        }

    def _grouped(self, standing: dict[int, Standing], known: int) -> dict[Key, Facts]:
        groups: dict[Key, set[tuple[int, int, int | None]]] = {}
        for one in self.told:
            stands = standing.get(one.position, Standing(0))
            if stands.status == "current" and one.sums is None and self._is_sound(one, standing):
                subject, predicate, scope = self.key_of(one, known)
                kinds = [predicate] if one.key[0] == GENERIC else [predicate, "entity"]
                for kind in kinds:
                    group = groups.setdefault((subject, f"digest:{kind}", scope), set())
                    group.add((one.position, stands.begins, stands.until))
        return {key: frozenset(group) for key, group in groups.items()}

    def _is_stale(
        self, told: Told, standing: dict[int, Standing], groups: dict[Key, Facts], known: int
    ) -> bool:
        if told.sums is not None:
            return told.sums != groups.get(self.key_of(told, known), frozenset())
        return any(
            not self._holds(premise, standing)
            or self._is_stale(self.at(premise), standing, groups, known)
            for premise in told.because
        )

    def _is_sound(self, told: Told, standing: dict[int, Standing]) -> bool:
        """Whether nothing that it rests on fell or came out of a digest."""
        return all(
            self._holds(premise, standing)
            and self.at(premise).sums is None
            and self._is_sound(self.at(premise), standing)
            for premise in told.because
        )

    def _holds(self, position: int, standing: dict[int, Standing]) -> bool:
        one = standing[position]
        if one.repeats is not None:
            one = standing[one.repeats]
        return one.status in ("current", "scheduled")


def _chain(told: list[Told], ended: list[Ended]) -> Iterator[tuple[int, Standing]]:
    """Go through statements in order: each stands until the next, unless it only repeats."""
    while told:
        first, *rest = told
        run = [first]
        while rest and rest[0].value == first.value and _end(run, ended, rest[0].begins) is None:
            run.append(rest.pop(0))
        following = rest[0] if rest else None
        until = _end(run, ended, NEVER if following is None else following.begins)
        followed = following is not None and following.value != first.value
        if following is not None and followed and until in (None, following.begins):
            until = following.begins
        else:
            followed = False
        yield first.position, Standing(first.begins, until, followed)
        for one in run[1:]:
            yield one.position, Standing(one.begins, repeats=first.position)
        told = rest


def _end(run: list[Told], ended: list[Ended], before: int) -> int | None:
    """The end that was stated last of those that a run can have."""
    stated = [(one.said, one.until) for one in run if one.until is not None]
    stated += [(one.said, one.at) for one in ended if one.value == run[0].value]
    fitting = [(said, at) for said, at in stated if run[0].begins < at <= before]
    return max(fitting)[1] if fitting else None


def _status(one: Standing, valid_at: int) -> str:
    if one.repeats is not None:
        return "reaffirms"
    if one.until == one.begins:
        return "corrected"
    if valid_at < one.begins:
        return "scheduled"
    if one.until is None or valid_at < one.until:
        return "current"
    return "superseded" if one.followed else "ended"


@pytest.fixture(scope="session")
def belief_model() -> Callable[[tuple[str, ...]], Model]:
    """Make a model of what a memory believes: lists, gone through anew for each question.

    It is told about statements, ends and aliases of the given names, each with the known time at
    which it came and, later, at which it went.
    """
    return Model
