"""What is kept of facts between questions is what reading them anew would give."""

from typing import Any

import numpy as np
import pytest

from smriti_es import Engine
from smriti_es.recall.visible import VisibleTurns
from smriti_es.recall.visible_facts import FactCache, JoinedRows, VisibleFacts, joined

WORLD_TIMES = (1_600_000_000_000_000, 1_700_000_000_000_000, 1_800_000_000_000_000)


@pytest.fixture
def memory(engine: Any) -> Engine:
    opened: Engine = engine(extractor=None)
    return opened


def seen(memory: Engine, cache: FactCache, valid_at: int, *, history: bool) -> list[list[Any]]:
    opened = memory._opened
    with opened.database.read() as connection:
        facts = cache.load(
            opened.beliefs(connection, None, valid_at),
            memory._fact_filter(None, None, None, None, None, None),
            opened.projector.serving(connection)["lexical"].number,
            lagging_at=None,
            history=history,
        )
    names = {number: name for name, number in facts.numbers.items()}
    columns = (facts.positions, facts.lengths, facts.valid_from, facts.away)
    return [*(column.tolist() for column in columns), [names[n] for n in facts.subjects.tolist()]]


def test_what_changed_since_is_seen_as_if_all_had_been_read_anew(memory: Engine) -> None:
    kept = FactCache()
    rome = memory.assert_fact("Ada", "lives_in", "Rome", valid_from="2020-01")
    seen(memory, kept, WORLD_TIMES[1], history=True)
    oslo = memory.assert_fact("Ada", "lives_in", "Oslo", valid_from="2023-01")
    changes = (
        lambda: memory.assert_fact("Bo", "speaks", "Welsh", multi=True),
        lambda: memory.assert_fact("Ada", "lives_in", "Graz", valid_from="2021-01"),
        lambda: memory.assert_fact("Ada", "lives_in", "Graz", valid_from="2021-06"),
        lambda: memory.end_fact(oslo, at="2023-06"),
        lambda: memory.retract(rome),
        lambda: memory.assert_fact("Ada", "lives_in", "Bath", valid_from="2030-01"),
    )
    for change in changes:
        change()
        for valid_at in WORLD_TIMES:
            for history in (True, False):
                anew = seen(memory, FactCache(), valid_at, history=history)
                assert seen(memory, kept, valid_at, history=history) == anew
    assert seen(memory, kept, WORLD_TIMES[2], history=True)[4] == ["ada", "bo", "ada", "ada"]


def rows_for(memory: Engine, kept: JoinedRows) -> tuple[VisibleTurns, VisibleTurns]:
    """Join what may be seen now, from what was kept and anew."""
    opened = memory._opened
    (turns,) = {
        id(each.turns): each.turns for each in opened.reader.visible._kept.values()
    }.values()
    with opened.database.read() as connection:
        facts = opened.reader.facts.load(
            opened.beliefs(connection, None, WORLD_TIMES[1]),
            memory._fact_filter(None, None, None, None, None, None),
            opened.projector.serving(connection)["lexical"].number,
            lagging_at=None,
            history=True,
        )
    return kept.of(turns, facts), joined(turns, facts)


def test_rows_are_joined_anew_once_turns_or_facts_changed(memory: Engine) -> None:
    kept = JoinedRows()
    seen_rows = []
    for change in (
        lambda: memory.add("I know Ada.", session="s"),
        lambda: memory.assert_fact("Ada", "lives_in", "Rome", valid_from="2020-01"),
        lambda: memory.assert_fact("Ada", "lives_in", "Rome", valid_from="2019-01"),
        lambda: memory.add("Bo, too.", session="s"),
    ):
        change()
        memory.search("Ada")
        rows, anew = rows_for(memory, kept)
        assert rows.positions.tolist() == anew.positions.tolist()
        assert rows.said_at.tolist() == anew.said_at.tolist()
        assert rows_for(memory, kept)[0] is rows
        seen_rows.append(rows)
    assert len({id(rows) for rows in seen_rows}) == 4


def test_no_facts_are_no_rows() -> None:
    none = VisibleFacts.none()
    assert len(none) == 0
    assert none.positions.dtype == np.int64


def test_a_fact_about_a_speaker_is_found_before_one_about_somebody_else(memory: Engine) -> None:
    for number, speaker in enumerate(("Ada", "Bo") * 3):
        memory.add(
            [{"role": "user", "name": speaker, "content": f"Live and learn {number}"}], session="s"
        )
    memory.assert_fact("Bo", "lives_in", "Rome")
    memory.assert_fact("Ada", "lives_in", "Oslo")
    found = memory.search("Where does Ada live?", explain=True)
    scores = {hit.fact.object: hit.score for hit in found if hit.fact is not None}
    assert scores["Oslo"] > scores["Rome"]
    assert next(hit.fact for hit in found if hit.fact is not None).object == "Oslo"


@pytest.mark.parametrize(
    ("question", "first"),
    [("Where does Ada live?", "Oslo"), ("Where will Ada live?", "Bath")],
)
def test_what_is_yet_to_come_comes_first_only_when_it_is_asked_for(
    question: str, first: str, memory: Engine
) -> None:
    says = "Ada will live there"
    memory.assert_fact("Ada", "lives_in", "Bath", valid_from="2030-01", statement=says)
    memory.assert_fact("Ada", "lives_in", "Oslo", statement=f"{says}, and does")
    found = [hit.fact.object for hit in memory.search(question) if hit.fact is not None]
    assert found[0] == first
