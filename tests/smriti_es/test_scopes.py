"""A scope has one spelling, and several of them are one text in one order."""

import pytest

from smriti_es.events.errors import InvalidInput
from smriti_es.scopes import checked_scope, joined_scopes, scope_parts


@pytest.mark.parametrize(
    ("given", "checked"),
    [
        ("", ""),
        ("  ", ""),
        (" project :  Atlas  two ", "project:Atlas two"),
        ("trip:Azores & project:Atlas", "project:Atlas & trip:Azores"),
        ("trip:b & trip:a & Trip:B", "trip:a & trip:b"),
        ("project:R & D", "project:R & D"),
        ("project:R & D & trip:Azores", "project:R & D & trip:Azores"),
        ("url:https://example.org/a&b", "url:https://example.org/a&b"),
    ],
)
def test_a_scope_has_one_spelling(given: str, checked: str) -> None:
    assert checked_scope(given) == checked
    assert checked_scope(checked) == checked


@pytest.mark.parametrize(
    ("scope", "parts"),
    [
        ("", ()),
        ("project:Atlas", ("project:Atlas",)),
        ("project:R & D", ("project:R & D",)),
        ("project:R & D & trip:Azores", ("project:R & D", "trip:Azores")),
        ("a:1 & b:2 & c:3", ("a:1", "b:2", "c:3")),
    ],
)
def test_a_scope_gives_back_what_it_consists_of(scope: str, parts: tuple[str, ...]) -> None:
    assert scope_parts(scope) == parts
    assert joined_scopes(parts) == scope


@pytest.mark.parametrize(
    "given", ["Atlas", "project:", ":Atlas", "date:2026-06-02", "a:1 & date:2026", "p:" + "x" * 199]
)
def test_what_is_no_scope_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput):
        checked_scope(given)
