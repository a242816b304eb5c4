"""The hash chain: each header names the leaf hash of the one before.

The leaf hash is at once the chain's link and the leaf of a Merkle tree. Source: RFC 6962, section
2.1.
"""

import hashlib
from typing import Final

LEAF_PREFIX: Final = b"\x00"


def leaf_hash(header_bytes: bytes) -> bytes:
    """Hash canonical header bytes to the 32-byte leaf that the next header names as `prev`."""
    return hashlib.sha256(LEAF_PREFIX + header_bytes).digest()
