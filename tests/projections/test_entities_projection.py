"""What the rows of `entities` say, and who is who by them."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.catalogue import AliasRemoved, EntityAliased, SessionStarted
from smriti_es.projections.entities import EntitiesProjection, Names, names_at


def aliased(alias: str, canonical: str) -> EntityAliased:
    return EntityAliased(alias=alias, canonical=canonical)


@pytest.fixture
def entities(alone: Callable[..., Any]) -> Any:
    """The projection `entities` on a log of its own."""
    return alone(EntitiesProjection())


def names(entities: Any, known: int | None = None) -> Names:
    log = entities.projector.log
    with log.database.read() as connection:
        return names_at(connection, log.log, 1, known)


def test_an_alias_is_kept_in_key_form_and_as_it_was_given(entities: Any) -> None:
    at = entities.append(aliased(" Caf\u00e9  Oslo", "CAFE\u0301"))
    assert entities.rows() == [
        {
            "position": at,
            "alias": "café oslo",
            "canonical": "café",
            "alias_name": " Caf\u00e9  Oslo",
            "canonical_name": "CAFE\u0301",
            "known_from": entities.known(at),
            "known_to": None,
        }
    ]


def test_an_alias_that_is_taken_back_is_closed(entities: Any) -> None:
    at = entities.append(aliased("Rae", "Rachel"), aliased("Ray", "Rachel"))
    gone = entities.append(AliasRemoved(aliased=at))
    closed, open_ = entities.rows()
    assert (closed["known_to"], open_["known_to"]) == (entities.known(gone), None)
    assert names(entities).all_of("rachel") == ("rachel", "ray")


def test_who_is_who_is_asked_at_a_knowledge_time(entities: Any) -> None:
    first = entities.append(aliased("Rae", "Rachel"))
    second = entities.append(aliased("Ray", "Rae"))
    third = entities.append(AliasRemoved(aliased=first))
    for known, expected in (
        (entities.known(first) - 1, ("rachel",)),
        (entities.known(first), ("rachel", "rae")),
        (entities.known(second), ("rachel", "rae", "ray")),
        (entities.known(third) - 1, ("rachel", "rae", "ray")),
        (entities.known(third), ("rachel",)),
        (None, ("rachel",)),
    ):
        assert names(entities, known).all_of("rachel") == expected
    assert names(entities).root("ray") == "rae"


def test_other_events_leave_no_row(entities: Any) -> None:
    entities.append(SessionStarted(session="walks", space="main"))
    assert entities.rows() == []


@pytest.mark.parametrize("batch", [1, 2, 1000])
@pytest.mark.parametrize("erased", [None, 1, 2, 3])
def test_rows_come_out_the_same_in_whatever_portions_the_log_is_folded(
    batch: int, erased: int | None, entities: Any
) -> None:
    entities.append(aliased("Rae", "Rachel"), aliased("Ray", "Rachel"))
    entities.append(AliasRemoved(aliased=1))
    if erased is not None:
        entities.erase(erased)
    entities.fold_anew(1000)
    before = entities.fingerprint, entities.rows()
    entities.fold_anew(batch)
    assert (entities.fingerprint, entities.rows()) == before
    # That an alias was taken back stands in the header too, but an erased event says nothing.
    assert {row["position"] for row in entities.rows()} == {1, 2} - {erased}


@pytest.mark.parametrize("column", ["alias", "canonical", "alias_name", "known_from", "known_to"])
def test_a_single_changed_value_changes_the_fingerprint(
    column: str, entities: Any, tamper: Callable[..., int]
) -> None:
    entities.append(aliased("Rae", "Rachel"))
    before = entities.fingerprint
    assert tamper(f"UPDATE alias_v1_g1 SET {column} = 77") == 1
    assert entities.fingerprint != before


def test_the_canonical_name_stands_for_all_others() -> None:
    who = Names([("b", "a"), ("c", "b"), ("e", "d")])
    assert [who.root(name) for name in "abcdex"] == ["a", "a", "a", "d", "d", "x"]
    assert (who.all_of("c"), who.all_of("x")) == (("a", "b", "c"), ("x",))


letters = st.sampled_from("abcdef")


@given(st.lists(st.tuples(letters, letters), max_size=8))
def test_names_fall_into_groups_each_with_one_that_stands_for_it(
    pairs: list[tuple[str, str]],
) -> None:
    who = Names(pairs)
    groups: list[set[str]] = [{name} for name in "abcdef"]
    for one, other in pairs:
        joined = set().union(*(group for group in groups if {one, other} & group))
        groups = [group for group in groups if not group & joined] + [joined]
    for group in groups:
        assert len({who.root(name) for name in group}) == 1
        assert all(set(who.all_of(name)) == group for name in group)
        assert who.root(min(group)) in group
