"""Reads schools, subjects, hobbies and plans off the end of a statement."""

import re

from smriti_es.extraction.pattern_likings import activity, gerund
from smriti_es.extraction.pattern_values import (
    NOTHING,
    Value,
    Values,
    cut,
    listed,
    third_person,
)
from smriti_es.extraction.pattern_words import (
    GAMES,
    INSTRUMENTS,
    KEPT_THINGS,
    PASTIMES,
    PRACTICES,
    pairs,
    words,
)
from smriti_es.extraction.pattern_work import organisation

_SCHOOL = re.compile(
    r"\b(?:University|College|School|Institute|Academy|Polytechnic|MIT|UCLA|ETH)\b"
)


def school(text: str) -> Values:
    """Read a school where the name alone must say that it is one: "Lund University"."""
    found = organisation(text)
    return found if found and _SCHOOL.search(found[0].object) else NOTHING


def named_school(text: str) -> Values:
    """Read a school by its name, where the statement says that it is one."""
    found = organisation(text)
    capital = found and found[0].object.removeprefix("the ")[0].isupper()
    return found if capital else NOTHING


_SUBJECT_WORDS_MAX = 3
_NOT_A_SUBJECT = re.compile(
    r"\b(?:for|at|in|hard|abroad|with|an?|the|my|your|our|this|that|every|on|to|too|here|there|it"
    r"|how|what|together|late|all|more|so|much|lot|well|remotely|online|part|full|from|as|some"
    r"|these|those|them|his|her|their|up|about|again|like|and|best|better|harder|alone|outside|inside"
    r"|often|\w+ly)\b|'s\b"
)


def subjects(text: str) -> Values:
    """Read what somebody studies: "physics at Oslo", "law and economics"."""
    text = re.sub(r" (?:at|in|with|under|on) .*", "", cut(text))
    found = listed(text)
    if not found or any(
        len(item.split()) > _SUBJECT_WORDS_MAX or _NOT_A_SUBJECT.search(item) for item in found
    ):
        return NOTHING
    return tuple(Value(item) for item in found)


def played(text: str) -> Values:
    """Read instruments and games: "the piano and chess"."""
    return _listed_in(text, INSTRUMENTS | GAMES)


def practised(text: str) -> Values:
    """Read what is practised: "yoga"."""
    return _listed_in(text, PRACTICES)


# "I started running" is told of a moment as often as of a habit.
_DOINGS = frozenset(map(gerund, PASTIMES)) - words("playing practising riding running reading")


# "I no longer row"; who cycles commutes, as like as not.
GIVEN_UP = {
    verb: gerund(verb) for verb in sorted(PASTIMES - words("cycle bike")) if gerund(verb) in _DOINGS
}


def given_up(match: re.Match[str]) -> Values:
    """Read "row" in "I no longer row", in the -ing form."""
    return (Value(GIVEN_UP[match["verb"]]),)


def pursued(text: str) -> Values:
    """Read what somebody does in their free time, in the -ing form: "surfing".

    "I started painting at noon" is told of an afternoon, so nothing may follow.
    """
    text = re.sub(r" (?:as a hobby|regularly|again|too)$", "", cut(text))
    found = listed(text)
    return NOTHING if set(found) - _DOINGS else tuple(map(Value, found))


_HOW = re.compile(
    r" (?:with|every|on|in|at|for|twice|once|as|to|since|when|regularly|a lot|again|too|together"
    r"|professionally|competitively|well|badly)\b.*"
)


def _listed_in(text: str, known: frozenset[str]) -> Values:
    items = [re.sub(r"^(?:the|some|an?) ", "", item) for item in listed(_HOW.sub("", cut(text)))]
    if not items or any(
        item.lower().split()[-1] not in known or len(item.split()) > 2 for item in items
    ):
        return NOTHING
    return tuple(Value(item) for item in items)


# What somebody "is doing" at a time to come is planned.
DOING = pairs(
    """visiting visit, flying fly, travelling travel, traveling travel, going go, heading head,
    running run, attending attend, hosting host, taking take, getting get, starting start, leaving
    leave, having have, giving give, presenting present, driving drive, competing compete"""
)


def doing(match: re.Match[str]) -> Values:
    """Read "visiting my parents" as the plan to visit them."""
    return activity(f"{DOING[match['doing']]} {match['value']}")


def trip(match: re.Match[str]) -> Values:
    """Read "planning a trip to Japan" as the plan to go on it."""
    return activity(f"go on {match['value']}")


_WHERE_WORDS_MAX = 7


def kept(match: re.Match[str]) -> Values:
    """Read where a thing is kept; it is said of the thing, not of who keeps it."""
    thing = match["thing"]
    if thing.split()[-1] not in KEPT_THINGS or len(match["value"].split()) > _WHERE_WORDS_MAX:
        return NOTHING
    if re.search(r"\b(?:me|you|him|her|it|them|us|this|that|here|there)\b", match["value"]):
        return NOTHING
    about = thing if match["whose"] == "the" else f"'s {thing}"
    return (Value(third_person(cut(match["value"])), about=about),)
