"""A second, tiny writer of bundles, made from the format page alone; and both verifiers."""

import base64
import copy
import hashlib
import hmac
import importlib.util
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from smriti_es.events.audit.checking import check_bundle
from smriti_es.events.audit.layout import format_page, verifier
from smriti_es.events.signed_note import NoteKey

LOG = "5f" * 16
KNOWN = 1_780_394_400_000_000


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def tree_root(leaves: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962, word by word."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    middle = split(len(leaves))
    left, right = tree_root(leaves[:middle]), tree_root(leaves[middle:])
    return hashlib.sha256(b"\x01" + left + right).digest()


def inclusion(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PATH of RFC 6962."""
    if len(leaves) == 1:
        return []
    middle = split(len(leaves))
    if index < middle:
        return [*inclusion(index, leaves[:middle]), tree_root(leaves[middle:])]
    return [*inclusion(index - middle, leaves[middle:]), tree_root(leaves[:middle])]


def consistency(old: int, leaves: Sequence[bytes], *, whole: bool = True) -> list[bytes]:
    """SUBPROOF of RFC 6962."""
    if old == len(leaves):
        return [] if whole else [tree_root(leaves)]
    middle = split(len(leaves))
    if old <= middle:
        return [*consistency(old, leaves[:middle], whole=whole), tree_root(leaves[middle:])]
    return [*consistency(old - middle, leaves[middle:], whole=False), tree_root(leaves[:middle])]


def split(size: int) -> int:
    return 1 << ((size - 1).bit_length() - 1)


@dataclass(slots=True)
class Signer:
    """An Ed25519 key that signs notes."""

    name: str = f"smriti-es/{LOG}"
    secret: bytes = bytes(range(32))
    kind: bytes = b"\x01"

    @property
    def public(self) -> bytes:
        return Ed25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()

    @property
    def id(self) -> bytes:
        return hashlib.sha256(self.name.encode() + b"\n" + self.kind + self.public).digest()[:4]

    @property
    def vkey(self) -> str:
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(self.kind + self.public).decode()}"

    def line(self, text: str) -> str:
        seen_at, message = b"", text.encode()
        if self.kind == b"\x04":
            seen_at, message = (1234).to_bytes(8, "big"), b"cosignature/v1\ntime 1234\n" + message
        signature = Ed25519PrivateKey.from_private_bytes(self.secret).sign(message)
        encoded = base64.b64encode(self.id + seen_at + signature).decode()
        return f"\u2014 {self.name} {encoded}\n"

    def note(self, text: str, *others: "Signer") -> bytes:
        return (text + "\n" + "".join(each.line(text) for each in (self, *others))).encode()


@dataclass(slots=True)
class Entry:
    """One event before it is chained: what its header says, and its payload."""

    header: dict[str, Any]
    payload: tuple[bytes, bytes] | None


@dataclass(slots=True)
class TinyWriter:
    """A log in memory, and the bundles that are made of it."""

    entries: list[Entry] = field(default_factory=list)
    signer: Signer = field(default_factory=Signer)
    log: str = LOG

    def commit(self, *events: tuple[str, dict[str, Any], bytes | None]) -> None:
        """Add a commit of events: type, facets, body."""
        first = len(self.entries)
        for kind, facets, body in events:
            at = len(self.entries)
            key = hashlib.sha256(b"key %d" % at).digest()
            header = {
                "actor": {"id": "tiny", "kind": "owner"},
                "commit": [first, len(events)],
                "id": hashlib.sha256(b"id %d" % at).hexdigest()[:32],
                "known": KNOWN + first,
                "log": self.log,
                "pos": at,
                "refs": [],
                "spec": "smriti-es/1",
                "type": kind,
                "ver": 1,
                "x": facets,
            }
            self.entries.append(Entry(header, None if body is None else (key, body)))

    def erase(self, *positions: int) -> None:
        """Take payloads away, and say so."""
        for each in positions:
            entry = self.entries[each]
            assert entry.payload is not None
            entry.header["pay"] = pay_of(entry.payload)
            entry.payload = None
        ranges = [[each, each] for each in sorted(positions)]
        self.commit(("Erased", {"ranges": ranges}, b"{}"))

    def headers(self) -> list[bytes]:
        """Chain the headers."""
        lines, leaf = [], bytes(32)
        for entry in self.entries:
            header = dict(entry.header) | {"prev": leaf.hex()}
            if entry.payload is not None:
                header["pay"] = pay_of(entry.payload)
            lines.append(canonical(header))
            leaf = hashlib.sha256(b"\0" + lines[-1]).digest()
        return lines

    def leaves(self) -> list[bytes]:
        return [hashlib.sha256(b"\0" + line).digest() for line in self.headers()]

    def checkpoint(self, size: int | None = None, origin: str = "") -> bytes:
        """Sign the first events, all of them by default."""
        size = len(self.entries) if size is None else size
        root = base64.b64encode(tree_root(self.leaves()[:size])).decode()
        return self.signer.note(f"{origin or f'smriti-es/{self.log}'}\n{size}\n{root}\n")

    def proof(self, head: str, hashes: Sequence[bytes], note: bytes) -> bytes:
        lines = [head, *(base64.b64encode(each).decode() for each in hashes)]
        return "".join(f"{line}\n" for line in lines).encode() + b"\n" + note

    def files(
        self,
        first: int = 0,
        stop: int | None = None,
        *,
        withheld: Sequence[int] = (),
        size: int = -1,
    ) -> dict[str, bytes]:
        """Make the files of a bundle, but for its manifest."""
        stop = len(self.entries) if stop is None else stop
        payloads = []
        for at in range(first, stop):
            shown = self.entries[at].payload
            if shown is not None and at not in withheld:
                body = base64.b64encode(shown[1]).decode()
                payloads.append(canonical({"body": body, "key": shown[0].hex(), "pos": at}))
        made = {
            "events.jsonl": b"".join(line + b"\n" for line in self.headers()[first:stop]),
            "payloads.jsonl": b"".join(line + b"\n" for line in payloads),
            "FORMAT.md": format_page().read_bytes(),
            "verify_bundle.py": verifier().read_bytes(),
        }
        if size != 0:
            size = len(self.entries) if size < 0 else size
            made["checkpoint"] = note = self.checkpoint(size)
            if first or stop < size:
                leaves = self.leaves()[:size]
                head = f"c2sp.org/tlog-proof@v1\nindex {stop - 1}"
                made["inclusion"] = self.proof(head, inclusion(stop - 1, leaves), note)
        return made


def pay_of(payload: tuple[bytes, bytes]) -> dict[str, Any]:
    key, body = payload
    keyed = hmac.new(key, b"smriti-es/commit/1\0" + body, hashlib.sha256)
    return {"c": keyed.hexdigest(), "n": len(body)}


def manifest_of(files: dict[str, bytes], **members: Any) -> bytes:
    """Write the manifest of files, so that their hashes are right."""
    listed = {
        name: {"n": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in files.items()
    }
    lines = files["events.jsonl"].splitlines()
    said = {"events": len(lines), "files": listed, "first": 0, "log": LOG, "withheld": []}
    return canonical(said | {"spec": "smriti-es-bundle/1"} | members) + b"\n"


def write(folder: Path, files: dict[str, bytes], **members: Any) -> Path:
    """Write a bundle, with a manifest that fits."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    made = (
        files
        if "manifest.json" in files
        else files | {"manifest.json": manifest_of(files, **members)}
    )
    for name, content in made.items():
        (folder / name).write_bytes(content)
    return folder


@dataclass(slots=True)
class Answer:
    """What both verifiers say of a bundle."""

    code: int
    broken: list[tuple[int | None, str]]
    incomplete: list[str]
    remarks: list[str]


@dataclass(slots=True)
class Verifiers:
    """Both verifiers; they must agree."""

    alone: ModuleType

    def of_engine(
        self, folder: Path, *keys: str, since: Sequence[bytes] = (), unsigned: bool = False
    ) -> Answer:
        found = check_bundle(
            folder, keys=[NoteKey.parse(each) for each in keys], since=since, unsigned=unsigned
        )
        return Answer(
            1 if found.findings else 2 if found.incomplete else 0,
            [(each.position, each.place) for each in found.findings],
            list(found.incomplete),
            list(found.remarks),
        )

    def of_script(
        self, folder: Path, *keys: str, since: Sequence[bytes] = (), unsigned: bool = False
    ) -> Answer:
        notes = []
        for number, note in enumerate(since):
            path = folder.with_name(f"{folder.name}-since-{number}")
            path.write_bytes(note)
            notes.append(str(path))
        read = [self.alone.read_key(each) for each in keys]
        report = self.alone.check(str(folder), read, notes, unsigned=unsigned)
        return Answer(
            report.code(),
            [(each["position"], each["place"]) for each in report.broken],
            report.incomplete,
            report.remarks,
        )

    def __call__(self, folder: Path, *keys: str, **options: Any) -> Answer:
        """Ask both, and give what the script says."""
        ours, alone = (
            self.of_engine(folder, *keys, **options),
            self.of_script(folder, *keys, **options),
        )
        assert ours.code == alone.code, (ours, alone)
        return alone


@pytest.fixture(scope="session")
def alone() -> ModuleType:
    """verify_bundle.py, loaded from its file as something that is none of our package."""
    spec = importlib.util.spec_from_file_location("verify_bundle_alone", verifier())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def verify(alone: ModuleType) -> Verifiers:
    """Ask both verifiers about a bundle."""
    return Verifiers(alone)


@pytest.fixture(scope="session")
def written_log() -> TinyWriter:
    """A log of eleven events in six commits; two payloads are erased, one event never had any."""
    log = TinyWriter()
    log.commit(("LogOpened", {}, b'{"tenant":"default"}'))
    log.commit(("SessionStarted", {}, b'{"session":"s1"}'), ("TurnRecorded", {"n": 1}, b"hello"))
    log.commit(("TurnRecorded", {"n": 2}, b"secret"), ("NoContent", {}, None))
    log.commit(("TurnRecorded", {"list": [1, -2, 3]}, b"\x00\xff any bytes"))
    log.erase(2, 3)
    log.commit(
        ("TurnRecorded", {}, b"a"), ("TurnRecorded", {}, b""), ("TurnRecorded", {}, b"c" * 100)
    )
    log.commit(("Quarantined", {"ranges": [[1, 2]], "part_of": -1}, b"{}"))
    return log


@pytest.fixture
def tiny(written_log: TinyWriter) -> TinyWriter:
    """A copy of the log that a test may change."""
    return copy.deepcopy(written_log)


@pytest.fixture(scope="session")
def bundle() -> Callable[..., Path]:
    """Write files as a bundle, with a manifest that fits them."""
    return write


@pytest.fixture(scope="session")
def manifest() -> Callable[..., bytes]:
    """Write the manifest of files."""
    return manifest_of


@pytest.fixture(scope="session")
def older_proof() -> Callable[[TinyWriter, int, int], bytes]:
    """Prove that a log went on from an older size to a newer."""

    def prove(log: TinyWriter, old: int, size: int) -> bytes:
        note = log.checkpoint(size)
        return log.proof(f"old {old}", consistency(old, log.leaves()[:size]), note)

    return prove


@pytest.fixture(scope="session")
def other_signer() -> Signer:
    """A witness, with a key of another kind."""
    return Signer("witness.example", bytes(range(1, 33)), b"\x04")
