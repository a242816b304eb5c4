"""What `mentions` and `annotate` promise for any text and any day."""

import re
from datetime import UTC, date, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.instants import parse_instant
from smriti_es.recall.calendar_words import folded
from smriti_es.recall.temporal import Mention, Span, annotate, local_date, mentions
from smriti_es.recall.windows import question_window

MONDAY = date(2023, 5, 8)

# The metric of the LoCoMo bench takes exactly these forms out of a context before it compares.
LABEL = re.compile(r"\d{4}-\d{2}-\d{2}(?:\.\.\d{4}-\d{2}-\d{2})?|\d{4}-\d{2}|\d{4}")

# Pieces that make, bound, extend or break a mention, to be put together in any order.
WORDS = (
    *("yesterday", "today", "tonight", "tomorrow", "last", "this", "next", "past", "coming", "ago"),
    *("day", "night", "morning", "week", "weeks", "weekend", "month", "year", "years", "fortnight"),
    *("quarter", "spring", "summer", "fall", "winter", "monday", "Friday", "fri", "christmas"),
    *("March", "May", "june", "a", "few", "couple", "of", "half", "and", "or", "to", "two", "3"),
    *("twenty-five", "first", "second", "the", "other", "in", "from", "now", "since", "until"),
    *("between", "before", "after", "early", "mid", "late", "end", "earlier", "later", "time"),
    *("lost", "will", "is", "my", "2019", "2023-05-08", "29", "February", "31", "q2", "[2023]"),
    *("last week", "this past", "two weeks ago", "a year ago", "over a year ago", "in two weeks"),
    *("the week before last", "on Friday", "a week from", "end of this month", "since March"),
    *("gestern", "morgen", "letzte Woche", "vor drei", "Tagen", "hace dos", "días", "mañana"),
    *(
        "в прошлом году",
        "три недели",
        "назад",
        "昨天",
        "上周",
        "五",
        "三",
        "日",
        "前",
        "어제",
        "前年",
    ),
    *(".", ",", "!", "'", "'s", "\u2019s", "-", "\u2013", "\n", "\u0130"),
)

anchors = st.dates() | st.sampled_from([date.min, date.max, date(2024, 2, 29), date(1, 1, 2)])
texts = st.text() | st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


def test_mention_carries_offsets_and_span() -> None:
    text = "So, last weekend we hiked; two days ago it rained."
    found = mentions(text, MONDAY)
    assert found == (
        Mention(4, 16, Span(date(2023, 5, 6), date(2023, 5, 7), "span")),
        Mention(27, 39, Span(date(2023, 5, 6), date(2023, 5, 6), "day")),
    )
    assert text[4:16] == "last weekend"


@pytest.mark.parametrize(
    ("text", "granularity"),
    [
        ("yesterday", "day"),
        ("last Friday", "day"),
        ("two weeks ago", "week"),
        ("next month", "month"),
        ("last March", "month"),
        ("last year", "year"),
        ("last weekend", "span"),
        ("last summer", "span"),
        ("a few days ago", "span"),
        ("earlier this month", "span"),
    ],
)
def test_span_says_which_period_was_meant(text: str, granularity: str) -> None:
    (mention,) = mentions(text, MONDAY)
    assert mention.span.granularity == granularity


def test_annotation_stops_after_six_mentions() -> None:
    text = ", ".join(["yesterday"] * 8)
    assert annotate(text, MONDAY).count("[2023-05-07]") == 6


def test_annotation_limit_counts_from_the_left() -> None:
    assert annotate("yesterday and today", MONDAY, limit=1) == "yesterday [2023-05-07] and today"


def test_annotation_limit_of_zero_changes_nothing() -> None:
    assert annotate("yesterday", MONDAY, limit=0) == "yesterday"


def test_text_without_mentions_is_given_back_as_it_is() -> None:
    text = "On Friday, recently, in 2019."
    assert annotate(text, MONDAY) is text


def test_offsets_hold_where_lower_case_is_longer_than_upper_case() -> None:
    assert annotate("\u0130zmir yesterday!", MONDAY) == "\u0130zmir yesterday [2023-05-07]!"


def test_local_date_is_that_of_the_speaker() -> None:
    at = parse_instant("2023-05-08T23:30:00Z").at
    assert local_date(at, UTC) == date(2023, 5, 8)
    assert local_date(at, ZoneInfo("Asia/Tokyo")) == date(2023, 5, 9)
    assert local_date(at, timezone(timedelta(hours=-12))) == date(2023, 5, 8)


@given(texts, anchors, st.integers(min_value=0, max_value=8))
def test_annotation_adds_labels_after_mentions_and_nothing_else(
    text: str, anchor: date, limit: int
) -> None:
    rest = annotate(text, anchor, limit=limit)
    rebuilt = ""
    for mention in mentions(text, anchor)[:limit]:
        label = f" [{mention.span.label}]"
        words = text[len(rebuilt) : mention.end]
        assert rest.startswith(words + label)
        rebuilt += words
        rest = rest.removeprefix(words + label)
    assert rebuilt + rest == text


@given(texts, anchors)
def test_mentions_are_ordered_and_apart(text: str, anchor: date) -> None:
    end = 0
    for mention in mentions(text, anchor):
        assert end <= mention.start < mention.end <= len(text)
        end = mention.end


@given(texts, anchors)
def test_the_words_of_a_mention_resolve_alone_as_they_do_in_the_text(
    text: str, anchor: date
) -> None:
    for mention in mentions(text, anchor):
        words = text[mention.start : mention.end]
        assert mentions(words, anchor) == (Mention(0, len(words), mention.span),)


@given(texts, anchors)
def test_every_label_has_a_form_that_the_metric_removes(text: str, anchor: date) -> None:
    for mention in mentions(text, anchor):
        assert LABEL.fullmatch(mention.span.label)


@given(texts, st.none() | anchors)
def test_question_window_takes_any_question_on_any_day(question: str, now: date | None) -> None:
    window = question_window(question, now)
    assert window is None or window.first <= window.last


@given(st.text())
def test_folding_keeps_the_length_of_the_text(text: str) -> None:
    assert len(folded(text)) == len(text)
