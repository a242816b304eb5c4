"""Lives: random histories of a memory that use every verb which writes."""

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import strategies as st

from smriti_es.embedders import Embedder, HashEmbedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactAsserted, FactEnded, TurnRecorded
from smriti_es.events.errors import ExtractionError, HeldError, InvalidInput, NotFound
from smriti_es.extraction.digest_writer import DigestWriter
from smriti_es.recording import SessionInput
from smriti_es.settings import Settings
from tests.properties.lives.said import (
    OFTEN,
    PREDICATES,
    SCOPES,
    SESSIONS,
    SUBJECTS,
    TIMES,
    VALUES,
    some_lines,
    some_sessions,
    written,
)

START = 1_780_394_400_000_000  # 2026-06-02T10:00:00Z
SECOND = 1_000_000
DAY = 86_400 * SECOND

MOST_STEPS = 40 if os.environ.get("SMRITI_ES_GUARANTEES") == "1" else 20
ORIGINS = (None, None, None, "agent", "untrusted")
PROFILES = ("open", "personal", "personal", "regulated")

TARGETS = ("turn", "session", "fact", "fact", "end", "origin")
ERASED = ("turn", "turn", "session", "fact", "fact", "fact", "end", "entity", "origin", "before")

# A verb and its values.
Step = tuple[Any, ...]


def some_options(chance: random.Random) -> dict[str, Any]:
    pick = chance.choice
    return {
        "scope": pick(SCOPES),
        "valid_from": pick((None, *TIMES)),
        "valid_to": pick((None, None, None, "2028", "2024-06", "2029-01-01")),
        "said_at": pick((None, None, *TIMES)),
        "multi": pick((False, True)),
        "because": [chance.randrange(30) for _ in range(pick((0, 0, 0, 1, 2)))],
        "origin": pick(ORIGINS),
    }


def number(chance: random.Random) -> int:
    return chance.randrange(30)


# How often each comes, and what it is done with.
STEPS: dict[str, tuple[int, Callable[[random.Random], tuple[Any, ...]]]] = {
    "assert_fact": (
        6,
        lambda c: (c.choice(OFTEN), c.choice(PREDICATES), c.choice(VALUES), some_options(c)),
    ),
    "add": (
        5,
        lambda c: (
            some_lines(c),
            c.choice(("walks", "work")),
            c.choice((None, *TIMES[2:5])),
            c.choice((None, None, "untrusted")),
        ),
    ),
    "add_many": (1, lambda c: (some_sessions(c),)),
    "import_file": (1, lambda c: (some_sessions(c),)),
    "end_fact": (2, lambda c: (number(c), c.choice((None, "2028", *TIMES)))),
    "retract": (1, lambda c: (number(c),)),
    "retract_end": (1, lambda c: (number(c),)),
    "alias": (2, lambda c: (c.choice(SUBJECTS), c.choice(SUBJECTS))),
    "unalias": (3, lambda c: (c.choice(SUBJECTS),)),
    "observe": (3, lambda c: (c.choice((1, 2, 2)), c.choice((None, None, *SUBJECTS)))),
    "quarantine": (2, lambda c: (c.choice(TARGETS), number(c), c.random() < 0.7)),
    "release": (2, lambda c: (number(c),)),
    "approve": (4, lambda c: (number(c),)),
    "reject": (1, lambda c: (number(c),)),
    "edit": (1, lambda c: (number(c), c.choice(VALUES))),
    "erase": (
        3,
        lambda c: (
            c.choice(ERASED),
            number(c),
            c.choice(("lapse", "lapse", "reopen")),
            c.random() < 0.4,
        ),
    ),
    "place_hold": (1, lambda c: (c.choice(("session", "fact", "entity")), number(c))),
    "release_hold": (2, lambda c: (number(c),)),
    "set_retention": (
        1,
        lambda c: (c.choice((None, 0, 40, 800)), c.choice((None, "walks", "work"))),
    ),
    "sweep": (1, lambda c: ()),
    "readmit_value": (2, lambda c: (number(c),)),
    "change_trust": (1, lambda c: (c.choice(PROFILES),)),
    "checkpoint": (1, lambda c: ()),
    "rotate_key": (1, lambda c: ()),
    "extract_pending": (1, lambda c: ()),
    "rebuild": (1, lambda c: (c.randrange(30),)),
    "rebuild_all": (1, lambda c: ()),
    "skip": (1, lambda c: (number(c),)),
    "wait_for_vectors": (1, lambda c: ()),
    "switch_embedder": (1, lambda c: (c.random() < 0.5, c.random() < 0.3)),
    "reopen": (1, lambda c: ()),
    "clock": (1, lambda c: (c.choice((-DAY, 40 * DAY, 400 * DAY)),)),
}


def life_of(chance: random.Random, length: int) -> list[Step]:
    """Make so many steps at random."""
    often = [weight for weight, _ in STEPS.values()]
    verbs = chance.choices(list(STEPS), often, k=length)
    return [(verb, *STEPS[verb][1](chance)) for verb in verbs]


@st.composite
def random_lives(draw: st.DrawFn) -> list[Step]:
    """A life at random: what is drawn is where chance begins, and which steps are left out (0)."""
    whole = life_of(random.Random(draw(st.integers(0, 2**32))), MOST_STEPS)
    kept = draw(st.lists(st.integers(0, 5), min_size=MOST_STEPS, max_size=MOST_STEPS))
    return [step for step, keep in zip(whole, kept, strict=True) if keep]


@pytest.fixture(scope="session")
def lives() -> st.SearchStrategy[list[Step]]:
    """Lives, for `data.draw`: what writes in them is every verb of an engine that does."""
    return random_lives()


@pytest.fixture(scope="session")
def long_lives() -> list[list[Step]]:
    """A few lives of 120 steps, always the same."""
    return [life_of(random.Random(number), 120) for number in range(4, 10)]


class Living:
    """An engine to which a life happens.

    Attributes:
        engine: The engine; another one after it was opened again.
        taken: How often each step was taken and not refused.

    Args:
        open_engine: Opens it, and opens it again, with an embedder.
        embedders: The one that it is opened with at first, and another.
        times: What the engine's clock reads from; the first entry is now.
        model: Writes digests.
    """

    def __init__(
        self,
        open_engine: Callable[[Embedder], Engine],
        embedders: tuple[Embedder, Embedder],
        times: list[int],
        model: Any,
    ) -> None:
        self._open = open_engine
        self._embedders = embedders
        self._serving = embedders[0]
        self._times = times
        self._model = model
        self.engine = open_engine(self._serving)
        self.taken: Counter[str] = Counter()

    def take(self, step: Step) -> None:
        """Do one step; what makes no sense at that moment is refused and changes nothing."""
        verb, *values = step
        with suppress(NotFound, InvalidInput, ExtractionError, HeldError):
            getattr(self, "_" + verb)(*values)
            self.taken[verb] += 1

    def _assert_fact(
        self, subject: str, predicate: str, value: str, options: dict[str, Any]
    ) -> None:
        facts = self._positions(FactAsserted)
        because = [facts[n % len(facts)] for n in options["because"] if facts]
        self.engine.assert_fact(subject, predicate, value, **(options | {"because": because}))

    def _add(self, text: str, session: str, at: str | None, origin: str | None) -> None:
        self.engine.add(text, session=session, at=at, origin=origin)

    def _add_many(self, sessions: list[SessionInput]) -> None:
        self.engine.add_many(sessions)

    def _import_file(self, sessions: list[SessionInput]) -> None:
        with written(sessions) as file:
            self.engine.import_file(file, format="jsonl")

    def _end_fact(self, which: int, at: str | None) -> None:
        self.engine.end_fact(self._chosen(FactAsserted, which), at=at)

    def _retract(self, which: int) -> None:
        self.engine.retract(self._chosen(FactAsserted, which))

    def _retract_end(self, which: int) -> None:
        self.engine.retract_end(self._chosen(FactEnded, which))

    def _alias(self, alias: str, canonical: str) -> None:
        self.engine.alias(alias, canonical)

    def _unalias(self, alias: str) -> None:
        self.engine.unalias(alias)

    def _observe(self, min_facts: int, subject: str | None) -> None:
        writer = DigestWriter(self._model)
        self.engine.observe(writer=writer, min_facts=min_facts, subject=subject)

    def _quarantine(self, kind: str, which: int, cascade: bool) -> None:
        quarantine = partial(self.engine.quarantine, cascade=cascade)
        if kind == "turn":
            quarantine(turn=self._chosen(TurnRecorded, which))
        elif kind == "session":
            quarantine(session=SESSIONS[which % 3])
        elif kind == "origin":
            quarantine(origin="untrusted")
        else:
            quarantine(fact=self._chosen(FactAsserted if kind == "fact" else FactEnded, which))

    def _release(self, which: int) -> None:
        standing = self.engine.quarantines()
        self.engine.release(standing[which % len(standing)].position if standing else 0)

    def _approve(self, which: int) -> None:
        self.engine.approve(self._waiting(which))

    def _reject(self, which: int) -> None:
        self.engine.reject(self._waiting(which))

    def _edit(self, which: int, value: str) -> None:
        self.engine.edit(self._waiting(which), object=value)

    def _erase(self, kind: str, which: int, predecessor: Any, forget: bool) -> None:
        erase = partial(self.engine.erase, predecessor=predecessor, forget_values=forget)
        if kind == "session":
            erase(session=SESSIONS[which % 3])
        elif kind == "entity":
            erase(entity=SUBJECTS[which % len(SUBJECTS)])
        elif kind == "origin":
            erase(origin="untrusted")
        elif kind == "before":
            erase(before=TIMES[which % 3])
        elif kind == "turn":
            erase(turn=self._chosen(TurnRecorded, which))
        else:
            erase(fact=self._chosen(FactAsserted if kind == "fact" else FactEnded, which))

    def _place_hold(self, kind: str, which: int) -> None:
        hold = partial(self.engine.place_hold, reason="a case", authority="a court")
        if kind == "session":
            hold(session=SESSIONS[which % 3])
        elif kind == "entity":
            hold(entity=SUBJECTS[which % len(SUBJECTS)], expires_at=TIMES[5])
        else:
            hold(fact=self._chosen(FactAsserted, which))

    def _release_hold(self, which: int) -> None:
        standing = self.engine.holds()
        self.engine.release_hold(standing[which % len(standing)].position if standing else 0)

    def _set_retention(self, days: int | None, session: str | None) -> None:
        keep_for = None if days is None else timedelta(days=days)
        self.engine.set_retention(keep_for, session=session)

    def _sweep(self) -> None:
        self.engine.sweep()

    def _readmit_value(self, which: int) -> None:
        """Let the first value back that is kept out, if there is any."""
        values = [(s, p, v) for s in SUBJECTS[:2] for p in PREDICATES for v in VALUES]
        for value in (*values[which:], *values[:which]):
            with suppress(NotFound):
                self.engine.readmit_value(*value)
                return
        raise NotFound("nothing is kept out")

    def _change_trust(self, profile: str) -> None:
        self.engine.change_trust(profile)

    def _checkpoint(self) -> None:
        self.engine.checkpoint()

    def _rotate_key(self) -> None:
        self.engine.rotate_key()

    def _waiting(self, which: int) -> int:
        """Choose among what waits for review; the first event of all never does."""
        waiting = self.engine.review()
        return waiting[which % len(waiting)].position if waiting else 0

    def _extract_pending(self) -> None:
        self.engine.extract_pending()

    def _rebuild(self, which: int) -> None:
        self.engine.wait_for_vectors()  # what lags is never equal
        names = [each.name for each in self.engine.status().projections]
        assert self.engine.rebuild(names[which % len(names)]).equal

    def _rebuild_all(self) -> None:
        self.engine.wait_for_vectors()
        assert all(each.equal for each in self.engine.rebuild_all())

    def _skip(self, which: int) -> None:
        """Step over one of the events that have no vectors yet."""
        (vectors,) = [each for each in self.engine.status().projections if each.name == "vectors"]
        position = vectors.folded + which % max(1, vectors.behind)
        self.engine.skip("vectors", position, "for no reason")

    def _wait_for_vectors(self) -> None:
        self.engine.wait_for_vectors()

    def _switch_embedder(self, other: bool, dry_run: bool) -> None:
        """Switch, or see what it would cost; every second time to the one that serves."""
        wanted = self._embedders[other]
        self.engine.switch_embedder(wanted, dry_run=dry_run)
        if not dry_run:
            self._serving = wanted

    def _reopen(self) -> None:
        self.engine.close()
        self.engine = self._open(self._serving)

    def _clock(self, by: int) -> None:
        self._times[0] += by

    def _positions(self, kind: type) -> list[int]:
        return [each.position for each in self.engine.events() if isinstance(each.event, kind)]

    def _chosen(self, kind: type, which: int) -> int:
        """Choose among the events of a type; the first event of all is none of them."""
        positions = self._positions(kind)
        return positions[which % len(positions)] if positions else 0


@pytest.fixture
def living_at(
    line_extractor: Callable[..., Any],
    embedder: Embedder,
    guessing: Any,
    rambling: Any,
) -> Callable[..., Any]:
    """Open a memory at one of some places, let a life happen to it, hold the time still afterwards.

    Gives a context manager of what takes the steps of a life.
    """

    @contextmanager
    def live(at: Any, life: Sequence[Step]) -> Iterator[Living]:
        place, times, ticking = at.another(), [START], [SECOND]

        def clock() -> int:
            times[0] += ticking[0]
            return times[0]

        def open_engine(serving: Embedder) -> Engine:
            return Engine.open(
                place,
                embedder=serving,
                extractor=line_extractor(),
                arbiter=guessing,
                settings=Settings(embed_in_background=False, extract_in_background=False),
                clock=clock,
            )

        # It spells, and gives no token vectors; of few dimensions, since a life may switch often.
        embedders = (embedder, HashEmbedder(32))
        one = Living(open_engine, embedders, times, rambling)
        try:
            for step in life:
                one.take(step)
            one.engine.wait_for_vectors()
            ticking[0] = 0
            yield one
        finally:
            one.engine.close()
            at.remove(place)

    return live


@pytest.fixture
def living(places: Any, living_at: Callable[..., Any]) -> Callable[..., Any]:
    """Let lives happen on the database of this test (see `living_at`)."""
    return partial(living_at, places)
