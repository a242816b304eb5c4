"""A file that appears whole or not at all, for its owner alone, in nobody's place."""

import errno
import os
import stat
from pathlib import Path

import pytest

from smriti_es.events.errors import InvalidInput, StorageUnavailable
from smriti_es.subject_access.new_file import new_file


def write(path: Path, text: str = "hello") -> None:
    with new_file(path, "0f") as writing:
        writing.line(text)


def test_it_holds_what_was_written_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write(tmp_path / "new")
    finally:
        os.umask(before)
    assert (tmp_path / "new").read_text("utf-8") == "hello\n"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["new"]


def test_nothing_stands_at_its_place_before_it_is_whole(tmp_path: Path) -> None:
    with new_file(tmp_path / "new", "0f") as writing:
        writing.line("half")
        assert not (tmp_path / "new").exists()


def test_after_a_failure_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), new_file(tmp_path / "new", "0f") as writing:
        writing.line("half")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", ["file", "folder", "link that leads nowhere"])
def test_what_is_there_already_is_left_as_it_is(tmp_path: Path, there: str) -> None:
    place = tmp_path / "there"
    if there == "file":
        place.write_text("mine", "utf-8")
    elif there == "folder":
        place.mkdir()
    else:
        place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match=r"there is a file at .* already"):
        write(place)
    assert place.is_dir() or place.is_symlink() or place.read_text("utf-8") == "mine"
    assert not (tmp_path / "nowhere").exists()


def test_what_came_there_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "new"
    with pytest.raises(InvalidInput), new_file(place, "0f") as writing:
        writing.line("ours")
        place.write_text("theirs", "utf-8")
    assert place.read_text("utf-8") == "theirs"
    assert [each.name for each in tmp_path.iterdir()] == ["new"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no folder"):
        write(tmp_path / "missing" / "new")


def test_a_file_system_without_links_serves_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    write(tmp_path / "new")
    assert [each.name for each in tmp_path.iterdir()] == ["new"]


def test_a_full_disk_is_told_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageUnavailable, match="No space left"):
        write(tmp_path / "new")
    assert list(tmp_path.iterdir()) == []
