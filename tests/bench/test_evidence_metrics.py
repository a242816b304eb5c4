"""The metrics, on examples small enough to count by hand."""

import pytest

from bench.evidence_metrics import (
    Evidence,
    context_scores,
    mean_scores,
    normalise,
    ranking_scores,
)

SESSIONS = {"a": "s1", "b": "s1", "c": "s2", "d": "s3"}
TURNS = {"a": "Ada: I moved", "c": "Bo: to  Utrecht"}
TWO = Evidence(TURNS, frozenset({"s1", "s2"}), SESSIONS, "Utrecht")


def test_recall_is_the_share_of_the_evidence_among_the_first() -> None:
    scores = ranking_scores(["a", "b", "d", "c"], TWO)
    assert (scores["r@1"], scores["r@3"], scores["r@5"]) == (0.5, 0.5, 1.0)


def test_all_is_reached_only_with_the_last_evidence_turn() -> None:
    scores = ranking_scores(["a", "b", "d", "c"], TWO)
    assert (scores["all@1"], scores["all@3"], scores["all@5"]) == (0.0, 0.0, 1.0)


def test_a_session_counts_when_any_of_its_turns_is_among_the_first() -> None:
    evidence = Evidence({"a": "x", "c": "y"}, frozenset({"s1", "s2"}), SESSIONS, "")
    scores = ranking_scores(["b", "d"], evidence)
    assert (scores["sr@1"], scores["r@1"]) == (0.5, 0.0)


def test_where_only_sessions_are_known_to_answer_only_sessions_are_looked_for() -> None:
    evidence = Evidence({}, frozenset({"s2"}), SESSIONS, "")
    assert ranking_scores(["a", "c"], evidence) == {
        "sr@1": 0.0,
        "sr@3": 1.0,
        "sr@5": 1.0,
        "sr@10": 1.0,
        "sr@20": 1.0,
        "sr@50": 1.0,
    }


def test_an_empty_ranking_finds_nothing() -> None:
    assert set(ranking_scores([], TWO).values()) == {0.0}


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("Yesterday [2023-05-07] I", "yesterday i"),
        ("last week [2023-05-01..2023-05-07].", "last week."),
        ("in May [2023-05] and [2023]", "in may and"),
        ("line\n   break", "line break"),
        ("keeps [12] and [2023-5-7]", "keeps [12] and [2023-5-7]"),
        ("needs a blank[2023]", "needs a blank[2023]"),
    ],
)
def test_inline_dates_blanks_and_case_do_not_count(text: str, normalised: str) -> None:
    assert normalise(text) == normalised


def test_a_turn_counts_when_its_whole_content_stands_in_the_context() -> None:
    scores = context_scores("[2023-05-08]\n  Ada: I moved\n  Bo: to\n    Utrecht", TWO)
    assert (scores["ctx_full"], scores["ctx_all_full"]) == (1.0, 1.0)


def test_a_turn_that_is_cut_does_not_count_as_whole() -> None:
    scores = context_scores("Ada: I moved\nBo: to Utr…", TWO)
    assert (scores["ctx_full"], scores["ctx_all_full"]) == (0.5, 0.0)


def test_the_prefix_counts_for_a_long_turn_that_is_cut() -> None:
    long = Evidence({"a": "Ada: " + "word " * 60}, frozenset({"s1"}), SESSIONS, "")
    scores = context_scores("Ada: " + "word " * 30, long)
    assert (scores["ctx_prefix"], scores["ctx_full"]) == (1.0, 0.0)


def test_the_answer_counts_only_where_an_evidence_turn_holds_it() -> None:
    assert context_scores("they went to UTRECHT", TWO)["ans_in_ctx"] == 1.0
    assert context_scores("they went home", TWO)["ans_in_ctx"] == 0.0
    elsewhere = Evidence(TURNS, TWO.sessions, SESSIONS, "Paris")
    assert "ans_in_ctx" not in context_scores("Paris", elsewhere)


def test_an_answer_of_two_characters_is_no_answer_to_look_for() -> None:
    assert "ans_in_ctx" not in context_scores("to", Evidence(TURNS, TWO.sessions, SESSIONS, "to"))


def test_means_are_over_the_questions_that_have_the_metric() -> None:
    scored = [{"ctx_full": 1.0, "ans_in_ctx": 1.0}, {"ctx_full": 0.0}, {"ctx_full": 0.0}]
    assert mean_scores(scored) == {"ctx_full": 33.33, "ans_in_ctx": 100.0}


def test_no_question_gives_no_mean() -> None:
    assert mean_scores([]) == {}
