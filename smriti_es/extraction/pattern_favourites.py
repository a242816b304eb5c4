"""Reads what somebody takes for a favourite, and leaves what is only said of one."""

import re

from smriti_es.extraction.pattern_values import NOTHING, Value, Values, cut
from smriti_es.extraction.pattern_words import SPELLINGS
from smriti_es.extraction.predicates import snake_case

_WORDS_MAX = 8
_NOT_A_KIND = re.compile(
    r"\b(?:parts?|things?|ones?|times?|moments?|memor(?:y|ies)|ways?|bits?|photos?|pictures?|pieces?"
    r"|aspects?|ever|so|of|about|in|to|that|day|stories|story|least)\b"
)
_NOT_A_FAVOURITE = re.compile(
    r"(?:not|no|hard|difficult|when|how|that|to|either|always|what|where|it|this|these|those|one"
    r"|from|also|called|like|such|so|in|on|at|by|of|off|out|for|gone|too|now|whatever|here|there"
    r"|he|she|they|we|you|who|which|up|back|very|quite|pretty|getting|being|going|made|based|about"
    r"|all|just|only|both|neither|nothing|anything|closing|opening|moving|leaving|coming|showing"
    r"|becoming|turning|starting|ending|changing|playing|losing|winning|still|really|as)\b",
    re.IGNORECASE,
)
# "My favourite shop is cheap" names no shop.
_MERE_QUALITY = re.compile(
    r"(?:expensive|cheap|great|good|bad|nice|amazing|awesome|beautiful|delicious|old|new|small|big"
    r"|late|early|busy|full|empty|far|close|closed|popular|famous|easy|simple|similar|different"
    r"|better|worse|sick|tired|happy|sad|crazy|cool|perfect|tough|complicated|long|short|dead|fun"
    r"|free|available|over|sold|broken|missing|[a-z]{3,}ed)(?:,? (?:and|but) .*)?"
)
_UNFINISHED = re.compile(
    r"\b(?:you|your|my|me|it|this|that|these|those|him|her|his|them|their|our|us|I|when|where"
    r"|if|is|are|was|were|have|has|ones?|something|everything|anything|mine|yours)\b"
)
_QUOTED = re.compile(r"[\"']([^\"']+)[\"']")
_ANOTHER = re.compile(r"(?:,|,? and) [\"']")


def favourite(kind: str, verb: str, text: str) -> Values:
    """Read "my favourite KIND VERB TEXT", the verb being "is" or "are"."""
    kind = " ".join(SPELLINGS.get(word, word) for word in kind.lower().split())
    quoted = _QUOTED.match(text)
    best = quoted[1] if quoted else cut(text)
    if quoted and _ANOTHER.match(text, quoted.end()):
        return NOTHING
    if not best or len(best.split()) > _WORDS_MAX or _NOT_A_KIND.search(kind):
        return NOTHING
    if _NOT_A_FAVOURITE.match(best) or _MERE_QUALITY.fullmatch(best) or _UNFINISHED.search(best):
        return NOTHING
    return (Value(best, f"favourite {kind} {verb} {best}", singular(snake_case(kind))),)


def singular(word: str) -> str:
    """Give the singular of a regular noun, so that favourite colours and one colour share a key."""
    if word.endswith(("ss", "us", "series")):
        return word
    if word.endswith("ies") and not word.endswith(("movies", "cookies", "selfies")):
        return f"{word[:-3]}y"
    return word.removesuffix("s")
