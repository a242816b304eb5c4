"""The extractor without a model: whose words it reads, whom they are about, what a fact carries."""

from typing import get_args
from zoneinfo import ZoneInfoNotFoundError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.instants import Precision, parse_instant
from smriti_es.extraction.contract import ExtractedFact, Extraction, Extractor, SourceTurn
from smriti_es.extraction.pattern_families import family_of
from smriti_es.extraction.pattern_table import PATTERNS
from smriti_es.extraction.patterns import TURN_LENGTH_MAX, PatternExtractor
from smriti_es.extraction.scope_validation import scope_problem

SAID_AT = parse_instant("2026-06-02T10:00:00Z").at


def turn(text: str, *, position: int = 0, at: str | int = SAID_AT, **given: str) -> SourceTurn:
    said_at = at if isinstance(at, int) else parse_instant(at).at
    role, origin = given.get("role", "user"), given.get("origin", "owner")
    return SourceTurn(position, role, given.get("speaker"), text, said_at, origin)


def extract(*turns: SourceTurn, timezone: str = "UTC") -> Extraction:
    return PatternExtractor().extract(turns, timezone=timezone)


def only(*turns: SourceTurn, timezone: str = "UTC") -> ExtractedFact:
    (fact,) = extract(*turns, timezone=timezone).facts
    return fact


def test_the_extractor_names_itself_and_needs_no_model() -> None:
    extractor: Extractor = PatternExtractor()

    assert (extractor.name, extractor.model, extractor.prompt_digest) == ("pattern/1", "", "")
    found = extract(turn("I live in Oslo."))
    assert (found.status, found.replies, found.dropped) == ("ok", (), ())


def test_a_move_is_found_with_both_its_homes_and_its_day() -> None:
    first = turn("I live in Hyderabad.", position=3, at="2026-01-15T10:00:00Z")
    second = turn("I moved to Bengaluru on June 1st.", position=9, at="2026-06-02T10:00:00Z")

    before, after = extract(first, second).facts

    assert (before.subject, before.predicate, before.object) == ("user", "lives_in", "Hyderabad")
    assert (before.valid_from, before.precision, before.time_text) == (None, "unknown", None)
    assert (after.subject, after.predicate, after.object) == ("user", "lives_in", "Bengaluru")
    assert after.valid_from == parse_instant("2026-06-01").at
    assert (after.precision, after.time_text) == ("day", "on June 1st")
    assert [one.turn for fact in (before, after) for one in fact.evidence] == [3, 9]
    assert before.single is after.single is True


def test_a_reassignment_has_the_key_of_the_assignment() -> None:
    blue, green = extract(
        turn("Kestrel is assigned to team Blue.", at="2026-02-01T09:00Z"),
        turn("Kestrel was moved to team Green.", position=1, at="2026-03-01T09:00Z"),
    ).facts

    assert (blue.subject, blue.predicate) == (green.subject, green.predicate)
    assert (blue.object, green.object) == ("team Blue", "team Green")
    assert blue.single is green.single is True


def test_a_change_of_mind_has_the_key_of_the_mind_before() -> None:
    before, after = extract(
        turn("I enjoy spicy soup."), turn("I cannot stand spicy soup any more.", position=1)
    ).facts

    assert (before.subject, before.predicate) == (after.subject, after.predicate)
    assert (before.object, after.object) == ("positive", "negative")
    assert before.single is after.single is True
    assert (before.ends, after.ends) == (False, False)


def test_a_given_up_commute_ends_and_the_new_one_has_its_key() -> None:
    cycling, ended, tram = extract(
        turn("I cycle to the office."),
        turn("I gave up cycling; I take the tram now.", position=1),
    ).facts

    assert (ended.ends, ended.object) == (True, cycling.object)
    assert cycling.predicate == ended.predicate == tram.predicate == "commutes_by"
    assert (tram.object, tram.ends) == ("tram", False)


def test_an_end_carries_its_time_as_the_end() -> None:
    fact = only(turn("I quit my job at Globex in May."))

    assert fact.ends
    assert (fact.valid_from, fact.valid_to) == (None, parse_instant("2026-05-01").at)
    assert (fact.precision, fact.time_text) == ("month", "in May")
    assert fact.statement == "The user no longer works at Globex."


def test_an_end_may_leave_open_what_has_ended() -> None:
    fact = only(turn("I quit my job."))

    assert (fact.predicate, fact.object, fact.ends) == ("works_at", "", True)
    assert fact.statement == "The user has left their job."


def test_what_begins_later_holds_from_then() -> None:
    fact = only(turn("I'm moving to Porto next month."))

    assert (fact.predicate, fact.object) == ("lives_in", "Porto")
    assert fact.valid_from == parse_instant("2026-07-01").at


def test_an_old_message_counts_from_its_own_day() -> None:
    fact = only(turn("I moved to Oslo last week.", at="2022-11-16T08:00:00Z"))

    assert (fact.valid_from, fact.precision) == (parse_instant("2022-11-07").at, "week")


def test_a_vague_time_stays_unknown_and_keeps_its_words() -> None:
    fact = only(turn("I moved to Ghent years ago."))

    assert (fact.valid_from, fact.precision, fact.time_text) == (None, "unknown", "years ago")


def test_days_are_counted_in_the_given_zone() -> None:
    said = turn("I moved to Fresno yesterday.", at="2026-06-02T02:00:00Z")

    assert only(said).valid_from == parse_instant("2026-06-01").at
    pacific = only(said, timezone="America/Los_Angeles")
    assert pacific.valid_from == parse_instant("2026-05-31T07:00:00Z").at


def test_an_unknown_zone_is_an_error() -> None:
    with pytest.raises(ZoneInfoNotFoundError):
        extract(turn("I live in Oslo."), timezone="Atlantis/Capital")


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_only_users_and_named_speakers_are_read(role: str) -> None:
    said = (turn("I live in Oslo.", role=role), turn("Ana lives in Oslo.", role=role, speaker="Bo"))

    assert extract(*said).facts == ()


def test_what_a_tool_gave_is_nobodys_word() -> None:
    assert extract(turn("I live in Oslo.", origin="tool")).facts == ()


def test_a_named_speaker_is_the_subject_in_lower_case() -> None:
    fact = only(turn("I live in Oslo.", speaker="Ana Maria"))

    assert fact.subject == "ana maria"
    assert fact.statement == "Ana Maria lives in Oslo."
    assert "Ana Maria" in fact.entities


def test_a_name_at_the_head_of_the_text_is_the_speaker() -> None:
    fact = only(turn("Caroline: I live in Oslo."))

    assert fact.subject == "caroline"
    assert fact.statement == "Caroline lives in Oslo."
    assert fact.evidence[0].quote == "I live in Oslo"


def test_a_role_for_a_name_is_the_user() -> None:
    assert only(turn("I live in Oslo.", speaker="User")).subject == "user"


@pytest.mark.parametrize("label", ["Update", "Note", "FYI", "Question"])
def test_a_label_is_nobodys_name(label: str) -> None:
    assert only(turn(f"{label}: I live in Oslo.")).subject == "user"


@pytest.mark.parametrize("label", ["Lyrics", "Example", "Character", "Bio"])
def test_what_follows_a_label_of_others_words_is_left_alone(label: str) -> None:
    assert extract(turn(f"{label}: I live in Oslo.")).facts == ()


def test_a_given_speaker_may_be_called_like_a_label() -> None:
    assert only(turn("I live in Oslo.", speaker="Bio")).subject == "bio"


def test_a_named_subject_keeps_its_name_whoever_speaks() -> None:
    fact = only(turn("Kestrel is assigned to team Blue.", speaker="Ana"))

    assert fact.subject == "Kestrel"
    assert "Kestrel" in fact.entities


def test_a_thing_is_the_subject_of_where_it_is_kept() -> None:
    fact = only(turn("The spare key is under pot nine.", speaker="Ana"))
    own = only(turn("I keep my passport in the top drawer of my desk.", speaker="Ana"))

    assert (fact.subject, fact.object) == ("spare key", "under pot nine")
    assert own.subject == "ana's passport"
    assert own.statement == "Ana's passport is kept in the top drawer of their desk."


def test_the_quote_stands_in_the_turn_as_it_was_typed() -> None:
    text = "Well \u2014 I\u2019m from \u0141\u00f3d\u017a, and I\u2019ve got a dog \U0001f436"

    found = extract(turn(text)).facts

    assert [(fact.predicate, fact.evidence[0].quote) for fact in found] == [
        ("comes_from", "I\u2019m from \u0141\u00f3d\u017a"),
        ("has_pet", "I\u2019ve got a dog"),
    ]


def test_saying_it_twice_in_a_turn_is_one_fact_and_in_two_turns_two() -> None:
    assert len(extract(turn("I live in Oslo. Yes, I live in Oslo!")).facts) == 1
    assert len(extract(turn("I live in Oslo."), turn("I live in Oslo.", position=1)).facts) == 2


def test_a_scope_is_said_in_the_statement_and_is_never_guessed() -> None:
    text = "For project Atlas, I use Postgres."

    fact = only(turn(text))

    assert fact.scope == "project:atlas"
    assert fact.statement == "For project Atlas, the user uses Postgres."
    assert scope_problem(fact.scope, source=text, statement=fact.statement) == ""
    assert only(turn("I use Postgres.")).scope == ""


def test_what_was_pasted_is_left_out_and_said_so() -> None:
    found = extract(turn("I live in Oslo. " * (TURN_LENGTH_MAX // 10), position=5))

    assert found.facts == ()
    (dropped,) = found.dropped
    assert dropped.item == {"turn": 5}
    assert "8,000 characters" in dropped.reason


def test_a_fact_can_be_looked_for_by_other_words() -> None:
    fact = only(turn("I work at Globex."))

    assert "employer" in fact.search_keys
    assert (fact.kind, fact.entities) == ("profile", ("Globex",))


@pytest.mark.parametrize(
    ("text", "single"),
    [
        ("I live in Oslo.", True),
        ("My favourite colour is teal.", True),
        ("I like tea.", True),
        ("I speak French.", False),
        ("I have a dog.", False),
    ],
)
def test_a_fact_says_whether_there_is_one_such_value(text: str, single: bool) -> None:
    assert only(turn(text)).single is single


def test_every_pattern_belongs_to_a_known_family() -> None:
    for pattern in PATTERNS:
        assert family_of(pattern.predicate or "attitude_to:thing").keys


TALK = """
I live in Oslo. I'm from my dog Rex and our cat moved to joined Acme as a nurse at the since 2019
last week June 31 February next month no longer any more used to have been two kids called Tim
favourite colour is teal love hate can't stand tea, coffee For project Atlas at work : ; ' ( ) "
\u201c \u201d \u2019 \u2014 - ? ! > ` ``` Ana lives works My name is 34 years old on Friday may I've
got not but because if I plan to birthday born 30 own bought use switched car job quit team
"""
PIECES = st.sampled_from(["\n", *TALK.split()])
TEXTS = st.text(max_size=120) | st.lists(PIECES, max_size=40).map(" ".join)


@given(text=TEXTS, speaker=st.none() | st.text(max_size=8))
def test_whatever_is_said_no_error_and_only_its_own_words_as_evidence(
    text: str, speaker: str | None
) -> None:
    said = turn(text) if speaker is None else turn(text, speaker=speaker)

    found = extract(said)

    assert found == extract(said)
    for fact in found.facts:
        assert all(one.quote and one.quote in text for one in fact.evidence)
        assert fact.subject
        assert fact.statement.endswith(".")
        assert fact.precision in get_args(Precision)
        assert fact.object or fact.ends


@pytest.mark.parametrize(
    "run", ["I love a, ", "and I ", "my dog Rex ", "I am a ", "of the ", "' ", "A "]
)
def test_a_long_run_of_the_same_words_is_no_trap(run: str) -> None:
    for start in ("I love ", "I live in ", "I work as a ", "My favourite ", "I have two cats, "):
        assert extract(turn(start + run * (380 // len(run)))).status == "ok"


def test_each_turn_is_read_by_itself() -> None:
    said = [
        turn("If it rains,"),
        turn("I live in Oslo.", position=1),
        turn("I use Vim.", position=2),
    ]

    together = extract(*said).facts

    assert together == tuple(fact for one in said for fact in extract(one).facts)
