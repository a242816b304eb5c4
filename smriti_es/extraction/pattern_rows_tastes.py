"""Patterns of what somebody likes and prefers, eats and avoids, and suffers from."""

import re
from collections.abc import Callable

from smriti_es.extraction.pattern_form import VALUE, Pattern, Reader, Tense, said, value, verbatim
from smriti_es.extraction.pattern_likings import favourite, likings, pastimes
from smriti_es.extraction.pattern_shapes import avoided, choice, consumed
from smriti_es.extraction.pattern_values import NOTHING, Value, Values, cut
from smriti_es.extraction.pattern_words import CONDITIONS, DIETS

LIKES = {
    **{"love": "loves", "like": "likes", "enjoy": "enjoys", "adore": "adores"},
    **{"hate": "hates", "dislike": "dislikes", "detest": "detests", "despise": "despises"},
    **{"loathe": "loathes", "can not stand": "cannot stand", "can not bear": "cannot bear"},
    **{"do not like": "does not like", "do not enjoy": "does not enjoy"},
    **{"never liked": "never liked", "have never liked": "never liked"},
}


def _feels(polarity: str, read: Callable[[str], Values]) -> Reader:
    def feeling(match: re.Match[str]) -> Values:
        verb = match.groupdict().get("verb") or ""
        says = LIKES.get(verb, "likes" if polarity == "positive" else "does not like")
        found = read(match["value"])
        return tuple(Value(polarity, f"{says} {one.object}", one.key) for one in found)

    return feeling


def _liking(
    tense: Tense, triggers: str, form: str, read: Callable[[str], Values] = likings
) -> Pattern:
    return said("attitude_to:", tense, triggers, form, _feels("positive", read))


def _disliking(triggers: str, form: str, read: Callable[[str], Values] = likings) -> Pattern:
    return said("attitude_to:", "state", triggers, form, _feels("negative", read))


def _favoured(match: re.Match[str]) -> Values:
    return favourite(match["kind"], match["value"])


def _preferred(match: re.Match[str]) -> Values:
    both = re.fullmatch(
        r"(.+?) (?:to|over|rather than|instead of|more than|better than) (.+)", match["value"]
    )
    one, other = (
        likings(both[1] if both else match["value"]),
        likings(cut(both[2])) if both else NOTHING,
    )
    if len(one) != 1 or (both and len(other) != 1):
        return NOTHING
    return (Value(f"{one[0].object} over {other[0].object}" if both else one[0].object),)


def _compared(match: re.Match[str]) -> Values:
    one, other = likings(match["one"]), likings(cut(match["other"]))
    if len(one) != 1 or len(other) != 1:
        return NOTHING
    return (Value(f"{one[0].object} over {other[0].object}"),)


_BIG = r"(?:a )?(?:(?:big|huge|massive|great|real|total|avid|lifelong) )*"

TASTES = (
    verbatim(
        "favourite_",
        "favourite favorite",
        rf"My (?:absolute |current |own )?favourite (?P<kind>[\w-]+(?: [\w-]+){{0,2}}) (?:is|are|has been|remains) {VALUE}",
        _favoured,
    ),
    _liking("state", "love like enjoy adore", rf"I (?P<verb>love|like|enjoy|adore) {VALUE}"),
    _liking("state", "love like enjoy", rf"I (?P<verb>love|like|enjoy) to {VALUE}", pastimes),
    _liking("state", "fan", rf"I am {_BIG}fan of {VALUE}"),
    _liking(
        "state",
        "into fond crazy keen obsessed passionate",
        rf"I am (?:big )?(?:into|fond of|crazy about|keen on|obsessed with|passionate about) {VALUE}",
    ),
    _liking("began", "love", rf"I (?:have )?(?:fell|fallen) in love with {VALUE}"),
    _liking(
        "began",
        "like love enjoy",
        rf"I (?:have )?(?:started|come|came|grown|grew|learned|began) to (?P<verb>like|love|enjoy) {VALUE}",
    ),
    _disliking(
        "hate dislike detest despise loathe",
        rf"I (?P<verb>hate|dislike|detest|despise|loathe) {VALUE}",
    ),
    _disliking("stand bear", rf"I (?P<verb>can not (?:stand|bear)) {VALUE}"),
    _disliking("like enjoy", rf"I (?P<verb>do not (?:like|enjoy)) {VALUE}"),
    _disliking("liked", rf"I (?P<verb>(?:have )?never liked) {VALUE}"),
    _disliking("fan", rf"I am not {_BIG}fan of {VALUE}"),
    _disliking("into fond keen", rf"I am not (?:into|fond of|keen on) {VALUE}"),
    verbatim("prefers", "prefer prefers", rf"I prefer {VALUE}", _preferred),
    said(
        "prefers",
        "state",
        "like love enjoy",
        r"I (?:like|love|enjoy) (?P<one>.+?) (?:more|better) than (?P<other>.+)",
        _compared,
    ),
    said(
        "primary_",
        "state",
        "main primary default",
        r"My (?P<rank>main|primary|default) (?P<kind>(?:[\w-]+ ){0,2}?[\w-]+) is (?P<value>.+)",
        choice,
    ),
    said(
        "preferred_",
        "state",
        "preferred go",
        r"My (?P<rank>preferred|go-to) (?P<kind>(?:[\w-]+ ){0,2}?[\w-]+) is (?P<value>.+)",
        choice,
    ),
)


def _allergens(text: str) -> Values:
    if re.search(
        r"\b(?:mornings?|mondays?|work|drama|stupidity|nonsense|bullshit|boredom|effort|fun)\b",
        text,
        re.IGNORECASE,
    ):
        return NOTHING
    return tuple(Value(one.object) for one in likings(text))


def _condition(match: re.Match[str]) -> Values:
    return (Value(match["value"]),) if match["name"].lower() in CONDITIONS else NOTHING


def _diagnosed(text: str) -> Values:
    found = likings(text)
    return (Value(found[0].object),) if len(found) == 1 else NOTHING


def _diet(match: re.Match[str]) -> Values:
    diet = DIETS[match["value"].lower()]
    return (Value(diet),)


_DIET = rf"(?:an? |fully |a strict |strictly )?(?P<value>{'|'.join(DIETS)})(?:,.*| (?:and|but|because|so|with|for) .*)?"
_REGIME = "keto|ketogenic|paleo|kosher|halal|plant-based|gluten-free|low-carb|vegan|vegetarian|mediterranean|low-sodium"
_GAVE_UP = r"I (?:have )?(?:gave up|given up|quit|cut out|cut) "

HEALTH = (
    said(
        "allergic_to",
        "state",
        "allergic",
        rf"I am (?:severely |highly |very |deathly |mildly )?allergic to {VALUE}",
        value(_allergens),
    ),
    said(
        "allergic_to",
        "state",
        "allergy",
        rf"I have an? (?:severe |bad |mild )?allergy to {VALUE}",
        value(_allergens),
    ),
    said(
        "allergic_to",
        "state",
        "allergy",
        r"I have an? (?:severe |bad |mild )?(?P<value>[a-z]+) allergy",
        value(_allergens),
    ),
    said(
        "intolerant_to",
        "state",
        "intolerant",
        r"I am (?P<value>lactose|gluten|fructose|histamine)[- ]intolerant",
        lambda match: (Value(match["value"]),),
    ),
    said(
        "has_condition",
        "state",
        "have",
        r"I have (?P<value>(?:mild |severe |chronic |type [12] )?(?P<name>[\w-]+)(?: disease)?)",
        _condition,
    ),
    said(
        "has_condition",
        "began",
        "diagnosed",
        rf"I (?:was|got|am) diagnosed with {VALUE}",
        value(_diagnosed),
    ),
    said("diet", "state", " ".join(DIETS), rf"I am {_DIET}", _diet),
    said(
        "diet",
        "began",
        " ".join(DIETS),
        rf"I (?:became|went|turned|have (?:become|gone|turned)) {_DIET}",
        _diet,
    ),
    said(
        "diet",
        "state",
        "eat follow keep on diet",
        rf"I (?:eat|follow|keep|am on) (?:an? )?(?:strict )?(?P<value>{_REGIME})(?: diet)?",
        lambda match: (Value(match["value"]),),
    ),
    said(
        "avoids", "state", "eat drink", rf"I (?:do not|never) (?:eat|drink) {VALUE}", value(avoided)
    ),
    said("avoids", "state", "avoid", rf"I avoid {VALUE}", value(consumed)),
    said("avoids", "ceased", "eat drink smoke", rf"I (?:eat|drink) {VALUE}", value(avoided)),
    said("avoids", "began", "gave given quit cut", rf"{_GAVE_UP}{VALUE}", value(consumed)),
    said(
        "smokes",
        "state",
        "smoke",
        r"I smoke(?: cigarettes)?",
        lambda _: (Value("yes", " cigarettes"),),
    ),
    said(
        "smokes",
        "left",
        "smoking",
        rf"(?:{_GAVE_UP}|I (?:have )?stopped )smoking",
        lambda _: (Value("yes", " cigarettes"),),
    ),
)
