"""`Engine.export_audit`: what of a memory is handed on, and what of it is shown."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from smriti_es.audit_verbs import Disclosed
from smriti_es.engine import Engine
from smriti_es.events.audit.checking import check_bundle
from smriti_es.events.errors import InvalidInput, NotFound


@pytest.fixture
def moved(engine: Callable[..., Engine]) -> Iterator[Engine]:
    """A memory of somebody who moved: two sessions, with a fact each."""
    memory = engine()
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15")
    memory.add("I moved to Bengaluru on June 1st.", session="s2", at="2026-06-02")
    yield memory


def types_shown(folder: Path, memory: Engine) -> list[str]:
    lines = (folder / "payloads.jsonl").read_text().splitlines()
    types = [event.header.type for event in memory.events()]
    return [types[json.loads(line)["pos"]] for line in lines]


def test_the_whole_log_is_exported_with_all_of_its_content(moved: Engine, tmp_path: Path) -> None:
    exported = moved.export_audit(tmp_path / "b")
    assert (exported.first, exported.events, exported.withheld) == (0, moved.head + 1, 0)
    checked = check_bundle(tmp_path / "b", unsigned=True)
    assert checked.ok
    assert checked.disclosed == moved.head + 1


def test_a_stretch_is_widened_to_whole_commits(moved: Engine, tmp_path: Path) -> None:
    commits = [event.header.commit for event in moved.events()]
    first, last = 2, 6
    exported = moved.export_audit(tmp_path / "b", first=first, last=last)
    assert exported.first == commits[first][0] < first
    assert exported.first + exported.events == sum(commits[last])
    assert check_bundle(tmp_path / "b", unsigned=True).ok


def test_no_content_is_shown_when_none_is_to_be(moved: Engine, tmp_path: Path) -> None:
    exported = moved.export_audit(tmp_path / "b", disclose="none")
    assert exported.withheld == exported.events
    assert check_bundle(tmp_path / "b", unsigned=True).disclosed == 0


def test_a_session_is_shown_with_its_turns_and_nothing_else(moved: Engine, tmp_path: Path) -> None:
    moved.export_audit(tmp_path / "b", disclose=Disclosed(sessions=["s2"]))
    assert types_shown(tmp_path / "b", moved) == ["SessionStarted", "TurnRecorded"]
    assert "Hyderabad" not in (tmp_path / "b" / "payloads.jsonl").read_text()


def test_types_and_positions_are_shown_beside_each_other(moved: Engine, tmp_path: Path) -> None:
    chosen = Disclosed(positions=[0, (1, 2)], types=["FactSuperseded"])
    moved.export_audit(tmp_path / "b", disclose=chosen)
    assert types_shown(tmp_path / "b", moved) == [
        "LogOpened",
        "SessionStarted",
        "TurnRecorded",
        "FactSuperseded",
    ]


def test_facts_revisions_and_fingerprints_come_along_when_asked_for(
    moved: Engine, tmp_path: Path
) -> None:
    moved.export_audit(tmp_path / "b", derived=True)
    facts = (tmp_path / "b" / "facts.jsonl").read_text().splitlines()
    assert [json.loads(line)["value"] for line in facts] == ["hyderabad", "bengaluru"]
    assert (tmp_path / "b" / "revisions.jsonl").read_text().count("\n") > 2
    said = json.loads((tmp_path / "b" / "fingerprints.json").read_text())
    assert said["facts"]["sha256"] == next(
        each.live for each in moved.check() if each.projection == "facts"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"derived": True, "disclose": "none"}, "follow from the whole log"),
        ({"derived": True, "last": 0}, "follow from the whole log"),
        ({"disclose": "some"}, "disclose is 'some'"),
        ({"disclose": Disclosed(types=["Rumour"])}, "no event type 'Rumour'"),
        ({"disclose": Disclosed(positions=[-1])}, "position"),
        ({"first": -1}, "first"),
        ({"first": 5, "last": 2}, "lies behind the last"),
    ],
)
def test_what_cannot_be_exported_is_refused_and_leaves_nothing(
    options: dict[str, Any], message: str, moved: Engine, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=message):
        moved.export_audit(tmp_path / "b", **options)
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    "options", [{"last": 99}, {"disclose": Disclosed(sessions=["s9"])}], ids=["position", "session"]
)
def test_what_is_not_there_cannot_be_exported(
    options: dict[str, Any], moved: Engine, tmp_path: Path
) -> None:
    with pytest.raises(NotFound):
        moved.export_audit(tmp_path / "b", **options)


def test_an_engine_that_only_reads_exports_as_well(
    moved: Engine, engine: Callable[..., Engine], tmp_path: Path
) -> None:
    reader = engine(read_only=True)
    assert reader.export_audit(tmp_path / "b").events == moved.head + 1
