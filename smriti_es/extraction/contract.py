"""What an extractor takes and gives, whichever it is.

An extractor never writes. Turns are recorded before it runs, and what it gives is recorded whole,
raw replies included, so that a replay needs neither the model nor the extractor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from smriti_es.events.instants import Precision


@dataclass(frozen=True, slots=True)
class SourceTurn:
    """A turn as an extractor sees it.

    Attributes:
        position: Its place in the log, by which a fact names it as evidence.
        role: user, assistant, system or tool.
        speaker: Who speaks, as it is shown, or None.
        text: What was said.
        said_at: When, microseconds since the epoch.
        origin: owner, agent, tool or untrusted.
    """

    position: int
    role: str
    speaker: str | None
    text: str
    said_at: int
    origin: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A turn that supports a fact, and the words in it.

    Attributes:
        turn: Position of the turn.
        quote: The words, exactly as they stand in the turn's text.
    """

    turn: int
    quote: str


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """A fact that an extractor found.

    Attributes:
        subject: Whom or what it is about: a name as it was said, or `user`.
        predicate: snake_case.
        object: The value, as text.
        statement: A sentence that stands by itself.
        evidence: The turns that support it; never empty.
        scope: Where it applies, `kind:value`; "" for everywhere.
        kind: profile, preference, event or knowledge.
        valid_from: When it began to hold, microseconds since the epoch; None: when it was said.
        valid_to: When it ceased to hold, or None.
        precision: How exactly `valid_from` is known.
        time_text: The time as it was said, or None.
        entities: Names in it.
        search_keys: Other words by which it may be looked for.
        single: Whether the subject has one such value at a time; if not said, the memory's registry
            of predicates tells.
        ends: It says that the value holds no longer: nothing is asserted, what stands is ended.
    """

    subject: str
    predicate: str
    object: str
    statement: str
    evidence: tuple[Evidence, ...]
    scope: str = ""
    kind: str = "knowledge"
    valid_from: int | None = None
    valid_to: int | None = None
    precision: Precision = "unknown"
    time_text: str | None = None
    entities: tuple[str, ...] = ()
    search_keys: tuple[str, ...] = ()
    single: bool = False
    ends: bool = False


@dataclass(frozen=True, slots=True)
class DroppedItem:
    """Something an extractor did not take over: an item, or a part of one that it did.

    Attributes:
        reason: Why, in a few words.
        item: What it was, as JSON, cut to a sane length.
    """

    reason: str
    item: Any


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor made of one run of turns.

    Attributes:
        facts: What it found.
        dropped: What it did not take over.
        status: ok, or why there is less than there could be: malformed, wrong_shape, corrected, ...
        replies: Raw replies of a model, in order; empty without one.
        usage: Counts: calls, http_attempts, tokens_in, tokens_out, ...
        details: Further diagnostics, as JSON.
    """

    facts: tuple[ExtractedFact, ...]
    dropped: tuple[DroppedItem, ...] = ()
    status: str = "ok"
    replies: tuple[str, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


class Extractor(Protocol):
    """Finds facts in turns.

    It MUST be safe to call from any thread, and raises ExtractionError when it cannot do its work;
    `retryable` then says whether it may be tried again.
    """

    @property
    def name(self) -> str:
        """Name and version, such as `pattern/1`; kept with every fact."""
        ...

    @property
    def model(self) -> str:
        """The model behind it, or ""."""
        ...

    @property
    def prompt_digest(self) -> str:
        """SHA-256 of the prompt in use, 64 hex, or ""."""
        ...

    @property
    def immediate(self) -> bool:
        """Whether it is fast enough to run before `add` returns; others run in the background."""
        ...

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        """Find facts in turns of one session, in the order in which they were said.

        Args:
            turns: The turns.
            timezone: IANA name of the zone in which days are counted.

        Raises:
            ExtractionError: The model is out of reach or gives nothing usable.
        """
        ...
