"""`facts`, `history`, `explain`, `diff`: what is believed, since when, and why."""

from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., Any]

HYDERABAD, BENGALURU, FIAT, ATLAS = 5, 9, 11, 12


def positions(done: Any) -> list[int]:
    return [fact["position"] for fact in done.lines]


def test_facts_that_hold_now_are_a_table_for_people(moved: Call) -> None:
    lines = moved("facts").out.splitlines()
    assert lines[0].split()[:5] == ["position", "status", "subject", "predicate", "object"]
    assert lines[1].split() == ["9", "current", "user", "lives_in", "Bengaluru", "2023-06-01"]
    assert len(lines) == 2


def test_facts_are_lines_of_json_with_times_in_utc(moved: Call) -> None:
    (fact,) = moved("facts", "user", "lives_in", "--json").lines
    assert (fact["position"], fact["object"], fact["status"]) == (9, "Bengaluru", "current")
    assert (fact["valid_from"], fact["valid_to"]) == ("2023-06-01T00:00:00.000000Z", None)
    assert fact["known_from"] == "2023-06-02T00:00:00.000001Z"
    assert fact["evidence"] == [{"turn": 7, "quote": "I moved to Bengaluru on June 1st"}]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("user",), [BENGALURU]),
        (("user", "lives_in", "--valid-at", "2023-03-01"), [HYDERABAD]),
        (("user", "--valid-at", "2023-03-01"), [HYDERABAD, FIAT]),
        (("user", "--known-at", "2023-05-01"), [HYDERABAD]),
        (("user", "--known-at", str(HYDERABAD)), [HYDERABAD]),
        (("user", "--known-at", "2023-05-01", "--valid-at", "2022"), []),
        (("user", "--status", "superseded"), [HYDERABAD]),
        (("user", "--status", "superseded", "--status", "ended"), [HYDERABAD, FIAT]),
        (("--status", "any"), [HYDERABAD, FIAT, BENGALURU]),
        (("--object", "bengaluru"), [BENGALURU]),
        (("--entity", "Bengaluru"), [BENGALURU]),
        (("--kind", "digest"), []),
        (("--scope", "project:atlas"), [ATLAS, BENGALURU]),
        (("Atlas", "--all-scopes"), [ATLAS]),
        (("Atlas",), []),
    ],
)
def test_facts_are_chosen_by_what_they_say_and_when(
    arguments: tuple[str, ...], expected: list[int], moved: Call
) -> None:
    assert positions(moved("facts", *arguments, "--json")) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--tag", "a"), ["rain"]),
        (("--any-tag", "a", "--any-tag", "b"), ["rain", "snow"]),
        (("--where", '{"level": {"gte": 5}}'), ["snow"]),
        (("--tag", "a", "--where", '{"level": 7}'), []),
    ],
)
def test_facts_are_chosen_by_labels(
    arguments: tuple[str, ...], expected: list[str], call: Call
) -> None:
    call("assert", "Ana", "likes", "rain", "--multi", "--tag", "a", "--meta", "level=4")
    call("assert", "Ana", "likes", "snow", "--multi", "--tag", "b", "--meta", "level=7")
    assert [fact["object"] for fact in call("facts", *arguments, "--json").lines] == expected
    histories = call("history", *arguments, "--json").lines
    assert [each["fact"]["object"] for each in histories] == expected
    changes = call("diff", 0, "2200-01-01", *arguments, "--json").lines
    assert [change["after"]["object"] for change in changes] == expected


def test_one_scope_and_all_of_them_do_not_go_together(moved: Call) -> None:
    done = moved("facts", "--scope", "project:Atlas", "--all-scopes")
    assert (done.code, done.out) == (2, "")
    assert "--scope and --all-scopes do not go together" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--status", "gone"), "status"),
        (("--valid-at", "soon"), "not a time: 'soon'"),
        (("--known-at", "99"), "there is no event at position 99"),
        (("--known-at", "2020-01-01"), "the log did not exist at that time"),
        (("--scope", "Atlas"), "not a scope: 'Atlas'"),
    ],
)
def test_what_cannot_be_understood_is_an_error(
    arguments: tuple[str, ...], message: str, moved: Call
) -> None:
    done = moved("facts", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("verb", [("facts", "nobody"), ("history", "nobody"), ("diff", "12", "12")])
def test_an_empty_answer_is_said_and_prints_nothing(verb: tuple[str, ...], moved: Call) -> None:
    done = moved(*verb)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("note: ")


def test_a_timeline_draws_a_line_for_each_fact_under_an_axis(moved: Call) -> None:
    lines = moved("facts", "--timeline", "--valid-at", "2023-06-15").out.splitlines()
    assert lines[0].split() == ["2023-01-15", "2023-06-24"]
    assert lines[1].split() == ["at", "2023-06-15", "▼"]
    assert [line.split()[:3] for line in lines[2:]] == [
        ["user", "lives_in", "Hyderabad"],
        ["user", "drives", "a"],
        ["user", "lives_in", "Bengaluru"],
    ]
    assert lines[2].endswith("2023-01-15 .. 2023-06-01 superseded")
    assert "▶  2023-06-01 ..            current" in lines[4]


def test_a_timeline_marks_now_unless_another_time_is_asked_for(moved: Call) -> None:
    assert "now " in moved("facts", "--timeline").out
    assert "at 2023-06-02" in moved("facts", "--timeline", "--known-at", "2023-06-02").out


def test_a_timeline_in_json_is_the_facts_themselves(moved: Call) -> None:
    done = moved("facts", "--timeline", "--json")
    assert positions(done) == [HYDERABAD, FIAT, BENGALURU]


def test_history_shows_every_belief_about_every_statement(moved: Call) -> None:
    first, second = moved("history", "user", "lives_in", "--json").lines
    assert (first["fact"]["position"], second["fact"]["position"]) == (HYDERABAD, BENGALURU)
    before, after = first["revisions"]
    assert (before["valid_to"], after["valid_to"]) == (None, "2023-06-01T00:00:00.000000Z")
    assert before["known_to"] == after["known_from"] == "2023-06-02T00:00:00.000001Z"
    assert after["superseded_by"] == BENGALURU


def test_history_is_a_table_for_people(moved: Call) -> None:
    out = moved("history", "user", "lives_in").out
    assert "user lives_in Hyderabad: superseded" in out
    assert "superseded by 9" in out


def test_history_as_of_then_knows_nothing_of_what_came_later(moved: Call) -> None:
    (only,) = moved("history", "user", "lives_in", "--known-at", "2023-05-01", "--json").lines
    assert (only["fact"]["status"], len(only["revisions"])) == ("current", 1)


def test_history_of_one_scope_holds_what_applies_everywhere_too(moved: Call) -> None:
    everything = moved("history", "--json").lines
    assert len(everything) == 4
    scoped = moved("history", "--scope", "project:Other", "--json").lines
    assert [each["fact"]["position"] for each in scoped] == [HYDERABAD, FIAT, BENGALURU]


def test_explain_leads_from_a_fact_to_the_words_and_the_decisions(moved: Call) -> None:
    found = moved("explain", HYDERABAD, "--json").json
    assert found["fact"]["statement"] == "The user lives in Hyderabad."
    assert [(cause["position"], cause["type"]) for cause in found["rests_on"]] == [
        (3, "TurnRecorded"),
        (4, "ExtractionCompleted"),
    ]
    assert found["rests_on"][0]["event"]["said_at"] == "2023-01-15T00:00:00.000000Z"
    assert [cause["type"] for cause in found["decided"]] == ["FactSuperseded"]
    assert len(found["rests_on"][0]["leaf"]) == 64


def test_explain_tells_people_the_same(moved: Call) -> None:
    out = moved("explain", HYDERABAD).out
    assert out.startswith("The user lives in Hyderabad.\n")
    assert "position 5: superseded since 2023-01-15 until 2023-06-01" in out
    assert "“I live in Hyderabad”" in out
    assert "followed by 9" in out


def test_explain_as_of_then_knows_no_later_decision(moved: Call) -> None:
    found = moved("explain", HYDERABAD, "--known-at", "2023-05-01", "--json").json
    assert (found["fact"]["status"], found["decided"]) == ("current", [])
    asked = moved("explain", HYDERABAD, "--valid-at", "2023-03-01", "--json").json
    assert asked["fact"]["status"] == "current"


def test_explain_of_what_is_no_fact_is_an_error(moved: Call) -> None:
    done = moved("explain", 3)
    assert (done.code, done.err.splitlines()) == (
        2,
        [
            "error: there is no fact at position 3",
            "hint: `smriti-es facts` and `smriti-es history` give positions.",
        ],
    )


def test_diff_tells_what_came_to_be_believed_and_what_was_re_dated(moved: Call) -> None:
    changes = moved("diff", "2023-05-01", "2023-06-03", "--json").lines
    assert [(each["kind"], each["position"]) for each in changes] == [
        ("re-dated", HYDERABAD),
        ("believed", BENGALURU),
    ]
    assert changes[0]["before"]["valid_to"] is None
    assert changes[0]["after"]["valid_to"] == "2023-06-01T00:00:00.000000Z"


def test_diff_takes_positions_and_is_a_table_for_people(moved: Call) -> None:
    out = moved("diff", HYDERABAD, BENGALURU).out
    assert "2023-01-15 .. 2023-06-01" in out
    assert [line.split()[1] for line in out.splitlines()[1:]] == ["re-dated", "believed"]


def test_diff_can_be_of_one_subject_and_one_scope(moved: Call) -> None:
    of_atlas = moved("diff", 0, ATLAS, "--subject", "atlas", "--json").lines
    assert [each["position"] for each in of_atlas] == [ATLAS]
    of_cars = moved("diff", 0, ATLAS, "--predicate", "drives", "--json").lines
    assert [each["position"] for each in of_cars] == [FIAT]
    elsewhere = moved("diff", 0, ATLAS, "--scope", "project:Other", "--json").lines
    assert [each["position"] for each in elsewhere] == [HYDERABAD, BENGALURU, FIAT]


def test_tables_tell_what_is_repeated_and_what_is_taken_back(moved: Call) -> None:
    moved("assert", "user", "lives_in", "Bengaluru", "--from", "2023-08")
    moved("retract", FIAT)
    assert "said 2 times" in moved("facts", "user", "lives_in").out
    history = moved("history", "user").out
    assert "repeats 9" in history
    assert "retracted" in history
    changes = moved("diff", ATLAS, 15).out.splitlines()[1:]
    assert [line.split()[0] for line in changes] == ["11", "13"]
    assert "no longer believed" in changes[0]
    assert "repeats 9" in changes[1]


def test_a_fact_of_a_scope_and_with_an_end_is_explained_whole(moved: Call) -> None:
    assert ", in project:Atlas; origin owner, stated by direct" in moved("explain", ATLAS).out
    assert "since 2023-02 until 2023-05-01" in moved("explain", FIAT).out


READS = [
    ("facts", "user"),
    ("history", "user"),
    ("explain", HYDERABAD),
    ("turns",),
    ("sessions",),
    ("search", "Where do I live?"),
    ("context", "Where do I live?"),
]
STILL_OPEN = "note: the log ends by that time: what is recorded next may still belong to it"


@pytest.mark.parametrize("read", READS, ids=lambda read: str(read[0]))
def test_a_time_to_which_commits_may_still_belong_is_remarked(
    read: tuple[Any, ...], moved: Call
) -> None:
    assert STILL_OPEN in moved(*read, "--known-at", "2200-01-01").err
    assert STILL_OPEN not in moved(*read, "--known-at", HYDERABAD).err
    assert STILL_OPEN not in moved(*read).err


def test_diff_remarks_it_of_the_later_time(moved: Call) -> None:
    assert STILL_OPEN in moved("diff", 0, "2200-01-01").err
    assert STILL_OPEN not in moved("diff", 0, HYDERABAD).err


@pytest.mark.parametrize("read", READS[2:3] + READS[5:], ids=lambda read: str(read[0]))
def test_documents_tell_how_far_they_know_the_log(read: tuple[Any, ...], moved: Call) -> None:
    document = moved(*read, "--known-at", HYDERABAD, "--json").json
    assert (document["head"] >= HYDERABAD, document["provisional"]) == (True, False)
    assert moved(*read, "--known-at", "2200-01-01", "--json").json["provisional"] is True


def test_an_explanation_may_be_narrowed_to_scopes(moved: Call) -> None:
    assert moved("explain", str(ATLAS)).code == 0
    assert moved("explain", str(ATLAS), "--scope", "project:Atlas").code == 0
    done = moved("explain", str(ATLAS), "--scope", "project:Other")
    assert (done.code, done.err.splitlines()[0]) == (2, "error: there is no fact at position 12")
