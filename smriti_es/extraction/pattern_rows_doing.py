"""Patterns of what somebody speaks, studies, plays, owns, uses and plans."""

import re

from smriti_es.extraction.pattern_form import VALUE, said, value
from smriti_es.extraction.pattern_likings import activity
from smriti_es.extraction.pattern_shapes import car, languages, possession, ride, tool
from smriti_es.extraction.pattern_values import (
    NOTHING,
    Value,
    Values,
    cut,
    listed,
    one_name,
    organisation,
    third_person,
)
from smriti_es.extraction.pattern_words import GAMES, INSTRUMENTS, KEPT_THINGS, PRACTICES

_SCHOOL = re.compile(
    r"\b(?:University|College|School|Institute|Academy|Polytechnic|MIT|UCLA|ETH|High)\b|^the university of",
    re.IGNORECASE,
)


def _school(match: re.Match[str]) -> Values:
    found = organisation(match["value"])
    return found if found and _SCHOOL.search(found[0].object) else NOTHING


def _any_school(text: str) -> Values:
    found = organisation(text)
    return (
        found
        if found and (found[0].object[0].isupper() or _SCHOOL.search(found[0].object))
        else NOTHING
    )


def _subject(match: re.Match[str]) -> Values:
    text = re.sub(r" (?:at|in|with|under|on) .*", "", cut(match["value"]))
    found = [item for item in listed(text) if 1 <= len(item.split()) <= 3]
    if not found or re.search(
        r"\b(?:for|at|in|hard|abroad|with|an?|the|my|your|our|this|that|every|on|to|too|here|there|it|how|what|together|late|all|more|so|much|lot|well|remotely|online|part|full|from|as)\b",
        text,
    ):
        return NOTHING
    return tuple(Value(item) for item in found)


def _played(text: str) -> Values:
    return _listed_in(text, INSTRUMENTS | GAMES)


def _practised(text: str) -> Values:
    return _listed_in(text, PRACTICES)


def _any_hobby(text: str) -> Values:
    return _listed_in(text, INSTRUMENTS | GAMES | PRACTICES)


def _listed_in(text: str, words: frozenset[str]) -> Values:
    text = re.sub(
        r" (?:with|every|on|in|at|for|twice|once|as|to|since|when|regularly|a lot|again|professionally|competitively)\b.*",
        "",
        cut(text),
    )
    items = [re.sub(r"^(?:the|some|an?) ", "", item) for item in listed(text)]
    if not items or not all(
        item.lower().split()[-1] in words and len(item.split()) <= 2 for item in items
    ):
        return NOTHING
    return tuple(Value(item) for item in items)


_WORKSITE = r"(?:the office|work|school|uni|university|college|campus)"
_ON_WEEKDAYS = r"(?: every (?:day|morning)| each (?:day|morning)| most days| daily)?(?:,.*| (?:because|and|with|in) .*)?"


def _doing(match: re.Match[str]) -> Values:
    return activity(f"{_DOING[match['doing']]} {match['value']}")


_DOING = {
    **{"visiting": "visit", "flying": "fly", "travelling": "travel", "traveling": "travel"},
    **{
        "going": "go",
        "heading": "head",
        "running": "run",
        "attending": "attend",
        "hosting": "host",
    },
    **{
        "taking": "take",
        "getting": "get",
        "starting": "start",
        "leaving": "leave",
        "having": "have",
    },
    **{"giving": "give", "presenting": "present", "driving": "drive", "competing": "compete"},
}


def _kept(match: re.Match[str]) -> Values:
    thing = match["thing"]
    if thing.split()[-1] not in KEPT_THINGS or len(match["value"].split()) > 7:
        return NOTHING
    about = thing if match["whose"] == "the" else f"'s {thing}"
    return (Value(third_person(cut(match["value"])), about=about),)


DOING = (
    said("speaks", "state", "speak", rf"I (?:can )?speak {VALUE}", value(languages)),
    said("speaks", "state", "fluent", rf"I am fluent in {VALUE}", value(languages)),
    said(
        "native_language",
        "state",
        "language tongue",
        rf"My (?:native language|first language|mother tongue) is {VALUE}",
        value(languages),
    ),
    said("learns", "state", "learn", rf"I learn {VALUE}", value(languages)),
    said(
        "learns",
        "began",
        "learning",
        rf"I (?:have )?(?:started|began) (?:learning|to learn) {VALUE}",
        value(languages),
    ),
    said("drives", "state", "drive", rf"I drive {VALUE}", value(car)),
    said("drives", "state", "car", rf"My car is {VALUE}", value(car)),
    said(
        "drives",
        "left",
        "sold",
        r"I (?:have )?sold my (?:old )?(?:car|(?P<value>[A-Z].*))",
        lambda match: (Value(one_name(match["value"] or "")),),
    ),
    said("studies_at", "state", "study", rf"I study (?:[\w ]+? )?at {VALUE}", value(_any_school)),
    said(
        "studies_at",
        "state",
        "student",
        rf"I am a (?:[\w-]+ ){{0,4}}student (?:at|in) {VALUE}",
        value(_any_school),
    ),
    said("studies_at", "state", "go attend", rf"I (?:go to|attend) {VALUE}", _school),
    said(
        "studies_at",
        "began",
        "enrolled started",
        rf"I (?:have )?(?:enrolled (?:at|in)|started (?:studying|school|college|university|uni|my \w+)(?: [\w ]+?)? at|started at) {VALUE}",
        _school,
    ),
    said(
        "studies_at",
        "left",
        "graduated dropped",
        rf"I (?:have )?(?:graduated|dropped out)(?: from| of) {VALUE}",
        value(_any_school),
    ),
    said(
        "graduated_from",
        "began",
        "graduated",
        rf"I (?:have )?graduated from {VALUE}",
        value(_any_school),
    ),
    said(
        "studies", "state", "study major", rf"I (?:study|major in|am majoring in) {VALUE}", _subject
    ),
    said("studies", "state", "major", rf"My major is {VALUE}", _subject),
    said("plays", "state", "play", rf"I (?:can )?play {VALUE}", value(_played)),
    said(
        "plays",
        "began",
        "playing play took taken picked learning",
        rf"I (?:have )?(?:(?:started|began) (?:playing|to play|learning)|took up|taken up|picked up) {VALUE}",
        value(_played),
    ),
    said(
        "practises",
        "state",
        "do practise practice",
        rf"I (?:do|practi[sc]e) {VALUE}",
        value(_practised),
    ),
    said(
        "practises",
        "began",
        "took taken started",
        rf"I (?:have )?(?:took up|taken up|started(?: doing| practi[sc]ing)?) {VALUE}",
        value(_practised),
    ),
    said(
        "plays",
        "left",
        "gave given quit stopped",
        rf"I (?:have )?(?:gave up|given up|quit|stopped)(?: playing)? {VALUE}",
        value(_played),
    ),
    said(
        "practises",
        "left",
        "gave given quit stopped",
        rf"I (?:have )?(?:gave up|given up|quit|stopped)(?: doing| practi[sc]ing)? {VALUE}",
        value(_practised),
    ),
    said("owns", "state", "own", rf"I own {VALUE}", value(possession)),
    said(
        "owns",
        "began",
        "bought purchased",
        rf"I (?:have )?(?:bought|purchased) (?:myself |ourselves )?{VALUE}",
        value(possession),
    ),
    said("uses", "state", "use", rf"I use {VALUE}", value(tool)),
    said(
        "uses",
        "began",
        "switched started using",
        rf"I (?:have )?(?:switched (?:over )?(?:from [\w. ]+? )?to|started using|began using) {VALUE}",
        value(tool),
    ),
    said(
        "uses",
        "left",
        "switched",
        rf"I (?:have )?switched (?:over )?from (?P<value>[\w.+# -]+?) to .+",
        value(tool),
    ),
    said("uses", "left", "instead", rf"I use .+? instead of {VALUE}", value(tool)),
    said(
        "commutes_by",
        "state",
        "cycle bike walk drive run jog",
        rf"I (?P<ride>cycle|bike|walk|drive|run|jog) to {_WORKSITE}{_ON_WEEKDAYS}",
        ride,
    ),
    said(
        "commutes_by",
        "state",
        "take ride catch",
        rf"I (?:take|ride|catch) (?:the|my|a) (?P<ride>[\w-]+)(?: to {_WORKSITE})?{_ON_WEEKDAYS}",
        ride,
    ),
    said(
        "commutes_by",
        "state",
        "commute",
        rf"I commute (?:by|on|via) (?:the |my )?(?P<ride>[\w-]+){_ON_WEEKDAYS}",
        ride,
    ),
    said(
        "commutes_by",
        "state",
        "go get",
        rf"I (?:go|get|come) to {_WORKSITE} (?:by|on) (?:the |my )?(?P<ride>[\w-]+){_ON_WEEKDAYS}",
        ride,
    ),
    said(
        "commutes_by",
        "began",
        "cycling biking walking driving running",
        rf"I (?:have )?(?:started|began) (?P<ride>cycling|biking|walking|driving|running) to {_WORKSITE}{_ON_WEEKDAYS}",
        ride,
    ),
    said(
        "commutes_by",
        "began",
        "taking",
        rf"I (?:have )?(?:started|began) taking (?:the|my|a) (?P<ride>[\w-]+)(?: to {_WORKSITE})?{_ON_WEEKDAYS}",
        ride,
    ),
    said(
        "commutes_by",
        "began",
        "switched",
        r"I (?:have )?switched to (?:the |my )?(?P<ride>tram|bus|train|metro|subway|bike|bicycle|car|ferry)",
        ride,
    ),
    said(
        "commutes_by",
        "stops",
        "cycle bike drive walk commute",
        r"I (?P<ride>cycle|bike|drive|walk)",
        ride,
    ),
    said(
        "located_in",
        "state",
        f"keep {' '.join(KEPT_THINGS)}",
        r"I keep (?P<whose>my|our|the) (?P<thing>[\w' -]+?) (?P<value>(?:in|under|on|behind|inside|at|above|below|beneath|with) .+)",
        _kept,
    ),
    said(
        "plans_to",
        "plans",
        "plan planning intend",
        rf"I (?:plan|am planning|intend) to {VALUE}",
        value(activity),
    ),
    said(
        "plans_to",
        "due",
        "going will",
        rf"I (?:am going to|will) (?=[a-z])(?!be\b|have\b|let\b|see\b|try\b|the\b|an?\b|my\b|our\b){VALUE}",
        value(activity),
    ),
    said(
        "plans_to", "due", " ".join(_DOING), rf"I am (?P<doing>{'|'.join(_DOING)}) {VALUE}", _doing
    ),
)
