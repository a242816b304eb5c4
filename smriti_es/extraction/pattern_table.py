"""All patterns, by the words that call for them."""

from smriti_es.extraction.pattern_form import Pattern
from smriti_es.extraction.pattern_rewriting import forms_of
from smriti_es.extraction.pattern_rows_doing import DOING
from smriti_es.extraction.pattern_rows_home import HOME
from smriti_es.extraction.pattern_rows_people import PEOPLE
from smriti_es.extraction.pattern_rows_tastes import TASTES

PATTERNS: tuple[Pattern, ...] = (*HOME, *PEOPLE, *TASTES, *DOING)


_BY_WORD: dict[str, set[int]] = {}
for _place, _pattern in enumerate(PATTERNS):
    for _word in frozenset[str]().union(*map(forms_of, _pattern.form.triggers)):
        _BY_WORD.setdefault(_word, set()).add(_place)
TRIGGERS = frozenset(_BY_WORD)


def called_for(words: frozenset[str]) -> list[Pattern]:
    """Give the patterns that these words call for, each once, in the order of the table."""
    places = set[int]().union(*(_BY_WORD[word] for word in TRIGGERS & words))
    return [PATTERNS[place] for place in sorted(places)]
