"""An item of a reply becomes a fact, or is left out for a reason."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.instants import parse_instant
from smriti_es.extraction.contract import DroppedItem, Evidence, ExtractedFact, SourceTurn
from smriti_es.extraction.items import ItemReader

Turns = Callable[..., list[SourceTurn]]
# The turn is said on Tuesday, 2026-06-02.
TEXT = "I moved to Bengaluru on June 1st and I love the tea there."
ITEM: dict[str, Any] = {
    "statement": "The user lives in Bengaluru",
    "subject": "user",
    "predicate": "lives_in",
    "object": "Bengaluru",
    "scope": None,
    "kind": "profile",
    "entities": ["Bengaluru"],
    "search_keys": ["home", "city"],
    "event_date": "2026-06-01",
    "ended": None,
    "turns": [1],
    "quote": "I moved to Bengaluru on June 1st",
}


def at(text: str) -> int:
    return parse_instant(text).at


@pytest.fixture
def reader(turns: Turns) -> ItemReader:
    return ItemReader({1: turns(TEXT)[0]}, UTC)


@pytest.fixture
def accept(reader: ItemReader) -> Callable[..., ExtractedFact]:
    """Read ITEM with some members replaced."""

    def read(**members: Any) -> ExtractedFact:
        found = reader.read(ITEM | members)
        assert isinstance(found, ExtractedFact), found
        return found

    return read


Accept = Callable[..., ExtractedFact]


def test_a_whole_item_becomes_a_fact(reader: ItemReader) -> None:
    assert reader.read(ITEM) == ExtractedFact(
        subject="user",
        predicate="lives_in",
        object="Bengaluru",
        statement="The user lives in Bengaluru",
        evidence=(Evidence(10, "I moved to Bengaluru on June 1st"),),
        scope="",
        kind="profile",
        valid_from=at("2026-06-01"),
        valid_to=None,
        precision="day",
        time_text="2026-06-01",
        entities=("Bengaluru",),
        search_keys=("home", "city"),
    )
    assert reader.counts.total() == 0


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (None, "it is no object but nothing"),
        (7, "it is no object but a number"),
        (True, "it is no object but true or false"),
        ([ITEM], "it is no object but a list"),
        ({}, "it has no statement"),
        ({"entity_name": "Pump 3", "entity_type_id": 0}, "it has no statement"),
        (ITEM | {"statement": None}, "it has no statement"),
        (ITEM | {"statement": " \n"}, "it has no statement"),
        (ITEM | {"statement": ["a"]}, "it has no statement"),
        (ITEM | {"statement": "a" * 2001}, "its statement is too long"),
        ({"type": "object", "properties": {}}, "it is a form that was not filled in"),
        (ITEM | {"entities": "Bengaluru"}, "its entities are no list"),
        (ITEM | {"search_keys": "home"}, "its search_keys are no list"),
        (ITEM | {"search_keys": 7}, "its search_keys are no list"),
        (ITEM | {"subject": ["Ana"]}, "its subject is no text"),
        (ITEM | {"predicate": {"a": 1}}, "its predicate is no text"),
        (ITEM | {"object": ["Bengaluru"]}, "its object is no text"),
        (ITEM | {"scope": ["project:apollo"]}, "its scope is no text"),
        (ITEM | {"scope": 7}, "its scope is no text"),
        (ITEM | {"object": "a" * 1001}, "its object is too long"),
        (ITEM | {"subject": "a" * 201}, "its subject is too long"),
        (ITEM | {"turns": [99]}, "the turns it names do not exist"),
        (ITEM | {"predicate": "attitude_to:tea", "object": "often"}, "its attitude is neither"),
        ("The password is hunter2", "no turn says so"),
        (
            {"statement": "The password is hunter2", "turns": [1], "quote": "hunter2"},
            "no turn says so",
        ),
    ],
)
def test_an_item_that_cannot_be_used_is_left_out_with_a_reason(
    reader: ItemReader, item: Any, reason: str
) -> None:
    found = reader.read(item)
    assert isinstance(found, DroppedItem)
    assert found.reason.startswith(reason)
    assert len(found.item) <= 500


def test_a_bare_sentence_is_a_statement_about_the_user(reader: ItemReader) -> None:
    found = reader.read("The user moved to Bengaluru")
    assert isinstance(found, ExtractedFact)
    assert (found.subject, found.predicate) == ("user", "stated")
    assert found.object == found.statement == "The user moved to Bengaluru"
    assert found.evidence == (Evidence(10, TEXT),)
    assert (found.kind, found.valid_from, found.precision) == ("knowledge", None, "unknown")


@pytest.mark.parametrize("key", ["statement", "fact", "text", "memory", "content", "sentence"])
def test_a_statement_is_found_under_the_names_that_models_give_it(
    reader: ItemReader, key: str
) -> None:
    found = reader.read({key: "The user moved to Bengaluru"})
    assert isinstance(found, ExtractedFact)
    assert found.statement == "The user moved to Bengaluru"


@pytest.mark.parametrize("missing", [{"predicate": None}, {"object": ""}, {"predicate": "?!"}])
def test_without_a_triple_the_statement_itself_is_kept(
    accept: Accept, missing: dict[str, Any]
) -> None:
    found = accept(**missing)
    assert (found.predicate, found.object) == ("stated", "The user lives in Bengaluru")


def test_a_missing_subject_is_the_user_and_an_unknown_kind_knowledge(accept: Accept) -> None:
    found = accept(subject=None, kind="opinion")
    assert (found.subject, found.kind) == ("user", "knowledge")
    assert accept(kind=" Event ").kind == "event"


def test_nulls_for_lists_are_empty_and_what_is_no_word_in_them_is_left_out(accept: Accept) -> None:
    found = accept(entities=None, search_keys=["home", "", None, 7, ["x"], "home", "a" * 201])
    assert (found.entities, found.search_keys) == ((), ("home", "7"))


def test_lists_of_words_end_somewhere(accept: Accept) -> None:
    assert len(accept(entities=[f"e{number}" for number in range(100)]).entities) == 32


def test_numbers_and_truth_values_are_values_too(accept: Accept) -> None:
    assert accept(predicate="has_children", object=2).object == "2"
    assert accept(predicate="is_vegan", object=True).object == "true"


def test_control_characters_and_line_ends_leave_the_texts(accept: Accept) -> None:
    found = accept(statement="The user\x00 lives\n in\tBengaluru", object="Benga\x1bluru ")
    assert (found.statement, found.object) == ("The user lives in Bengaluru", "Benga luru")


def test_a_predicate_gets_its_usual_name_and_is_counted(accept: Accept, reader: ItemReader) -> None:
    assert accept(predicate="moved_to").predicate == "lives_in"
    assert reader.counts["normalized_predicates"] == 1
    assert accept(predicate="Lives In").predicate == "lives_in"
    assert reader.counts["normalized_predicates"] == 1
    loved = accept(predicate="loves", object="the tea", statement="The user loves the tea")
    assert (loved.predicate, loved.object) == ("attitude_to:tea", "positive")
    assert (loved.single, accept().single) == (True, False)
    assert reader.counts["normalized_predicates"] == 2


def test_a_scope_gets_its_one_form(accept: Accept) -> None:
    assert accept(scope=' Project: "Apollo" ').scope == "project:apollo"


@pytest.mark.parametrize(
    ("event_date", "valid_from", "precision"),
    [
        ("2026-06-01", "2026-06-01", "day"),
        ("June 1st", "2026-06-01", "day"),
        ("last week", "2026-05-25", "week"),
        ("March 2024", "2024-03-01", "month"),
        (2019, "2019-01-01", "year"),
        ("2026-06-01T12:00:00+05:30", "2026-06-01T06:30:00Z", "instant"),
    ],
)
def test_a_date_is_read_however_it_is_given(
    accept: Accept, event_date: Any, valid_from: str, precision: str
) -> None:
    found = accept(event_date=event_date)
    assert (found.valid_from, found.precision) == (at(valid_from), precision)
    assert found.time_text == str(event_date)


@pytest.mark.parametrize("event_date", ["2026-13-45", "when I was young", "true", True])
def test_a_date_that_cannot_be_read_is_unknown_kept_and_counted(
    accept: Accept, reader: ItemReader, event_date: Any
) -> None:
    found = accept(event_date=event_date)
    assert (found.valid_from, found.precision) == (None, "unknown")
    assert found.time_text == str(event_date).replace("True", "true")
    assert reader.counts["unreadable_dates"] == 1


@pytest.mark.parametrize("event_date", [None, "", "null", "unknown", [], {"year": 2019}])
def test_no_date_is_no_unreadable_date(accept: Accept, reader: ItemReader, event_date: Any) -> None:
    found = accept(event_date=event_date)
    assert (found.valid_from, found.time_text) == (None, None)
    assert reader.counts["unreadable_dates"] == 0


def test_a_plan_lies_ahead(accept: Accept) -> None:
    # Said on a Tuesday.
    assert accept(event_date="Friday").valid_from == at("2026-05-29")
    assert accept(event_date="Friday", predicate="plans_to").valid_from == at("2026-06-05")


@pytest.mark.parametrize(
    ("event_date", "ended", "valid_from", "valid_to", "ends"),
    [
        (None, True, None, None, True),
        ("2026-05", "yes", None, "2026-05-01", True),
        (None, "2026-05", None, "2026-05-01", True),
        (None, "until May 2026", None, "2026-05-01", True),
        ("2015", "2018", "2015-01-01", "2018-01-01", False),
        ("2018", "2015", None, "2015-01-01", True),
        (None, "2027", None, "2027-01-01", False),
        ("2026-06-01", "2027", "2026-06-01", "2027-01-01", False),
        (None, "once upon a time", None, None, True),
        ("2026-06-01", "false", "2026-06-01", None, False),
        ("2026-06-01", "present", "2026-06-01", None, False),
    ],
)
def test_what_is_over_ends_and_what_lasted_has_both_ends(
    accept: Accept,
    event_date: Any,
    ended: Any,
    valid_from: str | None,
    valid_to: str | None,
    ends: bool,
) -> None:
    found = accept(event_date=event_date, ended=ended)
    assert found.valid_from == (valid_from and at(valid_from))
    assert found.valid_to == (valid_to and at(valid_to))
    assert found.ends is ends


def test_the_zone_decides_which_day_it_is(turns: Turns) -> None:
    reader = ItemReader({1: turns(TEXT)[0]}, ZoneInfo("Asia/Kolkata"))
    found = reader.read(ITEM | {"event_date": "June 1st"})
    assert isinstance(found, ExtractedFact)
    began = datetime(2026, 6, 1, tzinfo=ZoneInfo("Asia/Kolkata"))
    assert found.valid_from == round(began.timestamp()) * 1_000_000


def test_invented_turns_beside_real_ones_are_noted(reader: ItemReader, accept: Accept) -> None:
    assert accept(turns=[1, 99]).evidence[0].turn == 10
    assert reader.invented == ["99"]


def test_a_quote_that_was_made_up_is_replaced_and_counted(
    accept: Accept, reader: ItemReader
) -> None:
    assert accept(quote="Bengaluru is my home").evidence == (Evidence(10, TEXT),)
    assert reader.counts["quotes_replaced"] == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*ITEM, "text", "type"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(JSON, st.dictionaries(st.sampled_from(list(ITEM)), JSON, max_size=3))
def test_no_item_breaks_the_reader(item: Any, members: dict[str, Any]) -> None:
    turn = SourceTurn(10, "user", None, TEXT, at("2026-06-02"), "owner")
    reader = ItemReader({1: turn}, UTC)
    for each in (item, ITEM | members):
        found = reader.read(each)
        assert isinstance(found, DroppedItem) or found.evidence


@pytest.mark.parametrize("member", ["subject", "predicate", "object", "statement"])
def test_half_a_character_makes_no_fact(reader: ItemReader, member: str) -> None:
    found = reader.read(ITEM | {member: "Benga\ufffdluru"})
    assert isinstance(found, DroppedItem)
    assert found.reason == f"its {member} holds what is no character"


@pytest.mark.parametrize(
    "date", ["irgendwann", "9999-99", "2024-05-40", "June 31st, 2024", 5, ["x"]]
)
def test_a_date_that_is_none_is_lost_for_a_reason_and_the_rest_stays(
    reader: ItemReader, accept: Accept, date: Any
) -> None:
    fact = accept(event_date=date)
    assert (fact.object, fact.valid_from, fact.precision) == ("Bengaluru", None, "unknown")
    (lost,) = reader.lost
    assert lost.reason == "its event_date could not be read as a time; the rest of it was kept"
    assert json.loads(lost.item) == {"event_date": date, "statement": ITEM["statement"]}


def test_an_end_that_is_no_time_is_lost_for_a_reason(reader: ItemReader, accept: Accept) -> None:
    assert accept(ended="irgendwann").ends
    assert [each.reason for each in reader.lost] == [
        "its ended could not be read as a time; the rest of it was kept"
    ]


@pytest.mark.parametrize("quote", ["Bengaluru is my home", 5, ["I moved"]])
def test_a_quote_that_stands_nowhere_is_lost_for_a_reason(
    reader: ItemReader, accept: Accept, quote: Any
) -> None:
    assert accept(quote=quote).evidence == (Evidence(10, TEXT),)
    (lost,) = reader.lost
    assert lost.reason == (
        "its quote stands in no turn, other words took its place; the rest of it was kept"
    )


def test_nothing_is_lost_of_a_good_item_or_of_one_that_is_left_out(reader: ItemReader) -> None:
    reader.read(ITEM)
    reader.read(ITEM | {"event_date": None, "quote": None, "ended": None})
    reader.read(ITEM | {"event_date": "irgendwann", "object": "\ufffd"})
    assert not reader.lost


def test_what_two_items_lose_alike_is_told_once(reader: ItemReader, accept: Accept) -> None:
    accept(event_date="irgendwann")
    accept(event_date="irgendwann")
    assert len(reader.lost) == 1
