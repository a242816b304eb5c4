"""Events about what is believed: statements of fact, and what became of them.

A statement is complete in itself. Which statement stands, and until when, is decided when something
is appended and recorded as events of its own, so that a replay needs no rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

# In a header there is no null: the position that names no event.
NOBODY: Final = -1
# The kind of a fact that sums up other facts.
DIGEST: Final = "digest"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactAsserted:
    """A fact was stated; recorded by whoever extracted it, or by a direct write.

    Attributes:
        origin: owner, agent, tool or untrusted: the lowest of what it rests on.
        fact: 32 hex, an HMAC over what is stated, when and by which source.
        space: The space.
        subject: Whom or what it is about, as it was said.
        predicate: What is said of it, in key form.
        object: The value, as it was said.
        statement: A sentence that stands by itself.
        scope: Where it applies, `kind:value`; "" for everywhere.
        single: Whether a subject has one such value at a time.
        valid_from: When it began to hold, microseconds since the epoch.
        valid_precision: How exactly that is known; `unknown`: when it was said stands in.
        valid_to: When it ceases to hold, as stated; None when nothing was said of it.
        valid_text: The time as it was said.
        said_at: When it was said.
        kind: profile, preference, event, knowledge or digest.
        evidence: Turns that support it, each `{turn, quote}`.
        because: Positions of the facts that it was derived from.
        entities: Names in it.
        search_keys: Other words by which it may be looked for.
        source: What stated it: `direct`, or an extractor's name and version.
        tags: The caller's tags.
        metadata: The caller's flat map.
    """

    TYPE: ClassVar[str] = "FactAsserted"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("origin",)

    origin: str
    fact: str
    space: str
    subject: str
    predicate: str
    object: str
    statement: str
    said_at: int
    valid_from: int
    scope: str = ""
    single: bool = False
    valid_precision: str = "instant"
    valid_to: int | None = None
    valid_text: str | None = None
    kind: str = "knowledge"
    evidence: Sequence[Mapping[str, Any]] = ()
    because: Sequence[int] = ()
    entities: Sequence[str] = ()
    search_keys: Sequence[str] = ()
    source: str = "direct"
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEnded:
    """A value was said to hold no longer; it ends whatever of it stood at that time.

    Attributes:
        space: The space.
        subject: As it was said.
        predicate: In key form.
        object: The value that ended; "" for whichever stood.
        scope: Its scope.
        valid_to: When it ceased to hold, microseconds since the epoch.
        valid_precision: How exactly that is known.
        valid_text: The time as it was said.
        said_at: When it was said.
        reason: Why, in words.
        evidence: Turns that support it.
        source: What stated it.
        origin: owner, agent, tool or untrusted: the lowest of what it rests on.
    """

    TYPE: ClassVar[str] = "FactEnded"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ()

    space: str
    subject: str
    predicate: str
    valid_to: int
    said_at: int
    object: str = ""
    scope: str = ""
    valid_precision: str = "instant"
    valid_text: str | None = None
    reason: str = ""
    evidence: Sequence[Mapping[str, Any]] = ()
    source: str = "direct"
    origin: str = "owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEndRetracted:
    """A stated end was taken back.

    Attributes:
        end: Position of the `FactEnded`.
        reason: Why.
    """

    TYPE: ClassVar[str] = "FactEndRetracted"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("end",)

    end: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRetracted:
    """A fact was never true: the memory ceases to believe it, at every world time.

    Attributes:
        fact: Position of the `FactAsserted`.
        reason: Why.
    """

    TYPE: ClassVar[str] = "FactRetracted"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("fact",)

    fact: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSuperseded:
    """Another value took a fact's place from a moment on.

    Attributes:
        fact: Position of the fact that is over.
        by: Position of the fact that follows it.
        valid_to: Since when, microseconds since the epoch.
    """

    TYPE: ClassVar[str] = "FactSuperseded"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("fact", "by")

    fact: int
    by: int
    valid_to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactReopened:
    """What had followed a fact, or absorbed it, is gone: it stands by itself again.

    Attributes:
        fact: Position of the fact.
        valid_to: Its own stated end, or None.
    """

    TYPE: ClassVar[str] = "FactReopened"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("fact",)

    fact: int
    valid_to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactLapsed:
    """What had replaced a fact, or ended it, was erased: it is over, and nobody knows since when.

    Attributes:
        fact: Position of the fact.
    """

    TYPE: ClassVar[str] = "FactLapsed"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("fact",)

    fact: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactIntervalRevised:
    """A fact ends at another moment than the memory believed, or is followed by another fact.

    Attributes:
        fact: Position of the fact.
        by: Position of the fact that follows it; -1 when none does.
        valid_to: When it ends, or None.
    """

    TYPE: ClassVar[str] = "FactIntervalRevised"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("fact", "by")

    fact: int
    by: int
    valid_to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactReaffirmed:
    """A fact says again what already stands: it is evidence, not a value of its own.

    Attributes:
        fact: Position of the restatement.
        standing: Position of the fact that it supports.
    """

    TYPE: ClassVar[str] = "FactReaffirmed"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("fact", "standing")

    fact: int
    standing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbitrationDecided:
    """A model was asked whether a new fact replaces one of several like it.

    Attributes:
        fact: Position of the new fact; -1 when the verdict was to skip it.
        target: Position of the fact that it replaces; -1 for none.
        action: add, supersede or skip.
        candidates: Positions of the facts that were offered.
        statement: What was asked about.
        reply: The raw reply.
        status: ok, or what was wrong with the reply.
        model: Who was asked.
    """

    TYPE: ClassVar[str] = "ArbitrationDecided"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("fact", "target", "action")

    fact: int
    target: int
    action: str
    candidates: Sequence[int] = ()
    statement: str = ""
    reply: str = ""
    status: str = "ok"
    model: str = ""
