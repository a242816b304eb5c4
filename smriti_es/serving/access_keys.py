"""The keys with which programs come in over a network: each for a tenant, some spaces and a role.

A key is shown once, when it is made; the file keeps a hash of it. The secret part is 32 random
bytes, so that a plain SHA-256 of it cannot be guessed from.
"""

import hashlib
import hmac
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from filelock import FileLock

from smriti_es.checked_values import Place, checked_label
from smriti_es.clock import system_clock
from smriti_es.events.durable_files import put_in_place, write_new
from smriti_es.events.errors import InvalidInput, NotFound, StorageUnavailable
from smriti_es.events.identifiers import Randomness
from smriti_es.events.locations import names_server
from smriti_es.events.registry import assert_tenant_name
from smriti_es.opening_arguments import checked_spaces

Role = Literal["agent", "owner", "auditor"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
KEY_PREFIX: Final = "smriti"
_ID_BYTES: Final = 6
_SECRET_BYTES: Final = 32
_NAME_MAX: Final = 200
_OTHERS: Final = 0o077
_LOCK_WAIT_S: Final = 10
_NOBODY: Final = hashlib.sha256(b"nobody").hexdigest()


@dataclass(frozen=True, slots=True)
class AccessKey:
    """Whom a key lets in, and to what.

    Attributes:
        id: Names the key; 12 hex.
        name: Whose it is, for people.
        tenant: Whose log.
        spaces: The spaces that are read; the first is written to.
        role: What may be done: an agent records and reads as an agent, an auditor reads and
            verifies, an owner does everything.
        whole_tenant: Whether it may also do what concerns all spaces of the tenant.
        made: When, microseconds since the epoch.
        hash: SHA-256 of the secret, 64 hex.
    """

    id: str
    name: str
    tenant: str
    spaces: tuple[str, ...]
    role: Role
    whole_tenant: bool
    made: int
    hash: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Read:
    """The file as it was when it was last read."""

    stamp: tuple[int, int, int] | None = None
    keys: tuple[AccessKey, ...] = ()


class AccessKeys:
    """The keys in a file, which is read again whenever it changed.

    Args:
        path: The file; it need not be there.
        clock: Gives microseconds since the epoch.
        randomness: Gives random bytes.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], int] = system_clock,
        randomness: Randomness = os.urandom,
    ) -> None:
        self.path = path
        self._clock = clock
        self._randomness = randomness
        self._read = _Read()

    @classmethod
    def beside(cls, database: str) -> "AccessKeys":
        """Give the keys of the memories in a database file.

        Raises:
            InvalidInput: They are on a server, which no file is beside.
        """
        if names_server(database):
            raise InvalidInput(
                "beside a memory on a server lies no file of access keys", hint="Name one: --keys."
            )
        return cls(Path(f"{database}-access"))

    def all(self) -> tuple[AccessKey, ...]:
        """List the keys in the order in which they were made.

        Raises:
            StorageUnavailable: The file cannot be read as one, or others may read it.
        """
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._unusable("cannot be read") from error
        stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        if stamp != self._read.stamp:
            if sys.platform != "win32" and found.st_mode & _OTHERS:
                raise self._unusable("can be read or changed by others")
            self._read = _Read(stamp, self._parsed())
        return self._read.keys

    def add(
        self,
        name: str,
        *,
        tenant: str = "default",
        spaces: Sequence[str] = ("main",),
        role: str = "agent",
        whole_tenant: bool = False,
    ) -> tuple[AccessKey, str]:
        """Make a key.

        Returns:
            Whom it lets in, and the key itself, which is kept nowhere.

        Raises:
            InvalidInput: Something cannot be what it should be, or the name is taken.
            StorageUnavailable: The file cannot be written.
        """
        assert_tenant_name(tenant)
        if role not in ROLES:
            raise InvalidInput(f"there is no role {role!r}", hint=f"There are: {', '.join(ROLES)}.")
        if whole_tenant and role == "agent":
            raise InvalidInput(
                "an agent has no right to what concerns a whole tenant",
                hint="Give the role owner or auditor.",
            )
        read = checked_spaces(spaces[0] if spaces else "", spaces)
        secret = self._randomness(_SECRET_BYTES).hex()
        with self._locked():
            kept = self.all()
            if any(each.name == name for each in kept):
                raise InvalidInput(f"there is a key {name!r}", hint="Choose another name.")
            key = AccessKey(
                id=self._randomness(_ID_BYTES).hex(),
                name=checked_label(name, Place("name"), _NAME_MAX),
                tenant=tenant,
                spaces=tuple(dict.fromkeys(read)),
                role=role,
                whole_tenant=whole_tenant,
                made=self._clock(),
                hash=_hashed(secret),
            )
            self._write((*kept, key))
        return key, f"{KEY_PREFIX}_{key.id}_{secret}"

    def remove(self, name: str) -> AccessKey:
        """Let a key open nothing any more; servers that run notice at their next request.

        Raises:
            NotFound: There is no such key.
            StorageUnavailable: The file cannot be written.
        """
        with self._locked():
            kept = self.all()
            gone = next((each for each in kept if each.name == name), None)
            if gone is None:
                raise NotFound(f"there is no key {name!r}", hint="`smriti-es access list` tells.")
            self._write(tuple(each for each in kept if each is not gone))
        return gone

    def find(self, presented: str) -> AccessKey | None:
        """Tell whom a key lets in; None when it is none of ours.

        Secrets are compared in constant time, and an unknown id costs as much as a wrong secret.
        """
        prefix, _, rest = presented.partition("_")
        identity, _, secret = rest.partition("_")
        known = next((each for each in self.all() if each.id == identity), None)
        wanted = _NOBODY if known is None else known.hash
        same = hmac.compare_digest(_hashed(secret), wanted)
        return known if same and prefix == KEY_PREFIX else None

    def _locked(self) -> FileLock:
        return FileLock(f"{self.path}.lock", timeout=_LOCK_WAIT_S, mode=0o600)

    def _parsed(self) -> tuple[AccessKey, ...]:
        try:
            stored = json.loads(self.path.read_text("utf-8"))
            return tuple(_key(each) for each in stored["keys"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._unusable("cannot be read") from error

    def _write(self, keys: Sequence[AccessKey]) -> None:
        text = json.dumps({"version": 1, "keys": [asdict(each) for each in keys]}, indent=1)
        beside = self.path.with_name(f"{self.path.name}.next")
        try:
            beside.unlink(missing_ok=True)
            write_new(beside, f"{text}\n".encode())
            # Or else a power failure could bring a key back that was taken back.
            put_in_place(beside, self.path)
        except OSError as error:
            raise self._unusable("cannot be written") from error

    def _unusable(self, how: str) -> StorageUnavailable:
        return StorageUnavailable(
            f"the file of access keys {self.path} {how}",
            hint="It must be a file that you alone can read: `chmod 600` it.",
        )


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _key(stored: dict[str, Any]) -> AccessKey:
    key = AccessKey(**{**stored, "spaces": tuple(stored["spaces"])})
    if key.role not in ROLES or not key.spaces:
        raise ValueError(key.role)
    return key
