"""What properties share: places for memories, and a model of beliefs in plain Python."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactEnded
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.events.key_form import key_form
from smriti_es.extraction.arbitration import Verdict
from smriti_es.settings import Settings

NEVER = 2**62
START = 1_780_394_400_000_000  # 2026-06-02T10:00:00Z
SECOND = 1_000_000
# A verb and its values.
Life = tuple[Any, ...]


@dataclass
class Told:
    """A statement, and from when to when the memory believed it; `fact` breaks the last ties."""

    position: int
    known: int
    fact: str
    key: tuple[str, str, str]
    value: str
    begins: int
    until: int | None
    said: int
    single: bool
    because: tuple[int, ...] = ()
    gone: int = NEVER

    @property
    def order(self) -> tuple[int, int, str, str]:
        return (self.begins, self.said, self.value, self.fact)


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


class Guessing:
    """An arbiter that says something for each question, always the same, and not always sense."""

    model = "guess"

    def decide(self, new: Any, candidates: Sequence[Any]) -> Verdict:
        seed = hashlib.sha256(f"{new.object} {[c.object for c in candidates]}".encode()).digest()
        action = ("add", "supersede", "supersede", "skip")[seed[0] % 4]
        target = (0, 0, None, 7)[seed[1] % 4]
        return Verdict(action, target, reply=f"{action} {target}")  # type: ignore[arg-type]


class Living:
    """An engine to which a life happens.

    Args:
        open_engine: Opens it, and opens it again.
        times: What the engine's clock reads from; the first entry is now.
    """

    def __init__(self, open_engine: Callable[[], Engine], times: list[int]) -> None:
        self._open = open_engine
        self._times = times
        self.engine = open_engine()
        self.facts: list[int] = []

    def take(self, step: Life) -> None:
        """Do one step; what makes no sense at that moment is refused and changes nothing."""
        verb, *values = step
        with suppress(NotFound, InvalidInput):
            getattr(self, "_" + verb.replace(" ", "_"))(*values)

    def _assert(self, subject: str, predicate: str, value: str, options: dict[str, Any]) -> None:
        because = [self.facts[n % len(self.facts)] for n in options["because"] if self.facts]
        given = options | {"because": because}
        self._learn([self.engine.assert_fact(subject, predicate, value, **given)])

    def _add(self, lines: list[str], session: str, at: str | None, origin: str | None) -> None:
        self._learn(self.engine.add("\n".join(lines), session=session, at=at, origin=origin).facts)

    def _end(self, which: int, at: str | None) -> None:
        self.engine.end_fact(self._fact(which), at=at)

    def _retract(self, which: int) -> None:
        self.engine.retract(self._fact(which))

    def _retract_end(self, which: int) -> None:
        ends = [e.position for e in self.engine.events() if isinstance(e.event, FactEnded)]
        self.engine.retract_end(ends[which % len(ends)] if ends else 0)

    def _alias(self, alias: str, canonical: str) -> None:
        self.engine.alias(alias, canonical)

    def _unalias(self, alias: str) -> None:
        self.engine.unalias(alias)

    def _repair(self) -> None:
        self._learn(self.engine.extract_pending())

    def _rebuild(self, name: str) -> None:
        if name == "vectors":
            self.engine.wait_for_vectors()  # what lags is never equal
        assert self.engine.rebuild(name).equal

    def _reopen(self) -> None:
        self.engine.close()
        self.engine = self._open()

    def _embed(self) -> None:
        self.engine.wait_for_vectors()

    def _clock(self, by: int) -> None:
        self._times[0] += by

    def _learn(self, positions: Sequence[int]) -> None:
        self.facts += [position for position in positions if position >= 0]

    def _fact(self, which: int) -> int:
        return self.facts[which % len(self.facts)] if self.facts else 0


@pytest.fixture
def living(
    location: Callable[[], str | Path], line_extractor: Callable[..., Any], embedder: Embedder
) -> Callable[..., Any]:
    """Open a memory, let a life happen to it, and hold the time still afterwards.

    Gives a context manager of what takes the steps of a life, each a verb and its values.
    """

    @contextmanager
    def live(life: Sequence[Life]) -> Iterator[Living]:
        place, times, ticking = location(), [START], [SECOND]

        def clock() -> int:
            times[0] += ticking[0]
            return times[0]

        def open_engine() -> Engine:
            return Engine.open(
                place,
                embedder=embedder,
                extractor=line_extractor(),
                arbiter=Guessing(),
                settings=Settings(embed_in_background=False, extract_in_background=False),
                clock=clock,
            )

        one = Living(open_engine, times)
        try:
            for step in life:
                one.take(step)
            one.engine.wait_for_vectors()
            ticking[0] = 0
            yield one
        finally:
            one.engine.close()

    return live
