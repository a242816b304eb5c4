"""Every single bit of every file of a bundle is covered, though the manifest is repaired each time.

FORMAT.md and verify_bundle.py are enclosed by the release and are no evidence: whoever changes them
changes nothing that is checked, and it is remarked. `make test` flips one bit in some dozens.
"""

import functools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

GUARANTEES = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
EVERY = 1 if GUARANTEES else 127
EVIDENCE = (
    "manifest.json",
    "events.jsonl",
    "payloads.jsonl",
    "checkpoint",
    "inclusion",
    "consistency",
)
ENCLOSED = ("FORMAT.md", "verify_bundle.py")


def flips(content: bytes, every: int) -> Iterator[bytes]:
    for bit in range(0, len(content) * 8, every):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        yield bytes(changed)


@pytest.fixture
def signatures_once(verify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check each signature once: most flips leave the notes alone."""
    monkeypatch.setattr(verify.alone, "signed", functools.cache(verify.alone.signed))


@pytest.fixture
def whole(tiny: Any, older_proof: Any) -> tuple[dict[str, bytes], dict[str, Any], list[bytes]]:
    """A whole log of which something is withheld: files, members of the manifest, older notes."""
    return tiny.files(withheld=[1, 5]), {"withheld": [[1, 1], [5, 5]]}, [tiny.checkpoint(6)]


@pytest.fixture
def stretch(tiny: Any, older_proof: Any) -> tuple[dict[str, bytes], dict[str, Any], list[bytes]]:
    """A stretch of a log with its proofs."""
    files = tiny.files(5, 10) | {"consistency": older_proof(tiny, 5, 11)}
    return files, {"first": 5}, [tiny.checkpoint(5)]


@pytest.mark.parametrize("which", ["whole", "stretch"])
@pytest.mark.parametrize("name", EVIDENCE)
@pytest.mark.usefixtures("signatures_once")
def test_every_flipped_bit_of_the_evidence_is_found(
    name: str,
    which: str,
    request: pytest.FixtureRequest,
    tiny: Any,
    bundle: Any,
    manifest: Any,
    verify: Any,
    tmp_path: Path,
) -> None:
    files, members, older = request.getfixturevalue(which)
    key, folder = tiny.signer.vkey, tmp_path / "b"
    files["manifest.json"] = manifest(files, **members)
    if name not in files:
        pytest.skip("a whole log needs no proofs")
    bundle(folder, files)
    assert verify(folder, key, since=older).code == 0
    for changed in flips(files[name], EVERY):
        (folder / name).write_bytes(changed)
        if name != "manifest.json":
            others = {each: content for each, content in files.items() if each != "manifest.json"}
            repaired = manifest(others | {name: changed}, **members)
            (folder / "manifest.json").write_bytes(repaired)
        assert verify(folder, key, since=older).code != 0, changed


@pytest.mark.parametrize("name", ENCLOSED)
@pytest.mark.usefixtures("signatures_once")
def test_a_flipped_bit_in_what_is_enclosed_is_found_where_the_manifest_is_not_repaired(
    name: str, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    files, folder = tiny.files(), tmp_path / "b"
    bundle(folder, files)
    for changed in flips(files[name], EVERY * 101):
        (folder / name).write_bytes(changed)
        assert verify(folder, tiny.signer.vkey).broken == [(None, name)]


@pytest.mark.parametrize("name", ENCLOSED)
@pytest.mark.usefixtures("signatures_once")
def test_a_flipped_bit_in_what_is_enclosed_is_remarked_where_it_is_repaired(
    name: str, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    files, folder = tiny.files(), tmp_path / "b"
    for changed in flips(files[name], EVERY * 1_009):
        bundle(folder, files | {name: changed})
        answer = verify.of_engine(folder, tiny.signer.vkey)
        assert answer.code == 0
        assert answer.remarks == [f"{name} is not the one that this release encloses"]
