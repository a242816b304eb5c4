"""Files that a power failure must not take back: content is flushed first, then the name."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.events import durable_files


@pytest.fixture
def done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done to the disk, in order: what is flushed, and each change of a name."""
    steps: list[str] = []

    def told(name: str, step: Callable[..., str]) -> None:
        real = getattr(os, name)

        def call(*arguments: Any, **options: Any) -> Any:
            steps.append(step(*arguments))
            return real(*arguments, **options)

        monkeypatch.setattr(os, name, call)

    def flushed(descriptor: int) -> str:
        opened = os.fstat(descriptor)
        places = [tmp_path, *tmp_path.iterdir()]
        return f"flush {next(at for at in places if os.path.samestat(at.stat(), opened)).name}"

    told("fsync", flushed)
    told("replace", lambda _, target: f"replace {Path(target).name}")
    told("link", lambda _, target: f"link {Path(target).name}")
    told("unlink", lambda path: f"unlink {Path(path).name}")
    return steps


def test_a_file_is_flushed_then_named_then_its_folder_is_flushed(
    tmp_path: Path, done: list[str]
) -> None:
    durable_files.write_new(tmp_path / "aside", b"content")
    durable_files.put_in_place(tmp_path / "aside", tmp_path / "place")
    assert done == ["flush aside", "replace place", f"flush {tmp_path.name}"]
    assert (tmp_path / "place").read_bytes() == b"content"
    assert (tmp_path / "place").stat().st_mode & 0o777 == 0o600


def test_a_free_place_is_taken_by_a_second_name(tmp_path: Path, done: list[str]) -> None:
    durable_files.write_new(tmp_path / "aside", b"content")
    durable_files.put_in_free_place(tmp_path / "aside", tmp_path / "place")
    assert done == ["flush aside", "link place", "unlink aside", f"flush {tmp_path.name}"]
    assert [path.name for path in tmp_path.iterdir()] == ["place"]


@pytest.mark.parametrize("links", [True, False])
def test_what_lies_in_a_place_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", _without_links)
    (tmp_path / "aside").write_bytes(b"new")
    (tmp_path / "place").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        durable_files.put_in_free_place(tmp_path / "aside", tmp_path / "place")
    assert (tmp_path / "place").read_bytes() == b"old"


def test_a_free_place_is_taken_where_there_are_no_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", _without_links)
    (tmp_path / "aside").write_bytes(b"new")
    durable_files.put_in_free_place(tmp_path / "aside", tmp_path / "place")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"place": b"new"}


def test_a_deleted_file_stays_deleted(tmp_path: Path, done: list[str]) -> None:
    (tmp_path / "one").touch()
    durable_files.delete(tmp_path / "one", tmp_path / "never there")
    assert done == ["unlink one", f"flush {tmp_path.name}"]


def test_nothing_is_flushed_where_nothing_is_deleted(tmp_path: Path, done: list[str]) -> None:
    durable_files.delete(tmp_path / "never there")
    assert done == []


def test_a_folder_that_cannot_be_flushed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", _failing(errno.EINVAL))
    durable_files.sync_folder(tmp_path)


def test_a_disk_that_fails_to_flush_a_folder_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", _failing(errno.EIO))
    with pytest.raises(OSError, match="Input/output error"):
        durable_files.sync_folder(tmp_path)


def _without_links(source: Path, target: Path) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def _failing(number: int) -> Callable[[int], None]:
    def fail(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    return fail
