"""A full disk refuses an add whole, halts no projection, and is forgotten once there is room."""

from collections.abc import Callable

import pytest
from sqlalchemy import text

from smriti_es.engine import Engine
from smriti_es.events.errors import StorageUnavailable


def limit_pages(engine: Engine, more: int) -> None:
    with engine._opened.database.write() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        connection.execute(text(f"PRAGMA max_page_count={pages + more}"))


@pytest.mark.parametrize("more", range(0, 24, 3))
def test_an_add_onto_a_disk_with_too_little_room_halts_nothing(
    engine: Callable[..., Engine], more: int
) -> None:
    memory = engine()
    memory.add("We moved to Lisbon.", session="before")
    limit_pages(memory, more)
    with pytest.raises(StorageUnavailable, match="full"):
        for number in range(100):
            words = " ".join(f"word{number}x{index}" for index in range(300))
            memory.add(words, session=f"s{number}")
    assert memory.status().degraded == ("semantic: the engine was opened without an embedder",)
    limit_pages(memory, 10_000)
    memory.add("And on to Porto.", session="after")
    assert [hit.text for hit in memory.search("Porto").hits] == ["And on to Porto."]
    assert memory.verify().ok
