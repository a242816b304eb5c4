"""Which texts name a date, for the boost of "when" questions."""

import pytest

from smriti_es.recall.temporal import mentions_a_date


@pytest.mark.parametrize(
    "text",
    [
        "We moved in 2019.",
        "It was january.",
        "On SUNDAY we rest",
        "Any plans for the weekend?",
        "yesterday",
        "I leave tomorrow",
        "tonight!",
        "not today",
        "a long time ago",
        "last week was fun",
        "Last night we danced",
        "the 5th of may",
        "in may",
        "since May",
        "May 3rd",
        "may 3rd",
        "May 3",
        "on march 5",
        "March 2023",
        "It was March.",
        "Our May trip",
        "early march",
        "3 Sep",
        "sept 4",
        "Oct. 2023",
        "my birthday is on Dec 5",
    ],
)
def test_text_with_a_date_word_mentions_a_date(text: str) -> None:
    assert mentions_a_date(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "You may go now.",
        "May I ask you something?",
        "YOU MAY NOT PASS",
        "We march for peace.",
        "March on, friends!",
        "They will march 10 miles",
        "This may be it",
        "I saw the mayor marching",
        "room 1234 or 20199",
        "a dragon in Chicago",
        "the sun sat on the sea",
        "weekly plans",
        "this will last weeks",
    ],
)
def test_text_without_a_date_word_mentions_none(text: str) -> None:
    assert not mentions_a_date(text)
