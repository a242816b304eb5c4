"""`embedder`: whose vectors serve, what another one would cost, and the switch to it."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

Call = Callable[..., Any]


@pytest.fixture
def service(loopback: Any) -> str:
    """A service of embeddings with vectors of two numbers; gives what names it."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        texts = loopback.requests[-1][2]["input"]
        rows = [{"index": n, "embedding": [1.0, 1.0 + len(t)]} for n, t in enumerate(texts)]
        body = json.dumps({"data": rows}).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    loopback.answers.append(answer)
    return f"{loopback.address}#two"


def test_show_tells_whose_vectors_serve(two_homes: Call) -> None:
    lines = two_homes("embedder", "show").out.splitlines()
    assert [line.split("  ", 1)[0] for line in lines] == ["vectors by", "this call", "vectors"]
    assert "words-and-ngrams (hash, 256 dimensions), since position 1" in lines[0]
    assert "3 turns and facts have them, 0 wait, 0 failed" in lines[2]
    found = two_homes("embedder", "show", "--json").json
    assert (found["same"], found["serving"]) == (True, found["given"])
    assert (found["vectors"], found["pending"], found["failed"], found["next"]) == (3, 0, 0, None)


def test_show_tells_that_this_call_has_another_embedder_or_none(
    two_homes: Call, service: str
) -> None:
    assert "has no embedder" in two_homes("embedder", "show", "--embedder", "none").out
    told = two_homes("embedder", "show", "--embedder", service).out
    assert "two (http, 2 dimensions): another one, so found by words alone" in told


def test_a_dry_run_tells_what_it_costs_and_changes_nothing(two_homes: Call, service: str) -> None:
    head = two_homes("status", "--json").json["events"]
    done = two_homes("embedder", "switch", service, "--dry-run")
    assert done.code == 0
    words = dict(line.split(None, 1) for line in done.out.splitlines())
    assert words["to"] == "two (http, 2 dimensions)"
    assert words["items"] == "3 turns and facts"
    assert words["time"].startswith("about ")
    told = two_homes("embedder", "switch", service, "--dry-run", "--json").json
    assert (told["changed"], told["items"], told["position"]) == (False, 3, None)
    assert two_homes("status", "--json").json["events"] == head
    assert two_homes("embedder", "show", "--json").json["serving"]["kind"] == "hash"


def test_switch_takes_the_new_one_over_and_says_what_later_calls_must_name(
    two_homes: Call, service: str
) -> None:
    done = two_homes("embedder", "switch", service)
    assert done.code == 0
    assert "The vectors are those of two (http, 2 dimensions) since position 7." in done.out
    assert f"give --embedder {service}, or set SMRITI_ES_EMBEDDER" in done.err
    assert "another embedder, two" in two_homes("search", "Hyderabad").err
    assert two_homes("search", "Hyderabad", "--embedder", service).err == ""
    assert two_homes("log", "verify").code == 0


def test_switch_without_a_name_takes_the_embedder_of_the_call(
    two_homes: Call, service: str
) -> None:
    done = two_homes("embedder", "switch", "--json", "--embedder", service)
    assert (done.code, done.err) == (0, "")
    assert (done.json["changed"], done.json["items"], done.json["pending"]) == (True, 3, 0)


def test_a_switch_to_what_serves_says_so(two_homes: Call) -> None:
    for more in ((), ("--dry-run",)):
        done = two_homes("embedder", "switch", "hash", *more)
        told = "The vectors are those of words-and-ngrams (hash, 256 dimensions) already.\n"
        assert (done.code, done.out, done.err) == (0, told, "")


def test_a_service_that_is_away_changes_nothing_and_a_second_call_goes_on(
    two_homes: Call, loopback: Any, service: str
) -> None:
    answer = loopback.answers.pop()
    loopback.sends(b"{}", status=400)
    done = two_homes("embedder", "switch", service)
    assert (done.code != 0, done.out) == (True, "")
    assert done.err.startswith("error: ")
    assert two_homes("embedder", "show", "--json").json["serving"]["kind"] == "hash"
    loopback.answers[:] = [answer]
    assert two_homes("embedder", "switch", service).code == 0


@pytest.mark.parametrize("name", ["none", "nonsense"])
def test_what_is_no_embedder_is_refused(name: str, two_homes: Call) -> None:
    done = two_homes("embedder", "switch", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: there is no embedder ")


def test_a_profile_that_forbids_the_service_stops_the_switch(two_homes: Call) -> None:
    away = "https://api.example.com/v1#m"
    for more in ((), ("--dry-run",)):
        done = two_homes("embedder", "switch", away, "--profile", "local", *more)
        assert "the embedder would send text to api.example.com" in done.err
        assert (done.code != 0, done.out) == (True, "")


def test_a_memory_that_is_not_there_is_not_made(call: Call, tmp_path: Any) -> None:
    for verb in (("show",), ("switch", "hash"), ("switch", "hash", "--dry-run")):
        done = call("embedder", *verb)
        assert (done.code, done.err.startswith("error: there is no memory at ")) == (2, True)
    assert list(tmp_path.iterdir()) == []
