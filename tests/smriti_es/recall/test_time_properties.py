"""What reading time promises for any text, however it is put together."""

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.recall.temporal import annotate, mentions
from smriti_es.recall.windows import question_window
from smriti_es.recall.written_dates import written_dates

# Ends at which nothing can fall off the calendar.
days = st.dates(min_value=date(1000, 1, 1), max_value=date(9000, 12, 31))

MENTIONS = (
    *(
        "yesterday",
        "the day before yesterday",
        "last week",
        "this month",
        "last year",
        "last Friday",
    ),
    *("this weekend", "two weeks ago", "a few days ago", "last summer", "the week before last"),
    *(
        "three Fridays ago",
        "last Christmas",
        "early last month",
        "Friday two weeks ago",
        "last night",
    ),
    *("a decade ago", "half a year ago", "a week ago today", "the other day", "earlier this year"),
)
# None of them says when, what happened first, or whether it was.
UNRELATED = (
    *("blue", "kettle", "river", "with", "Anna", "seven", "mountains", "soup", "quietly", "near"),
    *("piano", "of", "the", "garden", "green", "boats", "coffee", "under", "a", "table"),
)
unrelated = st.lists(st.sampled_from(UNRELATED), max_size=8)

HOSTILE = {
    "blanks": "last" + " " * 20_000 + "week",
    "words that open a form": "last " * 5_000,
    "counts": "two or " * 5_000 + "days ago",
    "digits": "1" * 20_000,
    "digits and marks": "1/2/" * 5_000,
    "dates on end": "3 to 5 to 7 to " * 2_000 + "June",
    "months": "May the " * 4_000,
    "ordinals": "the first of the " * 2_000,
    "joints": "from between March and " * 2_000,
    "nested brackets": "[2023-05-08" * 2_000,
    "apostrophes": "'" * 10_000 + "90s",
    "clauses without end": "in two weeks we did, " * 1_000,
    "line ends": "in\n" * 10_000,
    "weekdays": "Monday to " * 4_000,
    "counts of other languages": "vor drei hace dos il y a un " * 1_000,
    "counts without blanks": "三" * 10_000 + "天前",
    "years without blanks": "2022年5月" * 3_000,
    "blanks of other languages": "il" + " " * 20_000 + "y a",
}


@given(st.sampled_from(MENTIONS), days)
def test_a_window_holds_all_days_of_the_mention_that_a_question_is_about(
    mention: str, now: date
) -> None:
    (found,) = mentions(mention, now)
    for question in ("What did I eat {}?", "{} - what was that?", "Anna sang {} and cooked."):
        window = question_window(question.format(mention), now)
        assert window is not None
        assert window.first <= found.span.first <= found.span.last <= window.last


@given(st.sampled_from(MENTIONS), days)
def test_a_window_that_opens_to_one_side_holds_the_mention_as_well(mention: str, now: date) -> None:
    (found,) = mentions(mention, now)
    for side in ("since", "until", "till"):
        window = question_window(f"What did I eat {side} {mention}?", now)
        assert window is not None
        assert window.first <= found.span.first <= found.span.last <= window.last


@given(st.sampled_from(MENTIONS), days)
def test_before_and_after_share_no_day_with_the_mention(mention: str, now: date) -> None:
    (found,) = mentions(mention, now)
    for side in ("before", "after"):
        window = question_window(f"What did I eat {side} {mention}?", now)
        assert window is not None
        assert not window.overlaps(found.span)


@given(st.sampled_from(MENTIONS), days, unrelated, st.randoms(use_true_random=False))
def test_the_order_of_unrelated_words_changes_nothing(
    mention: str, now: date, words: list[str], random: object
) -> None:
    shuffled = list(words)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for around in (words, shuffled):
        text = f"{' '.join(around)}. We met {mention}, {' '.join(around)}."
        assert [(text[m.start : m.end], m.span) for m in mentions(text, now)] == [
            (mention, mentions(mention, now)[0].span)
        ]
        assert question_window(text, now) == question_window(f"We met {mention}.", now)


@given(st.text(), days)
def test_taking_the_labels_out_again_gives_the_text(text: str, now: date) -> None:
    for noise in (text, f"{text} yesterday {text}", f"{text}last week{text}"):
        annotated, rest = annotate(noise, now, limit=99), ""
        done = 0
        for mention in mentions(noise, now):
            rest += noise[done : mention.end] + f" [{mention.span.label}]"
            done = mention.end
        assert annotated == rest + noise[done:]


@given(
    st.dates(),
    st.sampled_from(
        [f"{day} {month}" for day in (1, 29, 31) for month in ("February", "March", "June")]
    ),
)
def test_a_date_without_a_year_is_the_latest_or_the_next_one(now: date, words: str) -> None:
    (written,) = written_dates(words)
    latest, coming = written.span(now), written.span(now, ahead=True)
    for span, years in ((latest, -9), (coming, 9)):
        if span is not None:
            assert span.first.strftime("%-d %B") == words
            assert (span.first - now).days in range(min(0, 366 * years), max(0, 366 * years) + 1)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    now = date(2023, 5, 8)
    assert question_window(f"What was it in {text}?", now) == question_window(
        f"What was it in {text}?", now
    )
    assert re.sub(r" \[[0-9.-]+\]", "", annotate(text, now, limit=10**6)) == re.sub(
        r" \[[0-9.-]+\]", "", text
    )


@given(st.sampled_from(MENTIONS), st.sampled_from([date.min, date.max, date(1, 1, 8)]))
def test_at_the_ends_of_the_calendar_a_reading_is_right_or_missing(mention: str, now: date) -> None:
    for found in mentions(mention, now):
        assert abs(found.span.first - now) < timedelta(days=366 * 11)
    window = question_window(f"What did I eat {mention}?", now)
    assert window is None or window.first <= window.last
