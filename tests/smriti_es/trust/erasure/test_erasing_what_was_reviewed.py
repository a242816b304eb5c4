"""What becomes of proposals, and of what an owner said of them, when something is erased."""

from collections.abc import Callable

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactRejected

Open = Callable[..., Engine]


@pytest.fixture
def proposed(engine: Open) -> tuple[Engine, int, int]:
    """An agent has proposed another value than the owner's; their positions."""
    memory = engine()
    owners = memory.assert_fact("Ana", "lives_in", "Pune", valid_from="2024")
    agents = memory.assert_fact("Ana", "lives_in", "Rome", valid_from="2025", origin="agent")
    return memory, owners, agents


def test_a_proposal_against_what_is_erased_waits_on(proposed: tuple[Engine, int, int]) -> None:
    memory, owners, agents = proposed
    assert memory.erase(fact=owners, dry_run=True).waiting == (agents,)
    assert memory.erase(fact=owners).waiting == (agents,)
    assert (memory.facts(), [each.position for each in memory.review()]) == ([], [agents])
    assert memory.verify().ok
    memory.approve(agents)
    assert [fact.object for fact in memory.facts()] == ["Rome"]
    assert memory.verify().ok


def test_a_proposal_against_what_was_never_true_stands(proposed: tuple[Engine, int, int]) -> None:
    memory, owners, _ = proposed
    memory.erase(fact=owners, predecessor="reopen")
    assert [fact.object for fact in memory.facts()] == ["Rome"]


def test_a_corrected_proposal_is_the_owners_word_and_outlives_it(
    proposed: tuple[Engine, int, int],
) -> None:
    memory, _, agents = proposed
    edited = memory.edit(agents, object="Oslo", reason="Ana moved to Oslo, not to Rome.")
    memory.erase(fact=agents)
    assert [fact.object for fact in memory.facts()] == ["Oslo"]
    assert memory.explain(edited).fact.object == "Oslo"
    assert memory.verify().ok


def test_why_a_proposal_was_corrected_goes_with_what_it_was_corrected_to(
    proposed: tuple[Engine, int, int],
) -> None:
    memory, _, agents = proposed
    edited = memory.edit(agents, object="Oslo", reason="Ana moved to Oslo, not to Rome.")
    memory.erase(fact=edited)
    assert not any(isinstance(each.event, FactRejected) for each in memory.events())
    assert memory.verify().ok
