"""Patterns of who somebody is, and whom they have."""

from smriti_es.extraction.pattern_form import VALUE, planned, said, value, verbatim
from smriti_es.extraction.pattern_people import COUNTED_WORDS, KIN, counted, kin_names, pet_lost
from smriti_es.extraction.pattern_shapes import age, birth_year, birthday, email, phone_number
from smriti_es.extraction.pattern_values import Value, Values, person

_YEARS = "(?: years? (?:old|of age))"

SELF = (
    verbatim("named", "name", rf"My (?:full |first |real )?name is {VALUE}", value(person)),
    verbatim("goes_by", "go call calls", rf"I go by {VALUE}", value(person)),
    verbatim("birthday", "birthday", rf"My birthday is (?:on )?{VALUE}", value(birthday)),
    verbatim("birthday", "born", rf"I was born (?:in [A-Z]\w+ )?on {VALUE}", value(birthday)),
    verbatim("birth_year", "born", rf"I was born in {VALUE}", value(birth_year)),
    said("aged", "state", "years year", rf"I am (?P<value>[\w -]+?){_YEARS}(?P<rest>.*)", age),
    said(
        "aged",
        "state",
        " ".join(map(str, range(10, 100))),
        r"I am (?P<value>[1-9][0-9])(?P<rest>|,.*| and .*)",
        age,
    ),
    said(
        "aged", "began", "turned", rf"I (?:have )?turned (?P<value>[\w-]+){_YEARS}?(?P<rest>)", age
    ),
    planned(
        "aged",
        "turning turn",
        rf"I (?:am turning|will (?:be )?turn(?:ing)?|turn) (?P<value>[\w-]+){_YEARS}?(?P<rest>)",
        age,
        "",
    ),
    verbatim("email", "mail email", rf"My e-?mail(?: address)? is {VALUE}", value(email)),
    verbatim(
        "phone_number",
        "number",
        rf"My (?:mobile |cell |tele)?(?:phone )?number is {VALUE}",
        value(phone_number),
    ),
)


def _unnamed(_match: object) -> Values:
    return (Value(""),)


_SPLIT = r"(?:have |has )?(?:broke|broken|split) up"
_LOVER = r"(?:boyfriend|girlfriend|partner)"
_ORDER = tuple((predicate, words) for predicate, words in KIN.items())

FAMILY = (
    said("married_to", "state", "married", rf"I am (?:happily )?married to {VALUE}", value(person)),
    said(
        "married_to",
        "began",
        "married",
        rf"I (?:have )?(?:got(?:ten)? married to|married) {VALUE}",
        value(person),
    ),
    said("engaged_to", "state", "engaged", rf"I am engaged to {VALUE}", value(person)),
    said(
        "engaged_to",
        "began",
        "engaged",
        rf"I (?:have )?(?:got|gotten) engaged to {VALUE}",
        value(person),
    ),
    said("partner", "state", "date", rf"I date {VALUE}", value(person)),
    said(
        "marital_status",
        "state",
        "married divorced widowed single",
        r"I am (?:happily )?(?P<value>married|divorced|widowed|single)(?:,.*| (?:and|with|but|to) .*)?",
        lambda match: (Value(match["value"]),),
    ),
    said(
        "marital_status",
        "began",
        "married divorced",
        r"I (?:have )?(?:got|gotten) (?P<value>married|divorced)",
        lambda match: (Value(match["value"]),),
    ),
    said("married_to", "left", "divorced", r"I (?:have )?(?:got|gotten|am) divorced", _unnamed),
    said(
        "partner",
        "left",
        "broke broken split",
        rf"I (?:have )?{_SPLIT}(?: with (?:my {_LOVER}|(?P<value>[A-Z]\w+)))?",
        lambda match: (Value(match["value"] or ""),),
    ),
    said(
        "partner",
        "left",
        "broke broken split",
        rf"My {_LOVER}(?: [A-Z]\w+)?(?: and I)? {_SPLIT}(?: with me)?",
        _unnamed,
    ),
    *(
        said(predicate, "state", words, rf"I have {VALUE}", counted(predicate))
        for predicate, words in COUNTED_WORDS.items()
    ),
    said(
        "has_pet",
        "began",
        COUNTED_WORDS["has_pet"],
        rf"I (?:have )?(?:adopted|got|gotten|bought|rescued) {VALUE}",
        counted("has_pet"),
    ),
    *(
        verbatim(
            predicate,
            words.replace("|", " "),
            rf"My (?:\w+ )?(?P<kin>{words})(?:'s name is| is (?:called|named)) {VALUE}",
            kin_names(predicate),
        )
        for predicate, words in KIN.items()
    ),
    said(
        "has_pet",
        "left",
        "died passed",
        rf"My (?:\w+ )?(?P<kin>{KIN['has_pet']})(?: (?P<name>[A-Z]\w+))? (?:has )?(?:died|passed away)",
        pet_lost,
    ),
)
