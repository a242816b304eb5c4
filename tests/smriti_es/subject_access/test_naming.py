"""Where a name stands in a text."""

import pytest

from smriti_es.events.catalogue import TurnRecorded
from smriti_es.subject_access.naming import Person


def person(*names: str) -> Person:
    return Person(frozenset(names))


def turn(text: str, *, role: str = "user", name: str | None = None) -> TurnRecorded:
    return TurnRecorded(session=0, ordinal=0, origin="owner", role=role, text=text, name=name)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Ann called.", True),
        ("I met ANN's sister", True),
        ("write to ann_lee@example.org", True),
        ("Anna called.", False),
        ("a plan for Joann", False),
        ("Ann2 is a robot", False),
        ("", False),
    ],
)
def test_a_name_counts_as_words_of_its_own(text: str, named: bool) -> None:
    assert person("ann").is_named_in(text) is named


def test_a_name_of_several_words_is_found_over_a_line_break() -> None:
    assert person("mary ann lee").is_named_in("It was Mary\n  Ann Lee.")


def test_a_name_is_found_in_every_unicode_form() -> None:
    assert person("zoé").is_named_in("ZOE\u0301 called")


@pytest.mark.parametrize("text", ["田中さんが来た", "昨日田中は休み"])
def test_a_name_in_a_script_without_spaces_is_found_within_a_run(text: str) -> None:
    assert person("田中").is_named_in(text)


def test_a_name_is_found_in_maps_and_lists_at_any_depth() -> None:
    ann = person("ann")
    assert ann.is_named_in(turn("-", name=None)) is False
    assert ann.is_named_in({"calls": [{"arguments": {"to": "Ann"}}]})
    assert ann.is_named_in({"Ann": 1})


def test_the_name_of_a_role_is_nobody_in_a_text() -> None:
    assert not person("user").is_named_in("the user said so")
    assert person("user", "mira").is_named_in("Mira, the user, said so")


def test_a_turn_is_said_by_its_speaker_else_by_whom_it_begins_with_else_by_its_role() -> None:
    assert person("ann").says(turn("Tom: no", name="Ann"))
    assert person("tom").says(turn("Tom: no"))
    assert person("user").says(turn("no"))
    assert person("assistant").says(turn("no", role="assistant"))
    assert not person("user").says(turn("Tom: no"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("It rained. Ann came! Then we ate. Tom left.", "[…] Ann came! […]"),
        ("Ann came.\nTom left.\nAnn stayed.", "Ann came. […] Ann stayed."),
        ("Nobody came.", "[…]"),
        ("", ""),
    ],
)
def test_the_sentences_that_name_somebody_are_left(text: str, left: str) -> None:
    assert person("ann").sentences_in(text) == left


def test_a_name_with_a_point_in_it_is_not_lost_between_two_sentences() -> None:
    text = "We ate. I met J. R. Smith there. We left."
    assert person("j. r. smith").sentences_in(text) == "[…] I met J. R. Smith there. […]"
