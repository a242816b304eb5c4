"""`export`: everything held on somebody, and nothing that is held on others alone."""

import hashlib
import hmac
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput
from smriti_es.extraction.digest_writer import DigestWriter

Open = Callable[..., Engine]
Export = Callable[..., list[dict[str, Any]]]


def by_position(lines: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    return {line["position"]: line for line in lines[1:-1]}


def of(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines[1:-1] if line["record"] == kind]


def test_facts_of_every_state_are_held(held: Any, exported: Export) -> None:
    found, said = by_position(exported(held.memory)), held.said
    names = ("old", "new", "proposed", "rejected", "retracted", "withheld")
    states = {name: found[said[name]]["standing"]["state"] for name in names}
    assert states == {
        "old": "admitted",
        "new": "admitted",
        "proposed": "proposed",
        "rejected": "rejected",
        "retracted": "retracted",
        "withheld": "admitted",
    }
    assert found[said["old"]]["standing"]["superseded_by"] == said["new"]
    (quarantine,) = held.memory.quarantines()
    assert found[said["withheld"]]["withheld_by"] == [quarantine.position]


def test_a_fact_is_told_with_each_belief_about_it(held: Any, exported: Export) -> None:
    revisions = by_position(exported(held.memory))[held.said["old"]]["standing"]["revisions"]
    assert [(each["valid_from"], each["valid_to"]) for each in revisions] == [
        ("2024-01-01T00:00:00.000000Z", None),
        ("2024-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.000000Z"),
    ]


def test_turns_say_why_they_are_held(held: Any, exported: Export) -> None:
    found = {each["position"]: each["why"] for each in of(exported(held.memory), "turn")}
    said = held.said
    assert found == {
        said["hers"]: ["names them", "said by them"],
        said["source"]: ["source of a fact about them"],
        said["named"]: ["names them"],
    }


def test_a_turn_is_told_with_its_session_and_what_was_said(held: Any, exported: Export) -> None:
    (turn,) = [
        each
        for each in of(exported(held.memory), "turn")
        if each["position"] == held.said["source"]
    ]
    assert (turn["session"], turn["content"]["text"]) == ("s1", "She | works_at | Acme")


def test_a_fact_on_somebody_else_that_rests_on_their_word_is_named_without_what_it_says(
    held: Any, exported: Export
) -> None:
    (boat,) = held.memory.facts("Tom", "owns")
    record = by_position(exported(held.memory))[boat.position]
    assert "content" not in record
    assert "key" not in record
    assert "standing" not in record
    assert record["left_out"].startswith("it is about somebody else")


def test_facts_of_the_same_extraction_on_others_alone_are_not_held(
    held: Any, exported: Export
) -> None:
    (rome,) = held.memory.facts("Tom", "lives_in")
    found = by_position(exported(held.memory))
    assert rome.position not in found
    assert held.said["his"] not in found


def test_what_a_model_replied_is_held(held: Any, exported: Export) -> None:
    (extraction,) = of(exported(held.memory), "extraction")
    assert "She works at Acme" in extraction["content"]["replies"][0]


def test_decisions_quarantines_and_answers_are_held(held: Any, exported: Export) -> None:
    lines = exported(held.memory)
    decisions = {(each["type"], each["content"].get("reason")) for each in of(lines, "decision")}
    assert {
        ("FactRejected", "made up"),
        ("FactRetracted", "a mix-up"),
        ("FactProposed", None),
        ("FactSuperseded", None),
    } <= decisions
    assert [each["content"]["reason"] for each in of(lines, "quarantine")] == [
        "somebody else spoke"
    ]
    (served,) = of(lines, "served")
    assert held.said["new"] in served["content"]["items"]


def test_a_released_quarantine_is_held_with_its_release(held: Any, exported: Export) -> None:
    (quarantine,) = held.memory.quarantines()
    held.memory.release(quarantine.position, reason="it was her")
    lines = exported(held.memory)
    assert [each["type"] for each in of(lines, "quarantine")] == ["Quarantined", "Released"]
    assert "withheld_by" not in by_position(lines)[held.said["withheld"]]


def test_digests_are_held(held: Any, exported: Export, summing: Callable[[str], Any]) -> None:
    held.memory.observe(writer=DigestWriter(summing("She moved to Oslo.")), subject="Rachel")
    statements = {each["content"]["statement"] for each in of(exported(held.memory), "digest")}
    assert statements == {"She moved to Oslo."}


def test_every_alias_in_any_spelling_is_looked_for(held: Any, exported: Export) -> None:
    held.memory.alias("Ray", "Rachel")
    (ray,) = held.memory.add("RAY   called.", session="s2").positions
    lines = exported(held.memory, about="  rAy ")
    assert lines[0]["names"] == ["rachel", "ray"]
    assert {ray, held.said["new"]} <= set(by_position(lines))
    assert [each["content"]["alias"] for each in of(lines, "alias")] == ["Ray"]


def test_every_record_can_be_checked_against_the_log(held: Any, exported: Export) -> None:
    leaves = {event.position: event.leaf.hex() for event in held.memory.events()}
    checked = 0
    for record in exported(held.memory)[1:-1]:
        header = record["header"].encode("ascii")
        assert hashlib.sha256(b"\0" + header).hexdigest() == record["leaf"]
        assert leaves[record["position"]] == record["leaf"]
        if "key" in record:
            body = json.dumps(
                record["content"], ensure_ascii=False, sort_keys=True, separators=(",", ":")
            ).encode()
            key = bytes.fromhex(record["key"])
            commitment = hmac.digest(key, b"smriti-es/commit/1\0" + body, "sha256").hex()
            assert json.loads(header)["pay"] == {"c": commitment, "n": len(body)}
            checked += 1
    assert checked == 19


def test_the_first_line_says_up_to_where_it_knows_the_log(held: Any, exported: Export) -> None:
    head = exported(held.memory)[0]
    assert head["head"]["position"] == held.memory.head
    assert head["head"]["leaf"] == held.memory.status().head
    assert (head["record"], head["format"], head["about"], head["spaces"]) == (
        "export",
        "smriti-es/about/1",
        "Rachel",
        ["main"],
    )


def test_the_last_line_counts_what_came_before(held: Any, exported: Export) -> None:
    lines = exported(held.memory)
    assert lines[-1]["record"] == "total"
    assert sum(lines[-1]["records"].values()) == len(lines) - 2


def test_the_digest_is_that_of_the_file(held: Any, tmp_path: Path) -> None:
    written = held.memory.export(tmp_path / "rachel.jsonl", about="Rachel")
    assert written.digest == hashlib.sha256(Path(written.path).read_bytes()).hexdigest()


def test_another_space_is_not_looked_into_and_that_is_said(
    held: Any, engine: Open, exported: Export
) -> None:
    other = engine(space="elsewhere", extractor=None)
    other.add("Rachel has a secret.", session="s9")
    other.quarantine(session="s9", reason="Rachel wants it so")
    lines = exported(held.memory)
    assert "secret" not in json.dumps(lines)
    assert "wants it so" not in json.dumps(lines)
    assert lines[0]["not_looked_at"][0].startswith("1 other space of this memory")
    both = engine(space="elsewhere", spaces=["main", "elsewhere"], extractor=None)
    lines = exported(both)
    assert "secret" in json.dumps(lines)
    assert "wants it so" in json.dumps(lines)
    assert not lines[0]["not_looked_at"][0].startswith("1 other space")


def test_another_tenant_is_not_looked_into(held: Any, engine: Open, exported: Export) -> None:
    engine(tenant="stranger").add("Rachel has a secret.", session="s9")
    assert "secret" not in json.dumps(exported(held.memory))


def test_what_was_erased_is_not_held_and_that_is_said(held: Any, exported: Export) -> None:
    held.memory.erase(fact=held.said["new"], reason="Rachel asked for it")
    lines = exported(held.memory)
    assert "Oslo" not in json.dumps(lines)
    assert "events whose content was erased" in lines[0]["not_looked_at"][0]
    erasures = [each["content"].get("reason") for each in of(lines, "erasure")]
    assert "Rachel asked for it" in erasures


def test_a_hold_on_them_is_held(held: Any, exported: Export) -> None:
    hold = held.memory.place_hold(entity="RACHEL", reason="a lawsuit", authority="court")
    held.memory.release_hold(hold)
    holds = [each["type"] for each in of(exported(held.memory), "hold")]
    assert holds == ["HoldPlaced", "HoldReleased"]


def test_of_somebody_unknown_nothing_is_held(held: Any, tmp_path: Path) -> None:
    written = held.memory.export(tmp_path / "nobody.jsonl", about="Mallory")
    assert (written.total, dict(written.records)) == (0, {})
    assert Path(written.path).read_text("utf-8").count("\n") == 2


def test_the_user_is_whoever_speaks_in_that_role(engine: Open, exported: Export) -> None:
    memory = engine()
    turns = [
        {"role": "user", "content": "I live in Pune."},
        {"role": "assistant", "content": "The user said so."},
        {"role": "user", "name": "Tom", "content": "Hello."},
        {"role": "user", "content": "Tom: Hello again."},
    ]
    mine = memory.add(turns, session="s1").positions[0]
    lines = exported(memory, about="user")
    assert [each["position"] for each in of(lines, "turn")] == [mine]
    assert [each["content"]["object"] for each in of(lines, "fact")] == ["Pune"]
    assert any("'user', which is a role" in each for each in lines[0]["not_looked_at"])


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_memory_is_bounded_however_much_is_held(engine: Open, tmp_path: Path, form: Any) -> None:
    memory = engine(extractor=None)
    long = "Rachel said much. " * 500
    for part in range(6):
        memory.add([f"{part} {number} {long}" for number in range(120)], session=f"s{part}")
    tracemalloc.start()
    memory.export(tmp_path / "rachel", about="Rachel", form=form)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert Path(tmp_path / "rachel").stat().st_size > 6_000_000
    assert peak < 4_000_000


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"about": " "}, "about is blank"),
        ({"about": 7}, "about must be text"),
        ({"form": "xml"}, "form is 'xml'"),
        ({"others": "none"}, "others is 'none'"),
        ({"path": ""}, "path is empty"),
        ({"path": "a\0b"}, "path holds NUL"),
        ({"path": 7}, "path must be text"),
    ],
)
def test_what_cannot_be_used_is_refused_and_makes_no_file(
    held: Any, tmp_path: Path, wrong: dict[str, Any], told: str
) -> None:
    before = sorted(tmp_path.iterdir())
    given = {"path": tmp_path / "new.jsonl", "about": "Rachel", **wrong}
    with pytest.raises(InvalidInput, match=told):
        held.memory.export(given.pop("path"), **given)
    assert sorted(tmp_path.iterdir()) == before
