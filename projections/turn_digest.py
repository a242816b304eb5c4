"""Recognise a turn that is sent again."""

import hashlib
import json
from typing import Any

from smriti_es.events.catalogue import TurnRecorded

# Made once: building an encoder costs as much as encoding a turn.
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def turn_digest(
    role: str,
    name: str | None,
    text: str,
    content: Any,
    *,
    tool_calls: Any = None,
    tool_call_id: str | None = None,
) -> str:
    """Digest what was said and by whom, to recognise it when it is sent again.

    Time is compared beside it, not inside it, so that a time given once and left out later does not
    make another turn. The digest is not keyed: it belongs into what can be erased, never into a
    header.

    Args:
        role: Who spoke.
        name: The speaker's name, or None.
        text: The text; counts only when there are no parts, so that rewording a placeholder in a
            later release does not make old turns new.
        content: The content parts as JSON, or None.
        tool_calls: The calls made as JSON, or None.
        tool_call_id: The call answered, or None.

    Returns:
        128 bits of SHA-256 over canonical JSON, as 32 lower-case hex digits.
    """
    said = text if content is None else content
    canonical = _encode([role, name, said, tool_calls, tool_call_id])
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:32]


def digest_of(turn: TurnRecorded) -> str:
    """Digest a turn as the log holds it."""
    return turn_digest(
        turn.role,
        turn.name,
        turn.text,
        turn.content,
        tool_calls=turn.tool_calls,
        tool_call_id=turn.tool_call_id,
    )
