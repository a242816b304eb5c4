"""The memories that a server has open: one for each tenant, its spaces and the origin of a role."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from smriti_es.captured import Origin
from smriti_es.engine import Engine

OPEN_MAX: Final = 64


@dataclass(frozen=True, slots=True)
class Opening:
    """How a memory is opened.

    Attributes:
        tenant: Whose log.
        spaces: The spaces that are read; the first is written to.
        origin: The most trusted origin of what is recorded.
        read_only: Whether nothing is written.
        actor: Opaque name of whoever writes.
    """

    tenant: str
    spaces: tuple[str, ...]
    origin: Origin = "owner"
    read_only: bool = False
    actor: str = "rest"


@dataclass(slots=True)
class _Held:
    engine: Engine
    users: int = 0


class Engines:
    """Opens memories when they are first asked for, and closes those that nobody used for longest.

    Args:
        open_engine: Opens a memory.
        open_max: How many stay open while nobody uses them.
    """

    def __init__(
        self, open_engine: Callable[[Opening], Engine], *, open_max: int = OPEN_MAX
    ) -> None:
        self._open_engine = open_engine
        self._open_max = open_max
        self._held: OrderedDict[Opening, _Held] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def using(self, opening: Opening) -> Iterator[Engine]:
        """Give a memory, which stays open as long as it is used.

        Raises:
            SmritiError: It cannot be opened.
        """
        held = self._taken(opening)
        try:
            yield held.engine
        finally:
            with self._lock:
                held.users -= 1
                idle = self._too_many()
            for each in idle:
                each.engine.close()

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            held, self._held = list(self._held.values()), OrderedDict()
        for each in held:
            each.engine.close()

    def __len__(self) -> int:
        return len(self._held)

    def _taken(self, opening: Opening) -> _Held:
        with self._lock:
            held = self._held.get(opening)
            if held is None:
                # Opening is rare and takes milliseconds; two of the same would be one too many.
                held = self._held[opening] = _Held(self._open_engine(opening))
            self._held.move_to_end(opening)
            held.users += 1
            return held

    def _too_many(self) -> list[_Held]:
        """Take out what nobody uses, oldest first, until few enough are open."""
        idle = [opening for opening, held in self._held.items() if held.users == 0]
        surplus = max(0, len(self._held) - self._open_max)
        return [self._held.pop(opening) for opening in idle[:surplus]]
