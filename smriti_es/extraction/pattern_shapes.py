"""Reads what has a shape of its own: ages, birthdays, addresses, languages, vehicles, tools."""

import re
from datetime import date

from smriti_es.extraction.pattern_values import (
    NOTHING,
    Value,
    Values,
    cut,
    listed,
    named,
    one_name,
    with_article,
)
from smriti_es.extraction.pattern_words import NOT_TOOLS, SOFTWARE, VEHICLES
from smriti_es.projections.lexical.calendar_names import MONTHS
from smriti_es.recall.calendar_words import NUMBER, number
from smriti_es.recall.written_dates import written_dates

_A_LEAP_YEAR = date(2000, 12, 31)
_AGES = range(3, 116)


def age(match: re.Match[str]) -> Values:
    """Read an age in years, in digits or in words."""
    words = match["value"].lower()
    if not re.fullmatch(NUMBER, words) or not re.match(r"$|,|\s+(?:and|now|with)\b", match["rest"]):
        return NOTHING
    years = number(words)
    return (Value(str(years)),) if years in _AGES else NOTHING


def birthday(text: str) -> Values:
    """Read a day of the year, and the year if it is said: "14 March", "14 March 1990"."""
    dates = written_dates(text)
    if not dates or re.sub(r"the|on|\W", "", text[: dates[0].start]):
        return NOTHING
    span = dates[0].span(_A_LEAP_YEAR)
    if span is None or span.granularity != "day":
        return NOTHING
    month = next(name for name, number in MONTHS.items() if number == span.first.month)
    year = f" {dates[0].year}" if dates[0].year else ""
    return (Value(f"{span.first.day} {month.title()}{year}"),)


def birth_year(text: str) -> Values:
    """Read the year in which somebody was born."""
    match = re.match(r"((?:19|20)[0-9]{2})(?![-\w'])", text)
    return (Value(match[1]),) if match else NOTHING


def email(text: str) -> Values:
    """Read an email address."""
    match = re.match(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", text)
    return (Value(match[0]),) if match else NOTHING


def phone_number(text: str) -> Values:
    """Read a telephone number."""
    match = re.fullmatch(r"(\+?[0-9][0-9 ()/-]{5,18}[0-9])", text)
    return (Value(match[1]),) if match else NOTHING


_LEVEL = re.compile(
    r"^(?:(?:some|a little(?: bit of)?|a bit of|basic|good|decent|fluent|conversational) )"
    r"| (?:fluently|well|natively|at home|as (?:a|my) (?:second|first|native) language|too|badly)$"
)


def languages(text: str) -> Values:
    """Read one language or several: each is one capitalised word, or two."""
    items = [_LEVEL.sub("", _LEVEL.sub("", item)) for item in listed(cut_names(text))]
    if not items or not all(re.fullmatch(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?", item) for item in items):
        return NOTHING
    return tuple(Value(item) for item in items)


def cut_names(text: str) -> str:
    """Cut off what follows a list of names."""
    return re.sub(r"(?:,)? (?:because|but|so|with|since|though|at|in|for|as well)\b.*", "", text)


_CAR_ADJECTIVES = (
    r"(?:(?:old|new|used|red|blue|black|white|grey|gray|green|silver|second-hand|electric"
    r"|[0-9]{4}) )*"
)
_CAR_WORDS = r"(?:car|truck|van|pickup|motorcycle|motorbike|SUV|minivan|jeep|convertible|hybrid)"


def car(text: str) -> Values:
    """Read what somebody drives: a make, or a kind of vehicle."""
    match = re.match(rf"(?:an? |my |our )(?P<looks>{_CAR_ADJECTIVES})", text)
    rest = text[match.end() :] if match else ""
    kind = re.fullmatch(rf"((?:[a-z]+ )?{_CAR_WORDS})", cut(rest))
    name = kind[1] if kind else one_name(rest)
    if not match or not name or name.startswith("the "):
        return NOTHING
    return (Value(name, with_article(name)),)


def car_sold(match: re.Match[str]) -> Values:
    """Read which car was sold; "my car" is whichever there is."""
    return (Value(one_name(match["value"] or "")),)


_GOODS = (
    r"(?:house|flat|apartment|condo|cabin|cottage|farm|boat|sailboat|car|van|truck|bike|bicycle"
    r"|motorcycle|motorbike|scooter|caravan|guitar|piano|violin|keyboard|telescope|camera|laptop"
    r"|tablet|drone|shop|store|bakery|restaurant|cafe|business|company|studio|garden|kayak|canoe"
    r"|tent|sewing machine|3D printer|e-bike)"
)
_OWNED = re.compile(
    rf"(?:an?|two|three|four|my own|our own) (?P<thing>(?:[\w'-]+ ){{0,3}}?{_GOODS})"
)

_MODEL = re.compile(
    r"[a-z][A-Z]|[0-9]|^(?:Tesla|Toyota|Honda|Volvo|Ford|BMW|Audi|Ferrari|Fairphone)\b"
)


def bought(text: str) -> Values:
    """Read something lasting that somebody bought: a house, an "iPhone 15", but not "a Coke"."""
    found = possession(text)
    lasts = found and (_OWNED.match(text) or _MODEL.search(found[0].object))
    return found if lasts else NOTHING


def possession(text: str) -> Values:
    """Read something lasting that somebody owns: a house, a boat, anything with a make."""
    whole = cut(re.sub(r" (?:in|on|near|for|from|with|that|which|called|downtown)\b.*", "", text))
    match = _OWNED.fullmatch(whole)
    if match and not re.search(r"\b(?:toy|model|share|part|rental|other)\b", whole):
        return (Value(match["thing"], whole.replace("my own", "a").replace("our own", "a")),)
    article = re.match(r"an? (?:(?:new|used|second-hand|old) )?", text)
    name = one_name(text[article.end() :]) if article else ""
    return (Value(name, with_article(name)),) if name else NOTHING


_USED_FOR = re.compile(
    r"$|[,;]|(?:and|but|because|so|to|at|with|on|every day|daily|instead of|as my"
    r"|for (?!this|that|it))\b"
)


def tool(text: str) -> Values:
    """Read software or a thing with a make: "Obsidian", "vim for notes", "a Kindle"."""
    text = re.sub(r"^(?:an? |the |my )(?=[A-Z])", "", text)
    name, rest = named(text, 4)
    word = re.match(r"[\w+#.-]+", text)
    if not name and word and word[0] in SOFTWARE:
        name, rest = word[0], text[word.end() :].strip()
    if (
        not name
        or name.split(" ")[0].lower().removesuffix("s") in NOT_TOOLS
        or not _USED_FOR.match(rest)
        or re.match(r"and (?:[A-Z]|\w+$)", rest)
    ):
        return NOTHING
    return (Value(name),)


_SURE_TOOL = re.compile(r"[a-z][A-Z]|[0-9]|[A-Z]{2}")


def tools_switched(match: re.Match[str], which: str) -> Values:
    """Read the old or the new tool; one of the two must be known to be one."""
    both = [tool(match[name]) for name in ("old", "new") if match.groupdict().get(name)]
    said = [found[0].object for found in both if found]
    sure = any(name.lower() in SOFTWARE or _SURE_TOOL.search(name) for name in said)
    return tool(match[which]) if sure and all(both) else NOTHING


def tool_old(match: re.Match[str]) -> Values:
    """Read the tool that was given up for another."""
    return tools_switched(match, "old")


def tool_new(match: re.Match[str]) -> Values:
    """Read the tool that somebody went over to."""
    return tools_switched(match, "new")


def vehicle(match: re.Match[str]) -> Values:
    """Read what somebody takes to get somewhere; nobody takes the walk to work."""
    return NOTHING if match["ride"].lower() in ("walk", "drive", "run", "jog") else ride(match)


def ride(match: re.Match[str]) -> Values:
    """Read what somebody commutes by."""
    means = VEHICLES.get(match["ride"].lower())
    return (Value(means),) if means else NOTHING
