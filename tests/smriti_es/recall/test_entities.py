"""The entity channel: from a name to facts, from facts to turns, and one step on."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.recall.entities import question_names
from smriti_es.recall.profiles import RecallProfile

ONE_HOP = RecallProfile("one", channels=("entity",), weights={"entity": 0.4})
TWO_HOPS = RecallProfile("two", channels=("entity",), weights={"entity": 0.4}, hops=2)


@pytest.fixture
def memory(engine: Callable[..., Engine]) -> Engine:
    return engine(":memory:", extractor=None, embedder=None)


def texts(found: Any) -> list[str]:
    return [hit.text for hit in found]


def test_names_are_words_and_runs_of_words_without_marks_and_endings() -> None:
    names = question_names("Where does Rachel Green's aunt live?")
    assert {"rachel", "green", "rachel green", "aunt", "rachel green aunt"} <= set(names)
    assert "does" not in names


def test_text_without_spaces_is_cut_into_names() -> None:
    assert "田中" in question_names("田中はどこに住んでいますか")


def test_a_name_leads_to_the_facts_about_it(memory: Engine) -> None:
    memory.assert_fact("Rachel", "works_at", "Acme")
    memory.assert_fact("Omar", "works_at", "Bolt")
    found = memory.search("And Rachel?", profile=ONE_HOP)
    assert [hit.fact.object for hit in found if hit.fact] == ["Acme"]
    assert found[0].channels == ("entity",)


def test_a_second_hop_goes_on_from_who_is_named_there(memory: Engine) -> None:
    memory.assert_fact("Rachel", "works_at", "Acme", entities=["Rachel", "Acme"])
    memory.assert_fact("Acme", "is_in", "Berlin", entities=["Acme", "Berlin"])
    memory.assert_fact("Bolt", "is_in", "Lima", entities=["Bolt", "Lima"])

    def objects(profile: RecallProfile) -> list[str]:
        found = memory.search("Where is Rachel?", profile=profile)
        return [hit.fact.object for hit in found if hit.fact]

    assert objects(ONE_HOP) == ["Acme"]
    assert objects(TWO_HOPS) == ["Acme", "Berlin"]


def test_an_alias_in_the_question_leads_to_facts_under_the_other_name(memory: Engine) -> None:
    memory.assert_fact("Rachel Green", "works_at", "Acme")
    memory.alias("Rach", "Rachel Green")
    found = memory.search("Where is Rach?", profile=ONE_HOP)
    assert [hit.fact.object for hit in found if hit.fact] == ["Acme"]


def test_a_turn_that_uses_another_name_is_found(memory: Engine) -> None:
    memory.add(["Rach loves the sea.", "The kite is red."], session="s")
    assert texts(memory.search("Rachel Green?", profile=ONE_HOP)) == []
    memory.alias("Rach", "Rachel Green")
    assert texts(memory.search("Rachel Green?", profile=ONE_HOP)) == ["Rach loves the sea."]


def test_what_is_withheld_leads_nowhere(memory: Engine) -> None:
    held = memory.assert_fact("Rachel", "works_at", "Acme", entities=["Rachel", "Acme"])
    memory.assert_fact("Acme", "is_in", "Berlin", entities=["Acme", "Berlin"])
    memory.quarantine(fact=held)
    assert texts(memory.search("Where is Rachel?", profile=TWO_HOPS)) == []


def test_a_fact_of_a_scope_leads_nowhere_outside_it(memory: Engine) -> None:
    scoped: dict[str, Any] = {"scope": "project:Atlas", "entities": ["Rachel", "Acme"]}
    memory.assert_fact("Rachel", "works_at", "Acme", **scoped)
    memory.assert_fact("Acme", "is_in", "Berlin", entities=["Acme", "Berlin"])

    def objects(**narrowed: Any) -> list[str]:
        found = memory.search("Where is Rachel?", profile=TWO_HOPS, **narrowed)
        return [hit.fact.object for hit in found if hit.fact]

    assert objects() == []
    assert objects(scopes=["project:Atlas"]) == ["Acme", "Berlin"]


def test_who_is_who_is_read_as_of_then(memory: Engine) -> None:
    memory.assert_fact("Rachel Green", "works_at", "Acme")
    before = memory.head
    memory.alias("Rach", "Rachel Green")
    assert texts(memory.at(before).search("Where is Rach?", profile=ONE_HOP)) == []
    assert len(memory.at(memory.head).search("Where is Rach?", profile=ONE_HOP)) == 1


def test_by_default_another_name_counts_and_the_same_one_does_not(memory: Engine) -> None:
    memory.assert_fact("Rachel Green", "works_at", "Acme")
    memory.alias("Rach", "Rachel Green")
    other = memory.search("Where is Rach?", explain=True)[0]
    assert other.explanation["entity"] > 0.0
    same = memory.search("Where is Rachel Green?", explain=True)[0]
    assert same.explanation["entity"] == 0.0
