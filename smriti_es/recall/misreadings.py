"""When the words of a relative form mean something else than a day seen from today.

All of this reads folded text around a match. In doubt a form is refused: a date that is missing
costs less than a wrong one asserted inside evidence.
"""

import re

from smriti_es.projections.lexical.date_words import VERBS

Match = re.Match[str]
_BESIDE = 40  # characters that can hold the words just before a match
_CLAUSE = 160  # characters on each side in which to look for a verb

# Left of a count: what makes it a bound, or only the tail of a longer number.
_INEXACT = re.compile(
    r"(?:\b(?:over|than|under|least|most|up\s+to|beyond|half|dozen|quite|every"
    r"|(?:hundred|thousand)(?:\s+and)?|(?:day|week|month|year)s?\s+and)\s+|[0-9][.,/+-]|\w-)$"
)
# Left of "last" and "next": what counts from elsewhere ("the next week we left") or measures ("the
# last week was hard"). "Her" is not among them: "I met her last week" is the common use.
_FROM_ELSEWHERE = re.compile(r"\b(?:the|my|your|his|its|our|their|an?|every|each|very)\s+$")
_AGO = re.compile(r"\bago,?\s+$")
_AS_IF_YESTERDAY = re.compile(
    r"(?:\b(?:feels?|felt|seems?|seemed|was)\s+(?:(?:just|only|almost)\s+)*like\s+"
    r"(?:(?:it|that)\s+(?:was|were)\s+)?(?:(?:just|only)\s+)*|\bborn\s+)$"
)
_ANY_FUTURE = re.compile(r"\b(?:no|better)\s+$")
_NOWADAYS = re.compile(
    r"\s+(?:world|society|age|market|economy|climate|generation|youth|kids|standards)\b"
)
_OF_OR_COMPOUND = re.compile(r"\s+of\b|-\w")
_FALL_AS_VERB = re.compile(r"\s+(?:under|into|apart|over|short|through|within)\b")

_SENTENCE_END = re.compile(r"[.!?;:\n]|\b(?:and|but|so|because|while)\b")
_OPENING = re.compile(r"\W*(?:(?:maybe|probably|hopefully|just|only|yes|yeah|about|around)\W+)*")
_MEASURED = re.compile(r"\s+(?:of|flat|straight|old)\b")
# What was done or counted takes time ("lost 5 kg in two weeks"); what is planned happens then.
_CUE = re.compile(
    r"""\b(?:(?P<spent>
        twice|once|thrice|times?|first|best|worst|most|longest|biggest|hardest|fastest|record|per
        |can|could|possible|hard|easy|enough|much|many|lot
        |did|was|were|had|been|(?:did|was|were|had|has|have|does|do)n't
        |(?!(?:need|excited|scheduled|planned|supposed|married|engaged|interested)\b)\w{2,}ed
        |lost|went|got|took|made|read|gone|done|grew|grown|saw|seen|met|ran|won|wrote|written|ate
        |eaten|drank|slept|spent|sold|bought|built|caught|came|felt|fell|found|flew|gave|given|kept
        |knew|learnt|paid|put|said|sent|shot|stood|taught|thought|told|woke|wore|worn|begun|broke
        |broken|drove|driven|fought|forgot|heard|held|hit|hurt|led|rode|sang|shown|spoke|spoken
        |swam|threw|became|quit
    )|(?P<planned>
        will|shall|won't|going|gonna|am|are|is|let's|see|meet|due|back
        |deadline|exam|wedding|appointment|trip|flight|concert|interview|birthday
        |plan|hope|want|expect|wait|visit|fly|move
        |(?:leave|start|begin|open|arrive|return|end|come|turn|launche|get)s?|launch
        |leaving|coming|flying|moving|starting|heading|arriving|returning
        |(?:have|has)(?=\s+(?:an?|my|our|his|her|their|the|another|to)\b)
    ))\b
    |(?P<soon>'(?:ll|m|re)\b|\b(?:it|that|there|she|he|here|what|which|who)'s\b)""",
    re.VERBOSE,
)


def _left(match: Match, reach: int = _BESIDE) -> str:
    return match.string[max(0, match.start() - reach) : match.start()]


def never(_text: str, _match: Match) -> bool:
    """Refuse nothing: the words have one meaning."""
    return False


def inexact_count(_text: str, match: Match) -> bool:
    """Refuse a bound ("over a year ago") and the tail of a longer number ("1.5 years ago")."""
    return bool(_INEXACT.search(_left(match)))


def figurative_day(_text: str, match: Match) -> bool:
    """Refuse days that are none: "feels like yesterday", "today's world", "the last night of"."""
    words, left = match[0], _left(match)
    if words.startswith("yesterday"):
        return bool(_AS_IF_YESTERDAY.search(left))
    if words.startswith("tomorrow"):
        return bool(_ANY_FUTURE.search(left))
    if words.startswith("last"):
        return bool(
            _FROM_ELSEWHERE.search(left) or _OF_OR_COMPOUND.match(match.string, match.end())
        )
    return words.endswith("s") and bool(_NOWADAYS.match(match.string, match.end()))


def other_determined(text: str, match: Match) -> bool:
    """Refuse "last", "this" or "next" where it does not count from today, or its noun is a verb."""
    which, what, left = match["which"], match["what"], _left(match)
    if _OF_OR_COMPOUND.match(match.string, match.end()) or _AGO.search(left):
        return True
    if which in ("last", "next") and not match["part"] and _FROM_ELSEWHERE.search(left):
        return True
    if what in VERBS:
        return not text.startswith(what.title(), match.start("what"))
    return what == "fall" and bool(_FALL_AS_VERB.match(match.string, match.end()))


def other_week(_text: str, match: Match) -> bool:
    """Refuse a week and its weekday where the week is not counted from today."""
    return bool(_FROM_ELSEWHERE.search(_left(match)))


def duration(_text: str, match: Match) -> bool:
    """Refuse "in N units" unless the clause looks ahead.

    The nearest cue on the left decides, else the first one on the right; without any, only words
    that stand alone ("In two weeks!") name a date. "In two weeks' time" needs no cue.
    """
    if match["time"]:
        return False
    right = match.string[match.end() : match.end() + _CLAUSE]
    if _MEASURED.match(right):
        return True
    left = _SENTENCE_END.split(_left(match, _CLAUSE))[-1]
    right = _SENTENCE_END.split(right, maxsplit=1)[0]
    cues = [*_CUE.finditer(left)][-1:] or [*_CUE.finditer(right)][:1]
    if cues:
        return cues[0]["spent"] is not None
    return not _OPENING.fullmatch(left) or bool(re.search(r"\w", right))
