"""What follows from facts takes their scopes and their lowest origin, at any depth."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.view import View

Open = Callable[..., Engine]
ATLAS, AZORES, WORK = "project:Atlas", "trip:Azores", "location:work"


@pytest.fixture
def premises(memory: Engine) -> dict[str, int]:
    """Three facts: in Atlas and of a tool, on the Azores and of an agent, everywhere and owned."""
    return {
        "atlas": memory.assert_fact("Atlas", "budget", "10", scope=ATLAS, origin="tool"),
        "azores": memory.assert_fact("user", "room", "12", scope=AZORES, origin="agent"),
        "free": memory.assert_fact("user", "lives_in", "Oslo"),
    }


def derived(memory: Engine, *because: int, **options: Any) -> Any:
    position = memory.assert_fact("user", "plan", "fly", because=because, **options)
    (fact,) = (f for f in memory.facts("user", "plan", scopes=None) if f.position == position)
    return fact


def plans(view: View, *scopes: str) -> list[str]:
    return [fact.object for fact in view.facts("user", "plan", scopes=scopes)]


def test_a_fact_takes_the_scope_and_the_origin_of_its_premise(
    memory: Engine, premises: dict[str, int]
) -> None:
    fact = derived(memory, premises["atlas"])
    assert (fact.scope, fact.origin) == (ATLAS, "tool")


def test_of_several_premises_it_takes_all_scopes_and_the_lowest_origin(
    memory: Engine, premises: dict[str, int]
) -> None:
    fact = derived(memory, premises["azores"], premises["free"], premises["atlas"])
    assert (fact.scope, fact.origin) == ("project:Atlas & trip:Azores", "tool")


def test_a_fact_without_premises_is_the_owners_and_applies_everywhere(memory: Engine) -> None:
    fact = derived(memory)
    assert (fact.scope, fact.origin) == ("", "owner")


def test_what_follows_from_what_follows_inherits_too(
    memory: Engine, premises: dict[str, int]
) -> None:
    first = memory.assert_fact("user", "mood", "busy", because=[premises["atlas"]])
    fact = derived(memory, first, premises["azores"])
    assert (fact.scope, fact.origin) == ("project:Atlas & trip:Azores", "tool")


def test_scopes_may_be_added_and_the_origin_lowered(
    memory: Engine, premises: dict[str, int]
) -> None:
    fact = derived(memory, premises["azores"], scope=f"{WORK} & Trip:azores", origin="untrusted")
    assert (fact.scope, fact.origin) == ("location:work & Trip:azores", "untrusted")


def test_an_origin_that_is_named_too_high_is_refused_and_nothing_is_recorded(
    memory: Engine, premises: dict[str, int]
) -> None:
    head = memory.head
    with pytest.raises(InvalidInput, match=r"origin agent is higher than tool.*position 1 "):
        derived(memory, premises["atlas"], premises["azores"], origin="agent")
    with pytest.raises(InvalidInput, match="origin is 'king'"):
        derived(memory, origin="king")
    assert memory.head == head


def test_a_premise_that_is_not_believed_is_still_refused(
    memory: Engine, premises: dict[str, int]
) -> None:
    memory.retract(premises["atlas"])
    with pytest.raises(NotFound):
        derived(memory, premises["atlas"])


def test_stating_it_twice_records_it_once(memory: Engine, premises: dict[str, int]) -> None:
    said: dict[str, Any] = {"said_at": "2026-05-01", "because": [premises["atlas"]]}
    assert memory.assert_fact("user", "plan", "fly", **said) > 0
    assert memory.assert_fact("user", "plan", "fly", scope=ATLAS, **said) == -1


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ((), []),
        ((ATLAS,), []),
        ((AZORES,), []),
        ((WORK, AZORES), []),
        ((AZORES, ATLAS), ["fly"]),
        (("TRIP:azores", WORK, "project: atlas"), ["fly"]),
        (("project:Atlas & trip:Azores",), ["fly"]),
    ],
)
def test_a_fact_in_two_scopes_is_read_only_by_who_names_both(
    named: tuple[str, ...], found: list[str], memory: Engine, premises: dict[str, int]
) -> None:
    derived(memory, premises["atlas"], premises["azores"])
    head = memory.head
    assert plans(memory, *named) == found
    assert plans(memory.at(head), *named) == found
    with memory.replay(head) as replay:
        assert plans(replay, *named) == found
    history = memory.history("user", "plan", scopes=list(named))
    assert [each.fact.object for each in history] == found


@pytest.mark.parametrize(("named", "shown"), [([ATLAS], False), ([ATLAS, AZORES], True)])
def test_search_and_context_hold_to_it(
    named: list[str], memory: Engine, premises: dict[str, int], *, shown: bool
) -> None:
    derived(memory, premises["atlas"], premises["azores"], statement="The user will fly to Lisbon.")
    found = memory.search("Who flies to Lisbon?", scopes=named)
    assert ("The user will fly to Lisbon." in [hit.text for hit in found]) is shown
    text = str(memory.context("Who flies to Lisbon?", scopes=named))
    assert ("project:Atlas & trip:Azores] The user will fly to Lisbon." in text) is shown


def test_three_scopes_need_all_three(memory: Engine) -> None:
    memory.assert_fact("user", "plan", "fly", scope=f"{ATLAS} & {AZORES} & {WORK}")
    assert plans(memory, ATLAS, AZORES) == []
    assert plans(memory, WORK, AZORES) == []
    assert plans(memory, WORK, AZORES, ATLAS) == ["fly"]


def test_a_fact_is_read_exactly_when_all_of_its_scopes_are_named(memory: Engine) -> None:
    # Scopes that begin alike, hold one another or look like two.
    scopes = ("p:a", "p:ab", "p:a & b", "q:p:a")
    sets = [set(each) for size in range(5) for each in combinations(scopes, size)]
    for each in sets:
        memory.assert_fact(
            "user", "plan", "+".join(sorted(each)) or "anywhere", multi=True, scope=" & ".join(each)
        )
    for named in sets:
        expected = ["+".join(sorted(each)) or "anywhere" for each in sets if each <= named]
        # In whatever order they are named.
        for order in (sorted(named), sorted(named, reverse=True)):
            assert sorted(plans(memory, *order)) == sorted(expected)


def test_several_scopes_are_one_key_in_any_order_and_no_key_of_either(memory: Engine) -> None:
    memory.assert_fact("user", "seat", "1", scope=ATLAS, valid_from="2024")
    memory.assert_fact("user", "seat", "2", scope=f"{AZORES} & {ATLAS}", valid_from="2025")
    memory.assert_fact("user", "seat", "3", scope="project:atlas & trip:AZORES", valid_from="2026")
    found = memory.facts("user", "seat", scopes=[ATLAS, AZORES], valid_at="2026-02")
    assert [fact.object for fact in found] == ["1", "3"]


def test_a_digest_of_facts_in_several_scopes_is_read_like_them(
    chat: Any, book: Any, memory: Engine
) -> None:
    book.pay("a taxi for $40", "a bus for $25", scope=f"{ATLAS} & {AZORES}", origin="tool")
    book.observe(chat)
    (digest,) = book.digests()
    assert (digest.scope, digest.origin) == ("project:Atlas & trip:Azores", "tool")
    assert memory.facts(kinds=["digest"], scopes=[ATLAS]) == []
    assert memory.facts(kinds=["digest"], scopes=[ATLAS, AZORES]) == [digest]
