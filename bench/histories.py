"""Lives out of a generator: who said what to whom over five years, and what was true meanwhile.

First the life of each key is drawn (which values it had, from when to when), then how it is told:
at once, with a date, months later, ahead of time, again, by mistake and taken back. People talk in
pairs, once a week, amid other talk. The same seed always gives the same history.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Literal

from bench.wording import (
    CHATTER,
    EVERYWHERE,
    ONE_AT_A_TIME,
    PEOPLE,
    PER_PROJECT,
    PROJECTS,
    SEVERAL_AT_ONCE,
    Subject,
)

BEGIN: Final = date(2020, 1, 6)
WEEKS: Final = 260
END: Final = BEGIN + timedelta(weeks=WEEKS)
_EVENING: Final = time(18, tzinfo=UTC)
_BETWEEN_TURNS: Final = timedelta(minutes=2)
_FACTS_PER_PAIR: Final = 200

Act = Literal["states", "ends", "retracts"]


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What has values: something of somebody, perhaps in a project alone."""

    person: str
    predicate: str
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a turn says.

    Attributes:
        number: Names it.
        key: What it is about.
        act: states a value, ends one, or retracts an earlier claim.
        value: The value.
        said_at: When it was said.
        at: Since when the value holds, or when it ceased to.
        dated: Whether it says so itself; else it is when it was said.
        many: Whether the key may have several values at once.
        late: Whether it was said after what followed it.
        takes_back: Number of the claim that it retracts.
    """

    number: int
    key: Key
    act: Act
    value: str
    said_at: datetime
    at: datetime
    dated: bool = False
    many: bool = False
    late: bool = False
    takes_back: int | None = None


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A turn of a session; `claim` is the number of what it claims, if anything."""

    speaker: str
    text: str
    at: datetime
    claim: int | None


@dataclass(frozen=True, slots=True)
class SaidSession:
    """One evening of two people."""

    name: str
    turns: tuple[SaidTurn, ...]


@dataclass(frozen=True, slots=True)
class History:
    """A whole history.

    Attributes:
        sessions: In the order in which they took place.
        claims: Every claim, by number, which is the order in which they were said.
        subjects: How each predicate is talked about.
    """

    sessions: tuple[SaidSession, ...]
    claims: tuple[Claim, ...]
    subjects: Mapping[str, Subject]

    @property
    def facts(self) -> int:
        """How many statements of fact it holds."""
        return sum(claim.act == "states" for claim in self.claims)


def generated_history(seed: int, facts: int) -> History:
    """Make a history.

    Args:
        seed: Another one makes another history.
        facts: About how many statements of fact it holds; at least 50.
    """
    draw = random.Random(f"history:{seed}")
    pairs = PEOPLE[: max(1, min(len(PEOPLE), facts // _FACTS_PER_PAIR))]
    share = facts / (2 * len(pairs))
    lives = []
    for person in (person for pair in pairs for person in pair):
        for subject in ONE_AT_A_TIME:
            lives.append(_Life(draw, Key(person, subject.predicate), subject))
            lives[-1].one_after_the_other(max(2, round(share * 0.55 / len(ONE_AT_A_TIME))))
        for subject in PER_PROJECT:
            for scope in ("", *PROJECTS):
                key = Key(person, subject.predicate, f"project:{scope}" if scope else "")
                lives.append(_Life(draw, key, subject))
                lives[-1].one_after_the_other(max(2, round(share * 0.22 / 6)))
        for subject in SEVERAL_AT_ONCE:
            lives.append(_Life(draw, Key(person, subject.predicate), subject))
            lives[-1].side_by_side(max(2, round(share * 0.12 / len(SEVERAL_AT_ONCE))))
    told = [telling for life in lives for telling in life.tellings]
    subjects = (*ONE_AT_A_TIME, *PER_PROJECT, *SEVERAL_AT_ONCE)
    sessions, claims = _spoken(draw, told, pairs)
    return History(sessions, claims, {subject.predicate: subject for subject in subjects})


@dataclass(slots=True)
class _Telling:
    """Something that will be said in the first session from a day on.

    Attributes:
        from_day: The day.
        at: Since when, or until when; None: since it is said.
        takes_back: What it retracts.
    """

    key: Key
    subject: Subject
    act: Act
    value: str
    text: str
    from_day: date
    at: date | None = None
    late: bool = False
    takes_back: "_Telling | None" = None


@dataclass(slots=True)
class _Life:
    """The life of one key in the making."""

    draw: random.Random
    key: Key
    subject: Subject
    tellings: list[_Telling] = field(default_factory=list)

    def one_after_the_other(self, count: int) -> None:
        """Let one value follow another, each in a stretch of time of its own."""
        values = self._values(count)
        stretch = timedelta(weeks=WEEKS) / count
        for number, value in enumerate(values):
            opens = BEGIN + number * stretch
            follows = opens + stretch if number + 1 < count else None
            self._begin(value, opens + self._within(stretch, 0.12, 0.3), follows)
            if self.draw.random() < 0.15 and self.subject.again:
                day = opens + self._within(stretch, 0.36, 0.46)
                self._tell("states", value, self.subject.again, day)
            if self.draw.random() < 0.08 and self.subject.never:
                self._err(value, opens + self._within(stretch, 0.52, 0.58), stretch)
            if self.draw.random() < 0.15 and self.subject.ended:
                day = opens + self._within(stretch, 0.76, 0.82)
                said = day + timedelta(days=self.draw.randrange(8))
                self._tell("ends", value, self.subject.ended, said, at=day)
        if self.draw.random() < 0.3 and self.subject.planned:
            self._plan([each for each in self.subject.values if each != values[-1]])

    def side_by_side(self, count: int) -> None:
        """Let values join one another, and some of them end."""
        stretch = timedelta(weeks=WEEKS) / count
        for number, value in enumerate(self.draw.sample(self.subject.values, count)):
            opens = BEGIN + number * stretch
            self._tell("states", value, self.subject.now, opens + self._within(stretch, 0.1, 0.3))
            if self.draw.random() < 0.3 and self.subject.ended:
                day = opens + self._within(stretch, 0.6, 0.8)
                said = day + timedelta(days=self.draw.randrange(8))
                self._tell("ends", value, self.subject.ended, said, at=day)

    def _begin(self, value: str, day: date, follows: date | None) -> None:
        """Tell of a value's beginning in one of the ways that there are."""
        manner, subject = self.draw.random(), self.subject
        month = date(day.year + day.month // 12, day.month % 12 + 1, 1)
        if manner < 0.12 and subject.late and follows and (follows - month).days > 21:
            said = follows + timedelta(weeks=10 + self.draw.randrange(4))
            self._tell("states", value, subject.late, said, at=month, late=True)
        elif manner < 0.24 and subject.planned:
            said = day - timedelta(days=8 + self.draw.randrange(12))
            self._tell("states", value, subject.planned, said, at=day)
        elif manner < 0.6 and subject.dated:
            said = day + timedelta(days=self.draw.randrange(14))
            self._tell("states", value, subject.dated, said, at=day)
        else:
            everywhere = not self.key.scope and self.key.predicate in EVERYWHERE
            ways = EVERYWHERE[self.key.predicate] if everywhere else subject.now
            self._tell("states", value, ways, day)

    def _plan(self, values: Sequence[str]) -> None:
        """Announce something for after the end of the history."""
        day = END + timedelta(days=20 + self.draw.randrange(40))
        said = END - timedelta(days=10 + self.draw.randrange(8))
        self._tell("states", self.draw.choice(values), self.subject.planned, said, at=day)

    def _err(self, value: str, day: date, stretch: timedelta) -> None:
        """State something that is not so, and take it back."""
        wrong = self.draw.choice([other for other in self.subject.values if other != value])
        self._tell("states", wrong, self.subject.now, day)
        mistake = self.tellings[-1]
        self._tell("retracts", wrong, self.subject.never, day + stretch * 0.1)
        self.tellings[-1].takes_back = mistake

    def _tell(
        self,
        act: Act,
        value: str,
        ways: Sequence[str],
        from_day: date,
        *,
        at: date | None = None,
        late: bool = False,
    ) -> None:
        text = _worded(self.draw.choice(ways), value, self.key.scope.partition(":")[2], at)
        telling = _Telling(self.key, self.subject, act, value, text, from_day, at, late)
        self.tellings.append(telling)

    def _values(self, count: int) -> list[str]:
        """Draw values, none of which follows itself; some come back."""
        values: list[str] = []
        while len(values) < count:
            value = self.draw.choice(self.subject.values)
            if value not in values[-1:]:
                values.append(value)
        return values

    def _within(self, stretch: timedelta, low: float, high: float) -> timedelta:
        return timedelta(days=int(stretch.days * self.draw.uniform(low, high)))


def _worded(way: str, value: str, scope: str, at: date | None) -> str:
    article = "an" if value[0] in "aeiou" else "a"
    return way.format(
        v=value,
        V=value[0].upper() + value[1:],
        a=f"{article} {value}",
        scope=scope,
        date="" if at is None else f"{at:%B} {at.day}, {at.year}",
        month="" if at is None else f"{at:%B %Y}",
    )


def _spoken(
    draw: random.Random, told: Sequence[_Telling], pairs: Sequence[tuple[str, str]]
) -> tuple[tuple[SaidSession, ...], tuple[Claim, ...]]:
    """Let everything be said in its session, and number the claims as they are said."""
    evenings: dict[tuple[date, int], list[_Telling]] = defaultdict(list)
    pair_of = {person: number for number, pair in enumerate(pairs) for person in pair}
    for telling in told:
        pair = pair_of[telling.key.person]
        evenings[_session_day(telling.from_day, pair), pair].append(telling)
    sessions: list[SaidSession] = []
    claims: list[Claim] = []
    numbers: dict[int, int] = {}
    for day, pair in sorted(evenings):
        if day > END:
            continue  # it would be said after the history's end
        turns: list[SaidTurn] = []
        for speaker, text, told_now in _evening(draw, evenings[day, pair], pairs[pair]):
            at = datetime.combine(day, _EVENING) + len(turns) * _BETWEEN_TURNS
            turns.append(SaidTurn(speaker, text, at, None if told_now is None else len(claims)))
            if told_now is not None:
                numbers[id(told_now)] = len(claims)
                claims.append(_claim(told_now, len(claims), at, numbers))
        sessions.append(SaidSession(f"{'-'.join(pairs[pair]).lower()}-{day}", tuple(turns)))
    return tuple(sessions), tuple(claims)


def _session_day(from_day: date, pair: int) -> date:
    """Give the first session from a day on: every pair has its own evening of the week."""
    return from_day + timedelta(days=(pair - from_day.weekday()) % 7)


def _evening(
    draw: random.Random, told: Sequence[_Telling], pair: tuple[str, str]
) -> Iterator[tuple[str, str, _Telling | None]]:
    """Mix what is to be told with other talk; later claims about one key stay the later ones."""
    for telling in told:
        for _ in range(draw.randrange(3)):
            yield draw.choice(pair), _small_talk(draw), None
        yield telling.key.person, telling.text, telling
    yield draw.choice(pair), _small_talk(draw), None


def _small_talk(draw: random.Random) -> str:
    if draw.random() < 0.6:
        return draw.choice(CHATTER.idle)
    subject = draw.choice((*ONE_AT_A_TIME, *SEVERAL_AT_ONCE))
    return draw.choice(CHATTER.tempting).format(v=draw.choice(subject.values))


def _claim(telling: _Telling, number: int, said_at: datetime, numbers: Mapping[int, int]) -> Claim:
    at = said_at if telling.at is None else datetime.combine(telling.at, time(tzinfo=UTC))
    taken_back = telling.takes_back
    return Claim(
        number,
        telling.key,
        telling.act,
        telling.value,
        said_at,
        at,
        dated=telling.at is not None,
        many=telling.subject.many,
        late=telling.late,
        takes_back=None if taken_back is None else numbers[id(taken_back)],
    )
