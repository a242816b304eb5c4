"""SQLite's own files on a disk that records: a VFS around the one of the operating system.

What the system's VFS does by itself, and a VFS around it does not see, is told here for it: with
the first sync of a journal or write-ahead log that it may have created it syncs the folder, too
(`unixSync` in SQLite's os_unix.c, flag UNIXFILE_DIRSYNC).
"""

from pathlib import Path
from typing import Final

import apsw

from tests.crash.power.disk import Disk, Resize, Sync, SyncFolder, Write

NAME: Final = "recording"
_JOURNALS: Final = (
    apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL
)


class RecordingVFS(apsw.VFS):
    """Records what SQLite does to the files of a folder; elsewhere it does nothing of its own.

    Args:
        disk: Where it is recorded.
        folder: The folder.
    """

    def __init__(self, disk: Disk, folder: Path) -> None:
        super().__init__(NAME, "")
        self.disk, self.folder = disk, folder

    def xOpen(  # noqa: N802  the name is SQLite's
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None or Path(path).parent != self.folder:
            return apsw.VFSFile("", name, flags)
        with self.disk.lock:
            return _RecordedFile(self.disk, name, flags, Path(path).name)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        path = Path(filename)
        with self.disk.lock:
            super().xDelete(filename, syncdir)
            if path.parent == self.folder:
                self.disk.removed(path.name)
                if syncdir:
                    self.disk.record(SyncFolder())


class _RecordedFile(apsw.VFSFile):
    def __init__(
        self, disk: Disk, given: str | apsw.URIFilename | None, flags: list[int], name: str
    ) -> None:
        super().__init__("", given, flags)
        self._disk, self._file = disk, disk.entered(name)
        created = flags[0] & apsw.SQLITE_OPEN_CREATE
        self._folder_unsynced = bool(created and flags[0] & _JOURNALS)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        with self._disk.lock:
            super().xWrite(data, offset)
            self._disk.record(Write(self._file, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        with self._disk.lock:
            super().xTruncate(newsize)
            self._disk.record(Resize(self._file, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        # The disk under the recording need not sync: it is the recorded one that loses power.
        with self._disk.lock:
            self._disk.record(Sync(self._file))
            if self._folder_unsynced:
                self._disk.record(SyncFolder())
                self._folder_unsynced = False
