"""A tenant moves between databases: all of it arrives, nothing of it is left, and it goes on."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from smriti_es import tenant_moving
from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import LogImported, TenantMoved
from smriti_es.events.errors import Conflict, EgressRefused, IntegrityError, NotFound
from smriti_es.events.opening import open_database
from smriti_es.events.registry import SYSTEM_TENANT, open_log, tenants
from smriti_es.settings import Settings
from smriti_es.tenant_moving import Moved, move_tenant
from tests.places import Places

Place = str | Path
Open = Callable[..., Engine]
QUIET = Settings(embed_in_background=False, extract_in_background=False)
FROM_TO = [("sqlite", "postgresql"), ("postgresql", "sqlite"), ("sqlite", "sqlite")]


@pytest.fixture(params=FROM_TO, ids=["to a server", "from a server", "between files"])
def route(request: pytest.FixtureRequest, every_database: dict[str, Places]) -> tuple[Place, Place]:
    """Where a tenant is, and where it is to go."""
    before, after = request.param
    return every_database[before].named("memory.db"), every_database[after].another()


@pytest.fixture
def opened(
    embedder: Embedder, line_extractor: Callable[..., Any], clock: Any
) -> Iterator[Callable[..., Engine]]:
    """Open memories with a fixed embedder and a clock, and close them."""
    made: list[Engine] = []

    def run(place: Place, tenant: str = "ana", **options: Any) -> Engine:
        given = {"embedder": embedder, "extractor": line_extractor(), "clock": clock}
        made.append(Engine.open(place, tenant=tenant, settings=QUIET, **(given | options)))
        return made[-1]

    yield run
    for each in made:
        each.close()


def remember(memory: Engine) -> None:
    """A life with something of everything: facts, an erasure, a key, a quarantine, vectors."""
    memory.add("Ana | lives in | Lisbon", session="s1", at="2026-01-01")
    memory.add("Ana | lives in | Porto", session="s2", at="2026-03-01")
    memory.add("A secret of walnuts.", session="s3", at="2026-03-02")
    memory.extract_pending()
    memory.add("Once only.", session="s1", idempotency_key="request 1")
    memory.erase(session="s3")
    memory.quarantine(session="s2")
    memory.wait_for_vectors()
    memory.checkpoint()
    memory.add("After the checkpoint.", session="s1")
    memory.wait_for_vectors()


def said(memory: Any) -> list[tuple[int, str]]:
    return [(turn.position, turn.text) for turn in memory.turns()]


def move(route: tuple[Place, Place], **options: Any) -> Moved:
    return move_tenant(route[0], "ana", route[1], **options)


def test_everything_arrives_and_says_the_same(route: tuple[Place, Place], opened: Any) -> None:
    memory = opened(route[0])
    remember(memory)
    answers = [(hit.position, hit.score) for hit in memory.search("Where does Ana live?")]
    before = (said(memory), memory.facts(), memory.signing_keys(), memory.checkpoints())
    events, prints = memory.head + 1, {each.projection: each.live for each in memory.check()}
    memory.close()
    moved = move(route, reason="To another house.")
    assert (moved.tenant, moved.events, moved.verified) == ("ana", events, True)
    assert dict(moved.fingerprints) == prints
    there = opened(route[1])
    assert (said(there), there.facts(), there.signing_keys(), there.checkpoints()) == before
    assert [(hit.position, hit.score) for hit in there.search("Where does Ana live?")] == answers
    (arrived,) = there.events(events)
    assert isinstance(arrived.event, LogImported)
    assert (arrived.event.root, arrived.event.reason) == (moved.root, "To another house.")
    assert there.verify().ok


def test_it_goes_on_under_its_keys(route: tuple[Place, Place], opened: Any) -> None:
    memory = opened(route[0])
    remember(memory)
    key, root = memory.signing_keys(), memory.checkpoints()[-1]
    memory.close()
    move(route)
    there = opened(route[1])
    again = there.add("Once only.", session="s1", idempotency_key="request 1")
    assert again.repeated
    assert there.checkpoint().size == there.head + 1
    assert there.signing_keys() == key
    assert there.verify(checkpoint=root).ok
    assert there.search("Where does Ana live?").pending == 0


def test_nothing_of_it_is_left_and_the_others_are_as_they_were(
    route: tuple[Place, Place], opened: Any
) -> None:
    other = opened(route[0], tenant="bo")
    other.add("Bo stays.", session="s1")
    other.close()
    memory = opened(route[0])
    remember(memory)
    log_id = memory.status().log_id
    memory.close()
    moved = move(route)
    with pytest.raises(NotFound):
        Engine.open(route[0], tenant="ana", embedder=None, read_only=True)
    assert [text for _, text in said(opened(route[0], tenant="bo"))] == ["Bo stays."]
    database = open_database(route[0], read_only=True)
    assert tenants(database) == ["bo"]
    kept = open_log(database, SYSTEM_TENANT, clock=lambda: 0)
    (recorded,) = [each for each in kept.read() if each.position == moved.position]
    assert recorded.event == TenantMoved(log=log_id, events=moved.events, root=moved.root)
    database.close()


def test_it_comes_back_as_it_went(route: tuple[Place, Place], opened: Any) -> None:
    memory = opened(route[0])
    remember(memory)
    before = said(memory)
    memory.close()
    first = move(route)
    back = move_tenant(route[1], "ana", route[0], name="anna")
    assert back.events == first.events + 1
    assert back.fingerprints == first.fingerprints
    here = opened(route[0], tenant="anna")
    assert said(here) == before
    assert here.verify().ok
    here.add("And on.", session="s1")


@pytest.mark.parametrize("step", ["_bring_along", "_compared", "take_out"])
def test_a_move_that_was_stopped_loses_nothing_and_goes_on(
    step: str, route: tuple[Place, Place], opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened(route[0])
    remember(memory)
    before = said(memory)
    memory.close()

    def stop(*_given: Any, **_options: Any) -> None:
        raise RuntimeError("the light went out")

    with monkeypatch.context() as patched:
        patched.setattr(tenant_moving, step, stop)
        with pytest.raises(RuntimeError, match="the light went out"):
            move(route)
    memory = opened(route[0])
    assert said(memory) == before
    memory.close()
    moved = move(route, name="anna")
    assert (moved.tenant, moved.verified) == ("ana", True)  # under the name that it has there
    assert said(opened(route[1])) == before


def test_what_was_recorded_after_a_stopped_move_is_not_lost(
    route: tuple[Place, Place], opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened(route[0])
    remember(memory)
    memory.close()

    def stop(*_given: Any, **_options: Any) -> None:
        raise RuntimeError("the light went out")

    with monkeypatch.context() as patched:
        patched.setattr(tenant_moving, "take_out", stop)
        with pytest.raises(RuntimeError):
            move(route)
    memory = opened(route[0])
    memory.add("Said meanwhile.", session="s1")
    memory.close()
    with pytest.raises(Conflict, match=r"holds the log .* already"):
        move(route)
    assert said(opened(route[0]))[-1][1] == "Said meanwhile."


def test_a_log_that_was_changed_stays_where_it_is(
    tmp_path: Path, opened: Any, past_the_library: Callable[..., Any], places: Places
) -> None:
    memory = opened(places.named("memory.db"))
    remember(memory)
    memory.close()
    past_the_library(
        "UPDATE event SET header = (SELECT header FROM event WHERE position = 3) WHERE position = 2"
    )
    with pytest.raises(IntegrityError):
        move_tenant(places.named("memory.db"), "ana", tmp_path / "there.db")
    assert not (tmp_path / "there.db").exists()
    assert opened(places.named("memory.db"), read_only=True).head > 2


def test_a_name_that_is_taken_is_refused_and_nothing_is_changed(
    route: tuple[Place, Place], opened: Any
) -> None:
    memory = opened(route[0])
    remember(memory)
    before = said(memory)
    memory.close()
    opened(route[1]).close()
    with pytest.raises(Conflict, match="there is a tenant 'ana' already"):
        move(route)
    assert said(opened(route[0])) == before
    assert move(route, name="anna").tenant == "anna"


def test_a_tenant_that_is_not_there_is_told_and_no_file_is_made(
    tmp_path: Path, opened: Any
) -> None:
    opened(tmp_path / "memory.db", tenant="bo").close()
    with pytest.raises(NotFound):
        move_tenant(tmp_path / "memory.db", "ana", tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()


def test_a_profile_holds_for_where_it_is_moved_to(tmp_path: Path, opened: Any) -> None:
    opened(tmp_path / "memory.db").close()
    with pytest.raises(EgressRefused):
        move_tenant(
            tmp_path / "memory.db", "ana", "postgresql://db.example/memories", profile="local"
        )


def test_a_database_is_not_moved_into_itself(tmp_path: Path, opened: Any) -> None:
    memory = opened(tmp_path / "memory.db")
    memory.add("Here.", session="s1")
    memory.close()
    with pytest.raises(Conflict, match=r"holds the log \w+ already"):
        move_tenant(tmp_path / "memory.db", "ana", tmp_path / "memory.db", name="anna")
    assert [text for _, text in said(opened(tmp_path / "memory.db"))] == ["Here."]
