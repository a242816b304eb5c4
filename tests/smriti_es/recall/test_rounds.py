"""A question that is put again with the names that its best hits brought up."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.recall.following import further_terms
from smriti_es.recall.profiles import RecallProfile

ONCE = RecallProfile("once", channels=("lexical",))
TWICE = RecallProfile("twice", channels=("lexical",), rounds=2)


@pytest.fixture
def memory(engine: Callable[..., Engine]) -> Engine:
    return engine(":memory:", extractor=None, embedder=None)


def texts(found: Any) -> list[str]:
    return [hit.text for hit in found]


def test_a_second_look_finds_what_only_the_first_one_names(memory: Engine) -> None:
    memory.add("My pottery teacher is called Rosalind.", session="a")
    memory.add("Later that year Rosalind moved to Lisbon.", session="b")
    asked = "In which city is my pottery teacher?"
    assert texts(memory.search(asked, profile=ONCE)) == ["My pottery teacher is called Rosalind."]
    assert texts(memory.search(asked, profile=TWICE)) == [
        "My pottery teacher is called Rosalind.",
        "Later that year Rosalind moved to Lisbon.",
    ]


def test_names_in_facts_lead_on_as_well(memory: Engine) -> None:
    memory.assert_fact("the potter", "is_called", "Rosalind", entities=["the potter", "Rosalind"])
    memory.add("Later that year Rosalind moved to Lisbon.", session="b")
    found = texts(memory.search("Where is the potter?", profile=TWICE))
    assert found[1:] == ["Later that year Rosalind moved to Lisbon."]


def test_names_of_what_is_withheld_lead_nowhere(memory: Engine) -> None:
    memory.add("My pottery teacher is called Rosalind.", session="a")
    memory.add("Later that year Rosalind moved to Lisbon.", session="b")
    memory.quarantine(session="a")
    assert texts(memory.search("my pottery teacher?", profile=TWICE)) == []


def test_the_past_and_its_replay_look_again_alike(memory: Engine) -> None:
    memory.add("My pottery teacher is called Rosalind.", session="a")
    memory.add("Later that year Rosalind moved to Lisbon.", session="b")
    then = memory.head
    memory.add("Rosalind, Rosalind, Rosalind!", session="c")
    seen = texts(memory.at(then).search("my pottery teacher?", profile=TWICE))
    assert len(seen) == 2
    with memory.replay(then) as replay:
        assert texts(replay.search("my pottery teacher?", profile=TWICE)) == seen


def test_names_are_taken_by_how_often_they_occur_and_not_if_they_are_known() -> None:
    said = ["He met Omar there.", "She and Omar saw Zora.", "Then, with Ana Maria, at home."]
    assert further_terms(said, [], {"zora"}) == ["omar", "ana", "maria"]


def test_a_word_that_begins_a_sentence_is_no_name() -> None:
    assert further_terms(["Tomorrow it rains. Maybe."], [], set()) == []


def test_the_names_in_facts_count_like_those_in_turns() -> None:
    assert further_terms([], ["rosalind green"], {"green"}) == ["rosalind"]
