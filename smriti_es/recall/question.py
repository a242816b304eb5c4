"""What a question asks for, read from its words alone: no model, no memory.

The kinds are hints that move weights and wording; none of them keeps a turn from being found. The
rules are English; a question in another language gets its terms and its window and no kind. Source:
design page on recall, "Pipeline".
"""

import re
from dataclasses import dataclass
from datetime import date

from smriti_es.projections.lexical.analysis import content_terms
from smriti_es.recall.temporal import Span
from smriti_es.recall.windows import question_window


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what could be told from it.

    Attributes:
        text: The question as it was asked.
        terms: What to look for, as the lexical index spells it, each once, in the order of the
            question.
        asks_when: It wants a date.
        counts: It wants a number or a sum over several turns.
        asks_history: It asks for what was, so facts that hold no longer are answers too.
        asks_future: It asks for what will be, so facts that begin later are answers too.
        asks_relation: It asks who somebody is to somebody.
        addresses_assistant: It asks for what the assistant said, so assistant turns are evidence.
        alternatives: The events of "Which came first, A, B or C?", each a search of its own; else
            empty.
        window: The days it speaks about, or None.
    """

    text: str
    terms: tuple[str, ...] = ()
    asks_when: bool = False
    counts: bool = False
    asks_history: bool = False
    asks_future: bool = False
    asks_relation: bool = False
    addresses_assistant: bool = False
    alternatives: tuple[str, ...] = ()
    window: Span | None = None


def analyse_question(text: str, *, now: date | None) -> Question:
    """Read a question: its terms, its kind and the days it speaks about.

    The same text and `now` always give the same answer.

    Args:
        text: The question, in any language.
        now: The asker's date, which "last week" is counted from; None leaves relative words alone.

    Returns:
        The question with all that could be told from it.
    """
    return Question(
        text=text,
        terms=tuple(content_terms(text)),
        asks_when=_asks_when(text),
        counts=bool(_COUNTS.search(text)),
        asks_history=bool(_HISTORY.search(text)),
        asks_future=bool(_FUTURE.search(text)),
        asks_relation=bool(_RELATION.search(text)),
        addresses_assistant=any(pattern.search(text) for pattern in _TO_THE_ASSISTANT),
        alternatives=_alternatives(text),
        window=question_window(text, now),
    )


_HISTORY = re.compile(
    r"\b(?:used to|previous(?:ly)?|former(?:ly)?|histor(?:y|ical)|before|earlier|originally"
    r"|at first|in the past|back then|ever|no longer|any ?more|changed?|old(?:er)?"
    r"|over (?:time|the years))\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:will|won't|going to|about to|next|upcoming|soon|later|tomorrow|future"
    r"|plan(?:s|ned|ning)?|scheduled?)\b",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"\b(?:whom?|whose|related|relationships?|connect(?:ed|ions?)|colleagues?|friends?"
    r"|marri(?:ed|age)|partners?|mentors?|famil(?:y|ies)|between|teams?|works?\s+(?:with|at|for)"
    r"|reports?\s+to|knows?\s+each\s+other|in\s+common)\b",
    re.IGNORECASE,
)
_CLAUSE_START = (
    r"(?:^|[.!?;:,]\s+|\b(?:and|but|so|(?:tell|remind|show)\s+me|know|remember|recall)\s+)"
)
_AUXILIARY = (
    r"(?:am|is|are|was|were|do|does|did|has|have|had|will|would|can|could|shall|should|might)"
)
_PERIOD_OF_TIME = r"(?:minute|hour|day|night|week|weekend|month|year|decade)s?"

_WHEN_QUESTION = re.compile(
    rf"{_CLAUSE_START}(?:(?:since|until|till|by)\s+)?"
    rf"when(?:'s|\u2019s|\s+(?:exactly\s+)?{_AUXILIARY})\b",
    re.IGNORECASE,
)
# "When Jon lost his job?" asks; "When Jon lost his job, what did he do?" sets the scene.
_WHEN_OPENS = re.compile(r"^\s*when\b[^,]*$", re.IGNORECASE)
_WHEN_WANTED = re.compile(r"\b(?:(?:tell|remind)\s+me|know)\s+(?:exactly\s+)?when\b", re.IGNORECASE)
_WHICH_DAY = re.compile(
    rf"{_CLAUSE_START}(?:(?:in|on|at|during|since|until|by|from|around)\s+)?(?:what|which)"
    r"(?:'s|\u2019s|\s+(?:is|was|were))?(?:\s+the)?(?:\s+exact)?"
    r"\s+(?:dates?|days?|weekday|week|month|year|season|decade|time)\b"
    r"(?!\s+of\s+(?:flight|travel))",
    re.IGNORECASE,
)
_HOW_LONG_AGO = re.compile(
    r"\bhow\s+long\s+(?:ago|since|before|after|(?:has|had)\s+it\s+been)\b"
    r"|\bhow\s+many\s+(?:days|weeks|months|years)\b",
    re.IGNORECASE,
)


def _asks_when(text: str) -> bool:
    patterns = (_WHEN_QUESTION, _WHEN_OPENS, _WHEN_WANTED, _WHICH_DAY, _HOW_LONG_AGO)
    return any(pattern.search(text) for pattern in patterns)


_COUNTS = re.compile(
    rf"\bhow\s+many\b(?!\s+{_PERIOD_OF_TIME}\s+(?:ago|since|before|after|(?:has|had)\s+it\s+been)\b)"
    r"|\bhow\s+much\b"
    r"|\b(?:number|count|sum|total|amount)\s+of\b"
    r"|\b(?:in|the|my|our|what)\s+(?:\w+\s+)?total\b"
    r"|\bon\s+average\b|\ball\s+(?:together|told)\b|\baltogether\b|\bcombined\b"
    r"|\b(?:list|name)\s+(?:all|every|each)\b",
    re.IGNORECASE,
)


_SAID = (
    r"(?:said|told|mentioned|suggested|recommended|gave|given|provided|listed|shared|described|explained"
    r"|wrote|written|created|came\s+up|named|called|proposed|offered|advised|helped|generated|drafted"
    r"|showed|shown|answered|responded|replied|included|made|played|used|picked|chose|chosen)"
)
_SAY = (
    r"(?:say|tell|mention|suggest|recommend|give|provide|list|share|describe|explain|write|create"
    r"|come\s+up|name|call|propose|offer|advise|help|generate|draft|show|answer|respond|reply|include"
    r"|make|play|use|pick|choose)"
)
_TO_THE_ASSISTANT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\byou(?:'ve|\u2019ve|'d|\u2019d)?(?:\s+\w+){{0,3}}?\s+{_SAID}\b",
        # "Can you tell me" asks for a favour; "did you tell me" asks what was said.
        rf"\bdid\s+you(?:\s+\w+){{0,2}}?\s+{_SAY}\b",
        r"\byou(?:\s+\w+){0,3}?\s+recommend\b",
        r"\byour\s+(?:\w+\s+)?(?:suggestion|recommendation|advice|answer|response|list|explanation"
        r"|reply|replie|idea|tip|proposal|draft)s?\b",
        r"\byour\s+(?:previous|earlier|last)\b",
        r"\bremind\s+me\b",
        r"\bwe(?:'ve|\u2019ve|'d|\u2019d)?(?:\s+\w+){0,2}?\s+"
        r"(?:talked|discussed|chatted|spoke|spoken|went\s+over|gone\s+over|covered)\b",
        r"\b(?:our|the)\s+(?:previous|last|earlier|past)\s+(?:\w+\s+)?"
        r"(?:chat|conversation|discussion|game|session|exchange)s?\b",
    )
)


_ORDERING_WORDS = (
    r"first|before|after|earlier|earliest|later|latest|sooner|soonest|most\s+recent(?:ly)?"
    r"|last(?!\s+(?:night|week|weekend|month|year|summer|winter|spring|fall|autumn))"
)
_ORDERING = re.compile(
    rf"\b(?:{_ORDERING_WORDS}|(?:what|which|the|in|chronological)\s+order)\b", re.IGNORECASE
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[?;:\n—]|[.!](?:\s|$)")
_COMMA = re.compile(r",(?=\s|$)")
_ASKING = re.compile(
    r"^\s*(?:and\s+|so\s+|(?:can|could|please)\b.{0,40})?(?:\w+\s+)?"
    rf"(?:which|what|who|whom|whose|when|where|how|tell|remind|{_AUXILIARY})\b",
    re.IGNORECASE,
)
# "Which came first," only asks; "Did I meet Anna," has the first of those asked about.
_ASKING_ONLY = re.compile(
    rf"\b(?:which|what|who)\b.{{0,99}}\b(?:{_ORDERING_WORDS})\b", re.IGNORECASE
)
_EDGES = re.compile(
    rf"^(?:(?:either|between|among|out\s+of|of|{_ORDERING_WORDS})\b|[\s,])+"
    rf"|(?:\b(?:{_ORDERING_WORDS})|[\s,])+$",
    re.IGNORECASE,
)


# Each is a search of its own.
_MOST_ALTERNATIVES = 8


def _alternatives(text: str) -> tuple[str, ...]:
    if not (_OR.search(text) and _ORDERING.search(text)):
        return ()
    found: list[str] = []
    for clause in _CLAUSE_END.split(text):
        if _OR.search(clause):
            segments = _COMMA.split(" ".join(clause.split()))
            found.extend(_EDGES.sub("", part) for part in _listed(segments))
    parts = tuple(dict.fromkeys(part for part in found if part and content_terms(part)))
    return parts[:_MOST_ALTERNATIVES] if len(parts) >= 2 else ()


def _listed(segments: list[str]) -> list[str]:
    """Give the members of "A, B or C" out of a clause split at its commas."""
    place = next(number for number, segment in enumerate(segments) if _OR.search(segment))
    members = _OR.split(segments[place])
    while place and not _ASKING.match(members[0]):
        place -= 1
        if _ASKING_ONLY.search(segments[place]):
            break
        members.insert(0, segments[place])
    return members
