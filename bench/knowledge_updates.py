"""Knowledge updates: does a memory tell what is, what was, and what it believed, and keep apart?

Generated histories are written in three ways (`remembering.MODES`) and asked the same questions. A
question is put to `facts` by person and predicate, and in words to `search` and `context`; what
comes first there is judged by a referee in plain Python. Poisoned turns and erasures are left out
until there is something to defend against them with.
"""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.histories import Key, generated_history
from bench.history_questions import Asked, questions_about
from bench.ledger import Ledger
from bench.remembering import MODES, Mode, Remembered, as_of, key_of_fact, remembered
from smriti_es import Fact
from smriti_es.embedders import Embedder
from smriti_es.events.instants import to_datetime
from smriti_es.events.key_form import key_form

K: Final = 12
BUDGET: Final = 3_000
# The ways to ask: by person and predicate; in words, for hits; in words, for a text.
WAYS: Final = ("facts", "search", "context")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Shown:
    """Something that an answer puts first, or anywhere.

    Attributes:
        key: What it is about, or None for talk about nothing.
        value: What it says.
        claims: Whether it says that this holds, with no label to the contrary.
    """

    key: Key | None
    value: str = ""
    claims: bool = False


@dataclass(slots=True)
class Tally:
    """What came of the questions of one kind, one way, in one mode.

    Attributes:
        asked: How many there were.
        right: In how many the right value came first, or rightly none.
        stale: In how many another value of the same key came first, as if it held.
    """

    asked: int = 0
    right: int = 0
    stale: int = 0


@dataclass(slots=True)
class Outcome:
    """What came of all questions in one mode.

    Attributes:
        facts: How many statements of fact there were.
        tallies: By kind and way.
        stale_unlabelled: Facts shown as current that the referee says are not, by way.
        mislabelled: Facts shown as over or as yet to come that hold, by way.
        leaked: Facts of a scope that the asker is not in, by way.
    """

    facts: int = 0
    tallies: dict[tuple[str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
    stale_unlabelled: Counter[str] = field(default_factory=Counter)
    mislabelled: Counter[str] = field(default_factory=Counter)
    leaked: Counter[str] = field(default_factory=Counter)


def run_knowledge_updates(
    seeds: Sequence[int],
    embedder: Embedder,
    *,
    facts: int,
    each: int,
    progress: Progress,
) -> dict[Mode, Outcome]:
    """Write every history in every way and ask its questions.

    Args:
        seeds: One history each.
        embedder: Makes vectors.
        facts: About how many statements of fact each history holds.
        each: How many questions of each kind each history is asked.
        progress: Called with a phase, questions done and questions in all.

    Returns:
        What came of it, by mode, over all histories.
    """
    outcomes: dict[Mode, Outcome] = {mode: Outcome() for mode in MODES}
    for seed in seeds:
        history = generated_history(seed, facts)
        ledger = Ledger(history.claims)
        questions = questions_about(history, ledger, seed, each)
        for mode in MODES:
            progress(f"history {seed}, {mode}", 0, len(questions))
            with (
                tempfile.TemporaryDirectory(prefix="bench-updates-") as folder,
                remembered(history, mode, Path(folder), embedder) as memory,
            ):
                outcomes[mode].facts += memory.engine.status().facts
                judge = _Judge(memory, ledger, outcomes[mode])
                for number, asked in enumerate(questions):
                    judge.put(asked)
                    progress(f"history {seed}, {mode}", number + 1, len(questions))
    return outcomes


def summary(outcome: Outcome) -> dict[str, Any]:
    """Put the figures of one mode together: shares in percent, counts as they are."""
    kinds: dict[str, dict[str, Any]] = {}
    for (kind, way), tally in outcome.tallies.items():
        figures = kinds.setdefault(kind, {"asked": tally.asked, "right_first": {}, "stale": {}})
        figures["right_first"][way] = _percent(tally.right, tally.asked)
        figures["stale"][way] = tally.stale
    return {
        "facts": outcome.facts,
        "kinds": kinds,
        "right_first": {way: _share(outcome, way) for way in WAYS},
        "stale_first": {way: _stale(outcome, way) for way in WAYS},
        "stale_unlabelled": {way: outcome.stale_unlabelled[way] for way in WAYS},
        "mislabelled": {way: outcome.mislabelled[way] for way in WAYS},
        "leaked_scope": {way: outcome.leaked[way] for way in WAYS},
    }


def difference(on: Mapping[str, Any], off: Mapping[str, Any]) -> dict[str, Any]:
    """Say how many points facts add to what came first, per kind and way of asking in words."""
    ways = [way for way in WAYS if way != "facts"]
    by_kind = {
        kind: {
            way: round(found["right_first"][way] - off["kinds"][kind]["right_first"][way], 1)
            for way in ways
        }
        for kind, found in on["kinds"].items()
    }
    in_all = {way: round(on["right_first"][way] - off["right_first"][way], 1) for way in ways}
    return {"kinds": by_kind, "right_first": in_all}


class _Judge:
    """Puts questions to a memory and tells what is right, stale and out of place."""

    def __init__(self, memory: Remembered, ledger: Ledger, outcome: Outcome) -> None:
        self._memory = memory
        self._ledger = ledger
        self._outcome = outcome

    def put(self, asked: Asked) -> None:
        """Ask in all three ways."""
        self._structured(asked)
        self._search(asked)
        self._context(asked)

    def _structured(self, asked: Asked) -> None:
        found = self._memory.engine.facts(
            asked.key.person,
            asked.key.predicate,
            valid_at=asked.valid_at,
            scopes=asked.scopes,
            **as_of(asked.known_at),
        )
        shown = [self._fact(fact) for fact in found]
        if asked.kind == "many":
            values = {key_form(one.value) for one in shown}
            right = values == {key_form(value) for value in asked.expected}
        else:
            right = self._is_right(shown[0], asked) if shown else not asked.expected
        self._count(asked, "facts", shown[:1], right=right)
        self._check(asked, "facts", found)

    def _search(self, asked: Asked) -> None:
        hits = self._memory.engine.search(asked.text, k=K, **self._worded(asked)).hits
        first = hits[0]
        shown = self._turn(first.position) if first.fact is None else self._fact(first.fact)
        self._count(asked, "search", [shown], right=self._is_right(shown, asked))
        self._check(asked, "search", [hit.fact for hit in hits if hit.fact is not None])

    def _context(self, asked: Asked) -> None:
        context = self._memory.engine.context(asked.text, budget=BUDGET, **self._worded(asked))
        if context.facts:
            shown = self._fact(context.facts[0])
        elif context.evidence:
            shown = self._turn(context.evidence[0].position)
        else:
            shown = Shown(None)
        self._count(asked, "context", [shown], right=self._is_right(shown, asked))
        self._check(asked, "context", context.facts)

    def _worded(self, asked: Asked) -> dict[str, Any]:
        scopes = {"scopes": asked.scopes} if asked.scopes else {}
        then = as_of(asked.known_at)
        return {"now": asked.asked_at, "valid_at": asked.valid_at, **then, **scopes}

    def _fact(self, fact: Fact) -> Shown:
        key = key_of_fact(fact.subject, fact.predicate, fact.scope)
        return Shown(key, fact.object, fact.status in {"current", "scheduled"})

    def _turn(self, position: int) -> Shown:
        claim = self._memory.claim_of.get(position)
        if claim is None:
            return Shown(None)
        return Shown(claim.key, claim.value, claim.act == "states")

    def _is_right(self, shown: Shown, asked: Asked) -> bool:
        """Tell whether what comes first is right; where nothing is, that it claims nothing."""
        if not asked.expected:
            return not (shown.claims and _same_subject(shown.key, asked.key))
        values = {key_form(value) for value in asked.expected}
        return shown.claims and shown.key == asked.key and key_form(shown.value) in values

    def _count(self, asked: Asked, way: str, first: Sequence[Shown], *, right: bool) -> None:
        tally = self._outcome.tallies[asked.kind, way]
        tally.asked += 1
        tally.right += right
        tally.stale += any(
            one.claims and one.key == asked.key and not self._is_right(one, asked) for one in first
        )

    def _check(self, asked: Asked, way: str, facts: Iterable[Fact]) -> None:
        """Compare every fact that is shown, whatever it is about, with what the referee says."""
        outcome = self._outcome
        for fact in facts:
            key = key_of_fact(fact.subject, fact.predicate, fact.scope)
            outcome.leaked[way] += bool(key.scope) and key.scope not in asked.scopes
            holds = self._holds(key, fact, asked)
            outcome.stale_unlabelled[way] += fact.status == "current" and not holds
            outcome.mislabelled[way] += fact.status != "current" and holds

    def _holds(self, key: Key, fact: Fact, asked: Asked) -> bool:
        """Ask the referee whether the very interval that a fact stands for holds."""
        valid_at, known_at = asked.valid_at, asked.asked_at
        values = {
            key_form(value)
            for value in (
                self._ledger.values(key, valid_at, known_at)
                if self._ledger.is_many(key)
                else {self._ledger.value(key, valid_at, known_at)}
            )
            if value is not None
        }
        begun = to_datetime(fact.valid_from) <= valid_at
        over = fact.valid_to is not None and to_datetime(fact.valid_to) <= valid_at
        return key_form(fact.object) in values and (
            fact.status == "current" or (begun and not over)
        )


def _same_subject(one: Key | None, other: Key) -> bool:
    return one is not None and (one.person, one.predicate) == (other.person, other.predicate)


def _percent(part: int, whole: int) -> float:
    return round(100.0 * part / whole, 1)


def _share(outcome: Outcome, way: str) -> float:
    tallies = [tally for (_, each), tally in outcome.tallies.items() if each == way]
    return _percent(sum(t.right for t in tallies), sum(t.asked for t in tallies))


def _stale(outcome: Outcome, way: str) -> int:
    return sum(tally.stale for (_, each), tally in outcome.tallies.items() if each == way)
