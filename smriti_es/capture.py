"""Turn the messages that agents have into turns, all checked before anything is written.

Either every message of a call is understood, or the call is refused and names the message at fault.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from smriti_es.captured import (
    KIND_DEFAULT,
    ORIGINS,
    Captured,
    CapturedTurn,
    JsonValue,
    Limits,
    MetadataValue,
    Origin,
    Scalar,
    SkippedTurn,
    TimeGiven,
    Turn,
)
from smriti_es.checked_values import Place, checked_label, checked_metadata, checked_tags
from smriti_es.content_parts import ReadContent, read_content
from smriti_es.events.errors import InvalidInput
from smriti_es.events.instants import Precision, parse_instant
from smriti_es.message_forms import Messages, as_turn, listed, read_message
from smriti_es.roles import checked_origin, lowered, read_origin, read_speaker
from smriti_es.screening import NO_SCREENING, Screening, Tally
from smriti_es.text_walk import map_texts

__all__ = [
    "ORIGINS",
    "Captured",
    "CapturedTurn",
    "Limits",
    "Messages",
    "SkippedTurn",
    "Turn",
    "capture",
]

DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class _Said:
    at: int | None = None
    precision: Precision = "unknown"
    text: str | None = None
    by_call: bool = False


@dataclass(frozen=True, slots=True)
class _Call:
    """What holds for every turn of a call, already checked."""

    said: _Said
    zone: tzinfo
    tags: tuple[str, ...]
    metadata: dict[str, Scalar | list[Scalar]]
    kind: str
    origin: Origin | None
    most_trusted: Origin
    limits: Limits
    screening: Screening
    tally: Tally


def capture(  # noqa: PLR0913 - the public verb: everything that may hold for a whole call
    messages: Messages,
    *,
    at: TimeGiven | None = None,
    zone: tzinfo = UTC,
    tags: Sequence[str] = (),
    metadata: Mapping[str, MetadataValue] | None = None,
    kind: str | None = None,
    origin: str | None = None,
    most_trusted: Origin = "owner",
    limits: Limits = DEFAULT_LIMITS,
    screening: Screening = NO_SCREENING,
) -> Captured:
    """Check messages and bring them into one shape.

    Reads no clock and writes nothing. A turn's own word wins over what the call says.

    Args:
        messages: Mappings or `Turn`s, one alone, or a text (one user turn); unknown keys are kept.
        at: When the turns were said, for those that do not say it themselves.
        zone: Where a time without an offset was meant.
        tags: Added to the tags of each turn.
        metadata: Added to the metadata of each turn.
        kind: The kind of the turns that do not name one; None is `message`.
        origin: The origin of the turns that do not name one; may only lower what their roles say.
        most_trusted: What is of a more trusted origin than this is lowered to it.
        limits: How much may be handed in.
        screening: What is taken out of messages, and which of them are not stored.

    Returns:
        The turns in order, and the messages that are not stored, with the reason.

    Raises:
        InvalidInput: Something cannot be stored as it is; the error names message and field.
    """
    tally = Tally()
    tags, metadata, kind = screening.value((tags, metadata, kind), tally)
    call = _Call(
        said=_read_time(at, zone, Place("at"), by_call=True),
        zone=zone,
        tags=tuple(sorted(checked_tags(tags, Place("tags"), limits))),
        metadata=checked_metadata(metadata, Place("metadata"), limits),
        kind=_label(kind, "kind", None, limits.name_length_max) or KIND_DEFAULT,
        origin=None if origin is None else checked_origin(origin, Place("origin")),
        most_trusted=most_trusted,
        limits=limits,
        screening=screening,
        tally=tally,
    )
    turns: list[CapturedTurn] = []
    skipped: list[SkippedTurn] = []
    by_source_id: dict[str, CapturedTurn] = {}
    for index, message in enumerate(listed(messages, limits)):
        stripped = tally.stripped
        turn = _capture_message(message, index, call)
        if why := _unwanted(turn, by_source_id, screening, stripped=tally.stripped > stripped):
            skipped.append(why)
        else:
            turns.append(turn)
    return Captured(tuple(turns), tuple(skipped), dict(tally.redacted), tally.stripped)


def _unwanted(
    turn: CapturedTurn,
    by_source_id: dict[str, CapturedTurn],
    screening: Screening,
    *,
    stripped: bool,
) -> SkippedTurn | None:
    """Say why a turn is not stored, or None."""
    if not turn.text.strip():
        return SkippedTurn(turn.index, "context" if stripped else "empty")
    pattern = screening.ignored_by(turn.text)
    if pattern is not None:
        return SkippedTurn(turn.index, "ignored", pattern)
    return SkippedTurn(turn.index, "repeated") if _repeats(turn, by_source_id) else None


def _capture_message(message: object, index: int, call: _Call) -> CapturedTurn:
    limits = call.limits
    turn, extra = as_turn(call.screening.message(message, index, call.tally), index)
    role, name, unused_role = read_speaker(turn.role, turn.name, index, limits)
    content, text, calls = read_message(turn, extra, index)
    if content.parts is not None or calls:
        content, text = _screened_whole(content, text, index, call)
    if content.only_results and role == "user":
        role = "tool"
    extra |= unused_role
    metadata = _merged_metadata(turn, index, call)
    _check_sizes(text, [content.parts, calls, extra, metadata], Place("content", index), limits)
    said = _read_time(turn.timestamp, call.zone, Place("timestamp", index))
    said = call.said if said.at is None else said
    wanted = call.origin if turn.origin is None else turn.origin
    holds_results = bool(content.result_ids)
    result_id = content.result_ids[0] if len(content.result_ids) == 1 else None
    call_id = _label(turn.tool_call_id, "tool_call_id", index, limits.source_id_length_max)
    return CapturedTurn(
        index=index,
        role=role,
        name=name,
        text=text,
        content=content.parts,
        said_at=said.at,
        said_precision=said.precision,
        said_text=said.text,
        said_by_call=said.by_call,
        source_id=_label(turn.id, "id", index, limits.source_id_length_max),
        tags=_merged_tags(turn, index, call),
        metadata=metadata,
        kind=_label(turn.kind, "kind", index, limits.name_length_max) or call.kind,
        origin=lowered(
            read_origin(role, wanted, index, holds_results=holds_results), call.most_trusted
        ),
        tool_calls=calls or None,
        tool_call_id=call_id or result_id,
        extra=extra,
    )


def _screened_whole(
    content: ReadContent, text: str, index: int, call: _Call
) -> tuple[ReadContent, str]:
    """Screen what parts say together: what begins in one of them may end in another."""
    whole = call.screening.text(text, call.tally)
    if whole is text or content.parts is None:
        return content, whole
    parts: list[JsonValue] = map_texts(content.parts, call.screening.text)
    if read_content(parts, index).text.split() != whole.split():
        parts = [{"type": "text", "text": whole}]
    return replace(content, parts=parts), whole


def _label(value: object, field: str, index: int | None, length_max: int) -> str | None:
    return None if value is None else checked_label(value, Place(field, index), length_max)


def _read_time(
    value: TimeGiven | None, zone: tzinfo, place: Place, *, by_call: bool = False
) -> _Said:
    if value is None:
        return _Said()
    text = None
    if isinstance(value, str):
        # fromisoformat takes any character between date and time, NUL and half a pair included.
        text = checked_label(value, place, DEFAULT_LIMITS.name_length_max)
    try:
        instant = parse_instant(value, zone=zone)
    except InvalidInput as error:
        raise place.refusal(f"is {error}", error.hint) from error
    return _Said(instant.at, instant.precision, text, by_call)


def _merged_tags(turn: Turn, index: int, call: _Call) -> tuple[str, ...]:
    if turn.tags == ():
        return call.tags
    place = Place("tags", index)
    own = checked_tags(turn.tags, place, call.limits)
    return tuple(sorted(checked_tags(own.union(call.tags), place, call.limits)))


def _merged_metadata(turn: Turn, index: int, call: _Call) -> dict[str, Scalar | list[Scalar]]:
    if turn.metadata is None:
        return call.metadata.copy()
    place = Place("metadata", index)
    own = checked_metadata(turn.metadata, place, call.limits)
    return checked_metadata({**call.metadata, **own}, place, call.limits)


def _check_sizes(text: str, beside: Sequence[object], place: Place, limits: Limits) -> None:
    in_json = json.dumps(beside, ensure_ascii=False) if any(beside) else ""
    for what, size_bytes in (("text", len(text.encode())), ("JSON", len(in_json.encode()))):
        if size_bytes > limits.text_bytes_max:
            raise place.refusal(
                f"has {size_bytes} bytes of {what}, at most {limits.text_bytes_max} are allowed",
                "Split it into several turns, or keep the file elsewhere and store its name.",
                limit=limits.text_bytes_max,
            )


def _repeats(turn: CapturedTurn, by_source_id: dict[str, CapturedTurn]) -> bool:
    """Tell whether a message came before in this call; two messages under one id are refused."""
    if turn.source_id is None:
        return False
    earlier = by_source_id.setdefault(turn.source_id, turn)
    if earlier is turn:
        return False
    if (earlier.digest, earlier.said_at) != (turn.digest, turn.said_at):
        raise Place("id", turn.index).refusal(
            f"{turn.source_id!r} already stands for message {earlier.index}, which differs",
            "Give every message its own id, or leave the ids out.",
        )
    return True
