"""What a bundle consists of, and the manifest that says so. Source: docs/format.md, "Bundle"."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from smriti_es.events.errors import IntegrityError, InvalidInput, SchemaNewer
from smriti_es.events.header import INTEGER_MAX, canonical_bytes
from smriti_es.events.position_runs import Run, runs_of

BUNDLE_SPEC: Final = "smriti-es-bundle/1"
MANIFEST: Final = "manifest.json"
EVENTS: Final = "events.jsonl"
PAYLOADS: Final = "payloads.jsonl"
CHECKPOINT: Final = "checkpoint"
INCLUSION: Final = "inclusion"
CONSISTENCY: Final = "consistency"
FORMAT: Final = "FORMAT.md"
VERIFIER: Final = "verify_bundle.py"
FACTS: Final = "facts.jsonl"
REVISIONS: Final = "revisions.jsonl"
FINGERPRINTS: Final = "fingerprints.json"

# Made by the release, and no evidence of anything.
ENCLOSED: Final = frozenset({FORMAT, VERIFIER})
# What follows from the events: an import makes it anew and compares.
DERIVED: Final = frozenset({FACTS, REVISIONS, FINGERPRINTS})
PROOFS: Final = frozenset({INCLUSION, CONSISTENCY})
REQUIRED: Final = ENCLOSED | {EVENTS, PAYLOADS}
KNOWN: Final = REQUIRED | DERIVED | PROOFS | {CHECKPOINT}

COMPRESSED: Final = ".zst"
MANIFEST_BYTES_MAX: Final = 64 * 1024 * 1024
NOTE_BYTES_MAX: Final = 1024 * 1024
PAYLOAD_BYTES_MAX: Final = 64 * 1024 * 1024

_NEWER: Final = re.compile("smriti-es-bundle/[1-9][0-9]{0,3}")
_MEMBERS: Final = {"events", "files", "first", "log", "spec", "withheld"}
_HEX: Final = re.compile("[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of the bundle: its length and SHA-256, before it was compressed."""

    size: int
    sha256: str

    @classmethod
    def of(cls, content: bytes) -> "ListedFile":
        """List a file of this content."""
        return cls(len(content), hashlib.sha256(content).hexdigest())


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle holds.

    Attributes:
        log: The log's id.
        first: Position of its first event.
        events: How many events it holds.
        withheld: Positions of payloads that are left out on purpose, in the fewest runs.
        files: Its files by name.
    """

    log: str
    first: int
    events: int
    withheld: tuple[Run, ...]
    files: Mapping[str, ListedFile]

    @property
    def stop(self) -> int:
        """The position after its last event."""
        return self.first + self.events

    def to_bytes(self) -> bytes:
        """Write it, in its one form.

        Raises:
            InvalidInput: More is withheld, in more pieces, than a manifest can name.
        """
        members = {
            "events": self.events,
            "files": {
                name: {"n": each.size, "sha256": each.sha256} for name, each in self.files.items()
            },
            "first": self.first,
            "log": self.log,
            "spec": BUNDLE_SPEC,
            "withheld": [list(run) for run in self.withheld],
        }
        encoded = canonical_bytes(members, MANIFEST_BYTES_MAX - 1) + b"\n"
        assert Manifest.of_bytes(encoded) == self
        return encoded

    @classmethod
    def of_bytes(cls, encoded: bytes) -> "Manifest":
        """Read what `to_bytes` wrote.

        Raises:
            IntegrityError: It is anything else.
            SchemaNewer: A later release wrote it.
        """
        try:
            members = json.loads(encoded.decode("ascii"))
            same = canonical_bytes(members, MANIFEST_BYTES_MAX - 1) + b"\n" == encoded
        except (ValueError, RecursionError, InvalidInput) as error:
            raise IntegrityError(f"{MANIFEST} cannot be read: {error}") from error
        spec = members.get("spec") if same and isinstance(members, dict) else None
        if isinstance(spec, str) and spec != BUNDLE_SPEC and _NEWER.fullmatch(spec):
            raise SchemaNewer(f"the bundle has the newer format {spec}")
        if spec != BUNDLE_SPEC or set(members) != _MEMBERS:
            raise IntegrityError(f"{MANIFEST} is no manifest of a bundle")
        return _manifest_of(members)


def _manifest_of(members: Mapping[str, Any]) -> Manifest:
    first, events, log = members["first"], members["events"], members["log"]
    if not (_is_count(first) and _is_count(events) and events > 0 and _is_hex(log, 32)):
        raise IntegrityError(f"{MANIFEST} does not say which positions of which log there are")
    withheld = runs_of(members["withheld"], first, first + events)
    if withheld is None or any(one[1] + 1 == other[0] for one, other in pairwise(withheld)):
        raise IntegrityError(f"{MANIFEST} does not name what is withheld in the fewest runs")
    files = members["files"]
    if not isinstance(files, dict) or not REQUIRED <= set(files) <= KNOWN:
        raise IntegrityError(f"{MANIFEST} does not name the files of a bundle")
    listed = {}
    for name, each in files.items():
        match each:
            case {"n": int(size), "sha256": str(digest)} if len(each) == 2 and _is_hex(digest, 64):
                listed[name] = ListedFile(size, digest)
            case _:
                raise IntegrityError(f"{MANIFEST} does not say what {name} is")
        if size < 0:
            raise IntegrityError(f"{MANIFEST} does not say what {name} is")
    return Manifest(log, first, events, withheld, listed)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= INTEGER_MAX


def _is_hex(value: Any, digits: int) -> bool:
    return isinstance(value, str) and len(value) == digits and _HEX.fullmatch(value) is not None


def format_page() -> Path:
    """Find docs/format.md: in the installed package, else in the checkout."""
    above = Path(__file__).resolve().parents[2]
    installed = above / "documents" / "format.md"
    return installed if installed.is_file() else above / "docs" / "format.md"


def verifier() -> Path:
    """Find verify_bundle.py."""
    return Path(__file__).with_name(VERIFIER)
