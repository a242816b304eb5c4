"""Turns as a caller hands them in, and as they are once checked.

Plain data only; `smriti_es.capture` makes the one from the other.
Source: design page on surfaces, "Python".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, TypeAlias, get_args

from smriti_es.events.instants import Precision
from smriti_es.projections.turn_digest import turn_digest

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
Scalar: TypeAlias = str | int | float | bool
MetadataValue: TypeAlias = Scalar | Sequence[Scalar]
ToolCall: TypeAlias = dict[str, JsonValue]
TimeGiven: TypeAlias = str | datetime | date | int | float

Role = Literal["user", "assistant", "system", "tool"]
SkipReason = Literal["empty", "repeated", "ignored", "context"]
Origin = Literal["owner", "agent", "tool", "untrusted"]
# From the most to the least trusted: an origin may be lowered along this row, never raised.
ORIGINS: tuple[Origin, ...] = get_args(Origin)
KIND_DEFAULT = "message"


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that was said, as a caller gives it; nothing is checked before it is captured.

    Attributes:
        role: user, assistant, system or tool (or a usual synonym); any other text is a speaker's
            name.
        content: Text, or a list of content parts, or None when the turn only calls tools.
        name: Who spoke, when the role does not say it.
        timestamp: When it was said: RFC 3339 text, a datetime, a date, or seconds since 1970.
        id: The caller's own id of the turn, by which a replay is recognised.
        tags: Labels to filter by.
        metadata: A flat map to filter by; values are text, numbers, booleans or lists of these.
        kind: The caller's own class of turn; None takes the kind of the call, else `message`.
        origin: Lowers what the role says, for example to `untrusted`; None leaves it.
        tool_calls: The calls that the turn makes, in any usual shape.
        tool_call_id: The call that the turn answers.
    """

    role: str
    content: str | Sequence[Mapping[str, object] | str] | None
    name: str | None = None
    timestamp: TimeGiven | None = None
    id: str | None = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, MetadataValue] | None = None
    kind: str | None = None
    origin: str | None = None
    tool_calls: Sequence[Mapping[str, object]] | None = None
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class CapturedTurn:
    """One turn, checked and in one shape, ready to be written.

    Attributes:
        index: 0-based place in the list that was handed in.
        role: Who spoke, as one of four.
        name: The speaker's name, or None.
        text: The content as text, byte for byte when it was given as text.
        content: The content parts as JSON, without inline data; None when the content was text.
        said_at: When it was said, in microseconds; None when neither the turn nor the call says.
        said_precision: How exactly `said_at` is known; `unknown` when it is None.
        said_text: The time as the caller wrote it, when it was written as text.
        said_by_call: True when the time is that of the whole call and not the turn's own.
        source_id: The caller's id of the turn.
        tags: Sorted, each once; those of the call included.
        metadata: Sorted by key; the turn's own values win over those of the call.
        kind: As the caller gave it.
        origin: Who the content came from.
        tool_calls: `{id, name, arguments}` for each call, or None.
        tool_call_id: The call that the turn answers, or None.
        extra: Whatever else the message carried, as JSON.
    """

    index: int
    role: Role
    name: str | None
    text: str
    content: list[JsonValue] | None
    said_at: int | None
    said_precision: Precision
    said_text: str | None
    said_by_call: bool
    source_id: str | None
    tags: tuple[str, ...]
    metadata: dict[str, Scalar | list[Scalar]]
    kind: str
    origin: Origin
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    extra: dict[str, JsonValue] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """What was said and by whom, as 32 hex digits: see `turn_digest`."""
        return turn_digest(
            self.role,
            self.name,
            self.text,
            self.content,
            tool_calls=self.tool_calls,
            tool_call_id=self.tool_call_id,
        )


@dataclass(frozen=True, slots=True)
class SkippedTurn:
    """A message that is not stored.

    Attributes:
        index: 0-based place in the list that was handed in.
        reason: `empty` (nothing was said), `repeated` (the same id and content came before),
            `ignored` (it fits a pattern that is to be ignored) or `context` (it was nothing but a
            context that this library gave).
        pattern: The pattern that it fits, or None.
    """

    index: int
    reason: SkipReason
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """What a call to `capture` understood: every message is a turn or is skipped.

    Attributes:
        turns: What is to be stored.
        skipped: What is not.
        redacted: Kind of credential -> how many were replaced, over all messages.
        stripped: How many contexts of ours were taken out of messages.
    """

    turns: tuple[CapturedTurn, ...]
    skipped: tuple[SkippedTurn, ...]
    redacted: Mapping[str, int] = field(default_factory=dict)
    stripped: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one call may hand in; beyond it the whole call is refused.

    Attributes:
        text_bytes_max: UTF-8 bytes of a turn's text, and of the JSON of everything beside the text.
        messages_max: Messages in one call.
        name_length_max: Characters of a name, a role, a kind or a written time.
        tags_max: Tags of one turn, those of the call included.
        tag_length_max: Characters of a tag.
        metadata_max: Keys of a turn's metadata, and values in one list.
        metadata_key_length_max: Characters of a metadata key.
        metadata_value_length_max: Characters of a text value.
        source_id_length_max: Characters of the caller's id and of a tool call's.
    """

    text_bytes_max: int = 4 * 1024 * 1024
    messages_max: int = 10_000
    name_length_max: int = 200
    tags_max: int = 64
    tag_length_max: int = 200
    metadata_max: int = 64
    metadata_key_length_max: int = 200
    metadata_value_length_max: int = 4096
    source_id_length_max: int = 512
