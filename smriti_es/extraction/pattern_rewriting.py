"""Brings a clause into the one form that patterns read: first person, present or plain past.

"I'm no longer living in Oslo", "Ana no longer lives in Oslo" and "I don't live in Oslo any more"
all become "I live in Oslo", with the note that it has ended.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from smriti_es.extraction.pattern_times import Scope, TimePhrase, without_scope, without_times
from smriti_es.extraction.pattern_words import KEPT_THINGS, NOT_NAMES, pairs


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause in the form that patterns read.

    Attributes:
        text: The words, beginning with `I` or `My`, without times, scope and filling words.
        subject: Whom it is about when that is not the speaker, as it was said; None: the speaker.
        ended: How it says that this holds no longer: `no longer`, `used to`, `stopped`,
            `after all`; else "".
        times: When, as it was said.
        scope: Where it applies.
        continued: It is in the perfect tense, so that it holds only when it says since when.
    """

    text: str
    subject: str | None
    ended: str
    times: tuple[TimePhrase, ...]
    scope: Scope
    continued: bool = False


def _replacements(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), by) for pattern, by in pairs)


_A_FEW = r"(?:an?|another|one|two|three|four|five|six|[0-9]+)"
_EXPANSIONS = _replacements(
    (r"\b[Ii](?:'m|m)\b", "I am"),
    (r"\b([Ii])(?:'ve|ve)\b", r"\1 have"),
    (r"'ve\b", " have"),
    (r"'re\b", " are"),
    (r"'ll\b", " will"),
    (r"\b([Ii]|[Ww]e)'d\b", r"\1 would"),
    (r"\b(name|job|birthday)'s (?=[A-Z0-9])", r"\1 is "),
    (r"\b(?:can't|cannot|cant)\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\bdont\b", "do not"),
    (r"\bgonna\b", "going to"),
    (rf"\bhave got (?={_A_FEW} (?!(?:\w+ )?(?:job|position|role|offer)\b))", "have "),
    (r"\bhave always (lov|lik|hat|ador)ed\b", r"\1e"),
    (r"\bhave always enjoyed\b", "enjoy"),
    (r"\bfavorite(s?)\b", r"favourite\1"),
    (r"\s\s+|[^\S ]", " "),
)
# Most clauses hold none of them, and one look costs less than a substitution of each.
_EXPANDABLE = re.compile("|".join(f"(?:{pattern.pattern})" for pattern, _ in _EXPANSIONS))
_PERSON = re.compile(r"(?:[Ww]e (?:are|were)|[Ww]e|i|[Oo]ur|my)\b")
_PERSONS = {"we are": "I am", "we were": "I was", "we": "I", "i": "I", "our": "My", "my": "My"}
# Words that change nothing about what is stated; "hardly", "almost" and "never" are not among them.
_FILLING = re.compile(
    r"\b(?:really|actually|just|also|still|currently|presently|right now|now|these days|nowadays"
    r"|at the moment|at present|for now|definitely|absolutely|totally|truly|honestly|basically"
    r"|simply|already|recently|lately|finally|soon|officially|happily|proudly|usually|mostly"
    r"|generally|always|personally|in fact|of course|by the way|as well|by far|all-time|all time"
    r"|(?<=I )(?:even|especially|particularly))\b,?(?!-)\s*"
)
# What holds again holds; what is planned again is another plan.
_AGAIN = re.compile(
    r"^(?P<said>(?!I (?:am going|am planning|plan|intend|will)\b).+?),? (?:once |yet )?again$"
)
# "I'm not moving to Porto after all": a plan is given up; of all else, that it never was.
_AFTER_ALL = re.compile(r"^(?P<said>I (?:am|will|do) not .+?),? after all$")
_NO_LONGER = re.compile(r"\b(?:no longer|not any ?more|any ?more|any longer)\b,?\s*")

_THIRD_PERSON = pairs(
    """is am, was was, has have, does do, lives live, resides reside, works work, moved moved,
    relocated relocated, joined joined, started started, quit quit, left left, transferred
    transferred, speaks speak, plays play, drives drive, studies study, graduated graduated, loves
    love, likes like, hates hate, enjoys enjoy, adores adore, dislikes dislike, prefers prefer,
    comes come, owns own, uses use, can can, used used, stopped stopped, grew grew, married married,
    became became, retired retired, will will, adopted adopted, volunteers volunteer"""
)
_NAME = r"[A-Z][\w-]*(?: [A-Z][\w-]*){0,2}"
_KIN = (
    r"(?:[Mm]y (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|fianc\w+|son|daughter|brother"
    r"|sister|friend|colleague|coworker|boss|manager|roommate|flatmate|neighbou?r|cousin|nephew"
    r"|niece|uncle|aunt)) "
)
_NAMED = re.compile(rf"(?:{_KIN})?(?P<name>{_NAME}) (?P<verb>{'|'.join(_THIRD_PERSON)})\b(?=\s)")
_NAMED_OWNER = re.compile(
    rf"(?P<name>{_NAME})'s (?=(?:favourite|birthday|name|job title|employer)\b)"
)

_MAY_STATE = re.compile(
    r"\b(?:I|i|[Mm]y|[Ww]e|[Oo]ur|[Ii]m|[Ii]ve)\b"
    rf"|^{_NAME} (?:no longer )?(?:{'|'.join(_THIRD_PERSON)})(?:n't)?\b"
    r"|'s (?:favou?rite|birthday|name|job title|employer)\b|[Cc]alls? me\b|^[Tt]he .*(?:is|are)\b"
)

_BASES = pairs(
    """living live, working work, residing reside, studying study, learning learn, dating date,
    using use, driving drive, playing play, taking take, eating eat, drinking drink, cycling cycle,
    biking bike, walking walk, commuting commute, liking like, loving love, enjoying enjoy, being
    am, practising practise, practicing practise, doing do, volunteering volunteer"""
)
_BASE = "|".join(_BASES)
_PARTICIPLES = pairs(
    """lived live, worked work, loved love, liked like, had have, enjoyed enjoy, hated hate, studied
    study, used use, played play, owned own, driven drive, spoken speak"""
)

_STOPPED = re.compile(
    rf"I (?:have )?(?:stopped|quit|ceased|given up|gave up) (?P<verb>{_BASE})\b(?P<rest> .*|$)"
)
_USED_TO = re.compile(r"I used to (?:be(?P<be>\b)|(?P<verb>\w+))")
_NEGATED = re.compile(r"I (?:do not (?P<verb>\w+)|(?P<be>am|will) not\b)")
_PROGRESSIVE = re.compile(
    r"I (?:have been|am) (?P<verb>living|working|residing|studying|learning|dating|volunteering)\b"
)
_HAVE_BEEN = re.compile(rf"I have been (?P<verb>{_BASE})\b")
_PERFECT = re.compile(rf"I have (?:been\b(?! to\b)|(?P<verb>{'|'.join(_PARTICIPLES)})\b)")


def forms_of(verb: str) -> frozenset[str]:
    """Give the forms of a verb from which `statement` comes to its first person, present."""
    bases = (_THIRD_PERSON, _BASES, _PARTICIPLES)
    return frozenset(
        {verb, *(form for forms in bases for form, base in forms.items() if base == verb)}
    )


def may_state(text: str) -> bool:
    """Tell at a glance whether a clause may be about its speaker or a named subject."""
    return bool(_MAY_STATE.search(text))


def expanded(text: str) -> str:
    """Write contractions out, and leave out words that state nothing."""
    if _EXPANDABLE.search(text):
        for pattern, by in _EXPANSIONS:
            text = pattern.sub(by, text)
    return _in_singular(_FILLING.sub("", text).strip(" ,"))


def _in_singular(text: str) -> str:
    match = _PERSON.match(text)
    return f"{_PERSONS[match[0].lower()]}{text[match.end() :]}" if match else text


def statement(text: str, anchor: date) -> Statement | None:
    """Bring a clause that `expanded` gave into the form that patterns read.

    Args:
        text: The clause.
        anchor: The day it was said, where it was said.

    Returns:
        The statement; None when the clause states nothing about the speaker or a named subject.
    """
    text, times = without_times(text, anchor)
    text, scope = without_scope(text)
    text = _in_singular(text)  # what stood before "We" is gone by now
    ended = "no longer" if _NO_LONGER.search(text) else ""
    text = _NO_LONGER.sub("", text).strip(" ,") if ended else text
    if given_up := _AFTER_ALL.match(text):
        text, ended = given_up["said"], "after all"
    elif again := _AGAIN.match(text):
        text = again["said"]
    told = first_person(text)
    if told is None:
        return None
    if told[0].startswith("I can not "):
        ended = ""  # what one cannot any more has begun, not ended
    return _in_present(Statement(told[0], told[1], ended, times, scope))


def first_person(text: str) -> tuple[str, str | None] | None:
    """Turn "Ana lives in Oslo" into "I live in Oslo" and whom it is about; None: about nobody."""
    named = _NAMED.match(text)
    if named and text.startswith(" based", named.end()):
        return None  # a company, as like as not
    if named and NOT_NAMES.isdisjoint(named["name"].lower().split()):
        return f"I {_THIRD_PERSON[named['verb']]}{text[named.end() :]}", named["name"]
    if text.startswith(("I ", "My ", "One of my ")) and not _KEPT.match(text):
        return text, None
    owner = _NAMED_OWNER.match(text)
    if owner and NOT_NAMES.isdisjoint(owner["name"].lower().split()):
        return f"My {text[owner.end() :]}", owner["name"]
    return next(((by(match), None) for form, by in _TURNED if (match := form.match(text))), None)


_KEPT = re.compile(
    rf"(?P<whose>[Tt]he|[Mm]y|[Oo]ur) (?P<thing>(?:[a-z'-]+ )*?(?:{'|'.join(KEPT_THINGS)}))"
    r" (?:is|are) (?:kept |stored |hidden )?"
    r"(?P<where>(?:in|under|on|behind|inside|at|above|below|beneath|with) .+)"
)
_CALL = re.compile(
    r"(?:(?:[Yy]ou can|[Pp]lease|[Ee]veryone|[Ee]verybody|[Pp]eople|[Mm]y friends|[Ff]riends) )?"
    r"[Cc]alls? me (?P<name>[A-Z]\w+)$"
)
_FAVOURED = re.compile(
    r"(?P<best>[\w' -]{2,40}?) (?:is|are) my (?:absolute )?favourite (?P<kind>[\w -]+)$"
)
_TURNED: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_KEPT, lambda match: f"I keep {match['whose'].lower()} {match['thing']} {match['where']}"),
    (_CALL, lambda match: f"I go by {match['name']}"),
    (_FAVOURED, lambda match: f"My favourite {match['kind']} is {match['best']}"),
)


def _in_present(told: Statement) -> Statement:
    text = told.text
    if match := _STOPPED.match(text):
        return replace(told, text=f"I {_BASES[match['verb']]}{match['rest']}", ended="stopped")
    if match := _USED_TO.match(text):
        base = "am" if match["be"] is not None else match["verb"]
        return replace(told, text=f"I {base}{text[match.end() :]}", ended="used to")
    if told.ended and (match := _NEGATED.match(text)):
        return replace(told, text=f"I {match['verb'] or match['be']}{text[match.end() :]}")
    if match := _PROGRESSIVE.match(text) or _HAVE_BEEN.match(text):
        return replace(told, text=f"I {_BASES[match['verb']]}{text[match.end() :]}")
    if match := _PERFECT.match(text):
        base = _PARTICIPLES[match["verb"]] if match["verb"] else "am"
        return replace(told, text=f"I {base}{text[match.end() :]}", continued=not told.ended)
    return told
