"""Read one chunk of a session with a model: one call, and a second one where it mends something."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from smriti_es.extraction.chat import Chat, Message
from smriti_es.extraction.contract import DroppedItem, ExtractedFact
from smriti_es.extraction.items import ItemReader, dropped
from smriti_es.extraction.json_reply import ItemsReply, read_items
from smriti_es.extraction.prompts import (
    correction_messages,
    extraction_messages,
    repair_messages,
)
from smriti_es.extraction.scope_validation import RejectedScope, ScopeReport, correct_scopes
from smriti_es.extraction.turn_chunks import ShownTurn, rendered

# A model that repeats itself until it is stopped should not fill the memory.
ITEMS_MAX = 500
UNREADABLE = frozenset({"malformed", "wrong_shape", "schema_echo", "broken_off"})


@dataclass(slots=True)
class ChunkResult:
    """What became of a chunk.

    Attributes:
        status: ok, repaired (by a second call), truncated (only the first facts could be read), or
            why nothing could be read: malformed, wrong_shape, schema_echo, broken_off.
        facts: What was found.
        dropped: What was left out.
        lost: What was left out of the facts: dates and quotes that are none.
        items: How many items the replies listed.
        replies: Raw, in order.
        usage: Sums over the replies.
        counts: What had to be set right.
        invented: References to turns that do not exist.
        notes: What was odd about the JSON.
        scopes: What became of the scopes; None when nothing could be read.
    """

    status: str = "ok"
    facts: tuple[ExtractedFact, ...] = ()
    dropped: list[DroppedItem] = field(default_factory=list)
    lost: tuple[DroppedItem, ...] = ()
    items: int = 0
    replies: list[str] = field(default_factory=list)
    usage: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    invented: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    scopes: ScopeReport | None = None


def read_chunk(chat: Chat, chunk: Sequence[ShownTurn], *, source: str, zone: tzinfo) -> ChunkResult:
    """Find the facts of a chunk, with two calls at most.

    The second call goes to a reply that cannot be read, else to scopes without evidence.

    Args:
        chat: The model.
        chunk: What it is shown.
        source: All that was said in the session, for the check of scopes.
        zone: Where days are counted.

    Raises:
        ExtractionError: The model is out of reach.
    """
    return _ChunkReading(chat, chunk, source, zone).run()


class _ChunkReading:
    def __init__(self, chat: Chat, chunk: Sequence[ShownTurn], source: str, zone: tzinfo) -> None:
        self._chat = chat
        self._turns = rendered(chunk, zone)
        self._source = source
        self._items = ItemReader({shown.number: shown.turn for shown in chunk}, zone)
        self._result = ChunkResult()

    def run(self) -> ChunkResult:
        result = self._result
        status, listed = self._ask(extraction_messages(self._turns))
        readable = status not in UNREADABLE
        if not readable:
            status, listed = self._ask(repair_messages(self._turns, result.replies[-1], status))
            if status in UNREADABLE:
                result.status = status
                return result
        result.status = status if readable or status != "ok" else "repaired"
        facts = self._facts(listed)
        ask_again = self._corrected if readable else None
        result.facts, result.scopes = correct_scopes(
            facts, source=self._source, ask_again=ask_again
        )
        for each in (*result.scopes.second_invalid, *result.scopes.unresolved):
            result.dropped.append(_dropped_scope(each))
        result.lost = tuple(self._items.lost)
        result.counts = self._items.counts
        result.invented = self._items.invented
        return result

    def _corrected(self, rejected: Sequence[RejectedScope]) -> list[ExtractedFact] | None:
        reply = self._result.replies[-1]
        status, listed = self._ask(correction_messages(self._turns, reply, rejected))
        return None if status in UNREADABLE else self._facts(listed)

    def _ask(self, messages: Sequence[Message]) -> tuple[str, ItemsReply]:
        """Get a reply, record it, and say how far it could be read."""
        reply = self._chat.complete(messages, json_mode=True)
        self._result.replies.append(reply.text)
        self._result.usage.update(reply.usage)
        listed = read_items(reply.text)
        self._result.notes += listed.notes
        cut_off = listed.status == "truncated" or reply.finish_reason == "length"
        if cut_off and not listed.items and listed.status in ("ok", "truncated"):
            return "broken_off", listed
        return listed.status, listed

    def _facts(self, listed: ItemsReply) -> list[ExtractedFact]:
        facts = []
        self._result.items += len(listed.items)
        for item in listed.items[:ITEMS_MAX]:
            read = self._items.read(item)
            if isinstance(read, ExtractedFact):
                facts.append(read)
            else:
                self._result.dropped.append(read)
        if surplus := listed.items[ITEMS_MAX:]:
            reason = f"a reply lists more than {ITEMS_MAX} items"
            self._result.dropped.append(dropped(reason, {"left_out": len(surplus)}))
        return facts


def _dropped_scope(rejected: RejectedScope) -> DroppedItem:
    item: Mapping[str, Any] = {"statement": rejected.statement, "scope": rejected.scope}
    return dropped(f"its scope: {rejected.reason}", item)
