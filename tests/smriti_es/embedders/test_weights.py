"""A file is known by its content, which is read again when it may have changed."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from smriti_es.embedders.weights import require_sha256, sha256_of
from smriti_es.events.errors import EmbedderError


def test_the_hash_is_that_of_the_content(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"weights" * 1000)
    assert sha256_of(file) == sha256(b"weights" * 1000).hexdigest()


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"old")
    before = sha256_of(file)
    file.write_bytes(b"newer")
    assert sha256_of(file) == sha256(b"newer").hexdigest() != before


def test_an_unchanged_file_is_read_once(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"one")
    changed = file.stat().st_mtime_ns
    before = sha256_of(file)
    file.write_bytes(b"two")  # of the same size, and dated back
    os.utime(file, ns=(changed, changed))
    assert sha256_of(file) == before


def test_another_file_than_expected_is_refused_with_both_hashes(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(b"{}")
    found = sha256(b"{}").hexdigest()
    require_sha256(file, found, hint="")
    with pytest.raises(EmbedderError, match=f"{found}, expected 00") as caught:
        require_sha256(file, "00", hint="Reinstall it.")
    assert (caught.value.file, caught.value.hint) == (str(file), "Reinstall it.")
