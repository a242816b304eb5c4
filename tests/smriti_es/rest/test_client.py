"""The client gives what the engine behind the server gives: the same values, the same errors."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from smriti_es.client import MemoryClient
from smriti_es.engine import Engine
from smriti_es.events.errors import (
    IdempotencyConflict,
    InvalidInput,
    NotAllowed,
    NotFound,
    StorageUnavailable,
)
from smriti_es.rest.access import Door
from smriti_es.serving.access_keys import AccessKeys


@pytest.fixture
def client(address: str) -> Iterator[MemoryClient]:
    with (
        httpx.Client(trust_env=False, timeout=60) as http,
        MemoryClient(address, http=http) as client,
    ):
        yield client


@pytest.fixture
def behind(door: Door) -> Iterator[Engine]:
    with door.engines.using(door.own) as engine:
        yield engine


@pytest.fixture
def told(client: MemoryClient) -> MemoryClient:
    """The client, of a memory that was told something."""
    client.add("I live in Pune.", session="s1", at="2024-01-15")
    client.add(
        [{"role": "user", "content": "I moved to Rome.", "id": "m1"}],
        session="s2",
        at="2026-03-01",
        tags=["moving"],
        metadata={"level": 4},
    )
    client.assert_fact("user", "likes", "chess", multi=True, valid_from="2020")
    return client


def test_reads_give_what_the_engine_gives(told: MemoryClient, behind: Engine) -> None:
    assert list(told.turns()) == behind.turns()
    assert list(told.turns(limit=1, tags=["moving"])) == behind.turns(tags=["moving"])
    assert list(told.sessions()) == behind.sessions()
    assert told.facts("user") == behind.facts("user")
    assert told.facts("user", statuses=None, scopes=None) == behind.facts(
        "user", statuses=None, scopes=None
    )
    assert told.facts("user", limit=1, statuses=None) == behind.facts("user", statuses=None)
    assert told.history("user", "lives_in", limit=1) == behind.history("user", "lives_in")
    assert told.diff(2, behind.head) == behind.diff(2, behind.head)


def test_questions_are_answered_as_by_the_engine(told: MemoryClient, behind: Engine) -> None:
    asked: dict[str, Any] = {"now": "2026-07-01", "valid_at": "2026-07-01"}
    assert told.search("Where is Rome?", explain=True, **asked) == behind.search(
        "Where is Rome?", explain=True, **asked
    )
    assert told.context("Where do I live?", **asked) == behind.context("Where do I live?", **asked)


def test_an_explanation_is_that_of_the_engine_but_for_the_form_of_events(
    told: MemoryClient, behind: Engine
) -> None:
    (fact,) = behind.facts("user", "lives_in")
    ours, theirs = told.explain(fact.position), behind.explain(fact.position)
    assert (ours.fact, ours.revisions, ours.head) == (theirs.fact, theirs.revisions, theirs.head)
    assert [(each.position, each.leaf) for each in ours.rests_on] == [
        (each.position, each.leaf) for each in theirs.rests_on
    ]
    assert ours.rests_on[-2].content["text"] == "I moved to Rome."


def test_the_status_is_that_of_the_engine_from_elsewhere(
    told: MemoryClient, behind: Engine, address: str
) -> None:
    status, theirs = told.status(), behind.status()
    assert (status.turns, status.facts, status.head) == (2, 3, theirs.head)
    assert (status.location, status.projections) == (address, theirs.projections)


def test_an_owner_changes_what_stands(told: MemoryClient, behind: Engine) -> None:
    at = told.assert_fact("user", "lives_in", "Oslo", origin="agent")
    (waits,) = told.review()
    assert (waits.position, waits.object, waits.against) == (
        at,
        "Oslo",
        behind.facts("user", "lives_in")[0],
    )
    told.approve(at)
    assert [fact.object for fact in told.facts("user", "lives_in")] == ["Oslo"]
    quarantine = told.quarantine(session="s2")
    assert told.quarantines() == behind.quarantines()
    told.release(quarantine)
    assert told.impact(session="s2") == behind.impact(session="s2")
    end = told.end_fact(at, at="2099-01-01")
    told.retract_end(end)
    told.retract(at)
    told.alias("Me", "user")
    told.unalias("Me")
    erased = told.erase(session="s1")
    assert (erased.content.turns, erased.verified) == ((2,), True)
    assert [turn.session for turn in told.turns()] == ["s2"]


def test_the_log_is_read_and_verified(told: MemoryClient, behind: Engine) -> None:
    events = list(told.events(content=True))
    assert [event["position"] for event in events] == list(range(behind.head + 1))
    assert told.verify()["ok"]


def test_errors_are_those_of_the_engine(told: MemoryClient) -> None:
    with pytest.raises(NotFound, match="there is no fact at position 400"):
        told.explain(400)
    with pytest.raises(InvalidInput, match="role is missing"):
        told.add([{"content": "x"}], session="s3")
    told.add("Hello there.", session="s3", idempotency_key="k")
    with pytest.raises(IdempotencyConflict):
        told.add("Something else.", session="s3", idempotency_key="k")


def test_a_key_is_sent_and_needed(address: str, keys: AccessKeys) -> None:
    _, key = keys.add("laptop")
    with httpx.Client(trust_env=False) as http:
        assert MemoryClient(address, key, http=http).status().turns == 0
        with pytest.raises(NotAllowed, match="no access key was given"):
            MemoryClient(address, http=http).status()
        with pytest.raises(NotAllowed, match="role agent"):
            MemoryClient(address, key, http=http).erase(session="s1")


def test_a_server_that_is_not_there_is_told() -> None:
    with (
        httpx.Client(trust_env=False) as http,
        pytest.raises(StorageUnavailable, match="gave no answer"),
    ):
        MemoryClient("http://127.0.0.1:9", http=http).status()
