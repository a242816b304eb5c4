"""What the generated histories are asked, with the answers of the referee.

Every kind of question is one thing that a memory may get wrong: now, then, what was believed then,
what must not be there.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final, Literal

from bench.histories import END, Claim, History, Key
from bench.ledger import Ledger
from bench.wording import PROJECTS, Subject

# When everything has been said.
NOW: Final = datetime.combine(END + timedelta(days=1), time(12, tzinfo=UTC))

Kind = Literal[
    "now",
    "then",
    "late",
    "believed",
    "scheduled",
    "not_yet",
    "ended",
    "retracted",
    "in_scope",
    "no_scope",
    "other_scope",
    "many",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answer.

    Attributes:
        kind: Its kind.
        key: What it is about; its scope is that of the right answer.
        text: In words.
        expected: The right values; empty where nothing must be there.
        valid_at: The world time that it is about.
        known_at: As of when it is answered; None: now.
        scopes: The scopes that the asker is in.
    """

    kind: Kind
    key: Key
    text: str
    expected: frozenset[str]
    valid_at: datetime
    known_at: datetime | None = None
    scopes: tuple[str, ...] = ()

    @property
    def asked_at(self) -> datetime:
        """When it is asked."""
        return NOW if self.known_at is None else self.known_at


def questions_about(history: History, ledger: Ledger, seed: int, each: int) -> list[Asked]:
    """Draw questions of every kind.

    Args:
        history: What they are about.
        ledger: Knows the answers.
        seed: Another one draws others.
        each: How many of each kind, where the history has so many to offer.
    """
    asking = _Asking(history, ledger)
    kinds: dict[Kind, Callable[[], Iterator[Asked]]] = {
        "now": asking.now,
        "then": asking.then,
        "late": asking.late,
        "believed": asking.believed,
        "scheduled": asking.scheduled,
        "not_yet": asking.not_yet,
        "ended": asking.ended,
        "retracted": asking.retracted,
        "in_scope": asking.in_scope,
        "no_scope": asking.no_scope,
        "other_scope": asking.other_scope,
        "many": asking.many,
    }
    questions = []
    for kind, ask in kinds.items():
        draw = random.Random(f"questions:{seed}:{kind}")
        offered = list(ask())
        questions += draw.sample(offered, min(each, len(offered)))
    return questions


class _Asking:
    """Offers every question of a kind that a history has an answer to."""

    def __init__(self, history: History, ledger: Ledger) -> None:
        self._history = history
        self._ledger = ledger
        self._claims: dict[Key, list[Claim]] = defaultdict(list)
        for claim in history.claims:
            self._claims[claim.key].append(claim)
        single = [key for key, claims in self._claims.items() if not claims[0].many]
        self._keys = [key for key in single if not self._subject(key).scoped]
        self._scoped = [key for key in single if self._subject(key).scoped]
        self._many = [key for key, claims in self._claims.items() if claims[0].many]

    def now(self) -> Iterator[Asked]:
        """What is so."""
        for key in self._keys:
            if value := self._ledger.value(key, NOW, NOW):
                yield self._about("now", key, value, NOW)

    def then(self) -> Iterator[Asked]:
        """What was so at a time, as we know now."""
        for key, middle in self._middles(lambda claim: not claim.late):
            if value := self._ledger.value(key, middle, NOW):
                yield self._about("then", key, value, middle)

    def late(self) -> Iterator[Asked]:
        """The same, where it was told after what followed it."""
        for key, middle in self._middles(lambda claim: claim.late):
            if value := self._ledger.value(key, middle, NOW):
                yield self._about("late", key, value, middle)

    def believed(self) -> Iterator[Asked]:
        """What was believed at a time to be so at that time, where we know better now."""
        for key in self._keys:
            for claim in self._claims[key]:
                then = _midnight_after(claim.at + timedelta(days=9))
                believed = self._ledger.value(key, then, then)
                if then < NOW and believed and believed != self._ledger.value(key, then, NOW):
                    yield self._about("believed", key, believed, then, known_at=then)

    def scheduled(self) -> Iterator[Asked]:
        """What will be so."""
        for claim in self._history.claims:
            if claim.at > NOW and claim.key in self._keys:
                later = claim.at + timedelta(days=5)
                yield self._about("scheduled", claim.key, claim.value, later)

    def not_yet(self) -> Iterator[Asked]:
        """What is so still, although something else is announced."""
        for claim in self._history.claims:
            value = self._ledger.value(claim.key, NOW, NOW)
            if claim.at > NOW and claim.key in self._keys and value:
                yield self._about("not_yet", claim.key, value, NOW)

    def ended(self) -> Iterator[Asked]:
        """What has ended without anything in its place."""
        for key in self._keys:
            if self._ledger.value(key, NOW, NOW) is None:
                yield self._about("ended", key, None, NOW)
        for claim in self._history.claims:
            then = _midnight_after(claim.said_at)
            if claim.act != "ends" or claim.key not in self._keys or then > NOW:
                continue
            if self._ledger.value(claim.key, then, then) is None:
                yield self._about("ended", claim.key, None, then, known_at=then)

    def retracted(self) -> Iterator[Asked]:
        """What was so while something else had been said, which was taken back."""
        for claim in self._history.claims:
            if claim.takes_back is None or claim.key not in self._keys:
                continue
            then = _midnight_after(self._history.claims[claim.takes_back].said_at)
            yield self._about(
                "retracted", claim.key, self._ledger.value(claim.key, then, NOW), then
            )

    def in_scope(self) -> Iterator[Asked]:
        """What is so in a project."""
        for key in self._scoped:
            if key.scope and (value := self._ledger.value(key, NOW, NOW)):
                project = key.scope.partition(":")[2]
                yield self._about(
                    "in_scope", key, value, NOW, scopes=(key.scope,), words=f" in project {project}"
                )

    def no_scope(self) -> Iterator[Asked]:
        """What is so outside every project."""
        for key in self._scoped:
            if not key.scope and (value := self._ledger.value(key, NOW, NOW)):
                yield self._about("no_scope", key, value, NOW)

    def other_scope(self) -> Iterator[Asked]:
        """What is so in one project, asked beside what is so in another one."""
        for key in self._scoped:
            if key.scope and (value := self._ledger.value(key, NOW, NOW)):
                others = [f"project:{each}" for each in PROJECTS if f"project:{each}" != key.scope]
                elsewhere = Key(key.person, key.predicate, others[0])
                if self._ledger.value(elsewhere, NOW, NOW) not in {None, value}:
                    yield self._about("other_scope", key, value, NOW, scopes=(key.scope,))

    def many(self) -> Iterator[Asked]:
        """Everything that is so at once."""
        for key in self._many:
            if values := self._ledger.values(key, NOW, NOW):
                text = self._subject(key).asks.format(name=key.person)
                yield Asked("many", key, text, values, NOW)

    def _about(
        self,
        kind: Kind,
        key: Key,
        value: str | None,
        valid_at: datetime,
        *,
        known_at: datetime | None = None,
        scopes: tuple[str, ...] = (),
        words: str = "",
    ) -> Asked:
        """Word a question by the time that it is about."""
        subject = self._subject(key)
        asked_at = NOW if known_at is None else known_at
        way = subject.asks
        if valid_at < asked_at:
            way = subject.asked
        elif valid_at > asked_at:
            way = subject.will
        text = way.format(name=key.person, month=f"{valid_at:%B %Y}")
        text = f"{text.removesuffix('?')}{words}?"
        expected = frozenset() if value is None else frozenset({value})
        return Asked(kind, key, text, expected, valid_at, known_at, scopes)

    def _middles(self, wanted: Callable[[Claim], bool]) -> Iterator[tuple[Key, datetime]]:
        """Give points well within what claims began."""
        for key in self._keys:
            for claim in self._claims[key]:
                middle = _midnight_after(claim.at + timedelta(days=20))
                if claim.act == "states" and wanted(claim) and middle < NOW:
                    yield key, middle

    def _subject(self, key: Key) -> Subject:
        return self._history.subjects[key.predicate]


def _midnight_after(moment: datetime) -> datetime:
    return datetime.combine(moment.date() + timedelta(days=1), time(tzinfo=UTC))
