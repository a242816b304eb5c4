"""The reads: what a memory answers, whoever asks and as of whenever it answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar, Unpack

from smriti_es.answer import Answer
from smriti_es.answering import Answering, Asking, Times, filters_of
from smriti_es.captured import TimeGiven
from smriti_es.checked_values import Place, checked_position
from smriti_es.events.errors import InvalidInput
from smriti_es.events.records import RecordedEvent
from smriti_es.events.verified_reading import read_verified
from smriti_es.policy import SHOWN_ORIGINS, Filters
from smriti_es.recall.assemble import assemble_context, assemble_hits
from smriti_es.recall.digests import digests_for
from smriti_es.receipts import record_receipt
from smriti_es.results import Context, RecordedSession, RecordedTurn, SearchResult
from smriti_es.traced_figures import of_context, of_found
from smriti_es.tracing import traced
from smriti_es.trust_of_then import refuse_for_models

LIMIT_MAX: Final = 10_000
_Handed = TypeVar("_Handed", Context, SearchResult)
BUDGET_MAX: Final = 1_000_000


class View(Answering):
    """Everything that can be asked of a memory without changing it, now or as of a moment."""

    @property
    def head(self) -> int:
        """Position of the last event that is known here: a point in knowledge time."""
        return self._opened.log.head if self._moment is None else self._moment.position

    @property
    def provisional(self) -> bool:
        """Whether this is a view of a time to which commits still to come may belong."""
        return self._moment is not None and self._moment.provisional

    @property
    def timezone(self) -> str:
        """IANA name of the zone in which times without an offset are meant."""
        return self._opened.zone.key

    @property
    def single_valued(self) -> tuple[str, ...]:
        """Predicates that hold one value at a time, as this memory was founded with."""
        return self._opened.single.entries

    @traced(of_found)
    def search(
        self,
        question: str,
        *,
        k: int | None = None,
        now: TimeGiven | None = None,
        valid_at: TimeGiven | None = None,
        known_at: int | TimeGiven | None = None,
        history: bool | None = None,
        explain: bool = False,
        **asking: Unpack[Asking],
    ) -> SearchResult:
        """Find the turns that answer a question best.

        Args:
            question: What is asked, in plain words; nothing in it is query syntax.
            k: How many hits at most, 1 to 10,000; None: as many as the profile says, 12 by default.
            now: When it is asked, for words such as "last week"; None: now.
            valid_at: World time at which facts must hold; None: now.
            known_at: As of which knowledge time, or position, everything is read; None: now.
            history: Also facts that hold no longer; None: if the question asks for what was.
            explain: Put the parts of each score into the hits, and its rank after each step.
            **asking: How it is answered, and what the answer is narrowed to, see `Asking`;
                filtered answers are never short while matching turns exist.

        Returns:
            Hits, best first, and what did not take part.

        Raises:
            InvalidInput: A filter cannot be understood, there is no such profile or channel, or the
                view is under the trust of then.
            NotFound: A space or session that does not exist is named.
        """
        refuse_for_models(then=self._then or "trust" in asking)
        if k is not None:
            _in_range("k", k, LIMIT_MAX)
        policy = self._policy(filters_of(asking))
        times = Times(now, valid_at, known_at)
        asked = self._asked(question, times, asking, history=history)
        asked = replace(asked, wanted=asked.profile.k if k is None else k)
        with self._answer(asked, policy) as (turns, beliefs, ranked):
            hits = assemble_hits(turns, beliefs, ranked, asked.wanted, explain=explain)
            digests = digests_for(beliefs, ranked, policy)
        found = SearchResult(
            hits,
            ranked.known_to.head,
            ranked.degraded,
            ranked.pending,
            digests,
            ranked.known_to.provisional,
            ranked.unread,
        )
        return self._handed_out(found)

    @traced(of_context)
    def context(
        self,
        question: str,
        *,
        budget: int = 9_000,
        now: TimeGiven | None = None,
        valid_at: TimeGiven | None = None,
        known_at: int | TimeGiven | None = None,
        history: bool | None = None,
        measure: Callable[[str], int] = len,
        **asking: Unpack[Asking],
    ) -> Context:
        """Gather dated evidence for a question, as text for a prompt.

        Whole turns come first, grouped by dated session. Nothing that a turn says can look like one
        of our own lines: those alone begin in the first column. Turns of untrusted origin are left
        out unless `origins` names them.

        Args:
            question: What is asked.
            budget: The size of the text at most, as `measure` counts it, 1 to 1,000,000.
            now: When it is asked; None: now.
            valid_at: World time at which facts must hold; None: now.
            known_at: As of which knowledge time, or position, everything is read; None: now.
            history: Also facts that hold no longer; None: if the question asks for what was.
            measure: Counts the size of a text; characters by default, or your tokenizer's count.
            **asking: How it is answered, and what the evidence is narrowed to, see `Asking`.

        Returns:
            The text, never larger than the budget, with the turns that are in it.

        Raises:
            InvalidInput: A filter cannot be understood, there is no such profile or channel, the
                budget is out of range, or the view is under the trust of then.
            NotFound: A space or session that does not exist is named.
        """
        refuse_for_models(then=self._then or "trust" in asking)
        _in_range("budget", budget, BUDGET_MAX)
        policy = self._policy(filters_of(asking), origins=SHOWN_ORIGINS)
        times = Times(now, valid_at, known_at)
        asked = self._asked(question, times, asking, history=history)
        with self._answer(asked, policy) as (turns, beliefs, ranked):
            gathered = assemble_context(
                turns,
                beliefs,
                ranked,
                digests=digests_for(beliefs, ranked, policy),
                budget=budget,
                now=asked.now,
                valid_at=None if valid_at is None else beliefs.valid_at,
                zone=self._opened.zone,
                settings=self._opened.settings.packing,
                measure=measure,
            )
        return self._handed_out(gathered)

    def turns(
        self,
        *,
        after: int | None = None,
        limit: int = 100,
        newest: bool = False,
        known_at: int | TimeGiven | None = None,
        **filters: Unpack[Filters],
    ) -> Answer[RecordedTurn]:
        """List turns in the order in which they were recorded.

        Args:
            after: Position of the last turn of the page before; None: from the beginning.
            limit: How many at most, 1 to 10,000.
            newest: Newest first.
            known_at: As of which knowledge time or position; None: now.
            **filters: What the list is narrowed to, see `Filters`.
        """
        assert_page(after, limit)
        policy = self._policy(filters)
        with self._opened.database.read() as connection:
            moment = self._when(connection, known_at)
            self._opened.assert_spaces_exist(connection, policy.spaces, moment)
            reader = self._turns(connection, moment)
            reader.assert_sessions_exist(policy)
            found = reader.listed(policy, after=after, limit=limit, newest=newest)
        return Answer(found, reader.known_to)

    def sessions(
        self,
        *,
        after: int | None = None,
        limit: int = 100,
        tags: Sequence[str] = (),
        where: Mapping[str, object] | None = None,
        spaces: Sequence[str] | None = None,
        known_at: int | TimeGiven | None = None,
    ) -> Answer[RecordedSession]:
        """List sessions in the order in which they were started.

        Args:
            after: Position of the last session of the page before; None: from the beginning.
            limit: How many at most, 1 to 10,000.
            tags: Only sessions with all of these tags.
            where: A filter on their metadata.
            spaces: Only these spaces.
            known_at: As of which knowledge time or position; None: now.
        """
        assert_page(after, limit)
        filters = Filters()
        if tags:
            filters["tags"] = tags
        if where is not None:
            filters["where"] = where
        if spaces is not None:
            filters["spaces"] = spaces
        policy = self._policy(filters)
        with self._opened.database.read() as connection:
            moment = self._when(connection, known_at)
            self._opened.assert_spaces_exist(connection, policy.spaces, moment)
            reader = self._turns(connection, moment)
            found = reader.sessions(policy, after=after, limit=limit)
        return Answer(found, reader.known_to)

    def events(
        self, start: int = 0, stop: int | None = None, *, verified: bool = False
    ) -> Iterator[RecordedEvent]:
        """Read the log itself, from `start` up to `stop` (None: all that is known here).

        Args:
            start: Position of the first.
            stop: Position after the last.
            verified: Whether to recompute the hash, link and commitment of each.

        Raises:
            InvalidInput: One of them is no position.
            IntegrityError: An event is not what was written; only with `verified`.
        """
        checked_position(start, Place("start"))
        checked_position(0 if stop is None else stop, Place("stop"))
        if self._moment is not None:
            stop = min(each for each in (stop, self._moment.position + 1) if each is not None)
        log = self._opened.log
        return read_verified(log, start, stop) if verified else log.read(start, stop)

    def _handed_out(self, answer: _Handed) -> _Handed:
        if self._opened.keeps_receipts:
            record_receipt(self._opened, answer)
        return answer


_RANGE_HINTS: Final = {
    "k": "Leave it out for 12 hits.",
    "budget": "Leave it out for 9,000 characters.",
    "limit": "Leave it out for a page of 100, and ask for the next with `after`.",
}


def _in_range(name: str, value: int, maximum: int) -> None:
    if type(value) is not int or not 1 <= value <= maximum:
        raise InvalidInput(
            f"{name} is {value!r}; it must be a whole number from 1 to {maximum}",
            hint=_RANGE_HINTS[name],
            field=name,
        )


# The head of an empty log: a page after it is the first.
_BEFORE_ALL: Final = -1


def assert_page(after: int | None, limit: int) -> None:
    """Check which part of a long list is asked for.

    Raises:
        InvalidInput: The limit is out of range, or `after` is no position.
    """
    _in_range("limit", limit, LIMIT_MAX)
    if after is not None and after != _BEFORE_ALL:
        checked_position(after, Place("after"))
