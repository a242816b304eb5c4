"""Facts from a language model.

The model proposes, and what it proposes is checked: the form item by item, the turns and the words
that are to support it, the scope, the date. Whatever it answers, nothing that it wrote is lost: raw
replies go into the log, and what was not taken over is listed with the reason.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from smriti_es.egress import endpoint_of
from smriti_es.events.errors import ExtractionError, InvalidInput
from smriti_es.extraction.chat import Chat
from smriti_es.extraction.chunk_reading import UNREADABLE, ChunkResult, read_chunk
from smriti_es.extraction.contract import DroppedItem, ExtractedFact, Extraction, SourceTurn
from smriti_es.extraction.items import dropped
from smriti_es.extraction.prompts import PROMPT_DIGEST
from smriti_es.extraction.scope_validation import WARNING, ScopeOutcome, ScopeReport
from smriti_es.extraction.turn_chunks import chunk_turns

FACTS_PER_TURN_MAX = 50
_CHUNK_CHARS_MIN = 500
_SHOWN_MAX = 20  # odd things that the details list; all are counted
_COUNTS = ("normalized_predicates", "unreadable_dates", "quotes_replaced")
_WORST_FIRST: tuple[ScopeOutcome, ...] = (
    "retry_failed",
    "retry_parse_failed",
    "rejected",
    "retry_completed",
    "corrected_with_rejections",
    "corrected",
    "not_needed",
)
_SUMMED = (
    "accepted_before_scope",
    "accepted_final",
    "rejected_candidates",
    "validation_rejections",
    "facts_dropped_after_retry",
)


class LLMExtractor:
    """Find facts with a language model; safe to call from any thread.

    A long session is read in chunks that overlap, one after another, with at most two calls each.
    A fact that two chunks hold is given once.

    Args:
        chat: The model, such as a `ChatModel`.
        max_chunk_chars: Characters of turns in a prompt, at least 500.
        overlap_turns: How many turns a chunk repeats from the one before.

    Raises:
        InvalidInput: A number is out of range.
    """

    def __init__(
        self, chat: Chat, *, max_chunk_chars: int = 12_000, overlap_turns: int = 2
    ) -> None:
        if max_chunk_chars < _CHUNK_CHARS_MIN or overlap_turns < 0:
            raise InvalidInput(
                f"max_chunk_chars={max_chunk_chars}, overlap_turns={overlap_turns} cannot work",
                hint=f"Give at least {_CHUNK_CHARS_MIN} characters and no negative overlap.",
            )
        self._chat = chat
        self._max_chunk_chars = max_chunk_chars
        self._overlap_turns = overlap_turns

    @property
    def name(self) -> str:
        """Name and version; kept with every fact."""
        return "llm/1"

    @property
    def model(self) -> str:
        """The model's name, as the service knows it."""
        return self._chat.model

    @property
    def endpoint(self) -> str | None:
        """Where turns are sent, as the model says: what a policy has to allow."""
        return endpoint_of(self._chat)

    @property
    def immediate(self) -> bool:
        """False: a model takes seconds, and `add` does not wait for it."""
        return False

    @property
    def prompt_digest(self) -> str:
        """SHA-256 of all that the model is told besides the turns, 64 hex."""
        return PROMPT_DIGEST

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        """Find facts in turns of one session, in the order in which they were said.

        A chunk whose replies cannot be read gives no facts and is said in `status`. `details` holds
        counts of what had to be set right, and what became of the scopes.

        Args:
            turns: The turns.
            timezone: IANA name of the zone in which days are counted.

        Returns:
            The facts, each with the turns and words that support it.

        Raises:
            ExtractionError: The model is out of reach; or no reply could be read, and then
                `outcome` says why and `replies`, `usage` and `details` hold what there was.
            CallInsideTransaction: A write transaction is open.
        """
        zone = ZoneInfo(timezone)
        source = "\n".join(turn.text for turn in turns)
        chunks = chunk_turns(turns, limit=self._max_chunk_chars, overlap_turns=self._overlap_turns)
        results = [read_chunk(self._chat, chunk, source=source, zone=zone) for chunk in chunks]
        found = _merged(fact for result in results for fact in result.facts)
        merged, surplus = _bounded(found)
        details = _details(turns, results, found, left_out=len(found) - len(merged))
        usage: Counter[str] = sum((result.usage for result in results), Counter())
        replies = tuple(reply for result in results for reply in result.replies)
        if results and all(result.status in UNREADABLE for result in results):
            outcome = results[0].status
            raise ExtractionError(
                f"no reply of the model {self.model} could be read: {outcome}",
                hint="Try a larger model, or one that keeps to JSON; the turns are kept.",
                outcome=outcome,
                replies=replies,
                usage=dict(usage),
                details=details,
            )
        return Extraction(
            facts=merged,
            dropped=(
                *(each for result in results for each in result.dropped),
                *surplus,
                *(each for result in results for each in result.lost),
            ),
            status=_status(results),
            replies=replies,
            usage=dict(usage),
            details=details,
        )


def _merged(facts: Iterable[ExtractedFact]) -> tuple[ExtractedFact, ...]:
    """Give each fact once, supported by all that support it."""
    merged: dict[tuple[object, ...], ExtractedFact] = {}
    for fact in facts:
        key = _key(fact)
        first = merged.setdefault(key, fact)
        if first is not fact:
            by_turn = {each.turn: each for each in (*fact.evidence, *first.evidence)}
            evidence = tuple(by_turn[turn] for turn in sorted(by_turn))
            merged[key] = replace(first, evidence=evidence)
    return tuple(merged.values())


def _bounded(
    facts: Sequence[ExtractedFact],
) -> tuple[tuple[ExtractedFact, ...], tuple[DroppedItem, ...]]:
    """Keep so many facts of each turn: a model that makes up a thousand says nothing of the turn.

    A fact counts for the first turn that supports it.
    """
    counted: Counter[int] = Counter()
    kept: list[ExtractedFact] = []
    for fact in facts:
        turn = fact.evidence[0].turn
        counted[turn] += 1
        if counted[turn] <= FACTS_PER_TURN_MAX:
            kept.append(fact)
    surplus = (
        dropped(
            f"a turn gives more than {FACTS_PER_TURN_MAX} facts",
            {"turn": turn, "left_out": count - FACTS_PER_TURN_MAX},
        )
        for turn, count in counted.items()
        if count > FACTS_PER_TURN_MAX
    )
    return tuple(kept), tuple(surplus)


def _key(fact: ExtractedFact) -> tuple[object, ...]:
    words = (
        " ".join(unicodedata.normalize("NFC", text).casefold().split())
        for text in (fact.subject, fact.predicate, fact.object)
    )
    return (*words, fact.scope, fact.ends, fact.valid_from, fact.valid_to)


def _status(results: Sequence[ChunkResult]) -> str:
    """The worst thing that is to be said of all chunks, in one word."""
    statuses = [result.status for result in results]
    for status in statuses:
        if status in UNREADABLE:
            return status
    if "truncated" in statuses:
        return "truncated"
    scopes = _worst(_reports(results))
    if scopes != "not_needed":
        return scopes
    if "repaired" in statuses:
        return "repaired"
    nothing_good = any(result.items for result in results) and not any(
        result.facts for result in results
    )
    return "all_items_rejected" if nothing_good else "ok"


def _details(
    turns: Sequence[SourceTurn],
    results: Sequence[ChunkResult],
    merged: Sequence[ExtractedFact],
    *,
    left_out: int,
) -> dict[str, Any]:
    reports = _reports(results)
    scopes = [report.to_dict() for report in reports if report.first_invalid]
    invented = [one for result in results for one in result.invented]
    notes = [note for result in results for note in result.notes]
    found = sum(len(result.facts) for result in results)
    details = {
        "chunks": len(results),
        "chunk_statuses": [result.status for result in results],
        "raw_chars": sum(len(reply) for result in results for reply in result.replies),
        "items": sum(result.items for result in results),
        "accepted": len(merged) - left_out,
        "skipped": sum(len(result.dropped) for result in results) + left_out,
        "duplicates_merged": found - len(merged),
        **{name: sum(result.counts[name] for result in results) for name in _COUNTS},
        "invented_turns": len(invented),
        "notes": [*(f"no such turn: {one}" for one in invented), *notes][:_SHOWN_MAX],
        "input_roles": dict(Counter(turn.role for turn in turns)),
        "scopes": scopes,
    }
    if any(report.attempts > 1 for report in reports):
        details["scope_summary"] = _scope_summary(reports)
    return details


def _reports(results: Sequence[ChunkResult]) -> list[ScopeReport]:
    return [result.scopes for result in results if result.scopes is not None]


def _worst(reports: Sequence[ScopeReport]) -> ScopeOutcome:
    outcomes = {report.outcome for report in reports}
    return next((each for each in _WORST_FIRST if each in outcomes), "not_needed")


def _scope_summary(reports: Sequence[ScopeReport]) -> dict[str, Any]:
    """What whoever called is told of a correction, over all chunks."""
    told = [report.to_dict() for report in reports]
    return {
        "outcome": _worst(reports),
        "attempts": max(report.attempts for report in reports),
        **{name: sum(each[name] for each in told) for name in _SUMMED},
        "unresolved_candidates": sum(len(report.unresolved) for report in reports),
        "warning": WARNING,
    }
