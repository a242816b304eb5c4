"""Events about what was said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted:
    """A conversation began; recorded in the same commit as its first turn.

    Attributes:
        session: The caller's name of the session, unique within the space.
        space: The space it belongs to.
        tags: The caller's tags.
        metadata: The caller's flat map.
    """

    TYPE: ClassVar[str] = "SessionStarted"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ()

    session: str
    space: str
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecorded:
    """Somebody said something; recorded as said, whole, before anything is made of it.

    Attributes:
        session: Position of the `SessionStarted` event of its session.
        ordinal: 0-based place in the session.
        origin: owner, agent, tool or untrusted; fixed here and never raised.
        role: user, assistant, system or tool.
        text: What was said, as text.
        name: The speaker's name, where one was given.
        said_at: When it was said, microseconds since the epoch; None: not known, `known` stands in.
        said_precision: How exactly that is known (instant, day, month, year).
        said_text: The time as the caller wrote it, where it was text.
        content: The content parts as given, where it was not plain text.
        source_id: The caller's id of the turn.
        kind: The caller's kind.
        tags: The caller's tags.
        metadata: The caller's flat map.
        tool_calls: Tools that the turn calls (id, name, arguments).
        tool_call_id: The call that this turn answers.
        extra: Further members of the message, as given.
    """

    TYPE: ClassVar[str] = "TurnRecorded"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("session", "ordinal", "origin", "role")

    session: int
    ordinal: int
    origin: str
    role: str
    text: str
    name: str | None = None
    said_at: int | None = None
    said_precision: str = "instant"
    said_text: str | None = None
    content: Any = None
    source_id: str | None = None
    kind: str = "message"
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tool_calls: Sequence[Mapping[str, Any]] | None = None
    tool_call_id: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
