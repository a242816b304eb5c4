"""Identifiers that sort by creation time and need no coordination."""

from collections.abc import Callable
from typing import Final

Randomness = Callable[[int], bytes]

ID_RANDOM_BYTES: Final = 10
_VARIANT: Final = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))


def event_id(at: int, random: bytes) -> str:
    """Make a UUIDv7 as 32 lower-case hex digits.

    Args:
        at: Creation time in microseconds since the epoch; its milliseconds lead the id.
        random: 10 random bytes; six of their bits give way to version and variant.

    Source: RFC 9562, section 5.7.
    """
    milliseconds = max(0, at // 1000) & (2**48 - 1)
    digits = random.hex()
    return f"{milliseconds:012x}7{digits[:3]}{_VARIANT[digits[3]]}{digits[4:19]}"
