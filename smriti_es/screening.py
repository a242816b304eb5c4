"""What is done to text as it comes in: contexts of ours go, credentials go, chatter is left out.

In this order: a message loses the contexts that `context` once gave (see `recall.own_context`),
then its credentials, wherever in it they stand; what is left of its text may then fit a pattern
that is to be ignored. What tells things apart, a session's name or a message's id, is never
changed: one that holds a credential is refused.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Final, TypeVar

from smriti_es.captured import Turn
from smriti_es.checked_values import Place
from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.catalogue.event import Event
from smriti_es.events.errors import InvalidInput
from smriti_es.recall.own_context import may_hold_own_context, without_own_context
from smriti_es.redaction import Redacted, Redactor, compiled
from smriti_es.text_walk import NestedTooDeep, map_texts

_T = TypeVar("_T")


@dataclass(slots=True)
class Tally:
    """What was taken out of the messages of one call.

    Attributes:
        redacted: Kind of credential -> how many.
        stripped: How many contexts of ours.
    """

    redacted: Redacted = field(default_factory=Counter)
    stripped: int = 0


@dataclass(frozen=True, slots=True)
class Screening:
    """What an engine does to the text that comes in.

    Attributes:
        redactor: Takes credentials out, or None.
        ignored: Turns whose text one of these fits somewhere are not stored.
    """

    redactor: Redactor | None = None
    ignored: tuple[re.Pattern[str], ...] = ()

    @property
    def of_events(self) -> Callable[[Event], Event] | None:
        """What is done to every event before it is written, whoever records it; None: nothing."""
        return None if self.redactor is None else self.redactor.fields_of

    def message(self, message: _T, index: int, tally: Tally) -> _T:
        """Clean a message before it is read, whatever its form.

        Raises:
            InvalidInput: Its id holds a credential.
        """
        if isinstance(message, str):
            return self.text(message, tally)  # type: ignore[return-value]
        if isinstance(message, Turn):
            given: Mapping[str, Any] = {each.name: getattr(message, each.name) for each in _FIELDS}
        elif isinstance(message, Mapping):
            given = message
        else:
            return message
        if self.redactor is None and not _may_hold_context(given):
            return message
        cleaned = self._cleaned(given, index, tally)
        if cleaned is given:
            return message
        return replace(message, **cleaned) if isinstance(message, Turn) else cleaned  # type: ignore[return-value]

    def text(self, text: str, tally: Tally | None = None) -> str:
        """Clean a text; the same object comes back where nothing is found."""
        tally = Tally() if tally is None else tally
        left = _without_contexts(text, tally)
        return left if self.redactor is None else self.redactor.text(left, tally.redacted)

    def value(self, value: _T, tally: Tally | None = None) -> _T:
        """Take credentials out of tags, metadata and the like."""
        if self.redactor is None:
            return value
        cleaned: _T = self.redactor.value(value, None if tally is None else tally.redacted)
        return cleaned

    def fact(self, event: FactAsserted) -> FactAsserted:
        """Take credentials out of a statement of fact, before its id is derived from it."""
        return event if self.redactor is None else self.redactor.fields_of(event)

    def checked_name(self, name: _T, place: Place) -> _T:
        """Refuse a name that holds a credential; it cannot be changed without being another.

        Raises:
            InvalidInput: It does.
        """
        found: Redacted = Counter()
        if self.redactor is not None and isinstance(name, str):
            self.redactor.text(name, found)
        if found:
            raise place.refusal(
                f"holds a credential ({', '.join(sorted(found))})",
                "Give it another name; what tells things apart is not redacted.",
            )
        return name

    def ignored_by(self, text: str) -> str | None:
        """Give the first pattern that says a turn is not to be stored, or None."""
        for pattern in self.ignored:
            if pattern.search(text):
                return pattern.pattern
        return None

    def _cleaned(self, given: Mapping[str, Any], index: int, tally: Tally) -> Mapping[str, Any]:
        stripped = partial(_without_contexts, tally=tally)
        self.checked_name(given.get("id"), Place("id", index))
        try:
            left = {
                key: value if _is_left(key, value) else map_texts(value, stripped)
                for key, value in given.items()
            }
            same = all(left[key] is value for key, value in given.items())
            return self.value(given if same else left, tally)
        except NestedTooDeep:
            return given  # whoever reads it refuses it, and can say where


_FIELDS: Final = fields(Turn)
_CONTENT: Final = frozenset({"content", "parts"})
_LABELS: Final = frozenset(
    {"role", "name", "timestamp", "id", "tags", "metadata", "kind", "origin", "tool_call_id"}
)
NO_SCREENING: Final = Screening()


def _without_contexts(text: str, tally: Tally) -> str:
    left, count = without_own_context(text)
    tally.stripped += count
    return left


def _is_left(key: str, value: object) -> bool:
    """Tell labels, which say nothing, and the parts of a content, which are read together first."""
    return key in _LABELS or (key in _CONTENT and isinstance(value, (list, tuple)))


def _may_hold_context(message: Mapping[str, Any]) -> bool:
    for key, value in message.items():
        if isinstance(value, str):
            if may_hold_own_context(value) and key not in _LABELS:
                return True
        elif isinstance(value, (list, tuple, Mapping)) and not _is_left(key, value):
            return True
    return False


def ignoring(patterns: object) -> tuple[re.Pattern[str], ...]:
    """Compile what `Engine.open(ignore=...)` names.

    Raises:
        InvalidInput: It is no list of regular expressions, or one of them fits everywhere.
    """
    if isinstance(patterns, str) or not isinstance(patterns, Sequence):
        raise InvalidInput(
            f"ignore is of type {type(patterns).__name__}",
            hint=r'Give a list of regular expressions, such as [r"^HEARTBEAT\b"].',
            field="ignore",
        )
    return tuple(compiled(each, f"ignore: {each!r}", "ignore") for each in patterns)
