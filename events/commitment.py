"""Bind content to the chain so that the content can go while the chain stays valid.

The key is 32 random bytes kept beside the payload. With key and payload deleted, the commitment in
the header says nothing about what was there, however short it was. Source: docs/format.md,
"Commitment"; RFC 2104.
"""

import hmac
from typing import Final

KEY_BYTES: Final = 32
_DOMAIN: Final = b"smriti-es/commit/1\0"


def commitment(key: bytes, body: bytes) -> str:
    """Compute the commitment to a payload.

    Args:
        key: 32 random bytes, used for this payload alone.
        body: The payload's exact bytes.

    Returns:
        64 hex digits: HMAC-SHA-256 under the key over the domain string and the body.
    """
    return hmac.digest(key, _DOMAIN + body, "sha256").hex()


def matches(expected: str, key: bytes, body: bytes) -> bool:
    """Tell whether key and body are those of the commitment, in constant time."""
    # HMAC pads a short key with zeros, so that a key of another length could match as well.
    return len(key) == KEY_BYTES and hmac.compare_digest(expected, commitment(key, body))
