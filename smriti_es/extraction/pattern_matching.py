"""Matches clauses against the patterns, and puts what they say in time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import NamedTuple

from smriti_es.extraction.pattern_clauses import Clause, words_of
from smriti_es.extraction.pattern_form import Form, Pattern, Tense
from smriti_es.extraction.pattern_rewriting import (
    Statement,
    expanded,
    first_person,
    may_state,
    statement,
)
from smriti_es.extraction.pattern_table import called_for
from smriti_es.extraction.pattern_times import EVERYWHERE, Scope, TimePhrase
from smriti_es.extraction.pattern_values import Value
from smriti_es.extraction.predicates import NEGATIVE, POSITIVE
from smriti_es.extraction.world_time import Prefer, WorldTime, read_world_time
from smriti_es.recall.temporal import local_date

_TO_COME = ("begins", "plans", "due")
_TIMELESS = WorldTime(None, None, "unknown", None)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a pattern made of a clause.

    Attributes:
        predicate: Completed.
        value: What it says.
        subject: Whom it is about as it was said; None: the speaker.
        time: When it began, or when it ended.
        ends: It says that this holds no longer.
        scope: Where it applies.
    """

    predicate: str
    value: Value
    subject: str | None
    time: WorldTime = _TIMELESS
    ends: bool = False
    scope: Scope = EVERYWHERE


@dataclass(frozen=True, slots=True)
class Saying:
    """When and where something was said.

    Attributes:
        said_at: Microseconds since the epoch.
        zone: The speaker's zone.
    """

    said_at: int
    zone: tzinfo

    @property
    def day(self) -> date:
        """The day it was said, where it was said."""
        return local_date(self.said_at, self.zone)

    def time(self, phrase: TimePhrase, prefer: Prefer) -> WorldTime:
        """Read words that say when; the words that stay are those that were said."""
        read = read_world_time(phrase.words, said_at=self.said_at, zone=self.zone, prefer=prefer)
        return WorldTime(read.at, read.end, read.precision, phrase.said)


def findings(clause: Clause, saying: Saying, subject: str | None = None) -> Iterator[Finding]:
    """Give what the patterns find in a clause; what they do not understand whole they leave.

    Args:
        clause: The clause.
        saying: When and where it was said.
        subject: Of whom the clause before spoke, for a clause that shares its subject.
    """
    patterns = called_for(words_of(clause.text))
    lacking = clause.shared or clause.elided
    if not patterns or not (lacking or may_state(clause.text)):
        return
    text = clause.text
    if lacking:
        text = f"{subject or 'I'} {text[0].lower()}{text[1:]}"
    text = expanded(text)
    found = False
    for finding in _matches(patterns, text, saying):
        # "I will join Acme in May" says more than that somebody plans to.
        if not found or finding.predicate != "plans_to":
            yield finding
        found = True


def _matches(patterns: Sequence[Pattern], text: str, saying: Saying) -> Iterator[Finding]:
    for pattern in patterns:
        if pattern.form.verbatim:
            yield from _verbatim(pattern, text)
    told = statement(text, saying.day)
    if told is not None:
        for pattern in patterns:
            if not pattern.form.verbatim:
                yield from _timed(pattern, told, saying)


def _verbatim(pattern: Pattern, text: str) -> Iterator[Finding]:
    told = first_person(text)
    match = pattern.form.pattern.fullmatch(told[0]) if told else None
    if told and match:
        for value in pattern.read(match):
            yield Finding(pattern.predicate + value.key, value, told[1])


def _timed(pattern: Pattern, told: Statement, saying: Saying) -> Iterator[Finding]:
    match = pattern.form.pattern.fullmatch(told.text)
    if match is None or len(told.times) > 1:
        return
    placed = _placed(pattern, told, told.times[0] if told.times else None, saying)
    if placed is None:
        return
    for value in pattern.read(match):
        predicate, said, ends = pattern.predicate + value.key, value, placed.ends
        if placed.planned:
            predicate, said = "plans_to", Value(pattern.form.plan.replace("{}", value.object))
        elif ends and told.ended == "no longer" and value.object == POSITIVE:
            # Who no longer likes something has changed their mind about it.
            said, ends = value._replace(object=NEGATIVE, shown=f"no longer {value.shown}"), False
        yield Finding(predicate, said, told.subject, placed.time, ends, told.scope)


class _Placed(NamedTuple):
    time: WorldTime
    ends: bool = False
    planned: bool = False


def _placed(
    pattern: Pattern, told: Statement, phrase: TimePhrase | None, saying: Saying
) -> _Placed | None:
    tense, role = pattern.form.tense, phrase.role if phrase else ""
    if role == "bound" or (told.ended == "after all" and tense not in _TO_COME):
        return None
    if tense in _TO_COME:
        if told.ended:
            return _given_up(pattern.form, told, phrase)
        return _ahead(pattern.form, phrase, saying)
    time = saying.time(phrase, "past") if phrase else _TIMELESS
    ends = _ends(tense, told, role)
    if ends is None or (time.at is not None and time.at > saying.said_at):
        return None
    if pattern.form.dated and not _is_far(time):
        return None
    return _Placed(time, ends)


def _ends(tense: Tense, told: Statement, role: str) -> bool | None:
    """Tell whether something has ended (True) or holds (False); None: it says neither."""
    if tense == "ceased":
        return False if told.ended in ("stopped", "no longer") else None
    if tense == "began":
        return None if told.ended or role == "lasting" else False
    if tense == "state" and not told.ended:
        lasts = role in ("since", "lasting") or not (role or told.continued)
        return False if lasts else None
    if role == "lasting" or (tense == "stops" and not told.ended):
        return None
    return True


def _given_up(form: Form, told: Statement, phrase: TimePhrase | None) -> _Placed | None:
    """End a plan. When it was for says nothing of when it was given up, so nothing is read then."""
    if told.ended not in ("after all", "no longer") or phrase is not None:
        return None
    if form.tense != "plans" and not form.plan:
        return None
    return _Placed(_TIMELESS, ends=True, planned=bool(form.plan))


def _is_far(time: WorldTime) -> bool:
    """Tell whether a time is more than a day counted from the day of speaking."""
    words = time.text or ""
    return time.at is not None and (time.precision != "day" or any(map(str.isdigit, words)))


def _ahead(form: Form, phrase: TimePhrase | None, saying: Saying) -> _Placed | None:
    time = saying.time(phrase, "future") if phrase else _TIMELESS
    if phrase and phrase.role == "lasting":
        return None
    if time.at is not None and time.at > saying.said_at:
        return None if form.dated and not _is_far(time) else _Placed(time)
    if form.tense == "due" or (time.end is not None and time.end <= saying.said_at):
        return None
    undated = WorldTime(None, None, "unknown", time.text)
    if form.tense == "plans":
        return _Placed(undated)
    return _Placed(undated, planned=True) if form.plan else None
