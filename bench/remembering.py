"""A generated history in an engine, written in one of three ways, with the way back to its claims."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from bench.histories import Claim, History, Key, SaidSession
from bench.history_questions import NOW
from smriti_es import Engine, Settings
from smriti_es.embedders import Embedder
from smriti_es.events.instants import parse_instant

# off: turns alone. direct: the claims are stated as facts, as they were generated. patterns: the
# extractor finds what it can in the turns.
Mode = Literal["off", "direct", "patterns"]
MODES: tuple[Mode, ...] = ("off", "direct", "patterns")


@dataclass(slots=True)
class Remembered:
    """A history in a memory.

    Attributes:
        engine: The memory.
        history: The history.
        claim_of: Which claim a turn makes, by the turn's position.
        facts: Position of the fact that a claim was stated as, by the claim's number.
    """

    engine: Engine
    history: History
    claim_of: dict[int, Claim] = field(default_factory=dict)
    facts: dict[int, int] = field(default_factory=dict)

    def add(self, session: SaidSession, *, state: bool) -> None:
        """Record a session, and state what it claims."""
        messages = [
            {
                "role": "user",
                "name": turn.speaker,
                "content": turn.text,
                "timestamp": turn.at,
            }
            for turn in session.turns
        ]
        added = self.engine.add(messages, session=session.name)
        for position, turn in zip(added.positions, session.turns, strict=True):
            if turn.claim is not None:
                claim = self.history.claims[turn.claim]
                self.claim_of[position] = claim
                if state:
                    self._state(claim)

    def _state(self, claim: Claim) -> None:
        if claim.act == "retracts":
            assert claim.takes_back is not None, "it says which claim it takes back"
            self.engine.retract(self.facts[claim.takes_back], reason="the speaker took it back")
        elif claim.act == "ends":
            self.engine.end_fact(self._standing(claim), at=claim.at)
        else:
            self.facts[claim.number] = self.engine.assert_fact(
                claim.key.person,
                claim.key.predicate,
                claim.value,
                scope=claim.key.scope,
                valid_from=claim.at,
                said_at=claim.said_at,
                multi=claim.many,
            )

    def _standing(self, ended: Claim) -> int:
        """Find the fact that a claim says is over: the last of its value that was stated."""
        stated = [
            self.facts[claim.number]
            for claim in self.history.claims[: ended.number]
            if claim.act == "states" and (claim.key, claim.value) == (ended.key, ended.value)
        ]
        return stated[-1]


@contextmanager
def remembered(
    history: History, mode: Mode, folder: Path, embedder: Embedder
) -> Iterator[Remembered]:
    """Let an engine live through a history: its clock shows what the speakers' clocks show."""
    clock = _Clock()
    with Engine.open(
        folder / f"{mode}.db",
        embedder=embedder,
        extractor="auto" if mode == "patterns" else None,
        settings=Settings(embed_in_background=False),
        clock=clock,
    ) as engine:
        memory = Remembered(engine, history)
        for session in history.sessions:
            clock.now = parse_instant(session.turns[-1].at).at
            memory.add(session, state=mode == "direct")
        engine.wait_for_vectors()
        clock.now = parse_instant(NOW).at
        yield memory


def key_of_fact(subject: str, predicate: str, scope: str) -> Key:
    """Give the key of a fact as the generator spells it."""
    return Key(subject.title(), predicate, _as_generated(scope))


def as_of(moment: datetime | None) -> dict[str, datetime]:
    """Write a knowledge time as the reads take it; now needs no word."""
    return {} if moment is None else {"known_at": moment}


def _as_generated(scope: str) -> str:
    kind, colon, value = scope.partition(":")
    return f"{kind}{colon}{value.title()}"


@dataclass(slots=True)
class _Clock:
    """Shows the time that it was set to, in microseconds."""

    now: int = 1_577_836_800_000_000  # 2020-01-01, before the history begins

    def __call__(self) -> int:
        return self.now
