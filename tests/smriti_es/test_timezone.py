"""The zone in which times without an offset are meant belongs to the memory."""

from collections.abc import Callable

from smriti_es.engine import Engine

Open = Callable[..., Engine]


def said_at(memory: Engine) -> str:
    memory.add("rain", session="s1", at="2026-06-02")
    return memory.turns(newest=True)[0].said


def test_a_new_memory_means_utc(engine: Open) -> None:
    memory = engine()
    assert (memory.timezone, said_at(memory)) == ("UTC", "2026-06-02T00:00:00.000000Z")


def test_a_memory_keeps_the_zone_that_it_was_founded_with(engine: Open) -> None:
    engine(timezone="Asia/Kolkata").close()
    memory = engine()
    assert (memory.timezone, said_at(memory)) == ("Asia/Kolkata", "2026-06-01T18:30:00.000000Z")


def test_a_zone_that_is_named_wins_over_the_memorys_own(engine: Open) -> None:
    engine(timezone="Asia/Kolkata").close()
    assert engine(timezone="Europe/Berlin").timezone == "Europe/Berlin"


def test_a_memory_that_lost_its_first_payload_can_still_be_opened(engine: Open) -> None:
    memory = engine(timezone="Asia/Kolkata")
    with memory._opened.database.write() as connection:
        connection.exec_driver_sql("UPDATE payload SET body = 'no json' WHERE position = 0")
    memory.close()
    assert engine().timezone == "UTC"
