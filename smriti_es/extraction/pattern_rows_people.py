"""Patterns of who somebody is, and whom they have."""

from smriti_es.extraction.pattern_form import (
    Pattern,
    began,
    begins,
    group,
    left,
    state,
    value,
    verbatim,
)
from smriti_es.extraction.pattern_people import (
    COUNTED_WORDS,
    KIN,
    counted,
    kin_names,
    pet_lost,
    whoever,
)
from smriti_es.extraction.pattern_shapes import age, birth_year, birthday, email, phone_number
from smriti_es.extraction.pattern_values import person, plain

_OLD = r"(?: years? (?:old|of age))"

_SELF = (
    *group("named", value(person), verbatim("name", "My (?:full |first |real )?name is …")),
    *group("goes_by", value(person), verbatim("go call calls", "I go by …")),
    *group(
        "birthday",
        value(birthday),
        verbatim("birthday", "My birthday is (?:on )?…"),
        verbatim("born", r"I was born (?:in [A-Z]\w+ )?on …"),
    ),
    *group("birth_year", value(birth_year), verbatim("born", "I was born in …")),
    *group(
        "aged",
        age,
        state("years year", rf"I am (?P<value>[\w -]+?){_OLD}(?P<rest>.*)"),
        state(" ".join(map(str, range(10, 100))), r"I am (?P<value>\d\d)(?P<rest>|,.*| and .*)"),
        began("turned", rf"I (?:have )?turned (?P<value>[\w-]+){_OLD}?(?P<rest>)"),
        begins(
            "turning turn",
            rf"I (?:am turning|will (?:be )?turn(?:ing)?|turn) (?P<value>[\w-]+){_OLD}?(?P<rest>)",
            "",
        ),
    ),
    *group("email", value(email), verbatim("mail email", "My e-?mail(?: address)? is …")),
    *group(
        "phone_number",
        value(phone_number),
        verbatim("number", "My (?:mobile |cell |tele)?(?:phone )?number is …"),
    ),
)

_GOT = "I (?:have )?(?:got|gotten)"
_SPLIT = r"(?:have |has )?(?:broke|broken|split) up"
_LOVER = r"(?:boyfriend|girlfriend|partner)"

_COUPLES = (
    *group(
        "married_to",
        value(person),
        state("married", "I am (?:happily )?married to …"),
        began("married", f"(?:{_GOT} married to|I (?:have )?married) …"),
    ),
    *group("married_to", whoever, left("divorced", f"(?:{_GOT}|I am) divorced(?: from …)?")),
    *group(
        "engaged_to",
        value(person),
        state("engaged", "I am engaged to …"),
        began("engaged", f"{_GOT} engaged to …"),
    ),
    *group("partner", value(person), state("date", "I date …")),
    *group(
        "partner",
        whoever,
        left("broke broken split", rf"I {_SPLIT}(?: with (?:my {_LOVER}|(?P<value>[A-Z]\w+)))?"),
        left(
            "broke broken split",
            rf"My {_LOVER}(?: (?P<value>[A-Z]\w+))? {_SPLIT}(?: with me)?",
        ),
    ),
    *group(
        "marital_status",
        plain,
        state(
            "married divorced widowed single",
            "I am (?:happily )?(?P<value>married|divorced|widowed|single)"
            "(?:,.*| (?:and|with|but) .*)?",
        ),
        began("married divorced", f"{_GOT} (?P<value>married|divorced)"),
    ),
)

_FAMILY = (
    *(
        found
        for predicate, words in COUNTED_WORDS.items()
        for found in group(predicate, counted(predicate), state(words, "I have …"))
    ),
    *group(
        "has_pet",
        counted("has_pet"),
        began(
            COUNTED_WORDS["has_pet"],
            "I (?:have )?(?:adopted|got|gotten|bought) …",
        ),
    ),
    *(
        found
        for predicate, words in KIN.items()
        for found in group(
            predicate,
            kin_names(predicate),
            verbatim(
                words.replace("|", " "),
                rf"My (?:\w+ )?(?P<kin>{words})(?:'s name is| is (?:called|named)) …",
            ),
        )
    ),
    *group(
        "has_pet",
        pet_lost,
        left(
            "died passed",
            rf"My (?:\w+ )?(?P<kin>{KIN['has_pet']})(?: (?P<name>[A-Z]\w+))? "
            "(?:has )?(?:died|passed away)",
        ),
    ),
)

PEOPLE: tuple[Pattern, ...] = (*_SELF, *_COUPLES, *_FAMILY)
