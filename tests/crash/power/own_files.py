"""Our own files beside a database on a disk that records: the calls by which they are made.

What is written to such a file is looked at when it is synced, renamed or deleted, which is early
enough: between these nothing of it is promised.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.crash.power.disk import Disk, Resize, Sync, SyncFolder, Write


class OwnFiles:
    """Records what this process does to the files of a folder past SQLite.

    Args:
        disk: Where it is recorded.
        folder: The folder.
    """

    def __init__(self, disk: Disk, folder: Path) -> None:
        self.disk, self.folder = disk, folder
        self._seen: dict[int, bytes] = {}

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Record as long as the block lasts."""
        ours: dict[str, Callable[..., Any]] = {
            "open": self._open,
            "fsync": self._fsync,
            "replace": self._replace,
            "link": self._link,
            "unlink": self._unlink,
        }
        real = {name: getattr(os, name) for name in ours}
        for name, call in ours.items():
            setattr(os, name, self._locked(call, real[name]))
        try:
            yield
        finally:
            for name, call in real.items():
                setattr(os, name, call)

    def _locked(self, call: Callable[..., Any], real: Callable[..., Any]) -> Callable[..., Any]:
        def recording(*arguments: Any, **options: Any) -> Any:
            with self.disk.lock:
                return call(real, *arguments, **options)

        return recording

    def _open(
        self, real: Callable[..., int], path: Any, flags: int, *more: Any, **options: Any
    ) -> int:
        descriptor = real(path, flags, *more, **options)
        if flags & os.O_CREAT and (name := self._name(path)) is not None:
            self.disk.entered(name)
        return descriptor

    def _fsync(self, real: Callable[..., None], descriptor: int) -> None:
        del real  # see RecordingVFS
        found = os.fstat(descriptor)
        if os.path.samestat(found, self.folder.stat()):
            self.disk.record(SyncFolder())
        for name in list(self.disk.names):
            path = self.folder / name
            if path.exists() and os.path.samestat(found, path.stat()):
                self._look_at(name)
                self.disk.record(Sync(self.disk.names[name]))

    def _replace(self, real: Callable[..., None], source: Any, target: Any) -> None:
        names = self._name(source), self._name(target)
        if names[0] is not None:
            self._look_at(names[0])
        real(source, target)
        if names[0] is not None and names[1] is not None:
            self.disk.renamed(names[0], names[1])

    def _link(self, real: Callable[..., None], source: Any, target: Any) -> None:
        names = self._name(source), self._name(target)
        real(source, target)
        if names[0] is not None and names[1] is not None:
            self._look_at(names[0])
            self.disk.linked(names[0], names[1])

    def _unlink(self, real: Callable[..., None], path: Any, **options: Any) -> None:
        real(path, **options)
        if (name := self._name(path)) is not None:
            self.disk.removed(name)

    def _look_at(self, name: str) -> None:
        """Record what a file holds, if that is not what it held when it was last looked at."""
        content, number = (self.folder / name).read_bytes(), self.disk.entered(name)
        if self._seen.get(number) != content:
            self.disk.record(Resize(number, 0))
            self.disk.record(Write(number, 0, content))
            self._seen[number] = content

    def _name(self, path: Any) -> str | None:
        """Give the name in the folder of a path, or None for what lies elsewhere."""
        if isinstance(path, int):
            return None
        named = Path(os.fsdecode(path))
        return named.name if named.parent == self.folder else None
