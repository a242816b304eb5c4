"""Beliefs against a model in plain Python: lists that are gone through anew for each question."""

import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from smriti_es.engine import Engine
from smriti_es.events.catalogue import EntityAliased, Event, FactAsserted, FactEnded
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.events.key_form import key_form
from smriti_es.settings import Settings

LONG = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
DAY = 86_400 * 1_000_000
EPOCH = 1_767_225_600_000_000  # 2026-01-01, the first day
NAMES = ("user", "Rachel", "RACHEL", "Rae")
PREDICATES = ("lives_in", "likes")
VALUES = ("Pune", "PUNE", "Oslo", "Bergen")
SCOPES = ("", "project:Atlas")
PROJECTIONS = ("facts", "revisions", "entities", "lineage")
NEVER = 2**62


days = st.integers(0, 8)
which = st.integers(0, 40)
names, predicates = st.sampled_from(NAMES), st.sampled_from(PREDICATES)
values, scopes = st.sampled_from(VALUES), st.sampled_from(SCOPES)


class Beliefs(RuleBasedStateMachine):
    """Does to a memory and to the model the same, and asks both the same.

    Args:
        open_engine: Opens the memory of this run, with the clock that it is given.
        model: Knows nothing yet.
    """

    def __init__(self, open_engine: Callable[[Callable[[], int]], Engine], model: Any) -> None:
        super().__init__()
        self._open = open_engine
        self._model = model
        self._now = EPOCH + 4 * DAY
        self._stated: set[tuple[Any, ...]] = set()
        self._size = 0

    @initialize()
    def found(self) -> None:
        self.engine = self._open(lambda: self._now)
        self._size = self.engine.head + 1

    def teardown(self) -> None:
        if hasattr(self, "engine"):
            assert self.engine.verify().ok
            self.engine.close()

    def _new(self, kind: type[Event]) -> tuple[int, int, Any] | None:
        """Find the one new event of a type: its position, its known time and what it says."""
        events = [e for e in self.engine.events(self._size) if isinstance(e.event, kind)]
        self._size = self.engine.head + 1
        assert len(events) <= 1
        return (events[0].position, events[0].header.known, events[0].event) if events else None

    def _tell(self, identity: tuple[Any, ...], **told: Any) -> None:
        found = self._new(FactAsserted)
        assert (found is None) == (identity in self._stated)
        self._stated.add(identity)
        if found is not None:
            position, known, event = found
            self._model.tell(position=position, known=known, fact=event.fact, **told)

    @rule(
        name=names,
        predicate=predicates,
        value=values,
        scope=scopes,
        begins=days,
        lasts=st.one_of(st.none(), st.integers(1, 4)),
        said=days,
        multi=st.booleans(),
        premises=st.lists(which, max_size=2),
    )
    def assert_fact(
        self,
        name: str,
        predicate: str,
        value: str,
        scope: str,
        begins: int,
        lasts: int | None,
        said: int,
        multi: bool,
        premises: list[int],
    ) -> None:
        believed = [one.position for one in self._model.told if one.gone == NEVER]
        because = sorted({believed[n % len(believed)] for n in premises if believed})
        until = None if lasts is None else _day(begins + lasts)
        self.engine.assert_fact(
            name,
            predicate,
            value,
            scope=scope,
            valid_from=_day(begins) // 1_000_000,
            valid_to=None if until is None else until // 1_000_000,
            said_at=_day(said) // 1_000_000,
            multi=multi,
            because=because,
        )
        self._tell(
            (name, predicate, value, scope, begins, until, said, multi, "direct"),
            key=(key_form(name), predicate, key_form(scope)),
            value=key_form(value),
            begins=_day(begins),
            until=until,
            said=_day(said),
            single=not multi,
            because=tuple(because),
        )

    @rule(name=names, predicate=predicates, value=values, said=days, begins=days)
    def add(self, name: str, predicate: str, value: str, said: int, begins: int) -> None:
        line = f"{name} | {predicate} | {value} | from=2026-01-{begins + 1:02}"
        added = self.engine.add(line, session="walks", at=_day(said) // 1_000_000)
        if added.replayed:
            assert self._new(FactAsserted) is None
            return
        single = predicate == "lives_in"
        self._tell(
            (name, predicate, value, "", begins, None, said, not single, "lines"),
            key=(key_form(name), predicate, ""),
            value=key_form(value),
            begins=_day(begins),
            until=None,
            said=_day(said),
            single=single,
        )

    @rule(n=which, at=days)
    def end_fact(self, n: int, at: int) -> None:
        if not self._model.told:
            return
        one = self._model.told[n % len(self._model.told)]
        try:
            position = self.engine.end_fact(one.position, at=_day(at) // 1_000_000)
        except NotFound:
            assert one.gone < NEVER
        except InvalidInput:
            assert _day(at) <= one.begins
        else:
            found = self._new(FactEnded)
            assert found is not None
            assert found[0] == position
            said = found[2].said_at
            assert said == self._now
            self._model.end(
                position=position,
                known=found[1],
                key=one.key,
                value=one.value,
                at=_day(at),
                said=said,
            )

    @rule(n=which)
    def retract(self, n: int) -> None:
        if not self._model.told:
            return
        one = self._model.told[n % len(self._model.told)]
        try:
            self.engine.retract(one.position)
        except NotFound:
            assert one.gone < NEVER
        else:
            one.gone = self._known_since()

    @rule(n=which)
    def retract_end(self, n: int) -> None:
        if not self._model.ended:
            return
        one = self._model.ended[n % len(self._model.ended)]
        try:
            self.engine.retract_end(one.position)
        except NotFound:
            assert one.gone < NEVER
        else:
            one.gone = self._known_since()

    @rule(alias=names, canonical=names)
    def alias(self, alias: str, canonical: str) -> None:
        pair = (key_form(alias), key_form(canonical))
        self.engine.alias(alias, canonical)
        found = self._new(EntityAliased)
        roots = {self._model.root(name, NEVER - 1) for name in pair}
        assert (found is None) == (len(roots) == 1)
        if found is not None:
            self._model.name(found[1], *pair)

    @rule(alias=names)
    def unalias(self, alias: str) -> None:
        known = [n for n in self._model.named if n.alias == key_form(alias) and n.gone == NEVER]
        try:
            self.engine.unalias(alias)
        except NotFound:
            assert not known
        else:
            known[-1].gone = self._known_since()

    def _known_since(self) -> int:
        """The known time of the newest commit."""
        (last,) = list(self.engine.events(self.engine.head))
        self._size = last.position + 1
        return last.header.known

    @rule(name=st.sampled_from(PROJECTIONS))
    def rebuild(self, name: str) -> None:
        assert self.engine.rebuild(name).equal

    @rule()
    def reopen(self) -> None:
        self.engine.close()
        self.engine = self._open(lambda: self._now)

    @rule(by=st.integers(-3, 3))
    def let_time_pass(self, by: int) -> None:
        self._now += by * DAY

    @rule(n=which, valid_at=st.integers(-1, 13))
    def look_back(self, n: int, valid_at: int) -> None:
        events = list(self.engine.events())
        header = events[n * 7 % len(events)].header
        self._compare(_day(valid_at), header.position, header.known)

    @invariant()
    def now_is_as_the_model_says(self) -> None:
        if hasattr(self, "engine"):
            self._compare(self._now, self.engine.head, NEVER - 1)

    def _compare(self, valid_at: int, position: int, known: int) -> None:
        """Compare everything that is believed at a position, and two narrower questions."""
        view, world = self.engine.at(position), valid_at // 1_000_000
        expected = self._model.believed(known, valid_at)
        found = {each.fact.position: each.fact for each in view.history(valid_at=world)}
        assert found.keys() == expected.keys()
        for at, fact in found.items():
            seen = {
                "begins": fact.valid_from,
                "until": fact.valid_to,
                "followed": fact.superseded_by is not None,
                "repeats": fact.folded_into,
                "status": fact.status,
                "stale": fact.stale,
            }
            assert seen == asdict(expected[at]), at
        rae = self._model.root("rae", known)
        current = [
            one.position
            for one in self._model.told
            if one.position in expected
            and expected[one.position].status == "current"
            and self._model.root(one.key[0], known) == rae
            and one.key[1:] == ("lives_in", "")
        ]
        assert sorted(f.position for f in view.facts("Rae", "lives_in", valid_at=world)) == current
        everything = {at for at, one in expected.items() if one.status == "current"}
        assert {f.position for f in view.facts(scopes=None, valid_at=world)} == everything


def _day(number: int) -> int:
    return EPOCH + number * DAY


def test_a_memory_believes_what_a_model_of_lists_does(
    location: Callable[[], str | Path],
    line_extractor: Callable[..., Any],
    belief_model: Callable[[tuple[str, ...]], Any],
) -> None:
    def machine() -> Beliefs:
        place = location()
        return Beliefs(
            lambda clock: Engine.open(
                place,
                embedder=None,
                extractor=line_extractor(),
                settings=Settings(embed_in_background=False),
                clock=clock,
            ),
            belief_model(NAMES),
        )

    long = settings(max_examples=100, stateful_step_count=50)
    short = settings(max_examples=10, stateful_step_count=25)
    machines: Any = machine
    run_state_machine_as_test(machines, settings=long if LONG else short)
