"""A question in, a ranking out, and in words what did not take part in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, exc

from smriti_es.answer import KnownTo
from smriti_es.embedders import FloatMatrix
from smriti_es.events.database import is_storage_failure
from smriti_es.events.errors import EmbedderError
from smriti_es.events.server_errors import Unharmed, reason_of
from smriti_es.policy import ReadPolicy, ReadTables, assert_sessions_exist
from smriti_es.projections.generation import Generation
from smriti_es.projections.lexical.projection import postings
from smriti_es.projections.projector import Projector
from smriti_es.projections.trust import WithheldAsOf, withheld_as_of
from smriti_es.reading import TurnReader, read_tables
from smriti_es.recall.channels import Channels, Mask, bm25, said_within
from smriti_es.recall.question import Question, analyse_question
from smriti_es.recall.rank import Ranking, merged, rank
from smriti_es.recall.temporal import local_date, mentions
from smriti_es.recall.visible import Positions, VisibleCache, VisibleTurns
from smriti_es.recall.visible_facts import FactCache, VisibleFacts, joined
from smriti_es.recall.weights import RecallSettings
from smriti_es.semantic import QueryVectors, SemanticIndex, failed_positions, told_failed
from smriti_es.time_travel import Moment


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranking and what it was made of.

    Attributes:
        question: What was asked.
        turns: What could be seen: turns, and facts as rows among them.
        ranking: The order.
        known_to: Up to where it knows the log.
        degraded: What did not take part, in words.
        pending: How many visible rows have no vector yet.
        is_fact: Which rows are facts.
        past: Whether facts that hold no longer are among them; None: no facts were asked for.
        serving: The generations that answered.
        unread: In how many visible turns nobody has looked for facts yet.
    """

    question: Question
    turns: VisibleTurns
    ranking: Ranking
    known_to: KnownTo
    degraded: tuple[str, ...]
    pending: int
    is_fact: Mask
    past: bool | None
    serving: dict[str, Generation]
    unread: int = 0

    def best(self, count: int) -> list[tuple[int, bool]]:
        """Give the log positions of the best `count` rows, and which of them are facts."""
        places = self.ranking.places[:count]
        return [
            (int(position), bool(fact))
            for position, fact in zip(
                self.turns.positions[places], self.is_fact[places], strict=True
            )
        ]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of the database that one read looks at.

    Attributes:
        connection: The snapshot.
        serving: Which generations answer in it, looked up once.
        moment: As of when is read; None: now.
    """

    connection: Connection
    serving: dict[str, Generation]
    moment: Moment | None = None


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question's vectors, made before the snapshot is opened.

    Attributes:
        by_text: For the question and each of its alternatives.
        problem: Why there are none, or None.
    """

    by_text: dict[str, FloatMatrix]
    problem: str | None = None


@dataclass(slots=True)
class EvidenceReader:
    """Ranks the turns of one log.

    Attributes:
        projector: Knows which generations serve.
        visible: What each policy sees.
        facts: Rows of facts.
        semantic: The vectors.
        queries: Embeds questions; None: the engine has no embedder.
        identity: Identity of that embedder, as vectors carry it.
        settings: The weights.
        zone: Where days are counted.
    """

    projector: Projector
    visible: VisibleCache
    facts: FactCache
    semantic: SemanticIndex
    queries: QueryVectors | None
    identity: str | None
    settings: RecallSettings
    zone: tzinfo

    def analyse(self, text: str, now: int) -> Question:
        """Read the question, as asked at `now` (microseconds) in the reader's zone."""
        return analyse_question(text, now=local_date(now, self.zone))

    def embed(self, question: Question) -> QueryVector:
        """Embed the question, or say why not; to be called outside any snapshot."""
        if self.queries is None:
            return QueryVector({}, "the engine was opened without an embedder")
        try:
            texts = (question.text, *question.alternatives)
            return QueryVector({text: self.queries.of(text) for text in texts})
        except EmbedderError as error:
            return QueryVector({}, str(error))

    def ranked(
        self,
        snapshot: Snapshot,
        question: Question,
        vectors: QueryVector,
        policy: ReadPolicy,
        *,
        facts: VisibleFacts,
        wanted: int = 0,
    ) -> Ranked:
        """Rank the visible turns and facts for a question, inside one snapshot.

        Args:
            snapshot: What is looked at.
            question: What is asked.
            vectors: What `embed` made of it.
            policy: Which turns may be seen.
            facts: Which facts may be seen.
            wanted: How many hits the caller asks for: so many are nominated, if there are.

        Raises:
            NotFound: The policy names a session that does not exist.
            ProjectionBehind: Another release has built a projection anew.
        """
        connection, serving, moment = snapshot.connection, snapshot.serving, snapshot.moment
        for name in ("lexical", "vectors"):
            self.projector.readable(serving, name)
        tables = read_tables(self.projector, serving)
        known_to = KnownTo.of(serving["turns"].folded, moment)
        as_of = None if moment is None else moment.known
        withheld = withheld_as_of(connection, tables.trust, self.projector.log.log, as_of)
        visible = self._visible(connection, policy, serving, tables, moment, withheld)
        turns, is_fact = joined(visible.before(known_to.head + 1), facts)
        away = np.zeros(len(turns), np.bool_)
        away[is_fact] = facts.away
        lag = _lag(serving["lexical"], known_to.head + 1)
        asking = _Asking(
            self,
            replace(self.settings, depth=max(self.settings.depth, wanted)),
            connection,
            turns,
            serving,
            vectors,
            away,
            semantic=self._compares(serving, vectors),
            now=moment is None,
            erased=withheld.erased,
        )
        ranking = asking.answer(question)
        return Ranked(
            question,
            turns,
            ranking,
            known_to,
            (*lag, *self._semantic_problem(serving, vectors), *asking.said(is_fact)),
            self._pending(turns, serving.get("vectors")),
            is_fact,
            facts.past,
            serving,
        )

    def _visible(
        self,
        connection: Connection,
        policy: ReadPolicy,
        serving: dict[str, Generation],
        tables: ReadTables,
        moment: Moment | None,
        withheld: WithheldAsOf,
    ) -> VisibleTurns:
        log = self.projector.log.log
        until, known = (None, None) if moment is None else (moment.position, moment.known)
        assert_sessions_exist(policy, tables, log, connection, until=until, known=known)
        return self.visible.load(
            connection,
            policy,
            tables=tables,
            withheld=withheld,
            lexical=serving["lexical"].number,
            folded=serving["turns"].folded,
            indexed=serving["lexical"].folded,
        )

    def _compares(self, serving: dict[str, Generation], vectors: QueryVector) -> bool:
        generation = serving.get("vectors")
        return (
            bool(vectors.by_text) and generation is not None and generation.detail == self.identity
        )

    def _semantic_problem(self, serving: dict[str, Generation], vectors: QueryVector) -> list[str]:
        if vectors.problem is not None:
            return [f"semantic: {vectors.problem}"]
        generation = serving.get("vectors")
        if generation is None or generation.detail != self.identity:
            return [
                "semantic: the vectors were made by another embedder; "
                "`smriti-es projections rebuild vectors` makes them anew"
            ]
        if self.queries is not None and self.queries.embedder.weak:
            return ["semantic: weak, the embedder compares spelling and not meaning"]
        return []

    def _pending(self, turns: VisibleTurns, generation: Generation | None) -> int:
        if self.queries is None or generation is None:
            return 0
        return int(np.count_nonzero(turns.positions >= generation.folded))


def _lag(lexical: Generation, folded: int) -> list[str]:
    if lexical.folded >= folded:
        return []
    why = lexical.error or "it lags behind the log"
    return [f"lexical: the last {folded - lexical.folded} events are not indexed: {why}"]


@dataclass(frozen=True, slots=True)
class _Asking:
    """One question inside one snapshot."""

    reader: EvidenceReader
    settings: RecallSettings
    connection: Connection
    turns: VisibleTurns
    serving: dict[str, Generation]
    vectors: QueryVector
    away: Mask
    semantic: bool
    now: bool
    erased: int
    problems: list[str] = field(default_factory=list)

    def answer(self, question: Question) -> Ranking:
        """Rank for the question and for each of its alternatives."""
        if not question.alternatives:
            return self._rank(question)
        parts = [analyse_question(text, now=None) for text in question.alternatives]
        return merged([self._rank(question), *(self._rank(part) for part in parts)])

    def said(self, is_fact: Mask) -> list[str]:
        """Say of how many rows no vector could be made, and what went wrong on the way."""
        return [*self._without_vector(is_fact), *dict.fromkeys(self.problems)]

    def _without_vector(self, is_fact: Mask) -> list[str]:
        if not self.semantic:
            return []
        log = self.reader.projector.log.log
        failed = failed_positions(self.connection, log, self.serving["vectors"])
        if len(failed) == 0:
            return []
        places, visible = self.turns.places(failed)
        facts = int(np.count_nonzero(is_fact[places[visible]]))
        return told_failed(int(np.count_nonzero(visible)) - facts, facts)

    def _rank(self, question: Question) -> Ranking:
        reader, turns = self.reader, self.turns
        look_up = lru_cache(maxsize=None)(partial(self._postings, Unharmed(self.connection)))
        window = question.window
        channels = Channels(
            bm25(question.terms, look_up, turns, self.settings),
            self._similarities(question.text),
            None if window is None else said_within(turns, window, reader.zone),
        )
        return rank(
            question,
            turns,
            channels,
            self.settings,
            postings=look_up,
            exact_cosine=partial(self._exact, question.text),
            speaks_of_window=partial(self._speaks_of_window, question),
            away=self.away,
        )

    def _postings(self, unharmed: Unharmed, term: str) -> tuple[Positions, Positions]:
        """Look a term up; a damaged index is said, and the other channels answer."""
        log, generation = self.reader.projector.log.log, self.serving["lexical"].number
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

    def _similarities(self, text: str) -> npt.NDArray[np.float32] | None:
        if not self.semantic:
            return None
        return self.reader.semantic.similarities(
            self.connection,
            self.serving["vectors"],
            self.vectors.by_text[text],
            self.turns.positions,
            self.settings.depth,
            erasure=self.erased,
            exact=not self.now,
        )

    def _exact(self, text: str, places: Positions) -> npt.NDArray[np.float32]:
        return self.reader.semantic.exact(
            self.serving["vectors"], self.vectors.by_text[text], self.turns.positions[places]
        )

    def _speaks_of_window(self, question: Question, places: Positions) -> Mask:
        """Tell which turns mention days of the window, in words such as "yesterday"."""
        assert question.window is not None
        window = question.window
        tables = read_tables(self.reader.projector, self.serving)
        known_to = KnownTo.of(self.serving["turns"].folded, None)
        log = self.reader.projector.log.log
        reader = TurnReader(self.connection, log, tables, known_to)
        positions: Sequence[int] = [int(p) for p in self.turns.positions[places]]
        found = reader.by_position(positions)
        speaks = np.zeros(len(places), np.bool_)
        for row, position in enumerate(positions):
            turn = found.get(position)
            if turn is not None:
                anchor = local_date(turn.said_at, self.reader.zone)
                speaks[row] = any(
                    mention.span.first <= window.last and window.first <= mention.span.last
                    for mention in mentions(turn.text, anchor)
                )
        return speaks
