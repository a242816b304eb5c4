"""Late interaction on arrays: what is compared with what, and what it counts for."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.embedders.tokens import TokenVectors
from smriti_es.projections.vectors.token_rows import TokenRows, quantised
from smriti_es.recall.late_interaction import (
    AskedTokens,
    asked_tokens,
    late_candidates,
    late_scores,
    nearest,
)
from smriti_es.recall.surroundings import of_neighbours
from smriti_es.recall.visible import VisibleTurns
from smriti_es.recall.weights import RecallSettings

EAST, NORTH, NORTHEAST = [1.0, 0.0], [0.0, 1.0], [0.5**0.5, 0.5**0.5]


def turns_in(sessions: Sequence[int], ordinals: Sequence[int]) -> VisibleTurns:
    count = len(sessions)
    return VisibleTurns(
        positions=np.arange(10, 10 + count, dtype=np.int64),
        lengths=np.full(count, 5, np.int32),
        sessions=np.array(sessions, np.int64),
        ordinals=np.array(ordinals, np.int32),
        said_at=np.zeros(count, np.int64),
        roles=np.zeros(count, np.int8),
        speakers=np.full(count, -1, np.int32),
        dateish=np.zeros(count, np.bool_),
        speaker_names=(),
    )


def asked(*vectors: list[float], weights: Sequence[float]) -> AskedTokens:
    whole = quantised(np.array(vectors, np.float32))
    return AskedTokens(whole, np.linalg.norm(whole.astype(float), axis=1), np.array(weights))


def rows(*turns: list[list[float]]) -> TokenRows:
    counts = [len(turn) for turn in turns]
    starts = np.cumsum([0, *counts[:-1]])
    tokens = quantised(np.array([token for turn in turns for token in turn], np.float32))
    return TokenRows(np.arange(len(turns)), starts, tokens)


def test_each_token_of_a_question_takes_its_nearest_in_every_turn() -> None:
    found = nearest(
        asked(EAST, NORTH, weights=[0.5, 0.5]), rows([EAST, NORTHEAST], [NORTH], [NORTHEAST])
    )
    assert found.tolist() == [
        pytest.approx([1.0, 0.5**0.5], abs=1e-6),
        [0.0, 1.0],
        pytest.approx([0.5**0.5] * 2, abs=1e-6),
    ]


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_a_comparison_does_not_depend_on_what_else_is_compared(seed: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    question = asked(*chance.normal(size=(7, 128)).tolist(), weights=[1 / 7] * 7)
    turns = [chance.normal(size=(chance.integers(1, 9), 128)).tolist() for _ in range(count)]
    alone = [nearest(question, rows(turn))[0].tolist() for turn in turns]
    assert nearest(question, rows(*turns)).tolist() == alone


def test_a_word_counts_as_it_is_rare_and_its_pieces_share_that() -> None:
    question = "Where is the telescope?"
    spans = ((0, 5), (6, 8), (9, 12), (13, 17), (17, 22))
    tokens = TokenVectors(np.ones((5, 4), np.float32), spans)
    weights = asked_tokens(
        question, tokens, ["telescop"], lambda term: 9.0, RecallSettings(common_token=1.0)
    ).weights
    assert weights.sum() == pytest.approx(1.0)
    assert (weights / weights[0]).tolist() == pytest.approx([1.0, 1.0, 1.0, 4.0, 5.0])


def test_a_match_in_the_turn_before_or_after_counts_a_little_less() -> None:
    turns = turns_in([1, 1, 1, 2], [0, 1, 3, 0])
    matches = np.array([[1.0, 0.0], [0.0, 0.5], [0.0, 0.0], [0.2, 0.2]], np.float32)
    settings = RecallSettings(late_adjacent=0.8)
    found = late_scores(np.arange(4), matches, np.array([0.5, 0.5]), turns, settings)
    # The third turn does not follow the second, and the fourth is of another session.
    assert found.tolist() == pytest.approx([0.7, 0.65, 0.0, 0.2])


def test_what_has_no_token_vectors_is_not_scored_by_its_neighbours() -> None:
    turns = turns_in([1, 1], [0, 1])
    matches = np.array([[np.nan], [0.5]], np.float32)
    found = late_scores(np.arange(2), matches, np.ones(1), turns, RecallSettings())
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(0.5)


def test_the_best_are_compared_and_what_stands_beside_the_very_best() -> None:
    turns = turns_in([1] * 6, range(6))
    candidates, scores = np.array([0, 2, 5]), np.array([0.1, 0.9, 0.5])
    settings = RecallSettings(late_depth=2, late_beside=1)
    assert late_candidates(candidates, scores, turns, settings).tolist() == [1, 2, 3, 5]


def test_facts_are_compared_beside_the_turns_and_do_not_crowd_them_out() -> None:
    turns = turns_in([1, -3, -4, 1], [0, 0, 0, 1])
    settings = RecallSettings(late_depth=1, late_beside=0)
    found = late_candidates(np.arange(4), np.array([0.2, 0.9, 0.8, 0.3]), turns, settings)
    assert found.tolist() == [1, 3]


def test_facts_among_the_turns_do_not_part_neighbours() -> None:
    turns = turns_in([1, 1, 2, 1], [0, 1, 0, 2])
    rows_with_facts = turns_in([1, -4, 1, 2, -5, 1], [0, 0, 1, 0, 0, 2])
    rows_with_facts.read_as(turns)
    before, after = rows_with_facts.adjacent(np.arange(6))
    assert before.tolist() == [-1, -1, 0, -1, -1, 2]
    assert after.tolist() == [2, -1, 5, -1, -1, -1]


def test_the_better_neighbour_counts_and_a_fact_stands_for_its_own() -> None:
    turns = turns_in([1, 1, 1, -4], [0, 1, 2, 0])
    found = of_neighbours(np.arange(4), np.array([0.2, 0.5, 0.9, 0.4]), turns)
    assert found.tolist() == [0.5, 0.9, 0.5, 0.4]
