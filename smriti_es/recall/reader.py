"""A question in, a ranking out, and in words what did not take part in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo

import numpy as np
from sqlalchemy import Connection

from smriti_es.answer import KnownTo
from smriti_es.events.errors import EmbedderError
from smriti_es.policy import ReadPolicy, ReadTables, assert_sessions_exist
from smriti_es.projections.generation import Generation
from smriti_es.projections.projector import Projector
from smriti_es.projections.trust import WithheldAsOf, withheld_as_of
from smriti_es.question_vectors import Known, QueryVectors
from smriti_es.reading import read_tables
from smriti_es.recall.asking import Asking, QueryVector
from smriti_es.recall.channels import Mask
from smriti_es.recall.profiles import EVIDENCE, RecallProfile
from smriti_es.recall.question import Question, analyse_question
from smriti_es.recall.rank import Ranking
from smriti_es.recall.recent import RecentRankings
from smriti_es.recall.temporal import local_date
from smriti_es.recall.visible import VisibleCache, VisibleTurns
from smriti_es.recall.visible_facts import FactCache, JoinedRows, VisibleFacts
from smriti_es.recall.weights import RecallSettings
from smriti_es.semantic import SemanticIndex, told_other
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
        profile: How the question was answered.
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
    profile: RecallProfile = EVIDENCE

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


@dataclass(slots=True)
class EvidenceReader:
    """Ranks the turns of one log.

    Attributes:
        projector: Knows which generations serve.
        visible: What each policy sees.
        facts: Rows of facts.
        semantic: The vectors.
        queries: Embeds questions; None: the engine has no embedder.
        settings: The weights.
        zone: Where days are counted.
        rows: Turns and facts together, as they were ranked last.
        recent: The last rankings.
        successor: What embeds questions once vectors that are being put into service serve.
    """

    projector: Projector
    visible: VisibleCache
    facts: FactCache
    semantic: SemanticIndex
    queries: QueryVectors | None
    settings: RecallSettings
    zone: tzinfo
    rows: JoinedRows = field(default_factory=JoinedRows)
    recent: RecentRankings = field(default_factory=RecentRankings)
    successor: QueryVectors | None = None

    @property
    def known(self) -> Known | None:
        """What the embedder of questions is; None: there is none, or it has not said so yet."""
        return None if self.queries is None else self.queries.known

    def analyse(self, text: str, now: int) -> Question:
        """Read the question, as asked at `now` (microseconds) in the reader's zone."""
        return analyse_question(text, now=local_date(now, self.zone))

    def embed(
        self,
        question: Question,
        queries: QueryVectors | None,
        profile: RecallProfile = EVIDENCE,
    ) -> QueryVector:
        """Embed the question, or say why not; to be called outside any snapshot."""
        if not profile.uses("semantic"):
            return QueryVector({})
        if queries is None:
            return QueryVector({}, "the engine was opened without an embedder")
        try:
            texts = (question.text, *question.alternatives)
            return QueryVector({text: queries.of(text) for text in texts}, None, queries.learn())
        except EmbedderError as error:
            return QueryVector({}, str(error))

    def queries_for(self, serving: Mapping[str, Generation]) -> QueryVectors | None:
        """Give what embeds questions for the vectors that serve: in the midst of a switch the next.

        None: nothing here does.
        """
        generation = serving.get("vectors")
        if generation is None or generation.detail is None:
            return None
        for queries in (self.queries, self.successor):
            known = None if queries is None else queries.known
            if known is not None and known.identity == generation.detail:
                return queries
        return None

    def ranked(
        self,
        snapshot: Snapshot,
        question: Question,
        vectors: QueryVector,
        policy: ReadPolicy,
        *,
        facts: VisibleFacts,
        wanted: int = 0,
        profile: RecallProfile = EVIDENCE,
    ) -> Ranked:
        """Rank the visible turns and facts for a question, inside one snapshot.

        Args:
            snapshot: What is looked at.
            question: What is asked.
            vectors: What `embed` made of it.
            policy: Which turns may be seen.
            facts: Which facts may be seen.
            wanted: How many hits the caller asks for: so many are nominated, if there are.
            profile: What takes part, and how it weighs.

        Raises:
            NotFound: The policy names a session that does not exist.
            ProjectionBehind: Another release has built a projection anew.
        """
        connection, serving, moment = snapshot.connection, snapshot.serving, snapshot.moment
        tables = self._readable(serving)
        known_to = KnownTo.of(serving["turns"].folded, moment)
        withheld = self._withheld(connection, tables, moment)
        visible = self._visible(connection, policy, serving, tables, moment, withheld)
        turns = self.rows.of(visible.before(known_to.head + 1), facts)
        is_fact = turns.is_fact
        asking = Asking(
            self.projector,
            self.semantic,
            self.zone,
            self._weights(profile, wanted),
            connection,
            turns,
            serving,
            vectors,
            facts.away_among(is_fact),
            semantic=self._compares(serving, vectors),
            profile=profile,
            moment=moment,
            erased=withheld.erased,
        )
        return Ranked(
            question,
            turns,
            self.recent.answer(asking, question),
            known_to,
            (*self._problems(serving, vectors, known_to, profile), *asking.said(is_fact)),
            self._pending(turns, serving.get("vectors"), profile),
            is_fact,
            facts.past,
            serving,
            profile=profile,
        )

    def _readable(self, serving: dict[str, Generation]) -> ReadTables:
        for name in ("lexical", "vectors"):
            self.projector.readable(serving, name)
        return read_tables(self.projector, serving)

    def _weights(self, profile: RecallProfile, wanted: int) -> RecallSettings:
        settings = profile.settings(self.settings)
        return replace(settings, depth=max(settings.depth, wanted))

    def _withheld(
        self, connection: Connection, tables: ReadTables, moment: Moment | None
    ) -> WithheldAsOf:
        known = None if moment is None else moment.known
        return withheld_as_of(connection, tables.trust, self.projector.log.log, known)

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
        generation, made_by = serving.get("vectors"), vectors.made_by
        if generation is None or made_by is None:
            return False
        return generation.detail == made_by.identity

    def _problems(
        self,
        serving: dict[str, Generation],
        vectors: QueryVector,
        known_to: KnownTo,
        profile: RecallProfile,
    ) -> list[str]:
        """Say what does not do its part; a channel that was not asked for has none to do."""
        found: list[str] = []
        if profile.uses("lexical"):
            found += _lag(serving["lexical"], known_to.head + 1)
        if profile.uses("semantic"):
            found += self._semantic_problem(serving, vectors)
        return found

    def _semantic_problem(self, serving: dict[str, Generation], vectors: QueryVector) -> list[str]:
        if vectors.problem is not None:
            return [f"semantic: {vectors.problem}"]
        if not self._compares(serving, vectors):
            return [told_other(serving.get("vectors"))]
        if self.queries is not None and self.queries.embedder.weak:
            return ["semantic: weak, the embedder compares spelling and not meaning"]
        return []

    def _pending(
        self, turns: VisibleTurns, generation: Generation | None, profile: RecallProfile
    ) -> int:
        if self.queries is None or generation is None or not profile.uses("semantic"):
            return 0
        return int(np.count_nonzero(turns.positions >= generation.folded))


def _lag(lexical: Generation, folded: int) -> list[str]:
    if lexical.folded >= folded:
        return []
    why = lexical.error or "it lags behind the log"
    return [f"lexical: the last {folded - lexical.folded} events are not indexed: {why}"]
