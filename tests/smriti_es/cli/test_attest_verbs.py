"""`log checkpoint`, `log prove`, `log keys`, `log restored`, and `log verify --checkpoint`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es import check_consistency, check_inclusion
from smriti_es.events.signed_note import COSIGNATURE, NoteKey

Call = Callable[..., Any]


@pytest.fixture
def signed(two_homes: Call) -> Call:
    """The command line, over a memory with a key (position 7) and a checkpoint of 8 events."""
    assert two_homes("log", "checkpoint").code == 0
    return two_homes


def keys(call: Call) -> list[str]:
    return [each["key"] for each in call("log", "keys", "--json").json["keys"]]


def test_a_checkpoint_is_shown_as_a_signed_note(two_homes: Call) -> None:
    done = two_homes("log", "checkpoint")
    assert done.code == 0
    origin, size, _, gap, signature = done.out.splitlines()
    assert (size, gap) == ("8", "")
    assert signature.startswith(f"\u2014 {origin} ")
    assert "hint: Keep a copy where" in done.err


def test_a_checkpoint_in_json_has_its_parts_and_the_note(two_homes: Call) -> None:
    made = two_homes("log", "checkpoint", "--json").json
    assert (made["size"], made["signatures"]) == (8, [made["origin"]])
    assert made["note"].splitlines()[0] == made["origin"]


def test_a_checkpoint_is_written_to_a_file_by_which_the_log_is_verified(
    two_homes: Call, tmp_path: Path
) -> None:
    done = two_homes("log", "checkpoint", "--out", "note")
    assert "hint" not in done.err
    assert (tmp_path / "note").read_text("utf-8") == done.out
    verified = two_homes("log", "verify", "--checkpoint", "note")
    assert (verified.code, verified.err) == (0, "")


def test_the_newest_checkpoint_can_be_shown_again(signed: Call) -> None:
    shown = signed("log", "checkpoint", "--show")
    assert shown.out == signed("log", "checkpoint").out
    assert shown.err == ""


def test_without_a_checkpoint_there_is_none_to_show(two_homes: Call) -> None:
    done = two_homes("log", "checkpoint", "--show")
    assert (done.code, done.out) == (2, "")
    assert "no checkpoint yet" in done.err


def test_no_memory_is_made_for_a_checkpoint(call: Call, tmp_path: Path) -> None:
    assert call("log", "checkpoint").code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_that_cannot_be_written_is_told(two_homes: Call) -> None:
    done = two_homes("log", "checkpoint", "--out", "no/such/folder")
    assert done.code == 2
    assert "cannot be written" in done.err


def test_a_folder_witnesses_a_checkpoint(two_homes: Call, tmp_path: Path) -> None:
    made = two_homes("log", "checkpoint", "--witness", "elsewhere", "--json").json
    assert made["signatures"][1].startswith("smriti-es-witness/")
    assert (tmp_path / "elsewhere" / "witness.key").is_file()


def test_a_witness_out_of_reach_is_told_and_the_checkpoint_is_kept(two_homes: Call) -> None:
    key = NoteKey("witness.example", COSIGNATURE, bytes(range(32)))
    done = two_homes("log", "checkpoint", "--witness", f"http://127.0.0.1:9#{key}")
    assert done.code == 2
    assert "\n8\n" in done.out
    assert "the witness witness.example at http://127.0.0.1:9/add-checkpoint" in done.err
    assert two_homes("log", "checkpoint", "--show").out == done.out


def test_of_several_witnesses_those_that_can_be_reached_sign(two_homes: Call) -> None:
    key = NoteKey("witness.example", COSIGNATURE, bytes(range(32)))
    places = (f"http://127.0.0.1:9#{key}", "elsewhere", f"http://127.0.0.1:9/other#{key}")
    options = [word for place in places for word in ("--witness", place)]
    done = two_homes("log", "checkpoint", *options)
    assert done.code == 2
    assert "smriti-es-witness/" in done.out
    assert "note: the witness witness.example at http://127.0.0.1:9/other" in done.err


def test_a_witness_without_a_key_is_refused_before_anything_is_signed(two_homes: Call) -> None:
    done = two_homes("log", "checkpoint", "--witness", "https://witness.example")
    assert (done.code, done.out) == (2, "")
    assert "names no public key" in done.err
    assert two_homes("log", "keys", "--json").json == {"keys": []}


def test_a_proof_of_an_event_is_checked_by_its_text_its_header_and_a_key(
    signed: Call, tmp_path: Path
) -> None:
    done = signed("log", "prove", 6, "--header", "header.json")
    header = (tmp_path / "header.json").read_bytes()
    assert json.loads(header)["pos"] == 6
    assert check_inclusion(done.out, header, keys(signed)).size == 8


def test_a_proof_in_json_carries_everything(signed: Call) -> None:
    made = signed("log", "prove", 6, "--json").json
    assert check_inclusion(made["proof"], made["header"].encode(), keys(signed)).size == 8
    assert (made["position"], len(made["hashes"])) == (6, 3)
    assert made["checkpoint"]["size"] == 8


def test_a_log_is_proved_to_go_on_from_an_older_checkpoint(signed: Call) -> None:
    older = signed("log", "checkpoint", "--show").out
    signed("add", "One thing more.")
    signed("log", "checkpoint")
    done = signed("log", "prove", "--since", 8)
    assert check_consistency(done.out, older, keys(signed)).size == 10


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "either an event or --since"),
        ((6, "--since", 3), "either an event or --since"),
        ((8,), "attests 8 events, none at 8"),
        (("--since", 9), "9 events are more than the 8"),
    ],
)
def test_what_cannot_be_proved_is_told(
    signed: Call, arguments: tuple[object, ...], told: str
) -> None:
    done = signed("log", "prove", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_an_event_that_is_not_what_was_attested_ends_with_1(
    signed: Call, behind_the_back: Callable[..., int]
) -> None:
    assert behind_the_back("UPDATE event SET leaf = zeroblob(32) WHERE position = 6")
    assert signed("log", "prove", 5).code == 1


def test_a_memory_without_a_checkpoint_has_no_key(two_homes: Call) -> None:
    assert two_homes("log", "keys").out == (
        "There is no key yet: the first checkpoint makes one.\n"
    )
    assert two_homes("log", "keys", "--json").json == {"keys": []}


def test_the_keys_of_a_log_are_shown_with_who_endorsed_them(signed: Call) -> None:
    assert signed("log", "keys", "--rotate", "--reason", "A new laptop.").code == 0
    signed("log", "keys", "--rotate", "--lost")
    rows = [line.split() for line in signed("log", "keys").out.splitlines()]
    assert [row[:2] for row in rows[1:]] == [["7", "first"], ["8", "yes"], ["9", "NO"]]
    assert [row[2] for row in rows[1:]] == keys(signed)


def test_a_lost_key_is_said_only_of_a_rotation(signed: Call) -> None:
    done = signed("log", "keys", "--lost")
    assert done.code == 2
    assert "--rotate" in done.err


def test_a_cut_off_end_is_told_with_its_position(
    signed: Call, behind_the_back: Callable[..., int], tmp_path: Path
) -> None:
    signed("add", "One thing more.")
    signed("log", "checkpoint", "--out", "note")
    (tmp_path / "note").write_text(
        (tmp_path / "note").read_text("utf-8").replace("\n10\n", "\n12\n"), "utf-8"
    )
    done = signed("log", "verify", "--checkpoint", "note", "--json")
    assert done.code == 1
    (finding,) = done.json["log"]["findings"]
    assert (finding["position"], finding["place"]) == (10, "checkpoint")
    assert "attests 12 events, there are 10" in finding["problem"]
    assert "log restored" in done.err


def test_a_checkpoint_that_may_be_anybody_s_ends_with_2(signed: Call, tmp_path: Path) -> None:
    note = signed("log", "checkpoint", "--show").out
    text, _, line = note.rpartition("\u2014")
    _, name, signature = line.split(" ")
    changed = "A" if signature[40] != "A" else "B"
    forged = f"{text}\u2014 {name} {signature[:40]}{changed}{signature[41:]}"
    done = signed("log", "verify", "--checkpoint", "-", stdin=forged)
    assert done.code == 2
    assert done.out.startswith("The log is intact: 8 events")
    assert "note: the checkpoint of 8 events is not signed by the key" in done.err


@pytest.mark.parametrize(
    ("content", "told"), [(None, "there is no file at note"), ("words", "no signed note")]
)
def test_a_checkpoint_that_cannot_be_read_ends_with_2(
    signed: Call, tmp_path: Path, content: str | None, told: str
) -> None:
    if content is not None:
        (tmp_path / "note").write_text(content)
    done = signed("log", "verify", "--checkpoint", "note")
    assert (done.code, done.out) == (2, "")
    assert told in done.err


@pytest.fixture
def put_back(signed: Call, tmp_path: Path) -> Call:
    """The command line, over an older copy of a memory that was attested further."""
    older = (tmp_path / "memory.db").read_bytes()
    signed("add", "One thing more.")
    signed("log", "checkpoint")
    (tmp_path / "memory.db").write_bytes(older)
    return signed


def test_an_older_copy_takes_nothing_in_until_that_is_recorded(put_back: Call) -> None:
    refused = put_back("add", "Another thing.")
    assert refused.code == 1
    assert "the log has 8 events, and a checkpoint of it attests 10" in refused.err
    assert "`smriti-es log restored`" in refused.err
    done = put_back("log", "restored", "--reason", "The disk died.")
    assert done.code == 0
    assert done.out.startswith("Recorded at position 8; the log goes on as smriti-es/")
    assert put_back("add", "Another thing.").code == 0
    assert put_back("log", "verify").code == 0


def test_an_older_copy_is_told_by_status(put_back: Call) -> None:
    assert "nothing can be recorded" in put_back("status").out


def test_a_restore_wants_a_reason(put_back: Call) -> None:
    done = put_back("log", "restored")
    assert done.code == 2
    assert "--reason" in done.err


def test_what_was_not_restored_is_not_recorded_as_such(signed: Call) -> None:
    done = signed("log", "restored", "--reason", "For fun.")
    assert done.code == 2
    assert "goes on from the newest checkpoint" in done.err
