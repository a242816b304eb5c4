"""A turn supports a fact only by words that stand in it."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.extraction.contract import Evidence, SourceTurn
from smriti_es.extraction.evidence import QUOTE_LENGTH_MAX, EvidenceFinder, find_quote

Turns = Callable[..., list[SourceTurn]]


@pytest.fixture
def finder(turns: Turns) -> EvidenceFinder:
    """Four turns, numbered from 1, at the positions 10 to 13."""
    said = turns(
        "Hello! I live in Hyderabad. It is hot.",
        ("assistant", None, "Where do you work, then?"),
        ("tool", None, "Ana's employer is Acme."),
        "At Acme, since May.",
    )
    return EvidenceFinder(dict(enumerate(said, start=1)))


@pytest.mark.parametrize(
    ("quote", "text", "span"),
    [
        ("I live in Pune", "Yes, I live in Pune now.", "I live in Pune"),
        ("i LIVE in pune", "Yes, I live in Pune now.", "I live in Pune"),
        ("I live in Pune", "Yes, I  live\nin Pune now.", "I  live\nin Pune"),
        ("I  live\tin", "I live in Pune.", "I live in"),
        ("\u201cI live in Pune.\u201d", "I live in Pune, you know", "I live in Pune"),
        ("I don't", "I don\u2019t know", "I don\u2019t"),
        ("...in Pune...", "I live in Pune.", "in Pune"),
        ("\u2026in Pune\u2026", "I live in Pune.", "in Pune"),
        ("art", "I start", None),
        ("a+b", "so a+b it is", "a+b"),
        ("\u5317\u4eac", "\u6211\u4f4f\u5728\u5317\u4eac\u3002", "\u5317\u4eac"),
        ("I live in Goa", "I live in Pune", None),
        ("", "I live in Pune", None),
        (" .\u2026!", "I live in Pune ... !", None),
    ],
)
def test_a_quote_is_found_whatever_its_white_space(quote: str, text: str, span: str | None) -> None:
    assert find_quote(quote, text) == span


@given(st.text(), st.text())
def test_a_found_quote_stands_in_the_text(quote: str, text: str) -> None:
    span = find_quote(quote, text)
    assert span is None or span in text


def test_the_quote_is_the_evidence_in_the_turn_that_is_named(finder: EvidenceFinder) -> None:
    support = finder.support([1], "i live in  hyderabad", "The user lives in Hyderabad")
    assert support.evidence == (Evidence(10, "I live in Hyderabad"),)
    assert not support.quote_replaced


def test_a_quote_that_does_not_stand_there_gives_way_to_the_best_sentence(
    finder: EvidenceFinder,
) -> None:
    support = finder.support([1], "my home is Hyderabad", "The user lives in Hyderabad")
    assert support.evidence == (Evidence(10, "I live in Hyderabad."),)
    assert support.quote_replaced


def test_without_a_quote_the_best_sentence_is_the_evidence(finder: EvidenceFinder) -> None:
    support = finder.support([1], "", "The user lives in Hyderabad")
    assert support.evidence == (Evidence(10, "I live in Hyderabad."),)
    assert not support.quote_replaced


def test_the_turn_of_the_quote_counts_even_if_another_is_named(finder: EvidenceFinder) -> None:
    # Else a model could pass off the words of a tool as those of the user.
    support = finder.support([1], "Ana's employer is Acme", "Ana works at Acme")
    assert support.evidence == (Evidence(12, "Ana's employer is Acme"),)


def test_a_named_turn_that_shares_no_word_is_no_evidence(finder: EvidenceFinder) -> None:
    support = finder.support([1, 4], "At Acme", "The user works at Acme")
    assert support.evidence == (Evidence(13, "At Acme"),)


def test_question_and_answer_support_a_fact_together(finder: EvidenceFinder) -> None:
    support = finder.support([2, 4], "At Acme, since May", "The user works at Acme")
    assert support.evidence == (
        Evidence(11, "Where do you work, then?"),
        Evidence(13, "At Acme, since May"),
    )


def test_the_time_of_the_quoted_turn_counts(finder: EvidenceFinder, turns: Turns) -> None:
    fourth = turns("", "", "", "")[3]
    support = finder.support([1, 4], "At Acme", "The user works at Acme in Hyderabad")
    assert [each.turn for each in support.evidence] == [10, 13]
    assert support.said_at == fourth.said_at


def test_words_that_stand_in_no_turn_have_no_support(finder: EvidenceFinder) -> None:
    assert finder.support([1], "my password is hunter2", "The password is hunter2").evidence == ()


@pytest.mark.parametrize(
    ("references", "invented"),
    [([99], ("99",)), ([0], ("0",)), ([-1], ("-1",)), (["x", True, 1.5], ("x", "True", "1.5"))],
)
def test_a_model_that_names_only_invented_turns_is_not_believed(
    finder: EvidenceFinder, references: list[Any], invented: tuple[str, ...]
) -> None:
    support = finder.support(references, "I live in Hyderabad", "The user lives in Hyderabad")
    assert support.evidence == ()
    assert support.invented == invented


def test_invented_turns_beside_real_ones_are_left_out(finder: EvidenceFinder) -> None:
    support = finder.support([7, -1, "1", None], "", "The user lives in Hyderabad")
    assert support.evidence == (Evidence(10, "I live in Hyderabad."),)
    assert support.invented == ("7", "-1")


@pytest.mark.parametrize("references", [1, 1.0, "1", "turn 1", "#1", ["Turn 1"], [1, 1.0, "1"]])
def test_a_number_of_a_turn_is_understood_in_any_form(
    finder: EvidenceFinder, references: object
) -> None:
    support = finder.support(references, "", "The user lives in Hyderabad")
    assert support.evidence == (Evidence(10, "I live in Hyderabad."),)


@pytest.mark.parametrize("references", [None, [], "", [None]])
def test_a_model_that_names_no_turn_is_believed_where_half_of_the_words_stand(
    finder: EvidenceFinder, references: object
) -> None:
    assert finder.support(references, "", "lives in Hyderabad").evidence == (
        Evidence(10, "I live in Hyderabad."),
    )
    assert finder.support(references, "", "owns two large houses near Hyderabad").evidence == ()
    assert finder.support(references, "", "of the").evidence == ()


def test_a_model_that_names_no_turn_but_quotes_one_is_believed(finder: EvidenceFinder) -> None:
    support = finder.support(None, "It is hot", "Hyderabad has a warm climate")
    assert support.evidence == (Evidence(10, "It is hot"),)


def test_equally_likely_turns_all_count_so_that_the_least_trusted_decides(turns: Turns) -> None:
    said = turns("I live in Pune.", ("tool", None, "They live in Pune."))
    support = EvidenceFinder(dict(enumerate(said))).support(None, "", "lives in Pune")
    assert [each.turn for each in support.evidence] == [10, 11]


def test_no_more_than_eight_turns_support_a_fact(turns: Turns) -> None:
    said = dict(enumerate(turns(*["I live in Pune."] * 20), start=1))
    support = EvidenceFinder(said).support(list(range(1, 21)), "", "lives in Pune")
    assert [each.turn for each in support.evidence] == list(range(10, 18))


def test_a_long_quote_and_a_long_sentence_are_cut(turns: Turns) -> None:
    text = "word " * 2000
    finder = EvidenceFinder({1: turns(text)[0]})
    quoted = finder.support([1], text[: QUOTE_LENGTH_MAX + 300], "a word").evidence[0].quote
    chosen = finder.support([1], "", "a word").evidence[0].quote
    assert quoted == text[:QUOTE_LENGTH_MAX]
    assert len(chosen) <= 400
    assert chosen in text


@given(st.recursive(st.none() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_no_reference_breaks_the_search(references: object) -> None:
    turn = SourceTurn(10, "user", None, "I live in Pune.", 0, "owner")
    support = EvidenceFinder({1: turn}).support(references, "in Pune", "lives in Pune")
    assert {each.turn for each in support.evidence} <= {10}
