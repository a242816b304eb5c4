"""A cross-encoder in a folder: question and text are read together, in this process."""

from collections.abc import Callable
from math import exp, isnan
from pathlib import Path

import pytest

from smriti_es.events.errors import InvalidInput, NotFound, RerankerError
from smriti_es.rerankers import OnnxReranker

Judge = Callable[..., Path]


def logistic(number: float) -> float:
    return 1.0 / (1.0 + exp(-number))


def test_question_and_text_are_one_input(tiny_judge: Judge) -> None:
    found = OnnxReranker(tiny_judge()).rerank("tea", ["tea", "kite", "tea tea kite"])
    assert found == pytest.approx([logistic(4.0), logistic(0.0), logistic(2.0)])


def test_of_two_numbers_the_second_speaks_for_the_text(tiny_judge: Judge) -> None:
    table = [[0.0, 0.0], [1.0, 4.0], [3.0, -1.0], [0.0, 0.0]]
    found = OnnxReranker(tiny_judge(table)).rerank("", ["tea", "kite"])
    assert found[0] == pytest.approx(logistic(3.0))
    assert found[1] == pytest.approx(logistic(-4.0))


def test_a_text_scores_the_same_whatever_else_is_judged(tiny_judge: Judge) -> None:
    judge = OnnxReranker(tiny_judge(), threads=2)
    alone = [judge.rerank("tea", [text])[0] for text in ("kite", "tea kite")]
    assert judge.rerank("tea", ["kite", "tea kite"]) == alone


def test_nothing_is_loaded_for_no_texts(tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_text("no model")
    assert OnnxReranker(tmp_path).rerank("tea", []) == []


def test_the_longer_side_is_cut_to_the_limit(tiny_judge: Judge) -> None:
    judge = OnnxReranker(tiny_judge(), max_tokens=2)
    assert judge.rerank("tea", ["kite tea tea tea"]) == pytest.approx([logistic(0.0)])


def test_a_model_that_gives_no_number_says_so_by_giving_none(tiny_judge: Judge) -> None:
    (score,) = OnnxReranker(tiny_judge()).rerank("tea", ["odd"])
    assert score is not None
    assert isnan(score)


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(tiny_judge: Judge, missing: str) -> None:
    folder = tiny_judge()
    (folder / missing).unlink()
    with pytest.raises(NotFound, match=missing):
        OnnxReranker(folder)


def test_a_damaged_model_is_an_error_of_the_reranker(tiny_judge: Judge) -> None:
    folder = tiny_judge()
    (folder / "model.onnx").write_bytes(b"\x00")
    with pytest.raises(RerankerError, match="cannot be loaded"):
        OnnxReranker(folder).rerank("tea", ["tea"])


def test_a_model_with_too_many_classes_is_refused(tiny_judge: Judge) -> None:
    folder = tiny_judge([[0.0] * 3] * 4)
    with pytest.raises(RerankerError, match="gives 3 numbers"):
        OnnxReranker(folder).rerank("tea", ["tea"])


def test_an_input_that_no_tokenizer_gives_is_refused(tiny_judge: Judge) -> None:
    folder = tiny_judge(inputs=("input_ids", "pixel_values"))
    with pytest.raises(RerankerError, match="pixel_values"):
        OnnxReranker(folder).rerank("tea", ["tea"])


def test_a_number_out_of_range_is_refused(tiny_judge: Judge) -> None:
    with pytest.raises(InvalidInput, match="max_tokens=0"):
        OnnxReranker(tiny_judge(), max_tokens=0)
