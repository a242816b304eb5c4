"""What an attacker may do to a bundle, hashes repaired, is found by both verifiers and named."""

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Files = dict[str, bytes]
Attack = Callable[[Any, Files], Files]


def lines(files: Files, name: str = "events.jsonl") -> list[bytes]:
    return files[name].splitlines(keepends=True)


def with_lines(files: Files, new: list[bytes], name: str = "events.jsonl") -> Files:
    return files | {name: b"".join(new)}


def rechained(files: Files, change: Callable[[int, dict[str, Any]], None]) -> Files:
    """Change headers and make every link anew, as an attacker without the key would."""
    made, leaf = [], bytes(32)
    for position, line in enumerate(lines(files)):
        header = json.loads(line) | {"prev": leaf.hex()}
        change(position, header)
        encoded = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
        made.append(encoded + b"\n")
        leaf = hashlib.sha256(b"\0" + encoded).digest()
    return with_lines(files, made)


def deleted(tiny: Any, files: Files) -> Files:
    found = lines(files)
    return with_lines(files, found[:5] + found[6:])


def swapped(tiny: Any, files: Files) -> Files:
    found = lines(files)
    found[7], found[8] = found[8], found[7]
    return with_lines(files, found)


def duplicated(tiny: Any, files: Files) -> Files:
    found = lines(files)
    return with_lines(files, [*found[:6], found[5], *found[6:]])


def cut_off(tiny: Any, files: Files) -> Files:
    kept = with_lines(files, lines(files)[:-1])
    return with_lines(kept, lines(files, "payloads.jsonl")[:-1], "payloads.jsonl")


def half_a_commit(tiny: Any, files: Files) -> Files:
    kept = with_lines(files, lines(files)[:-2])
    return with_lines(kept, lines(files, "payloads.jsonl")[:-2], "payloads.jsonl")


def spliced(tiny: Any, files: Files) -> Files:
    """The first half of one log and the second of another, links repaired."""
    return rechained(files, lambda at, header: header.update(log="aa" * 16) if at > 5 else None)


def retold(tiny: Any, files: Files) -> Files:
    """Another payload for an event, with a commitment and links to fit."""
    tiny.entries[5].payload = (bytes(32), b"a lie")
    made: Files = tiny.files()
    return made | {"checkpoint": files["checkpoint"]}


def rekeyed(tiny: Any, files: Files) -> Files:
    found = lines(files, "payloads.jsonl")
    payload = json.loads(found[1])
    payload["key"] = "ab" * 32
    found[1] = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    return with_lines(files, found, "payloads.jsonl")


def exchanged(tiny: Any, files: Files) -> Files:
    """Two payloads change their places."""
    found = [json.loads(line) for line in lines(files, "payloads.jsonl")]
    found[1]["pos"], found[2]["pos"] = found[2]["pos"], found[1]["pos"]
    found[1], found[2] = found[2], found[1]
    made = [json.dumps(each, sort_keys=True, separators=(",", ":")).encode() for each in found]
    return with_lines(files, [line + b"\n" for line in made], "payloads.jsonl")


def left_out(tiny: Any, files: Files) -> Files:
    found = lines(files, "payloads.jsonl")
    return with_lines(files, found[:2] + found[3:], "payloads.jsonl")


def told_twice(tiny: Any, files: Files) -> Files:
    found = lines(files, "payloads.jsonl")
    return with_lines(files, [*found[:2], found[1], *found[2:]], "payloads.jsonl")


def brought_back(tiny: Any, files: Files) -> Files:
    """A payload that was erased, with any key."""
    line = {"body": base64.b64encode(b"secret").decode(), "key": "00" * 32, "pos": 3}
    encoded = json.dumps(line, sort_keys=True, separators=(",", ":")).encode()
    found = lines(files, "payloads.jsonl")
    return with_lines(files, [*found[:2], encoded + b"\n", *found[2:]], "payloads.jsonl")


def added(tiny: Any, files: Files) -> Files:
    """A payload for an event that never had one."""
    line = {"body": "", "key": "00" * 32, "pos": 4}
    encoded = json.dumps(line, sort_keys=True, separators=(",", ":")).encode()
    found = lines(files, "payloads.jsonl")
    return with_lines(files, [*found[:2], encoded + b"\n", *found[2:]], "payloads.jsonl")


def beyond(tiny: Any, files: Files) -> Files:
    line = {"body": "", "key": "00" * 32, "pos": 99}
    encoded = json.dumps(line, sort_keys=True, separators=(",", ":")).encode()
    found = lines(files, "payloads.jsonl")
    return with_lines(files, [*found, encoded + b"\n"], "payloads.jsonl")


def clock_set_back(tiny: Any, files: Files) -> Files:
    return rechained(files, lambda at, header: header.update(known=1) if at == 6 else None)


def commits_joined(tiny: Any, files: Files) -> Files:
    return rechained(files, lambda at, header: header.update(commit=[5, 2]) if at == 5 else None)


def erased_what_is_to_come(tiny: Any, files: Files) -> Files:
    return rechained(
        files, lambda at, header: header.update(x={"ranges": [[2, 8]]}) if at == 6 else None
    )


def refers_ahead(tiny: Any, files: Files) -> Files:
    return rechained(files, lambda at, header: header.update(refs=[9]) if at == 8 else None)


def headless(tiny: Any, files: Files) -> Files:
    return rechained(files, lambda at, header: header.update(type="Born") if at == 0 else None)


def no_number(tiny: Any, files: Files) -> Files:
    return rechained(files, lambda at, header: header.update(known=1.5) if at == 8 else None)


def another_key(tiny: Any, files: Files) -> Files:
    tiny.signer.secret = bytes(32)
    return files | {"checkpoint": tiny.checkpoint()}


def another_log(tiny: Any, files: Files) -> Files:
    return files | {"checkpoint": tiny.checkpoint(origin=f"smriti-es/{'aa' * 16}")}


def never_restored(tiny: Any, files: Files) -> Files:
    return files | {"checkpoint": tiny.checkpoint(origin=f"smriti-es/{tiny.log}/4")}


def proof_of_nothing(tiny: Any, files: Files) -> Files:
    return files | {"inclusion": tiny.proof("index 1", [], files["checkpoint"])}


ATTACKS: dict[Attack, tuple[int | None, str]] = {
    deleted: (5, "events.jsonl"),
    swapped: (7, "events.jsonl"),
    duplicated: (6, "events.jsonl"),
    cut_off: (None, "checkpoint"),
    half_a_commit: (9, "events.jsonl"),
    spliced: (6, "events.jsonl"),
    retold: (None, "checkpoint"),
    rekeyed: (1, "payloads.jsonl"),
    exchanged: (1, "payloads.jsonl"),
    left_out: (5, "payloads.jsonl"),
    told_twice: (1, "payloads.jsonl"),
    brought_back: (3, "payloads.jsonl"),
    added: (4, "payloads.jsonl"),
    beyond: (99, "payloads.jsonl"),
    clock_set_back: (6, "events.jsonl"),
    commits_joined: (6, "events.jsonl"),
    erased_what_is_to_come: (6, "events.jsonl"),
    refers_ahead: (8, "events.jsonl"),
    headless: (0, "events.jsonl"),
    no_number: (8, "events.jsonl"),
    another_key: (None, "checkpoint"),
    another_log: (None, "checkpoint"),
    never_restored: (None, "checkpoint"),
    proof_of_nothing: (None, "proofs"),
}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_an_attack_is_found_and_named_by_both_verifiers(
    attack: Attack, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    key = tiny.signer.vkey
    folder = bundle(tmp_path / "b", attack(tiny, tiny.files()))
    assert verify(folder, key).code == 1
    for answer in (verify.of_engine(folder, key), verify.of_script(folder, key)):
        assert ATTACKS[attack] in answer.broken


def test_what_nobody_touched_is_found_to_be_right(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    answer = verify(bundle(tmp_path / "b", tiny.files()), tiny.signer.vkey)
    assert (answer.code, answer.broken, answer.incomplete) == (0, [], [])


def test_a_file_that_is_not_the_listed_one_is_found(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    (folder / "FORMAT.md").write_text("Whatever.\n")
    assert verify(folder, tiny.signer.vkey).broken == [(None, "FORMAT.md")]


@pytest.mark.parametrize("name", ["events.jsonl", "payloads.jsonl", "checkpoint", "FORMAT.md"])
def test_a_file_that_is_gone_is_found(
    name: str, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    (folder / name).unlink()
    answer = verify(folder, tiny.signer.vkey)
    assert answer.code == 1
    assert (None, name) in answer.broken


def test_a_file_of_ours_that_is_not_listed_is_found(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    (folder / "facts.jsonl").write_text("{}\n")
    assert verify(folder, tiny.signer.vkey).broken == [(None, "facts.jsonl")]


def test_a_strange_file_is_remarked_and_no_fault(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    (folder / "notes.txt").write_text("Mine.\n")
    for answer in (
        verify.of_engine(folder, tiny.signer.vkey),
        verify.of_script(folder, tiny.signer.vkey),
    ):
        assert answer.code == 0
        assert answer.remarks == ["'notes.txt' is no file of the bundle"]


def test_a_verifier_in_the_bundle_that_is_not_this_one_is_remarked(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    files = tiny.files() | {"verify_bundle.py": b"print('ok')\n"}
    answer = verify(bundle(tmp_path / "b", files), tiny.signer.vkey)
    assert answer.code == 0
    assert answer.remarks == ["the verifier in the bundle is another one than this"]
