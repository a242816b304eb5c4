"""A scope counts only with the words that state it, and is never dropped in silence."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.errors import ExtractionError, InvalidInput
from smriti_es.extraction.contract import Evidence, ExtractedFact
from smriti_es.extraction.scope_validation import (
    RejectedScope,
    correct_scopes,
    normal_scope,
    scope_problem,
)

SOURCE = "For project Apollo I use Rust. In Berlin I cycle. At home I bake. Bob's team is Billing."


def fact(statement: str, scope: str = "", value: str = "Rust", **others: Any) -> ExtractedFact:
    return ExtractedFact(
        subject=others.pop("subject", "user"),
        predicate=others.pop("predicate", "uses"),
        object=value,
        statement=statement,
        evidence=(Evidence(10, "Rust"),),
        scope=scope,
        **others,
    )


GOOD = fact("The user uses Rust for project Apollo", "project:apollo")
TYPO = fact("The user uses Rust for project Apolo", "project:apolo")
GLOBAL = fact("The user uses Rust")
SIBLING = fact("The user bakes at home", value="baking", predicate="does")


class SecondReply:
    """Gives the facts of a second reply, or raises; notes what was rejected."""

    def __init__(self, reply: Sequence[ExtractedFact] | ExtractionError | None) -> None:
        self.reply = reply
        self.asked: list[Sequence[RejectedScope]] = []

    def __call__(self, rejected: Sequence[RejectedScope]) -> Sequence[ExtractedFact] | None:
        self.asked.append(rejected)
        if isinstance(self.reply, ExtractionError):
            raise self.reply
        return self.reply


Corrected = tuple[tuple[ExtractedFact, ...], dict[str, Any]]


@pytest.fixture
def correct() -> Callable[..., Corrected]:
    """Correct the scopes of facts with a second reply; the facts that stand, and the report."""

    def run(first: Sequence[ExtractedFact], second: Any) -> Corrected:
        facts, report = correct_scopes(first, source=SOURCE, ask_again=SecondReply(second))
        return facts, report.to_dict()

    return run


@pytest.mark.parametrize(
    ("scope", "statement"),
    [
        ("", "The user uses Rust"),
        ("project:Apollo", "The user uses Rust for project Apollo"),
        ("project: apollo ", "The user uses Rust for Project  Apollo"),
        ('project:"apollo"', "The user uses Rust for project Apollo"),
        ("location:Berlin", "In Berlin the user cycles"),
        ("location:berlin", "The user cycles in Berlin"),
        ("team:billing", "Bob's team is Billing"),
    ],
)
def test_a_scope_that_turns_and_statement_state_is_fine(scope: str, statement: str) -> None:
    assert scope_problem(scope, source=SOURCE, statement=statement) == ""


@pytest.mark.parametrize(
    ("scope", "statement", "problem"),
    [
        ("project:apolo", "Rust for project Apolo", "its value does not stand in the turns"),
        ("project:apollo", "The user uses Rust", "its value does not stand in the statement"),
        ("project:apollo", "Apollo uses Rust", "no word near its value in the statement"),
        ("account:apollo", "Rust for account Apollo", "no word near its value in the turns"),
        ("project:apoll", "Rust for project Apoll", "its value does not stand in the turns"),
        ("date:2026", "In 2026", "a date is not a scope"),
        ("apollo", "Rust for project Apollo", "a scope has the form kind:value"),
        ("project:", "Rust for project Apollo", "a scope has the form kind:value"),
        (":apollo", "Rust for project Apollo", "a scope has the form kind:value"),
        ('project:""', "Rust for project Apollo", "a scope has the form kind:value"),
    ],
)
def test_a_scope_that_is_not_stated_is_refused_with_a_reason(
    scope: str, statement: str, problem: str
) -> None:
    assert scope_problem(scope, source=SOURCE, statement=statement).startswith(problem)


def test_a_value_of_several_words_is_one_phrase() -> None:
    source = "In the workspace Blue  Moon Labs we write Go."
    for scope in ('workspace:"blue moon labs"', "workspace: Blue Moon  Labs"):
        statement = "In workspace Blue Moon Labs Go is written"
        assert scope_problem(scope, source=source, statement=statement) == ""
    elsewhere = "In workspace Blue Labs Moon Go is written"
    assert scope_problem("workspace:blue moon labs", source=source, statement=elsewhere) != ""


def test_the_scope_of_another_persons_clause_does_not_count() -> None:
    problem = scope_problem("team:billing", source=SOURCE, statement="The user's team uses Rust")
    assert problem == "its value does not stand in the statement"


@pytest.mark.parametrize(
    ("kind", "marker"),
    [
        *((word, word) for word in ("project", "workspace", "team", "account", "cost centre")),
        *(("organization", word) for word in ("organization", "organisation", "org")),
        *(("location", word) for word in ("location", "city", "in", "at", "from")),
        ("cost_centre", "cost centre"),
    ],
)
def test_each_kind_has_its_words(kind: str, marker: str) -> None:
    text = f"they say {marker} zulu"
    assert scope_problem(f"{kind}:zulu", source=text, statement=text) == ""
    without = "they say zulu"
    assert scope_problem(f"{kind}:zulu", source=text, statement=without) != ""


@pytest.mark.parametrize(("gap", "fine"), [(80, True), (81, False)])
def test_the_word_for_the_kind_stands_within_eighty_characters(gap: int, fine: bool) -> None:
    text = "team " + "x" * (gap - 6) + " zulu"
    assert text.index("zulu") == gap
    assert (scope_problem("team:zulu", source=text, statement="team zulu") == "") is fine


@pytest.mark.parametrize(
    "said",
    ["project:apollo", " Project :  APOLLO ", 'project:"Apollo"', "project: \u201cApollo\u201d"],
)
def test_a_scope_has_one_form(said: str) -> None:
    assert normal_scope(said) == "project:apollo"


@given(st.text())
def test_the_form_of_a_scope_does_not_change_when_no_quotes_are_left(said: str) -> None:
    once = normal_scope(said)
    if not any(mark in once for mark in "\"'\u201c\u201d\u2018\u2019"):
        assert normal_scope(once) == once
    assert isinstance(scope_problem(said, source=said, statement=said), str)


@pytest.mark.parametrize("scope", [None, 7, ["project:apollo"]])
def test_a_scope_that_is_no_text_is_refused(scope: Any) -> None:
    with pytest.raises(InvalidInput, match="a scope is text") as caught:
        normal_scope(scope)
    assert isinstance(caught.value, ValueError)
    assert caught.value.field == "scope"


def test_valid_facts_need_no_second_reply() -> None:
    again = SecondReply([])
    facts, report = correct_scopes([GOOD, GLOBAL], source=SOURCE, ask_again=again)
    assert facts == (GOOD, GLOBAL)
    assert again.asked == []
    assert report.outcome == "not_needed"
    assert report.to_dict()["retry_used"] is False


def test_a_second_reply_that_mends_the_scope_corrects(correct: Callable[..., Corrected]) -> None:
    facts, report = correct([TYPO, SIBLING], [GOOD, SIBLING])
    assert facts == (GOOD, SIBLING)
    assert report["outcome"] == "corrected"
    assert (report["attempts"], report["facts_dropped_after_retry"]) == (2, 0)
    assert (report["accepted_before_scope"], report["accepted_final"]) == (1, 2)
    assert report["replacement_matches"] == 1


def test_the_model_is_told_what_was_rejected_and_why() -> None:
    again = SecondReply([])
    correct_scopes([TYPO, SIBLING], source=SOURCE, ask_again=again)
    ((rejected,),) = again.asked
    assert (rejected.scope, rejected.object) == ("project:apolo", "Rust")
    assert rejected.reason == "its value does not stand in the turns"


def test_a_scope_that_stays_wrong_is_left_out_and_its_sibling_kept(
    correct: Callable[..., Corrected],
) -> None:
    facts, report = correct([TYPO, SIBLING], [TYPO, SIBLING])
    assert facts == (SIBLING,)
    assert (report["outcome"], report["facts_dropped_after_retry"]) == ("rejected", 1)
    assert report["rejected_candidates"] == 1


def test_a_second_reply_may_not_make_the_fact_global(correct: Callable[..., Corrected]) -> None:
    facts, report = correct([TYPO], [GLOBAL])
    assert facts == ()
    assert (report["outcome"], report["facts_dropped_after_retry"]) == ("rejected", 1)
    assert report["second_invalid"][0]["reason"] == "its scope was dropped instead of shown"


def test_case_and_blanks_do_not_hide_that_a_fact_was_made_global(
    correct: Callable[..., Corrected],
) -> None:
    shouted = fact("The user uses RUST", value="  RUST ", subject="User", predicate="USES")
    assert correct([TYPO], [shouted])[0] == ()


def test_facts_that_were_valid_stay_when_the_second_reply_leaves_them_out(
    correct: Callable[..., Corrected],
) -> None:
    go = fact("The user uses Go", value="Go")
    c = fact("The user uses C", value="C")
    facts, report = correct([go, TYPO, c], [GOOD, go])
    assert facts == (c, GOOD, go)
    assert report["outcome"] == "corrected"


def test_a_second_reply_that_leaves_the_fact_out_completes(
    correct: Callable[..., Corrected],
) -> None:
    facts, report = correct([TYPO], [])
    assert facts == ()
    assert report["outcome"] == "retry_completed"
    assert [each["scope"] for each in report["unresolved_candidates"]] == ["project:apolo"]


def test_a_second_reply_that_cannot_be_read_keeps_what_was_valid(
    correct: Callable[..., Corrected],
) -> None:
    facts, report = correct([TYPO, SIBLING], None)
    assert facts == (SIBLING,)
    assert report["outcome"] == "retry_parse_failed"
    assert report["facts_dropped_after_retry"] == 1


def test_a_second_call_that_fails_keeps_what_was_valid(
    correct: Callable[..., Corrected], outage: ExtractionError
) -> None:
    facts, report = correct([TYPO, SIBLING], outage)
    assert facts == (SIBLING,)
    assert report["outcome"] == "retry_failed"
    assert report["retry_error"] == "the model is out of reach"


def test_a_second_reply_that_mends_one_and_spoils_another_says_so(
    correct: Callable[..., Corrected],
) -> None:
    spoilt = fact("Bob's team is Billing", "project:billing", value="Billing")
    facts, report = correct([TYPO], [GOOD, spoilt])
    assert facts == (GOOD,)
    assert report["outcome"] == "corrected_with_rejections"
    assert report["facts_dropped_after_retry"] == 0


def test_where_nobody_may_be_asked_the_fact_is_left_out() -> None:
    facts, report = correct_scopes([TYPO, SIBLING], source=SOURCE, ask_again=None)
    assert facts == (SIBLING,)
    assert (report.outcome, report.attempts) == ("rejected", 1)


def test_a_report_promises_no_more_than_it_can(correct: Callable[..., Corrected]) -> None:
    _, report = correct([TYPO], [])
    assert report["semantic_scope_guarantee"] is False
    assert "does not prove" in report["limitation"]
