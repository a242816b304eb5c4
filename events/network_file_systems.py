"""Where a file lies: on a network file system, file locks cannot be trusted."""

from pathlib import Path
from typing import Final

from smriti_es.events.errors import StorageUnavailable

_MOUNTS = Path("/proc/self/mounts")
_NETWORK_FILE_SYSTEMS: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afs", "9p", "ncpfs", "fuse.sshfs"}
)


def refuse_network_file_system(path: Path) -> None:
    """Refuse a file that lies where locks cannot be trusted.

    Raises:
        StorageUnavailable: It does.
    """
    kind = file_system_of(path)
    if kind in _NETWORK_FILE_SYSTEMS:
        raise StorageUnavailable(
            f"{path} lies on a network file system ({kind}), where file locks cannot be trusted",
            hint="Keep the file on a local disk.",
        )


def file_system_of(path: Path) -> str | None:
    """Name the file system that holds the path, where the system tells (Linux)."""
    try:
        mounts = _MOUNTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    best: tuple[int, str | None] = (-1, None)
    for line in mounts:
        fields = line.split()
        mount_point = Path(fields[1].replace("\\040", " "))
        if path.is_relative_to(mount_point):
            best = max(best, (len(mount_point.parts), fields[2]), key=lambda found: found[0])
    return best[1]
