"""Ranked turns in, one dated context out: whole turns first, never longer than the budget.

The flow: hits in rank order (whole, or an excerpt where a turn is long); excerpts of what did not
fit whole; excerpts made longer with what is left; neighbours of the hits; longer once more. Only
then are the turns put in the order in which they are read. Nothing here reads a log, a clock or a
model, and no id and no known time gets into the text, so equal turns give equal bytes. Source:
design page on recall, "packing"; decision 32.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, tzinfo
from math import ceil

from smriti_es.events.errors import InvalidInput
from smriti_es.recall.evidence import Candidate, Packed, PackSettings
from smriti_es.recall.excerpt import excerpt
from smriti_es.recall.page import Page, PreparedTurn
from smriti_es.recall.question import Question
from smriti_es.recall.render import (
    day_said,
    name_shown,
    opening_lines,
    quotable,
    quoted,
    session_line,
)
from smriti_es.recall.temporal import annotate

# How often an excerpt is made shorter to make room for its indents before it is given up.
_SHRINKS = 4
# The shortest excerpt worth showing when it is that or nothing.
_LAST_RESORT_CHARS = 40


def pack(  # noqa: PLR0913 - each is one input of the stage; a bag of them would say less
    candidates: Sequence[Candidate],
    *,
    neighbours: Callable[[Candidate], Sequence[Candidate]],
    budget: int,
    question: Question,
    now: date | None,
    zone: tzinfo,
    settings: PackSettings,
    measure: Callable[[str], int] = len,
    facts: Sequence[str] = (),
    valid_on: date | None = None,
) -> Packed:
    """Put as many of the best turns as fit into one context, grouped by dated session.

    The text is never larger than the budget. A turn that fits is there in one piece; only one that
    does not is shortened to what the question is about. The same input always gives the same bytes.

    Args:
        candidates: Turns, best first; a position that comes again is skipped.
        neighbours: Gives the turns near a hit in its session; asked only for hits that got in.
        budget: The size of the text at most, as `measure` counts; 0 or more.
        question: The question; its terms choose what an excerpt shows.
        now: The asker's date, shown above all turns; None shows none.
        zone: Where the days of the turns are counted.
        settings: The limits.
        facts: Lines that stand above the turns, each ours and on one line.
        measure: The size of a text: characters, or a tokenizer's count. For one whose parts do not
            add up to the whole, turns are taken back, last first, until the text fits.
        valid_on: The day for which the caller asked how facts stand, or None.

    Returns:
        The text, the turns in it best first, and how many candidates are not in it.

    Raises:
        InvalidInput: The budget is negative.

    Cost: One pass over the candidates; no candidate is rendered twice unless it is shortened.
    """
    if budget < 0:
        raise InvalidInput(f"budget is negative: {budget}", hint="Give 0 or more.", field="budget")
    opening = opening_lines(
        now, counts=question.counts, budget=budget, measure=measure, valid_on=valid_on
    )
    page = Page(opening, facts, budget, measure, settings.layout)
    packing = _Packing(page, question, zone, settings, budget)
    packing.add_hits(candidates)
    packing.add_neighbours(neighbours)
    text = page.text()
    while page.placed and measure(text) > budget:
        page.placed.pop()
        text = page.text()
    evidence = page.evidence()
    shown = {turn.position for turn in evidence}
    positions = {candidate.position for candidate in candidates}
    return Packed(text, evidence, omitted=len(positions - shown))


class _Packing:
    """One context in the making: which turns get onto the page, and how much of each."""

    def __init__(
        self, page: Page, question: Question, zone: tzinfo, settings: PackSettings, budget: int
    ) -> None:
        self._page = page
        self._terms = frozenset(question.terms)
        self._zone = zone
        self._settings = settings
        self._budget = budget
        self._seen: set[int] = set()
        # What a character costs; set from the best turn, since a tokenizer's answer
        # depends on the language.
        self._price = 1.0
        self._best: PreparedTurn | None = None

    def add_hits(self, candidates: Sequence[Candidate]) -> None:
        """Put hits on the page: whole in rank order, then in part, then more of those in part."""
        waiting = [
            turn for turn in self._prepared_while_room(candidates) if not self._add_hit(turn)
        ]
        if self._best is None:
            return
        for turn in waiting:
            if self._chars(self._page.left) < self._settings.min_turn_chars:
                break
            self._add_part(turn, self._limit(turn), room=self._page.room_for(turn))
        if not self._page.placed:
            best = self._best
            self._add_part(best, self._limit(best), room=self._budget, floor=_LAST_RESORT_CHARS)
        self._lengthen()

    def _prepared_while_room(self, candidates: Sequence[Candidate]) -> Iterator[PreparedTurn]:
        """Make hits ready one by one, until what is left would not show another."""
        for candidate in candidates:
            if self._is_full():
                return
            turn = self._prepared(candidate)
            if turn is not None and self._best is None:
                self._best = turn
                self._price = max(1, self._page.cost(turn.text)) / (len(turn.text) + 1)
            if turn is not None:
                yield turn

    def _is_full(self) -> bool:
        placed = len(self._page.placed)
        if placed < self._settings.top_hits:
            return False
        return self._chars(self._page.left) < _LAST_RESORT_CHARS

    def add_neighbours(self, neighbours: Callable[[Candidate], Sequence[Candidate]]) -> None:
        """Fill what is left with the turns around the hits, best hit first."""
        limit = self._settings.neighbour_chars
        for hit in [placed.turn.candidate for placed in self._page.placed]:
            if self._settings.neighbours < 1 or self._is_full():
                break
            for candidate in neighbours(hit):
                turn = self._prepared(candidate) if self._is_near(candidate, hit) else None
                if turn and not self._add_whole(turn, limit):
                    self._add_part(turn, limit, room=self._page.room_for(turn))
        self._lengthen()

    def _is_near(self, candidate: Candidate, hit: Candidate) -> bool:
        distance = abs(candidate.ordinal - hit.ordinal)
        return candidate.session == hit.session and distance <= self._settings.neighbours

    def _prepared(self, candidate: Candidate) -> PreparedTurn | None:
        """Make a turn ready, or give None for one that came before or that shows nothing."""
        if candidate.position in self._seen:
            return None
        self._seen.add(candidate.position)
        text = quotable(candidate.text)
        if not text:
            return None
        rank = len(self._seen) - 1
        leading = self._settings.layout != "top" or rank < self._settings.top_hits
        line = session_line(candidate.said_at, candidate.said_precision, self._zone)
        day = day_said(candidate.said_at, candidate.said_precision, self._zone)
        return PreparedTurn(
            candidate=candidate,
            rank=rank,
            text=text,
            name=name_shown(candidate.role, candidate.speaker, text),
            day=day if self._settings.annotate_time else None,
            group=(0 if leading else 1, candidate.session, line),
        )

    def _add_hit(self, turn: PreparedTurn) -> bool:
        """Place a hit whole, or in part where waiting for its turn would lose it."""
        limit = self._limit(turn)
        if self._add_whole(turn, limit):
            return True
        if len(turn.text) <= limit and turn.rank >= self._settings.top_hits:
            return False
        # No single turn in part may crowd out the whole ones.
        room = min(self._page.room_for(turn), self._budget // 2)
        return self._add_part(turn, limit, room=room)

    def _add_whole(self, turn: PreparedTurn, limit: int) -> bool:
        if len(turn.text) > limit:
            return False
        lines = self._whole(turn, self._page.room_for(turn))
        if lines is None:
            return False
        self._page.place(turn, lines, whole=True)
        return True

    def _add_part(
        self, turn: PreparedTurn, limit: int, *, room: int, floor: int | None = None
    ) -> bool:
        least = self._settings.min_turn_chars if floor is None else floor
        lines = self._part(turn, limit, least, min(room, self._page.room_for(turn)))
        if lines is None:
            return False
        self._page.place(turn, lines, whole=False)
        return True

    def _lengthen(self) -> None:
        """Make whole, or at least longer, what is there in part."""
        for number, placed in enumerate(self._page.placed):
            spare = self._page.left
            if placed.whole or self._chars(spare) < 1:
                continue
            turn = placed.turn
            room = spare + self._page.cost(placed.lines)
            if lines := self._whole(turn, room):
                self._page.rewrite(number, lines, whole=True)
            elif self._chars(spare) >= self._settings.min_turn_chars:
                longer = self._part(turn, len(turn.text), len(placed.lines), room)
                if longer:
                    self._page.rewrite(number, longer, whole=False)

    def _whole(self, turn: PreparedTurn, room: int) -> str | None:
        """Quote all of a turn, with its dates if they fit too; None when it does not fit."""
        plain = quoted(turn.name, turn.text)
        if self._page.cost(plain) > room:
            return None
        dated = quoted(turn.name, _dated(turn))
        return dated if self._page.cost(dated) <= room else plain

    def _part(self, turn: PreparedTurn, limit: int, least: int, room: int) -> str | None:
        """Quote what fits of a turn, dates included; None when that is under `least` characters."""
        size = min(limit, self._chars(room) - len(quoted(turn.name, "\n")))
        for _ in range(_SHRINKS):
            if size < least:
                return None
            # Dated, then cut: what is left of "the day before yesterday" may read "yesterday".
            lines = quoted(turn.name, excerpt(_dated(turn), self._terms, size))
            over = self._page.cost(lines) - room
            if over <= 0:
                return lines
            size -= max(1, ceil(over / self._price))
        return None

    def _limit(self, turn: PreparedTurn) -> int:
        settings = self._settings
        is_top = turn.rank < settings.top_hits
        return settings.top_turn_chars if is_top else settings.max_turn_chars

    def _chars(self, room: int) -> int:
        return int(room / self._price)


def _dated(turn: PreparedTurn) -> str:
    return turn.text if turn.day is None else annotate(turn.text, turn.day)
