"""Every route, tried by whoever may not: without a key, with the wrong role, from elsewhere."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.rest.access import RIGHTS, Door
from smriti_es.rest.application import RestApp
from smriti_es.rest.engines import Opening
from smriti_es.serving.access_keys import ROLES, AccessKeys

Api = Callable[..., Any]
OPEN = {"/health/live", "/health/ready"}
PLANT = "zanzibarite"
FACT = {"subject": "user", "predicate": "likes", "object": "chess"}
# What each route that takes a body is sent; what names something names what lies in `main`.
BODIES: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("POST", "/v1/search"): [
        {"question": PLANT, "k": 100},
        {"question": PLANT, "spaces": ["main"]},
        {"question": PLANT, "sessions": ["victim"]},
    ],
    ("POST", "/v1/context"): [{"question": PLANT}, {"question": PLANT, "spaces": ["main"]}],
    ("POST", "/v1/turns"): [{"session": "victim", "messages": ["I was here."]}],
    ("POST", "/v1/facts"): [FACT, FACT | {"because": [4]}, FACT | {"because": [5]}],
    ("POST", "/v1/facts/{position}/end"): [{}],
    ("POST", "/v1/facts/{position}/retract"): [{}],
    ("POST", "/v1/ends/{position}/retract"): [{}],
    ("POST", "/v1/aliases"): [{"alias": "user", "canonical": "thief"}],
    ("POST", "/v1/aliases/remove"): [{"alias": "Annie"}],
    ("POST", "/v1/values/readmit"): [{"subject": "user", "predicate": "b", "object": "c"}],
    ("POST", "/v1/review/{position}/approve"): [{}],
    ("POST", "/v1/review/{position}/reject"): [{}],
    ("POST", "/v1/review/{position}/edit"): [{"object": "Oslo"}],
    ("POST", "/v1/quarantines"): [
        {"session": "victim"},
        {"turn": 2},
        {"fact": 4},
        {"origin": "owner"},
        {"actor": "local"},
    ],
    ("POST", "/v1/quarantines/{position}/release"): [{}],
    ("POST", "/v1/impact"): [{"session": "victim"}, {"turn": 2}, {"origin": "owner"}],
    ("POST", "/v1/erasures"): [
        {"session": "victim"},
        {"turn": 2},
        {"fact": 4},
        {"entity": "user"},
        {"origin": "owner"},
        {"before": "2099-01-01"},
        {"space": "main"},
    ],
    ("POST", "/v1/erasures/finish"): [{}],
    ("POST", "/v1/holds"): [{"authority": "court", "reason": "r"}],
    ("POST", "/v1/holds/{position}/release"): [{}],
    ("PUT", "/v1/retention"): [{"keep_for_s": 0}],
    ("POST", "/v1/sweeps"): [{}],
    ("PUT", "/v1/trust"): [{"profile": "open"}],
    ("POST", "/v1/log/verify"): [{}],
    ("POST", "/v1/checkpoints"): [{}],
    ("POST", "/v1/receipts/find"): [{"text": "x"}],
    ("POST", "/v1/projections/{name}/rebuild"): [{}],
    ("POST", "/v1/extractions/retry"): [{}],
}
# Queries that reach for what lies in `main`.
QUERIES: dict[str, list[dict[str, Any]]] = {
    "/v1/turns": [{}, {"spaces": "main"}, {"sessions": "victim"}],
    "/v1/sessions": [{}, {"spaces": "main"}],
    "/v1/facts": [{}, {"entity": PLANT, "any_status": True, "all_scopes": True}],
    "/v1/history": [{}],
    "/v1/diff": [{"earlier": 0, "later": 1}],
    "/v1/events": [{"content": True}],
}
NAMED = {"name": "user", "old_size": "1"}


@pytest.fixture
def victim(door: Door) -> Iterator[Engine]:
    """What nobody else may see or change: a turn, facts, a proposal and a quarantine."""
    with door.engines.using(door.own) as engine:
        engine.add(f"I live in {PLANT}.", session="victim", at="2024-01-01")
        engine.assert_fact("user", "works_at", f"{PLANT} mines", valid_from="2024")
        engine.end_fact(engine.assert_fact("Annie", "has", PLANT, valid_from="2024"))
        engine.assert_fact("user", "works_at", f"{PLANT} labs", origin="agent")
        engine.add(f"I hate {PLANT}.", session="hidden", at="2024-01-01")
        engine.quarantine(session="hidden")
        engine.alias("Annie", "Ann")
        yield engine


def called(route: Any) -> tuple[str, str]:
    """Give the method and the path of a route."""
    (method,) = route.methods
    return method, route.path


def requests_of(
    route: Any, positions: Iterable[int] = (0,)
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Give the requests with which a route is tried, at each of some positions if it takes one."""
    method, _ = called(route)
    bodies = BODIES.get(called(route))
    assert bodies is not None or method == "GET", f"{method} {route.path} is not in the table"
    given = (
        [{"json": body} for body in bodies]
        if bodies is not None
        else [{"params": query} for query in QUERIES.get(route.path, [{}])]
    )
    for position in positions if "{position}" in route.path else (0,):
        for each in given:
            yield method, route.path.format(position=position, **NAMED), each


def test_the_tables_name_no_route_that_is_not_there(app: RestApp) -> None:
    routes = set(map(called, app.routes))
    assert set(BODIES) - routes == set()
    assert {("GET", path) for path in QUERIES} - routes == set()


def test_the_description_and_the_routes_are_the_same(app: RestApp) -> None:
    described = {
        (method.upper(), path)
        for path, methods in app.api.openapi()["paths"].items()
        for method in methods
    }
    assert described == set(map(called, app.routes))


def test_without_a_key_no_route_answers_once_there_is_one(
    app: RestApp, api: Api, keys: AccessKeys, victim: Engine
) -> None:
    keys.add("somebody")
    head = victim.head
    for route in app.routes:
        for method, path, given in requests_of(route):
            for key in (None, "smriti_0_0", "x" * 500):
                answer = api(method, path, key=key, **given)
                wanted = 200 if route.path in OPEN else 401
                assert answer.status_code == wanted, (method, path, answer.text)
                assert PLANT not in answer.text
    assert victim.head == head


@pytest.mark.parametrize("role", ROLES)
def test_a_role_that_lacks_the_right_is_refused(
    role: str, app: RestApp, api: Api, keys: AccessKeys, victim: Engine
) -> None:
    _, key = keys.add("key", role=role)
    head = victim.head
    refused = set()
    for route in app.routes:
        right, whole_tenant = right_of(route)
        if right is None or (role in RIGHTS[right] and not whole_tenant):
            continue
        for method, path, given in requests_of(route):
            assert api(method, path, key=key, **given).status_code == 403, (method, path)
            refused.add(route.path)
    assert victim.head == head
    assert "/v1/sweeps" in refused


def right_of(route: Any) -> tuple[Any, bool]:
    for dependency in route.dependant.dependencies:
        if (right := getattr(dependency.call, "right", None)) is not None:
            return right, dependency.call.whole_tenant
    return None, False


def test_every_route_but_those_about_health_asks_who_comes_in(app: RestApp) -> None:
    assert {route.path for route in app.routes if right_of(route)[0] is None} == OPEN


@pytest.mark.parametrize("role", ROLES)
def test_a_key_of_another_tenant_reaches_nothing(
    role: str, app: RestApp, api: Api, keys: AccessKeys, victim: Engine, door: Door
) -> None:
    with door.engines.using(Opening("thief", ("main",))) as own:
        own.add("Hello there.", session="own")
    _, key = keys.add("thief", tenant="thief", role=role, whole_tenant=role != "agent")
    head, shown = victim.head, []
    for route in app.routes:
        for method, path, given in requests_of(route, tried(role, victim)):
            answer = api(method, path, key=key, **given)
            assert answer.status_code < 500, (method, path, answer.text)
            shown += [(method, path, given)] if leaks(answer) else []
    assert shown == []
    assert victim.head == head


@pytest.mark.parametrize("role", ROLES)
def test_a_key_of_another_space_reaches_nothing(
    role: str, app: RestApp, api: Api, keys: AccessKeys, victim: Engine, door: Door
) -> None:
    with door.engines.using(Opening("default", ("elsewhere",))) as own:
        own.add("Hello there.", session="own")
    _, key = keys.add("neighbour", spaces=["elsewhere"], role=role)
    before, shown = standing(victim), []
    for route in app.routes:
        for method, path, given in requests_of(route, tried(role, victim)):
            answer = api(method, path, key=key, **given)
            assert answer.status_code < 500, (method, path, answer.text)
            shown += [(method, path, given)] if leaks(answer) else []
    assert shown == []
    assert standing(victim) == before


def tried(role: str, victim: Engine) -> Iterable[int]:
    """Give the positions that are tried: all of them with the role that may do most."""
    return range(victim.head + 1) if role == "owner" else (2, 4)


def leaks(answer: Any) -> bool:
    """Tell whether an answer holds the plant; what a request asked for does not count."""
    return PLANT in answer.text and answer.status_code < 400


def standing(engine: Engine) -> Any:
    """Give everything that stands in the space, with what was believed of it."""
    return (
        [(turn.position, turn.text) for turn in engine.turns()],
        engine.history(),
        engine.review(),
        engine.quarantines(),
        engine.trust,
        engine.names_of("Annie"),
    )


def test_the_plant_is_found_by_whoever_may_read_it(
    api: Api, keys: AccessKeys, victim: Engine
) -> None:
    _, key = keys.add("owner", role="owner")
    for path in ("/v1/turns", "/v1/facts", "/v1/history", "/v1/review"):
        assert leaks(api("GET", path, key=key)), path


def test_an_agent_records_as_an_agent_and_reads_nothing_untrusted(
    api: Api, keys: AccessKeys, victim: Engine
) -> None:
    _, key = keys.add("robot")
    api("POST", "/v1/turns", key=key, json={"session": "r", "messages": ["I like chai."]})
    assert [turn.origin for turn in victim.turns(sessions=["r"])] == ["agent"]
    victim.add("Untrusted words.", session="u", origin="untrusted")
    for method, path, given in (
        ("GET", "/v1/turns", {}),
        ("POST", "/v1/search", {"json": {"question": "Untrusted words", "k": 100}}),
    ):
        assert "Untrusted words" not in api(method, path, key=key, **given).text
    asked = {"question": "x", "origins": ["untrusted"]}
    assert api("POST", "/v1/search", key=key, json=asked).status_code == 403
    assert api("GET", "/v1/facts", key=key, params={"trust": "then"}).status_code == 403


def test_an_auditor_founds_nothing(api: Api, keys: AccessKeys, victim: Engine) -> None:
    _, key = keys.add("auditor", tenant="nobody", role="auditor", whole_tenant=True)
    assert api("GET", "/v1/status", key=key).status_code == 404


def test_a_key_that_is_taken_back_opens_nothing_any_more(api: Api, keys: AccessKeys) -> None:
    _, key = keys.add("laptop")
    keys.add("other")
    assert api("GET", "/v1/status", key=key).status_code == 200
    keys.remove("laptop")
    assert api("GET", "/v1/status", key=key).status_code == 401


def test_the_events_of_a_key_name_it_as_their_actor(
    api: Api, keys: AccessKeys, victim: Engine
) -> None:
    made, key = keys.add("robot")
    api("POST", "/v1/turns", key=key, json={"session": "r", "messages": ["Hello there."]})
    actors = {(event.header.actor.kind, event.header.actor.id) for event in victim.events()}
    assert ("agent", f"key-{made.id}") in actors


# BC-65
@pytest.mark.parametrize(
    "spaces",
    [["__all__"], ["*"], None, [], ["a", "c"], ["%"], "*", {"$ne": "a"}, ["a", ""], ["a,c"]],
)
def test_no_way_of_naming_spaces_reaches_beyond_those_of_a_key(
    spaces: Any, api: Api, keys: AccessKeys, door: Door
) -> None:
    for space in ("a", "b", "c"):
        with door.engines.using(Opening("default", (space,))) as engine:
            engine.add(f"I live in {PLANT}, {space}.", session=f"in_{space}", at="2024-01-01")
    _, key = keys.add("some", spaces=["a", "b"], role="owner")
    asked = {"question": PLANT, "k": 100, "spaces": spaces}
    told = [api("POST", "/v1/search", key=key, json=asked)]
    told.append(api("POST", "/v1/context", key=key, json={"question": PLANT, "spaces": spaces}))
    named = {} if spaces is None else {"spaces": spaces}
    told += [api("GET", f"/v1/{path}", key=key, params=named) for path in ("turns", "sessions")]
    everything = "".join(answer.text for answer in told)
    assert f"{PLANT}, c" not in everything
    assert '"in_c"' not in everything
    if spaces is None:
        assert all(answer.status_code == 200 for answer in told)
        assert "zanzibarite, b" in told[0].text


def test_where_others_reach_it_taking_back_the_last_key_opens_nothing(
    api: Api, app: RestApp, keys: AccessKeys, victim: Engine, door: Door
) -> None:
    app.api.state.door = replace(door, local=False)
    _, key = keys.add("last", role="owner")
    assert api("GET", "/v1/turns", key=key).status_code == 200
    keys.remove("last")
    for presented in (None, key):
        assert api("GET", "/v1/turns", key=presented).status_code == 401
    keys.path.unlink()
    assert api("GET", "/v1/turns").status_code == 401
