"""`Engine.import_file`: once, in parts, tried before, and each record accounted for."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es import importing
from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput

Open = Callable[..., Engine]


def line(session: str, content: str, **more: Any) -> dict[str, Any]:
    return {"session": session, "role": "user", "content": content, **more}


@pytest.fixture
def chats(tmp_path: Path) -> Callable[..., Path]:
    """Write lines to a file."""

    def write(*lines: Any) -> Path:
        file = tmp_path / "chats.jsonl"
        file.write_text("".join(f"{json.dumps(each)}\n" for each in lines), "utf-8")
        return file

    return write


def test_importing_twice_adds_nothing(chats: Callable[..., Path], engine: Open) -> None:
    file = chats(line("a", "ok"), line("a", "ok"), line("b", "ok", timestamp="2026-01-15"))
    memory = engine()
    first = memory.import_file(file)
    second = memory.import_file(file)
    assert (first.recorded, first.replayed) == (3, 0)
    assert (second.recorded, second.replayed, second.head) == (0, 3, first.head)


def test_a_grown_file_adds_what_is_new(chats: Callable[..., Path], engine: Open) -> None:
    memory = engine()
    said = [line("a", text, id=text) for text in ("one", "two", "three")]
    memory.import_file(chats(*said[:2]))
    done = memory.import_file(chats(*said))
    assert (done.recorded, done.replayed) == (1, 2)
    assert [turn.text for turn in memory.turns()] == ["one", "two", "three"]


def test_a_dry_run_decides_and_writes_nothing(chats: Callable[..., Path], engine: Open) -> None:
    memory = engine()
    memory.import_file(chats(line("a", "one", id="1")))
    head = memory.head
    file = chats(line("a", "one", id="1"), line("a", "two", id="2"), line("b", " "), {"role": "x"})
    tried = memory.import_file(file, dry_run=True)
    assert (tried.recorded, tried.replayed, tried.dry_run) == (1, 1, True)
    assert tried.reasons == {"empty": 1, "unreadable": 1}
    assert memory.head == tried.head == head
    done = memory.import_file(file)
    assert (done.recorded, done.replayed, done.left_out) == (1, 1, tried.left_out)


def test_a_dry_run_tries_facts_on_another_memory(tmp_path: Path, engine: Open) -> None:
    fact = {"id": 1, "subject": "rachel", "predicate": "lives_in", "object": "Pune"}
    file = tmp_path / "smriti.json"
    whole = {"version": 3, "episodes": [], "facts": [fact, fact | {"scope": "nonsense"}]}
    file.write_text(json.dumps(whole), "utf-8")
    memory = engine()
    tried = memory.import_file(file, dry_run=True)
    assert (tried.stated, len(tried.faults), memory.facts("rachel")) == (1, 1, [])


def test_what_holds_for_an_import_holds_for_each_turn(
    chats: Callable[..., Path], engine: Open
) -> None:
    memory = engine()
    file = chats(line("a", "one", tags=["x"]), line("a", "two", origin="tool"))
    memory.import_file(file, session_prefix="old/", origin="untrusted", tags=["import"])
    assert [(t.session, t.origin, t.tags) for t in memory.turns()] == [
        ("old/a", "untrusted", ("import", "x")),
        ("old/a", "untrusted", ("import",)),
    ]


def test_what_was_erased_stays_out_unless_it_is_wanted(
    chats: Callable[..., Path], engine: Open
) -> None:
    memory = engine()
    file = chats(line("a", "one", id="1"), line("a", "two", id="2"))
    memory.import_file(file)
    memory.erase(turn=memory.turns()[0].position)
    kept_out = memory.import_file(file)
    assert (kept_out.recorded, kept_out.erased, kept_out.replayed) == (0, 1, 1)
    assert memory.import_file(file, readmit=True).recorded == 1


def test_a_turn_that_came_again_with_other_words_is_named(
    chats: Callable[..., Path], engine: Open
) -> None:
    memory = engine()
    memory.import_file(chats(line("a", "one", id="1")))
    assert memory.import_file(chats(line("a", "uno", id="1"))).kept == (("a", "1"),)


def test_credentials_are_taken_out_and_counted(chats: Callable[..., Path], engine: Open) -> None:
    memory = engine(redact=True)
    token = "ghp_" + "a1B2" * 9
    done = memory.import_file(chats(line("a", f"the token is {token}")))
    assert sum(done.redacted.values()) == 1
    assert token not in memory.turns()[0].text


def test_facts_are_found_in_what_was_imported(chats: Callable[..., Path], engine: Open) -> None:
    memory = engine()
    memory.import_file(chats(line("a", "I live in Pune.", timestamp="2026-01-15")))
    assert [each.object for each in memory.facts("user", "lives_in")] == ["Pune"]


def test_what_is_recorded_at_once_is_bounded_and_progress_is_told(
    chats: Callable[..., Path], engine: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "_PARTS_MAX", 2)
    file = chats(*(line(f"s{number}", "one") for number in range(5)))
    told: list[tuple[str, int, int]] = []
    heads: list[int] = []
    memory = engine()
    real = memory._add_part

    def counted(commands: Any) -> Any:
        heads.append(len(commands))
        return real(commands)

    monkeypatch.setattr(memory, "_add_part", counted)
    memory.import_file(file, progress=lambda *each: told.append(each))
    assert heads == [2, 2, 1]
    size = file.stat().st_size
    assert [phase for phase, _, _ in told] == ["import file"] * len(told)
    assert (told[-1][1], told[-1][2]) == (size, size)


def test_one_message_that_cannot_be_recorded_costs_itself_only(
    chats: Callable[..., Path], engine: Open
) -> None:
    memory = engine()
    done = memory.import_file(chats(*(line("a", str(n), tags=n % 2) for n in range(4))))
    assert [turn.text for turn in memory.turns()] == []
    assert [each.place.line for each in done.faults] == [1, 2, 3, 4]


def test_a_session_that_cannot_be_named_costs_itself_only(
    chats: Callable[..., Path], engine: Open
) -> None:
    memory = engine()
    named = {"session": "a", "session_tags": 7, "session_metadata": {}}
    done = memory.import_file(chats(named, line("a", "one"), line("b", "two")))
    assert [turn.text for turn in memory.turns()] == ["two"]
    assert [each.reason for each in done.left_out] == ["unreadable"]


def test_an_option_that_cannot_be_used_is_refused_before_anything_is_read(
    chats: Callable[..., Path], engine: Open
) -> None:
    memory = engine()
    with pytest.raises(InvalidInput, match="origin is 'nobody'"):
        memory.import_file(chats(line("a", "one")), origin="nobody")
    with pytest.raises(InvalidInput, match="tags"):
        memory.import_file(chats(line("a", "one")), tags="work")
    with pytest.raises(InvalidInput, match="session_prefix"):
        memory.import_file(chats(line("a", "one")), session_prefix=7)  # type: ignore[arg-type]
