"""A repeated request takes effect once, exactly: the entry is written in the same transaction.

Keys and requests are kept as HMACs under the log's own key, so that they tell nothing once that key
is gone. The entry also stands in the first payload of the commit, so that it is proved with it and
erased with it.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

from smriti_es.events.database import insert_rows
from smriti_es.events.errors import IdempotencyConflict, IntegrityError, InvalidInput
from smriti_es.events.tables import idempotency_table, keyring_table

KEY_LENGTH_MAX: Final = 512
RESERVED: Final = "$idempotency"
_HMAC_KEY: Final = select(keyring_table.c.hmac_key).where(
    keyring_table.c.log == bindparam("this_log")
)


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A request that must take effect once.

    Attributes:
        key: The caller's key, 1 to 512 characters.
        request: The bytes that make it the same request.
    """

    key: str
    request: bytes


@dataclass(frozen=True, slots=True)
class IdempotencyMacs:
    """What is stored of a request, each 64 hex."""

    key: str
    request: str

    @property
    def reserved(self) -> dict[str, Any]:
        """The member that the first payload of the commit carries."""
        return {RESERVED: {"key": self.key, "request": self.request}}


def hmac_key(connection: Connection, log: int) -> bytes:
    """Read the log's own key, 32 bytes.

    Raises:
        IntegrityError: It is gone.
    """
    key = connection.execute(_HMAC_KEY, {"this_log": log}).scalar_one_or_none()
    if key is None:
        raise IntegrityError("the log's key is gone from the keyring")
    return bytes(key)


def macs_of(connection: Connection, log: int, request: Idempotency) -> IdempotencyMacs:
    """Compute what is stored of a request.

    Raises:
        InvalidInput: The key is empty or too long.
    """
    if not 0 < len(request.key) <= KEY_LENGTH_MAX:
        raise InvalidInput(f"an idempotency key has 1 to {KEY_LENGTH_MAX} characters")
    key = hmac_key(connection, log)
    return IdempotencyMacs(
        _mac(key, b"smriti-es/idempotency-key/1", request.key.encode("utf-8", "surrogatepass")),
        _mac(key, b"smriti-es/request/1", request.request),
    )


def find(connection: Connection, log: int, macs: IdempotencyMacs) -> int | None:
    """Find the first position of the commit that did the same request before, or None.

    Raises:
        IdempotencyConflict: The key was used for another request.
    """
    row = connection.execute(
        select(idempotency_table.c.request_mac, idempotency_table.c.position).where(
            idempotency_table.c.log == log, idempotency_table.c.key_mac == macs.key
        )
    ).one_or_none()
    if row is None:
        return None
    if not hmac.compare_digest(row.request_mac, macs.request):
        raise IdempotencyConflict("this idempotency key was used for another request")
    return int(row.position)


def remember(connection: Connection, log: int, macs: IdempotencyMacs, position: int) -> None:
    """Write the entry for the commit that begins at `position`."""
    insert_rows(connection, idempotency_table, [(log, macs.key, macs.request, position)])


def entry_in(members: Mapping[str, Any]) -> tuple[str, str] | None:
    """Give the key and the request, as HMACs, that the first payload of a commit carries."""
    match members:
        case {"$idempotency": {"key": str(key), "request": str(request)}}:
            return key, request
    return None


def key_check(key: bytes) -> str:
    """Compute the 64 hex by which `verify` recognises the log's key without knowing it."""
    return _mac(key, b"smriti-es/key-check/1", b"")


def _mac(key: bytes, domain: bytes, value: bytes) -> str:
    return hmac.digest(key, domain + b"\0" + value, hashlib.sha256).hex()
