"""A database on another machine is a place that text is sent to."""

from collections.abc import Sequence

import pytest

from smriti_es.database_egress import check_database
from smriti_es.egress import policy_of
from smriti_es.events.errors import EgressRefused


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of libpq's own settings."""
    for name in ("PGHOST", "PGHOSTADDR", "PGPORT", "PGSERVICE", "PGSSLMODE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("profile", "hosts", "location"),
    [
        ("local", (), "memory.db"),
        ("local", (), "postgresql://localhost/memory"),
        ("local", (), "postgresql+psycopg://me@127.0.0.1:5433/memory"),
        ("local", (), "postgresql+psycopg://me@/memory?host=/var/run/postgresql"),
        ("local", (), "postgresql:///memory"),
        ("team", ("db.example.com",), "postgresql://db.example.com/memory"),
        ("team", ("db.example.com:5433",), "postgresql://db.example.com:5433/memory"),
        ("regulated", ("db.example.com",), "postgresql://db.example.com/m?sslmode=verify-full"),
        ("regulated", (), "postgresql://localhost/memory"),
    ],
)
def test_what_the_profile_allows_is_opened(
    profile: str, hosts: Sequence[str], location: str
) -> None:
    check_database(policy_of(profile, hosts), location)


@pytest.mark.parametrize(
    ("profile", "hosts", "location"),
    [
        ("local", (), "postgresql://db.example.com/memory"),
        ("local", (), "postgresql:///memory?host=db.example.com"),
        ("local", (), "postgresql:///memory?host=localhost,db.example.com"),
        ("local", (), "postgresql://localhost/memory?hostaddr=10.0.0.5"),
        ("local", (), "postgresql:///memory?service=elsewhere"),
        ("team", ("db.example.com",), "postgresql://other.example.com/memory"),
        ("team", ("db.example.com:5433",), "postgresql://db.example.com/memory"),
        ("regulated", ("db.example.com",), "postgresql://db.example.com/memory"),
        ("regulated", ("db.example.com",), "postgresql://db.example.com/m?sslmode=prefer"),
    ],
)
def test_any_other_server_is_refused(profile: str, hosts: Sequence[str], location: str) -> None:
    with pytest.raises(EgressRefused):
        check_database(policy_of(profile, hosts), location)


def test_a_server_that_the_environment_names_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "db.example.com")
    with pytest.raises(EgressRefused):
        check_database(policy_of("local", ()), "postgresql:///memory")


def test_without_a_profile_any_server_will_do() -> None:
    check_database(None, "postgresql://db.example.com/memory")
