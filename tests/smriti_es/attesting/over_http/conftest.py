"""A witness over HTTP, as C2SP describes it: a real server on loopback that keeps its own books.

The server is written from the specification and shares no code with the client: it parses the
request, checks signature and consistency in its own way, and answers with the status that belongs
there.
"""

import base64
import hashlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from smriti_es.engine import Engine
from smriti_es.events.signed_note import NoteKey
from smriti_es.http_witness import HttpWitness

Open = Callable[..., Engine]
Older = Callable[[], Engine]
Say = Callable[..., None]
NAME = "witness.example/w1"
SEEN_AT = 1_780_394_400


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def consistent(old: int, new: int, proof: list[bytes], old_root: bytes, new_root: bytes) -> bool:
    """Rebuild both roots by recursion over the proof, as RFC 6962 builds it."""
    rest = list(proof)

    def both(m: int, n: int, *, whole: bool) -> tuple[bytes, bytes]:
        if m == n:
            same = old_root if whole else rest.pop(0)
            return same, same
        k = 1
        while k * 2 < n:
            k *= 2
        if m <= k:
            left_old, left_new = both(m, k, whole=whole)
            return left_old, node(left_new, rest.pop(0))
        right_old, right_new = both(m - k, n - k, whole=False)
        left = rest.pop(0)
        return node(left, right_old), node(left, right_new)

    try:
        found = both(old, new, whole=True)
    except IndexError:
        return False
    return not rest and found == (old_root, new_root)


@dataclass
class WitnessServer:
    """Keeps, for each origin it knows, the key of the log and the last size and root it signed."""

    secret: Ed25519PrivateKey
    logs: dict[str, bytes] = field(default_factory=dict)
    last: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    requests: list[tuple[str, bytes]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    address: str = ""
    # Answers with this instead, if it is set: status, content type, body.
    instead: tuple[int, str, bytes] | None = None

    @property
    def key(self) -> NoteKey:
        """The key by which its signatures are checked, from its usual form."""
        public = b"\x04" + self.secret.public_key().public_bytes_raw()
        digest = hashlib.sha256(NAME.encode() + b"\n" + public).hexdigest()[:8]
        return NoteKey.parse(f"{NAME}+{digest}+{base64.b64encode(public).decode()}")

    def knows(self, memory: Engine) -> None:
        """Configure the witness for the log of a memory."""
        made = memory.checkpoints()[-1]
        self.logs[made.origin] = memory.signing_keys()[-1].key.public_key

    def answer(self, body: bytes) -> tuple[int, str, bytes]:
        if self.instead is not None:
            return self.instead
        head, _, checkpoint = body.partition(b"\n\n")
        first, *lines = head.decode("ascii").split("\n")
        word, old = first.split(" ")
        assert word == "old"
        assert str(int(old)) == old
        proof = [base64.b64decode(line, validate=True) for line in lines]
        text, _, signatures = checkpoint.rpartition(b"\n\n")
        text += b"\n"
        origin, size, root = text.decode("utf-8").split("\n")[:3]
        if origin not in self.logs:
            return 404, "text/plain", b"unknown log"
        if not self._is_trusted(origin, text, signatures):
            return 403, "text/plain", b"unknown key"
        return self._checked(origin, text, int(old), proof, (int(size), base64.b64decode(root)))

    def _is_trusted(self, origin: str, text: bytes, signatures: bytes) -> bool:
        name = "/".join(origin.split("/")[:2])
        named = hashlib.sha256(name.encode() + b"\n\x01" + self.logs[origin]).digest()[:4]
        for line in signatures.decode("utf-8").splitlines():
            dash, signer, encoded = line.split(" ")
            signed = base64.b64decode(encoded)
            if (dash, signer, signed[:4]) == ("\u2014", name, named):
                try:
                    Ed25519PublicKey.from_public_bytes(self.logs[origin]).verify(signed[4:], text)
                except InvalidSignature:
                    return False
                return True
        return False

    def _checked(
        self, origin: str, text: bytes, old: int, proof: list[bytes], new: tuple[int, bytes]
    ) -> tuple[int, str, bytes]:
        size, root = self.last.get(origin, (0, b""))
        if old > new[0]:
            return 400, "text/plain", b""
        if old != size or (old == new[0] and root != new[1]):
            return 409, "text/x.tlog.size", f"{size}\n".encode()
        if old not in (0, new[0]) and not consistent(old, new[0], proof, root, new[1]):
            return 422, "text/plain", b""
        if old in (0, new[0]) and proof:
            return 422, "text/plain", b""
        self.last[origin] = new
        return 200, "text/plain", self.cosignature(text)

    def cosignature(self, text: bytes) -> bytes:
        signed = self.secret.sign(f"cosignature/v1\ntime {SEEN_AT}\n".encode() + text)
        line = base64.b64encode(self.key.id + struct.pack(">Q", SEEN_AT) + signed).decode()
        return f"\u2014 {NAME} {line}\n".encode()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WitnessServer]:
    """A witness on loopback; no proxy of the environment may stand before it."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    witness = WitnessServer(Ed25519PrivateKey.from_private_bytes(bytes([5]) * 32))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            witness.requests.append((self.path, body))
            status, kind, answer = witness.answer(body)
            witness.statuses.append(status)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args: object) -> None:
            """Keep quiet."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = False
    witness.address = f"http://127.0.0.1:{running.server_port}/prefix"
    thread = Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    yield witness
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def witness(server: WitnessServer, attested: Engine) -> HttpWitness:
    """The client, for a server that knows the log."""
    server.knows(attested)
    return HttpWitness(server.address, server.key)
