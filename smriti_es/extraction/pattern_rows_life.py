"""Patterns of where somebody lives and works, who they are, and whom they have."""

import re

from smriti_es.extraction.pattern_form import VALUE, Pattern, planned, said, value, verbatim
from smriti_es.extraction.pattern_people import KIN_WORDS, counted, kin_named
from smriti_es.extraction.pattern_selves import age, birth_year, birthday, email, phone_number
from smriti_es.extraction.pattern_values import (
    NOTHING,
    Value,
    Values,
    organisation,
    person,
    place,
    role,
    role_and_employer,
    team,
    team_or_name,
)

_MOVED = r"(?: back| over| here| out| up| down| away)*(?: from [A-Z][\w' ,-]*?)?"

HOME = (
    said("lives_in", "state", "live reside", rf"I (?:live|reside) (?:here )?in {VALUE}", value(place)),
    said("lives_in", "state", "based", rf"I am based (?:in|out of) {VALUE}", value(place)),
    said("lives_in", "state", "home", rf"My home is in {VALUE}", value(place)),
    said(
        "lives_in",
        "began",
        "moved relocated",
        rf"I (?:have )?(?:moved|relocated){_MOVED} to {VALUE}",
        value(place),
    ),
    said("lives_in", "began", "settled", rf"I (?:have )?settled (?:down )?in {VALUE}", value(place)),
    planned(
        "lives_in",
        "moving move relocating relocate",
        r"I (?:am (?:moving|relocating|going to (?:move|relocate))|will (?:be )?(?:mov(?:e|ing)"
        rf"|relocat(?:e|ing))){_MOVED} to {VALUE}",
        value(place),
        "move to {}",
    ),
    said("lives_in", "left", "moved", rf"I (?:have )?moved (?:out of|away from) {VALUE}", value(place)),
    said("comes_from", "state", "from", rf"I (?:am|come|hail) (?:originally )?from {VALUE}", value(place)),
    said("born_in", "state", "born", rf"I was born (?:and raised )?in {VALUE}", value(place)),
    said("grew_up_in", "state", "grew", rf"I grew up in {VALUE}", value(place)),
)


def _role_alone(match: re.Match[str]) -> Values:
    return role_and_employer(match["value"])[0]


def _employer_alone(match: re.Match[str]) -> Values:
    return role_and_employer(match["value"])[1]


_NO_ROLE = re.compile(
    r"\b(?:student|member|regular|guest|volunteer|speaker|customer|fan|patient|finalist|resident"
    r"|citizen|lot|bit|pupil|parent|loss|party|dance|concert|visitor|newbie|beginner|kid|mess"
    r"|stranger|stop|moment|point|stage|place|loser|crossroads|time|pro|natural|expert)\b"
)


def _professed(match: re.Match[str]) -> bool:
    employers = _employer_alone(match)
    return bool(employers) and employers[0].object[0].isupper() and not _NO_ROLE.search(match["value"])


def _professed_role(match: re.Match[str]) -> Values:
    return _role_alone(match) if _professed(match) else NOTHING


def _professed_employer(match: re.Match[str]) -> Values:
    return _employer_alone(match) if _professed(match) else NOTHING


def _job_left(match: re.Match[str]) -> Values:
    at = re.match(r" (?:at|with|from|by) (.+)", match["rest"])
    named = organisation(at[1]) if at else NOTHING
    return named or (Value(""),)


_HIRED = (
    r"(?:(?:have )?(?:got|gotten|landed|took|taken|accepted|started) (?:a|an|the|my) (?:new |dream |first )?"
    r"(?:job|position|role|internship)|(?:was|am|got) (?:hired|promoted)|(?:have )?started(?: working| work)?)"
)
_AT = "(?:at|for|with)"

WORK = (
    said("works_at", "state", "work", rf"I work (?:(?:full|part)[- ]time |remotely )?(?:at|for) {VALUE}", value(organisation)),
    said("works_at", "state", "work", rf"I work in [\w& ]+? (?:at|for) {VALUE}", value(organisation)),
    said("works_at", "state", "work", rf"I work as (?P<value>(?:an? |the )?.+)", _employer_alone),
    said("works_at", "state", "employed", rf"I am employed (?:at|by) {VALUE}", value(organisation)),
    said("works_at", "state", "employer", rf"My employer is {VALUE}", value(organisation)),
    said("works_at", "state", "at for", rf"I am (?P<value>(?:an?|the) .+)", _professed_employer),
    said("works_at", "began", "joined", rf"I (?:have )?joined {VALUE}", lambda match: _joined(match["value"])),
    said("works_at", "began", "started job position role internship hired", rf"I {_HIRED}(?: as .+?)? (?:at|for|with|by) {VALUE}", value(organisation)),
    planned("works_at", "starting start join joining work", r"I (?:am (?:starting|going to start)|will (?:be )?start(?:ing)?|start)(?: working| work| (?:my|a) (?:new )?job)?" rf"(?: as .+?)? {_AT} {VALUE}", value(organisation), "start at {}"),
    planned("works_at", "join joining", rf"I (?:am (?:joining|going to join)|will (?:be )?join(?:ing)?) {VALUE}", lambda match: _joined(match["value"]), "join {}"),
    said("works_at", "left", "job", r"I (?:have )?(?:quit|left|lost|resigned from) my (?:\w+ )?job(?P<rest>| .+)", _job_left),
    said("works_at", "left", "laid fired", r"I (?:was|got|am) (?:laid off|fired)(?P<rest>| .+)", _job_left),
    said("works_at", "left", "resigned retired", r"I (?:have )?(?:resigned|retired)(?P<rest>| from .+)", _job_left),
    said("job_title", "state", "work employed", rf"I (?:work|am employed) as {VALUE}", _role_alone),
    said("job_title", "state", "profession trade training", r"I am (?P<value>(?:an? )?.+?) by (?:profession|trade|training)", value(role)),
    said("job_title", "state", "title", rf"My job title is {VALUE}", value(role)),
    said("job_title", "state", "at for", rf"I am (?P<value>(?:an?|the) .+)", _professed_role),
    said("job_title", "began", "started job position role hired joined internship", rf"I (?:{_HIRED}|joined [A-Z][\w& ]*?)(?: (?:at|for|with|by) [A-Z][\w& ]*?)? as {VALUE}", _role_alone),
    said("job_title", "began", "promoted", rf"I (?:was|got|am) promoted to {VALUE}", value(role)),
    said("job_title", "began", "became", rf"I became (?P<value>(?:an?|the) .+)", _professed_role),
    said("assigned_to", "state", "assigned", rf"I am (?:re-?)?assigned to {VALUE}", value(team_or_name)),
    said("assigned_to", "state", "team squad project", rf"I am (?:on|part of) (?P<value>(?:the )?.+)", value(team)),
    said("assigned_to", "began", "assigned reassigned re", rf"I (?:was|got) (?:re-?)?assigned to {VALUE}", value(team_or_name)),
    said("assigned_to", "began", "moved transferred switched joined", rf"I (?:(?:was |got |have |am )?(?:moved|transferred|switched) to|joined) {VALUE}", value(team)),
    planned("assigned_to", "moving move joining join transferring", rf"I (?:am (?:moving|joining|transferring|going to (?:move|join))|will (?:be )?(?:mov(?:e|ed)|join|transferred))(?: to)? {VALUE}", value(team), "join {}"),
)


def _joined(text: str) -> Values:
    # "I joined Ana for lunch": an employer stands alone, or with what one joined it as.
    found = organisation(re.sub(r" as (?:an?|the|their|head|chief) .*", "", text))
    whole = re.sub(r" as .*|[,.].*", "", text).strip() == (found[0].object if found else "")
    return found if whole and found[0].object[0].isupper() else NOTHING


SELF = (
    verbatim("named", "name", rf"My (?:full |first |real )?name is {VALUE}", value(person)),
    verbatim("goes_by", "go call calls", rf"I go by {VALUE}", value(person)),
    verbatim("birthday", "birthday", rf"My birthday is (?:on )?{VALUE}", value(birthday)),
    verbatim("birthday", "born", rf"I was born (?:in [A-Z]\w+ )?on {VALUE}", value(birthday)),
    verbatim("birth_year", "born", rf"I was born in {VALUE}", value(birth_year)),
    said("aged", "state", "years year", rf"I am (?P<value>[\w -]+?) years? (?:old|of age)(?P<rest>.*)", age),
    said("aged", "state", "am m im is", rf"I am (?P<value>[1-9][0-9])(?P<rest>$|,.*| and .*)", age),
    said("aged", "began", "turned", rf"I (?:have )?turned (?P<value>[\w-]+)(?: years old)?(?P<rest>)", age),
    planned("aged", "turning turn", rf"I (?:am turning|will (?:be )?turn(?:ing)?|turn) (?P<value>[\w-]+)(?P<rest>)", age, ""),
    verbatim("email", "mail email", rf"My e-?mail(?: address)? is {VALUE}", value(email)),
    verbatim("phone_number", "number", rf"My (?:tele|mobile |cell )?(?:phone )?number is {VALUE}", value(phone_number)),
)

_MARITAL = r"(?P<value>married|divorced|widowed|single)(?! |-)"
FAMILY = (
    said("married_to", "state", "married", rf"I am married to {VALUE}", value(person)),
    said("married_to", "began", "married", rf"I (?:have )?(?:got )?married (?:to )?{VALUE}", value(person)),
    said("engaged_to", "state", "engaged", rf"I am engaged to {VALUE}", value(person)),
    said("engaged_to", "began", "engaged", rf"I got engaged to {VALUE}", value(person)),
    said("partner", "state", "date", rf"I date {VALUE}", value(person)),
    said("marital_status", "state", "married divorced widowed single", rf"I am (?:happily )?{_MARITAL}.*", lambda match: (Value(match["value"]),)),
    said("marital_status", "began", "married divorced", r"I (?:have )?(?:got|gotten) (?P<value>married|divorced)", lambda match: (Value(match["value"]),)),
    said("married_to", "left", "divorced", rf"I (?:have )?(?:got|gotten|am) divorced", lambda _: (Value(""),)),
    said("partner", "left", "broke broken split", r"I (?:have )?(?:broke|broken|split) up(?: with (?:my (?:boyfriend|girlfriend|partner)|(?P<value>[A-Z]\w+)))?", lambda match: (Value(match["value"] or ""),)),
    said("partner", "left", "broke broken split", r"My (?:boyfriend|girlfriend|partner)(?: [A-Z]\w+)?(?: and I)? (?:have )?(?:broke|broken|split) up(?: with me)?", lambda _: (Value(""),)),
    said("has_child", "state", "have", rf"I have {VALUE}", counted("has_child")),
    said("has_sibling", "state", "have", rf"I have {VALUE}", counted("has_sibling")),
    said("has_pet", "state", "have", rf"I have {VALUE}", counted("has_pet")),
    said("has_pet", "began", "adopted got bought rescued", rf"I (?:have )?(?:adopted|got|gotten|bought|rescued) {VALUE}", counted("has_pet")),
    *(
        verbatim(predicate, words, rf"My (?:\w+ )?{kin_named(words)} {VALUE}", read)
        for predicate, words, read in KIN_WORDS
    ),
    said("has_pet", "left", "died passed away", r"My (?:\w+ )?(?P<species>[a-z-]+)(?: (?P<name>[A-Z]\w+))? (?:has )?(?:died|passed away)", lambda match: _pet_lost(match)),
)
