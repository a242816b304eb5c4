"""The generator of conversations."""

import numpy as np

from bench.synthetic import (
    DIMENSION,
    WordVectors,
    last_instant,
    synthetic_questions,
    synthetic_sessions,
)


def test_a_smaller_number_of_turns_is_a_beginning_of_a_larger_one() -> None:
    assert list(synthetic_sessions(50)) == list(synthetic_sessions(100))[:5]


def test_the_last_session_is_cut_to_the_number_of_turns() -> None:
    assert [len(session.turns) for session in synthetic_sessions(23)] == [10, 10, 3]


def test_turns_have_about_190_characters() -> None:
    lengths = [len(turn.text) for session in synthetic_sessions(2_000) for turn in session.turns]
    assert 180 <= sum(lengths) / len(lengths) <= 200


def test_words_are_common_and_rare_as_in_a_language() -> None:
    words: dict[str, int] = {}
    for session in synthetic_sessions(2_000):
        for turn in session.turns:
            for word in turn.text.lower().split():
                words[word] = words.get(word, 0) + 1
    counts = sorted(words.values(), reverse=True)
    assert counts[0] > 500
    assert sum(count == 1 for count in counts) > len(counts) / 4


def test_turns_are_said_in_order() -> None:
    instants = [turn.at for session in synthetic_sessions(40) for turn in session.turns]
    assert instants == sorted(instants)
    assert instants[-1] < last_instant(40)


def test_questions_are_the_same_every_time_and_ask_of_what_was_said() -> None:
    questions = synthetic_questions(40, 100)
    assert questions == synthetic_questions(40, 100)
    said = {
        word.strip(".") for s in synthetic_sessions(100) for t in s.turns for word in t.text.split()
    }
    asked = [set(question.strip("?").split()) & said for question in questions]
    assert all(asked)
    assert sum("2023" in question for question in questions) == 5


def test_word_vectors_have_unit_length_and_bring_shared_words_together() -> None:
    vectors = WordVectors().embed(["red kite in the wind", "a red kite", "quarterly tax form"])
    assert vectors.shape == (3, DIMENSION)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
