"""`assert`, `end`, `retract`, `alias`, `observe` and their like: what is believed is changed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]

HYDERABAD, BENGALURU = 5, 9


def current(call: Call, *arguments: Any) -> list[tuple[str, str]]:
    found = call("facts", *arguments, "--all-scopes", "--json").lines
    return [(fact["predicate"], fact["object"]) for fact in found]


def test_assert_states_a_fact_and_tells_its_position(moved: Call) -> None:
    done = moved("assert", "Rachel", "Works at", "Acme", "--from", "2022")
    assert (done.code, done.out) == (0, "Stated at position 13.\n")
    assert current(moved, "rachel") == [("works_at", "Acme")]


def test_assert_makes_a_memory_that_is_not_there(call: Call) -> None:
    assert call("assert", "Rachel", "lives_in", "Rome", "--json").json["position"] == 2


def test_assert_takes_everything_that_may_be_said_of_a_fact(moved: Call) -> None:
    options = (
        *("--statement", "The board wants Atlas in September.", "--scope", "project:Atlas"),
        *("--from", "2023-01", "--to", "2030-01-01", "--said-at", "2023-01-05", "--multi"),
        *("--kind", "event", "--because", BENGALURU, "--entity", "Board"),
        *("--tag", "work", "--meta", "level=4"),
    )
    moved("assert", "Atlas", "wanted_in", "September", *options)
    (fact,) = moved("facts", "atlas", "wanted_in", "--all-scopes", "--json").lines
    assert (fact["statement"], fact["scope"]) == (
        "The board wants Atlas in September.",
        "project:Atlas",
    )
    assert (fact["valid_from"], fact["precision"]) == ("2023-01-01T00:00:00.000000Z", "month")
    assert (fact["valid_to"], fact["said_at"]) == (
        "2030-01-01T00:00:00.000000Z",
        "2023-01-05T00:00:00.000000Z",
    )
    assert (fact["kind"], fact["because"], fact["entities"]) == ("event", [BENGALURU], ["Board"])
    (event,) = moved("log", "tail", "-n", 1, "--content", "--json").lines
    assert (event["event"]["tags"], event["event"]["metadata"]) == (["work"], {"level": 4})
    assert event["event"]["single"] is False


def test_a_fact_stated_twice_in_the_same_words_at_the_same_time_is_one(moved: Call) -> None:
    said = ("assert", "Rachel", "lives_in", "Rome", "--said-at", "2023-01-05")
    moved(*said)
    assert moved(*said).out == "Nothing new: exactly this was stated before.\n"
    assert moved(*said, "--json").json["position"] == -1


def test_a_fact_that_follows_is_stale_once_its_premise_falls(moved: Call) -> None:
    moved("assert", "user", "commutes_by", "metro", "--because", BENGALURU)
    moved("retract", BENGALURU)
    assert "stale" in moved("facts", "user", "commutes_by").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", "b", "c", "--because", 3), "there is no fact at position 3"),
        (("a", "b", "c", "--scope", "Atlas"), "not a scope: 'Atlas'"),
        (("a", "b", "c", "--from", "2023", "--to", "2022"), "valid_to does not lie after"),
        (("a", "b", "c", "--meta", "level"), "--meta 'level' has no ="),
        (("a", " ", "c"), "predicate"),
    ],
)
def test_a_statement_that_cannot_be_kept_changes_nothing(
    arguments: tuple[Any, ...], message: str, moved: Call
) -> None:
    done = moved("assert", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert moved("status", "--json").json["events"] == 13


def test_end_ends_a_fact_with_nothing_in_its_place(moved: Call) -> None:
    done = moved("end", BENGALURU, "--at", "2023-09-01", "--reason", "went to sea")
    assert done.code == 0
    assert done.out.startswith("The fact at position 9 has its end, at position 13; ")
    (fact,) = moved("facts", "user", "lives_in", "--status", "ended", "--json").lines
    assert fact["valid_to"] == "2023-09-01T00:00:00.000000Z"
    assert "went to sea" in moved("explain", BENGALURU).out


def test_retract_end_takes_an_end_back(moved: Call) -> None:
    end = moved("end", BENGALURU, "--at", "2023-09-01", "--json").json["end"]
    decided = moved("explain", BENGALURU, "--json").json["decided"]
    assert (end, "FactEnded") in [(cause["position"], cause["type"]) for cause in decided]
    assert moved("retract-end", end).out == f"The end at position {end} is taken back.\n"
    assert current(moved, "user", "lives_in") == [("lives_in", "Bengaluru")]


def test_retract_brings_back_what_a_fact_had_replaced(moved: Call) -> None:
    done = moved("retract", BENGALURU, "--reason", "a mix-up", "--json")
    assert done.json == {"changed": True, "head": 14}
    assert current(moved, "user", "lives_in") == [("lives_in", "Hyderabad")]


def test_alias_joins_two_names_and_unalias_parts_them(moved: Call) -> None:
    moved("assert", "Rachel", "lives_in", "Rome", "--from", "2020")
    moved("assert", "Rachel Smith", "lives_in", "Oslo", "--from", "2021")
    done = moved("alias", "Rachel Smith", "Rachel")
    assert done.out == "Rachel Smith is Rachel: what is said of both is one history.\n"
    assert current(moved, "rachel") == [("lives_in", "Oslo")]
    assert moved("alias", "Rachel Smith", "Rachel").out.startswith("Nothing new")
    assert moved("unalias", "Rachel Smith").out.endswith("an entity of its own again.\n")
    assert current(moved, "rachel") == [("lives_in", "Rome")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("end", 3), "there is no fact at position 3"),
        (("retract", 99), "there is no fact at position 99"),
        (("retract-end", 5), "no stated end at position 5"),
        (("unalias", "Nobody"), "is no alias"),
        (("end", BENGALURU, "--at", "2020"), "cannot end before it began"),
    ],
)
def test_what_does_not_exist_cannot_be_changed(
    arguments: tuple[Any, ...], message: str, moved: Call
) -> None:
    done = moved(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    "verb", [("end", 1), ("retract", 1), ("alias", "a", "b"), ("unalias", "a")]
)
def test_a_memory_that_is_not_there_is_not_made(
    verb: tuple[Any, ...], call: Call, tmp_path: Path
) -> None:
    assert call(*verb).err.startswith("error: there is no memory at ")
    assert list(tmp_path.iterdir()) == []


def test_observe_sums_up_with_a_model(moved: Call, model: Any) -> None:
    moved("assert", "Rachel", "lives_in", "Rome")
    moved("assert", "Rachel", "drives", "a Fiat")
    model.says("Rachel lives in Rome and drives a Fiat.")
    done = moved("observe", "--llm", model.address, SMRITI_ES_LLM_KEY="secret")
    assert (done.code, done.out) == (0, "Digests: 1 written, 0 unchanged.\n")
    assert model.keys == ["Bearer secret"]
    assert "Rachel lives in Rome and drives a Fiat." in moved("facts", "--kind", "digest").out
    again = moved("observe", "--json", SMRITI_ES_LLM=model.address)
    assert (again.json["written"], again.json["unchanged"]) == ([], 1)


def test_observe_narrows_what_it_sums_up(moved: Call, model: Any) -> None:
    for name in ("Rachel", "Tom"):
        moved("assert", name, "met", "Ana", "--multi")
        moved("assert", name, "met", "Ben", "--multi")
    model.says("Both were met.")
    options = ("--subject", "tom", "--granularity", "predicate", "--min-facts", 2)
    moved("observe", "--llm", model.address, *options)
    (digest,) = moved("facts", "--kind", "digest", "--json").lines
    assert (digest["subject"], digest["predicate"]) == ("Tom", "digest:met")


def test_observe_says_what_it_left_out(moved: Call, model: Any) -> None:
    moved("assert", "Rachel", "lives_in", "Rome")
    moved("assert", "Rachel", "drives", "a Fiat")
    model.says(" ")
    done = moved("observe", "--llm", model.address)
    assert done.err == "note: Rachel was not summed up: the model wrote nothing\n"
    assert moved("observe", "--llm", model.address, "--json").json["skipped"] == [
        {"group": "Rachel", "reason": "the model wrote nothing"}
    ]


def test_observe_wants_a_model(moved: Call) -> None:
    done = moved("observe")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: observing needs a language model\nhint: Give --llm")


def test_a_fact_that_follows_takes_scope_and_origin_of_its_premise(moved: Call) -> None:
    premise = moved(
        *("assert", "Atlas", "budget", "10", "--scope", "project:Atlas", "--origin", "tool"),
        "--json",
    ).json["position"]
    moved("assert", "Atlas", "plan", "wait", "--because", premise)
    (fact,) = moved("facts", "atlas", "plan", "--scope", "project:Atlas", "--json").lines
    assert (fact["scope"], fact["origin"]) == ("project:Atlas", "tool")
    raised = moved("assert", "Atlas", "plan", "go", "--because", premise, "--origin", "agent")
    assert (raised.code, "origin agent is higher than tool" in raised.err) == (2, True)
