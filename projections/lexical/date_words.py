"""Does a text name a date at all? And is its "may" a month or a verb?"""

import re

from smriti_es.projections.lexical.calendar_names import MONTHS, SHORT_MONTHS, WEEKDAYS, one_of

VERBS = frozenset(("may", "march"))  # months that are verbs far more often in lower case
_PLAIN_MONTHS = one_of(*(name for name in MONTHS if name not in VERBS))
_DAYS = one_of(*(name for name in WEEKDAYS if name.endswith("day")))
_SHORT = one_of(*(name.title() for name in SHORT_MONTHS))

# Looked for in lower case: to ignore the case while looking costs thrice as much.
_DATE_WORD = re.compile(
    rf"\b(?:(?:19|20)[0-9]{{2}}|{_PLAIN_MONTHS}|{_DAYS}|weekends?|yesterday|tomorrow|tonight|today|ago"
    r"|last\s+(?:week|month|year|night))\b",
)
_SHORT_MONTH = re.compile(
    rf"\b(?:{_SHORT}\b|(?i:[0-9](?:st|nd|rd|th)?\s+{_SHORT}\b|{_SHORT}\.?\s+[0-9]))"
)
_WORDS = re.compile(r"[a-z]+|(?:19|20)[0-9]{2}")
_TRIGGERS = frozenset(
    {*MONTHS, *SHORT_MONTHS, *WEEKDAYS, "weekend", "weekends", "yesterday", "tomorrow"}
    | {"tonight", "today", "ago", "last"}
    | {str(year) for year in range(1900, 2100)}
)
_VERB_MONTH = re.compile(r"\b(?:may|march)\b", re.IGNORECASE)

# What comes before a month and not before a verb ("to march" and "this may" are left out).
_MONTH_LEFT = re.compile(
    r"(?:\b(?:in|on|by|of|since|until|till|from|during|before|after|between|early|mid|late|last|next)[\s-]+"
    r"|[0-9](?:st|nd|rd|th)?\s+(?:of\s+)?)$",
    re.IGNORECASE,
)
_MONTH_RIGHT = re.compile(r",?\s+(?:[0-9]{4}|[0-9]{1,2}(?:st|nd|rd|th))\b", re.IGNORECASE)
_MONTH_RIGHT_OF_NAME = re.compile(r"\s+(?:[0-9]|(?:is|was|of)\b)|\s*[,.?!;:)]|\s*$")
_MID_SENTENCE = re.compile(r"[\w,]\s+$")


def mentions_a_date(text: str) -> bool:
    """Tell whether a text names a date: a year, month or weekday, or a word such as "yesterday".

    "May" and "march" count only where they read as months.
    """
    # Every turn comes through here, and most hold none of these words at all.
    lowered = text.lower()
    if _TRIGGERS.isdisjoint(_WORDS.findall(lowered)):
        return False
    if _DATE_WORD.search(lowered) or _SHORT_MONTH.search(text):
        return True
    return any(is_month(text, found.start(), found.end()) for found in _VERB_MONTH.finditer(text))


def is_month(text: str, start: int, end: int) -> bool:
    """Tell a month called May or March from the verb, by its neighbours and its capital.

    Args:
        text: The text as written.
        start: Offset of the name.
        end: Offset after it.
    """
    left = text[max(0, start - 20) : start]
    if _MONTH_LEFT.search(left) or _MONTH_RIGHT.match(text, end):
        return True
    if text[start:end] not in ("May", "March"):
        return False
    if _MONTH_RIGHT_OF_NAME.match(text, end):
        return True
    return bool(_MID_SENTENCE.search(left))
