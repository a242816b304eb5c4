"""What to ask next: the names that the best hits brought up and the question did not have.

Evidence for a question is often two steps away: one turn names somebody, another tells of them.
Names are told by their spelling, so this finds none in scripts without capitals.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from smriti_es.projections.lexical.analysis import query_terms

_NAMES_MAX: Final = 5
# A word with a capital that does not begin a sentence, and those that follow it likewise.
_NAME: Final = re.compile(r"(?<=[a-z0-9,;:'\")] )[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")


def further_terms(
    texts: Iterable[str], names: Iterable[str], known: Collection[str]
) -> Sequence[str]:
    """Give the terms of the names in texts and facts, those first that occur most often.

    Args:
        texts: What the best turns say.
        names: The names in the best facts.
        known: Terms that are no news: those of the question, and of whoever speaks.

    Returns:
        At most so many as five names have, each once.
    """
    counted: Counter[str] = Counter(names)
    for text in texts:
        # Each once a text, in their order: what occurs equally often must not change places.
        counted.update(list(dict.fromkeys(match[0] for match in _NAME.finditer(text))))
    found: dict[str, None] = {}
    taken = 0
    for name, _ in counted.most_common():
        fresh = [term for term in query_terms(name) if term not in known]
        if fresh and taken < _NAMES_MAX:
            taken += 1
            found.update(dict.fromkeys(fresh))
    return list(found)
