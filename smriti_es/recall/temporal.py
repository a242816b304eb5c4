"""Relative dates inside what somebody said: find them, resolve them, write them out.

"Yesterday" in a turn of last May is useless to a reader of today, so packing writes the day after
the word. The stored text never changes. Deterministic, without a clock: everything counts
from the turn's own day. Source: design page on recall, "packing".
"""

from dataclasses import dataclass
from datetime import date, tzinfo
from functools import lru_cache
from re import Match

from smriti_es.events.instants import to_datetime
from smriti_es.projections.lexical.date_words import mentions_a_date
from smriti_es.recall.calendar_spans import Granularity, Span
from smriti_es.recall.calendar_words import folded
from smriti_es.recall.elsewhere import may_hold
from smriti_es.recall.relative_forms import FORMS, TRIGGERS, Form

__all__ = [
    "Granularity",
    "Mention",
    "Span",
    "annotate",
    "local_date",
    "mentions",
    "mentions_a_date",
]


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that date something relative to the day they were said.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
        span: The days that are meant.
    """

    start: int
    end: int
    span: Span


@lru_cache(maxsize=16_384)
def mentions(text: str, anchor: date) -> tuple[Mention, ...]:
    """Find the relative dates in a text and resolve them.

    Mentions never overlap and come in the order of the text. What is ambiguous ("on Friday"), a
    duration ("lost 5 kg in two weeks"), an absolute date or off the calendar is left out.

    Args:
        text: What was said, in any language; English is read best.
        anchor: The day it was said, where it was said.

    Returns:
        The mentions, cached by text and anchor.
    """
    lowered = folded(text)
    present = [word for word in TRIGGERS if word in lowered]
    present += may_hold(lowered)
    if not present:
        return ()
    found: list[Mention] = []
    owned = bytearray(len(lowered))
    for form in FORMS:
        if form.triggers.isdisjoint(present):
            continue
        for match in form.pattern.finditer(lowered):
            start, end = match.span()
            if any(owned[start:end]):
                continue
            owned[start:end] = b"\1" * (end - start)
            if span := _resolved(form, text, match, anchor):
                found.append(Mention(start, end, span))
    return tuple(sorted(found, key=lambda mention: mention.start))


def annotate(text: str, anchor: date, *, limit: int = 6) -> str:
    """Write the resolved date after each relative mention, as in `yesterday [2023-05-07]`.

    Taking the inserted labels out again gives the text, character by character.

    Args:
        text: What was said.
        anchor: The day it was said, where it was said.
        limit: How many mentions, from the left, are written out.

    Returns:
        The text with ` [label]` inserted; the text itself when it mentions nothing.
    """
    found = mentions(text, anchor)[: max(0, limit)]
    if not found:
        return text
    pieces: list[str] = []
    copied = 0
    for mention in found:
        pieces += (text[copied : mention.end], f" [{mention.span.label}]")
        copied = mention.end
    return "".join((*pieces, text[copied:]))


def local_date(at: int, zone: tzinfo) -> date:
    """Give the calendar day of an instant where it happened.

    Args:
        at: Microseconds since the epoch, UTC.
        zone: The zone of whoever spoke; it decides which day "yesterday" counts from.
    """
    return to_datetime(at, zone).date()


def _resolved(form: Form, text: str, match: Match[str], anchor: date) -> Span | None:
    if form.refuses(text, match):
        return None
    try:
        return form.resolve(match, anchor)
    except (OverflowError, ValueError):  # before year 1, after year 9999, or no sensible count
        return None
