"""Of the facts about one thing, what holds comes before what does not."""

from collections.abc import Sequence

from smriti_es.beliefs import Fact, FactStatus
from smriti_es.events.key_form import key_form


def holding_first(facts: Sequence[Fact]) -> list[Fact]:
    """Put of the facts of one key those first that hold at the time asked about.

    Two values of one key are found by nearly the same words, so that their ranks say little; which
    of them holds is known. Each key keeps the places that the ranking gave it.

    Args:
        facts: Best first.
    """
    ordered = list(facts)
    places: dict[tuple[str, str, str, str], list[int]] = {}
    for place, fact in enumerate(facts):
        places.setdefault(_key(fact), []).append(place)
    for of_key in places.values():
        own = sorted((facts[place] for place in of_key), key=_holds_not)
        for place, fact in zip(of_key, own, strict=True):
            ordered[place] = fact
    return ordered


def _key(fact: Fact) -> tuple[str, str, str, str]:
    return (fact.space, key_form(fact.subject), fact.predicate, key_form(fact.scope))


def _holds_not(fact: Fact) -> bool:
    return fact.status is not FactStatus.CURRENT
