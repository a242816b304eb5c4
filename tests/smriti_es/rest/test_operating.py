"""Is it alive, can it answer, what does it count."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from smriti_es.events.errors import StorageUnavailable
from smriti_es.rest.engines import Engines, Opening
from smriti_es.rest.metrics import Metrics

Api = Callable[..., Any]


def figures(text: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Give each figure by its name and the values of its labels."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def test_it_is_alive_and_ready(api: Api) -> None:
    assert api("GET", "/health/live").json() == {"status": "alive"}
    assert api("GET", "/health/ready").json() == {"status": "ready"}


def test_it_is_not_ready_when_the_memory_cannot_be_opened(api: Api, app: Any) -> None:
    class Broken(Engines):
        def using(self, opening: Opening) -> Any:
            raise StorageUnavailable("gone")

    door = app.api.state.door
    app.api.state.door = replace(door, engines=Broken(door.engines.using))
    answer = api("GET", "/health/ready")
    assert (answer.status_code, answer.json()) == (503, {"status": "not ready"})
    assert api("GET", "/health/live").status_code == 200


def test_requests_are_counted_by_their_routes_and_never_by_their_paths(api: Api) -> None:
    for position in (1, 2, 3):
        api("GET", f"/v1/facts/{position}")
    api("GET", "/v1/secret-name")
    told = api("GET", "/metrics")
    assert told.headers["content-type"].startswith("text/plain")
    counted = figures(told.text)["smriti_requests_total"]
    assert counted["GET", "/v1/facts/{position}", "404"] >= 3
    assert "secret-name" not in told.text
    assert figures(told.text)["smriti_request_seconds_count"]["GET", "/v1/facts/{position}"] >= 3


def test_the_figures_of_the_memory_are_told(api: Api) -> None:
    api("POST", "/v1/turns", json={"session": "s1", "messages": ["I live in Pune."]})
    found = figures(api("GET", "/metrics").text)
    assert found["smriti_memory_turns"] == {("default",): 1.0}
    assert found["smriti_memory_facts"] == {("default",): 1.0}
    assert found["smriti_memory_events"] == {("default",): 5.0}
    assert found["smriti_memory_degraded"] == {("default",): 1.0}
    named = {label for labels in found["smriti_projection_behind"] for label in labels}
    assert named >= {"default", "turns", "facts", "lexical", "active"}


@pytest.fixture
def now(app: Any) -> Iterator[list[float]]:
    """The time of figures that are this test's own, seconds."""
    now, shared = [100.0], app.api.state.metrics
    app.api.state.metrics = Metrics(lambda: now[0])
    yield now
    app.api.state.metrics = shared


def test_how_long_ago_the_memory_was_verified_and_whether_it_held_is_told(
    api: Api, now: list[float], tamper: Callable[..., int]
) -> None:
    assert "smriti_memory_verified" not in api("GET", "/metrics").text
    api("POST", "/v1/log/verify", json={})  # the chain alone is not the whole memory
    assert "smriti_memory_verified" not in api("GET", "/metrics").text
    api("POST", "/v1/log/verify", json={"projections": True})
    now[0] = 160.0
    found = figures(api("GET", "/metrics").text)
    assert found["smriti_memory_verified_age_seconds"] == {("default",): 60.0}
    assert found["smriti_memory_verified_ok"] == {("default",): 1.0}
    assert tamper("UPDATE event SET known = known + 1 WHERE position = 0") == 1
    api("POST", "/v1/log/verify", json={"projections": True})
    found = figures(api("GET", "/metrics").text)
    assert found["smriti_memory_verified_age_seconds"] == {("default",): 0.0}
    assert found["smriti_memory_verified_ok"] == {("default",): 0.0}


def test_memories_that_nobody_uses_are_closed_from_some_number_on() -> None:
    closed = []

    class Memory:
        def __init__(self, tenant: str) -> None:
            self.tenant = tenant

        def close(self) -> None:
            closed.append(self.tenant)

    engines = Engines(lambda wanted: Memory(wanted.tenant), open_max=2)  # type: ignore[arg-type, return-value]
    with engines.using(Opening("a", ("main",))):
        for tenant in ("b", "c", "d"):
            with engines.using(Opening(tenant, ("main",))):
                pass
        assert closed == ["b", "c"]  # that of `a` is in use
    assert len(engines) == 2
    engines.close()
    assert sorted(closed) == ["a", "b", "c", "d"]
