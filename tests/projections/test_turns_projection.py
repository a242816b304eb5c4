"""What the rows of `turns` say of the events."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from smriti_es.events.catalogue import Event, SessionStarted, TurnRecorded
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.projections.inline import InlineFolding
from smriti_es.projections.projection import fingerprint
from smriti_es.projections.projector import Projector
from smriti_es.projections.turns import TurnsProjection, turn_tables

Rows = list[Mapping[str, Any]]
OWNER = Actor("owner", "test")
SESSION = 1


@pytest.fixture
def projector(log: EventLog) -> Projector:
    """Runs `turns` alone; nothing is folded yet."""
    runner = Projector(log, [TurnsProjection()])
    InlineFolding(runner)
    with log.database.write() as connection:
        runner.begin(connection)
    runner.catch_up("turns")
    return runner


@pytest.fixture
def record(projector: Projector) -> Callable[..., None]:
    """Append events of one session, which starts at position 1 with the first call."""

    def append(*events: Event) -> None:
        started: list[NewEvent] = []
        if projector.log.head == 0:
            started.append(NewEvent(SessionStarted(session="walks", space="main")))
        projector.log.append([*started, *map(NewEvent, events)], actor=OWNER)

    return append


@pytest.fixture
def rows(projector: Projector) -> Callable[[str], Rows]:
    """Read a table of the serving generation, in key order."""

    def read(name: str) -> Rows:
        table = getattr(turn_tables(1), name)
        with projector.log.database.read() as connection:
            found = connection.execute(table.select().order_by(*table.primary_key))
            return [dict(row) for row in found.mappings()]

    return read


def turn(text: str, ordinal: int = 0, **more: Any) -> TurnRecorded:
    given: dict[str, Any] = {"session": SESSION, "origin": "owner", "role": "user"} | more
    return TurnRecorded(text=text, ordinal=ordinal, **given)


def test_a_turn_that_says_when_keeps_that_time(
    record: Callable[..., None], rows: Callable[[str], Rows]
) -> None:
    record(turn("It rained.", said_at=1_000_000, said_precision="day", name="Maren"))
    (row,) = rows("turn")
    assert (row["position"], row["session"], row["ordinal"]) == (2, SESSION, 0)
    assert (row["said_at"], row["said_precision"], row["timed"]) == (1_000_000, "day", True)
    assert (row["name"], row["speaker"]) == ("Maren", "maren")
    assert (row["role"], row["origin"], row["kind"]) == ("user", "owner", "message")


def test_a_turn_that_does_not_say_when_was_said_when_it_was_recorded(
    record: Callable[..., None], rows: Callable[[str], Rows]
) -> None:
    record(turn("It rained."))
    (row,) = rows("turn")
    assert row["said_at"] == row["known"]
    assert (row["said_precision"], row["timed"]) == ("unknown", False)


def test_a_speaker_is_read_from_the_text_where_no_name_is_given(
    record: Callable[..., None], rows: Callable[[str], Rows]
) -> None:
    record(turn("Jonas: it rained."), turn("it rained.", 1))
    assert [row["speaker"] for row in rows("turn")] == ["jonas", None]


def test_a_turn_that_speaks_of_a_day_is_marked(
    record: Callable[..., None], rows: Callable[[str], Rows]
) -> None:
    record(turn("It rained yesterday."), turn("It is wet.", 1))
    assert [row["dateish"] for row in rows("turn")] == [True, False]


def test_the_text_itself_is_nowhere_in_the_rows(
    record: Callable[..., None], rows: Callable[[str], Rows]
) -> None:
    record(turn("A secret about rhubarb.", tags=["garden"]))
    everything = str([rows(name) for name in ("session", "turn", "tag", "attribute")])
    assert "rhubarb" not in everything


def test_a_tag_counts_once(record: Callable[..., None], rows: Callable[[str], Rows]) -> None:
    record(turn("It rained.", tags=["rain", "rain", "Ärger"]))
    assert [(row["position"], row["tag"]) for row in rows("tag")] == [(2, "rain"), (2, "Ärger")]


def test_metadata_keeps_the_kind_of_each_value(
    record: Callable[..., None], rows: Callable[[str], Rows]
) -> None:
    metadata = {"wet": True, "depth": 3, "share": 0.5, "place": "Aarhus", "days": ["mon", 2]}
    record(turn("It rained.", metadata=metadata))
    found = [
        (row["name"], row["item"], row["kind"], row["text"], row["number"], row["listed"])
        for row in rows("attribute")
    ]
    assert found == [
        ("days", 0, "text", "mon", None, True),
        ("days", 1, "number", None, 2.0, True),
        ("depth", 0, "number", None, 3.0, False),
        ("place", 0, "text", "Aarhus", None, False),
        ("share", 0, "number", None, 0.5, False),
        ("wet", 0, "flag", None, 1.0, False),
    ]


def test_tags_and_metadata_of_a_session_stand_at_its_own_position(
    projector: Projector, rows: Callable[[str], Rows]
) -> None:
    started = SessionStarted(session="a", space="main", tags=["home"], metadata={"level": 1})
    projector.log.append([NewEvent(started)], actor=OWNER)
    assert [(row["position"], row["tag"]) for row in rows("tag")] == [(1, "home")]
    assert [(row["position"], row["name"]) for row in rows("attribute")] == [(1, "level")]


@pytest.mark.parametrize("commits", [1, 2, 4])
def test_a_session_knows_how_many_turns_it_has_and_from_when_to_when(
    commits: int, record: Callable[..., None], rows: Callable[[str], Rows]
) -> None:
    times = (5_000, 2_000, 9_000, 4_000)
    turns = [turn("It rained.", n, said_at=said_at) for n, said_at in enumerate(times)]
    for start in range(0, 4, 4 // commits):
        record(*turns[start : start + 4 // commits])
    (session,) = rows("session")
    assert (session["space"], session["name"]) == ("main", "walks")
    assert (session["turns"], session["next_ordinal"]) == (4, 4)
    assert (session["first_said_at"], session["last_said_at"]) == (2_000, 9_000)


@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_an_erased_turn_leaves_its_place_and_nothing_else(
    batch: int,
    projector: Projector,
    record: Callable[..., None],
    rows: Callable[[str], Rows],
    tamper: Callable[..., int],
) -> None:
    record(*(turn("It rained.", n, said_at=1_000 * n, tags=["rain"]) for n in range(3)))
    tamper("DELETE FROM payload WHERE position = 4")
    _fold_anew(projector, tamper, batch)
    assert [row["ordinal"] for row in rows("turn")] == [0, 1]
    assert [row["position"] for row in rows("tag")] == [2, 3]
    (session,) = rows("session")
    assert (session["turns"], session["next_ordinal"], session["last_said_at"]) == (2, 3, 1_000)


def test_a_session_whose_beginning_is_erased_still_folds(
    projector: Projector,
    record: Callable[..., None],
    rows: Callable[[str], Rows],
    tamper: Callable[..., int],
) -> None:
    record(turn("It rained."))
    tamper("DELETE FROM payload WHERE position = 1")
    _fold_anew(projector, tamper, 1000)
    assert rows("session") == []
    assert [row["session"] for row in rows("turn")] == [SESSION]


def test_everything_erased_folds_to_nothing(
    projector: Projector,
    record: Callable[..., None],
    rows: Callable[[str], Rows],
    tamper: Callable[..., int],
) -> None:
    record(*(turn("It rained.", n) for n in range(3)))
    tamper("DELETE FROM payload")
    _fold_anew(projector, tamper, 2)
    assert [rows(name) for name in ("session", "turn", "tag", "attribute")] == [[], [], [], []]


def test_rows_of_equal_histories_have_equal_fingerprints_whatever_the_log_is_called(
    projector: Projector, record: Callable[..., None]
) -> None:
    record(turn("It rained.", tags=["rain"], metadata={"wet": True}))
    events = list(projector.log.read())
    prints = set()
    with projector.log.database.write() as connection:
        for log in (7, 70):
            fold = projector.fold(connection, projector.serving(connection)["turns"])
            elsewhere = type(fold)(connection, log, fold.generation)
            TurnsProjection().apply(events, elsewhere)
            prints.add(fingerprint(TurnsProjection(), elsewhere))
        prints.add(fingerprint(TurnsProjection(), fold))
    assert len(prints) == 1


def test_a_single_changed_value_changes_the_fingerprint(
    projector: Projector, record: Callable[..., None], tamper: Callable[..., int]
) -> None:
    record(turn("It rained.", tags=["rain"], metadata={"wet": True}))
    seen: Sequence[str] = []
    for statement in (
        "SELECT 1",
        "UPDATE turn_v1_g1 SET kind = 'note'",
        "UPDATE tag_v1_g1 SET tag = 'snow'",
        "UPDATE attribute_v1_g1 SET number = 0",
        "UPDATE session_v1_g1 SET next_ordinal = 2",
    ):
        tamper(statement)
        with projector.log.database.read() as connection:
            fold = projector.fold(connection, projector.serving(connection)["turns"])
            seen = [*seen, fingerprint(TurnsProjection(), fold)]
    assert len(set(seen)) == 5


def _fold_anew(projector: Projector, tamper: Callable[..., int], batch: int) -> None:
    for table in projector.projections["turns"].tables(1):
        tamper(f"DELETE FROM {table.name}")
    tamper("UPDATE projection SET folded = 0, leaf = zeroblob(32)")
    projector.catch_up("turns", batch=batch)
