"""What the engine gives back: plain, frozen values that say where they come from."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from smriti_es.beliefs import Fact
from smriti_es.captured import SkippedTurn
from smriti_es.events.instants import format_instant
from smriti_es.events.verification import Verification
from smriti_es.projections.check import CheckReport
from smriti_es.recall.evidence import Evidence
from smriti_es.severity import severity_of


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn as the memory holds it.

    Attributes:
        position: Its place in the log, by which it is cited.
        space: The space of its session.
        session: The caller's name of the session.
        ordinal: 0-based place in the session.
        role: user, assistant, system or tool.
        name: The speaker's name, or None.
        text: What was said.
        said_at: When, microseconds since the epoch; when it was recorded, if nobody said.
        said_precision: How exactly that is known; `unknown` if nobody said.
        known: When the memory learned it, microseconds since the epoch.
        origin: owner, agent, tool or untrusted.
        kind: The caller's kind.
        source_id: The caller's id, or None.
        tags: The caller's tags, sorted.
        metadata: The caller's map.
        tool_calls: Tools that it called, or None.
        tool_call_id: The call that it answered, or None.
        withheld: Positions of what withholds it today: of a turn that is shown under the trust of
            then (`trust="then"`).
    """

    position: int
    space: str
    session: str
    ordinal: int
    role: str
    name: str | None
    text: str
    said_at: int
    said_precision: str
    known: int
    origin: str
    kind: str
    source_id: str | None
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    tool_calls: Any = None
    tool_call_id: str | None = None
    withheld: tuple[int, ...] = ()

    @property
    def said(self) -> str:
        """When it was said, as RFC 3339 text."""
        return format_instant(self.said_at)


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session as the memory holds it.

    Attributes:
        position: Position of the event that started it.
        space: Its space.
        name: The caller's name of it.
        turns: How many turns it has.
        first_said_at: When its earliest turn was said, or None when it has none.
        last_said_at: When its latest turn was said, or None.
        known: When the memory learned of it.
        tags: The caller's tags.
        metadata: The caller's map.
        withheld: As of a turn.
    """

    position: int
    space: str
    name: str
    turns: int
    first_said_at: int | None
    last_said_at: int | None
    known: int
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    withheld: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Added:
    """What an `add` did.

    Attributes:
        session: The session.
        positions: Positions of the turns it recorded, in order.
        replayed: How many turns the session held already.
        skipped: Messages that were not stored, with the reason.
        facts: Positions of the facts found at once; a slow extractor finds them later.
        head: Position of the last event of the log afterwards, which names this point in time.
        repeated: True when the same idempotency key had done it before; nothing new was written.
        redacted: Kind of credential -> how many were replaced in what was handed in.
        stripped: How many contexts of this memory's kind were taken out of it.
        kept: Ids of turns that the session holds with other words: what it holds was kept, and what
            was handed in for them was not recorded.
        erased: How many turns had been recorded before and were erased: they stay out.
    """

    session: str
    positions: tuple[int, ...]
    replayed: int
    skipped: tuple[SkippedTurn, ...]
    facts: tuple[int, ...]
    head: int
    repeated: bool = False
    redacted: Mapping[str, int] = field(default_factory=dict)
    stripped: int = 0
    kept: tuple[str, ...] = ()
    erased: int = 0


@dataclass(frozen=True, slots=True)
class RankStep:
    """What one step of the ranking did to a hit.

    Attributes:
        step: fused, late, priors, surroundings, rerank or chosen, in that order; those that took
            place, see the page on recall.
        before: Its rank before the step; None before the first.
        after: Its rank after it, among all that were nominated; after `chosen`, that of the hit.
    """

    step: str
    before: int | None
    after: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A turn or a fact that answers a question, with its rank.

    Attributes:
        turn: The turn, or None for a fact.
        fact: The fact, or None for a turn.
        rank: 1 for the best.
        score: Comparable within one answer only.
        channels: What found it: lexical, semantic, entity, temporal; and rerank, if it was judged.
        explanation: The parts of the score, when they were asked for.
        steps: Its rank before and after each step, when that was asked for.
        judged: What a reranker gave it, in the reranker's own measure; None: nothing.
    """

    turn: RecordedTurn | None
    fact: Fact | None
    rank: int
    score: float
    channels: tuple[str, ...]
    explanation: Mapping[str, float] = field(default_factory=dict)
    steps: tuple[RankStep, ...] = ()
    judged: float | None = None

    @property
    def position(self) -> int:
        """Its place in the log, by which it is cited."""
        return self.turn.position if self.turn is not None else self._fact.position

    @property
    def severity(self) -> str:
        """How serious it is: critical_warning, known_antipattern, or context (see `severity`)."""
        return severity_of(self.turn if self.turn is not None else self._fact)

    @property
    def text(self) -> str:
        """What it says."""
        return self.turn.text if self.turn is not None else self._fact.statement

    @property
    def _fact(self) -> Fact:
        assert self.fact is not None, "a hit is a turn or a fact"
        return self.fact


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best turns and facts for a question, best first; iterates over its hits.

    Attributes:
        hits: The hits.
        head: Position up to which the answer knows the log.
        degraded: What did not take part, in words; empty when everything did.
        pending: How many turns and facts have no vector yet and were found by their words alone.
        observed: Digests of the facts that a counting question found, beside the hits.
        provisional: Whether commits still to come may belong to the time that was asked for.
        unread: In how many of the turns it saw no facts were looked for yet, or not with success;
            of an answer as of now. At most so many, where another process looks for them.
    """

    hits: tuple[Hit, ...]
    head: int
    degraded: tuple[str, ...] = ()
    pending: int = 0
    observed: tuple[Fact, ...] = ()
    provisional: bool = False
    unread: int = 0

    @property
    def digest(self) -> str:
        """SHA-256 of the texts of the hits, in their order, as JSON in UTF-8; 64 hex."""
        texts = json.dumps([hit.text for hit in self.hits], ensure_ascii=False)
        return hashlib.sha256(texts.encode()).hexdigest()

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]


@dataclass(frozen=True, slots=True)
class Context:
    """Dated evidence for a question, ready for a prompt; `str()` of it is the text.

    Attributes:
        text: What a model reads.
        evidence: The turns in it, best first.
        facts: The facts in it, best first.
        omitted: How many ranked turns did not fit.
        head: Position up to which the answer knows the log.
        degraded: What did not take part, in words.
        pending: How many turns and facts have no vector yet.
        observed: The digests in it (see `observe`), which only a counting question gets.
        provisional: Whether commits still to come may belong to the time that was asked for.
        unread: In how many of the turns it saw no facts were looked for yet, or not with success;
            of an answer as of now. At most so many, where another process looks for them.
    """

    text: str
    evidence: tuple[Evidence, ...]
    facts: tuple[Fact, ...]
    omitted: int
    head: int
    degraded: tuple[str, ...] = ()
    pending: int = 0
    observed: tuple[Fact, ...] = ()
    provisional: bool = False
    unread: int = 0

    def __str__(self) -> str:
        return self.text

    @property
    def digest(self) -> str:
        """SHA-256 of the text in UTF-8, 64 hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def tokens(self) -> int:
        """An estimate: a token for every four bytes of UTF-8, as for English prose."""
        return -(-len(self.text.encode()) // 4)


@dataclass(frozen=True, slots=True)
class ProjectionStatus:
    """Where a projection stands.

    Attributes:
        name: Its name.
        version: The version that built it.
        generation: Which generation serves.
        state: active, halted or building.
        folded: How many events are folded in.
        behind: How many are not.
        error: Why it halted, or None.
    """

    name: str
    version: int
    generation: int
    state: str
    folded: int
    behind: int
    error: str | None


@dataclass(frozen=True, slots=True)
class Status:
    """What there is, and how well it is.

    Attributes:
        location: Where the data lies.
        tenant: Whose log.
        log_id: The log's opaque id.
        events: How many events.
        head: Leaf hash of the last event, 64 hex.
        known: Knowledge time of the last commit, RFC 3339.
        spaces: The spaces that are read. In these are counted: sessions, turns, facts, what waits
            for review, quarantines. All else is counted in the whole log.
        sessions: How many sessions.
        turns: How many turns.
        undated: How many of them nobody gave a time to; they count as said when they were recorded.
        facts: How many statements of fact, however they stand; digests apart.
        review: How many statements, and ends of some, wait for an owner's word (see `review`).
        quarantines: How many quarantines are not lifted (see `quarantines`).
        size_bytes: Bytes of all files of the database.
        schema: Revision of the schema.
        database: What keeps the data, with its version.
        embedder: Identity of the embedder whose vectors are there, or None.
        vectors: How many turns and facts have vectors.
        pending: How many turns and facts wait for theirs.
        failed: What may be read and could not be embedded: position and reason.
        extraction_behind: How many turns the extractor has not come to.
        extraction_failed: Turns that may be read and an extraction failed on: position and reason.
        projections: Where each projection stands.
        degraded: What does not take part in answers, in words.
    """

    location: str
    tenant: str
    log_id: str
    events: int
    head: str
    known: str
    spaces: tuple[str, ...]
    sessions: int
    turns: int
    undated: int
    facts: int
    review: int
    quarantines: int
    size_bytes: int
    schema: str
    database: str
    embedder: Mapping[str, Any] | None
    vectors: int
    pending: int
    failed: tuple[tuple[int, str], ...]
    extraction_behind: int
    extraction_failed: tuple[tuple[int, str], ...]
    projections: tuple[ProjectionStatus, ...]
    degraded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Whether the log is what was written, and the projections what the log says.

    Attributes:
        log: What the verification of the log found.
        projections: How each projection compares; empty when they were left out.
        file: The first damage that the database finds in its own file, in its own words; None when
            there is none, or when the projections were left out.
    """

    log: Verification
    projections: tuple[CheckReport, ...]
    file: str | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing at all is wrong."""
        return self.log.ok and self.file is None and all(report.ok for report in self.projections)
