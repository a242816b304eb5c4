"""The bench of facts, with next to nothing to do."""

import json
from typing import Any

import pytest
from rich.console import Console

from bench.facts import FactSizes
from bench.facts_command import facts_command
from bench.synthetic_facts import VALUES_PER_KEY, key_count, key_of, synthetic_facts

TINY = FactSizes(
    revisions=(40, 950),
    reads=3,
    log_events=60,
    asserts=3,
    chain_lengths=(2, 3),
    joins=2,
    turns=20,
    facts=20,
    questions=12,
)


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("bench")
    console = Console(quiet=True)
    out = folder / "facts.json"
    facts_command(console, folder=folder, repetitions=2, sizes=TINY, out=out)
    found: dict[str, Any] = json.loads(out.read_text("utf-8"))["figures"]
    assert [path.name for path in folder.iterdir()] == ["facts.json"]
    return found


def test_every_part_of_the_facts_is_measured(figures: dict[str, Any]) -> None:
    assert list(figures) == ["reads", "fold", "assert", "chains", "search"]
    assert list(figures["reads"]) == ["40", "950"]
    assert list(figures["chains"]) == ["2", "3"]
    for name in ("key_ms", "key_at_time_ms", "subject_ms", "key_now_ms"):
        assert 0 < figures["reads"]["40"][name]["p50"] <= figures["reads"]["40"][name]["p95"]
    assert figures["search"]["search_after_a_new_fact_ms"]["p50"] > 0


def test_a_memory_has_about_as_many_revisions_as_it_is_to_have(figures: dict[str, Any]) -> None:
    assert figures["reads"]["950"]["facts"] == 508
    assert figures["reads"]["950"]["revisions"] == pytest.approx(950, abs=10)


def test_the_folded_log_holds_turns_and_facts(figures: dict[str, Any]) -> None:
    fold = figures["fold"]
    assert fold["events"] == pytest.approx(60, abs=6)
    assert (fold["turns"], fold["facts"]) == (24, pytest.approx(17, abs=3))
    for name in ("turns_and_facts", "read", "facts", "revisions", "lexical"):
        assert fold[f"{name}_events_per_s"] > 0


def test_the_same_numbers_give_the_same_facts() -> None:
    assert list(synthetic_facts(30)) == list(synthetic_facts(30))


def test_every_key_gets_its_values_far_apart_and_some_of_them_late() -> None:
    facts = list(synthetic_facts(200))
    assert key_count(200) == 20
    keys = [(fact.subject, fact.predicate) for fact in facts]
    assert keys[:20] == [key_of(number) for number in range(20)]
    assert len(set(keys)) == 20
    own = [fact for fact in facts if (fact.subject, fact.predicate) == key_of(7)]
    assert len(own) == VALUES_PER_KEY
    late = sum(
        earlier.valid_from > later.valid_from
        for key in range(20)
        for earlier, later in zip(facts[key::20], facts[key + 20 :: 20], strict=False)
    )
    assert 10 < late < 70
    assert all(fact.valid_from <= fact.said_at for fact in facts)
