"""The same life on every database: the same log, byte for byte, the same rows, the same answers.

Chance is the same on both, so that ids, keys and what is tied by them are, too. Scores are compared
as they are: they are computed by the same code from the same numbers.
"""

import os
import random
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import pytest

from smriti_es import opening
from smriti_es.engine import Engine
from smriti_es.events.registry import open_log
from smriti_es.projections.projection import fingerprint

LONG = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
QUESTIONS = ("Where does Rachel live?", "What did the user like before?", "project Atlas")
# The log tells in which places of a store it looked for what is gone; these have other names.
ERASING = {"erase", "sweep"}
# They use keys of this machine, which are as random as they should be.
SIGNING = {"checkpoint", "rotate_key"}
Step = tuple[Any, ...]


def fingerprints(engine: Engine) -> dict[str, str]:
    projector = engine._opened.projector
    with engine._opened.database.read() as connection:
        return {
            name: fingerprint(projector.projections[name], projector.fold(connection, generation))
            for name, generation in projector.serving(connection).items()
        }


def answers(engine: Engine) -> Iterator[Any]:
    every: dict[str, Any] = {"scopes": ["project:Atlas", "project:Borealis"]}
    for question in QUESTIONS:
        found = engine.search(question, explain=True, now="2026-06-02", **every)
        yield [(hit.turn, hit.fact, hit.score, hit.channels, hit.explanation) for hit in found]
        yield engine.context(question, now="2026-06-02", history=True, **every).text
    yield engine.facts(statuses=None, scopes=None)
    yield engine.history()
    yield engine.turns()
    yield engine.sessions()
    yield engine.review()


@pytest.fixture
def same_chance(
    every_database: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """Let what is opened from now on draw the same bytes as what was opened before."""
    for places in every_database.values():
        places.remove(places.another())  # what is made once is made before
    numbers = [count()]

    def open_seeded(*arguments: Any, **options: Any) -> Any:
        seeded = random.Random(next(numbers[0])).randbytes
        return open_log(*arguments, **options, randomness=seeded)

    monkeypatch.setattr(opening, "open_log", open_seeded)

    def begin_again() -> None:
        numbers[0] = count()

    return begin_again


@pytest.mark.parametrize("left_out", [SIGNING | ERASING, SIGNING])
@pytest.mark.parametrize("which", range(6 if LONG else 1))
def test_the_same_life_gives_the_same_log_the_same_rows_and_the_same_answers(
    which: int,
    left_out: set[str],
    long_lives: list[list[Step]],
    living_at: Callable[..., Any],
    every_database: Mapping[str, Any],
    same_chance: Callable[[], None],
) -> None:
    life = [step for step in long_lives[which] if step[0] not in left_out]
    life = life if LONG else life[:40]
    told = {}
    for name, places in every_database.items():
        same_chance()
        with living_at(places, life) as one:
            report = one.engine.verify()
            assert report.ok, name
            assert len(one.taken) > 10
            head = report.log.head if left_out & ERASING else ""
            told[name] = (head, fingerprints(one.engine), list(answers(one.engine)))
    assert len(told) == 2
    first, *others = told.values()
    for other in others:
        assert other[0] == first[0]
        assert other[1] == first[1]
        assert other[2] == first[2]
