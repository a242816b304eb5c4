"""Events about extraction: what a model or a set of patterns made of recorded turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionCompleted:
    """An extractor went through turns of one session; recorded with the facts that it gave.

    Attributes:
        session: Position of the session's `SessionStarted`.
        turns: Positions of the turns.
        extractor: Name and version.
        model: The model behind it, or "".
        prompt: SHA-256 of its prompt, or "".
        replies: Raw replies, in order.
        accepted: How many facts were taken over.
        dropped: What was not, each `{reason, item}`: items, and parts of items that were.
        status: ok, or why there is less than there could be.
        usage: Counts of calls and tokens.
        details: Further diagnostics.
    """

    TYPE: ClassVar[str] = "ExtractionCompleted"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("session",)

    session: int
    turns: Sequence[int]
    extractor: str
    model: str = ""
    prompt: str = ""
    replies: Sequence[str] = ()
    accepted: int = 0
    dropped: Sequence[Mapping[str, Any]] = ()
    status: str = "ok"
    usage: Mapping[str, int] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionFailed:
    """An extractor could not do its work; the turns wait and are tried again.

    Attributes:
        session: Position of the session's `SessionStarted`.
        turns: Positions of the turns.
        extractor: Name and version.
        error: What went wrong, in words.
        retryable: Whether trying again may help.
        attempt: Which attempt it was, from 1.
        replies: Raw replies that could not be used, in order.
        usage: Counts of calls and tokens.
        details: Further diagnostics.
    """

    TYPE: ClassVar[str] = "ExtractionFailed"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("session",)

    session: int
    turns: Sequence[int]
    extractor: str
    error: str
    retryable: bool = True
    attempt: int = 1
    replies: Sequence[str] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
