"""`--trust then`: the past as it was trusted, on the verbs that tell what is believed."""

from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., Any]
THEN = ("--known-at", "9", "--trust", "then")


@pytest.fixture
def withheld(moved: Call) -> Call:
    """The session that said Bengaluru (9) is quarantined, by the event at 13."""
    done = moved("quarantine", "add", "--fact", "9", "--json")
    assert done.json["quarantine"] == 13
    return moved


def test_facts_are_shown_as_trusted_then_and_say_what_is_withheld_today(withheld: Call) -> None:
    today, then = withheld("facts", "--known-at", "9"), withheld("facts", *THEN)
    assert today.out == ""
    assert "Bengaluru" in then.out
    assert "withheld today by 13" in then.out


def test_json_names_what_withholds_it(withheld: Call) -> None:
    (fact,) = withheld("facts", *THEN, "--json").lines
    assert (fact["object"], fact["withheld"]) == ("Bengaluru", [13])


@pytest.mark.parametrize(
    "arguments",
    [("history", *THEN), ("explain", "9", *THEN), ("diff", "5", "9", "--trust", "then")],
)
def test_history_explanation_and_changes_are_told_as_trusted_then(
    withheld: Call, arguments: tuple[str, ...]
) -> None:
    assert "withheld today by 13" in withheld(*arguments).out


def test_without_it_nothing_withheld_is_shown(withheld: Call) -> None:
    assert withheld("explain", "9", "--known-at", "9").code == 2
    assert "Bengaluru" not in withheld("history", "--known-at", "9").out


@pytest.mark.parametrize("verb", ["search", "context"])
def test_what_a_model_may_read_does_not_take_it(withheld: Call, verb: str) -> None:
    done = withheld(verb, "where do I live?", "--trust", "then")
    assert done.code == 2
    assert "--trust" in done.err


def test_any_other_trust_is_refused(withheld: Call) -> None:
    assert withheld("facts", "--trust", "maybe").code == 2
