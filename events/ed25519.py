"""Ed25519 signatures, by the `cryptography` package, which is loaded when one is made or checked.

Source: RFC 8032.
"""

from typing import Final

PUBLIC_KEY_BYTES: Final = 32
SECRET_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64


def public_key_of(secret: bytes) -> bytes:
    """Give the public key that belongs to 32 secret bytes."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def sign(secret: bytes, message: bytes) -> bytes:
    """Sign a message with 32 secret bytes."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(secret).sign(message)


def is_signed(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether a signature of a message was made with the key that a public key belongs to."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
