"""Beliefs against a model in plain Python: lists that are gone through anew for each question."""

import os
from collections.abc import Callable
from dataclasses import asdict
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
from smriti_es.extraction.chat import Reply
from smriti_es.extraction.digest_writer import DigestWriter
from smriti_es.recording import SessionInput
from smriti_es.settings import Settings

LONG = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
SECOND = 1_000_000
DAY = 86_400 * SECOND
EPOCH = 1_767_225_600_000_000  # 2026-01-01, the first day
NAMES = ("user", "Rachel", "RACHEL", "Rae")
PREDICATES = ("lives_in", "likes")
DIGESTS = ("digest:entity", "digest:lives_in", "digest:likes")
VALUES = ("Pune", "PUNE", "Oslo", "Bergen")
SCOPES = ("", "project:Atlas")
PROJECTIONS = ("facts", "revisions", "entities", "lineage")
NEVER = 2**62


days = st.integers(0, 8)
which = st.integers(0, 40)
names, predicates = st.sampled_from(NAMES), st.sampled_from(PREDICATES)
values = st.sampled_from(VALUES)
lines = st.tuples(names, predicates, values, days)
statements = st.fixed_dictionaries(
    {
        "name": names,
        "predicate": predicates,
        "object": values,
        "scope": st.sampled_from(SCOPES),
        "begins": days,
        "lasts": st.one_of(st.none(), st.integers(1, 4)),
        "said": days,
        "multi": st.booleans(),
        "premises": st.lists(which, max_size=2),
    }
)


class Repeating:
    """A model that says the same of whatever it is shown."""

    model = "parrot"

    def complete(self, messages: Any, *, json_mode: bool) -> Reply:
        return Reply("So it is.")


class Beliefs(RuleBasedStateMachine):
    """Does to a memory and to the model the same, and asks both the same.

    Args:
        places: Where the memory of this run may lie.
        extractor: What it extracts with; it can be broken.
        model: Knows nothing yet.
    """

    def __init__(self, places: Any, extractor: Any, model: Any) -> None:
        super().__init__()
        self._places, self._place = places, places.another()
        self._extractor = extractor
        self._model = model
        self._now = EPOCH + 4 * DAY
        # What was stated, by everything that tells one statement from another.
        self._stated: set[tuple[Any, ...]] = set()
        # What was said while the extractor was broken.
        self._unread: list[dict[str, Any]] = []
        self._size = 0

    @initialize()
    def found(self) -> None:
        self.engine = self._opened()
        self._size = self.engine.head + 1

    def teardown(self) -> None:
        if hasattr(self, "engine"):
            assert self.engine.verify().ok
            self.engine.close()
        self._places.remove(self._place)

    def _opened(self) -> Engine:
        return Engine.open(
            self._place,
            embedder=None,
            extractor=self._extractor,
            settings=Settings(embed_in_background=False),
            clock=lambda: self._now,
        )

    def _new(self, *kinds: type[Event]) -> list[Any]:
        """Give the new events of some types."""
        events = [e for e in self.engine.events(self._size) if isinstance(e.event, kinds)]
        self._size = self.engine.head + 1
        return events

    def _tell(self, told: list[dict[str, Any]], source: str) -> None:
        """Tell the model what was stated, and that all of it was recorded, each once."""
        new: dict[tuple[Any, ...], Any] = {}
        for recorded in self._new(FactAsserted):
            event = recorded.event
            named = (key_form(event.subject), event.predicate, key_form(event.scope))
            new[(event.subject, named, event.object, event.valid_from, event.said_at)] = recorded
        for said in told:
            content = (said["name"], said["key"], said["object"], said["begins"], said["said"])
            identity = (*content, said["until"], said["single"], source)
            if identity not in self._stated:
                self._stated.add(identity)
                recorded = new.pop(content)
                event = recorded.event
                self._model.tell(
                    position=recorded.position,
                    known=recorded.header.known,
                    fact=event.fact,
                    value=key_form(said["object"]),
                    **{k: v for k, v in said.items() if k not in ("name", "object")},
                )
        assert new == {}

    @rule(stated=statements)
    def assert_fact(self, stated: dict[str, Any]) -> None:
        believed = [one.position for one in self._model.told if one.gone == NEVER]
        because = sorted({believed[n % len(believed)] for n in stated["premises"] if believed})
        begins, lasts, said = (stated[name] for name in ("begins", "lasts", "said"))
        name, predicate, scope = (stated[name] for name in ("name", "predicate", "scope"))
        self.engine.assert_fact(
            name,
            predicate,
            stated["object"],
            scope=scope,
            valid_from=_day(begins) // SECOND,
            valid_to=None if lasts is None else _day(begins + lasts) // SECOND,
            said_at=_day(said) // SECOND,
            multi=stated["multi"],
            because=because,
        )
        # What follows from something that is said in a scope holds in that scope.
        within = {key_form(scope), *(self._model.at(each).key[2] for each in because)} - {""}
        told = {
            "name": name,
            "key": (key_form(name), predicate, " & ".join(within)),
            "object": stated["object"],
            "begins": _day(begins),
            "until": None if lasts is None else _day(begins + lasts),
            "said": _day(said),
            "single": not stated["multi"],
            "because": tuple(because),
        }
        self._tell([told], "direct")

    @rule(line=lines, said=days, broken=st.booleans())
    def add(self, line: tuple[str, str, str, int], said: int, broken: bool) -> None:
        self._extractor.broken = broken
        added = self.engine.add(_written(line), session="walks", at=_day(said) // SECOND)
        self._extractor.broken = False
        told = [] if added.replayed else [_read(line, said)]
        self._tell([] if broken else told, "lines")
        self._unread += told if broken else []

    @rule(spoken=st.lists(lines, min_size=1, max_size=3), said=days)
    def add_many(self, spoken: list[tuple[str, str, str, int]], said: int) -> None:
        batches = [
            SessionInput(session=f"s{number}", messages=_written(line), at=_day(said) // SECOND)
            for number, line in enumerate(spoken)
        ]
        done = zip(spoken, self.engine.add_many(batches), strict=True)
        self._tell([_read(line, said) for line, added in done if not added.replayed], "lines")

    @rule()
    def extract_pending(self) -> None:
        self.engine.extract_pending()
        self._tell(self._unread, "lines")
        self._unread = []

    @rule(n=which, at=days)
    def end_fact(self, n: int, at: int) -> None:
        if not self._model.told:
            return
        one = self._model.told[n % len(self._model.told)]
        try:
            position = self.engine.end_fact(one.position, at=_day(at) // SECOND)
        except NotFound:
            assert one.gone < NEVER
        except InvalidInput:
            assert _day(at) <= one.begins
        else:
            (ended,) = self._new(FactEnded)
            assert (ended.position, ended.event.said_at) == (position, self._now)
            self._model.end(ended, one)

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
        assert len(found) == len(roots) - 1
        for recorded in found:
            self._model.name(recorded.header.known, *pair)

    @rule(alias=names)
    def unalias(self, alias: str) -> None:
        known = [n for n in self._model.named if n.alias == key_form(alias) and n.gone == NEVER]
        try:
            self.engine.unalias(alias)
        except NotFound:
            assert not known
        else:
            known[-1].gone = self._known_since()

    @rule(min_facts=st.integers(1, 3))
    def observe(self, min_facts: int) -> None:
        self._now += SECOND
        groups = self._model.groups(NEVER - 1, self._now)
        standing = self._model.digests(NEVER - 1, self._now)
        large = {key for key, group in groups.items() if len(group) >= min_facts}
        fresh = {key for key in large & standing.keys() if standing[key][0].sums == groups[key]}
        over = [one for key, (one, how) in standing.items() if key not in large and how.stale]
        done = self.engine.observe(writer=DigestWriter(Repeating()), min_facts=min_facts)
        assert (done.unchanged, done.skipped) == (len(fresh), ())
        assert sorted(done.ended) == sorted(one.position for one in over)
        written = self._new(FactAsserted, FactEnded)
        for recorded in written[: len(done.written)]:
            self._model.tell_digest(recorded, groups)
        keys = {self._model.key_of(self._model.at(at), NEVER - 1) for at in done.written}
        assert keys == large - fresh
        for recorded in written[len(done.written) :]:
            (position,) = recorded.header.refs
            self._model.end(recorded, self._model.at(position))

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
        self.engine = self._opened()

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
        """Compare everything that is believed at a position, and three narrower questions."""
        view, world = self.engine.at(position), valid_at // SECOND
        expected = self._model.believed(known, valid_at)
        told = [
            each.fact
            for predicate in (None, *DIGESTS)
            for each in view.history(predicate=predicate, valid_at=world)
        ]
        assert {fact.position for fact in told} == expected.keys()
        for fact in told:
            seen = {
                "begins": fact.valid_from,
                "until": fact.valid_to,
                "followed": fact.superseded_by is not None,
                "repeats": fact.folded_into,
                "status": fact.status,
                "stale": fact.stale,
            }
            assert seen == asdict(expected[fact.position]), fact
        current = {at for at, one in expected.items() if one.status == "current"}
        facts = {f.position for f in view.facts(scopes=None, valid_at=world)}
        digests = {f.position for f in view.facts(kinds=["digest"], scopes=None, valid_at=world)}
        assert (facts & digests, facts | digests) == (set(), current)
        rae = self._model.root("rae", known)
        of_rae = [
            one.position
            for one in self._model.told
            if one.position in current and self._model.key_of(one, known) == (rae, "lives_in", "")
        ]
        assert sorted(f.position for f in view.facts("Rae", "lives_in", valid_at=world)) == of_rae


def _day(number: int) -> int:
    return EPOCH + number * DAY


def _written(line: tuple[str, str, str, int]) -> str:
    """Write a line that the extractor reads."""
    name, predicate, value, begins = line
    return f"{name} | {predicate} | {value} | from=2026-01-{begins + 1:02}"


def _read(line: tuple[str, str, str, int], said: int) -> dict[str, Any]:
    """Say what the extractor reads in such a line."""
    name, predicate, value, begins = line
    return {
        "name": name,
        "key": (key_form(name), predicate, ""),
        "object": value,
        "begins": _day(begins),
        "until": None,
        "said": _day(said),
        "single": predicate == "lives_in",
    }


def test_a_memory_believes_what_a_model_of_lists_does(
    places: Any,
    line_extractor: Callable[..., Any],
    belief_model: Callable[[tuple[str, ...]], Any],
) -> None:
    def machine() -> Beliefs:
        return Beliefs(places, line_extractor(), belief_model(NAMES))

    long = settings(max_examples=100, stateful_step_count=50)
    short = settings(max_examples=10, stateful_step_count=25)
    machines: Any = machine
    run_state_machine_as_test(machines, settings=long if LONG else short)
