"""What a checkpoint and a key may look like, and what is remarked beside them."""

import base64
from pathlib import Path
from typing import Any

import pytest


def unknown(number: int) -> str:
    """A signature line by somebody nobody knows."""
    return f"\u2014 somebody{number} {base64.b64encode(bytes(68)).decode()}\n"


@pytest.mark.parametrize(("others", "code"), [(0, 0), (99, 0), (100, 1)])
def test_a_checkpoint_has_at_most_a_hundred_signatures(
    others: int, code: int, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    note = tiny.checkpoint() + "".join(map(unknown, range(others))).encode()
    folder = bundle(tmp_path / "b", tiny.files() | {"checkpoint": note})
    assert verify(folder, tiny.signer.vkey).code == code


@pytest.mark.parametrize(("size", "code"), [(4, 1), (5, 0)])
def test_a_signature_is_more_than_the_id_of_its_key(
    size: int, code: int, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    line = f"\u2014 somebody {base64.b64encode(bytes(size)).decode()}\n"
    folder = bundle(
        tmp_path / "b", tiny.files() | {"checkpoint": tiny.checkpoint() + line.encode()}
    )
    assert verify(folder, tiny.signer.vkey).code == code


def test_a_checkpoint_without_any_signature_is_none(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    text = tiny.checkpoint().partition(b"\n\n")[0] + b"\n\n"
    folder = bundle(tmp_path / "b", tiny.files() | {"checkpoint": text})
    assert verify(folder, unsigned=True).code == 1


def test_further_lines_of_a_checkpoint_are_signed_as_well(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    text = tiny.checkpoint().decode().partition("\n\n")[0] + "\nan extension\n"
    note = tiny.signer.note(text)
    key = tiny.signer.vkey
    assert verify(bundle(tmp_path / "b", tiny.files() | {"checkpoint": note}), key).code == 0
    changed = note.replace(b"an extension", b"another one.")
    assert verify(bundle(tmp_path / "b", tiny.files() | {"checkpoint": changed}), key).code == 1


def test_a_key_must_have_the_id_and_the_kind_that_it_says(tiny: Any, alone: Any) -> None:
    name, id, material = tiny.signer.vkey.split("+", 2)
    assert alone.read_key(f" {tiny.signer.vkey}\n").public == tiny.signer.public
    for wrong in (
        f"{name}+00000000+{material}",
        f"other+{id}+{material}",
        f"{name}+{id}",
        f"{name}+{id}+{material[:-4]}",
        f"{name}+{id}+{base64.b64encode(bytes([2]) + tiny.signer.public).decode()}",
    ):
        with pytest.raises((alone.Incomplete, alone.Broken)):
            alone.read_key(wrong)


def test_what_follows_from_the_events_is_left_to_an_import_and_that_is_said(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files() | {"facts.jsonl": b"{}\n"})
    key = tiny.signer.vkey
    for answer in (verify.of_engine(folder, key), verify.of_script(folder, key)):
        assert answer.code == 0
        assert answer.remarks == ["facts.jsonl is compared when the bundle is imported, not here"]


def test_a_log_may_begin_at_the_epoch(tiny: Any, bundle: Any, verify: Any, tmp_path: Path) -> None:
    tiny.entries[0].header["known"] = 0
    assert verify(bundle(tmp_path / "b", tiny.files()), tiny.signer.vkey).code == 0
