"""Reads employers, roles, teams and clubs off the end of a statement."""

import re

from smriti_es.extraction.pattern_values import (
    HARMLESS,
    NOTHING,
    Value,
    Values,
    called,
    one_name,
    with_article,
)
from smriti_es.extraction.pattern_words import (
    ACRONYM_PLACES,
    NOT_EMPLOYERS,
    NOT_NAMES,
    REGIONS,
    SOFTWARE,
    WORKPLACES,
)

_PLACES = "|".join(sorted(WORKPLACES, key=len, reverse=True))
_WORKPLACE = re.compile(rf"an? (?:[\w'-]+ ){{0,3}}?(?:{_PLACES})\b")
_SAYING_NOTHING = re.compile(
    r"an? (?:new |different |big |small |great )*(?:company|firm|office|place)"
)
_ORGANISED = re.compile(
    r"[A-Z]{2}|[a-z][A-Z]|[0-9]|\b(?:Inc|Ltd|Labs?|Group|Bank|University|College|School|Hospital"
    r"|Institute|Technologies|Systems|Software|Health|Studios?|Partners|Consulting|Industries"
    r"|Foundation|Airlines|Airways|Energy|Motors|Media|Capital|Ventures|Army|Navy|Company)\b"
)
_PLAIN = re.compile(r"^(?:my|our|a (?:company|startup|firm|place) (?:called|named)) ")


def organisation(text: str) -> Values:
    """Read an employer or a school: "Siemens", "the University of Oslo", "a small bakery"."""
    name = one_name(_PLAIN.sub("", text))
    if name:
        first = name.removeprefix("the ").split(" ")[0].lower()
        return NOTHING if first in NOT_EMPLOYERS else (Value(name),)
    kind = _WORKPLACE.match(text)
    if kind is None:
        return NOTHING
    rest = text[kind.end() :].strip()
    if own_name := called(rest):
        return (Value(own_name),)
    plain = _SAYING_NOTHING.fullmatch(kind[0]) or not (
        HARMLESS.match(rest) or re.match(r"(?:in|near) [A-Z]", rest)
    )
    return NOTHING if plain else (Value(kind[0]),)


_NOT_A_ROLE = re.compile(
    r"(?:lot|bit|team|part|unit|result|kid|child|way|hobby|treat|gift|group|couple)(?: of .*)?"
)
_GOING_ON = r"(?:at|for|in|with|and|but|of|on|by|who|to|from|so|because|which|that)"
_ROLE = re.compile(
    rf"(?P<article>an? |the |my )?(?P<role>[A-Za-z][\w'/&-]*"
    rf"(?: (?!{_GOING_ON}\b)[A-Za-z][\w'/&-]*){{0,3}}(?: of [A-Za-z]\w*(?: [A-Z]\w*)?)?)"
    rf"(?P<rest>$|,.*| (?:at|for|in|with|and|but|on|by|who|to|from|so|because)\b.*)"
)
_SOMEBODY = re.compile(r"\b(?:you|it|this|that|him|her|them|my|well|much|usual|hard|fast|always)\b")


def role(text: str) -> Values:
    """Read what somebody works as: "a nurse", "Head of Sales at Acme" without the employer."""
    match = _ROLE.fullmatch(text)
    if match is None or _SOMEBODY.search(match["role"]) or _NOT_A_ROLE.fullmatch(match["role"]):
        return NOTHING
    article = "" if match["article"] in (None, "my ") else match["article"]
    return (Value(match["role"], f"{article}{match['role']}"),)


def role_of(match: re.Match[str]) -> Values:
    """Read the role in "a nurse at St. Mary's"."""
    return role(match["value"])


def employer_of(match: re.Match[str]) -> Values:
    """Read the employer in "a nurse at St. Mary's"."""
    whole = _ROLE.fullmatch(match["value"]) if role(match["value"]) else None
    at = re.match(r" (?:at|for|with) (.+)", whole["rest"]) if whole else None
    return organisation(at[1]) if at else NOTHING


# "I am a student at", "a regular at", "a loss for": being that is no work.
_NO_WORK = re.compile(
    r"\b(?:student|member|regular|guest|volunteer|speaker|customer|fan|patient|finalist|resident"
    r"|citizen|lot|bit|pupil|parent|loss|party|dance|concert|visitor|newbie|beginner|kid|mess|sucker"
    r"|stranger|stop|moment|point|stage|place|loser|crossroads|time|natural|shoulder|match|advocate"
    r"|big|huge|great|better|winner|hit|friend|god|master|pro|child|guy|girl|man|woman|person|client"
    r"|shareholder|investor|candidate|applicant|attendee|contestant|donor|subscriber|one)\b",
    re.IGNORECASE,
)


def professed_employer(match: re.Match[str]) -> Values:
    """Read the employer in "I am a nurse at Charité"; one without a name is too little to go by."""
    employers = employer_of(match)
    if employers and employers[0].object[0].isupper() and not _NO_WORK.search(match["value"]):
        return employers
    return NOTHING


def professed_role(match: re.Match[str]) -> Values:
    """Read the role in "I am a nurse at Charité"."""
    return role_of(match) if professed_employer(match) else NOTHING


def employer_joined(match: re.Match[str]) -> Values:
    """Read whom somebody joined: "I joined Ana for lunch" is not about an employer."""
    alone = re.sub(r" as (?:an?|the|their|head|chief) .*|[,.].*", "", match["value"]).strip()
    found = organisation(alone)
    named = found and found[0].object == alone and alone.removeprefix("the ")[0].isupper()
    return found if named and alone.split()[0].lower() not in SOFTWARE else NOTHING


def organisation_joined(match: re.Match[str]) -> Values:
    """Read whom somebody joined where the name or the role says that it is an employer."""
    found = employer_joined(match)
    sure = found and (_ORGANISED.search(found[0].object) or " as " in match["value"])
    return found if sure else NOTHING


# Behind an employer that was left may stand where to, but not "for lunch" or "with my bag".
_GOING_ON_TO = re.compile(
    r"(?:, (?:which|where|so|but)\b| for (?:the )?[A-Z]"
    r"| to (?:join|start|found|work|study|become|retire)\b).*"
)


def employer_left(match: re.Match[str]) -> Values:
    """Read which employer was left: "I left my bag at Acme" and "I left Acme's office" are none."""
    alone = _GOING_ON_TO.sub("", match["value"]).strip()
    found = organisation(alone)
    bare = alone.removeprefix("the ")
    named = found and found[0].object == alone and bare[0].isupper()
    ends = {bare.split()[0].lower(), bare.split()[-1].lower()}
    another = ends & (SOFTWARE | REGIONS | NOT_NAMES) or bare in ACRONYM_PLACES
    return found if named and not another else NOTHING


def job_left(match: re.Match[str]) -> Values:
    """Read which job was left; one without a name is whichever there is."""
    at = re.match(r" (?:at|with|from|by) (.+)", match["rest"])
    return (organisation(at[1]) if at else NOTHING) or (Value(""),)


_TEAM_KIND = r"(?:team|squad|crew|project|department|division|unit)"
_TEAM_NAME = r"[A-Z0-9][\w&-]*(?: [A-Z0-9][\w&-]*)?"
_TEAM = re.compile(
    rf"(?:(?:[Tt]he|our|my) )?(?:(?i:(?P<kind>{_TEAM_KIND})) (?P<name>{_TEAM_NAME})"
    rf"|(?P<name_first>{_TEAM_NAME}) (?P<kind_last>{_TEAM_KIND}))(?P<rest>$|[ ,].*)"
)


def team(text: str) -> Values:
    """Read a team or a project: "team Blue" and "the Blue team" are one."""
    match = _TEAM.fullmatch(text)
    if match is None or not HARMLESS.match(match["rest"].strip()):
        return NOTHING
    kind = (match["kind"] or match["kind_last"]).lower()
    return (Value(f"{kind} {match['name'] or match['name_first']}"),)


def team_or_name(text: str) -> Values:
    """Read what somebody is assigned to: a team, or anything with a name."""
    if teams := team(text):
        return teams
    name = one_name(text)
    return (Value(name),) if name else NOTHING


_MEMBERSHIP = (
    r"(?:[\w'-]+ ){1,3}?(?:club|group|society|league|union|association)"
    r"|(?:[\w'-]+ ){0,2}?(?:band|choir|orchestra|gym)"
)
_MEMBER = re.compile(
    rf"(?:an?|the|my|our|another) (?:(?:local|new) )?(?P<club>{_MEMBERSHIP})"
    r"(?:$|,.*| (?:in|at|near|for|with|and|but|because|so|where|to|that|which|called)\b.*)"
)
_NO_CLUB = re.compile(
    r"\b(?:middle|same|whole|big|couple|bunch|small|wrong|right|first|last|other|this|that|age|risk"
    r"|of|zoom|video|chat|call|great|good|support)\b"
)


def member(text: str) -> Values:
    """Read a club, a band or the like: "a book club", "the church choir"."""
    match = _MEMBER.fullmatch(text)
    if match is None or _NO_CLUB.search(match["club"]):
        return NOTHING
    return (Value(match["club"], with_article(match["club"])),)
