"""What properties share: places for memories, and a model of beliefs in plain Python."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from smriti_es.events.key_form import key_form

NEVER = 2**62


@dataclass
class Told:
    """A statement, and from when to when the memory believed it."""

    position: int
    known: int
    key: tuple[str, str, str]
    value: str
    begins: int
    until: int | None
    said: int
    single: bool
    because: tuple[int, ...] = ()
    gone: int = NEVER

    @property
    def order(self) -> tuple[int, int, str]:
        return (self.begins, self.said, self.value)


@dataclass
class Ended:
    """A stated end, and from when to when it counted."""

    position: int
    known: int
    key: tuple[str, str, str]
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
        for key in {self._key(one.key, known) for one in self.told}:
            standing |= self._chained(key, known)
        for one in standing.values():
            one.status = one.status or _status(one, valid_at)
        for told in self.told:
            if told.position in standing:
                standing[told.position].stale = self._is_stale(told, standing)
        return standing

    def tell(self, **values: Any) -> None:
        """Take over a statement."""
        self.told.append(Told(**values))

    def end(self, **values: Any) -> None:
        """Take over a stated end."""
        self.ended.append(Ended(**values))

    def name(self, known: int, alias: str, canonical: str) -> None:
        """Take over an alias."""
        self.named.append(Named(known, alias, canonical))

    def at(self, position: int) -> Told:
        """The statement at a position."""
        return next(one for one in self.told if one.position == position)

    def _key(self, key: tuple[str, str, str], known: int) -> tuple[str, str, str]:
        return (self.root(key[0], known), *key[1:])

    def _chained(self, key: tuple[str, str, str], known: int) -> dict[int, Standing]:
        def of_key(one: Any) -> bool:
            return one.known <= known < one.gone and self._key(one.key, known) == key

        told = sorted(filter(of_key, self.told), key=lambda one: one.order)
        ended = list(filter(of_key, self.ended))
        if any(one.single for one in told):
            return dict(_chain(told, ended))
        return {
            position: one
            for value in {one.value for one in told}
            for position, one in _chain([t for t in told if t.value == value], ended)
        }

    def _is_stale(self, told: Told, standing: dict[int, Standing]) -> bool:
        for premise in told.because:
            below = standing[premise]
            if below.repeats is not None:
                below = standing[below.repeats]
            fallen = below.status not in ("current", "scheduled")
            if fallen or self._is_stale(self.at(premise), standing):
                return True
        return False


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


@pytest.fixture(params=["sqlite"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str | Path]:
    """Give a place for a memory of its own at each call; another database is another parameter."""
    files = count()
    return lambda: tmp_path / f"{next(files)}.db"


@pytest.fixture(scope="session")
def belief_model() -> Callable[[tuple[str, ...]], Model]:
    """Make a model of what a memory believes: lists, gone through anew for each question.

    It is told about statements, ends and aliases of the given names, each with the known time at
    which it came and, later, at which it went.
    """
    return Model
