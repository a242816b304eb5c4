"""Facts out of a generator: many subjects, each with a few keys whose value changes now and then.

About every fifth value arrives after the one that follows it, so that chains are revised in the
middle, too. The same numbers always give the same facts.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from bench.synthetic import lexicon
from smriti_es import Engine
from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.instants import parse_instant
from smriti_es.events.records import Append
from smriti_es.fact_draft import FactDraft
from smriti_es.fact_writing import AssertFacts

SEED: Final = 20_260_102
VALUES_PER_KEY: Final = 10
PREDICATES: Final = (
    "lives_in",
    "works_at",
    "drives",
    "job_title",
    "studies_at",
    "uses_phone",
    "diet",
    "partner",
    "favourite_colour",
    "favourite_dish",
)

FIRST: Final = datetime(2023, 1, 1, 8, tzinfo=UTC)
BETWEEN_VALUES: Final = timedelta(days=60)
_NAMES: Final = 1_500
_VALUES: Final = 5_000
_LATE: Final = 0.2
_FACTS_PER_COMMIT: Final = 50
_COMMITS_PER_CALL: Final = 64


@dataclass(frozen=True, slots=True)
class SyntheticFact:
    """A statement of fact.

    Attributes:
        subject: A name.
        predicate: One that has one value at a time.
        object: The value.
        valid_from: Since when it holds.
        said_at: When it was said, on the same day or later.
    """

    subject: str
    predicate: str
    object: str
    valid_from: datetime
    said_at: datetime

    def as_event(self) -> FactAsserted:
        """Write it as the log takes it."""
        return FactAsserted(
            origin="owner",
            fact="",
            space="main",
            subject=self.subject,
            predicate=self.predicate,
            object=self.object,
            statement=f"{self.subject} {self.predicate.replace('_', ' ')} {self.object}",
            said_at=parse_instant(self.said_at).at,
            valid_from=parse_instant(self.valid_from).at,
            single=True,
            entities=[self.subject, self.object],
        )


def synthetic_facts(count: int) -> Iterator[SyntheticFact]:
    """Make facts in the order in which they arrive.

    Args:
        count: How many. A tenth as many keys get ten values each, one after the other; so the facts
            of one key lie far apart in the log.
    """
    keys = key_count(count)
    for number in range(count):
        arrival, key = divmod(number, keys)
        yield _fact(key, arrival)


def key_count(facts: int) -> int:
    """Tell how many keys so many facts have."""
    return -(-facts // VALUES_PER_KEY)


def key_of(number: int) -> tuple[str, str]:
    """Give subject and predicate of a key by its number."""
    person, predicate = divmod(number, len(PREDICATES))
    family, first = divmod(person, _NAMES)
    names = lexicon(_NAMES, "names")
    return f"{names[first]} {names[-1 - family]}".title(), PREDICATES[predicate]


def assert_facts(engine: Engine, facts: Sequence[SyntheticFact]) -> None:
    """State facts in commits of fifty, many commits to a flush, as an importer would."""
    opened = engine._opened
    commits = [
        AssertFacts(
            opened.projector,
            [FactDraft(fact.as_event()) for fact in facts[start : start + _FACTS_PER_COMMIT]],
        )
        for start in range(0, len(facts), _FACTS_PER_COMMIT)
    ]
    for start in range(0, len(commits), _COMMITS_PER_CALL):
        part = [Append(each, opened.actor) for each in commits[start : start + _COMMITS_PER_CALL]]
        for outcome in opened.log.append_all(part):
            if isinstance(outcome, Exception):
                raise outcome


def _fact(key: int, arrival: int) -> SyntheticFact:
    subject, predicate = key_of(key)
    place = _order_of_arrival(key)[arrival]
    draw = random.Random(f"{SEED}:{key}:{place}")
    begins = FIRST + place * BETWEEN_VALUES + timedelta(days=draw.randrange(BETWEEN_VALUES.days))
    said = FIRST + (arrival + 1) * BETWEEN_VALUES + timedelta(seconds=draw.randrange(86_400))
    value = draw.choice(lexicon(_VALUES, "values")).title()
    return SyntheticFact(subject, predicate, value, begins, max(begins, said))


@lru_cache(maxsize=100_000)
def _order_of_arrival(key: int) -> tuple[int, ...]:
    """Give which value of a key arrives first, second and so on."""
    draw = random.Random(f"{SEED}:{key}")
    order = list(range(VALUES_PER_KEY))
    for place in range(VALUES_PER_KEY - 1):
        if draw.random() < _LATE:
            order[place], order[place + 1] = order[place + 1], order[place]
    return tuple(order)
