"""Numbers, and names that hold a mark, as terms of the full-text index."""

import pytest

from smriti_es.projections.lexical.analysis import terms


def test_numbers_are_kept_whatever_their_digits() -> None:
    assert terms("room 42, ٤٢, ４２") == ["room", "42", "42", "42"]


@pytest.mark.parametrize(
    "number",
    ["1,234,567", "1.234.567", "1'234'567", "1_234_567", "1\u00a0234\u00a0567", "12,34,567"],
)
def test_a_number_is_found_however_its_digits_are_grouped(number: str) -> None:
    assert "1234567" in terms(f"It cost {number} in all.")


def test_arabic_separators_group_digits_as_well() -> None:
    assert terms("١٬٢٣٤") == ["1234"]


def test_a_group_of_digits_that_may_be_a_decimal_is_both() -> None:
    assert terms("1.234") == ["1_234", "1", "234", "1234"]
    assert terms("v1.234 1.5") == ["v1_234", "v1", "234", "1_5", "1", "5"]


def test_languages_named_by_a_letter_and_a_mark_are_words() -> None:
    assert terms("C++ and C#, not C") == ["cplusplus", "and", "csharp", "not", "c"]
    assert terms("issue #12, a++b, ##") == ["issu", "12", "a", "b"]


def test_digit_groups_are_one_number() -> None:
    assert terms("1,000 and 1,000,000 or 1,2") == ["1000", "and", "1000000", "or", "1", "2"]
