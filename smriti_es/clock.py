"""Time, as the engine asks for it; tests hand in another one."""

import time


def system_clock() -> int:
    """Give the time of the machine in microseconds since the epoch."""
    return time.time_ns() // 1000
