from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.recall.question import Question, analyse_question

NOW = date(2023, 10, 22)


def ask(text: str) -> Question:
    return analyse_question(text, now=NOW)


def test_terms_are_what_the_question_is_about() -> None:
    assert ask("can you remind me what the dentist address was").terms == ("dentist", "address")


def test_a_question_of_stop_words_alone_still_has_terms() -> None:
    assert ask("who was that?").terms


def test_a_repeated_word_is_one_term() -> None:
    assert ask("dentist or dentist").terms == ("dentist",)


@pytest.mark.parametrize(
    "text",
    [
        "When did Caroline go to the support group?",
        "when is Mel's birthday",
        "When Jon lost his job as a banker?",
        "Since when has she lived in Leeds?",
        "I forgot. When was the move?",
        "Can you tell me when the lease ends?",
        "What date did the lease start?",
        "Which year was the wedding?",
        "In what month did she paint the lake?",
        "What time is the class?",
        "What was the exact date of the race?",
        "How long ago did they meet?",
        "How many weeks passed between the two trips?",
    ],
)
def test_a_question_for_a_date_asks_when(text: str) -> None:
    assert ask(text).asks_when


@pytest.mark.parametrize(
    "text",
    [
        "Where does Caroline live?",
        "When Jon lost his job, what did he open?",
        "What did Mel say about the time they spent camping?",
        "How many children does Mel have?",
        "Who was at the wedding last year?",
    ],
)
def test_other_questions_do_not_ask_when(text: str) -> None:
    assert not ask(text).asks_when


@pytest.mark.parametrize(
    "text",
    [
        "How many books did Mel read?",
        "How much did I spend on bikes?",
        "How much do I pay on average?",
        "What is the total number of pets?",
        "What did it cost in total?",
        "How many different doctors did I see?",
        "How many days did I spend camping?",
        "List all the places we visited.",
    ],
)
def test_a_question_for_a_number_counts(text: str) -> None:
    assert ask(text).counts


@pytest.mark.parametrize(
    "text",
    [
        "Where does Mel live?",
        "What is her job?",
        "When did they meet?",
        "How often does she run?",
        "How many weeks ago did they meet?",
    ],
)
def test_other_questions_do_not_count(text: str) -> None:
    assert not ask(text).counts


@pytest.mark.parametrize(
    "text",
    [
        "Which restaurant did you recommend?",
        "What was the book you suggested last week?",
        "What was the third of the tips that you'd listed?",
        "What did you tell me about soil?",
        "In our previous chat, what was the recipe?",
        "Can you remind me of the shop we talked about?",
        "What was your last move in our previous chess game?",
        "What was your advice on the lease?",
    ],
)
def test_a_question_about_what_was_answered_addresses_the_assistant(text: str) -> None:
    assert ask(text).addresses_assistant


@pytest.mark.parametrize(
    "text",
    [
        "Can you tell me where I live?",
        "Could you list the books I own?",
        "What did Mel recommend to Caroline?",
        "Where did we go in May?",
    ],
)
def test_a_favour_asked_does_not_address_the_assistant(text: str) -> None:
    assert not ask(text).addresses_assistant


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Which came first, the move, the new job or the wedding?",
            ("the move", "the new job", "the wedding"),
        ),
        (
            "Which came first: the move, the new job, or the wedding?",
            ("the move", "the new job", "the wedding"),
        ),
        (
            "Of the move, the new job or the wedding, which came first?",
            ("the move", "the new job", "the wedding"),
        ),
        (
            "What happened earlier, my trip to Rome or the concert?",
            ("my trip to Rome", "the concert"),
        ),
        ("Did I visit Paris before or after Rome?", ("Did I visit Paris", "Rome")),
        ("Did I buy the bike or the boat first?", ("Did I buy the bike", "the boat")),
        (
            "Yesterday, did Anna or Ben arrive first?",
            ("did Anna", "Ben arrive"),
        ),
        (
            "In which order did I meet Anna, Ben or Carl?",
            ("In which order did I meet Anna", "Ben", "Carl"),
        ),
        ("Did I meet Anna, Ben or Carl first?", ("Did I meet Anna", "Ben", "Carl")),
    ],
)
def test_an_ordering_question_keeps_all_its_alternatives(text: str, parts: tuple[str, ...]) -> None:
    assert ask(text).alternatives == parts


@pytest.mark.parametrize(
    "text",
    [
        "Does Mel prefer tea or coffee?",
        "Which came first, the move?",
        "Was it before or after?",
        "Did I go to Rome or Paris last year?",
        "What did I do before the storm?",
    ],
)
def test_other_questions_have_no_alternatives(text: str) -> None:
    assert ask(text).alternatives == ()


def test_a_question_has_no_more_than_eight_alternatives() -> None:
    names = " or ".join(f"event {number}" for number in range(20))
    assert len(ask(f"Which came first, {names}?").alternatives) == 8


def test_the_window_is_counted_from_the_askers_date() -> None:
    window = ask("What did Mel do on 2023-05-08?").window
    assert window is not None
    assert (window.first, window.last) == (date(2023, 5, 8), date(2023, 5, 8))


def test_a_question_without_a_time_has_no_window() -> None:
    assert ask("Where does Mel live?").window is None


def test_relative_words_give_no_window_without_a_date() -> None:
    assert analyse_question("What happened yesterday?", now=None).window is None


@given(st.text(max_size=200))
def test_any_text_can_be_asked(text: str) -> None:
    question = analyse_question(text, now=NOW)
    assert question.text == text
    assert len(set(question.terms)) == len(question.terms)
    assert question.alternatives == () or len(question.alternatives) >= 2
