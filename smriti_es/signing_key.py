"""The key that signs the checkpoints of a log: a file beside the database, or whatever you have."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from smriti_es.events import ed25519
from smriti_es.events.durable_files import put_in_free_place, put_in_place, sync_folder, write_new
from smriti_es.events.errors import NotFound, StorageUnavailable
from smriti_es.events.identifiers import Randomness

_FORM: Final = "smriti-es-ed25519 "
_OTHERS: Final = 0o077


class Signer(Protocol):
    """Signs with an Ed25519 key that it keeps to itself."""

    @property
    def public_key(self) -> bytes:
        """The 32 bytes of the public key."""

    def sign(self, message: bytes) -> bytes:
        """Give the 64 bytes of the signature of a message."""


@dataclass(frozen=True, slots=True)
class CallbackSigner:
    """A key that lies elsewhere: in a keyring, a token, a service.

    Attributes:
        public_key: The 32 bytes of the Ed25519 public key.
        callback: Gives the 64 bytes of the signature of a message.
    """

    public_key: bytes
    callback: Callable[[bytes], bytes]

    def sign(self, message: bytes) -> bytes:
        """Let the callback sign."""
        return self.callback(message)


@dataclass(frozen=True, slots=True)
class SecretKey:
    """A key in memory.

    Attributes:
        secret: Its 32 bytes.
    """

    secret: bytes

    def __repr__(self) -> str:
        return "SecretKey()"

    @property
    def public_key(self) -> bytes:
        """The 32 bytes of the public key."""
        return ed25519.public_key_of(self.secret)

    def sign(self, message: bytes) -> bytes:
        """Sign a message."""
        return ed25519.sign(self.secret, message)


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A file with the secret of a key, that its owner alone may read.

    Attributes:
        path: Where it lies.
    """

    path: Path

    def exists(self) -> bool:
        """Tell whether there is one."""
        return self.path.exists()

    def read(self) -> SecretKey:
        """Read the key.

        Raises:
            NotFound: There is no such file.
            StorageUnavailable: It cannot be read, or others may read it.
        """
        try:
            written = self.path.read_text("ascii")
            mode = self.path.stat().st_mode
        except FileNotFoundError as error:
            raise NotFound(
                f"the key file {self.path} is missing",
                hint="Put it back; if it is lost, `smriti-es log keys --rotate --lost`.",
            ) from error
        except (OSError, UnicodeDecodeError) as error:
            raise self._unusable("cannot be read") from error
        if sys.platform != "win32" and mode & _OTHERS:
            raise StorageUnavailable(
                f"the key file {self.path} can be read or changed by others",
                hint=f"`chmod 600 {self.path}`, and ask yourself who read it.",
            )
        secret = _hex(written.removeprefix(_FORM).strip())
        if not written.startswith(_FORM) or len(secret) != ed25519.SECRET_BYTES:
            raise self._unusable("holds no key")
        return SecretKey(secret)

    def made(self, randomness: Randomness = os.urandom) -> SecretKey:
        """Read the key; where there is none, make one and write it, durably.

        Raises:
            StorageUnavailable: It cannot be read or written, or others may read it.
        """
        # Whole before it has its name: half a key would be in the way of every other one.
        aside = self.path.with_name(f"{self.path.name}.{randomness(8).hex()}.new")
        try:
            if not self.exists():
                secret = randomness(ed25519.SECRET_BYTES)
                write_new(aside, f"{_FORM}{secret.hex()}\n".encode("ascii"))
                with suppress(FileExistsError):  # somebody was faster
                    put_in_free_place(aside, self.path)
            # Whoever was faster may have been killed before its name was safe.
            sync_folder(self.path.parent)
        except OSError as error:
            raise self._unusable("cannot be written") from error
        finally:
            aside.unlink(missing_ok=True)
        return self.read()

    def replace_by(self, other: "KeyFile") -> None:
        """Let another file take its place; what it held is gone."""
        try:
            put_in_place(other.path, self.path)
        except OSError as error:
            raise self._unusable("cannot be replaced") from error

    def successor(self) -> "KeyFile":
        """Give the place of a key that is about to take over."""
        return KeyFile(self.path.with_name(f"{self.path.name}.next"))

    def _unusable(self, how: str) -> StorageUnavailable:
        return StorageUnavailable(
            f"the key file {self.path} {how}", hint="It must be a file that you alone can read."
        )


def _hex(written: str) -> bytes:
    try:
        return bytes.fromhex(written)
    except ValueError:
        return b""
