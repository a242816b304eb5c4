"""What the verbs about facts take, keep and refuse."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import EntityAliased, FactAsserted, FactEnded, FactRetracted
from smriti_es.events.errors import InvalidInput, NotAllowed, NotFound

Open = Callable[..., Engine]
START = 1_780_394_400_000_000


def asserted(memory: Engine, position: int) -> FactAsserted:
    (recorded,) = memory.events(position, position + 1)
    assert isinstance(recorded.event, FactAsserted)
    return recorded.event


def test_a_fact_that_is_stated_keeps_everything_that_was_said_of_it(memory: Engine) -> None:
    position = memory.assert_fact(
        "Rachel Smith",
        "Works at",
        "Acme  Ltd",
        statement="Rachel Smith has worked at Acme since March 2024.",
        scope="project: Atlas",
        valid_from="2024-03",
        valid_to="2027-01-01",
        said_at="2026-05-01T12:00:00+02:00",
        kind="profile",
        entities=["Acme"],
        tags=["work", "people"],
        metadata={"level": 4},
    )
    event = asserted(memory, position)
    assert (event.subject, event.predicate, event.object) == (
        "Rachel Smith",
        "works_at",
        "Acme  Ltd",
    )
    assert event.statement == "Rachel Smith has worked at Acme since March 2024."
    assert (event.scope, event.kind, event.source, event.origin) == (
        "project:Atlas",
        "profile",
        "direct",
        "owner",
    )
    assert (event.valid_precision, event.valid_text) == ("month", "2024-03")
    assert (event.entities, event.tags, event.metadata) == (
        ["Acme"],
        ["people", "work"],
        {"level": 4},
    )
    (fact,) = memory.facts(scopes=["project:Atlas"])
    assert fact.interval == ("2024-03-01T00:00:00.000000Z", "2027-01-01T00:00:00.000000Z")
    assert (fact.precision, fact.said_at) == ("month", 1_777_629_600_000_000)


def test_a_fact_without_times_holds_since_it_is_said(memory: Engine) -> None:
    memory.assert_fact("user", "likes", "tea")
    (fact,) = memory.facts()
    assert fact.valid_from == fact.said_at == START + 1_000_000
    assert (fact.precision, fact.statement) == ("instant", "user likes tea")


def test_times_without_an_offset_are_read_in_the_zone_of_the_memory(engine: Open) -> None:
    memory = engine(extractor=None, timezone="Asia/Kolkata")
    memory.assert_fact("pump", "state", "on", valid_from="2026-04-01T10:00:00")
    assert memory.facts()[0].interval[0] == "2026-04-01T04:30:00.000000Z"


def test_each_statement_has_an_id_of_its_own_and_equal_ones_are_one(memory: Engine) -> None:
    given: dict[str, Any] = {"valid_from": "2024", "said_at": "2026-05-01"}
    first = memory.assert_fact("user", "likes", "tea", **given)
    head = memory.head
    assert memory.assert_fact("user", "likes", "tea", **given) == -1
    assert memory.head == head
    others: list[dict[str, Any]] = [
        {"said_at": "2026-05-02"},
        {"valid_from": "2025"},
        {"valid_to": "2027"},
        {"scope": "project:Atlas"},
        {"multi": True},
    ]
    positions = [memory.assert_fact("user", "likes", "tea", **(given | more)) for more in others]
    assert len({first, *positions}) == 6
    ids = {asserted(memory, position).fact for position in (first, *positions)}
    assert len(ids) == 6
    assert all(len(one) == 32 for one in ids)


def test_what_was_taken_back_does_not_come_back_by_being_sent_again(memory: Engine) -> None:
    given: dict[str, Any] = {"valid_from": "2024", "said_at": "2026-05-01"}
    memory.retract(memory.assert_fact("user", "likes", "tea", **given))
    assert memory.assert_fact("user", "likes", "tea", **given) == -1
    assert memory.facts() == []


@pytest.mark.parametrize(
    "given",
    [
        {"subject": " "},
        {"subject": None},
        {"subject": "x" * 201},
        {"subject": "a\0b"},
        {"predicate": ""},
        {"predicate": "-"},
        {"object": "\n"},
        {"object": "x" * 10_001},
        {"object": "\ud800"},
        {"statement": "\udfff"},
        {"scope": "Atlas"},
        {"scope": ":Atlas"},
        {"scope": "project:"},
        {"scope": "date:2024"},
        {"scope": "project:" + "x" * 200},
        {"scope": 7},
        {"valid_from": "someday"},
        {"valid_from": True},
        {"valid_to": "2019", "valid_from": "2020"},
        {"valid_to": "2020", "valid_from": "2020"},
        {"said_at": "soon"},
        {"kind": ""},
        {"entities": [""]},
        {"tags": "work"},
        {"metadata": {"a": {"b": 1}}},
    ],
    ids=str,
)
def test_what_cannot_be_stored_as_it_is_is_refused_and_nothing_written(
    given: dict[str, Any], memory: Engine
) -> None:
    head = memory.head
    values: dict[str, Any] = {"subject": "user", "predicate": "likes", "object": "tea"} | given
    with pytest.raises(InvalidInput):
        memory.assert_fact(**values)
    assert memory.head == head


def test_a_premise_must_be_a_fact_that_is_believed(memory: Engine) -> None:
    premise = memory.assert_fact("user", "likes", "tea")
    memory.assert_fact("user", "buys", "tea", because=[premise, premise])
    assert memory.facts("user", "buys")[0].because == (premise,)
    memory.retract(premise)
    head = memory.head
    for nothing in (premise, 0, 999):
        with pytest.raises(NotFound):
            memory.assert_fact("user", "buys", "a kettle", because=[nothing])
    assert memory.head == head


def test_a_fact_rests_on_its_premises(memory: Engine) -> None:
    one = memory.assert_fact("user", "likes", "tea")
    two = memory.assert_fact("user", "has", "a kettle")
    derived = memory.assert_fact("user", "drinks", "tea", because=[two, one])
    assert [cause.position for cause in memory.explain(derived).rests_on] == [one, two]


def test_an_end_without_a_time_is_now(memory: Engine, clock: Any) -> None:
    position = memory.assert_fact("user", "works_at", "Acme", valid_from="2024")
    clock.now = START + 3_600_000_000
    end = memory.end_fact(position, reason="She quit.")
    (recorded,) = memory.events(end, end + 1)
    assert isinstance(recorded.event, FactEnded)
    assert recorded.event.valid_to == recorded.event.said_at == START + 3_600_000_000
    assert (recorded.event.reason, recorded.header.refs) == ("She quit.", (position,))
    assert memory.facts() == []


def test_an_end_keeps_its_time_as_it_was_written(memory: Engine) -> None:
    end = memory.end_fact(memory.assert_fact("user", "is", "in", valid_from="2024"), at="2025-05")
    (recorded,) = memory.events(end, end + 1)
    assert isinstance(recorded.event, FactEnded)
    assert (recorded.event.valid_text, recorded.event.valid_precision) == ("2025-05", "month")


@pytest.mark.parametrize("at", ["2023", "2024", "2024-01-01T00:00:00Z"])
def test_a_fact_cannot_end_before_it_began(at: str, memory: Engine) -> None:
    position = memory.assert_fact("user", "works_at", "Acme", valid_from="2024")
    head = memory.head
    with pytest.raises(InvalidInput):
        memory.end_fact(position, at=at)
    assert memory.head == head


def test_a_fact_that_has_not_begun_cannot_end_now(memory: Engine) -> None:
    position = memory.assert_fact("user", "works_at", "Acme", valid_from="2027")
    with pytest.raises(InvalidInput):
        memory.end_fact(position)


def test_ends_and_retractions_need_a_fact_that_is_believed(memory: Engine) -> None:
    gone = memory.assert_fact("user", "likes", "tea")
    memory.retract(gone, reason="A joke.")
    retracted = [e.event for e in memory.events() if isinstance(e.event, FactRetracted)]
    assert retracted == [FactRetracted(fact=gone, reason="A joke.")]
    head = memory.head
    for nothing in (gone, 0, 10**12):
        with pytest.raises(NotFound):
            memory.retract(nothing)
        with pytest.raises(NotFound):
            memory.end_fact(nothing)
    assert memory.head == head


def test_an_end_is_taken_back_once(memory: Engine) -> None:
    position = memory.assert_fact("user", "likes", "tea", valid_from="2024")
    end = memory.end_fact(position)
    memory.retract_end(end)
    for nothing in (end, position, 999):
        with pytest.raises(NotFound):
            memory.retract_end(nothing)
    assert len(memory.facts()) == 1


def test_an_alias_is_kept_as_it_was_given(memory: Engine) -> None:
    memory.alias("Rachel  SMITH", "Rachel", reason="She said so.")
    (recorded,) = memory.events(1)
    assert recorded.event == EntityAliased(
        alias="Rachel  SMITH", canonical="Rachel", reason="She said so."
    )
    assert (
        memory.names_of("rachel") == memory.names_of("Rachel Smith") == ("rachel", "rachel smith")
    )


def test_an_alias_that_says_nothing_new_is_not_recorded(memory: Engine) -> None:
    memory.alias("Rae", "Rachel")
    memory.alias("Ray", "Rae")
    head = memory.head
    for pair in (("Rae", "rachel"), ("Rachel", "Rae"), ("Ray", "Rachel"), ("Rae", "RAE")):
        memory.alias(*pair)
    assert memory.head == head
    assert memory.names_of("Ray") == ("rachel", "rae", "ray")


def test_an_alias_that_is_taken_back_parts_only_that_name(memory: Engine) -> None:
    memory.alias("Rae", "Rachel")
    memory.alias("Ray", "Rae")
    memory.unalias("RAE")
    assert memory.names_of("Rachel") == ("rachel",)
    assert memory.names_of("Ray") == ("rae", "ray")
    with pytest.raises(NotFound):
        memory.unalias("Rae")


@pytest.mark.parametrize("names", [("", "Rachel"), ("Rachel", " "), ("Rachel", None)])
def test_an_alias_needs_two_names(names: tuple[Any, Any], memory: Engine) -> None:
    with pytest.raises(InvalidInput):
        memory.alias(*names)


def test_a_reason_is_text(memory: Engine) -> None:
    position = memory.assert_fact("user", "likes", "tea", valid_from="2024")
    with pytest.raises(InvalidInput):
        memory.retract(position, reason="\ud800")
    with pytest.raises(InvalidInput):
        memory.end_fact(position, reason=7)  # type: ignore[arg-type]
    assert len(memory.facts()) == 1


def test_a_memory_that_is_opened_to_read_takes_no_fact(engine: Open) -> None:
    engine(extractor=None).assert_fact("user", "likes", "tea")
    reader = engine(extractor=None, read_only=True)
    with pytest.raises(NotAllowed):
        reader.assert_fact("user", "likes", "coffee")
    assert [fact.object for fact in reader.facts()] == ["tea"]


def test_facts_of_other_spaces_and_tenants_are_out_of_reach(engine: Open) -> None:
    engine(extractor=None).assert_fact("user", "lives_in", "Oslo", valid_from="2024")
    beside = engine(extractor=None, space="work")
    beside.assert_fact("user", "lives_in", "Pune", valid_from="2025")
    assert [fact.object for fact in beside.facts()] == ["Pune"]
    assert engine(extractor=None, tenant="other").facts() == []
    both = engine(extractor=None, spaces=["main", "work"])
    assert [fact.object for fact in both.facts()] == ["Oslo", "Pune"]


def test_a_filter_that_is_no_list_is_refused(memory: Engine) -> None:
    wrongs: tuple[Any, ...] = (
        {"scopes": "project:Atlas"},
        {"kinds": "event"},
        {"statuses": "current"},
    )
    for wrong in wrongs:
        with pytest.raises(InvalidInput):
            memory.facts(**wrong)
    for unknown in ({"statuses": ["late"]}, {"scopes": ["Atlas"]}, {"valid_at": "soon"}):
        with pytest.raises(InvalidInput):
            memory.facts(**unknown)
