"""Where positions of the log stand in an ascending array of some of them."""

from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# Fewer positions are sooner searched for than looked up in a table of all.
_WORTH_A_TABLE: Final = 2_048


class Places:
    """Looks positions up among others.

    Args:
        positions: int64, ascending, none below 0, each once; they must not change.
    """

    def __init__(self, positions: Positions) -> None:
        self._positions = positions

    def of(self, wanted: Positions) -> tuple[Positions, Mask]:
        """Find where positions stand; the second array says which are there at all."""
        count = len(self._positions)
        if count == 0:
            return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
        if len(wanted) < _WORTH_A_TABLE:
            places = np.minimum(np.searchsorted(self._positions, wanted), count - 1)
            return places, self._positions[places] == wanted
        places = self._table[np.minimum(wanted, len(self._table) - 1)]
        return np.maximum(places, 0), places >= 0

    @cached_property
    def _table(self) -> Positions:
        """The place of each position, -1 where it is not there; the last is of all that follow."""
        table = np.full(int(self._positions[-1]) + 2, -1, np.int64)
        table[self._positions] = np.arange(len(self._positions))
        return table
