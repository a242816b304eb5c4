"""Which keys sign a log's checkpoints, as the log itself says, and under which identity.

A key comes into force by a `KeyRotated`, endorsed by the key before it unless that was lost. The
headers alone tell: an erased payload takes no key away.
"""

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

from smriti_es.events.catalogue import KeyRotated, LogRestored
from smriti_es.events.checkpoint import Checkpoint, key_name, origin_of
from smriti_es.events.errors import IntegrityError, InvalidInput
from smriti_es.events.header import Header, decode_header
from smriti_es.events.signed_note import PLAIN, NoteKey, decoded
from smriti_es.events.tables import event_table

_OF_TYPE: Final = (
    select(event_table.c.header)
    .where(event_table.c.log == bindparam("this_log"), event_table.c.type == bindparam("this_type"))
    .order_by(event_table.c.position)
)


@dataclass(frozen=True, slots=True)
class LogKey:
    """A key that signs checkpoints from a position on.

    Attributes:
        key: The public key.
        position: Of the event that brought it into force.
        previous: The key that it took over from, as a text; empty for the first.
        is_endorsed: Whether that key signed for it; always for the first.
    """

    key: NoteKey
    position: int
    previous: str
    is_endorsed: bool


def key_of_log(log_id: str, public_key: bytes) -> NoteKey:
    """Give the key that a log's checkpoints are checked with, of 32 bytes."""
    return NoteKey(key_name(log_id), PLAIN, public_key)


def endorsement_message(previous: str, key: str) -> bytes:
    """Give what the key before signs when another takes over."""
    return f"smriti-es/key/1\n{previous}\n{key}\n".encode()


def rotation(
    key: NoteKey, previous: "LogKey | None", endorsement: bytes, reason: str
) -> KeyRotated:
    """Make the event by which a key comes into force.

    Args:
        key: The key.
        previous: The key in force; None for the first.
        endorsement: Its signature of `endorsement_message`; empty where there is none.
        reason: Why.
    """
    return KeyRotated(
        key=str(key),
        previous="" if previous is None else str(previous.key),
        endorsement=base64.b64encode(endorsement).decode(),
        reason=reason,
    )


def keys_of(connection: Connection, log: int) -> list[LogKey]:
    """Give the keys of a log in the order in which they came into force.

    Raises:
        IntegrityError: What one of the events says is no key.
    """
    return list(keys_in(_headers(connection, log, KeyRotated.TYPE)))


def keys_in(headers: Iterable[Header]) -> Iterator[LogKey]:
    """Read the keys out of the headers of `KeyRotated` events, in order.

    Raises:
        IntegrityError: What one of them says is no key.
    """
    for header in headers:
        said = header.facets
        previous, written = str(said.get("previous")), str(said.get("key"))
        try:
            key = NoteKey.parse(written)
            is_endorsed = not previous or NoteKey.parse(previous).has_signed(
                endorsement_message(previous, written).decode(),
                decoded(str(said.get("endorsement"))),
            )
        except InvalidInput as error:
            at = header.position
            raise IntegrityError(f"the key at position {at} is none: {error}") from error
        yield LogKey(key, header.position, previous, is_endorsed)


def origin_in_force(connection: Connection, log: int, log_id: str) -> str:
    """Give the identity under which a log is attested now."""
    restored = [each.position for each in _headers(connection, log, LogRestored.TYPE)]
    return origin_of(log_id, restored[-1] if restored else None)


def is_given_up(connection: Connection, log: int, checkpoint: Checkpoint) -> bool:
    """Tell whether a log says that it does not go on from a checkpoint, since it was restored."""
    return any(
        gives_up(header, checkpoint) for header in _headers(connection, log, LogRestored.TYPE)
    )


def gives_up(restored: Header, checkpoint: Checkpoint) -> bool:
    """Tell whether the header of a `LogRestored` names a checkpoint."""
    said = restored.facets
    return (said.get("size"), said.get("root")) == (checkpoint.size, checkpoint.root.hex())


def _headers(connection: Connection, log: int, kind: str) -> Iterator[Any]:
    rows = connection.execute(_OF_TYPE, {"this_log": log, "this_type": kind}).scalars()
    return map(decode_header, rows.all())
