"""What the disk itself does, in the same run: the yardstick of everything that is durable."""

import os
import time
from pathlib import Path
from typing import Final

_BLOCK: Final = bytes(4096)


def fdatasync_times(folder: Path, count: int) -> list[float]:
    """Time writing 4 KiB at the end of a file and flushing it to the disk, in seconds each."""
    path = folder / "flush-probe"
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    times = []
    try:
        for _ in range(count):
            os.write(descriptor, _BLOCK)
            started = time.perf_counter()
            os.fdatasync(descriptor)
            times.append(time.perf_counter() - started)
    finally:
        os.close(descriptor)
        path.unlink()
    return times
