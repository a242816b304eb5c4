"""What gives way when the first hits say too much of the same, and what does not."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.recall.profiles import PROFILES, RecallProfile

Open = Callable[..., Engine]
APART = RecallProfile("apart", sessions_apart=True)


@pytest.fixture
def memory(engine: Open) -> Engine:
    return engine(":memory:", extractor=None, embedder=None)


def texts(found: Any) -> list[str]:
    return [hit.text for hit in found]


def test_each_session_has_one_hit_before_any_has_a_second(memory: Engine) -> None:
    memory.add(["Tea tea tea.", "Tea tea, he said.", "More tea."], session="a")
    memory.add("There was a pot of tea in the old kitchen.", session="b")
    plain = memory.search("tea", k=2)
    assert {hit.turn.session for hit in plain if hit.turn} == {"a"}
    apart = memory.search("tea", k=2, profile=APART)
    assert [hit.turn.session for hit in apart if hit.turn] == ["a", "b"]
    assert apart[0].text == plain[0].text
    assert [hit.score for hit in apart] == sorted((hit.score for hit in apart), reverse=True)


def test_seconds_of_a_session_fill_up_what_is_short(memory: Engine) -> None:
    memory.add(["Tea tea tea.", "Tea tea, he said.", "More tea."], session="a")
    assert len(memory.search("tea", k=3, profile=APART)) == 3


def test_facts_are_nobodys_second(memory: Engine) -> None:
    for place in ("tin", "pot", "cup"):
        memory.assert_fact("tea", "is_in", place, multi=True)
    memory.add(["Tea.", "Tea tea."], session="a")
    found = memory.search("tea", k=4, profile=APART)
    assert sum(hit.fact is not None for hit in found) == 3


def test_nothing_is_apart_by_default() -> None:
    assert not any(profile.sessions_apart for profile in PROFILES.values())


def test_nothing_found_is_nothing_apart(memory: Engine) -> None:
    assert texts(memory.search("tea", profile=APART)) == []


def test_near_repeats_of_one_moment_come_after_the_allowance(memory: Engine) -> None:
    said = [
        "The kettle whistles loudly today.",
        "The kettle whistles so loudly today.",
        "The kettle whistles very loudly today.",
        "Is a kettle worth its price?",
    ]
    for number, text in enumerate(said):
        memory.add(text, session=f"s{number}", at=f"2026-06-01T10:0{number}:00Z")
    memory.add("The kettle whistles loudly, today too.", session="later", at="2026-06-01T12:00:00Z")
    capped = RecallProfile("capped", per_moment=1)
    found = texts(memory.search("Does the kettle whistle loudly today", k=3, profile=capped))
    assert sum(text in said[:3] for text in found) == 1
    assert said[3] in found
    assert "The kettle whistles loudly, today too." in found
    assert len(memory.search("kettle", profile=capped)) == 5


def test_a_question_that_was_asked_before_stands_behind_its_answer(memory: Engine) -> None:
    memory.add(["Where is the spare key?", "The key is under the third pot."], session="s")
    found = texts(memory.search("Where is the spare key?"))
    assert found == ["The key is under the third pot.", "Where is the spare key?"]


def test_the_same_words_that_do_not_ask_are_no_echo(memory: Engine) -> None:
    memory.add(["The spare key is here.", "The key is under the third pot."], session="s")
    assert texts(memory.search("spare key"))[0] == "The spare key is here."


def test_a_context_has_the_answer_before_the_echo(memory: Engine) -> None:
    memory.add(["Where is the spare key?", "The key is under the third pot."], session="s")
    best = memory.context("Where is the spare key?").evidence[0]
    assert best.position == memory.search("third pot", k=1)[0].position


def test_facts_have_places_kept_for_them(memory: Engine) -> None:
    memory.add([f"Tea, tea, and tea: pot {number}." for number in range(8)], session="s")
    memory.assert_fact("the long forgotten aunt", "sometimes_drank", "a little tea in winter")
    kept = RecallProfile("kept", fact_places=2, weights={"fact": 0.1})
    none = RecallProfile("none", weights={"fact": 0.1})
    assert sum(hit.fact is not None for hit in memory.search("tea", k=4, profile=none)) == 0
    found = memory.search("tea", k=4, profile=kept)
    assert sum(hit.fact is not None for hit in found) == 1
    assert len(found) == 4


def test_facts_never_take_more_than_half_of_the_places(memory: Engine) -> None:
    memory.add([f"Tea, tea, and tea: pot {number}." for number in range(8)], session="s")
    for place in ("tin", "pot", "cup"):
        memory.assert_fact("tea", "is_in", place, multi=True)
    kept = RecallProfile("kept", fact_places=4, weights={"fact": 0.01})
    found = memory.search("tea", k=4, profile=kept)
    assert sum(hit.fact is not None for hit in found) == 2
