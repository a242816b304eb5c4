"""What the tests of the log share: an actor, and turns to append."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.header import Actor
from smriti_es.events.records import NewEvent


@pytest.fixture(scope="session")
def owner() -> Actor:
    """Whoever appends."""
    return Actor("owner", "tester")


@pytest.fixture(scope="session")
def turn() -> Callable[..., NewEvent]:
    """Make a turn of the user, to be appended."""

    def make(text: str = "hello", *, refs: tuple[int, ...] = (), **fields: Any) -> NewEvent:
        known = {"session": 0, "ordinal": 0, "origin": "owner", "role": "user"}
        values: dict[str, Any] = known | fields
        return NewEvent(TurnRecorded(text=text, **values), refs)

    return make
