"""Reads whom somebody has: family, friends and animals, and what they are called."""

import re
from collections.abc import Iterator

from smriti_es.extraction.pattern_clauses import Sentence, words_of
from smriti_es.extraction.pattern_favourites import singular
from smriti_es.extraction.pattern_form import Reader
from smriti_es.extraction.pattern_values import (
    NOTHING,
    Value,
    Values,
    listed,
    names,
    person,
    with_article,
)
from smriti_es.extraction.pattern_words import NOT_NAMES, NOT_PLACES, PETS

_PETS = "|".join(sorted(PETS | {"guinea pig"}, key=len, reverse=True))
# By predicate: the words for whom one has, singular.
KIN = {
    "married_to": "wife|husband|spouse",
    "partner": "girlfriend|boyfriend|partner",
    "engaged_to": "fiance|fiancee|fiancé|fiancée",
    "has_child": "son|daughter|stepson|stepdaughter",
    "has_sibling": "brother|sister|stepbrother|stepsister|half-brother|half-sister",
    "has_parent": "mother|father|mom|mum|dad|stepmother|stepfather",
    "has_relative": "cousin|nephew|niece|uncle|aunt|grandson|granddaughter|grandmother|grandfather"
    "|grandma|grandpa|mother-in-law|father-in-law|sister-in-law|brother-in-law",
    "has_friend": "friend|best friend|roommate|flatmate|housemate",
    "has_colleague": "colleague|coworker|co-worker|teammate",
    "has_manager": "boss|manager|supervisor",
    "has_pet": _PETS,
}
_PREDICATES = {word: predicate for predicate, words in KIN.items() for word in words.split("|")}
KIN_WORDS = frozenset[str]().union(*(words_of(word) for word in _PREDICATES)) - {"best", "in"}
_OWN = frozenset(("my", "our"))
_SPOUSES = ("married_to", "partner", "engaged_to")
_DESCRIBED = (
    r"(?:(?:little|big|older|younger|oldest|youngest|eldest|new|lovely|dear|beautiful|best|good"
    r"|close|only|second|sweet|adorable|black|white|golden|grey|gray|ginger|rescue|german|border"
    r")\s+){0,2}"
)
_WORDS = "|".join(sorted(_PREDICATES, key=len, reverse=True))
_NAME = r"[A-Z](?:'[A-Z])?[a-z\u00df-\u00ff]+(?:-[A-Z][a-z]+)?"
_APPOSED = re.compile(
    rf"(?<![\w'-])(?i:my|our)\s+{_DESCRIBED}(?P<kin>{_WORDS})\s+"
    rf"(?P<name>{_NAME}(?:\s{_NAME})?)(?!\w|-)"
)
# What is missed or mourned may be had no longer; what is met may belong to another.
_GONE = re.compile(
    r"\b(?:miss(?:ed|ing)?|pass(?:ed|ing)|no longer|divorc\w*|broke|split|separated|fired|died|dead"
    r"|death|lost|losing|loss|memory|late|rip|buried|funeral|used to|ex|former|grie(?:f|ving)"
    r"|years ago|when i was|growing up|as a (?:kid|child))\b",
    re.IGNORECASE,
)

_NUMBER = r"(?:an?|another|one|two|three|four|five|six|seven|eight|nine|ten|[1-9])"
_COUNTED = {
    "has_child": r"(?:step)?(?:sons?|daughters?)|boys?|girls?|kids?|child(?:ren)?|toddlers?|baby",
    "has_sibling": r"(?:half-|step)?(?:brothers?|sisters?)|siblings?",
    "has_pet": rf"(?:{_PETS})s?|puppies|ponies|bunnies",
}
# Words without which there is nothing to count.
COUNTED_WORDS = {
    "has_child": "son sons daughter daughters boy boys girl girls kid kids child children toddler"
    " toddlers baby stepson stepdaughter",
    "has_sibling": "brother brothers sister sisters sibling siblings stepbrother stepsister",
    "has_pet": " ".join(f"{pet} {pet}s" for pet in sorted(PETS))
    + " puppies ponies bunnies pig pigs",
}
_ADJECTIVES = r"(?:[a-z][\w-]*(?:-old)? ){0,2}?"
_NOT_OWNED = re.compile(
    r"\b(?:no|not|few|your|his|her|great|hot|such|chocolate|toy|stuffed|plush|ceramic|wooden"
    r"|plastic|inflatable|paper|gingerbread|guard|feral|stray)\b"
)


def counted(predicate: str) -> Reader:
    """Make a reader of "two cats called Luna and Milo" and "a son and a dog" for one predicate."""
    form = re.compile(
        rf"(?:(?P<number>{_NUMBER}) )?(?P<kind>{_ADJECTIVES}(?:{_COUNTED[predicate]}))"
        r"(?: (?:called|named) (?P<name>[A-Z][\w'-]+))?"
        r"(?: (?:at home|too|who|that|which|aged|together|from)\b.*)?"
    )

    def read(match: re.Match[str]) -> Values:
        found: list[Value] = []
        kind = ""
        for item in listed(match["value"]):
            one = form.fullmatch(item)
            if one and (one["number"] or one["kind"].endswith(("s", "ren"))):
                if _NOT_OWNED.search(item):
                    return NOTHING
                kind = one["kind"].split(" ")[-1]
                found.append(_owned(one))
            elif kind and (called := person(item)):
                found.append(_called(kind, called[0].object))
            else:
                kind = ""
        return tuple(found)

    return read


def _owned(match: re.Match[str]) -> Value:
    kind = match["kind"]
    if match["name"]:
        return _called(kind.split(" ")[-1], match["name"])
    if match["number"] in ("a", "an", "another"):
        return Value(kind, with_article(kind))
    return Value(f"{match['number']} {kind}" if match["number"] else kind)


def _called(kind: str, name: str) -> Value:
    return Value(name, f"{with_article(singular(kind))} called {name}")


def kin_names(predicate: str) -> Reader:
    """Make a reader of "My dog's name is Rex" for one predicate; `kin` is the word for it."""

    def read(match: re.Match[str]) -> Values:
        return tuple(_kin(predicate, match["kin"], one.object) for one in names(match["value"]))

    return read


def pet_lost(match: re.Match[str]) -> Values:
    """Read "My dog Rex has died"."""
    return (Value(match["name"] or match["kin"]),)


def whoever(match: re.Match[str]) -> Values:
    """Read whom somebody has parted from; without a name, whoever it is."""
    return (Value(match["value"] or ""),)


def _kin(predicate: str, word: str, name: str) -> Value:
    if predicate in _SPOUSES:
        return Value(name)
    return _called(word, name)


def apposed(sentence: Sentence) -> Iterator[tuple[str, Value, int, int]]:
    """Find names that stand beside what they name: "my wife Ana", "our cat Luna".

    Yields:
        The predicate, the value, and where the words begin and end in the turn.
    """
    if KIN_WORDS.isdisjoint(sentence.words) or _OWN.isdisjoint(sentence.words):
        return
    matches = [*_APPOSED.finditer(sentence.text, sentence.start, sentence.end)]
    if not matches or _GONE.search(sentence.text, sentence.start, sentence.end):
        return
    for match in matches:
        words = match["name"].lower().split()
        if NOT_NAMES.isdisjoint(words) and words[0] not in NOT_PLACES:
            predicate = _PREDICATES[match["kin"]]
            if predicate == "partner" and match[0][:3].lower() == "our":
                continue  # a company's partner
            yield predicate, _kin(predicate, match["kin"], match["name"]), *match.span()
