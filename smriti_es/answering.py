"""How a question is put to a memory: what is asked, inside which snapshot, under which policy."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, cast

from sqlalchemy import Connection

from smriti_es.answer import KnownTo
from smriti_es.asked_snapshot import snapshot_for
from smriti_es.beliefs import BeliefReader
from smriti_es.captured import TimeGiven
from smriti_es.events.errors import InvalidInput
from smriti_es.events.instants import parse_instant
from smriti_es.fact_reads import FactReads
from smriti_es.opened import Opened
from smriti_es.policy import Filters, ReadPolicy, fact_filter, read_policy
from smriti_es.projections.generation import Generation
from smriti_es.reading import TurnReader, read_tables
from smriti_es.recall.asking import QueryVector
from smriti_es.recall.assemble import assemble_head
from smriti_es.recall.profiles import RecallProfile, checked_channels, checked_profile, routed
from smriti_es.recall.question import Question
from smriti_es.recall.reader import Ranked, Snapshot
from smriti_es.recall.reranking import Judgement, judgement, reordered
from smriti_es.recall.visible_facts import VisibleFacts
from smriti_es.rerankers.reranker import Reranker
from smriti_es.time_travel import Moment
from smriti_es.unread import telling_unread

QUESTION_LENGTH_MAX: Final = 20_000


class Asking(Filters, total=False):
    """How a question is answered, and what the answer is narrowed to (see `Filters`).

    Attributes:
        profile: evidence (the default), facts, relations, timeline, deep, a profile of your own, or
            auto: the words of the question decide.
        channels: What takes part, of lexical, semantic, entity, temporal; None: what the profile
            says.
        rerank: Whether the reranker judges the best candidates; None: if the memory has one.
    """

    profile: str | RecallProfile
    channels: Sequence[str] | None
    rerank: bool | None


def filters_of(asking: Asking) -> Filters:
    """Give what narrows an answer, without what says how it is found."""
    how = Asking.__annotations__.keys() - Filters.__annotations__.keys()
    kept = {name: value for name, value in asking.items() if name not in how}
    return cast("Filters", kept)


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a question as a caller gave them.

    Attributes:
        now: When it is asked; None: now.
        valid_at: World time at which facts must hold; None: now, or that of the past moment.
        known_at: As of when everything is read; None: as of now.
    """

    now: TimeGiven | None
    valid_at: TimeGiven | None
    known_at: int | TimeGiven | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was put, how it is to be answered, and the times that it is about.

    Attributes:
        question: What is asked, read.
        now: When, microseconds.
        profile: How it is to be answered.
        valid_at: World time at which facts must hold, or None.
        known_at: As of when everything is read, or None.
        history: Also facts that hold no longer; None: as the question asks.
        wanted: How many hits are wanted, or 0.
        reranker: Who judges the best candidates, or None.
    """

    question: Question
    now: int
    profile: RecallProfile
    valid_at: TimeGiven | None = None
    known_at: int | TimeGiven | None = None
    history: bool | None = None
    wanted: int = 0
    reranker: Reranker | None = None


class Answering(FactReads):
    """What the two verbs share that answer a question."""

    def __init__(self, opened: Opened, moment: Moment | None = None, *, then: bool = False) -> None:
        self._opened = opened
        self._moment = moment
        self._then = then

    def _asked(self, text: str, times: Times, asking: Asking, *, history: bool | None) -> Asked:
        """Read a question, and settle by which profile it is answered."""
        profile, channels = asking.get("profile", "evidence"), asking.get("channels")
        now, zone = times.now, self._opened.zone
        wanted = checked_profile(profile)
        named = None if channels is None else checked_channels(channels)
        at = self._opened.clock() if now is None else parse_instant(now, zone=zone).at
        read = self._opened.reader.analyse(_question(text), at)
        chosen = routed(read) if wanted is None else wanted
        if named is not None:
            chosen = replace(chosen, channels=named)
        past = chosen.history if history is None else history
        judge = self._reranker(asking.get("rerank"))
        return Asked(read, at, chosen, times.valid_at, times.known_at, past, reranker=judge)

    def _reranker(self, wanted: object) -> Reranker | None:
        """Give the reranker if it is wanted."""
        reranker = self._opened.reranker
        if wanted is True and reranker is None:
            raise InvalidInput(
                "there is no reranker",
                hint="Open the memory with a reranker, or leave `rerank` out.",
                field="rerank",
            )
        if wanted is not None and not isinstance(wanted, bool):
            raise InvalidInput(
                f"rerank is {wanted!r}", hint="Give True, False or None.", field="rerank"
            )
        return None if wanted is False else reranker

    @contextmanager
    def _answer(
        self, asked: Asked, policy: ReadPolicy
    ) -> Iterator[tuple[TurnReader, BeliefReader, Ranked]]:
        """Rank for a question inside one snapshot, and give it with what reads it out."""
        reader = self._opened.reader
        judged = self._judged(asked, policy)
        with snapshot_for(self._opened, asked.question, asked.profile) as (snapshot, vectors):
            turns, beliefs, ranked = self._ranked(snapshot, asked, policy, vectors)
            if (problem := reader.semantic.graph_problem) is not None:
                ranked = replace(ranked, degraded=(*ranked.degraded, problem))
            if turns.until is None:  # as of now
                ranked = telling_unread(self._opened, snapshot.connection, ranked)
            yield turns, beliefs, self._in_order(ranked, judged, asked.profile)

    def _judged(self, asked: Asked, policy: ReadPolicy) -> Judgement:
        """Ask the reranker about what a first look finds; no snapshot is open meanwhile."""
        if asked.reranker is None:
            return Judgement()
        depth = asked.profile.settings(self._opened.settings.recall).rerank_depth
        with snapshot_for(self._opened, asked.question, asked.profile) as (snapshot, vectors):
            head = assemble_head(*self._ranked(snapshot, asked, policy, vectors), depth)
        return judgement(asked.reranker, asked.question.text, head)

    def _in_order(self, ranked: Ranked, judged: Judgement, profile: RecallProfile) -> Ranked:
        """Put the best of a ranking into the order that a judge gives them, and say what failed."""
        if judged.problem is not None:
            ranked = replace(ranked, degraded=(*ranked.degraded, judged.problem))
        settings = profile.settings(self._opened.settings.recall)
        ranking = reordered(
            ranked.ranking,
            ranked.turns.positions[ranked.ranking.places],
            judged.scores,
            depth=settings.rerank_depth,
            weight=settings.rerank_weight,
        )
        return replace(ranked, ranking=ranking)

    def _ranked(
        self, snapshot: Snapshot, asked: Asked, policy: ReadPolicy, vectors: QueryVector
    ) -> tuple[TurnReader, BeliefReader, Ranked]:
        """Look once at what the policy lets be seen, as of then, and rank it."""
        reader = self._opened.reader
        connection, serving = snapshot.connection, snapshot.serving
        moment = self._when(connection, asked.known_at)
        self._opened.assert_spaces_exist(connection, policy.spaces, moment)
        beliefs = self._beliefs(connection, asked.valid_at, moment, serving=serving)
        facts = self._visible_facts(beliefs, policy, asked.question, serving, history=asked.history)
        ranked = reader.ranked(
            replace(snapshot, moment=moment),
            asked.question,
            vectors,
            policy,
            facts=facts,
            wanted=asked.wanted,
            profile=asked.profile,
        )
        return self._turns(connection, moment, serving), beliefs, ranked

    def _policy(self, filters: Filters, origins: Sequence[str] | None = None) -> ReadPolicy:
        opened = self._opened
        return read_policy(filters, spaces=opened.spaces, origins=origins, zone=opened.zone)

    def _turns(
        self,
        connection: Connection,
        moment: Moment | None,
        serving: Mapping[str, Generation] | None = None,
    ) -> TurnReader:
        opened = self._opened
        serving = serving or opened.projector.serving(connection)
        tables = read_tables(opened.projector, serving, then=self._then)
        known_to = KnownTo.of(serving["turns"].folded, moment)
        if moment is None:
            return TurnReader(connection, opened.log.log, tables, known_to)
        times = (moment.position, moment.known)
        return TurnReader(connection, opened.log.log, tables, known_to, *times)

    def _visible_facts(
        self,
        beliefs: BeliefReader,
        policy: ReadPolicy,
        asked: Question,
        serving: Mapping[str, Generation],
        *,
        history: bool | None,
    ) -> VisibleFacts:
        """Read the facts that a question may see; a filter that only turns can meet leaves none."""
        reader = self._opened.reader
        wanted = fact_filter(policy)
        past = history
        if past is None:
            past = asked.asks_history or asked.asks_when or asked.window is not None
        if wanted is None:
            return VisibleFacts.none()
        lexical = self._opened.projector.readable(serving, "lexical")
        lags = lexical.folded < serving["facts"].folded
        return reader.facts.load(
            beliefs,
            wanted,
            lexical.number,
            lagging_at=lexical.folded if lags else None,
            history=past,
            future=asked.asks_future,
        )


def _question(text: str) -> str:
    if not isinstance(text, str):
        raise InvalidInput(
            f"a question is text, not {type(text).__name__}",
            hint="Convert it to str before the call.",
        )
    if len(text) > QUESTION_LENGTH_MAX:
        raise InvalidInput(
            f"a question of {len(text)} characters; the limit is {QUESTION_LENGTH_MAX}",
            hint="Ask with the last few sentences of the conversation.",
        )
    # A lone half of a surrogate pair is no character: neither a model nor a database takes it.
    return text.encode("utf-8", "replace").decode("utf-8")
