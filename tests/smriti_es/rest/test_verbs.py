"""What the routes do, end to end."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.rest.application import RestApp

Api = Callable[..., Any]
PUNE = {"session": "s1", "messages": ["I live in Pune."], "at": "2024-01-15"}
ROME = {"session": "s2", "messages": ["I moved to Rome."], "at": "2026-03-01"}


def test_what_was_said_is_found_asked_for_and_explained(api: Api) -> None:
    added = api("POST", "/v1/turns", json=PUNE)
    assert added.status_code == 201
    (turn,), (fact,) = added.json()["positions"], added.json()["facts"]
    found = api("POST", "/v1/search", json={"question": "Where is Pune?"}).json()
    assert [hit["turn"]["position"] for hit in found["hits"]] == [turn]
    context = api("POST", "/v1/context", json={"question": "Where do I live?", "now": "2026"})
    assert "- [CURRENT since 2024-01-15] The user lives in Pune." in context.json()["text"]
    explained = api("GET", f"/v1/facts/{fact}").json()
    assert explained["fact"]["evidence"] == [{"turn": turn, "quote": "I live in Pune"}]
    assert explained["fact"]["valid_from"] == "2024-01-15T00:00:00.000000Z"


def test_facts_are_asked_for_at_two_times(api: Api) -> None:
    then = api("POST", "/v1/turns", json=PUNE).json()["head"]
    api("POST", "/v1/turns", json=ROME)

    def objects(**asked: Any) -> list[str]:
        found = api("GET", "/v1/facts", params={"subject": "user", **asked}).json()
        return [fact["object"] for fact in found["items"]]

    assert objects() == ["Rome"]
    assert objects(valid_at="2025") == ["Pune"]
    assert objects(known_at=then) == ["Pune"]
    assert objects(any_status=True) == ["Pune", "Rome"]


def test_a_fact_is_stated_ended_and_taken_back(api: Api) -> None:
    stated = api("POST", "/v1/facts", json={"subject": "Ann", "predicate": "has", "object": "car"})
    assert (stated.status_code, stated.json()["waits_for_review"]) == (201, False)
    at = stated.json()["position"]
    ended = api("POST", f"/v1/facts/{at}/end", json={"at": "2030-01-01"})
    assert ended.status_code == 200
    assert api("POST", f"/v1/ends/{ended.json()['position']}/retract", json={}).status_code == 200
    assert api("POST", f"/v1/facts/{at}/retract", json={"reason": "no"}).status_code == 200
    assert api("GET", "/v1/facts").json()["items"] == []


def test_stating_the_same_again_says_that_nothing_was_stored(api: Api) -> None:
    said = {
        "subject": "Ann",
        "predicate": "has",
        "object": "car",
        "valid_from": "2024",
        "said_at": "2024-05-05",
    }
    assert api("POST", "/v1/facts", json=said).json()["stored"]
    again = api("POST", "/v1/facts", json=said).json()
    assert (again["stored"], again["position"]) == (False, None)


def test_a_proposal_is_listed_and_approved(api: Api) -> None:
    api("POST", "/v1/turns", json=PUNE)
    said = {"subject": "user", "predicate": "lives_in", "object": "Oslo", "origin": "agent"}
    assert api("POST", "/v1/facts", json=said).json()["waits_for_review"]
    (waits,) = api("GET", "/v1/review").json()["items"]
    assert (waits["object"], waits["against"]["object"]) == ("Oslo", "Pune")
    assert api("POST", f"/v1/review/{waits['position']}/approve", json={}).status_code == 200
    assert [fact["object"] for fact in api("GET", "/v1/facts").json()["items"]] == ["Oslo"]


def test_a_quarantine_withholds_and_is_released(api: Api) -> None:
    api("POST", "/v1/turns", json=PUNE)
    assert api("POST", "/v1/impact", json={"session": "s1"}).json()["turns"] == [2]
    at = api("POST", "/v1/quarantines", json={"session": "s1"}).json()["position"]
    assert api("GET", "/v1/turns").json()["items"] == []
    assert [each["position"] for each in api("GET", "/v1/quarantines").json()["items"]] == [at]
    assert api("POST", f"/v1/quarantines/{at}/release", json={}).status_code == 200
    assert len(api("GET", "/v1/turns").json()["items"]) == 1


# BC-33
def test_what_is_erased_is_gone_and_erasing_it_again_is_not_found(api: Api) -> None:
    api("POST", "/v1/turns", json=PUNE)
    would = api("POST", "/v1/erasures", json={"session": "s1", "dry_run": True}).json()
    assert (would["position"], would["content"]["turns"]) == (None, [2])
    erased = api("POST", "/v1/erasures", json={"session": "s1", "reason": "asked for"})
    assert erased.json()["verified"]
    head = api("GET", "/v1/status").json()["events"]
    assert api("POST", "/v1/erasures", json={"session": "s1"}).status_code == 404
    assert api("GET", "/v1/status").json()["events"] == head


def test_a_hold_refuses_an_erasure(api: Api) -> None:
    api("POST", "/v1/turns", json=PUNE)
    held = {"session": "s1", "authority": "court", "reason": "case 12"}
    at = api("POST", "/v1/holds", json=held).json()["position"]
    refused = api("POST", "/v1/erasures", json={"session": "s1"})
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:smriti-es:HeldError")
    assert [each["position"] for each in api("GET", "/v1/holds").json()["items"]] == [at]
    assert api("POST", f"/v1/holds/{at}/release", json={}).status_code == 200
    assert api("POST", "/v1/erasures", json={"session": "s1"}).status_code == 200


def test_what_is_old_is_swept(api: Api) -> None:
    api("POST", "/v1/turns", json=PUNE)
    assert api("PUT", "/v1/retention", json={"keep_for_s": 86_400}).status_code == 200
    assert api("GET", "/v1/retention").json()["items"][0]["keep_for_s"] == 86_400
    assert api("POST", "/v1/sweeps", json={"dry_run": True}).json()["due"] == 2
    assert api("POST", "/v1/sweeps", json={}).json()["verified"]
    assert api("GET", "/v1/turns").json()["items"] == []


def test_the_log_is_read_verified_attested_and_proved(api: Api) -> None:
    api("POST", "/v1/turns", json=PUNE)
    events = api("GET", "/v1/events", params={"content": True}).json()["items"]
    assert events[2]["event"]["text"] == "I live in Pune."
    assert api("POST", "/v1/log/verify", json={"projections": True}).json()["ok"]
    made = api("POST", "/v1/checkpoints", json={}).json()
    (kept,) = api("GET", "/v1/checkpoints").json()["items"]
    assert kept["note"] == made["note"]
    assert len(api("GET", "/v1/signing-keys").json()["items"]) == 1
    assert api("GET", "/v1/proofs/2").json()["proof"]
    assert api("GET", "/v1/consistency/2").json()["proof"]


def test_two_names_are_one_entity_until_they_are_not(api: Api) -> None:
    names = {"alias": "Ann Lee", "canonical": "Ann"}
    assert api("POST", "/v1/aliases", json=names).status_code == 201
    assert sorted(api("GET", "/v1/names/ann").json()["names"]) == ["ann", "ann lee"]
    assert api("POST", "/v1/aliases/remove", json={"alias": "Ann Lee"}).status_code == 200
    assert api("GET", "/v1/names/ann").json()["names"] == ["ann"]


def test_the_profile_of_trust_is_told_and_changed(api: Api) -> None:
    assert api("GET", "/v1/trust").json() == {"profile": "personal"}
    assert api("PUT", "/v1/trust", json={"profile": "regulated"}).status_code == 200
    assert api("GET", "/v1/trust").json() == {"profile": "regulated"}


def test_projections_are_checked_and_rebuilt(api: Api) -> None:
    api("POST", "/v1/turns", json=PUNE)
    assert all(each["ok"] for each in api("GET", "/v1/projections/check").json()["items"])
    assert api("POST", "/v1/projections/facts/rebuild", json={}).json()["equal"]
    assert api("POST", "/v1/projections/none/rebuild", json={}).status_code == 404


# BC-56
def test_a_write_says_what_it_did_and_a_wrong_one_why_not(api: Api) -> None:
    done = api("POST", "/v1/turns", json=PUNE).json()
    assert (done["positions"], done["head"], done["repeated"]) == ([2], 4, False)
    wrong = api("POST", "/v1/turns", json={"session": "s1", "messages": [{"content": "x"}]})
    assert wrong.status_code == 422
    assert wrong.json()["detail"] == "message 0: role is missing"
    assert wrong.headers["content-type"] == "application/problem+json"


def test_a_repeated_request_with_a_key_takes_effect_once(api: Api) -> None:
    headers = {"Idempotency-Key": "k1"}
    first = api("POST", "/v1/turns", json=PUNE, headers=headers).json()
    again = api("POST", "/v1/turns", json=PUNE, headers=headers).json()
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert again["positions"] == first["positions"]
    other = api("POST", "/v1/turns", json=ROME, headers=headers)
    assert (other.status_code, other.json()["type"]) == (409, "urn:smriti-es:IdempotencyConflict")


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/facts", {"subject": "Ann", "predicate": "has", "object": "car"}, 422),
        ("/v1/erasures", {"session": "s1"}, 422),
        ("/v1/checkpoints", {}, 422),
        ("/v1/search", {"question": "Pune"}, 200),
    ],
)
def test_a_key_that_would_have_no_effect_is_refused_where_something_is_written(
    path: str, body: dict[str, Any], status: int, api: Api
) -> None:
    done = api("POST", path, json=body, headers={"Idempotency-Key": "k1"})
    assert done.status_code == status
    assert api("GET", "/v1/status", headers={"Idempotency-Key": "k1"}).json()["events"] == 1


# BC-42
@pytest.mark.parametrize("question", ["NOT", "NEAR(a b", '"unclosed', "col:umn", "(" * 5_000, ""])
def test_no_question_is_syntax(question: str, api: Api) -> None:
    assert api("POST", "/v1/search", json={"question": question}).status_code == 200


def test_what_a_row_cannot_hold_comes_back_as_it_was(api: Api) -> None:
    text = "मैं 🙂 \u202e \x00 x"
    api("POST", "/v1/turns", json={"session": "s1", "messages": [text]})
    (turn,) = api("GET", "/v1/turns").json()["items"]
    assert turn["text"] == text


# Verbs of the engine that have no route, and why.
WITHOUT = {
    "open": "a key opens a memory",
    "close": "the server closes it",
    "add_many": "each session is a request",
    "import_file": "reads a file: use the command line where the memory is",
    "export": "writes a file: use the command line where the memory is",
    "export_conversations": "writes a file: use the command line where the memory is",
    "export_audit": "writes a folder: use the command line where the memory is",
    "witness": "sends to another server: use the command line where the memory is",
    "rotate_key": "handles secret keys: use the command line where the memory is",
    "accept_restore": "for whoever restored the file, where it is",
    "rebuild_all": "each projection is a request",
    "doctor": "reads every vector: use the command line where the memory is",
    "repair": "for whoever has the file: use the command line where the memory is",
    "switch_embedder": "embeds everything: use the command line where the memory is",
    "embedder_state": "`embedder` of the status; the rest is for whoever switches",
    "skip": "for whoever repairs the file, where it is",
    "observe": "asks a model many times: use the command line where the memory is",
    "wait_for_vectors": "`wait_for` of what is added",
    "at": "`known_at` of every read",
    "replay": "`known_at` of every read answers the same",
    "world_time": "told with every fact",
    "head": "told with every answer",
    "provisional": "told with every answer",
    "timezone": "told by the status",
    "single_valued": "settled when a memory is founded",
    "change_trust": "PUT /v1/trust",
    "trust": "GET /v1/trust",
}


def test_every_verb_of_the_engine_has_a_route_or_a_reason(app: RestApp) -> None:
    routes = {route.name for route in app.routes}
    verbs = {name for name in dir(Engine) if not name.startswith("_")}
    assert verbs - set(WITHOUT) - routes == set()
    assert set(WITHOUT) - verbs == set()
