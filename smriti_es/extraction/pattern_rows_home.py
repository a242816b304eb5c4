"""Patterns of where somebody lives, comes from, works and belongs."""

import re

from smriti_es.extraction.pattern_form import VALUE, planned, said, value
from smriti_es.extraction.pattern_values import (
    NOTHING,
    Value,
    Values,
    organisation,
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
    said("lives_in", "began", "moved relocated", rf"I (?:have )?(?:moved|relocated){_MOVED} to {VALUE}", value(place)),
    said("lives_in", "began", "settled", rf"I (?:have )?settled (?:down )?in {VALUE}", value(place)),
    planned("lives_in", "moving move relocating relocate", rf"I (?:am (?:moving|relocating|going to (?:move|relocate))|will (?:be )?(?:move|moving|relocate|relocating)){_MOVED} to {VALUE}", value(place), "move to {}"),
    said("lives_in", "left", "moved", rf"I (?:have )?moved (?:out of|away from) {VALUE}", value(place)),
    said("comes_from", "state", "from", rf"I (?:am|come|hail) (?:originally )?from {VALUE}", value(place)),
    said("born_in", "state", "born", rf"I was born (?:and raised )?in {VALUE}", value(place)),
    said("grew_up_in", "state", "grew", rf"I grew up in {VALUE}", value(place)),
)


def _role_of(match: re.Match[str]) -> Values:
    return role_and_employer(match["value"])[0]


def _employer_of(match: re.Match[str]) -> Values:
    return role_and_employer(match["value"])[1]


# "I am a student at", "a regular at", "a loss for": being that is no work.
_NO_WORK = re.compile(
    r"\b(?:student|member|regular|guest|volunteer|speaker|customer|fan|patient|finalist|resident"
    r"|citizen|lot|bit|pupil|parent|loss|party|dance|concert|visitor|newbie|beginner|kid|mess|sucker"
    r"|stranger|stop|moment|point|stage|place|loser|crossroads|time|natural|shoulder|match|advocate)\b"
)


def _professed(match: re.Match[str]) -> Values:
    employers = _employer_of(match)
    if employers and employers[0].object[0].isupper() and not _NO_WORK.search(match["value"]):
        return employers
    return NOTHING


def _professed_role(match: re.Match[str]) -> Values:
    return _role_of(match) if _professed(match) else NOTHING


def _joined(match: re.Match[str]) -> Values:
    # "I joined Ana for lunch": an employer stands alone, or with what one joined it as.
    found = organisation(re.sub(r" as (?:an?|the|their|head|chief) .*", "", match["value"]))
    alone = re.sub(r" as .*|[,.].*", "", match["value"]).strip()
    return found if found and found[0].object == alone and alone[0].isupper() else NOTHING


def _job_left(match: re.Match[str]) -> Values:
    at = re.match(r" (?:at|with|from|by) (.+)", match["rest"])
    return (organisation(at[1]) if at else NOTHING) or (Value(""),)


_HIRED = (
    r"(?:(?:have )?(?:got|gotten|landed|took|taken|accepted|started) (?:an?|the|my) (?:new |dream |first )?"
    r"(?:job|position|role|internship)|(?:was|am|got) hired|(?:have )?(?:started|began)(?: working| work)?)"
)
_START = r"(?:am (?:starting|going to start)|will (?:be )?(?:start|starting)|start)(?: working| work| (?:my|a) (?:new )?job)?"
_JOIN = r"(?:am (?:joining|going to join)|will (?:be )?(?:join|joining))"
_TRANSFER = r"(?:am (?:moving|transferring|going to (?:move|transfer))|will (?:be )?(?:move|moved|moving|transfer|transferred))"
_TRANSFERRED = r"(?:was |got |have (?:been )?|am )?(?:moved|transferred|switched)"

WORK = (
    said("works_at", "state", "work", rf"I work (?:(?:full|part)[- ]time |remotely )?(?:at|for) {VALUE}", value(organisation)),
    said("works_at", "state", "work", rf"I work in [\w& ]+? (?:at|for) {VALUE}", value(organisation)),
    said("works_at", "state", "work", rf"I work as {VALUE}", _employer_of),
    said("works_at", "state", "employed", rf"I am employed (?:at|by) {VALUE}", value(organisation)),
    said("works_at", "state", "employer", rf"My employer is {VALUE}", value(organisation)),
    said("works_at", "state", "at", r"I am (?P<value>(?:an?|the) .+)", _professed),
    said("works_at", "began", "joined", rf"I (?:have )?joined {VALUE}", _joined),
    said("works_at", "began", "started began job position role internship hired", rf"I {_HIRED}(?: as .+?)? (?:at|for|with|by) {VALUE}", value(organisation)),
    planned("works_at", "starting start", rf"I {_START}(?: as .+?)? (?:at|for|with) {VALUE}", value(organisation), "start at {}"),
    planned("works_at", "join joining", rf"I {_JOIN} {VALUE}", _joined, "join {}"),
    said("works_at", "left", "job", r"I (?:have )?(?:quit|left|lost|resigned from) my (?:\w+ )?job(?P<rest>| .+)", _job_left),
    said("works_at", "left", "laid fired", r"I (?:was|got|am) (?:laid off|fired)(?P<rest>| .+)", _job_left),
    said("works_at", "left", "resigned retired", r"I (?:have )?(?:resigned|retired)(?P<rest>| from [A-Z].+)", _job_left),
    said("job_title", "state", "work employed", rf"I (?:work|am employed) as {VALUE}", _role_of),
    said("job_title", "state", "profession trade training", r"I am (?P<value>(?:an? )?.+?) by (?:profession|trade|training)", value(role)),
    said("job_title", "state", "title", rf"My job title is {VALUE}", value(role)),
    said("job_title", "state", "at", r"I am (?P<value>(?:an?|the) .+)", _professed_role),
    said("job_title", "began", "started began job position role hired internship joined", rf"I (?:{_HIRED}|joined)(?: (?:(?:at|for|with|by) )?[A-Z][\w& ]*?)? as {VALUE}", _role_of),
    said("job_title", "began", "promoted", rf"I (?:was|got|am) promoted to {VALUE}", value(role)),
    said("job_title", "began", "became", r"I became (?P<value>(?:an?|the) .+)", _professed_role),
    said("assigned_to", "state", "assigned", rf"I am (?:re-?)?assigned to {VALUE}", value(team_or_name)),
    said("assigned_to", "state", "team squad project", rf"I am (?:on|in|part of) {VALUE}", value(team)),
    said("assigned_to", "began", "assigned reassigned", rf"I (?:was|got) (?:re-?)?assigned to {VALUE}", value(team_or_name)),
    said("assigned_to", "began", "moved transferred switched joined", rf"I (?:{_TRANSFERRED} to|joined) {VALUE}", value(team)),
    planned("assigned_to", "moving move moved transferring transferred join joining", rf"I (?:{_TRANSFER} to|{_JOIN}) {VALUE}", value(team), "join {}"),
)
