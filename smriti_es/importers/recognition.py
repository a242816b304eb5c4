"""Make sure that what is imported twice is recorded once."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from smriti_es.recording import SessionInput


def recognisable(sessions: Sequence[SessionInput], *, space: str) -> list[SessionInput]:
    """Give an idempotency key to every session that is known by nothing but its words.

    A turn is recognised by its id, by its time, or by standing in a session of which the whole is
    sent again; so that a lone message without id and time would be new each time (decision 8).

    Args:
        sessions: Sessions of which the messages are mappings, as readers give them.
        space: The space that they go to; the same file may go to another one, too.

    Returns:
        The same sessions, those keyed that need it.
    """
    return [
        replace(each, idempotency_key=_key(each, space)) if _needs_key(each) else each
        for each in sessions
    ]


def _needs_key(session: SessionInput) -> bool:
    messages = messages_of(session)
    timed = session.at is not None or any(one.get("timestamp") is not None for one in messages)
    return not timed and any(one.get("id") is None for one in messages)


def _key(session: SessionInput, space: str) -> str:
    said: list[Any] = [space, session.session, messages_of(session)]
    if session.tags or session.origin is not None:  # another request, which needs another key
        said += [list(session.tags), session.origin]
    return f"import/{hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()}"


def messages_of(session: SessionInput) -> list[dict[str, Any]]:
    """Give the messages of a session that a reader made."""
    assert isinstance(session.messages, list)
    return session.messages
