"""From what an extractor found to what is recorded: checked, and tied to supporting turns."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from smriti_es.captured import ORIGINS
from smriti_es.events.catalogue import FactAsserted, FactEnded
from smriti_es.events.catalogue.facts import DIGEST
from smriti_es.events.errors import InvalidInput
from smriti_es.extraction.contract import ExtractedFact, SourceTurn
from smriti_es.fact_draft import FactDraft
from smriti_es.predicates import DIGEST_PREFIX, SingleValued, predicate_form
from smriti_es.scopes import checked_scope

_ITEM_MAX: Final = 500


@dataclass(slots=True)
class Drafting:
    """Brings what an extractor found into the form in which it is recorded.

    Attributes:
        source: Name and version of the extractor.
        space: The space.
        turns: What it was shown, by position.
        single: Which predicates hold one value at a time.
        drafts: The statements.
        ends: Stated ends, each with the turns that it rests on.
        dropped: What is not taken over, and why.
    """

    source: str
    space: str
    turns: dict[int, SourceTurn]
    single: SingleValued
    drafts: list[FactDraft] = field(default_factory=list)
    ends: list[tuple[FactEnded, tuple[int, ...]]] = field(default_factory=list)
    dropped: list[dict[str, Any]] = field(default_factory=list)

    def add(self, fact: ExtractedFact) -> None:
        """Take over a fact, or say why not."""
        # A turn that the extractor was not shown supports nothing.
        fact = replace(fact, evidence=tuple(e for e in fact.evidence if e.turn in self.turns))
        support = [self.turns[each.turn] for each in fact.evidence]
        try:
            scope = checked_scope(fact.scope)
        except InvalidInput as error:
            self._drop(str(error), fact)
            return
        flaw = _flaw(fact)
        if flaw is not None:
            self._drop(flaw, fact)
            return
        refs = tuple(sorted({turn.position for turn in support}))
        if fact.ends:
            self.ends.append((self._ended(fact, scope, support), refs))
        else:
            self.drafts.append(FactDraft(self._asserted(fact, scope, support), refs))

    def _asserted(
        self, fact: ExtractedFact, scope: str, support: Sequence[SourceTurn]
    ) -> FactAsserted:
        said_at = min(turn.said_at for turn in support)
        predicate = predicate_form(fact.predicate)
        begins = said_at if fact.valid_from is None else fact.valid_from
        ends = fact.valid_to if fact.valid_to is not None and fact.valid_to > begins else None
        return FactAsserted(
            origin=_lowest(support),
            fact="",
            space=self.space,
            subject=fact.subject.strip(),
            predicate=predicate,
            object=fact.object.strip(),
            statement=fact.statement,
            said_at=said_at,
            valid_from=begins,
            scope=scope,
            single=fact.single or self.single.holds_one(predicate),
            valid_precision=fact.precision if fact.valid_from is not None else "unknown",
            valid_to=ends,
            valid_text=fact.time_text,
            kind=fact.kind,
            evidence=[{"turn": e.turn, "quote": e.quote} for e in fact.evidence],
            entities=fact.entities,
            search_keys=fact.search_keys,
            source=self.source,
        )

    def _ended(self, fact: ExtractedFact, scope: str, support: Sequence[SourceTurn]) -> FactEnded:
        said_at = min(turn.said_at for turn in support)
        when = fact.valid_to if fact.valid_to is not None else fact.valid_from
        return FactEnded(
            space=self.space,
            subject=fact.subject.strip(),
            predicate=predicate_form(fact.predicate),
            object=fact.object.strip(),
            scope=scope,
            valid_to=said_at if when is None else when,
            valid_precision=fact.precision if when is not None else "unknown",
            valid_text=fact.time_text,
            said_at=said_at,
            reason=fact.statement,
            evidence=[{"turn": e.turn, "quote": e.quote} for e in fact.evidence],
            source=self.source,
            origin=_lowest(support),
        )

    def _drop(self, reason: str, fact: ExtractedFact) -> None:
        self.dropped.append({"reason": reason, "item": fact.statement[:_ITEM_MAX]})


def _lowest(support: Sequence[SourceTurn]) -> str:
    return max((turn.origin for turn in support), key=ORIGINS.index)


def _flaw(fact: ExtractedFact) -> str | None:
    """Say what keeps a fact from being recorded, or None."""
    predicate = predicate_form(fact.predicate)
    if not fact.evidence or not fact.subject.strip() or not predicate:
        return "nothing supports it, or it is about nothing"
    if fact.kind == DIGEST or predicate.startswith(DIGEST_PREFIX):
        return "digests are written by `observe` alone"
    return None if fact.ends or fact.object.strip() else "it has no value"
