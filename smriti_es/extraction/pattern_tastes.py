"""Reads feelings, choices, diets and ailments off the end of a statement."""

import re
from collections.abc import Callable

from smriti_es.extraction.pattern_favourites import favourite
from smriti_es.extraction.pattern_form import Reader
from smriti_es.extraction.pattern_likings import likings
from smriti_es.extraction.pattern_values import NOTHING, Value, Values, cut, listed
from smriti_es.extraction.pattern_words import CHOICES, CONDITIONS, CONSUMABLES, DIETS
from smriti_es.extraction.predicates import POSITIVE, attitude_to, snake_case

_SAYS = {
    "love": "loves",
    "like": "likes",
    "enjoy": "enjoys",
    "adore": "adores",
    "hate": "hates",
    "dislike": "dislikes",
    "detest": "detests",
    "despise": "despises",
    "loathe": "loathes",
    "can not stand": "cannot stand",
    "can not bear": "cannot bear",
    "do not enjoy": "does not enjoy",
    "never liked": "never liked",
}


def feeling(polarity: str, read: Callable[[str], Values]) -> Reader:
    """Make a reader of what somebody likes (`positive`) or dislikes (`negative`).

    The value's key is the whole predicate, `attitude_to:thing`.
    """

    def felt(match: re.Match[str]) -> Values:
        otherwise = "likes" if polarity == POSITIVE else "does not like"
        says = _SAYS.get(match.groupdict().get("verb") or "", otherwise)
        return tuple(
            Value(polarity, f"{says} {one.object}", attitude_to(one.object))
            for one in read(match["value"])
        )

    return felt


def favoured(match: re.Match[str]) -> Values:
    """Read "my favourite colour is teal"."""
    return favourite(match["kind"], match["is"], match["value"])


_OVER = re.compile(r"(.+?) (?:to|over|rather than|instead of|more than|better than) (.+)")


_AN_OFFER = re.compile(
    r"\b(?:option|plan|version|first|second|latter|former|\w+day|tomorrow|morning|afternoon)\b",
    re.IGNORECASE,
)


def preferred(match: re.Match[str]) -> Values:
    """Read "tea", or "tea over coffee", but not which of several offers."""
    if _AN_OFFER.search(match["value"]):
        return NOTHING
    both = _OVER.fullmatch(match["value"])
    if both:
        return _over(both[1], both[2])
    one = likings(match["value"])
    return (Value(one[0].object),) if len(one) == 1 else NOTHING


def compared(match: re.Match[str]) -> Values:
    """Read "I like tea more than coffee"."""
    return _over(match["one"], match["other"])


def _over(better: str, worse: str) -> Values:
    one, other = likings(better), likings(cut(worse))
    if len(one) != 1 or len(other) != 1:
        return NOTHING
    return (Value(f"{one[0].object} over {other[0].object}"),)


_CHOICE_WORDS_MAX = 5
_NO_CHOICE = re.compile(
    r"\b(?:not|it|this|that|broken|slow|old|too|very|in|on|at|for|to|from|a|an|my|so|great|good)\b"
)


def choice(match: re.Match[str]) -> Values:
    """Read "my main editor is Helix"."""
    kind, best = match["kind"].lower(), cut(match["value"])
    if kind.split()[-1] not in CHOICES or not 1 <= len(best.split()) <= _CHOICE_WORDS_MAX:
        return NOTHING
    if _NO_CHOICE.search(best):
        return NOTHING
    return (Value(best, f"{match['rank']} {kind} is {best}", snake_case(kind)),)


_FIGURATIVE = re.compile(
    r"\b(?:mornings?|mondays?|work|drama|stupidity|nonsense|bullshit|boredom|effort|fun|school)\b",
    re.IGNORECASE,
)


def allergens(text: str) -> Values:
    """Read what somebody is allergic to, in earnest."""
    return NOTHING if _FIGURATIVE.search(text) else _things(text)


def _things(text: str) -> Values:
    return tuple(Value(one.object) for one in likings(text))


def condition(match: re.Match[str]) -> Values:
    """Read a lasting illness by its name."""
    return (Value(match["value"]),) if match["name"].lower() in CONDITIONS else NOTHING


def diagnosed(text: str) -> Values:
    """Read what somebody was diagnosed with."""
    found = _things(text)
    return found if len(found) == 1 else NOTHING


def diet(match: re.Match[str]) -> Values:
    """Read a diet that has a name for who keeps it: "a vegan"."""
    return (Value(DIETS[match["value"]]),)


def consumed(text: str) -> Values:
    """Read what many give up: meat, alcohol, smoking."""
    items = listed(re.sub(r"^(?:eating|drinking|consuming|any) ", "", cut(text)))
    if not items or any(item.split()[-1] not in CONSUMABLES for item in items):
        return NOTHING
    return tuple(Value(item) for item in items)


_NO_FOOD = re.compile(
    r"(?:out|much|enough|well|breakfast|lunch|dinner|alone|at|before|after|in|on|from|with|while)\b"
)


def avoided(text: str) -> Values:
    """Read what somebody does not eat or drink, whatever it is."""
    text = re.sub(r"^(?:any|eating|drinking) ", "", text)
    return NOTHING if _NO_FOOD.match(text) else _things(text)


def smoking(_match: re.Match[str]) -> Values:
    """Read that somebody smokes."""
    return (Value("yes", " cigarettes"),)
