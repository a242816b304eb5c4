"""Ask a model whether a new fact replaces one like it: outside any lock, and recorded.

Only predicates that may have many values are asked about; those with one value are settled by time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from smriti_es.beliefs import BeliefReader, Fact, FactFilter, FactStatus
from smriti_es.events.catalogue import ArbitrationDecided, FactAsserted
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.errors import EmbedderError
from smriti_es.events.instants import format_instant
from smriti_es.events.key_form import key_form
from smriti_es.extraction.arbitration import Arbiter, Verdict
from smriti_es.extraction.fact_digest import FactDigest
from smriti_es.fact_draft import FactDraft
from smriti_es.question_vectors import QueryVectors

_CANDIDATES: Final = 3
_LIKE: Final = 0.72
# Preferences stand side by side; a change of mind is an attitude with one value.
_NEVER: Final = frozenset({"prefers"})


@dataclass(frozen=True, slots=True)
class Arbitration:
    """Gathers the facts that a new one may replace, and asks about them.

    Attributes:
        arbiter: Whom to ask.
        model: Its name, for the record.
        queries: Gives what embeds statements, so that only facts alike are asked about; None: none
            are.
        current: Gives the facts that stand, for a key.
    """

    arbiter: Arbiter
    model: str
    queries: Callable[[], QueryVectors | None]
    current: "CurrentFacts"

    def judged(self, draft: FactDraft) -> FactDraft:
        """Add a verdict to a draft that has facts like it."""
        event = draft.event
        if event.single or event.predicate in _NEVER:
            return draft
        candidates = self._alike(event)
        if not candidates:
            return draft
        verdict = self._verdict(event, candidates)
        target = NOBODY if verdict.target is None else candidates[verdict.target].position
        decided = ArbitrationDecided(
            fact=NOBODY,
            target=target,
            action=verdict.action,
            candidates=[candidate.position for candidate in candidates],
            statement=event.statement,
            reply=verdict.reply,
            status=verdict.status,
            model=self.model,
        )
        return replace(draft, verdict=decided)

    def _verdict(self, event: FactAsserted, candidates: Sequence[Fact]) -> Verdict:
        """Ask; an arbiter that raises, or names no candidate, decides nothing."""
        try:
            verdict = self.arbiter.decide(digest_of(event), [digest_of(c) for c in candidates])
        except Exception as error:  # noqa: BLE001  no fact is lost to what a stranger's code does
            return Verdict("add", status="failed", error=str(error))
        if verdict.target is None:
            fits = verdict.action != "supersede"
        else:
            fits = 0 <= verdict.target < len(candidates)
        return verdict if fits else Verdict("add", None, verdict.reply, "invalid_target")

    def _alike(self, event: FactAsserted) -> list[Fact]:
        value = key_form(event.object)
        known = [fact for fact in self.current(event) if key_form(fact.object) != value]
        queries = self.queries()
        if not known or queries is None:
            return []
        try:
            vector = queries.of(event.statement).vector
            likeness = [float(np.dot(vector, queries.of(f.statement).vector)) for f in known]
        except EmbedderError:
            return []  # without vectors nothing is alike; the fact is added
        order = sorted(range(len(known)), key=lambda n: (-likeness[n], known[n].position))
        return [known[n] for n in order[:_CANDIDATES] if likeness[n] >= _LIKE]


class CurrentFacts(Protocol):
    """Gives the facts that stand beside a new one: same subject, predicate and scope."""

    def __call__(self, event: FactAsserted) -> list[Fact]:
        """Read them."""
        ...


def current_beside(reader: BeliefReader, event: FactAsserted) -> list[Fact]:
    """Read the facts that stand for the same subject, predicate and scope, or will stand later.

    A fact that comes late may be older than what it is like: then it is the one that was replaced.
    """
    wanted = FactFilter(
        (event.space,),
        subject=event.subject,
        predicate=event.predicate,
        scopes=(event.scope,) if event.scope else (),
    )
    found = reader.facts(wanted, statuses=(FactStatus.CURRENT, FactStatus.SCHEDULED))
    return [fact for fact in found if fact.scope == event.scope]


def digest_of(fact: FactAsserted | Fact) -> FactDigest:
    """Bring a fact into the form in which a model is shown it."""
    ends = None if fact.valid_to is None else format_instant(fact.valid_to)
    return FactDigest(
        fact.statement,
        fact.subject,
        fact.predicate,
        fact.object,
        fact.scope,
        format_instant(fact.valid_from),
        ends,
    )
