"""Reads the value off the end of a statement: a place, an employer, a role, a list of things.

A reader takes everything that follows the verb. It gives the value only when what comes after it
cannot change what was said ("in Oslo with my wife"). Where it can ("in Oslo when I was a child"),
or where the words are not of the right shape, it gives nothing.
"""

import re
from typing import NamedTuple

from smriti_es.extraction.pattern_words import ACRONYM_PLACES, NOT_PLACES, PAIRS, REGIONS, words


class Value(NamedTuple):
    """What a statement says of its subject.

    Attributes:
        object: The value as it is kept.
        shown: The value as the sentence shows it; "" when it is shown as it is kept.
        key: Completes the predicate: the thing in `attitude_to:thing`.
        about: What it is said of when that is not the subject itself: `'s passport` of the
            subject, or a thing of its own, `spare key`.
    """

    object: str
    shown: str = ""
    key: str = ""
    about: str = ""


Values = tuple[Value, ...]
NOTHING: Values = ()

HARMLESS = re.compile(
    r"$|[,:-]|(?:with|and|but|so|because|cause|where|which|as|near|though|although|alone|together"
    r"|again|too|to|like|thanks|right)\b|from [A-Z]"
    r"|for (?:work|school|college|university|love|(?:a|my|the) (?:\w+ )?(?:job|studies|work))\b"
)
_SECOND = re.compile(r"(?:,? (?:and|or)|/) ?(?!I\b|My\b)[A-Z]|,\s+[A-Z][^,]*,? and [A-Z]")
_INSIDE_NAME = words("of the de la del da do dos du van von der den upon di y & le")
_EDGE = " ,.;:!-'\"()"


def named(text: str, words_max: int = 5) -> tuple[str, str]:
    """Take the name with which a text begins.

    Returns:
        The name and what follows it; "" when the text begins with none.
    """
    taken: list[str] = []
    tokens = text.split(" ")
    for place, token in enumerate(tokens[:words_max]):
        bare = token.strip(_EDGE)
        following = tokens[place + 1].strip(_EDGE)[:1] if place + 1 < len(tokens) else ""
        continues = bare.isdigit() or (bare in _INSIDE_NAME and _is_capital(following))
        if not (_is_capital(bare) or (taken and continues)):
            break
        taken.append(token)
        if token[-1:] in ",;:!":
            break
    while taken and taken[-1].strip(_EDGE) in _INSIDE_NAME:
        taken.pop()
    name = " ".join(taken)
    return name.strip(_EDGE), text[len(name.rstrip(",;:!")) :].strip()


def _is_capital(word: str) -> bool:
    if not word or word == "I":
        return False
    return not word.islower() and (not word.isdigit() or len(word) > 1)


def one_name(text: str, words_max: int = 5) -> str:
    """Give the name with which a text begins.

    Returns:
        The name; "" when there is none, or when what follows may change what is said.
    """
    article, text = (text[:4], text[4:]) if text.lower().startswith("the ") else ("", text)
    name, rest = named(text, words_max)
    if not name or _SECOND.match(f" {rest}" if rest[:1] != "," else rest):
        return ""
    return article.lower() + name if HARMLESS.match(rest) else ""


def place(text: str) -> Values:
    """Read a place: "Oslo", "the Bronx", "Portland, Oregon"."""
    name = one_name(text)
    if not name or not _is_place(name.removeprefix("the ")):
        return NOTHING
    region = re.match(r",\s+([A-Z][\w.]+(?: [A-Z]\w+)?)(?=$|,)", text[len(name) :])
    if region and (region[1].split()[-1].lower() in REGIONS or region[1].isupper()):
        name = f"{name}, {region[1].rstrip('.')}"
    return (Value(name),)


def _is_place(name: str) -> bool:
    if name.isupper():
        return name in ACRONYM_PLACES
    ends = (name.split(" ")[0].lower(), name.split(" ")[-1].lower())
    return NOT_PLACES.isdisjoint(ends) and not name.endswith("'s") and not name[-1].isdigit()


def called(rest: str) -> str:
    """Give the name in "called Rex", "named Rex" or ", Rex"; else ""."""
    match = re.match(r"(?:,? ?(?:who is |which is )?(?:called|named|by the name of) )", rest)
    return one_name(rest[match.end() :], 3) if match else ""


def person(text: str) -> Values:
    """Read somebody's name."""
    name = one_name(text.strip("\"'"), 3)
    if not name or name.startswith("the ") or name.split(" ")[0].lower() in NOT_PLACES:
        return NOTHING
    return (Value(name),)


def names(text: str) -> Values:
    """Read one name or several: "Luna", "Luna and Milo", "Luna, Milo and Pip"."""
    found = [person(item) for item in listed(text.strip("\"'"))]
    return tuple(values[0] for values in found) if found and all(found) else NOTHING


_CUT = re.compile(
    r"\s*(?:[,;:]|\s-|\b(?:because|but|so|since|though|although|especially|as|cause|and (?:it|he"
    r"|she|they|we|you|that|this|there|my|I|have|has|is|are|was|am|get|got|do|can|not))\b).*"
)


def cut(text: str) -> str:
    """Cut off what gives a reason or begins another thought."""
    return _CUT.sub("", text).strip(_EDGE)


def listed(text: str) -> list[str]:
    """Take a list apart; what is said as one thing, "fish and chips", stays one."""
    if text.lower() in PAIRS:
        return [text]
    return [item for item in re.split(r",\s*(?:and |or )?|\s+(?:and|or|&)\s+", text) if item]


def with_article(noun: str) -> str:
    """Put "a" or "an" before a noun."""
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"


def third_person(text: str) -> str:
    """Turn "my desk" into "their desk"."""
    return re.sub(r"\b(?:my|our)\b", "their", re.sub(r"\bmyself\b", "themselves", text))


def plain(match: re.Match[str]) -> Values:
    """Read the value as it stands."""
    return (Value(match["value"]),)
