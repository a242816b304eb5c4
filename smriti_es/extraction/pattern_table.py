"""All patterns, by the words that call for them."""

import re

from smriti_es.extraction.pattern_form import Pattern
from smriti_es.extraction.pattern_rewriting import forms_of
from smriti_es.extraction.pattern_rows_doing import DOING
from smriti_es.extraction.pattern_rows_home import HOME, WORK
from smriti_es.extraction.pattern_rows_people import FAMILY, SELF
from smriti_es.extraction.pattern_rows_tastes import HEALTH, TASTES

PATTERNS: tuple[Pattern, ...] = (*HOME, *WORK, *SELF, *FAMILY, *TASTES, *HEALTH, *DOING)

_WORDS = re.compile(r"[a-z]+")
_BY_WORD: dict[str, list[Pattern]] = {}
for _pattern in PATTERNS:
    for _word in frozenset().union(*map(forms_of, _pattern.triggers)):
        _BY_WORD.setdefault(_word, []).append(_pattern)


def called_for(text: str) -> list[Pattern]:
    """Give the patterns that may match a clause, each once, in the order of the table."""
    words = _BY_WORD.keys() & _WORDS.findall(text.lower())
    if not words:
        return []
    if len(words) == 1:
        return _BY_WORD[words.pop()]
    wanted = {id(pattern) for word in words for pattern in _BY_WORD[word]}
    return [pattern for pattern in PATTERNS if id(pattern) in wanted]
