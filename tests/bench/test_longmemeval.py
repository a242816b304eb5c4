"""LongMemEval's form from the file to the figures, on three small questions of our own."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.conversations import SpokenTurn
from bench.longmemeval_data import load_longmemeval, question_time
from bench.recall_run import QuestionResult, run_questions, summary
from bench.synthetic import WordVectors
from bench.timed_embedder import TimedEmbedder
from smriti_es import Settings

SAMPLE = Path(__file__).with_name("longmemeval.json")


@pytest.fixture(scope="module")
def results() -> Iterator[list[QuestionResult]]:
    """What became of the three questions."""
    yield run_questions(
        load_longmemeval(SAMPLE),
        TimedEmbedder(WordVectors()),
        settings=Settings(embed_in_background=False),
        budgets=(3_000,),
        progress=lambda *_: None,
    )


def test_a_time_is_read_as_utc_without_its_weekday() -> None:
    assert question_time("2023/05/30 (Tue) 23:40") == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)


def test_sessions_are_remembered_in_the_order_in_which_they_took_place() -> None:
    first = load_longmemeval(SAMPLE)[0]
    assert [session.name for session in first.sessions] == ["1:a", "0:b", "2:a"]
    assert first.now == datetime(2025, 3, 9, 10, 0, tzinfo=UTC)


def test_a_turn_keeps_its_role_and_a_blank_one_is_left_out() -> None:
    gloves = load_longmemeval(SAMPLE)[0].sessions[0]
    assert gloves.turns == (
        SpokenTurn("1:0", "Which gloves keep out the heat?"),
        SpokenTurn("1:1", "Leather ones with long cuffs.", "assistant"),
    )


def test_what_answers_is_named_by_turn_and_by_session() -> None:
    marked, unmarked, abstains = (c.questions[0] for c in load_longmemeval(SAMPLE))
    assert (marked.evidence, marked.sessions) == (("0:0",), frozenset({"0:b"}))
    assert (unmarked.evidence, unmarked.sessions) == ((), frozenset({"0:a"}))
    assert (abstains.evidence, abstains.sessions) == ((), frozenset())
    assert [q.category for q in (marked, unmarked, abstains)] == [
        "single-session-user",
        "single-session-assistant",
        "abstention",
    ]


@pytest.mark.parametrize(("count", "names"), [(1, ["kiln-1"]), (2, ["kiln-1", "kiln-2"])])
def test_fewer_questions_are_spread_over_the_file(count: int, names: list[str]) -> None:
    assert [c.name for c in load_longmemeval(SAMPLE, at_most=count)] == names


def test_a_session_without_a_time_is_refused(tmp_path: Path) -> None:
    samples: list[dict[str, Any]] = json.loads(SAMPLE.read_text("utf-8"))
    samples[0]["haystack_dates"].pop()
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(samples), "utf-8")
    with pytest.raises(ValueError, match="shorter"):
        load_longmemeval(broken)


def test_what_was_said_in_so_many_words_is_found(results: list[QuestionResult]) -> None:
    assert (results[0].ranking["r@1"], results[0].ranking["sr@1"]) == (1.0, 1.0)
    assert results[0].contexts[3_000]["ctx_full"] == 1.0


def test_sessions_alone_are_scored_where_no_turn_is_marked(results: list[QuestionResult]) -> None:
    assert results[1].ranking["sr@1"] == 1.0
    assert "r@1" not in results[1].ranking
    assert results[1].contexts[3_000] == {}


def test_a_question_that_nothing_answers_is_asked_but_not_scored(
    results: list[QuestionResult],
) -> None:
    assert not results[2].scored
    figures = summary(results, (3_000,), [0.001] * 3)
    assert (figures["questions"], figures["scored"]) == (3, 2)
    assert figures["categories"]["abstention"]["scored"] == 0
