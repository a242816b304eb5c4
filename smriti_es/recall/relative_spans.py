"""What the words of a relative form resolve to, seen from the day they were said."""

import re
from datetime import date, timedelta

from smriti_es.projections.lexical.calendar_names import WEEKDAYS
from smriti_es.recall.calendar_spans import (
    Part,
    Span,
    day_of,
    month_of,
    months_later,
    part_of,
    period,
    week_of,
    weekday_after,
    weekday_before,
    yearly_after,
    yearly_around,
    yearly_before,
)
from smriti_es.recall.calendar_words import number, quantity, unit_of, yearly_of

Match = re.Match[str]

_NAMED_DAYS = {"yesterday": -1, "last": -1, "tomorrow": 1}


def back(word: str, anchor: date, count: int) -> Span:
    """Give the `count`-th unit, weekday, season, month or feast of that name before the anchor."""
    if unit := unit_of(word):
        return period(unit[0], anchor, -count * unit[1])
    if word in WEEKDAYS:
        return weekday_before(WEEKDAYS[word], anchor, count)
    return yearly_before(yearly_of(word), anchor, count)


def forward(word: str, anchor: date, count: int) -> Span:
    """Give the `count`-th unit, weekday, season, month or feast of that name after the anchor."""
    if unit := unit_of(word):
        return period(unit[0], anchor, count * unit[1])
    if word in WEEKDAYS:
        return weekday_after(WEEKDAYS[word], anchor, count)
    return yearly_after(yearly_of(word), anchor, count)


def ago(match: Match, anchor: date) -> Span:
    """Resolve "N units ago": the unit that far back, or the range a vague count allows."""
    least, most = quantity(match)
    if match["weekday"]:
        return _weekday_in(period("week", anchor, -least), match["weekday"])
    if match["exact"]:
        anchor -= timedelta(days=match["exact"] == "yesterday")
        return _joined(
            _same_day(match["unit"], anchor, -most), _same_day(match["unit"], anchor, -least)
        )
    return _joined(back(match["unit"], anchor, most), back(match["unit"], anchor, least))


def half_years_ago(match: Match, anchor: date) -> Span:
    """Resolve "half a year ago" and "two and a half years ago" to the month that far back."""
    years = match["before"] or match["after"]
    return month_of(months_later(anchor, -6 - 12 * (number(years) if years else 0)))


def ahead(match: Match, anchor: date) -> Span:
    """Resolve "in N units": the unit that far ahead, or the range a vague count allows."""
    least, most = quantity(match)
    return _joined(forward(match["unit"], anchor, least), forward(match["unit"], anchor, most))


def ahead_of(match: Match, anchor: date) -> Span:
    """Resolve "N units from now" like "in N units", and from today or tomorrow to the day."""
    if match["start"] == "now":
        return ahead(match, anchor)
    anchor += timedelta(days=match["start"] == "tomorrow")
    least, most = quantity(match)
    return _joined(_same_day(match["unit"], anchor, least), _same_day(match["unit"], anchor, most))


def week_on(match: Match, anchor: date) -> Span:
    """Resolve "a week on Tuesday" to the day a week after the coming Tuesday."""
    return forward(match["weekday"], anchor, 2)


def second(match: Match, anchor: date) -> Span:
    """Resolve "the week before last" and "the weekend after next"."""
    step = back if match["side"] == "before" else forward
    return step(match["unit"], anchor, 2)


def named_day(match: Match, anchor: date) -> Span:
    """Resolve yesterday, last night, today, this morning, tomorrow, and the days beyond."""
    if match["before"]:
        offset = -2
    elif match["after"]:
        offset = 2
    else:
        offset = _NAMED_DAYS.get(re.split(r"\W", match[0], maxsplit=1)[0], 0)
    return day_of(anchor + timedelta(days=offset))


def other_day(_match: Match, anchor: date) -> Span:
    """Resolve "the other day" to the seven days before."""
    return Span(anchor - timedelta(days=7), anchor - timedelta(days=1), "span")


def weekday_of_week(match: Match, anchor: date) -> Span:
    """Resolve "Friday of last week", "next week on Tuesday", "Sunday two weeks ago"."""
    count = match.groupdict().get("count")
    if not count:
        offset = _offset(match["which"], "week")
    else:
        offset = -2 if "couple" in count else -number(count)
    return _weekday_in(period("week", anchor, offset), match["weekday"])


def determined(match: Match, anchor: date) -> Span:
    """Resolve last, this and next of a unit, weekday, season, month or feast."""
    what = match["what"]
    offset = _offset(match["which"], what)
    if unit := unit_of(what):
        whole = period(unit[0], anchor, offset)
    elif offset:
        whole = (back if offset < 0 else forward)(what, anchor, 1)
    elif what in WEEKDAYS:
        whole = _weekday_in(week_of(anchor), what)
    else:
        whole = yearly_around(yearly_of(what), anchor)
    return _narrowed(whole, match["part"], anchor) if match["part"] else whole


def named_part(words: str) -> Part:
    """Give the third that "beginning of", "mid", "later" and the like name."""
    if words.startswith("mid"):
        return "mid"
    return "early" if words.startswith(("earl", "beginning", "start")) else "late"


def _weekday_in(week: Span, name: str) -> Span:
    return day_of(week.first + timedelta(days=WEEKDAYS[name]))


def _offset(which: str, what: str) -> int:
    if which == "last" or which.endswith("past"):
        return -1
    # The weekend to come is this week's own; a week, month or year to come is the next one.
    return 1 if which == "next" or (which != "this" and what != "weekend") else 0


def _narrowed(whole: Span, words: str, anchor: date) -> Span:
    if whole.first == whole.last:
        return whole
    if words in ("earlier", "later") and anchor in whole:
        # Inside the running unit they look from today; elsewhere they name its ends.
        first, last = (whole.first, anchor) if words == "earlier" else (anchor, whole.last)
        return Span(first, last, "span")
    return part_of(whole, named_part(words))


def _same_day(word: str, day: date, count: int) -> Span:
    unit, size = unit_of(word) or ("day", 1)
    if unit in ("month", "year"):
        return day_of(months_later(day, count * (12 if unit == "year" else 1)))
    return day_of(day + timedelta(days=count * size * (7 if unit == "week" else 1)))


def _joined(one: Span, other: Span) -> Span:
    return one if one == other else Span(one.first, other.last, "span")
