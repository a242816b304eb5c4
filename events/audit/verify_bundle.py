#!/usr/bin/env python3
"""Check an audit bundle of smriti-es with nothing but Python's standard library (3.9 or newer).

    python3 verify_bundle.py BUNDLE --key VKEY [--since NOTE] [--json]

Written from FORMAT.md, and sharing no code with the software that made the bundle. Take this file
from a release that you trust, not from the bundle that you check: one that came with it proves
nothing. Exit codes: 0 everything that was asked for holds; 1 something is broken; 2 nothing is
broken, but not everything could be checked (or the call cannot be understood).
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any, NamedTuple

SPEC, BUNDLE_SPEC = "smriti-es/1", "smriti-es-bundle/1"
HEADER_MAX, PAYLOAD_MAX, NOTE_MAX, MANIFEST_MAX = 2**16, 2**26, 2**20, 2**26
LINE_MAX = PAYLOAD_MAX * 4 // 3 + 256
NESTING_MAX, FINDINGS_MAX, INTEGER_MAX = 64, 1000, 2**53 - 1
REQUIRED = {"events.jsonl", "payloads.jsonl", "FORMAT.md", "verify_bundle.py"}
NOT_CHECKED = {"facts.jsonl", "revisions.jsonl", "fingerprints.json"}
KNOWN = REQUIRED | NOT_CHECKED | {"checkpoint", "inclusion", "consistency"}
ACTORS = {"owner", "agent", "tool", "untrusted", "engine", "import"}
MEMBERS = {
    "actor",
    "commit",
    "id",
    "known",
    "log",
    "pos",
    "prev",
    "refs",
    "spec",
    "type",
    "ver",
    "x",
}
MANIFEST = {"events", "files", "first", "log", "spec", "withheld"}
PAYLOAD_LINE = re.compile(
    rb'\{"body":"([A-Za-z0-9+/]*={0,2})","key":"([0-9a-f]{64})","pos":(0|[1-9][0-9]{0,15})\}'
)
EMPTY_ROOT = hashlib.sha256(b"").digest()


class Broken(Exception):
    """Something is not what it should be."""


class Incomplete(Exception):
    """Something cannot be checked here."""


class Report:
    """What was found, what could not be looked at, and what is worth a remark."""

    def __init__(self, *, unsigned: bool = False) -> None:
        self.unsigned = unsigned
        self.broken: list[dict[str, Any]] = []
        self.incomplete: list[str] = []
        self.remarks: list[str] = []
        self.summary: dict[str, Any] = {}
        self.place = ""

    def found(self, position: int | None, place: str, problem: object) -> None:
        """Note that something is broken, at a position or (None) as a whole."""
        if len(self.broken) < FINDINGS_MAX:
            self.broken.append({"position": position, "place": place, "problem": str(problem)})

    def unattested(self, what: str) -> None:
        """Note that something stands under no signature that was checked."""
        (self.remarks if self.unsigned else self.incomplete).append(what)

    def code(self) -> int:
        """Give the exit code."""
        return 1 if self.broken else 2 if self.incomplete else 0


# --- bytes and files ---


def canonical(encoded: bytes) -> Any:
    """Read JSON that must be written in its one canonical form."""
    if re.fullmatch(rb"[ -\[\]-~]*", encoded) is None:
        raise Broken("it holds a byte that no canonical form has")
    depth = deepest = 0
    for byte in re.sub(rb'"[^"]*"', b"", encoded):
        depth += (byte in b"[{") - (byte in b"]}")
        deepest = max(deepest, depth)
    if deepest > NESTING_MAX:
        raise Broken(f"it is nested more than {NESTING_MAX} levels deep")
    try:
        value = json.loads(encoded.decode("ascii"), parse_float=_refuse, parse_constant=_refuse)
        same = json.dumps(value, sort_keys=True, separators=(",", ":")).encode() == encoded
    except ValueError as error:
        raise Broken(f"it cannot be read: {error}") from error
    if not same or not _plain(value):
        raise Broken("it is not in canonical form")
    return value


def _refuse(number: str) -> Any:
    raise ValueError(f"{number} is no whole number")


def _plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_plain, value.values()))
    if isinstance(value, list):
        return all(map(_plain, value))
    whole = type(value) is int and -INTEGER_MAX <= value <= INTEGER_MAX
    return whole or isinstance(value, str)


def opened(folder: str, name: str) -> IO[bytes]:
    """Open a file of the bundle."""
    path = os.path.join(folder, name)
    if not os.path.isfile(path) and os.path.isfile(path + ".zst"):
        raise Incomplete(f"{name} is compressed: run `zstd -d --rm {folder}/*.zst` first")
    if not os.path.isfile(path):
        raise Broken("it is missing")
    return open(path, "rb")


def small(folder: str, name: str, limit: int) -> bytes:
    """Read a file that must not be large."""
    with opened(folder, name) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise Broken(f"it has more than {limit} bytes")
    return content


def lines(file: IO[bytes], limit: int) -> Iterator[bytes]:
    """Give the lines of a file without their ends; each must have one, and be short enough."""
    while line := file.readline(limit + 1):
        if not line.endswith(b"\n"):
            raise Broken("a line is too long, or the last one has no end")
        yield line[:-1]


def is_number(value: Any, least: int = 0) -> bool:
    """Tell whether a value is a whole number of at least so much."""
    return type(value) is int and least <= value <= INTEGER_MAX


def is_hex(value: Any, digits: int) -> bool:
    """Tell whether a value is text of so many lower-case hexadecimal digits."""
    return isinstance(value, str) and len(value) == digits and not value.strip("0123456789abcdef")


def are_ranges(value: Any, stop: int) -> bool:
    """Tell whether a value is a list of [first, last], ascending, before `stop`."""
    if not isinstance(value, list):
        return False
    before = -1
    for each in value:
        if not (isinstance(each, list) and len(each) == 2 and all(map(is_number, each))):
            return False
        if not before < each[0] <= each[1] < stop:
            return False
        before = each[1]
    return True


class Positions:
    """A set of positions, as the runs that it consists of."""

    def __init__(self, ranges: Iterable[Sequence[int]] = ()) -> None:
        self.runs = [list(each) for each in ranges]

    def append(self, position: int) -> None:
        """Add one that lies behind all there are."""
        if self.runs and self.runs[-1][1] == position - 1:
            self.runs[-1][1] = position
        else:
            self.runs.append([position, position])

    def _place(self, position: int) -> int:
        low, high = 0, len(self.runs)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.runs[middle][1] < position else (low, middle)
        return low

    def first_in(self, first: int, last: int) -> int | None:
        """Give the lowest one between two, or None."""
        place = self._place(first)
        if place == len(self.runs) or self.runs[place][0] > last:
            return None
        return max(first, self.runs[place][0])

    def remove(self, first: int, last: int) -> int:
        """Take out whatever lies between two, and count it."""
        start = stop = self._place(first)
        left, gone = [], 0
        while stop < len(self.runs) and self.runs[stop][0] <= last:
            low, high = self.runs[stop]
            left += [[low, first - 1]] if low < first else []
            left += [[last + 1, high]] if high > last else []
            gone += min(high, last) - max(low, first) + 1
            stop += 1
        self.runs[start:stop] = left
        return gone

    def count(self) -> int:
        """Count them."""
        return sum(last - first + 1 for first, last in self.runs)


# --- Merkle tree: RFC 6962; the checks of proofs: RFC 9162 ---


def node(left: bytes, right: bytes) -> bytes:
    """Hash two subtrees to one."""
    return hashlib.sha256(b"\1" + left + right).digest()


class Tree:
    """A tree that grows leaf by leaf, and the roots of the sizes that are asked about."""

    def __init__(self, sizes: Iterable[int]) -> None:
        self.sizes, self.size = set(sizes), 0
        self.peaks: list[bytes] = []
        self.roots = {0: EMPTY_ROOT}

    def add(self, leaf: bytes) -> None:
        """Add a leaf."""
        index = self.size
        while index & 1:
            leaf, index = node(self.peaks.pop(), leaf), index >> 1
        self.peaks.append(leaf)
        self.size += 1
        if self.size in self.sizes:
            self.roots[self.size] = self.root()

    def root(self) -> bytes:
        """Give the root over all leaves."""
        if not self.peaks:
            return self.roots[0]
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = node(peak, root)
        return root


def sides(at: int, last: int) -> Iterator[bool]:
    """Tell, from a node up to the root, whether its sibling stands to the left."""
    while last:
        left = bool(at & 1) or at == last
        yield left
        while left and not at & 1:  # on the right border there may be no sibling
            at, last = at >> 1, last >> 1
        at, last = at >> 1, last >> 1


def included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Check an inclusion proof."""
    way = list(sides(index, size - 1)) if 0 <= index < size else []
    if not index < size or len(way) != len(proof):
        return False
    for sibling, left in zip(proof, way):
        leaf = node(sibling, leaf) if left else node(leaf, sibling)
    return leaf == root


def consistent(old: Checkpoint, new: Checkpoint, proof: Sequence[bytes]) -> bool:
    """Check a consistency proof between the trees of two checkpoints."""
    if old.size > new.size or old.size in (0, new.size):
        known = new.root if old.size else EMPTY_ROOT
        return old.size <= new.size and not proof and old.root == known
    if old.size & (old.size - 1) == 0:
        proof = [old.root, *proof]  # a perfect tree is a part of the larger one
    at, last = old.size - 1, new.size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    way = list(sides(at, last))
    if len(proof) != len(way) + 1:
        return False
    before = after = proof[0]
    for sibling, left in zip(proof[1:], way):
        before = node(sibling, before) if left else before
        after = node(sibling, after) if left else node(after, sibling)
    return before == old.root and after == new.root


# --- Ed25519: RFC 8032, verification only ---

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
Point = tuple[int, int, int, int]


def point(encoded: bytes) -> Point | None:
    """Read a point in extended coordinates, or None."""
    y = int.from_bytes(encoded, "little") & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and encoded[31] >> 7):
        return None
    x = P - x if x & 1 != encoded[31] >> 7 else x
    return x, y, 1, x * y % P


def plus(one: Point, other: Point) -> Point:
    """Add two points."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar: int, of: Point) -> Point:
    """Multiply a point."""
    total = (0, 1, 1, 0)
    while scalar:
        total = plus(total, of) if scalar & 1 else total
        of, scalar = plus(of, of), scalar >> 1
    return total


def signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether a signature is valid."""
    if len(public) != 32 or len(signature) != 64:
        return False
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    key = point(public)
    if key is None or s >= ORDER:
        return False
    base = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    assert base is not None
    k = int.from_bytes(hashlib.sha512(r + public + message).digest(), "little") % ORDER
    x, y, z, _ = plus(times(s, base), times(k, (P - key[0], key[1], 1, P - key[3])))
    inverse = pow(z, P - 2, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little") == r


# --- signed notes: C2SP signed-note and tlog-checkpoint ---


class Key(NamedTuple):
    """A key that a signature may be checked with: a log's (kind 1) or a witness's (kind 4)."""

    name: str
    id: bytes
    kind: int
    public: bytes

    def has_signed(self, text: str, signature: bytes) -> bool:
        """Tell whether a signature of a note's text is by this key."""
        message = text.encode()
        if self.kind == 4:  # a witness signs the time at which it saw the note as well
            seen_at, signature = int.from_bytes(signature[:8], "big"), signature[8:]
            message = b"cosignature/v1\ntime %d\n" % seen_at + message
        return signed(self.public, message, signature)


class Checkpoint(NamedTuple):
    """What a checkpoint says, and the bytes that it is written in."""

    origin: str
    size: int
    root: bytes
    note: bytes


def strict(text: str) -> bytes:
    """Decode base64 that is written in its one form."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Broken("it holds no base64 where it must") from error
    if base64.b64encode(decoded).decode() != text:
        raise Broken("its base64 is not in canonical form")
    return decoded


def read_key(text: str) -> Key:
    """Read a verifier key, `name+id+base64`, or a file that holds one."""
    if os.path.isfile(text):
        with open(text, encoding="utf-8") as file:
            text = file.read(NOTE_MAX)
    match = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})", text.strip())
    if match is None:
        raise Incomplete(f"{text[:80]!r} is no key of the form name+id+base64")
    name, id, data = match[1], bytes.fromhex(match[2]), strict(match[3])
    own = hashlib.sha256(name.encode() + b"\n" + data).digest()[:4]
    if data[:1] not in (b"\1", b"\4") or len(data) != 33 or own != id:
        raise Incomplete(f"{text[:80]!r} is no Ed25519 key, or its id is not its own")
    return Key(name, id, data[0], data[1:])


def split_note(note: bytes) -> tuple[str, list[tuple[str, bytes]]]:
    """Take a signed note apart: its text, and each signature with the name it is under."""
    try:
        text, blank, below = note.decode().rpartition("\n\n")
    except UnicodeDecodeError as error:
        raise Broken("it is not in UTF-8") from error
    signatures = below.split("\n")
    if not blank or signatures.pop() or not signatures or re.search(rb"[\x00-\x09\x0b-\x1f]", note):
        raise Broken("it is no signed note")
    found = []
    for line in signatures:
        match = re.fullmatch(r"\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})", line)
        if match is None or len(strict(match[2])) <= 4 or len(signatures) > 100:
            raise Broken("it has a line that is no signature, or too many")
        found.append((match[1], strict(match[2])))
    return text + "\n", found


def read_checkpoint(note: bytes, keys: Sequence[Key], report: Report, place: str) -> Checkpoint:
    """Read a checkpoint and check the signatures that are by a key which was given."""
    text, signatures = split_note(note)
    form = re.fullmatch(r"(.+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)\n(?:.+\n)*", text)
    if form is None:
        raise Broken("it is no checkpoint of origin, size and root")
    signers = {(key.name, key.id): key for key in keys}
    by_known = [each for each in signatures if (each[0], each[1][:4]) in signers]
    for name, data in by_known:
        if not signers[name, data[:4]].has_signed(text, data[4:]):
            report.found(None, place, f"its signature by {name} is not valid")
    unknown = len(signatures) - len(by_known)
    if not keys:
        report.unattested(f"{place}: its signature is not checked; give --key")
    elif not by_known:
        report.found(None, place, "no key that was given has signed it")
    elif unknown:
        report.remarks.append(f"{place}: {unknown} signatures are by keys that were not given")
    return Checkpoint(form[1], int(form[2]), strict(form[3]), note)


def read_proof(raw: bytes, first_lines: str, checkpoint: Checkpoint) -> tuple[int, list[bytes]]:
    """Read a proof that ends with the checkpoint: the number in its first lines, and its hashes."""
    if raw != raw.partition(b"\n\n")[0] + b"\n\n" + checkpoint.note:
        raise Broken("it does not end with the checkpoint of the bundle")
    head = raw[: -len(checkpoint.note) - 2].decode("ascii", "replace") + "\n"
    form = re.fullmatch(
        re.escape(first_lines) + r"(0|[1-9][0-9]{0,18})\n((?:[A-Za-z0-9+/]{43}=\n)*)", head
    )
    if form is None:
        raise Broken("it is no proof")
    return int(form[1]), [strict(each) for each in form[2].split()]


# --- the bundle ---


def read_manifest(folder: str) -> dict[str, Any]:
    """Read what the bundle says that it holds."""
    raw = small(folder, "manifest.json", MANIFEST_MAX)
    if raw[-1:] != b"\n":
        raise Broken("it does not end with a line end")
    manifest = canonical(raw[:-1])
    spec = manifest.get("spec") if isinstance(manifest, dict) else None
    if newer(spec, BUNDLE_SPEC):
        raise Incomplete(f"the bundle has the newer format {spec}")
    if spec != BUNDLE_SPEC or set(manifest) != MANIFEST:
        raise Broken("it is no manifest of a bundle")
    first, events, files = manifest["first"], manifest["events"], manifest["files"]
    if not (is_number(first) and is_number(events, 1) and is_hex(manifest["log"], 32)):
        raise Broken("it does not say which positions of which log the bundle holds")
    withheld = manifest["withheld"]
    if not are_ranges(withheld, first + events) or any(each[0] < first for each in withheld):
        raise Broken("withheld does not name positions of the bundle in order")
    if any(one[1] + 1 == other[0] for one, other in zip(withheld, withheld[1:])):
        raise Broken("withheld is not written in the fewest ranges")
    forms = isinstance(files, dict) and all(
        isinstance(each, dict)
        and set(each) == {"n", "sha256"}
        and is_number(each["n"])
        and is_hex(each["sha256"], 64)
        for each in files.values()
    )
    if not forms or not set(files) >= REQUIRED or not set(files) <= KNOWN:
        raise Broken("files does not name the files of a bundle")
    return manifest  # type: ignore[no-any-return]


def newer(spec: Any, known: str) -> bool:
    """Tell whether a format is a later one of the same kind."""
    kind = known.rpartition("/")[0]
    form = (
        re.fullmatch(re.escape(kind) + "/[1-9][0-9]{0,3}", spec) if isinstance(spec, str) else None
    )
    return form is not None and spec != known


def check_files(folder: str, files: dict[str, Any], report: Report) -> None:
    """Compare each file with the hash that the manifest gives, and look for others."""
    for name in sorted(files):
        try:
            if hash_of(folder, name) != files[name]:
                report.found(None, name, "it is not the file that the manifest names")
        except Broken as error:
            report.found(None, name, error)
    for name in sorted(set(os.listdir(folder)) - set(files) - {"manifest.json"}):
        if name in KNOWN:
            report.found(None, name, "it is there, but the manifest does not name it")
        else:
            report.remarks.append(f"{name!r} is no file of the bundle")
    for name in sorted(NOT_CHECKED & set(files)):
        report.remarks.append(f"{name} is compared when the bundle is imported, not here")
    own = hash_of(os.path.dirname(os.path.abspath(__file__)), os.path.basename(__file__))
    if own != files["verify_bundle.py"]:
        report.remarks.append("the verifier in the bundle is another one than this")


def hash_of(folder: str, name: str) -> dict[str, Any]:
    """Give length and hash of a file, as the manifest writes them."""
    digest, size = hashlib.sha256(), 0
    with opened(folder, name) as file:
        while part := file.read(2**20):
            digest.update(part)
            size += len(part)
    return {"n": size, "sha256": digest.hexdigest()}


class Payloads:
    """The disclosed payloads, read beside the headers."""

    def __init__(self, file: IO[bytes], report: Report) -> None:
        self.report, self.last = report, -1
        self.rest = self._read(file)
        self.next = next(self.rest, None)

    def _read(self, file: IO[bytes]) -> Iterator[tuple[int, bytes, bytes]]:
        number = 0
        try:
            for line in lines(file, LINE_MAX):
                number += 1
                position, key, body = payload_of(line)
                if position <= self.last:
                    self.report.found(
                        position, "payloads.jsonl", f"it is out of order, line {number}"
                    )
                    continue
                self.last = position
                yield position, key, body
        except Broken as error:
            self.report.found(None, "payloads.jsonl", f"line {number}: {error}")

    def at(self, position: int | None) -> tuple[bytes, bytes] | None:
        """Give key and body at a position, past those before; None: there is none left."""
        while self.next is not None and (position is None or self.next[0] < position):
            self.report.found(self.next[0], "payloads.jsonl", "it belongs to no event here")
            self.next = next(self.rest, None)
        if self.next is None or self.next[0] != position:
            return None
        _, key, body = self.next
        self.next = next(self.rest, None)
        return key, body


def payload_of(line: bytes) -> tuple[int, bytes, bytes]:
    """Read position, key and body of a line."""
    form = PAYLOAD_LINE.fullmatch(line)
    if form is None:
        raise Broken("it is not written as a payload is")
    return int(form[3]), bytes.fromhex(form[2].decode()), strict(form[1].decode())


def misshapen(header: Any) -> str | None:
    """Name what of a header does not have its form."""
    if not isinstance(header, dict) or not MEMBERS <= set(header) <= {*MEMBERS, "pay"}:
        return "its members"
    actor, commit, refs, pay = header["actor"], header["commit"], header["refs"], header.get("pay")
    form = {
        "log": is_hex(header["log"], 32),
        "pos": is_number(header["pos"]),
        "prev": is_hex(header["prev"], 64),
        "id": is_hex(header["id"], 32),
        "commit": isinstance(commit, list)
        and len(commit) == 2
        and is_number(commit[0])
        and is_number(commit[1], 1),
        "type": isinstance(header["type"], str) and 0 < len(header["type"]) <= 64,
        "ver": is_number(header["ver"], 1),
        "known": is_number(header["known"]),
        "actor": isinstance(actor, dict)
        and set(actor) == {"id", "kind"}
        and isinstance(actor["id"], str)
        and isinstance(actor["kind"], str)
        and actor["kind"] in ACTORS,
        "refs": isinstance(refs, list) and all(map(is_number, refs)),
        "x": isinstance(header["x"], dict),
        "pay": "pay" not in header
        or (
            isinstance(pay, dict)
            and set(pay) == {"c", "n"}
            and is_hex(pay["c"], 64)
            and is_number(pay["n"])
        ),
    }
    wrong = next((name for name, holds in form.items() if not holds), None)
    if wrong is None and any(a >= b for a, b in zip(refs, [*refs[1:], header["pos"]])):
        return "refs"
    return wrong


def header_of(line: bytes) -> dict[str, Any]:
    """Read a header."""
    try:
        spec = json.loads(line.decode()).get("spec")
    except (ValueError, AttributeError, RecursionError):
        spec = None
    if newer(spec, SPEC):
        raise Incomplete(f"it is written in the newer format {spec}")
    header = canonical(line)
    wrong = "spec" if spec != SPEC else misshapen(header)
    if wrong is not None:
        raise Broken(f"{wrong} of the header is not what it must be")
    return header  # type: ignore[no-any-return]


class Chain:
    """Follows the headers, one line at a time, and the payloads beside them."""

    def __init__(self, manifest: dict[str, Any], tree: Tree, payloads: Payloads, report: Report):
        self.tree, self.payloads, self.report = tree, payloads, report
        self.first, self.log = manifest["first"], manifest["log"]
        self.next, self.leaf, self.known = self.first, b"", -1
        self.commit, self.gap = [self.first, 0], False
        self.withheld, self.declared = Positions(manifest["withheld"]), 0
        self.disclosed, self.pending, self.erased = Positions(), Positions(), 0
        self.restored: list[int] = []

    def found(self, problem: object, place: str = "events.jsonl") -> None:
        """Note what is wrong with the event in hand."""
        self.report.found(self.next, place, problem)

    def take(self, line: bytes) -> None:
        """Check the next header."""
        leaf = hashlib.sha256(b"\0" + line).digest()
        try:
            header = header_of(line)
        except Broken as error:
            self.found(error)
        except Incomplete as error:
            self.report.incomplete.append(f"position {self.next}: {error}")
            self.payloads.at(self.next)
            self.gap = True
        else:
            if self.gap:
                self._resume(header)
            self._links(header)
            self._commits(header)
            self._payload(header)
            self.known, self.commit = header["known"], header["commit"]
        self.tree.add(leaf)
        self.leaf, self.next = leaf, self.next + 1

    def _resume(self, header: dict[str, Any]) -> None:
        """Take commits up again behind events that cannot be read here."""
        begun = header["commit"][0] < header["pos"]
        self.gap = False
        self.known = header["known"] - (not begun)
        self.commit = header["commit"] if begun else [header["pos"], 0]

    def _links(self, header: dict[str, Any]) -> None:
        before = self.leaf.hex() if self.leaf else header["prev"] if self.first else "0" * 64
        if header["prev"] != before:
            self.found("it does not link to the event before it")
        if header["log"] != self.log:
            self.found("it belongs to another log")
        if header["pos"] != self.next:
            self.found(f"it says that it stands at position {header['pos']}")
        if self.next == 0 and header["type"] != "LogOpened":
            self.found("the log does not begin with LogOpened")

    def _commits(self, header: dict[str, Any]) -> None:
        if header["commit"] == self.commit:
            if header["known"] != self.known:
                self.found("known differs within its commit")
            if header["pos"] >= sum(self.commit):
                self.found("it lies beyond its commit")
            return
        if header["commit"][0] != header["pos"]:
            self.found("it does not begin its commit")
        if sum(self.commit) != header["pos"]:
            self.found("it begins before the commit before it ends")
        if header["known"] <= self.known:
            self.found("known does not rise")

    def _payload(self, header: dict[str, Any]) -> None:
        at, pay, shown = self.next, header.get("pay"), self.payloads.at(self.next)
        withheld = self.withheld.first_in(at, at) is not None
        self.declared += withheld
        if withheld and (pay is None or shown is not None):
            self.found("it is declared withheld, but there is nothing to withhold", "manifest.json")
        if pay is not None and shown is None and not withheld:
            self.pending.append(at)
        if shown is not None:
            self.disclosed.append(at)
            if pay is None:
                self.found("it was added: the header names none", "payloads.jsonl")
            else:
                key, body = shown
                keyed = hmac.new(key, b"smriti-es/commit/1\0" + body, hashlib.sha256).hexdigest()
                if (len(body), keyed) != (pay["n"], pay["c"]):
                    self.found("it is not what the header commits to", "payloads.jsonl")
        if header["type"] == "LogRestored":
            self.restored.append(self.next)
        if header["type"] == "Erased":
            self._erase(header["x"].get("ranges"))

    def _erase(self, ranges: Any) -> None:
        if not are_ranges(ranges, self.next):
            self.found("it does not say which positions it erased")
            return
        for first, last in ranges:
            self.erased += self.pending.remove(first, last)
            for kept, place in (
                (self.disclosed, "payloads.jsonl"),
                (self.withheld, "manifest.json"),
            ):
                position = kept.first_in(first, last)
                if position is not None:
                    problem = f"it is still there, though position {self.next} erased it"
                    self.report.found(position, place, problem)

    def end(self, events: int) -> None:
        """Check what can be told at the end only."""
        if self.next != self.first + events:
            said = f"the bundle should end before position {self.first + events}"
            self.found(said)
        if sum(self.commit) != self.next and not self.gap:
            self.found("the last commit is not whole")
        self.payloads.at(None)
        for first, last in self.pending.runs:
            to = "" if first == last else f" (and so are all up to {last})"
            problem = f"it is missing: neither disclosed nor withheld nor erased{to}"
            self.report.found(first, "payloads.jsonl", problem)


class Attested:
    """What the events are compared with: the checkpoint of the bundle, and older ones."""

    def __init__(
        self, folder: str, listed: Iterable[str], chain: Chain, checkpoint: Checkpoint | None
    ) -> None:
        self.folder, self.listed, self.checkpoint = folder, set(listed), checkpoint
        self.report, self.chain, self.end = chain.report, chain, chain.next
        self.roots = {} if chain.first else chain.tree.roots

    def compare(self) -> None:
        """Compare the events with the checkpoint."""
        if self.checkpoint is None:
            self._nothing_signed()
            return
        size = self.checkpoint.size
        self._identity(self.checkpoint)
        if size in self.roots:
            if self.roots[size] != self.checkpoint.root:
                self.report.found(None, "checkpoint", "its root is not that of the events")
            if size < self.end:
                self.report.unattested(f"events from {size} on stand under no checkpoint")
        elif size < self.end:
            self.report.found(None, "checkpoint", "it does not reach to the end of the bundle")
        elif "inclusion" not in self.listed:
            problem = f"it covers {size} events, and no proof leads there from the last one here"
            self.report.found(None, "checkpoint", problem)
        if "inclusion" in self.listed:
            self._included(self.checkpoint)

    def _nothing_signed(self) -> None:
        if {"inclusion", "consistency"} & self.listed:
            raise Broken("there are proofs, but no checkpoint that they lead to")
        self.report.unattested("there is no checkpoint: nothing that was signed is compared")

    def _identity(self, checkpoint: Checkpoint) -> None:
        """Compare the origin with the log's id, and with where the log was restored."""
        before = [each for each in self.chain.restored if each < checkpoint.size]
        own = f"smriti-es/{self.chain.log}" + (f"/{before[-1]}" if before else "")
        ours = is_origin(checkpoint.origin, self.chain.log)
        if checkpoint.origin != own if checkpoint.size in self.roots else not ours:
            self.report.found(None, "checkpoint", "it is of another log")

    def _included(self, checkpoint: Checkpoint) -> None:
        raw = small(self.folder, "inclusion", NOTE_MAX)
        index, proof = read_proof(raw, "c2sp.org/tlog-proof@v1\nindex ", checkpoint)
        size, root = checkpoint.size, checkpoint.root
        if index != self.end - 1 or not included(self.chain.leaf, index, size, proof, root):
            problem = "it does not lead from the last event to the root of the checkpoint"
            self.report.found(self.end - 1, "inclusion", problem)

    def extends(self, older: Sequence[Checkpoint]) -> None:
        """Compare with older checkpoints, of events that are here or by a proof."""
        proven = self._consistent(older)
        known = dict(self.roots)
        if self.checkpoint is not None:
            known.setdefault(self.checkpoint.size, self.checkpoint.root)
        for each in older:
            if not is_origin(each.origin, self.chain.log):
                self.report.found(None, "--since", "it is a checkpoint of another log")
            if each.size in known and known[each.size] != each.root:
                self.report.found(None, "--since", "its root is another than is attested here")
            if each.size not in known and each.size != proven:
                self._not_reached(each.size)

    def _consistent(self, older: Sequence[Checkpoint]) -> int:
        """Check the consistency proof, if there is one; give the size that it begins at."""
        if self.checkpoint is None or "consistency" not in self.listed:
            return -1
        raw = small(self.folder, "consistency", NOTE_MAX)
        proven, proof = read_proof(raw, "old ", self.checkpoint)
        begins = [each for each in older if each.size == proven]
        if not begins:
            problem = "consistency is not checked: give the older checkpoint with --since"
            self.report.incomplete.append(problem)
        if not all(consistent(each, self.checkpoint, proof) for each in begins):
            problem = "it does not lead from the older checkpoint to that of the bundle"
            self.report.found(None, "consistency", problem)
        return proven

    def _not_reached(self, size: int) -> None:
        if size > max(self.end, self.checkpoint.size if self.checkpoint is not None else 0):
            self.report.found(None, "--since", f"it covers {size} events: the log was cut off")
        else:
            self.report.incomplete.append(f"no proof leads from the older checkpoint of {size}")


def is_origin(origin: str, log: str) -> bool:
    """Tell whether a checkpoint names a log, as it was or since it was last restored."""
    return re.fullmatch(f"smriti-es/{log}(/[^/]*)?", origin) is not None


def check(
    folder: str, keys: Sequence[Key], since: Sequence[str], *, unsigned: bool = False
) -> Report:
    """Check a bundle."""
    report = Report(unsigned=unsigned)
    report.place = "manifest.json"
    try:
        _check(folder, keys, since, report)
    except Broken as error:
        report.found(None, report.place, error)
    except (Incomplete, OSError) as error:
        report.incomplete.append(str(error))
    return report


def _check(folder: str, keys: Sequence[Key], since: Sequence[str], report: Report) -> None:
    manifest = read_manifest(folder)
    check_files(folder, manifest["files"], report)
    checkpoint, older = None, []
    if "checkpoint" in manifest["files"]:
        report.place = "checkpoint"
        note = small(folder, "checkpoint", NOTE_MAX)
        checkpoint = read_checkpoint(note, keys, report, "checkpoint")
    for path in since:
        report.place = path
        note = small(os.path.dirname(path), os.path.basename(path), NOTE_MAX)
        older.append(read_checkpoint(note, keys, report, path))
    report.place = "events.jsonl"
    tree = Tree(each.size for each in [checkpoint, *older] if each is not None)
    with opened(folder, "events.jsonl") as events, opened(folder, "payloads.jsonl") as payloads:
        chain = Chain(manifest, tree, Payloads(payloads, report), report)
        for line in lines(events, HEADER_MAX):
            chain.take(line)
        chain.end(manifest["events"])
    summarise(report, chain)
    report.place = "proofs"
    attested = Attested(folder, manifest["files"], chain, checkpoint)
    attested.compare()
    attested.extends(older)


def summarise(report: Report, chain: Chain) -> None:
    """Say what the bundle holds."""
    report.summary = {
        "log": chain.log,
        "first": chain.first,
        "events": chain.next - chain.first,
        "disclosed": chain.disclosed.count(),
        "withheld": chain.declared,
        "erased": chain.erased,
        "head": chain.leaf.hex(),
        "root": "" if chain.first else chain.tree.root().hex(),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the bundle that the command line names; give the exit code."""
    assert __doc__ is not None
    about, _, codes = __doc__.partition("\n\n    ")
    parser = argparse.ArgumentParser(description=about, epilog=codes.partition("Exit codes: ")[2])
    parser.add_argument("bundle", help="the folder")
    parser.add_argument("--key", action="append", default=[], help="a key, or a file that holds it")
    parser.add_argument("--since", action="append", default=[], help="an older checkpoint, a file")
    parser.add_argument("--unsigned", action="store_true", help="ask for no signature")
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    options = parser.parse_args(arguments)
    try:
        keys = [read_key(each) for each in options.key]
    except (Broken, Incomplete, OSError, ValueError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    report = check(options.bundle, keys, options.since, unsigned=options.unsigned)
    code = report.code()
    if options.json:
        answer = {"code": code, "broken": report.broken, "incomplete": report.incomplete}
        sys.stdout.write(json.dumps({**answer, "remarks": report.remarks, **report.summary}) + "\n")
        return code
    for each in report.broken:
        where = "" if each["position"] is None else f"position {each['position']}, "
        sys.stdout.write(f"broken: {where}{each['place']}: {each['problem']}\n")
    for kind, said in (("incomplete", report.incomplete), ("remark", report.remarks)):
        sys.stdout.writelines(f"{kind}: {each}\n" for each in said)
    words = [f"{name} {value}" for name, value in report.summary.items() if value != ""]
    sys.stdout.write(f"{('ok', 'BROKEN', 'INCOMPLETE')[code]}: {', '.join(words) or 'not read'}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
