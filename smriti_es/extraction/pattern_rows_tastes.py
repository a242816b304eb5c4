"""Patterns of what somebody likes and prefers, eats and avoids, and suffers from."""

from smriti_es.extraction.pattern_form import (
    Pattern,
    began,
    ceased,
    group,
    left,
    state,
    value,
    verbatim,
)
from smriti_es.extraction.pattern_likings import likings, pastimes
from smriti_es.extraction.pattern_tastes import (
    allergens,
    avoided,
    choice,
    compared,
    condition,
    consumed,
    diagnosed,
    diet,
    favoured,
    feeling,
    preferred,
    smoking,
)
from smriti_es.extraction.pattern_values import plain
from smriti_es.extraction.pattern_words import CONDITIONS, DIETS
from smriti_es.extraction.predicates import NEGATIVE, POSITIVE

_BIG = r"(?:a )?(?:(?:big|huge|massive|great|real|total|avid|lifelong) )*"
_FOND = r"(?:into|fond of|crazy about|keen on|obsessed with|passionate about)"
_KIND = r"(?P<kind>(?:[\w-]+ ){0,2}?[\w-]+)"

_TASTES = (
    *group(
        "favourite_",
        favoured,
        verbatim(
            "favourite favorite",
            rf"My (?:absolute |current |own )?favourite {_KIND} (?P<is>is|are) …",
        ),
    ),
    *group(
        "",
        feeling(POSITIVE, likings),
        state("love like enjoy adore", "I (?P<verb>love|like|enjoy|adore) …"),
        state("fan", f"I am {_BIG}fan of …"),
        state("favourite favorite", rf"One of my favourite {_KIND} is …"),
        state("into fond crazy keen obsessed passionate", f"I am (?:big )?{_FOND} …"),
        began("love", "I (?:have )?(?:fell|fallen) in love with …"),
        began(
            "like love enjoy",
            "I (?:have )?(?:started|come|came|grown|grew|learned|began) to"
            " (?P<verb>like|love|enjoy) …",
        ),
    ),
    *group(
        "",
        feeling(POSITIVE, pastimes),
        state("love like enjoy", "I (?P<verb>love|like|enjoy) to …"),
    ),
    *group(
        "",
        feeling(NEGATIVE, likings),
        state(
            "hate dislike detest despise loathe",
            "I (?P<verb>hate|dislike|detest|despise|loathe) …",
        ),
        state("stand bear", "I (?P<verb>can not (?:stand|bear)) …"),
        state("like enjoy", "I (?P<verb>do not (?:like|enjoy)) …"),
        state("liked", "I (?:have )?(?P<verb>never liked) …"),
        state("fan", f"I am not {_BIG}fan of …"),
        state("into fond keen", "I am not (?:into|fond of|keen on) …"),
    ),
    *group("prefers", preferred, verbatim("prefer", "I prefer …")),
    *group(
        "prefers",
        compared,
        state(
            "like love enjoy",
            "I (?:like|love|enjoy) (?P<one>.+?) (?:more|better) than (?P<other>.+)",
        ),
    ),
    *group(
        "primary_",
        choice,
        state("main primary default", f"My (?P<rank>main|primary|default) {_KIND} is …"),
    ),
    *group("preferred_", choice, state("preferred", f"My (?P<rank>preferred|go-to) {_KIND} is …")),
)

_VERY = r"(?:(?:severely|highly|very|deathly|mildly|extremely|super) )?"
_DIET = rf"(?:an? |fully |a strict |strictly )?(?P<value>{'|'.join(DIETS)})"
_ASIDE = r"(?:,.*| (?:and|but|because|so|with|for) .*)?"
_REGIMES = "keto|ketogenic|paleo|kosher|halal|plant-based|gluten-free|low-carb|mediterranean"
_GAVE_UP = r"I (?:have )?(?:gave up|given up|quit|cut out|cut)"

_HEALTH = (
    *group(
        "allergic_to",
        value(allergens),
        state("allergic", f"I am {_VERY}allergic to …"),
        state("allergy", "I have an? (?:severe |bad |mild )?allergy to …"),
        state("allergy", "I have an? (?:severe |bad |mild )?(?P<value>[a-z]+) allergy"),
    ),
    *group(
        "intolerant_to",
        plain,
        state("intolerant", "I am (?P<value>lactose|gluten|fructose|histamine)[- ]intolerant.*"),
    ),
    *group(
        "has_condition",
        condition,
        state(
            " ".join(CONDITIONS),
            r"I have (?P<value>(?:(?:mild|severe|chronic|type [12]) )?(?P<name>[\w-]+)"
            "(?: disease)?)",
        ),
    ),
    *group(
        "has_condition", value(diagnosed), began("diagnosed", "I (?:was|got|am) diagnosed with …")
    ),
    *group(
        "diet",
        diet,
        state(" ".join(DIETS), f"I am {_DIET}{_ASIDE}"),
        began(
            " ".join(DIETS), f"I (?:became|went|turned|have (?:become|gone|turned)) {_DIET}{_ASIDE}"
        ),
    ),
    *group(
        "diet",
        plain,
        state(
            _REGIMES.replace("|", " "),
            rf"I (?:eat|follow|keep|am on) (?:an? )?(?:strict )?(?P<value>{_REGIMES})(?: diet)?",
        ),
    ),
    *group(
        "avoids",
        value(avoided),
        state("eat drink", "I (?:do not|never) (?:eat|drink) …"),
        ceased("eat drink", "I (?:eat|drink) …"),
    ),
    *group(
        "avoids",
        value(consumed),
        state("avoid", "I avoid …"),
        began("gave given quit cut", f"{_GAVE_UP} …"),
        began("stopped", "I (?:have )?stopped (?P<value>smoking|vaping)"),
    ),
    *group(
        "smokes",
        smoking,
        state("smoke", "I smoke(?: cigarettes)?"),
        left("smoking", f"(?:{_GAVE_UP}|I (?:have )?stopped) smoking"),
    ),
)

TASTES: tuple[Pattern, ...] = (*_TASTES, *_HEALTH)
