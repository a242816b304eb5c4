"""The form in which names are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.key_form import key_form


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("Rachel", "rachel"),
        ("  Acme\t Corp ", "acme corp"),
        ("CAFE\u0301", "caf\u00e9"),
        ("Stra\u00dfe", "strasse"),
        ("\u3000", ""),
    ],
)
def test_spellings_of_one_name_have_one_form(name: str, form: str) -> None:
    assert key_form(name) == form


@given(st.text(st.characters(max_codepoint=127), max_size=12))
def test_a_name_in_ascii_gets_the_form_that_it_has_beside_other_letters(name: str) -> None:
    assert key_form(f"\u00e9 {name}") == f"\u00e9 {key_form(name)}".rstrip()
