"""What a bundle may leave out, and how it is tied to what was signed: both verifiers agree."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LOG = "5f" * 16
WITHHELD = {"withheld": [[1, 1], [5, 6]]}


def test_a_payload_that_is_declared_withheld_is_no_fault(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files(withheld=[1, 5, 6]), **WITHHELD)
    assert verify(folder, tiny.signer.vkey).code == 0


@pytest.mark.parametrize(
    ("withheld", "broken"),
    [
        ([[1, 1], [5, 5]], (6, "payloads.jsonl")),  # 6 is missing
        ([[1, 1], [5, 7]], (7, "manifest.json")),  # 7 is there
        ([[1, 1], [4, 6]], (4, "manifest.json")),  # 4 never had any
        ([[1, 1], [3, 3], [5, 6]], (3, "manifest.json")),  # 3 was erased
        ([[1, 1], [5, 5], [6, 6]], (None, "manifest.json")),  # not the fewest runs
        ([[5, 6], [1, 1]], (None, "manifest.json")),
        ([[1, 1], [6, 5]], (None, "manifest.json")),
        ([[1, 1], [5, 11]], (None, "manifest.json")),  # beyond the end
        ([[1, 1], [5]], (None, "manifest.json")),
        ({}, (None, "manifest.json")),
        ([[1, 1], [5, "6"]], (None, "manifest.json")),
    ],
)
def test_what_is_withheld_must_be_declared_exactly(
    withheld: Any, broken: Any, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files(withheld=[1, 5, 6]), withheld=withheld)
    key = tiny.signer.vkey
    assert verify(folder, key).code == 1
    for answer in (verify.of_engine(folder, key), verify.of_script(folder, key)):
        assert broken in answer.broken


def test_a_bundle_of_headers_alone_is_whole(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    everything = [0, 1, 5, 6, 7, 8, 9, 10]
    folder = bundle(tmp_path / "b", tiny.files(withheld=everything), withheld=[[0, 1], [5, 10]])
    assert verify(folder, tiny.signer.vkey).code == 0


@pytest.mark.parametrize(("first", "stop"), [(0, 3), (1, 5), (3, 11), (5, 6), (7, 10), (10, 11)])
def test_a_stretch_is_tied_to_the_checkpoint_by_one_proof(
    first: int, stop: int, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    # What is erased only behind the stretch is declared withheld.
    gone = [each for each in (2, 3) if first <= each < stop <= 6]
    folder = bundle(
        tmp_path / "b",
        tiny.files(first, stop),
        first=first,
        withheld=[[gone[0], gone[-1]]] if gone else [],
    )
    answer = verify(folder, tiny.signer.vkey)
    assert (answer.code, answer.broken) == (0, [])


def test_a_stretch_without_its_proof_is_broken(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    files = tiny.files(5, 10)
    del files["inclusion"]
    folder = bundle(tmp_path / "b", files, first=5)
    assert verify(folder, tiny.signer.vkey).broken == [(None, "checkpoint")]


def test_a_stretch_with_the_proof_of_another_event_is_broken(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    files = tiny.files(5, 10) | {"inclusion": tiny.files(5, 7)["inclusion"]}
    folder = bundle(tmp_path / "b", files, first=5)
    assert verify(folder, tiny.signer.vkey).broken == [(9, "inclusion")]


def test_a_stretch_that_was_told_otherwise_is_broken(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    proof = tiny.files(5, 10)["inclusion"]
    note = tiny.checkpoint()
    tiny.entries[5].payload = (bytes(32), b"a lie")
    files = tiny.files(5, 10) | {"inclusion": proof, "checkpoint": note}
    folder = bundle(tmp_path / "b", files, first=5)
    assert verify(folder, tiny.signer.vkey).broken == [(9, "inclusion")]


def test_a_stretch_behind_its_checkpoint_is_broken(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    files = tiny.files(7, 10, size=11) | {"checkpoint": tiny.checkpoint(7)}
    del files["inclusion"]
    folder = bundle(tmp_path / "b", files, first=7)
    assert verify(folder, tiny.signer.vkey).broken == [(None, "checkpoint")]


def test_a_stretch_begins_and_ends_with_a_commit(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    assert verify(bundle(tmp_path / "b", tiny.files(8, 10), first=8), tiny.signer.vkey).code == 1
    assert verify(bundle(tmp_path / "b", tiny.files(7, 9), first=7), tiny.signer.vkey).code == 1


def test_without_a_key_the_signature_is_not_checked_and_that_is_said(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    answer = verify(folder)
    assert (answer.code, len(answer.incomplete)) == (2, 1)
    assert verify(folder, unsigned=True).code == 0


def test_without_a_checkpoint_nothing_signed_is_compared_and_that_is_said(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files(size=0))
    answer = verify(folder, tiny.signer.vkey)
    assert answer.code == 2
    assert "no checkpoint" in answer.incomplete[0]
    assert verify(folder, unsigned=True).code == 0


def test_events_behind_the_checkpoint_stand_under_none_and_that_is_said(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files(size=7))
    answer = verify(folder, tiny.signer.vkey)
    assert (answer.code, answer.incomplete) == (2, ["events from 7 on stand under no checkpoint"])


@pytest.mark.parametrize("size", [0, 1, 5, 8, 11])
def test_a_whole_log_continues_every_older_checkpoint(
    size: int, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    assert verify(folder, tiny.signer.vkey, since=[tiny.checkpoint(size)]).code == 0


def test_an_older_checkpoint_of_a_longer_log_shows_that_it_was_cut_off(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    newest = tiny.checkpoint()
    del tiny.entries[10:]
    folder = bundle(tmp_path / "b", tiny.files())
    answer = verify(folder, tiny.signer.vkey, since=[newest])
    assert answer.code == 1


def test_an_older_checkpoint_of_another_past_shows_that_it_was_told_anew(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    before = tiny.checkpoint(6)
    tiny.entries[1].payload = (bytes(32), b"a lie")
    folder = bundle(tmp_path / "b", tiny.files())
    assert verify(folder, tiny.signer.vkey).code == 0
    assert verify(folder, tiny.signer.vkey, since=[before]).code == 1


def test_an_older_checkpoint_that_nobody_signed_is_broken(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    key = tiny.signer.vkey
    tiny.signer.secret = bytes(32)
    assert verify(folder, key, since=[tiny.checkpoint(6)]).code == 1


def test_an_older_checkpoint_of_another_log_is_broken(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    other = tiny.checkpoint(6, origin="example.com/log")
    assert verify(folder, tiny.signer.vkey, since=[other]).code == 1


@pytest.mark.parametrize("old", [1, 2, 4, 5, 7, 10])
def test_a_stretch_continues_an_older_checkpoint_by_a_proof(
    old: int, tiny: Any, bundle: Any, verify: Any, older_proof: Any, tmp_path: Path
) -> None:
    files = tiny.files(7, 10) | {"consistency": older_proof(tiny, old, 11)}
    folder = bundle(tmp_path / "b", files, first=7)
    key, note = tiny.signer.vkey, tiny.checkpoint(old)
    assert verify(folder, key, since=[note]).code == 0
    assert verify(folder, key).code == 2
    tiny.entries[0].header["known"] += 1
    assert verify(folder, key, since=[tiny.checkpoint(old)]).code == 1


def test_the_checkpoint_itself_may_be_the_older_one(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files(7, 10), first=7)
    key = tiny.signer.vkey
    assert verify(folder, key, since=[tiny.checkpoint(11)]).code == 0
    tiny.entries[0].header["known"] += 1
    assert verify(folder, key, since=[tiny.checkpoint(11)]).code == 1


def test_an_older_checkpoint_that_no_proof_leads_from_cannot_be_compared(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files(7, 10), first=7)
    answer = verify(folder, tiny.signer.vkey, since=[tiny.checkpoint(5)])
    assert (answer.code, answer.incomplete) == (
        2,
        ["no proof leads from the older checkpoint of 5"],
    )


def test_proofs_without_a_checkpoint_are_broken(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    files = tiny.files(7, 10)
    del files["checkpoint"]
    assert verify(bundle(tmp_path / "b", files, first=7), unsigned=True).code == 1


def test_a_witness_signs_beside_the_log(
    tiny: Any, bundle: Any, verify: Any, other_signer: Any, tmp_path: Path
) -> None:
    note = tiny.checkpoint().decode()
    text = note.partition("\n\n")[0] + "\n"
    files = tiny.files() | {"checkpoint": tiny.signer.note(text, other_signer)}
    folder = bundle(tmp_path / "b", files)
    assert verify(folder, tiny.signer.vkey, other_signer.vkey).code == 0
    assert verify(folder, other_signer.vkey).code == 0
    answer = verify(folder, tiny.signer.vkey)
    assert (answer.code, len(answer.remarks)) == (0, 1)
    other_signer.secret, own = bytes(32), other_signer.vkey
    files = files | {"checkpoint": tiny.signer.note(text).decode().encode()}
    assert verify(bundle(tmp_path / "b", files), own).code == 1


def test_a_log_that_was_restored_has_another_identity_since(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    tiny.commit(("LogRestored", {"size": 20, "root": "ab" * 32}, b"{}"))
    origin = f"smriti-es/{LOG}/11"
    key = tiny.signer.vkey
    files = tiny.files() | {"checkpoint": tiny.checkpoint(origin=origin)}
    assert verify(bundle(tmp_path / "b", files), key).code == 0
    assert verify(bundle(tmp_path / "b", tiny.files()), key).code == 1


@pytest.mark.parametrize("spec", ["smriti-es-bundle/2", "smriti-es-bundle/10"])
def test_a_newer_bundle_is_told_as_such_and_not_as_damage(
    spec: str, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files(), spec=spec)
    answer = verify(folder, tiny.signer.vkey)
    assert (answer.code, answer.broken) == (2, [])
    assert spec in answer.incomplete[0]


def test_events_of_a_newer_format_are_told_as_such_and_not_as_damage(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    for entry in tiny.entries[7:]:
        entry.header["spec"] = "smriti-es/2"
    answer = verify(bundle(tmp_path / "b", tiny.files()), tiny.signer.vkey)
    assert (answer.code, answer.broken) == (2, [])
    assert answer.incomplete[0].startswith("position 7: ")


def test_what_stands_before_events_of_a_newer_format_is_checked(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    for entry in tiny.entries[7:]:
        entry.header["spec"] = "smriti-es/2"
    files = tiny.files()
    files["payloads.jsonl"] = files["payloads.jsonl"].replace(b'"pos":1}', b'"pos":2}')
    assert verify(bundle(tmp_path / "b", files), tiny.signer.vkey).code == 1


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("events.jsonl", lambda content: b"x" * 70_000 + b"\n" + content),
        ("events.jsonl", lambda content: b"[" * 60_000 + b"\n" + content),
        ("events.jsonl", lambda content: b'{"x":' * 10_000 + b"\n" + content),
        ("events.jsonl", lambda content: content.replace(b'"ver":1', b'"ver":' + b"9" * 5_000, 1)),
        ("events.jsonl", lambda content: content[:-1]),
        ("events.jsonl", lambda content: b"\n" + content),
        ("events.jsonl", lambda content: content.replace(b"\n", b"\r\n")),
        ("events.jsonl", lambda content: content.decode().encode("utf-16")),
        ("payloads.jsonl", lambda content: content[:-1]),
        ("payloads.jsonl", lambda content: content.replace(b'"body"', b' "body"', 1)),
        ("payloads.jsonl", lambda content: content + b"{}\n"),
        ("payloads.jsonl", lambda content: b""),
        ("checkpoint", lambda content: b""),
        ("checkpoint", lambda content: b"x" * 2_000_000),
        ("checkpoint", lambda content: content.replace(b"\n", b"\r\n")),
        ("checkpoint", lambda content: content[:-1]),
        ("checkpoint", lambda content: content.replace(b"\n11\n", b"\n011\n")),
        ("checkpoint", lambda content: content + b"\n"),
        ("checkpoint", lambda content: b"\xff" + content),
    ],
)
def test_files_that_nobody_writes_are_broken_and_break_no_verifier(
    name: str,
    change: Callable[[bytes], bytes],
    tiny: Any,
    bundle: Any,
    verify: Any,
    tmp_path: Path,
) -> None:
    files = tiny.files()
    files[name] = change(files[name])
    answer = verify(bundle(tmp_path / "b", files, events=11), tiny.signer.vkey)
    assert answer.code == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda content: b"",
        lambda content: b"null\n",
        lambda content: b"[]\n",
        lambda content: content[:-1],
        lambda content: content + b"\n",
        lambda content: content.replace(b'"first":0', b'"first":-1'),
        lambda content: content.replace(b'"first":0', b'"first":0.0'),
        lambda content: content.replace(b'"first":0', b'"first":true'),
        lambda content: content.replace(b'"first":0', b'"first": 0'),
        lambda content: content.replace(b'"events":11', b'"events":0'),
        lambda content: content.replace(b'"events":11', b'"events":12'),
        lambda content: content.replace(b'"events":11', b'"events":10'),
        lambda content: content.replace(b'"log":"5f', b'"log":"5F'),
        lambda content: content.replace(b'"log":"5f', b'"log":"5e'),
        lambda content: content.replace(b'"checkpoint"', b'"chickpoint"'),
        lambda content: content.replace(b'"events.jsonl"', b'"../events.jsonl"'),
        lambda content: content.replace(b'"withheld":[]', b'"extra":1,"withheld":[]'),
        lambda content: content.replace(b"smriti-es-bundle/1", b"smriti-es-bundle/0"),
        lambda content: b"[" * 100_000 + b"\n",
    ],
)
def test_a_manifest_that_nobody_writes_is_broken(
    change: Callable[[bytes], bytes],
    tiny: Any,
    bundle: Any,
    manifest: Any,
    verify: Any,
    tmp_path: Path,
) -> None:
    files = tiny.files()
    files["manifest.json"] = change(manifest(files))
    assert verify(bundle(tmp_path / "b", files), tiny.signer.vkey).code == 1
