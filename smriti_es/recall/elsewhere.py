"""Days relative to the day of speaking, and written dates, in languages other than English.

Nothing says which language a text is in, so only words are read that mean one thing in all of them.
The words themselves are in `words_elsewhere`. Source: design page on recall, "time window".
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from datetime import date, timedelta
from typing import get_args

from smriti_es.recall import words_elsewhere as words
from smriti_es.recall.calendar_spans import Span, Unit, day_of, period

Match = re.Match[str]

_UNSPACED = frozenset(("Chinese", "Japanese", "Korean", "Thai"))
# A word ends where no letter and no mark goes on; Python counts the marks of Devanagari as neither.
_START, _END = r"(?<![\w\u0300-\u036f\u0900-\u097f])", r"(?![\w\u0300-\u036f\u0900-\u097f])"
_ACCENTS = re.compile("[\u0300-\u036f]")
# Accents are often not typed; in a short word they may be what makes it this word.
_PLAIN_LENGTH_MIN = 5
_COUNT_MAX = 400

# What makes something else of a word, by the word.
_LEFT = {
    "morgen": re.compile(
        r"(?:\b(?:guten|heute|gestern|am|jeden|eines|diesen|goede|goeden)\s+|'s\s+)$"
    ),
    "mañana": re.compile(r"\b(?:la|esta|cada|una|buena|toda|ayer|hoy)\s+$"),
    "前天": re.compile("[以之目先]$"),
    "后天": re.compile("[以之然先]$"),
    "後天": re.compile("[以之然先]$"),
    "明天": re.compile("[聪聰透光文说證证]$"),
    "明日": re.compile("[聡透光文説]$"),
    "前年": re.compile("[0-9一二三四五六七八九十两几数以之]$"),
    "本月": re.compile("[0-9日基]$"),
}
_RIGHT = {
    "明日": re.compile("香|菜"),
    "前天": re.compile("气|氣"),
    "今日": re.compile("は[!！。]"),
    "오늘": re.compile("날"),
    "그저께": re.compile("야"),
}
# "Hier" is yesterday in French and here in German.
_FRENCH = re.compile(
    r"\b(?:je|nous|vous|il|elle|on|les|des|du|une|est|avec|dans|pour|soir|matin|mon|ma)\b|\bj'"
)
_GERMAN = re.compile(r"\b(?:ist|sind|der|die|das|und|wir|ich|gibt|nicht|kein|war|wo|was)\b")
# "Il y a 7 jours dans une semaine", "hace dos días que no duermo" count and do not date.
_COUNTS = re.compile(r"\s+(?:dans|que)\b")


def plain(text: str) -> str:
    """Give a phrase as it is looked up: without accents, blanks of one kind."""
    return _ACCENTS.sub("", " ".join(unicodedata.normalize("NFKD", text).split()))


def _letters(phrase: str) -> str:
    """Give a pattern for a phrase, however its accents are written."""
    pieces = []
    for character in phrase:
        taken_apart = unicodedata.normalize("NFD", character)
        if character == " ":
            pieces.append(r"\s+")
        elif len(taken_apart) > 1 and _ACCENTS.search(taken_apart):
            base = "" if len(phrase) < _PLAIN_LENGTH_MIN else f"|{taken_apart[0]}"
            pieces.append(f"(?:{character}|{taken_apart}{base})")
        else:
            pieces.append(re.escape(character))
    return "".join(pieces)


def _any_of(phrases: list[str]) -> str:
    return "|".join(_letters(phrase) for phrase in sorted(phrases, key=len, reverse=True))


def _lines(language: str) -> Iterator[tuple[str, Unit, int]]:
    for line in words.PHRASES[language].strip().splitlines():
        what, _, phrases = line.strip().partition(": ")
        unit, offset = what.split()
        found = next(each for each in get_args(Unit) if each == unit)
        yield from ((phrase.strip(), found, int(offset)) for phrase in phrases.split(","))


_MEANT = {
    plain(phrase): (unit, offset)
    for language in words.PHRASES
    for phrase, unit, offset in _lines(language)
}


def _phrases(*, spaced: bool) -> list[str]:
    return [
        phrase
        for language in words.PHRASES
        if (language not in _UNSPACED) == spaced
        for phrase, _, _ in _lines(language)
    ]


_SPACED, _CLOSE = _phrases(spaced=True), _phrases(spaced=False)
_WEEKS = [phrase for phrase, unit, _ in _lines("Chinese") if unit == "week"]
_WEEKDAYS = "一二三四五六日天"

PHRASE = re.compile(f"{_START}(?:{_any_of(_SPACED)}){_END}|{_any_of(_CLOSE)}")
# "上周五" is the Friday of last week; "上周三个人" is three people.
DAY_OF_WEEK = re.compile(f"(?P<week>{_any_of(_WEEKS)})(?P<day>[{_WEEKDAYS}])(?![个個])")


def meant(match: Match, anchor: date) -> Span:
    """Resolve "gestern", "la semana pasada" and their like."""
    unit, offset = _MEANT[plain(match[0])]
    return period(unit, anchor, offset)


def day_of_week(match: Match, anchor: date) -> Span:
    """Resolve "上周五"."""
    unit, offset = _MEANT[plain(match["week"])]
    weekday = min(_WEEKDAYS.index(match["day"]), 6)
    return day_of(period(unit, anchor, offset).first + timedelta(days=weekday))


def means_something_else(text: str, match: Match) -> bool:
    """Refuse a word that its neighbours make another one, such as "guten Morgen"."""
    word = unicodedata.normalize("NFC", match[0])
    left, right = match.string[max(0, match.start() - 12) : match.start()], match.end()
    if word == "hier":
        return not _FRENCH.search(match.string) or bool(_GERMAN.search(match.string))
    if word == "morgen" and text[match.start()].isupper():
        return True
    if word in _LEFT and _LEFT[word].search(left):
        return True
    return word in _RIGHT and bool(_RIGHT[word].match(match.string, right))


def _counted(language: str) -> tuple[re.Pattern[str], dict[str, int], dict[str, Unit]]:
    numbers = {
        plain(form): count
        for count, forms in enumerate(words.NUMBERS.get(language, "").split(";"), 1)
        for form in forms.split()
    }
    forms = words.NUMBERS.get(language, "").replace(";", " ").split()
    units: dict[str, Unit] = {}
    names = []
    for entry in words.UNITS[language].split(";"):
        listed, _, unit = entry.strip().partition(": ")
        names += listed.split()
        found = next(each for each in get_args(Unit) if each == unit)
        units |= dict.fromkeys(map(plain, listed.split()), found)
    spaced = language not in _UNSPACED
    count = rf"(?P<count>[0-9]{{1,3}}{'|' if forms else ''}{_any_of(forms)})"
    before, _, after = words.COUNTED[language].partition("{n}")
    middle, _, end = after.partition("{unit}")
    blank = r"\s+" if spaced else r"\s*"
    pattern = (
        f"{_letters(before.rstrip())}{blank if before else ''}{count}"
        f"{blank if middle or not spaced else ''}(?P<unit>{_any_of(names)})"
        f"{blank if end.startswith(' ') else ''}{_letters(end.lstrip())}"
    )
    if spaced:
        return re.compile(f"{_START}{pattern}{_END}"), numbers, units
    return re.compile(f"(?<![0-9.,第一二三四五六七八九十百千]){pattern}"), numbers, units


def _ago(language: str) -> tuple[re.Pattern[str], Callable[[Match, date], Span]]:
    pattern, numbers, units = _counted(language)

    def resolve(match: Match, anchor: date) -> Span:
        given = match["count"]
        count = int(given) if given.isdecimal() else numbers[plain(given)]
        if not 1 <= count <= _COUNT_MAX:
            raise ValueError(given)
        return period(units[plain(match["unit"])], anchor, -count)

    return pattern, resolve


AGO = {language: _ago(language) for language in words.COUNTED}


def counts_only(_text: str, match: Match) -> bool:
    """Refuse "hace dos días que no duermo": it tells how long, and not when."""
    return bool(_COUNTS.match(match.string, match.end()))


PHRASES = "phrases"
CHINESE_DAYS = "Chinese days"
_WORD = re.compile(r"[^\W\d_]+")
_OTHER_LETTERS = re.compile("[^\x00-\x7f\u2010-\u2027]")
_ALL = (PHRASES, CHINESE_DAYS, *words.COUNTED)


def _needed() -> Iterator[tuple[frozenset[str], str]]:
    """Give the words without which a text of plain letters does not hold a form."""
    for phrase in _SPACED:
        if phrase.isascii() or len(phrase) >= _PLAIN_LENGTH_MIN:
            yield frozenset(_WORD.findall(plain(phrase))), PHRASES
    for language, form in words.COUNTED.items():
        yield frozenset(_WORD.findall(form.replace("{n}", "").replace("{unit}", ""))), language


def _by_longest_word() -> dict[str, list[tuple[frozenset[str], str]]]:
    found: dict[str, list[tuple[frozenset[str], str]]] = {}
    for needed, kind in _needed():
        if all(word.isascii() for word in needed):
            found.setdefault(max(sorted(needed), key=len), []).append((needed, kind))
    return found


_NEEDED = _by_longest_word()


def may_hold(lowered: str) -> Collection[str]:
    """Tell which forms of other languages a folded text can hold.

    Most texts hold none, and looking for each of them takes longer than all of English.

    Returns:
        Names of languages, whose ways to count back may be there, and `PHRASES`, `CHINESE_DAYS`.
    """
    if not lowered.isascii() and _OTHER_LETTERS.search(lowered):
        return _ALL
    there = set(_WORD.findall(lowered))
    return {
        kind for word in there & _NEEDED.keys() for needed, kind in _NEEDED[word] if needed <= there
    }


def month_names() -> dict[str, int]:
    """Give the names of months, lower case, with and without accents, and their numbers."""
    found: dict[str, int] = {}
    for listed in words.MONTHS.values():
        for month, forms in enumerate(listed.split(";"), 1):
            for form in forms.split():
                found[form] = month
                if len(form) >= _PLAIN_LENGTH_MIN:
                    found[plain(form)] = month
    return found
