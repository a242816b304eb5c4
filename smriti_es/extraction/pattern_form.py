"""What a pattern is."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from smriti_es.extraction.pattern_clauses import words_of
from smriti_es.extraction.pattern_values import Values

# state    holds when it is said; where the statement says that it has ended, it ends
# began    began when the statement says
# begins   begins at a time to come; a plan when the statement names none
# left     has ended when the statement says
# ceased   true of who has ended something: who stopped eating meat avoids meat
# stops    ends where the statement says that it has ended, and says nothing otherwise
# plans    is planned, for the time to come that the statement may name
# due      is planned, if the statement names a time to come
Tense = Literal["state", "began", "begins", "left", "ceased", "stops", "plans", "due"]
Reader = Callable[[re.Match[str]], Values]


@dataclass(frozen=True, slots=True)
class Form:
    """One way of saying something, whatever it is that is said.

    Attributes:
        tense: How what it says lies in time.
        triggers: Words in lower case; a clause without any of them cannot match.
        pattern: The whole statement as `statement` gives it.
        plan: What is planned where no time to come is named; `{}` is the value.
        verbatim: It is matched before times are taken out, because a time is the value.
        dated: It counts only with a time that is no single day seen from today: "I joined Ana
            yesterday" is about lunch, "I joined Acme in May" is not.
    """

    tense: Tense
    triggers: frozenset[str]
    pattern: re.Pattern[str]
    plan: str = ""
    verbatim: bool = False
    dated: bool = False


@dataclass(frozen=True, slots=True)
class Pattern:
    """A form, and what it says.

    Attributes:
        predicate: What it says; the key of a value completes it.
        form: How it is said.
        read: Takes the values off a match; none when they are not of the right shape.
    """

    predicate: str
    form: Form
    read: Reader


def _form(tense: Tense, triggers: str, pattern: str) -> Form:
    return Form(tense, words_of(triggers), re.compile(pattern.replace("\u2026", "(?P<value>.+)")))


def state(triggers: str, pattern: str) -> Form:
    """Make a form of what holds when it is said; an ellipsis in the pattern is the value."""
    return _form("state", triggers, pattern)


def verbatim(triggers: str, pattern: str) -> Form:
    """Make a form of what holds when it is said, in which a time may be the value."""
    return replace(_form("state", triggers, pattern), verbatim=True)


def dated(form: Form) -> Form:
    """Make a form count only where it names a time, and not just a day such as yesterday."""
    return replace(form, dated=True)


def began(triggers: str, pattern: str) -> Form:
    """Make a form of what has begun."""
    return _form("began", triggers, pattern)


def begins(triggers: str, pattern: str, plan: str) -> Form:
    """Make a form of what begins at a time to come, and of the plan that it is without one."""
    return replace(_form("begins", triggers, pattern), plan=plan)


def left(triggers: str, pattern: str) -> Form:
    """Make a form of what has ended."""
    return _form("left", triggers, pattern)


def ceased(triggers: str, pattern: str) -> Form:
    """Make a form of what is true since something has ended."""
    return _form("ceased", triggers, pattern)


def stops(triggers: str, pattern: str) -> Form:
    """Make a form that counts only where the statement says that it has ended."""
    return _form("stops", triggers, pattern)


def plans(triggers: str, pattern: str) -> Form:
    """Make a form of what is planned."""
    return _form("plans", triggers, pattern)


def due(triggers: str, pattern: str) -> Form:
    """Make a form of what is planned only if a time to come is named."""
    return _form("due", triggers, pattern)


def group(predicate: str, read: Reader, *forms: Form) -> tuple[Pattern, ...]:
    """Make the patterns of the forms that say the same."""
    return tuple(Pattern(predicate, form, read) for form in forms)


def value(read: Callable[[str], Values]) -> Reader:
    """Read the group `value`."""
    return lambda match: read(match["value"])
