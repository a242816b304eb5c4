"""The LoCoMo bench from the file to the figures, on two tiny conversations."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bench.__main__ import app, numbers
from bench.locomo_data import load_locomo
from bench.recall_command import recall_settings
from bench.recall_run import QuestionResult, run_questions, summary, texts_to_embed
from bench.synthetic import WordVectors
from bench.timed_embedder import TimedEmbedder
from smriti_es import Settings
from smriti_es.embedders import FloatMatrix


def run(path: Path) -> list[QuestionResult]:
    return run_questions(
        load_locomo(path),
        TimedEmbedder(WordVectors()),
        settings=Settings(embed_in_background=False),
        budgets=(300, 3_000),
        progress=lambda *_: None,
    )


def test_each_question_is_asked_of_its_own_conversation(locomo_file: Path) -> None:
    assert [(r.conversation, r.question) for r in run(locomo_file)] == [
        ("conv-26", 0),
        ("conv-26", 1),
        ("conv-26", 2),
        ("conv-30", 0),
    ]


def test_what_is_said_in_so_many_words_is_found(locomo_file: Path) -> None:
    results = run(locomo_file)
    assert results[1].ranking["r@1"] == 1.0
    assert results[1].contexts[3_000] == {
        "ctx_full": 1.0,
        "ctx_all_full": 1.0,
        "ctx_prefix": 1.0,
        "ans_in_ctx": 1.0,
    }


def test_a_question_without_evidence_is_asked_but_not_scored(locomo_file: Path) -> None:
    result = run(locomo_file)[2]
    assert not result.scored
    assert result.characters[3_000] > 0


def test_contexts_keep_within_their_budgets(locomo_file: Path) -> None:
    results = run(locomo_file)
    assert all(size <= budget for r in results for budget, size in r.characters.items())


def test_everything_that_is_said_and_asked_is_listed_to_be_embedded_beforehand(
    locomo_file: Path,
) -> None:
    asked: list[str] = []

    class Listening(WordVectors):
        def embed(self, texts: Sequence[str]) -> FloatMatrix:
            asked.extend(texts)
            return super().embed(texts)

    conversations = load_locomo(locomo_file)
    run_questions(
        conversations,
        TimedEmbedder(Listening()),
        settings=Settings(embed_in_background=False),
        budgets=(300,),
        progress=lambda *_: None,
        facts=False,
    )
    assert set(asked) == set(texts_to_embed(conversations))


def test_figures_hold_quality_by_category_and_latency(locomo_file: Path) -> None:
    results = run(locomo_file)[:3]
    figures = summary(results, (300, 3_000), [0.005, 0.006, 0.007])
    assert (figures["questions"], figures["scored"]) == (3, 2)
    assert figures["categories"]["single-hop"]["ranking"]["r@1"] == 100.0
    assert list(figures["categories"]) == ["multi-hop", "single-hop", "temporal"]
    assert figures["categories"]["temporal"] == {
        "scored": 0,
        "ranking": {},
        "context": {"300": {}, "3000": {}},
    }
    assert figures["latency_ms"]["question_embedding"] == {"p50": 6.0, "p95": 7.0}
    alone = figures["latency_ms"]["search+context@300"]["p50"]
    assert figures["latency_ms"]["search+context@300_with_embedding"]["p50"] >= alone + 5.0
    assert json.loads(json.dumps(figures)) == figures


def test_a_weight_is_changed_by_its_name_and_keeps_its_type() -> None:
    changed = recall_settings({"depth": 50.0, "session": 0.5})
    assert (changed.depth, changed.session) == (50, 0.5)
    assert type(changed.depth) is int


def test_an_unknown_weight_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match=r"'sesion'.*session"):
        recall_settings({"sesion": 0.5})


@pytest.mark.parametrize(
    "arguments",
    [
        ["--budgets", "many"],
        ["--budgets", "0"],
        ["--weight", "nothing=1"],
        ["--weight", "session"],
        ["--split", "train"],
    ],
)
def test_arguments_that_cannot_be_used_are_refused(arguments: list[str], locomo_file: Path) -> None:
    done = CliRunner().invoke(app, ["locomo", "--data", str(locomo_file), *arguments])
    assert done.exit_code == 2


def test_numbers_are_read_with_commas_between() -> None:
    assert numbers("1000,10_000") == [1_000, 10_000]
