"""Compare vectors on another core while the database looks words up: neither needs the other."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Cosines = npt.NDArray[np.float32]
# Comparing fewer rows takes no longer than starting a thread, or hardly.
_WORTH_A_THREAD: Final = 200_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison that is still to be made.

    Attributes:
        work: Makes it; it reads no database.
        rows: How many vectors it may have to compare.
    """

    work: Callable[[], Cosines]
    rows: int


@contextmanager
def beside(comparison: Comparison | None) -> Iterator[Callable[[], Cosines | None]]:
    """Begin a comparison, if there is one, and give what waits for its result."""
    if comparison is None:
        yield lambda: None
    elif comparison.rows < _WORTH_A_THREAD:
        yield comparison.work
    else:
        # A thread of its own each time: one that is kept would be missing after a fork.
        with ThreadPoolExecutor(1, thread_name_prefix="smriti-es-compare") as pool:
            yield pool.submit(comparison.work).result
