"""Who somebody is in a memory: the names that it knows, and where one of them stands in a text.

Whoever asks what is held on them is better served by a line too many than by one too few: a name
counts wherever it stands as words of its own, in any spelling that compares equal.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, Final

from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.key_form import key_form
from smriti_es.projections.speakers import GENERIC_NAMES, speaker_in_text

_ELLIPSIS: Final = "[…]"
_SENTENCE_ENDS: Final = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])\s*|\n+")
# Before and after a name stands no letter and no digit.
_NOT_WITHIN_A_WORD: Final = (r"(?<![^\W_])", r"(?![^\W_])")


@dataclass(frozen=True)
class Person:
    """Somebody, or something, by every name that the memory knows.

    Attributes:
        names: The names in key form.
    """

    names: frozenset[str]

    def says(self, turn: TurnRecorded) -> bool:
        """Tell whether they said a turn; one without a speaker's name is that of its role."""
        speaker = turn.name or speaker_in_text(turn.text) or turn.role
        return key_form(speaker) in self.names

    def is_one_of(self, names: Iterable[str]) -> bool:
        """Tell whether one of some names is theirs."""
        return any(key_form(name) in self.names for name in names)

    def is_named_in(self, value: Any) -> bool:
        """Tell whether any text in a value names them; names of roles are nobody's in a text."""
        pattern = self._pattern
        return pattern is not None and any(
            pattern.search(key_form(text)) is not None for text in texts_in(value)
        )

    def sentences_in(self, text: str) -> str:
        """Give the sentences of a text that name them; `[…]` stands for what is left out."""
        sentences = [each for each in _SENTENCE_ENDS.split(text) if each.strip()]
        naming: set[int] = set()
        # A name may hold points, at which sentences were parted that are one.
        for width in range(1, 2 + max(name.count(".") for name in self.names)):
            for at in range(len(sentences) - width + 1):
                together = set(range(at, at + width))
                if not naming & together and self.is_named_in(" ".join(sentences[at : at + width])):
                    naming |= together
        shown: list[str] = []
        for at, each in enumerate(sentences):
            if at in naming:
                shown.append(each)
            elif not shown or shown[-1] != _ELLIPSIS:
                shown.append(_ELLIPSIS)
        return " ".join(shown)

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        named = sorted(self.names - GENERIC_NAMES, key=len, reverse=True)
        return re.compile("|".join(map(_as_words, named))) if named else None


def texts_in(value: Any) -> Iterator[str]:
    """Give every text in a value of maps, lists and dataclasses, keys of maps included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield name
            yield from texts_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from texts_in(each)
    elif is_dataclass(value):
        for item in fields(value):
            yield from texts_in(getattr(value, item.name))


def _as_words(name: str) -> str:
    """Write a name as words of their own, where its script parts words by spaces.

    Letters that have no capitals (Chinese, Thai, but also Hebrew and Arabic, whose small words
    lean on the next one) may stand within a longer run.
    """
    before, after = _NOT_WITHIN_A_WORD
    first, last = (unicodedata.category(each) == "Lo" for each in (name[0], name[-1]))
    return f"{'' if first else before}{re.escape(name)}{'' if last else after}"
