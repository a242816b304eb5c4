"""Row-level security on PostgreSQL: each wall between tenants holds without the other."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL

from smriti_es.engine import Engine
from smriti_es.events.dialect_postgres import PostgresDatabase
from smriti_es.events.errors import InvalidInput, NotFound, StorageUnavailable
from smriti_es.events.registry import tenants
from smriti_es.settings import Settings
from smriti_es.tenant_destruction import destroy_tenant
from smriti_es.tenant_moving import move_tenant
from smriti_es.tenant_separation import separate_tenants
from tests.postgres_places import connect, server

QUIET = Settings(embed_in_background=False, extract_in_background=False)
NAMES = f"smriti_es_walls_{os.getpid()}"
WORDS = "The walnut tree stands in Zanzibar."
# What reads past every condition of ours.
COUNT_ALL = "SELECT count(*), count(DISTINCT log) FROM event"


def shown(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def opened(place: str, tenant: str, **options: Any) -> Engine:
    return Engine.open(
        place, tenant=tenant, embedder=None, extractor=None, settings=QUIET, **options
    )


@pytest.fixture(scope="module")
def roles() -> Iterator[tuple[str, str]]:
    """The URLs of a database for the role that owns the tables, and for an application's."""
    owner, application = f"{NAMES}_owner", f"{NAMES}_app"
    with connect(server()) as ours:
        ours.execute(f'CREATE ROLE "{owner}" LOGIN')
        ours.execute(f'CREATE ROLE "{application}" LOGIN')
        ours.execute(f'GRANT "{application}" TO "{owner}"')
        ours.execute(f'CREATE DATABASE "{NAMES}" OWNER "{owner}" TEMPLATE template0')
    owners = server().set(database=NAMES, username=owner)
    for tenant in ("acme", "other"):
        with opened(shown(owners), tenant) as memory:
            memory.add(WORDS, session="a")
    separated = separate_tenants(shown(owners), application=application)
    assert {"log", "event", "payload", "projection"} <= set(separated.tables)
    yield shown(owners), shown(owners.set(username=application))
    with connect(server()) as ours:
        ours.execute(f'DROP DATABASE "{NAMES}" WITH (FORCE)')
        ours.execute(f'DROP ROLE "{application}"')
        ours.execute(f'DROP ROLE "{owner}"')


@pytest.fixture(params=["owner", "application"])
def role(request: pytest.FixtureRequest, roles: tuple[str, str]) -> str:
    return roles[request.param == "application"]


def test_without_a_condition_nothing_of_another_tenant_is_seen(role: str) -> None:
    with opened(role, "acme") as memory:
        head = memory.head
        with memory._opened.database.read() as connection:
            events, logs = connection.execute(text(COUNT_ALL)).one()
            payloads = connection.execute(text("SELECT count(DISTINCT log) FROM payload")).scalar()
    assert (events, logs, payloads) == (head + 1, 1, 1)


def test_every_table_with_rows_of_logs_has_the_policy_and_nothing_without_a_named_log(
    role: str,
) -> None:
    with connect(role) as raw:
        tables = raw.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class"
            " JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'log'"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchall()
        assert len(tables) > 25
        assert [name for name, has_policy in tables if not has_policy] == []
        for name, _ in tables:
            assert raw.execute(f'SELECT count(*) FROM "{name}"').fetchone() == (0,)


def test_nothing_is_written_into_another_log(role: str) -> None:
    with opened(role, "acme") as memory:
        database, own = memory._opened.database, memory._opened.log.log
        forged = text("INSERT INTO keyring SELECT :log, hmac_key FROM keyring")
        with (
            pytest.raises(StorageUnavailable, match="row-level security"),
            database.write() as connection,
        ):
            connection.execute(forged, {"log": own + 1000})
        with database.write() as connection:
            assert connection.execute(text("UPDATE log SET known = known")).rowcount == 1


def test_without_the_policies_the_conditions_hold(roles: tuple[str, str]) -> None:
    owner, application = roles
    with opened(application, "other") as memory:
        memory.add("A quince is for the other one.", session="quince")
    separate_tenants(owner, on=False)
    try:
        with opened(application, "acme") as memory:
            assert [hit.text for hit in memory.search("quince")] == []
            assert {turn.text for turn in memory.turns()} == {WORDS}
            with memory._opened.database.read() as connection:
                assert connection.execute(text(COUNT_ALL)).one()[1] > 1
    finally:
        separate_tenants(owner)


def test_a_connection_carries_no_tenant_over(roles: tuple[str, str]) -> None:
    database = PostgresDatabase(roles[1])
    named = text("SELECT current_setting('smriti_es.log', true), pg_backend_pid()")
    seen = set()
    for log in (1, 2, 1):
        with database.of(log).read() as connection:
            name, process = connection.execute(named).one()
            logs = connection.execute(text("SELECT DISTINCT log FROM event")).scalars().all()
        assert (name, list(logs)) == (str(log), [log])
        seen.add(process)
        with database._engine.connect() as bare:
            left = bare.exec_driver_sql("SELECT count(*) FROM event").scalar()
            assert (left, bare.execute(named).one()) == (0, ("", process))
    with pytest.raises(ZeroDivisionError), database.of(1).write() as connection:
        raise ZeroDivisionError
    with database._engine.connect() as bare:
        assert bare.exec_driver_sql("SELECT count(*) FROM event").scalar() == 0
    database.close()
    assert len(seen) == 1


def test_an_application_adds_finds_rebuilds_and_erases_in_a_tenant_that_it_founded(
    roles: tuple[str, str],
) -> None:
    owner, application = roles
    with opened(application, "founded") as memory:
        memory.add([f"Turn {number} is about pears." for number in range(20)], session="many")
        memory.add("The quince goes.", session="gone")
        memory.assert_fact("pear", "colour", "green")
        reports = [memory.rebuild(name) for name in ("turns", "lexical", "facts")]
        assert [report.equal for report in reports] == [True, True, True]
        assert memory.search("quince").hits[0].text == "The quince goes."
        erased = memory.erase(session="gone")
        assert memory.search("quince").hits == ()
        assert memory.verify().ok
        assert all(each.ok for each in memory.check())
    # Its rows are gone; the pages that they lay in are the owner's to write anew.
    assert erased.pending is not None
    assert "only the owner can write them anew" in erased.pending
    with opened(owner, "founded") as memory:
        assert [each for each in memory.status().degraded if "erasure" in each] == []
        assert [fact.object for fact in memory.facts()] == ["green"]


def test_a_table_that_a_rebuild_makes_has_the_policy(roles: tuple[str, str]) -> None:
    with opened(roles[1], "acme") as memory:
        made = f"g{memory.rebuild('turns').generation}"
    with connect(roles[0]) as raw:
        found = raw.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class"
            " WHERE relkind = 'r' AND relname LIKE 'turn\\_v%'"
        ).fetchall()
    assert made in {name.rpartition("_")[2] for name, _ in found}
    assert all(has_policy for _, has_policy in found)


def test_tenants_are_listed_moved_and_destroyed(roles: tuple[str, str], tmp_path: Path) -> None:
    owner, _ = roles
    for name in ("leaves", "ends"):
        with opened(owner, name) as memory:
            memory.add(WORDS, session="a")
    moved = move_tenant(owner, "leaves", tmp_path / "moved.db")
    gone = destroy_tenant(owner, "ends")
    assert moved.events > 1
    assert gone.events > 1
    database = PostgresDatabase(owner)
    assert {"acme", "other"} <= set(tenants(database))
    assert not {"leaves", "ends"} & set(tenants(database))
    database.close()
    back = move_tenant(tmp_path / "moved.db", "leaves", owner)
    assert (back.log_id, back.tenant) == (moved.log_id, "leaves")
    with pytest.raises(NotFound):
        opened(owner, "ends", read_only=True)


@pytest.mark.parametrize(
    ("application", "why"),
    [
        ("nobody_of_that_name", "no role"),
        ("test", "superuser"),
        (f"{NAMES}_owner", "owns the tables"),
    ],
    ids=["unknown", "superuser", "owner"],  # workers have roles of their own, and the same tests
)
def test_a_role_that_no_policy_would_hold_is_refused(
    roles: tuple[str, str], application: str, why: str
) -> None:
    with pytest.raises(InvalidInput, match=why):
        separate_tenants(roles[0], application=application)


def test_only_the_owner_takes_the_wall_down(roles: tuple[str, str]) -> None:
    with pytest.raises(StorageUnavailable, match="must be owner"):
        separate_tenants(roles[1], on=False)
    with (
        connect(roles[1]) as raw,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        raw.execute("ALTER TABLE event DISABLE ROW LEVEL SECURITY")


def test_a_file_has_no_second_wall(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="only a server"):
        separate_tenants(tmp_path / "memory.db")
