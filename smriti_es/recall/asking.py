"""One question put to what may be seen: each channel is asked, and their answers are ranked."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import lru_cache, partial
from typing import Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, exc

from smriti_es.answer import KnownTo
from smriti_es.events.database import is_storage_failure
from smriti_es.events.server_errors import Unharmed, reason_of
from smriti_es.loaded_vectors import newest_vector
from smriti_es.projections.entities import names_at
from smriti_es.projections.facts import FactTables, fact_tables
from smriti_es.projections.generation import Generation
from smriti_es.projections.lexical.analysis import query_terms
from smriti_es.projections.lexical.projection import postings
from smriti_es.projections.projector import Projector
from smriti_es.projections.vectors.tables import vector_tables
from smriti_es.projections.vectors.token_rows import read_tokens
from smriti_es.question_vectors import EmbeddedQuestion, Known
from smriti_es.reading import TurnReader, read_tables
from smriti_es.recall.beside import Comparison, beside
from smriti_es.recall.channels import (
    Channels,
    Linked,
    Mask,
    Postings,
    Scores,
    bm25,
    rarity,
    said_within,
)
from smriti_es.recall.entities import EntityLinks, names_among
from smriti_es.recall.failures import failures_among
from smriti_es.recall.following import further_terms
from smriti_es.recall.late_interaction import (
    AskedTokens,
    Late,
    Matches,
    asked_tokens,
    nearest,
    told_without_tokens,
)
from smriti_es.recall.profiles import RecallProfile
from smriti_es.recall.question import Question, analyse_question
from smriti_es.recall.rank import Ranking, merged, rank
from smriti_es.recall.temporal import local_date, mentions
from smriti_es.recall.visible import Positions, VisibleTurns
from smriti_es.recall.weights import RecallSettings
from smriti_es.semantic import SemanticIndex, compared, failed_positions, told_failed
from smriti_es.time_travel import Moment

# So many of the best are read for what to ask next.
_READ_FURTHER: Final = 5


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question's vectors, made before the snapshot is opened.

    Attributes:
        by_text: For the question and each of its alternatives.
        problem: Why there are none, or None.
        made_by: What made them: they are compared with vectors of nothing else.
    """

    by_text: dict[str, EmbeddedQuestion]
    problem: str | None = None
    made_by: Known | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """One question inside one snapshot.

    Attributes:
        projector: Knows which generations serve.
        index: The vectors.
        zone: Where days are counted.
        settings: The weights.
        connection: The snapshot.
        turns: What may be seen.
        serving: Which generations answer.
        vectors: The question's.
        away: Which rows are facts that do not hold at the time asked about.
        semantic: Whether the vectors that serve may be compared with the question's.
        profile: What takes part, and how far it goes.
        moment: As of when is asked; None: now.
        erased: Position of the last erasure of content, -1 for none.
        problems: What went wrong on the way, in words.
        lacking: Positions that were compared token by token and have no token vectors.
    """

    projector: Projector
    index: SemanticIndex
    zone: tzinfo
    settings: RecallSettings
    connection: Connection
    turns: VisibleTurns
    serving: dict[str, Generation]
    vectors: QueryVector
    away: Mask
    semantic: bool
    profile: RecallProfile
    moment: Moment | None
    erased: int
    problems: list[str] = field(default_factory=list)
    lacking: set[int] = field(default_factory=set)

    def answer(self, question: Question) -> Ranking:
        """Rank for the question, and again with what it brought up, as often as is wanted."""
        found = self._once(question)
        for _ in range(1, self.profile.rounds):
            further = self._brought_up(question, found)
            if not further:
                break
            question = replace(question, terms=(*question.terms, *further))
            found = merged([found, self._once(question).scaled(self.settings.later_round)])
        return found

    def _brought_up(self, question: Question, found: Ranking) -> Sequence[str]:
        """Give the terms of the names that the best hits have and the question has not."""
        places = found.places[:_READ_FURTHER]
        fact = self.turns.is_fact[places]
        reader = self._reader()
        turns = reader.by_position(self.turns.positions[places[~fact]].tolist())
        facts = self.turns.positions[places[fact]].tolist()
        names = names_among(self.connection, reader.log, self._facts().entity, facts)
        speakers = (term for name in self.turns.speaker_names for term in query_terms(name))
        known = {*question.terms, *query_terms(question.text), *speakers}
        said = [turns[position].text for position in sorted(turns)]
        return further_terms(said, names, known)

    def _once(self, question: Question) -> Ranking:
        """Rank for the question and for each of its alternatives."""
        if not question.alternatives:
            return self._rank(question)
        parts = [analyse_question(text, now=None) for text in question.alternatives]
        return merged([self._rank(question), *(self._rank(part) for part in parts)])

    def newest_vector(self) -> int:
        """Tell which vector was made last, so that new ones are noticed; -1 before the first."""
        generation = self.serving.get("vectors")
        if generation is None:
            return -1
        return newest_vector(self.connection, self.projector.log.log, generation)

    def said(self, is_fact: Mask) -> list[str]:
        """Say of how many rows no vector could be made, and what went wrong on the way."""
        return [*self._without_vector(is_fact), *dict.fromkeys(self.problems)]

    def _without_vector(self, is_fact: Mask) -> list[str]:
        if not self.semantic:
            return []
        generation = self.serving["vectors"]
        failed = failed_positions(self.connection, self.projector.log.log, generation)
        places, visible = self.turns.places(failed)
        facts = int(np.count_nonzero(is_fact[places[visible]]))
        lacking = {each for each in self.lacking if each < generation.folded}
        return [
            *told_failed(int(np.count_nonzero(visible)) - facts, facts),
            *told_without_tokens(len(lacking.difference(failed.tolist()))),
        ]

    def _rank(self, question: Question) -> Ranking:
        turns = self.turns
        look_up = lru_cache(maxsize=None)(partial(self._occurrences, Unharmed(self.connection)))
        uses = self.profile.uses
        if not uses("temporal"):
            question = replace(question, window=None, asks_when=False)
        if not uses("lexical"):
            question = replace(question, terms=())
        window = question.window
        with beside(self._comparison(question.text)) as similarities:
            channels = Channels(
                lexical=bm25(question.terms, look_up, turns, self.settings),
                in_window=None if window is None else said_within(turns, window, self.zone),
                entity=self._linked(question, look_up) if uses("entity") else None,
                semantic=similarities(),
            )
        return rank(
            question,
            turns,
            channels,
            self.settings,
            postings=look_up,
            exact_cosine=partial(self._exact, question.text),
            speaks_of_window=partial(self._speaks_of_window, question),
            late=self._late(question, look_up),
            failures=self._failures if self.settings.severe > 0.0 else None,
            away=self.away,
        )

    def _linked(self, question: Question, look_up: Postings) -> Linked | None:
        """Tell how closely rows bear on those whom the question names."""
        log, serving = self.projector.log.log, self.serving
        lineage, entities = (
            self.projector.readable(serving, name).number for name in ("lineage", "entities")
        )
        known = None if self.moment is None else self.moment.known
        names = names_at(self.connection, log, entities, known)
        entity = self._facts().entity
        links = EntityLinks(self.connection, log, entity, lineage, names, self.turns)
        return links.scores(question.text, look_up, self.profile.hops)

    def _failures(self, places: Positions) -> Scores:
        """Weigh the severe failures among candidates."""
        tables = read_tables(self.projector, self.serving).turns.attribute, self._facts().attribute
        log, positions = self.projector.log.log, self.turns.positions[places]
        return failures_among(self.connection, log, tables, positions)

    def _facts(self) -> FactTables:
        return fact_tables(self.projector.readable(self.serving, "facts").number)

    def _reader(self) -> TurnReader:
        tables = read_tables(self.projector, self.serving)
        known_to = KnownTo.of(self.serving["turns"].folded, None)
        return TurnReader(self.connection, self.projector.log.log, tables, known_to)

    def _late(self, question: Question, look_up: Postings) -> Late | None:
        """Make the question ready to be compared token by token, where that can be done."""
        asked = self.vectors.by_text.get(question.text) if self.semantic else None
        made_by = self.vectors.made_by
        space = None if made_by is None else made_by.token_space
        if asked is None or asked.tokens is None or space is None:
            return None
        count = len(self.turns)
        tokens = asked_tokens(
            question.text,
            asked.tokens,
            question.terms,
            lambda term: rarity(len(look_up(term)[0]), count),
            self.settings,
        )
        return Late(partial(self._matches, tokens, space), tokens.weights)

    def _matches(self, asked: AskedTokens, space: str, places: Positions) -> Matches:
        """Read the token vectors of candidates, all at once, and compare them."""
        positions, generation = self.turns.positions[places], self.serving["vectors"]
        rows = read_tokens(
            self.connection,
            vector_tables(generation.number).token,
            self.projector.log.log,
            space=space,
            dimension=asked.vectors.shape[1],
            positions=positions,
        )
        self.lacking.update(np.setdiff1d(positions, rows.positions).tolist())
        matches = np.full((len(places), len(asked.weights)), np.nan, np.float32)
        matches[np.searchsorted(positions, rows.positions)] = nearest(asked, rows)
        return matches

    def _occurrences(self, unharmed: Unharmed, term: str) -> tuple[Positions, Positions]:
        """Give the visible turns that have a term, by place, and how often they have it."""
        positions, frequencies = self._postings(unharmed, term)
        places, seen = self.turns.places(positions)
        return places[seen], frequencies[seen]

    def _postings(self, unharmed: Unharmed, term: str) -> tuple[Positions, Positions]:
        """Look a term up; a damaged index is said, and the other channels answer."""
        log, generation = self.projector.log.log, self.serving["lexical"].number
        try:
            return postings(self.connection, log, generation, term)
        except exc.DBAPIError as error:
            if is_storage_failure(error):
                raise
            unharmed.go_back()
            self.problems.append(
                f"lexical: the index cannot be read ({reason_of(error)}): rebuild it"
            )
            return np.empty(0, np.int64), np.empty(0, np.int64)

    def _comparison(self, text: str) -> Comparison | None:
        """Give what compares a question with what may be seen, once the vectors are read."""
        if not self.semantic:
            return None
        query = self.vectors.by_text[text].vector
        loaded = self.index.caught_up(
            self.connection, self.serving["vectors"], len(query), self.erased
        )
        turns, depth = self.turns, self.settings.depth
        exact = self.moment is not None
        return Comparison(
            lambda: compared(
                loaded, query, turns.positions, depth, exact=exact, fact=turns.is_fact
            ),
            len(loaded),
        )

    def _exact(self, text: str, places: Positions) -> npt.NDArray[np.float32]:
        return self.index.exact(
            self.connection,
            self.serving["vectors"],
            self.vectors.by_text[text].vector,
            self.turns.positions[places],
            erasure=self.erased,
        )

    def _speaks_of_window(self, question: Question, places: Positions) -> Mask:
        """Tell which turns mention days of the window, in words such as "yesterday"."""
        assert question.window is not None
        window = question.window
        reader = self._reader()
        positions: Sequence[int] = [int(p) for p in self.turns.positions[places]]
        found = reader.by_position(positions)
        speaks = np.zeros(len(places), np.bool_)
        for row, position in enumerate(positions):
            turn = found.get(position)
            if turn is not None:
                anchor = local_date(turn.said_at, self.zone)
                speaks[row] = any(
                    mention.span.first <= window.last and window.first <= mention.span.last
                    for mention in mentions(turn.text, anchor)
                )
        return speaks
