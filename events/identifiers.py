"""Identifiers that sort by creation time and need no coordination."""

from collections.abc import Callable

Randomness = Callable[[int], bytes]


def new_event_id(at: int, randomness: Randomness) -> str:
    """Make a UUIDv7 as 32 lower-case hex digits.

    Args:
        at: Creation time in microseconds since the epoch; its milliseconds lead the id.
        randomness: Gives that many random bytes (`os.urandom` outside tests).

    Source: RFC 9562, section 5.7.
    """
    milliseconds = max(0, at // 1000) & (2**48 - 1)
    tail = int.from_bytes(randomness(10), "big")
    random_a = (tail >> 62) & 0xFFF
    random_b = tail & (2**62 - 1)
    value = milliseconds << 80 | 0x7 << 76 | random_a << 64 | 0b10 << 62 | random_b
    return f"{value:032x}"
