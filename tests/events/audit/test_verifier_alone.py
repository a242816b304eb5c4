"""verify_bundle.py needs nothing of ours, and nothing but Python."""

import ast
import hashlib
import json
import subprocess
import sys
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events import findings, header
from smriti_es.events.audit import layout, payload_lines
from smriti_es.events.audit.layout import verifier
from smriti_es.events.merkle_tree import CompactRange, consistency_proof, inclusion_proof

# RFC 8032, section 7.1: public key, message, signature.
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]
ORDER = 2**252 + 27742317777372353535851937790883648493


def test_it_imports_nothing_but_the_standard_library() -> None:
    tree = ast.parse(verifier().read_text("utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize(("public", "message", "signature"), RFC_8032)
def test_it_accepts_the_signatures_of_the_rfc_and_no_others(
    public: str, message: str, signature: str, alone: Any
) -> None:
    key, said, made = (bytes.fromhex(each) for each in (public, message, signature))
    assert alone.signed(key, said, made)
    assert not alone.signed(key, said + b" ", made)
    for bit in range(0, 512, 7):
        changed = bytearray(made)
        changed[bit // 8] ^= 1 << bit % 8
        assert not alone.signed(key, said, bytes(changed))


def test_it_refuses_a_signature_whose_number_is_beyond_the_order(alone: Any) -> None:
    key, said, made = (bytes.fromhex(each) for each in RFC_8032[1])
    number = int.from_bytes(made[32:], "little") + ORDER
    assert not alone.signed(key, said, made[:32] + number.to_bytes(32, "little"))


def test_it_refuses_keys_and_signatures_of_another_length(alone: Any) -> None:
    key, said, made = (bytes.fromhex(each) for each in RFC_8032[1])
    assert not alone.signed(key[:-1], said, made)
    assert not alone.signed(key, said, made + b"\0")
    assert not alone.signed(b"\xff" * 32, said, made)


@given(st.integers(1, 70).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1))))
def test_its_tree_is_that_of_the_engine(alone: Any, case: tuple[int, int]) -> None:
    size, index = case
    leaves = [hashlib.sha256(b"%d" % each).digest() for each in range(size)]
    tree = alone.Tree([])
    for leaf in leaves:
        tree.add(leaf)
    root = CompactRange().extend(leaves).root()
    assert tree.root() == root

    def subtree(level: int, number: int) -> bytes:
        return CompactRange().extend(leaves[number << level : (number + 1) << level]).root()

    proof = inclusion_proof(index, size, subtree)
    assert alone.included(leaves[index], index, size, proof, root)
    assert not alone.included(leaves[index], index, size, [*proof, root], root)
    assert not alone.included(leaves[index], index + 1, size, proof, root) or size == 1
    if proof:
        assert not alone.included(leaves[index], index, size, proof[:-1], root)


def run(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_it_runs_by_itself_out_of_the_bundle(tiny: Any, bundle: Any, tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    done = run(folder / "verify_bundle.py", folder, "--key", tiny.signer.vkey, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ok: log 5f5f")
    assert "events 11, disclosed 8, withheld 0, erased 2" in done.stdout


def test_it_names_what_is_broken_by_position(tiny: Any, bundle: Any, tmp_path: Path) -> None:
    files = tiny.files()
    files["events.jsonl"] = files["events.jsonl"].replace(b'"list":[1,', b'"list":[2,')
    folder = bundle(tmp_path / "b", files)
    done = run(verifier(), folder, "--key", tiny.signer.vkey, folder=tmp_path)
    assert done.returncode == 1
    first, *_, last = done.stdout.splitlines()
    assert first == "broken: position 6, events.jsonl: it does not link to the event before it"
    assert last.startswith("BROKEN: log 5f5f")


def test_it_answers_in_json(tiny: Any, bundle: Any, tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    done = run(verifier(), folder, "--json", folder=tmp_path)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["code"], answer["broken"]) == (2, 2, [])
    assert (answer["events"], answer["erased"]) == (11, 2)


def test_it_takes_keys_and_older_checkpoints_from_files(
    tiny: Any, bundle: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    (tmp_path / "log.vkey").write_text(tiny.signer.vkey + "\n")
    (tmp_path / "old").write_bytes(tiny.checkpoint(5))
    done = run(verifier(), folder, "--key", "log.vkey", "--since", "old", folder=tmp_path)
    assert done.returncode == 0


@pytest.mark.parametrize(
    "arguments", [["nowhere"], ["b", "--key", "nonsense"], ["b", "--since", "nowhere"], []]
)
def test_a_call_that_names_nothing_ends_with_2_or_1_and_no_traceback(
    arguments: list[str], tiny: Any, bundle: Any, tmp_path: Path
) -> None:
    bundle(tmp_path / "b", tiny.files())
    done = run(verifier(), *arguments, folder=tmp_path)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr


def test_a_compressed_bundle_is_not_read_and_says_what_to_do(
    tiny: Any, bundle: Any, alone: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    (folder / "events.jsonl").rename(folder / "events.jsonl.zst")
    report = alone.check(str(folder), [], [])
    assert report.code() == 2
    assert "zstd -d --rm" in report.incomplete[0]


def test_every_checkpoint_continues_every_older_one(alone: Any) -> None:
    leaves = [hashlib.sha256(b"%d" % each).digest() for each in range(10)]

    def subtree(level: int, number: int) -> bytes:
        return CompactRange().extend(leaves[number << level : (number + 1) << level]).root()

    found = [
        alone.Checkpoint("", size, CompactRange().extend(leaves[:size]).root(), b"")
        for size in range(11)
    ]
    for old, new in combinations_with_replacement(range(11), 2):
        proof = consistency_proof(old, new, subtree)
        assert alone.consistent(found[old], found[new], proof)
        assert not alone.consistent(found[old], found[new], [*proof, bytes(32)])
        assert not alone.consistent(found[old]._replace(root=bytes(32)), found[new], proof)
        if proof:
            assert not alone.consistent(found[old], found[new]._replace(root=bytes(32)), proof)
            assert not alone.consistent(found[old], found[new], proof[:-1])
        if old < new:
            assert not alone.consistent(found[new], found[old], proof)
            assert not alone.consistent(found[new]._replace(root=found[old].root), found[old], [])


def test_both_verifiers_have_the_same_limits(alone: Any) -> None:
    limits = [
        (alone.HEADER_MAX, header.HEADER_BYTES_MAX, 65_536),
        (alone.PAYLOAD_MAX, layout.PAYLOAD_BYTES_MAX, 67_108_864),
        (alone.NOTE_MAX, layout.NOTE_BYTES_MAX, 1_048_576),
        (alone.MANIFEST_MAX, layout.MANIFEST_BYTES_MAX, 67_108_864),
        (alone.INTEGER_MAX, header.INTEGER_MAX, 9_007_199_254_740_991),
        (alone.FINDINGS_MAX, findings.FINDINGS_MAX, 1_000),
        # A value in a header is a level itself.
        (alone.NESTING_MAX, header.NESTING_MAX + 1, 64),
        # The largest payload in base64, with its key and position around it.
        (alone.LINE_MAX, payload_lines._LINE_BYTES_MAX, 89_478_741),
    ]
    assert [(one, other) for one, other, _ in limits] == [(each, each) for *_, each in limits]
