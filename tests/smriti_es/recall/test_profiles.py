"""Profiles, channels and the router: what they move, and what they cannot."""

from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError
from datetime import date
from typing import Any

import pytest

from smriti_es.embedders import FloatMatrix, HashEmbedder
from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput
from smriti_es.recall.profiles import (
    CHANNELS,
    PROFILES,
    RecallProfile,
    checked_channels,
    routed,
)
from smriti_es.recall.question import analyse_question
from smriti_es.recall.weights import RecallSettings

Memory = Callable[..., Engine]


@pytest.fixture
def memory(engine: Memory) -> Engine:
    """A memory whose facts are stated directly."""
    return engine(":memory:", extractor=None)


def texts(found: Any) -> list[str]:
    return [hit.text for hit in found]


def chosen(question: str) -> str:
    return routed(analyse_question(question, now=date(2026, 6, 2))).name


def test_the_profiles_are_frozen_and_each_says_what_it_is_for() -> None:
    assert list(PROFILES) == ["evidence", "facts", "relations", "timeline", "deep"]
    assert all(profile.why for profile in PROFILES.values())
    with pytest.raises(FrozenInstanceError):
        PROFILES["deep"].k = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        PROFILES["deep"].weights["entity"] = 9.0  # type: ignore[index]


def test_the_default_profile_moves_no_weight() -> None:
    own = RecallSettings(neighbour=0.11)
    assert PROFILES["evidence"].settings(own) == own


@pytest.mark.parametrize(
    ("question", "profile"),
    [
        ("How many trips did I make?", "deep"),
        ("What did we plan in March 2026?", "timeline"),
        ("When did Ana move?", "timeline"),
        ("Where did I live before?", "timeline"),
        ("Who works with Rachel?", "relations"),
        ("Which team is Omar in?", "relations"),
        ("What is my favourite tea?", "evidence"),
    ],
)
def test_the_router_goes_by_the_words_of_the_question(question: str, profile: str) -> None:
    assert chosen(question) == profile


def test_the_router_never_picks_less_evidence_than_the_default() -> None:
    least, own = PROFILES["evidence"], RecallSettings()
    questions = ("How many?", "When was it?", "Who is whose friend?", "Tea?")
    picked = [PROFILES[chosen(each)] for each in questions]
    assert {each.name for each in picked} == {"deep", "timeline", "relations", "evidence"}
    for profile in picked:
        assert profile.k >= least.k
        assert profile.channels == CHANNELS
        assert profile.settings(own).depth >= own.depth
        assert profile.settings(own).late_depth >= own.late_depth


@pytest.mark.parametrize("verb", ["search", "context"])
def test_an_unknown_profile_is_named_with_those_there_are(memory: Engine, verb: str) -> None:
    with pytest.raises(InvalidInput, match="no recall profile 'precise'") as refused:
        getattr(memory, verb)("Tea?", profile="precise")
    assert refused.value.hint == "There are: evidence, facts, relations, timeline, deep, auto."


@pytest.mark.parametrize("verb", ["search", "context"])
def test_an_unknown_channel_is_named_with_those_there_are(memory: Engine, verb: str) -> None:
    with pytest.raises(InvalidInput, match="no channel 'smell'") as refused:
        getattr(memory, verb)("Tea?", channels=["lexical", "smell"])
    assert refused.value.hint == "There are: lexical, semantic, entity, temporal."


@pytest.mark.parametrize("given", [[], "lexical", 3])
def test_channels_are_a_list_with_something_in_it(given: object) -> None:
    with pytest.raises(InvalidInput):
        checked_channels(given)


def test_channels_stand_in_one_order_whatever_the_order_given() -> None:
    assert checked_channels(["temporal", "lexical"]) == ("lexical", "temporal")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"k": 0}, "k is 0"),
        ({"hops": 3}, "hops is 3"),
        ({"channels": ["smell"]}, "'smell'"),
        ({"weights": {"colour": 1.0}}, "'colour'"),
    ],
)
def test_a_profile_of_ones_own_is_checked_when_it_is_made(
    given: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        RecallProfile("mine", **given)


def test_a_search_by_words_alone_asks_the_embedder_nothing(engine: Memory) -> None:
    class Counting(HashEmbedder):
        asked = 0

        def embed(self, texts: Sequence[str]) -> FloatMatrix:
            self.asked += 1
            return super().embed(texts)

    embedder = Counting()
    memory = engine(":memory:", extractor=None, embedder=embedder)
    memory.add("The needle lies in the drawer.", session="s", wait_for="vectors")
    embedder.asked = 0
    found = memory.search("needle", channels=["lexical"])
    assert texts(found) == ["The needle lies in the drawer."]
    assert found[0].channels == ("lexical",)
    assert embedder.asked == 0
    assert found.degraded == ()


def test_a_search_by_meaning_alone_names_no_other_channel(engine: Memory) -> None:
    memory = engine(":memory:", extractor=None, embedder=HashEmbedder())
    memory.add("The needle lies in the drawer.", session="s", wait_for="vectors")
    found = memory.search("The needle lies in the drawer.", channels=["semantic"])
    assert [hit.channels for hit in found] == [("semantic",)]


def test_without_the_temporal_channel_a_day_of_the_question_finds_nothing(memory: Engine) -> None:
    memory.add("Bought a kite.", session="s", at="2026-05-04")
    asked: dict[str, Any] = {"question": "What happened on 2026-05-04?", "now": "2026-06-02"}
    assert texts(memory.search(**asked, channels=["temporal"])) == ["Bought a kite."]
    assert texts(memory.search(**asked, channels=["lexical", "entity"])) == []


def test_a_profile_says_how_many_hits_come_and_the_caller_overrules_it(memory: Engine) -> None:
    memory.add([f"Tea number {number}" for number in range(50)], session="s")
    assert len(memory.search("tea")) == 12
    assert len(memory.search("tea", profile="deep")) == 40
    assert len(memory.search("tea", profile="deep", k=3)) == 3
    assert len(memory.search("tea", profile=RecallProfile("mine", k=5))) == 5


def test_the_facts_profile_puts_a_fact_before_the_turns_that_only_speak_of_it(
    memory: Engine,
) -> None:
    memory.assert_fact("Ana", "drinks", "green tea")
    memory.add(["Ana drinks green tea, she says.", "Ana, green tea?"], session="s")
    best = memory.search("What does Ana drink, green tea?", profile="facts")[0]
    assert best.fact is not None
    assert best.fact.object == "green tea"


def test_a_timeline_shows_what_held_before_in_the_order_of_time(memory: Engine) -> None:
    for city, since in (("Oslo", "2019"), ("Pune", "2022"), ("Lima", "2025")):
        memory.assert_fact("user", "lives_in", city, valid_from=since)
    assert [fact.object for fact in memory.context("lives in").facts] == ["Lima"]
    told = memory.context("lives in", profile="timeline")
    assert [fact.object for fact in told.facts] == ["Oslo", "Pune", "Lima"]
    lines = [line for line in told.text.splitlines() if "lives" in line]
    assert ["Oslo" in lines[0], "Pune" in lines[1], "Lima" in lines[2]] == [True] * 3


def test_a_view_of_the_past_answers_by_profile_as_its_replay_does(memory: Engine) -> None:
    memory.assert_fact("Rachel", "works_at", "Acme")
    memory.assert_fact("Acme", "is_in", "Berlin")
    then = memory.head
    memory.assert_fact("Acme", "is_in", "Paris")
    for profile in (*PROFILES, "auto"):
        seen = texts(memory.at(then).search("Where does Rachel work?", profile=profile))
        with memory.replay(then) as replay:
            assert texts(replay.search("Where does Rachel work?", profile=profile)) == seen
        assert not any("Paris" in text for text in seen)


def test_ranks_before_and_after_each_step_are_explained(memory: Engine) -> None:
    memory.add(["Ana drinks tea.", "Omar drinks coffee and tea.", "The kite is red."], session="s")
    found = memory.search("Who drinks coffee?", explain=True)
    for hit in found:
        names = [step.step for step in hit.steps]
        assert names[0] == "fused"
        assert names[-3:] == ["priors", "surroundings", "chosen"]
        assert hit.steps[0].before is None
        assert [each.before for each in hit.steps[1:]] == [each.after for each in hit.steps[:-1]]
        assert hit.steps[-1].after == hit.rank
        assert hit.score == pytest.approx(sum(hit.explanation.values()))
    assert memory.search("Who drinks coffee?")[0].steps == ()
