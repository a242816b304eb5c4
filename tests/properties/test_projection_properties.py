"""Whatever happens to a memory, its log verifies and its projections are what the log says."""

import os
from functools import partial
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.projections import rebuild as rebuilding
from smriti_es.recording import SessionInput
from smriti_es.settings import Settings

GUARANTEES = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
TENANTS = ("a", "b")
NAMES = ("turns", "lexical", "vectors")
START = 1_780_394_400_000_000

TEXTS = st.sampled_from(
    ["A pear.", "Two pears.", "Jonas: it rained yesterday.", "梨を三つ", "ok", "...", "word " * 400]
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool"]), "content": TEXTS},
    optional={
        "id": st.sampled_from(["m1", "m2", "m3"]),
        "timestamp": st.sampled_from(["2026-05-01", "2026-05-02T10:00:00Z", "1969-12-31"]),
        "name": st.sampled_from(["Maren", "Jonas"]),
        "tags": st.lists(st.sampled_from(["x", "y"]), max_size=2),
        "metadata": st.dictionaries(
            st.sampled_from(["level", "open"]), st.integers(0, 3) | st.booleans(), max_size=2
        ),
    },
)
# Two messages of one call must not share an id.
MESSAGES = st.lists(MESSAGE, min_size=1, max_size=4, unique_by=lambda m: str(m.get("id", id(m))))
WHO = st.sampled_from(TENANTS)
SESSION = st.sampled_from(["garden", "kiln", "walks"])


class Killed(BaseException):
    """Stands in for the end of the process."""


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0, 1.0 + len(text) % 5] for text in texts]


class Life(RuleBasedStateMachine):
    """The life of one database with two tenants.

    The oracle is a plain list of texts for each tenant and session: what the engine says it
    recorded, in order.

    Args:
        places: Where the database may lie.
    """

    def __init__(self, places: Any) -> None:
        super().__init__()
        self.places, self.place = places, places.another()
        self.now = START
        self.memories = {tenant: self.opened(tenant) for tenant in TENANTS}
        self.said: dict[tuple[str, str], list[str]] = {}
        self.sent: dict[tuple[str, str], list[dict[str, Any]]] = {}

    def clock(self) -> int:
        self.now += 1_000
        return self.now

    def opened(self, tenant: str) -> Engine:
        return Engine.open(
            self.place,
            tenant=tenant,
            embedder=CallableEmbedder(embed, model="small", dimension=2),
            settings=Settings(embed_in_background=False),
            clock=self.clock,
        )

    def teardown(self) -> None:
        for memory in self.memories.values():
            memory.close()
        self.places.remove(self.place)

    def take_down(self, who: str, session: str, positions: tuple[int, ...]) -> None:
        turns = {turn.position: turn.text for turn in self.memories[who].turns(limit=10_000)}
        kept = self.said.setdefault((who, session), [])
        kept.extend(turns[position] for position in positions)

    @initialize(who=WHO, session=SESSION, messages=MESSAGES)
    def begin(self, who: str, session: str, messages: list[dict[str, Any]]) -> None:
        self.add(who, session, messages)

    @rule(who=WHO, session=SESSION, messages=MESSAGES)
    def add(self, who: str, session: str, messages: list[dict[str, Any]]) -> None:
        added = self.memories[who].add(messages, session=session)
        assert len(added.positions) + added.replayed + len(added.skipped) == len(messages)
        self.sent[who, session] = [*self.sent.get((who, session), []), *messages]
        self.take_down(who, session, added.positions)

    @rule(who=WHO, messages=MESSAGES)
    def add_many(self, who: str, messages: list[dict[str, Any]]) -> None:
        batches = [SessionInput(session=f"bulk {n}", messages=messages) for n in range(3)]
        for added in self.memories[who].add_many(batches):
            self.take_down(who, added.session, added.positions)

    @rule(who=WHO, session=SESSION, message=MESSAGE)
    def send_twice_under_one_key(self, who: str, session: str, message: dict[str, Any]) -> None:
        key = f"key {self.now}"
        first = self.memories[who].add(message, session=session, idempotency_key=key)
        again = self.memories[who].add(message, session=session, idempotency_key=key)
        assert again.positions == first.positions or not first.positions
        self.sent[who, session] = [*self.sent.get((who, session), []), message]
        self.take_down(who, session, first.positions)

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_a_conversation_again(self, data: st.DataObject) -> None:
        who, session = data.draw(st.sampled_from(sorted(self.sent)))
        messages = self.sent[who, session]
        ids = [message.get("id") for message in messages]
        if all(ids) and len(set(ids)) == len(ids):
            added = self.memories[who].add(messages, session=session)
            assert (added.positions, added.replayed) == ((), len(messages))

    @rule(who=WHO)
    def embed(self, who: str) -> None:
        self.memories[who].wait_for_vectors()

    @rule(who=WHO)
    def reopen(self, who: str) -> None:
        self.memories[who].close()
        self.memories[who] = self.opened(who)

    @rule(who=WHO, name=st.sampled_from(NAMES))
    def rebuild(self, who: str, name: str) -> None:
        report = self.memories[who].rebuild(name)
        assert report.equal or (name == "vectors" and report.before is None)

    @rule(who=WHO)
    def rebuild_all(self, who: str) -> None:
        reports = self.memories[who].rebuild_all()
        unequal = {each.projection for each in reports if not each.equal}
        assert unequal <= {each.projection for each in reports[-1:] if each.before is None}

    @rule(who=WHO, name=st.sampled_from(NAMES), steps=st.integers(1, 3))
    def begin_a_rebuild_and_die(self, who: str, name: str, steps: int) -> None:
        left = [steps]

        def progress(phase: str, done: int, total: int) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise Killed

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rebuilding, "BATCH", 3)
            patch.setattr(rebuilding, "LAST_STRETCH", 0)
            with pytest.raises(Killed):
                self.memories[who].rebuild(name, progress=progress)

    @invariant()
    def everything_is_what_the_log_says(self) -> None:
        for who, memory in self.memories.items():
            report = memory.verify()
            assert report.log.findings == ()
            assert {each.problem for each in report.projections} == {None}
            listed: dict[tuple[str, str], list[str]] = {}
            for turn in memory.turns(limit=10_000):
                listed.setdefault((who, turn.session), []).append(turn.text)
            expected = {key: said for key, said in self.said.items() if key[0] == who and said}
            assert listed == expected

    @invariant()
    def ordinals_and_counts_have_no_gap(self) -> None:
        for memory in self.memories.values():
            counted = {session.name: session.turns for session in memory.sessions()}
            ordinals: dict[str, list[int]] = {}
            for turn in memory.turns(limit=10_000):
                ordinals.setdefault(turn.session, []).append(turn.ordinal)
            assert ordinals == {name: list(range(turns)) for name, turns in counted.items()}


def test_no_life_leads_the_projections_away_from_the_log(places: Any) -> None:
    machine: Any = partial(Life, places)
    run_state_machine_as_test(
        machine,
        settings=settings(
            settings.default,
            max_examples=200 if GUARANTEES else 10,
            stateful_step_count=30 if GUARANTEES else 10,
        ),
    )
