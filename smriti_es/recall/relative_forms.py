"""The forms that speak of a day relative to the day of speaking: English, and `elsewhere`.

Forms are tried in order and an earlier form owns its words, also where it refuses to resolve them:
in "over a year ago today" nobody spoke of today. Left alone on purpose, because they say nothing
sure: "on Friday", bare months, "recently", absolute dates, durations. Source: design page on
recall, "time window".
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from smriti_es.recall import elsewhere, misreadings, relative_spans
from smriti_es.recall.calendar_spans import Span
from smriti_es.recall.calendar_words import (
    FEAST,
    FULL_WEEKDAY,
    MONTH,
    NUMBER,
    PART_OF_DAY,
    SEASON,
    WEEKDAY,
    quantity_of,
)


@dataclass(frozen=True, slots=True)
class Form:
    """One way of saying when.

    Attributes:
        triggers: Words in lower case; text without any of them cannot hold the form.
        pattern: What to look for in folded text.
        resolve: Gives the span; raises OverflowError or ValueError off the calendar.
        refuses: Tells from the text as written that the words mean something else here.
    """

    triggers: frozenset[str]
    pattern: re.Pattern[str]
    resolve: Callable[[re.Match[str], date], Span]
    refuses: Callable[[str, re.Match[str]], bool] = misreadings.never


_WHICH = (
    r"(?P<which>last|this\s+past|(?:this|the)\s+(?:up)?coming|this|next|the\s+past(?=\s+weekend))"
)
_PART = r"(?P<part>earl(?:y|ier)|mid|later?|(?:beginning|start|middle|end)\s+of)"
_SUFFIX = rf"(?:\s+{PART_OF_DAY}\b)?(?:'s\b)?"
_AGO = (
    rf"(?:day|night|morning|evening|week|fortnight|weekend|month|year|decade"
    rf"|{FULL_WEEKDAY}|{SEASON})"
)
_AHEAD = "(?:day|week|fortnight|month|year)"
_RECURRING = rf"{WEEKDAY}|{SEASON}|{FEAST}|{MONTH}"
_WEEKS_AGO = rf"(?P<count>(?:a\s+)?couple(?:\s+of)?|{NUMBER})\s+weeks?\s+ago"
# "Two weeks ago on Friday" is a day; "two years ago Friday" is not.
_WEEKDAY_AFTER = rf"(?:(?<=week\sago)|(?<=weeks\sago)),?\s+(?:on\s+)?(?P<weekday>{FULL_WEEKDAY})\b"


def _form(
    triggers: str,
    pattern: str,
    resolve: Callable[[re.Match[str], date], Span],
    refuses: Callable[[str, re.Match[str]], bool] = misreadings.never,
) -> Form:
    return Form(frozenset(triggers.split()), re.compile(pattern), resolve, refuses)


_ENGLISH = (
    _form(
        "week",
        rf"\b(?P<weekday>{FULL_WEEKDAY}),?\s+(?:(?:of\s+)?{_WHICH}\s+week|{_WEEKS_AGO})\b",
        relative_spans.weekday_of_week,
    ),
    _form(
        "week",
        rf"\b{_WHICH}\s+week,?\s+(?:on\s+)?(?P<weekday>{FULL_WEEKDAY})\b{_SUFFIX}",
        relative_spans.weekday_of_week,
        misreadings.other_week,
    ),
    _form(
        "half",
        rf"\b(?:half\s+a|(?P<before>{NUMBER})\s+and\s+a\s+half"
        rf"|(?P<after>{NUMBER})(?=\s+years?\s+and))\s+years?(?:\s+and\s+a\s+half)?\s+ago\b",
        relative_spans.half_years_ago,
        misreadings.inexact_count,
    ),
    _form(
        "ago",
        rf"\b{quantity_of(_AGO)}\s+ago\b(?:\s+(?P<exact>today|yesterday)\b|{_WEEKDAY_AFTER})?",
        relative_spans.ago,
        misreadings.inexact_count,
    ),
    _form(
        "from",
        rf"\b{quantity_of(_AHEAD)}\s+from\s+(?P<start>now|today|tomorrow)\b(?!\s+on)",
        relative_spans.ahead_of,
        misreadings.inexact_count,
    ),
    _form(
        "week",
        rf"\b(?:a|one)\s+week\s+(?:on|from)\s+(?:next\s+)?(?P<weekday>{FULL_WEEKDAY})\b",
        relative_spans.week_on,
    ),
    _form(
        "last next",
        rf"\b(?:the\s+)?(?P<unit>night|week|weekend|month|year|{FULL_WEEKDAY}|{SEASON})\s+"
        rf"(?:(?P<side>before)\s+last|after\s+next)\b"
        rf"(?!\s+(?:night|week|weekend|month|year|{_RECURRING})\b)",
        relative_spans.second,
    ),
    _form(
        "yesterday today tomorrow night morning noon evening",
        r"\b(?:(?:the\s+)?day\s+(?:(?P<before>before)\s+yesterday|(?P<after>after)\s+tomorrow)"
        rf"|(?:yesterday|tomorrow)(?:\s+{PART_OF_DAY})?|last\s+(?:night|evening)"
        r"|(?:(?:earlier|later)\s+)?(?:today|tonight|this\s+(?:morning|afternoon|evening)))\b(?:'s\b)?",
        relative_spans.named_day,
        misreadings.figurative_day,
    ),
    _form(
        "other",
        rf"\bthe\s+other\s+(?:day|{PART_OF_DAY})\b",
        relative_spans.other_day,
    ),
    _form(
        "last this next coming weekend",
        rf"\b(?:{_PART}[\s-]+)?{_WHICH}\s+(?P<what>week|weekend|month|quarter|year|{_RECURRING})\b{_SUFFIX}",
        relative_spans.determined,
        misreadings.other_determined,
    ),
    _form(
        "day week night month year",
        rf"in(?<=\bin)\s+{quantity_of(_AHEAD)}(?P<time>'?s?'?\s+time\b)?",
        relative_spans.ahead,
        misreadings.duration,
    ),
)
# No word of a text triggers these: `elsewhere.may_hold` tells which of them it can hold.
_OF_OTHER_LANGUAGES = (
    Form(frozenset((elsewhere.CHINESE_DAYS,)), elsewhere.DAY_OF_WEEK, elsewhere.day_of_week),
    *(
        Form(frozenset((language,)), pattern, resolve, elsewhere.counts_only)
        for language, (pattern, resolve) in elsewhere.AGO.items()
    ),
    Form(
        frozenset((elsewhere.PHRASES,)),
        elsewhere.PHRASE,
        elsewhere.meant,
        elsewhere.means_something_else,
    ),
)
FORMS = (*_ENGLISH, *_OF_OTHER_LANGUAGES)
TRIGGERS = tuple(sorted(frozenset[str]().union(*(form.triggers for form in _ENGLISH))))
