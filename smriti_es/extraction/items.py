"""One item of a model's reply becomes a fact, or is left out for a reason."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Literal

from smriti_es.events.instants import Precision
from smriti_es.extraction.contract import DroppedItem, ExtractedFact, SourceTurn
from smriti_es.extraction.evidence import EvidenceFinder
from smriti_es.extraction.json_reply import STATEMENT_KEYS, is_schema
from smriti_es.extraction.predicates import normal_relation, says_one_value, snake_case
from smriti_es.extraction.scope_validation import normal_scope
from smriti_es.extraction.world_time import WorldTime, read_world_time

KINDS = frozenset({"profile", "preference", "event", "knowledge"})
# What is said without a usable triple: kept as a statement that no other one supersedes.
STATED = "stated"

_LENGTHS_MAX = {"subject": 200, "predicate": 100, "object": 1000}
_STATEMENT_LENGTH_MAX = 2000
_WORDS_MAX, _WORD_LENGTH_MAX = 32, 200
_SHOWN_LENGTH_MAX = 500
_HOLDS_STILL = frozenset({"", "false", "no", "none", "null", "still", "present", "ongoing"})
_NO_TIME = frozenset({"none", "null", "unknown", "n/a"})
_HOLDS_NO_LONGER = frozenset({"true", "yes"})
_UNTIL = re.compile(r"(?:until|till?|up\s+to|by|before|on|in|at)\s+", re.IGNORECASE)
# What half of a surrogate pair becomes when a reply is read.
_BROKEN = "\ufffd"
_UNREADABLE = "could not be read as a time"
_AHEAD = re.compile(r"(?:plan|will_|intend|schedul|upcoming|appointment|deadline|due_|going_to)")


@dataclass(frozen=True, slots=True)
class _Dates:
    valid_from: int | None = None
    valid_to: int | None = None
    precision: Precision = "unknown"
    text: str | None = None
    ends: bool = False


class ItemReader:
    """Reads the items that a model made of some turns.

    Args:
        turns: What it was shown, by number.
        zone: Where days are counted.

    Attributes:
        counts: How often something had to be set right: normalized_predicates, unreadable_dates,
            quotes_replaced.
        invented: References to turns that do not exist.
        lost: Members that were not taken over of items that were, each once.
    """

    def __init__(self, turns: Mapping[int, SourceTurn], zone: tzinfo) -> None:
        self.counts: Counter[str] = Counter()
        self.invented: list[str] = []
        self.lost: dict[DroppedItem, None] = {}
        self._evidence = EvidenceFinder(turns)
        self._zone = zone

    def read(self, item: Any) -> ExtractedFact | DroppedItem:
        """Read an item: an object in the form that the prompt asks for, or a bare sentence."""
        members = {"statement": item} if isinstance(item, str) else item
        if not isinstance(members, dict):
            return dropped(f"it is no object but {_kind_of(item)}", item)
        if is_schema(members):
            return dropped("it is a form that was not filled in", item)
        statement = next(filter(None, (_text(members.get(key)) for key in STATEMENT_KEYS)), "")
        if not statement:
            return dropped("it has no statement", item)
        if len(statement) > _STATEMENT_LENGTH_MAX:
            return dropped("its statement is too long", item)
        if problem := _wrong_type(members):
            return dropped(problem, item)
        return self._fact(members, statement)

    def _fact(self, members: Mapping[str, Any], statement: str) -> ExtractedFact | DroppedItem:
        triple = self._triple(members, statement)
        if isinstance(triple, str):
            return dropped(triple, members)
        subject, predicate, value = triple
        quote = _text(members.get("quote"))
        support = self._evidence.support(members.get("turns"), quote, f"{statement} {value}")
        self.invented += support.invented
        if not support.evidence:
            reason = "the turns it names do not exist" if support.invented else "no turn says so"
            return dropped(reason, members)
        self.counts["quotes_replaced"] += support.quote_replaced
        if support.quote_replaced or _is_no_text(members.get("quote")):
            self._lose("quote", "stands in no turn, other words took its place", members)
        dates = self._dates(members, predicate, support.said_at)
        kind = _text(members.get("kind")).casefold()
        return ExtractedFact(
            subject=subject,
            predicate=predicate,
            object=value,
            statement=statement,
            evidence=support.evidence,
            scope=normal_scope(members.get("scope") or ""),
            kind=kind if kind in KINDS else "knowledge",
            valid_from=dates.valid_from,
            valid_to=dates.valid_to,
            precision=dates.precision,
            time_text=dates.text,
            entities=_words(members.get("entities")),
            search_keys=_words(members.get("search_keys")),
            single=says_one_value(predicate),
            ends=dates.ends,
        )

    def _triple(self, members: Mapping[str, Any], statement: str) -> tuple[str, str, str] | str:
        """Subject, predicate and object in their usual form, or why there is no such triple."""
        said = {name: _text(members.get(name)) for name in _LENGTHS_MAX}
        for name, limit in _LENGTHS_MAX.items():
            if len(said[name]) > limit:
                return f"its {name} is too long"
        for name, text in (*said.items(), ("statement", statement)):
            if _BROKEN in text:
                return f"its {name} holds what is no character"
        subject = said["subject"] or "user"
        if not snake_case(said["predicate"]) or not said["object"]:
            return subject, STATED, statement
        relation = normal_relation(said["predicate"], said["object"])
        if relation is None:
            return "its attitude is neither positive nor negative"
        self.counts["normalized_predicates"] += relation[0] != snake_case(said["predicate"])
        return subject, *relation

    def _dates(self, members: Mapping[str, Any], predicate: str, said_at: int) -> _Dates:
        prefer: Literal["past", "future"] = "future" if _AHEAD.match(predicate) else "past"
        began = self._time(members, "event_date", said_at, prefer)
        ended = _text(members.get("ended"))
        if ended.casefold() in _HOLDS_STILL:
            if _is_no_text(members.get("ended")):
                self._lose("ended", _UNREADABLE, members)
            return _Dates(began.at, None, began.precision, began.text)
        if ended.casefold() in _HOLDS_NO_LONGER:
            return _Dates(None, began.at, began.precision, began.text, ends=True)
        end = self._time(members, "ended", said_at, prefer)
        told = ended if began.text is None else f"{began.text} - {ended}"
        lasted = began.at is not None and end.at is not None and began.at < end.at
        still_holds = end.at is not None and end.at > said_at
        if lasted or (still_holds and began.at is None):
            return _Dates(began.at, end.at, began.precision, told)
        return _Dates(None, end.at, end.precision, told, ends=True)

    def _time(
        self,
        members: Mapping[str, Any],
        name: str,
        said_at: int,
        prefer: Literal["past", "future"],
    ) -> WorldTime:
        words = _text(members.get(name))
        words = _UNTIL.sub("", words, count=1) if name == "ended" else words
        given = None if words.casefold() in _NO_TIME else words or None
        time = read_world_time(given, said_at=said_at, zone=self._zone, prefer=prefer)
        unreadable = time.text is not None and time.at is None
        self.counts["unreadable_dates"] += unreadable
        if unreadable or _is_no_text(members.get(name)):
            self._lose(name, _UNREADABLE, members)
        return time

    def _lose(self, name: str, why: str, members: Mapping[str, Any]) -> None:
        statement = next(filter(None, (_text(members.get(key)) for key in STATEMENT_KEYS)), "")
        shown = {name: members[name], "statement": statement}
        self.lost[dropped(f"its {name} {why}; the rest of it was kept", shown)] = None


def dropped(reason: str, item: Any) -> DroppedItem:
    """Say that an item is left out, and why, with as much of it as is good to keep."""
    shown = json.dumps(item, ensure_ascii=False, default=str)
    return DroppedItem(reason, shown[:_SHOWN_LENGTH_MAX])


def _wrong_type(members: Mapping[str, Any]) -> str:
    """Name the member whose type makes the item doubtful as a whole; "" for none."""
    for name in ("entities", "search_keys"):
        if not isinstance(members.get(name), list | None):
            return f"its {name} are no list"
    for name in ("subject", "predicate", "object"):
        if isinstance(members.get(name), list | dict):
            return f"its {name} is no text"
    return "" if isinstance(members.get("scope"), str | None) else "its scope is no text"


def _is_no_text(value: object) -> bool:
    """Tell what no reading makes words of: a list, an object."""
    return isinstance(value, list | dict)


def _kind_of(item: object) -> str:
    names = {list: "a list", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(item), "nothing")


def _words(values: Sequence[object] | None) -> tuple[str, ...]:
    texts = (_text(value) for value in values or ())
    fitting = dict.fromkeys(text for text in texts if 0 < len(text) <= _WORD_LENGTH_MAX)
    return tuple(fitting)[:_WORDS_MAX]


def _text(value: object) -> str:
    """A text on one line, without control characters; numbers as text; "" for anything else."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str):
        return ""
    visible = "".join(" " if unicodedata.category(char) == "Cc" else char for char in value)
    return " ".join(visible.split())
