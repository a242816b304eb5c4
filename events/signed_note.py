"""Signed notes: a text with one or more signatures below it, as a text.

Source: c2sp.org/signed-note; for the signatures of witnesses c2sp.org/tlog-cosignature.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from smriti_es.events import ed25519
from smriti_es.events.errors import InvalidInput

# What a key signs: the text itself, or the text with the time at which a witness saw it.
PLAIN: Final = 0x01
COSIGNATURE: Final = 0x04
KEY_ID_BYTES: Final = 4
NOTE_BYTES_MAX: Final = 1024 * 1024
SIGNATURES_MAX: Final = 100

_TIMESTAMP_BYTES: Final = 8
_DASH: Final = "\u2014"
_NAME: Final = re.compile(r"[^\s+]+")
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")


@dataclass(frozen=True, slots=True)
class NoteKey:
    """A public key that checks signatures under a note.

    Attributes:
        name: Whose it is, without white space and plus.
        kind: What it signs: `PLAIN` or `COSIGNATURE`.
        public_key: 32 bytes.
    """

    name: str
    kind: int
    public_key: bytes

    @classmethod
    def parse(cls, text: str) -> "NoteKey":
        """Read a key from its usual form, `name+id+base64`.

        Raises:
            InvalidInput: It has another form, or is of a kind that is not known here.
        """
        name, _, rest = text.strip().partition("+")
        written, _, encoded = rest.partition("+")
        material = decoded(encoded)
        if (
            _NAME.fullmatch(name)
            and len(material) == 1 + ed25519.PUBLIC_KEY_BYTES
            and material[0] in (PLAIN, COSIGNATURE)
        ):
            key = cls(name, material[0], material[1:])
            if key.id.hex() == written:
                return key
        raise InvalidInput(
            f"{text.strip()[:80]!r} is no public key for notes",
            hint="It reads name+id+base64, as `smriti-es log keys` shows it.",
            field="key",
        )

    @property
    def id(self) -> bytes:
        """The four bytes by which a signature names the key."""
        named = self.name.encode() + b"\n" + bytes([self.kind]) + self.public_key
        return hashlib.sha256(named).digest()[:KEY_ID_BYTES]

    def __str__(self) -> str:
        material = base64.b64encode(bytes([self.kind]) + self.public_key).decode()
        return f"{self.name}+{self.id.hex()}+{material}"

    def has_signed(self, text: str, signature: bytes) -> bool:
        """Tell whether a signature (without the key's id) of a text is this key's."""
        if self.kind == PLAIN:
            return ed25519.is_signed(self.public_key, signature, text.encode())
        if len(signature) != _TIMESTAMP_BYTES + ed25519.SIGNATURE_BYTES:
            return False
        seen_at = int.from_bytes(signature[:_TIMESTAMP_BYTES], "big")
        message = cosigned_message(text, seen_at)
        return ed25519.is_signed(self.public_key, signature[_TIMESTAMP_BYTES:], message)


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """A line below a note: who signed it, with which key, and the signature."""

    name: str
    key_id: bytes
    signature: bytes

    @classmethod
    def parse(cls, line: str) -> "NoteSignature":
        """Read a line, without its end.

        Raises:
            InvalidInput: It is no signature.
        """
        parts = line.split(" ")
        if len(parts) == 3 and parts[0] == _DASH and _NAME.fullmatch(parts[1]):
            signed = decoded(parts[2])
            if len(signed) > KEY_ID_BYTES:
                return cls(parts[1], signed[:KEY_ID_BYTES], signed[KEY_ID_BYTES:])
        raise InvalidInput(f"{line[:80]!r} is no signature of a note", field="note")

    def __str__(self) -> str:
        encoded = base64.b64encode(self.key_id + self.signature).decode()
        return f"{_DASH} {self.name} {encoded}\n"

    def is_by(self, key: NoteKey) -> bool:
        """Tell whether it names a key as its own."""
        return (self.name, self.key_id) == (key.name, key.id)


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text and the signatures below it.

    Attributes:
        text: What was signed; it ends with a newline.
        signatures: In order.
    """

    text: str
    signatures: tuple[NoteSignature, ...]

    @classmethod
    def parse(cls, note: str | bytes) -> "SignedNote":
        """Read a note.

        Raises:
            InvalidInput: It has another form, or is beyond what anybody signs.
        """
        written = _text_of(note)
        text, gap, below = written.rpartition("\n\n")
        if not gap or not below.endswith("\n") or _CONTROL.search(written):
            raise InvalidInput(
                "this is no signed note",
                hint="It is a text, an empty line, and lines that begin with a long dash.",
                field="note",
            )
        lines = below.removesuffix("\n").split("\n")
        if len(lines) > SIGNATURES_MAX:
            raise InvalidInput(f"a note with {len(lines)} signatures", field="note")
        return cls(f"{text}\n", tuple(map(NoteSignature.parse, lines)))

    def __str__(self) -> str:
        return f"{self.text}\n{''.join(map(str, self.signatures))}"

    def is_signed_by(self, key: NoteKey) -> bool:
        """Tell whether a key signed it; a signature that names it and is not its own spoils it."""
        named = [each.signature for each in self.signatures if each.is_by(key)]
        return bool(named) and all(key.has_signed(self.text, each) for each in named)

    def with_signatures(self, added: Iterable[NoteSignature]) -> "SignedNote":
        """Give the note with further signatures; those that it has already are not repeated."""
        merged = dict.fromkeys((*self.signatures, *added))
        return replace(self, signatures=tuple(merged))


def cosigned_message(text: str, seen_at: int) -> bytes:
    """Give what a witness signs of a note that it saw at a time, in seconds since the epoch."""
    return f"cosignature/v1\ntime {seen_at}\n{text}".encode()


def cosignature(signature: bytes, seen_at: int) -> bytes:
    """Put a witness's signature of `cosigned_message` into the form that stands in a note."""
    return seen_at.to_bytes(_TIMESTAMP_BYTES, "big") + signature


def decoded(encoded: str) -> bytes:
    """Read standard base64 in its only spelling; anything else gives no bytes."""
    try:
        found = base64.b64decode(encoded.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return b""
    return found if base64.b64encode(found).decode() == encoded else b""


def _text_of(note: str | bytes) -> str:
    if len(note) > NOTE_BYTES_MAX:
        raise InvalidInput(f"a note of {len(note)} bytes or more", field="note")
    if isinstance(note, str):
        return note
    try:
        return note.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"a note that is no UTF-8: {error}", field="note") from error
