"""What a pattern is."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

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

VALUE = "(?P<value>.+)"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way of saying something.

    Attributes:
        predicate: What it says; the key of a value completes it.
        tense: How what it says lies in time.
        triggers: Words in lower case; a clause without any of them cannot match.
        form: The whole statement as `statement` gives it.
        read: Takes the values off a match; none when they are not of the right shape.
        plan: What is planned where no time to come is named; `{}` is the value.
        verbatim: It is matched before times are taken out, because a time is the value.
    """

    predicate: str
    tense: Tense
    triggers: frozenset[str]
    form: re.Pattern[str]
    read: Reader
    plan: str = ""
    verbatim: bool = False


def said(predicate: str, tense: Tense, triggers: str, form: str, read: Reader) -> Pattern:
    """Make a pattern whose times are taken out first."""
    return Pattern(predicate, tense, frozenset(triggers.split()), re.compile(form), read)


def planned(predicate: str, triggers: str, form: str, read: Reader, plan: str) -> Pattern:
    """Make a pattern of something that begins at a time to come."""
    words = frozenset(triggers.split())
    return Pattern(predicate, "begins", words, re.compile(form), read, plan)


def verbatim(predicate: str, triggers: str, form: str, read: Reader) -> Pattern:
    """Make a pattern that is matched before times are taken out."""
    words = frozenset(triggers.split())
    return Pattern(predicate, "state", words, re.compile(form), read, verbatim=True)


def value(read: Callable[[str], Values]) -> Reader:
    """Read the group `value`."""
    return lambda match: read(match["value"])
