"""Takes the words that say when, and those that say where it applies, out of a clause."""

import re
from dataclasses import dataclass
from datetime import date

from smriti_es.extraction.pattern_words import words
from smriti_es.projections.lexical.calendar_names import MONTHS, SHORT_MONTHS, WEEKDAYS, one_of
from smriti_es.recall.calendar_words import NUMBER, PART_OF_DAY, folded, number
from smriti_es.recall.temporal import mentions
from smriti_es.recall.written_dates import written_dates

_BESIDE = 30  # characters that can hold the words just before a date
_DATING = words(
    """ago back last next this tonight today yesterday tomorrow since night week weeks month months
    year years coming past other spring summer autumn fall winter from for as until till by decade
    days day decades ages"""
) | {*MONTHS, *SHORT_MONTHS, *WEEKDAYS}
_DIGIT_OR_WORD = re.compile(r"[a-z]+|[0-9]")
_MONTH = one_of(*MONTHS, *SHORT_MONTHS)
# "For three years" dates the beginning of what still lasts, "for years" does so vaguely.
_UNIT = r"(?P<unit>day|week|month|year|decade)s?"
_LASTING = re.compile(
    r"\bfor\s+(?:(?:about|around|almost|nearly|over|more than|at least|roughly|the (?:past|last)"
    rf"|well over|just over|some)\s+)*(?P<count>{NUMBER})(?:\+)?\s+{_UNIT}\b(?:\s+now\b)?"
)
_VAGUE = re.compile(
    r"\b(?:for|since)\s+(?:ages|forever|(?:many |several |some |a few |a couple of )?"
    r"(?:years|months|weeks|decades)|a (?:long )?(?:while|time))\b"
    r"|\b(?:a (?:long )?(?:while|time)|ages"
    r"|(?:some |many |several )?(?:years|months|weeks|decades))\s+(?:ago|back)\b|\blong ago\b"
)
# "..., not the 28th": what was said before is set right, and only that.
_NOT_THEN = re.compile(
    rf",?\s+(?:and\s+)?not\s+(?:(?:on|in|since)\s+)?(?:the\s+)?(?:[0-9]{{1,2}}(?:st|nd|rd|th)"
    rf"(?:\s+of\s+{_MONTH})?|(?:{_MONTH}|{one_of(*WEEKDAYS)})(?:\s+[0-9]{{1,2}}(?:st|nd|rd|th)?)?"
    r"|last\s+(?:week|month|year))(?:,?\s+(?:19|20)[0-9]{2})?$"
    r"|,?\s+(?:and\s+)?not\s+(?:in\s+)?(?:19|20)[0-9]{2}$"
)
_ON_WEEKDAY = re.compile(rf"\bon\s+{one_of(*WEEKDAYS)}\b(?:\s+{PART_OF_DAY}\b)?")
_PREPOSITION = re.compile(
    r"(?:\b(?P<word>ever since|since|as of|starting(?: on| in| from)?|beginning (?:on|in)|from"
    r"|back in|on|in|at|during|around|about|sometime in|until|till|before|after|by|between|over"
    r"|within|through|throughout|for|every|each)\s+)?(?:(?:the|early|late|mid)\s+)?$"
)
_ONWARDS = re.compile(rf"\s+(?:on(?:wards?)?\b(?!\s+\w)|{PART_OF_DAY}\b)")
_SINCE = ("since", "ever since", "as of", "starting", "beginning", "from")
_BOUNDS = words("until till before after by between over within through throughout for every each")

_NAME = r"[A-Z0-9][\w.&+-]*(?:\s[A-Z0-9][\w.&+-]*){0,2}"
_KIND = r"project|workspace|team|account|organi[sz]ation"
_SCOPE = re.compile(
    r"(?<!\S)(?:(?:[Ff]or|[Ii]n|[Oo]n|[Ww]ithin)\s+(?:(?:the|our|my)\s+)?"
    rf"(?:(?P<kind>{_KIND})\s+(?P<name>{_NAME})|(?P<name_first>{_NAME})\s+(?P<kind_last>{_KIND}))\b"
    r"|[Aa]t\s+(?P<place>work|home|school|the office)(?=\s*$|,|\s+(?:[Ii]|[Mm]y|[Ww]e)\b))"
)


# "I am on the Blue team" says where somebody belongs.
_BELONGS = re.compile(r"\b(?:am|is|are|was|moved|part|member|lead|leads|manage|manages)\s+$")


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """Words of a clause that say when.

    Attributes:
        words: The words, preposition included, for `read_world_time`.
        role: `since` begins something that lasts, `lasting` does so by saying for how long, `at`
            is when something happened, `bound` says only before or after what.
        said: The words as they were said.
    """

    words: str
    role: str
    said: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a statement applies.

    Attributes:
        key: `kind:value`, or "" for everywhere.
        words: The words that say so.
    """

    key: str
    words: str


EVERYWHERE = Scope("", "")


def without_times(text: str, anchor: date) -> tuple[str, tuple[TimePhrase, ...]]:
    """Take the words that say when out of a clause.

    Args:
        text: The clause.
        anchor: The day it was said, where it was said.

    Returns:
        The rest, and what was taken out, from left to right.
    """
    if not any(word in _DATING or word.isdigit() for word in _DIGIT_OR_WORD.findall(text.lower())):
        return text, ()
    if " not " in text and (wrong := _NOT_THEN.search(folded(text))):
        text = text[: wrong.start()]
    found: list[tuple[int, int, TimePhrase]] = []
    for start, end, phrase in _candidates(text, anchor):
        if all(end <= other[0] or start >= other[1] for other in found):
            found.append((start, end, phrase))
    found.sort(key=lambda item: item[0])
    for start, end, _ in reversed(found):
        text = f"{text[:start]} {text[end:]}"
    return _tidied(text), tuple(phrase for _, _, phrase in found)


def _candidates(text: str, anchor: date) -> list[tuple[int, int, TimePhrase]]:
    lowered = folded(text)
    found: list[tuple[int, int, TimePhrase]] = []
    for match in _LASTING.finditer(lowered):
        count, unit = number(match["count"]), match["unit"]
        words = f"{10 * count} years ago" if unit == "decade" else f"{count} {unit}s ago"
        found.append((*match.span(), TimePhrase(words, "lasting", text[slice(*match.span())])))
    spans = [match.span() for match in _ON_WEEKDAY.finditer(lowered)]
    spans += [(one.start, one.end) for one in mentions(text, anchor)]
    spans += [(one.start, one.end) for one in written_dates(text) if one.standing != "bare"]
    found += [_with_preposition(text, lowered, *span) for span in spans]
    for match in _VAGUE.finditer(lowered):
        said = text[slice(*match.span())]
        role = "lasting" if match[0].startswith(("for", "since")) else "at"
        found.append((*match.span(), TimePhrase(said, role, said)))
    return found


def _with_preposition(text: str, lowered: str, start: int, end: int) -> tuple[int, int, TimePhrase]:
    beside = max(0, start - _BESIDE)
    match = _PREPOSITION.search(lowered[beside:start])
    word = (match["word"] or "") if match else ""
    start = beside + match.start() if match else start
    onwards = _ONWARDS.match(lowered, end)
    end = onwards.end() if onwards else end
    said = text[start:end]
    if word in _BOUNDS:
        return start, end, TimePhrase(said, "bound", said)
    role = "since" if word.startswith(_SINCE) else "at"
    return start, end, TimePhrase(said, role, said)


def _tidied(text: str) -> str:
    return " ".join(text.split()).replace(" ,", ",").strip(" ,")


def without_scope(text: str) -> tuple[str, Scope]:
    """Take the words that say where a statement applies out of a clause.

    Only an explicit marker counts: "for project Atlas", "in the Atlas project", "at work".
    """
    match = _SCOPE.search(text)
    if match is None or _BELONGS.search(text, 0, match.start()):
        return text, EVERYWHERE
    if match["place"]:
        key = f"location:{match['place'].removeprefix('the ')}"
    else:
        kind = (match["kind"] or match["kind_last"]).replace("organisation", "organization")
        key = f"{kind}:{match['name'] or match['name_first']}"
    rest = _tidied(f"{text[: match.start()]} {text[match.end() :]}")
    return rest, Scope(key, match[0].strip())
