"""Inputs that other memories got wrong: what is deleted and is still there (BC-23 to BC-33)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from smriti_es.cli import app
from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import Erased
from smriti_es.events.errors import NotFound
from smriti_es.projections.facts import fact_tables

Open = Callable[..., Engine]


def found(memory: Engine, question: str) -> list[str]:
    """Give everything that any read finds."""
    return [
        *(fact.statement for fact in memory.facts(statuses=None, kinds=None)),
        *(turn.text for turn in memory.turns()),
        *(session.name for session in memory.sessions()),
        *(each.fact.statement for each in memory.history()),
        *(hit.text for hit in memory.search(question, k=100)),
        *memory.context(question).text.splitlines(),
    ]


def test_bc_23_what_is_deleted_is_found_by_no_read_in_no_process_and_after_no_restart(
    engine: Open, embedder: Embedder, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(embedder=embedder, extractor=line_extractor())
    for said in ("Ana | likes | tea", "Ana | lives_in | Pune", "Ana | plays | the veena"):
        memory.add(said, session="s1")
    memory.wait_for_vectors()
    second = engine(embedder=embedder, extractor=None)
    question = "What does Ana like, and where does she live?"
    assert all(len(found(each, question)) > 9 for each in (memory, second))
    memory.erase(space="main")
    assert [found(each, question) for each in (memory, second)] == [[], []]
    memory.close()
    second.close()
    assert found(engine(embedder=embedder, extractor=None), question) == []


def test_bc_24_deleting_everything_deletes_more_than_the_first_page(engine: Open) -> None:
    memory = engine(extractor=None)
    for number in range(257):
        memory.assert_fact("Ana", "owns", f"book {number}", multi=True)
    erased = memory.erase(entity="Ana")
    assert (len(erased.content.facts), memory.status().facts, memory.facts()) == (257, 0, [])


def test_bc_26_a_forgotten_record_comes_back_from_no_search_and_an_audit_sees_that_it_was(
    engine: Open, embedder: Embedder
) -> None:
    memory = engine(embedder=embedder, extractor=None)
    (safe,) = memory.add("Safe is behind the painting.", session="s1").positions
    memory.add("The painting is by Amrita.", session="s1")
    memory.wait_for_vectors()
    assert safe in [hit.position for hit in memory.search("where is the safe")]
    memory.erase(turn=safe)
    hits = memory.search("where is the safe")
    assert [(hit.text, hit.channels) for hit in hits if "Safe" in hit.text] == []
    assert safe not in [hit.position for hit in hits]
    (audited,) = memory.events(safe, safe + 1)
    assert (audited.header.type, audited.event) == ("TurnRecorded", None)


def test_bc_28_what_is_derived_is_gone_though_its_links_were_lost(
    engine: Open, tamper: Callable[..., int], line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    (turn,) = memory.add("Bolt B7 | fits | frame F2", session="s1").positions
    memory.add("Bolt B8 | fits | frame F3", session="s1")
    entity = fact_tables(1).entity.name
    assert tamper(f"DELETE FROM {entity} WHERE position = 4") > 0
    memory.erase(turn=turn)
    for name in ("facts", "lexical", "entities", "lineage"):
        memory.rebuild(name)
    assert [each.object for each in memory.facts()] == ["frame F3"]
    assert memory.facts(entity="Bolt B7") == []
    assert {report.ok for report in memory.check()} == {True}


def test_bc_29_what_another_space_has_as_well_stays_there(
    engine: Open, embedder: Embedder, line_extractor: Callable[..., Any]
) -> None:
    north, south = (
        engine(space=name, embedder=embedder, extractor=line_extractor())
        for name in ("north", "south")
    )
    for each in (north, south):
        each.add("manual-3 | says | to oil the hinge", session="manual-3")
        each.wait_for_vectors()
    before = found(south, "What does the manual say?")
    north.erase(session="manual-3")
    assert found(north, "What does the manual say?") == []
    assert found(south, "What does the manual say?") == before
    assert len(before) > 3


def test_bc_31_nothing_leads_to_what_is_deleted(engine: Open) -> None:
    memory = engine(extractor=None)
    rain = memory.assert_fact("rain", "falls_in", "Pune")
    flood = memory.assert_fact("river", "floods", "Pune", because=[rain])
    assert memory.impact(fact=rain).facts == (rain, flood)
    memory.erase(fact=flood)
    assert memory.impact(fact=rain).facts == (rain,)
    memory.erase(fact=rain)
    assert (memory.facts(statuses=None), memory.status().facts) == ([], 0)
    with pytest.raises(NotFound):
        memory.explain(flood)
    assert {report.ok for report in memory.check()} == {True}


def test_bc_31_what_follows_from_what_is_deleted_goes_with_it(engine: Open) -> None:
    memory = engine(extractor=None)
    rain = memory.assert_fact("rain", "falls_in", "Pune")
    flood = memory.assert_fact("river", "floods", "Pune", because=[rain])
    assert memory.erase(fact=rain).content.facts == (rain, flood)
    assert memory.status().facts == 0


def test_bc_32_a_deletion_has_a_time_an_actor_and_a_reason_after_what_it_deletes(
    engine: Open,
) -> None:
    memory = engine(extractor=None)
    (turn,) = memory.add("x", session="s1", at="2026-01-01").positions
    memory.erase(turn=turn, actor="admin", reason="asked for")
    recorded, erased = (
        each for each in memory.events() if each.header.type in ("TurnRecorded", "Erased")
    )
    assert (recorded.position, erased.header.facets["ranges"]) == (turn, [[turn, turn]])
    assert recorded.header.actor.id == "local"
    assert (erased.header.actor.kind, erased.header.actor.id) == ("owner", "admin")
    assert isinstance(erased.event, Erased)
    assert erased.event.reason == "asked for"
    assert erased.position > recorded.position
    assert erased.header.known > recorded.header.known > 0


@pytest.fixture
def three(engine: Open, line_extractor: Callable[..., Any]) -> Callable[[str], list[int]]:
    """Make a memory with three turns, of each of which something was learned; closed."""

    def make(name: str) -> list[int]:
        with engine(name, extractor=line_extractor()) as memory:
            return [
                *memory.add("Ana | likes | tea", session="s1").positions,
                *memory.add("Ana | likes | rain", session="s1").positions,
                *memory.add("Ana | likes | bees", session="s1").positions,
            ]

    return make


def run(place: Path | str, *arguments: object) -> Any:
    environment = {"SMRITI_ES_DB": str(place), "SMRITI_ES_EMBEDDER": "none"}
    return CliRunner().invoke(app, [str(each) for each in arguments], env=environment)


def test_bc_33_one_item_is_deleted_alike_by_the_engine_and_the_command_line(
    engine: Open, places: Any, three: Callable[[str], list[int]]
) -> None:
    left = []
    for name in ("by-engine.db", "by-command.db"):
        ids = three(name)
        if name == "by-engine.db":
            with engine(name, extractor=None) as memory:
                memory.erase(turn=ids[1])
        else:
            assert run(places.named(name), "erase", "--turn", ids[1]).exit_code == 0
        with engine(name, extractor=None) as memory:
            objects = [each.object for each in memory.facts()]
            types = [(each.header.type, each.event is None) for each in memory.events()]
            left.append((objects, len(memory.turns()), types))
    assert left[0] == left[1]
    assert left[0][:2] == (["tea", "bees"], 2)


def test_bc_33_deleting_twice_and_deleting_what_never_was_records_nothing(
    engine: Open, places: Any, three: Callable[[str], list[int]]
) -> None:
    ids = three("memory.db")
    memory = engine(extractor=None)
    memory.erase(turn=ids[1])
    before = memory.head
    for position in (ids[1], 999):
        with pytest.raises(NotFound):
            memory.erase(turn=position)
        done = run(places.named("memory.db"), "erase", "--turn", position)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr == f"error: no turn at {position}\n"
    assert memory.head == before
