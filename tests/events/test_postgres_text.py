"""Every text survives PostgreSQL, which takes no U+0000, in order and without false finds."""

from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.postgres_text import read_back, written

# Dense in the characters that are written in another way.
TEXT = st.text(st.one_of(st.sampled_from("\x00\x01\x02\x03a"), st.characters(codec="utf-8")))


@given(TEXT)
def test_what_is_written_holds_no_nul_and_is_read_back_as_it_was(text: str) -> None:
    assert "\x00" not in written(text)
    assert read_back(written(text)) == text


@given(TEXT, TEXT)
def test_texts_stay_in_the_order_of_their_code_points(one: str, other: str) -> None:
    assert (written(one) < written(other)) == (one < other)


@given(TEXT, TEXT.filter(bool))
def test_a_text_occurs_in_another_exactly_when_it_did_before(text: str, part: str) -> None:
    assert (written(part) in written(text)) == (part in text)


def test_a_text_without_control_characters_is_written_as_it_is() -> None:
    assert written("naïve 😀 𝒳") == "naïve 😀 𝒳"
    assert written("two\nlines") == "two\nlines"
