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
from typing import Any

import httpx
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from smriti_es.engine import Engine
from smriti_es.events.errors import EgressRefused, LogRolledBack, WitnessError
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


def test_a_witness_is_asked_as_c2sp_says(
    attested: Engine, server: WitnessServer, witness: HttpWitness
) -> None:
    own = attested.checkpoints()[0]
    attested.witness(witness)
    assert server.requests == [("/prefix/add-checkpoint", f"old 0\n\n{own}".encode())]


def test_a_witness_s_signature_is_kept_with_the_checkpoint(
    attested: Engine, witness: HttpWitness
) -> None:
    own = attested.checkpoints()[0]
    made = attested.witness(witness)
    assert made.note.is_signed_by(witness.key)
    assert made.note.signatures[:1] == own.note.signatures
    assert attested.checkpoints() == [made]
    assert attested.verify(checkpoint=str(made)).ok


def test_a_witness_that_has_signed_before_is_told_from_where_the_log_went_on(
    attested: Engine, server: WitnessServer, witness: HttpWitness, say: Say
) -> None:
    for count in (0, 1, 5, 3):
        say(count)
        attested.checkpoint()
        attested.witness(witness)
    assert server.statuses == [200] * 4
    assert [body.split(b"\n")[0] for _, body in server.requests] == [
        b"old 0",
        b"old 5",
        b"old 6",
        b"old 11",
    ]


def test_a_witness_that_has_seen_another_size_says_so_and_is_asked_again(
    attested: Engine, server: WitnessServer, witness: HttpWitness, say: Say, tamper: Any
) -> None:
    attested.witness(witness)
    tamper("UPDATE checkpoint SET note = ?", str(attested.checkpoints()[0]).rpartition("\u2014")[0])
    say(2)
    attested.checkpoint()
    assert attested.witness(witness).note.is_signed_by(witness.key)
    assert server.statuses == [200, 409, 200]


def test_the_same_checkpoint_may_be_signed_again(
    attested: Engine, server: WitnessServer, witness: HttpWitness
) -> None:
    assert attested.witness(witness) == attested.witness(witness)
    assert server.statuses == [200, 200]


def test_a_witness_that_has_seen_more_tells_that_the_log_went_back(
    older: Older, attested: Engine, server: WitnessServer, witness: HttpWitness, file: Any
) -> None:
    attested.witness(witness)
    (outside,) = file.parent.glob("memory.db-checkpoint-*")
    outside.unlink()
    memory = older()
    with pytest.raises(LogRolledBack, match="has signed 8 events of this log; these 5"):
        memory.witness(witness)


@pytest.mark.parametrize("more", [3, 9])
def test_a_witness_does_not_sign_a_fork(
    older: Older,
    attested: Engine,
    server: WitnessServer,
    witness: HttpWitness,
    file: Any,
    more: int,
) -> None:
    attested.witness(witness)
    (outside,) = file.parent.glob("memory.db-checkpoint-*")
    outside.unlink()
    fork = older()
    for number in range(more):
        fork.add(f"Another history {number}.", session="s1")
    assert fork.checkpoint().size == 5 + more
    with pytest.raises(LogRolledBack):
        fork.witness(witness)
    assert server.statuses[-1] == (409 if more == 3 else 422)


@pytest.mark.parametrize(
    ("status", "told", "retryable"),
    [
        (400, "answered 400", False),
        (403, "does not know the key", False),
        (404, "does not know this log", False),
        (409, "answered 409", False),
        (429, "answered 429", True),
        (500, "answered 500", True),
        (302, "answered 302", False),
    ],
)
def test_a_witness_that_refuses_is_told_with_what_to_do(
    attested: Engine,
    server: WitnessServer,
    witness: HttpWitness,
    status: int,
    told: str,
    retryable: bool,
) -> None:
    server.instead = (status, "text/plain", b"7\n")
    with pytest.raises(WitnessError, match=told) as caught:
        attested.witness(witness)
    assert (caught.value.retryable, caught.value.status) == (retryable, status)
    assert caught.value.hint
    assert len(server.requests) == 1


def test_a_log_that_the_witness_does_not_know_is_told(
    attested: Engine, server: WitnessServer, witness: HttpWitness
) -> None:
    server.logs.clear()
    with pytest.raises(WitnessError, match="does not know this log"):
        attested.witness(witness)


def test_a_key_that_the_witness_does_not_know_is_told(
    attested: Engine, server: WitnessServer, witness: HttpWitness
) -> None:
    attested.rotate_key()
    attested.checkpoint()
    with pytest.raises(WitnessError, match="does not know the key") as caught:
        attested.witness(witness)
    assert "log keys" in caught.value.hint


def test_a_signature_that_is_not_the_witness_s_own_is_not_kept(
    attested: Engine, server: WitnessServer, witness: HttpWitness
) -> None:
    good = server.cosignature(attested.checkpoints()[0].note.text.encode())
    stranger = good.replace(NAME.encode(), b"stranger.example")
    for body in (b"", b"words\n", b"\xff\n", stranger, server.cosignature(b"another text\n")):
        server.instead = (200, "text/plain", body)
        with pytest.raises(WitnessError, match="without a signature of its own"):
            attested.witness(witness)
    assert len(attested.checkpoints()[0].note.signatures) == 1


def test_signatures_of_others_in_an_answer_are_passed_over(
    attested: Engine, server: WitnessServer, witness: HttpWitness
) -> None:
    good = server.cosignature(attested.checkpoints()[0].note.text.encode())
    stranger = good.replace(NAME.encode(), b"stranger.example")
    server.instead = (200, "text/plain", stranger + good)
    made = attested.witness(witness)
    assert [each.name for each in made.note.signatures] == [made.origin, NAME]


def test_an_endless_answer_is_cut_off(
    attested: Engine, server: WitnessServer, witness: HttpWitness
) -> None:
    server.instead = (200, "text/plain", b"x" * 100_000)
    with pytest.raises(WitnessError, match="more than a signature"):
        attested.witness(witness)


def test_a_witness_that_moves_on_with_every_request_is_given_up(
    attested: Engine, witness: HttpWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = iter([3, 2, 3, 2, 3])
    monkeypatch.setattr(
        HttpWitness,
        "_post",
        lambda *_: (409, "text/x.tlog.size", f"{next(sizes)}\n".encode()),
    )
    with pytest.raises(WitnessError, match="moved on with every request") as caught:
        attested.witness(witness)
    assert caught.value.retryable


def test_a_witness_out_of_reach_can_be_tried_again(attested: Engine, server: WitnessServer) -> None:
    with pytest.raises(WitnessError, match="cannot be reached") as caught:
        attested.witness(HttpWitness("http://127.0.0.1:9", server.key))
    assert caught.value.retryable
    assert len(attested.checkpoints()) == 1


def test_a_password_in_the_address_is_sent_and_never_shown(
    attested: Engine, server: WitnessServer
) -> None:
    address = server.address.replace("http://", "http://asha:blue42sky@")
    with pytest.raises(WitnessError) as caught:
        attested.witness(HttpWitness(address, server.key))
    assert "blue42sky" not in f"{caught.value} {caught.value.hint}"


def test_a_client_of_one_s_own_is_used_and_left_open(
    attested: Engine, server: WitnessServer
) -> None:
    server.knows(attested)
    with httpx.Client(trust_env=False) as client:
        for _ in range(2):
            attested.witness(HttpWitness(server.address, server.key, client=client))
        assert not client.is_closed


def test_a_profile_holds_for_witnesses_too(
    attested: Engine, server: WitnessServer, engine: Open
) -> None:
    memory = engine(extractor=None, profile="local")
    with pytest.raises(EgressRefused, match="the witness"):
        memory.witness(HttpWitness("https://witness.example", server.key))
    assert server.requests == []


def test_a_witness_on_this_machine_is_within_every_profile(
    attested: Engine, server: WitnessServer, witness: HttpWitness, engine: Open
) -> None:
    memory = engine(extractor=None, profile="regulated")
    assert memory.witness(witness).note.is_signed_by(witness.key)


def test_nothing_that_was_said_is_sent_to_a_witness(
    attested: Engine, server: WitnessServer, witness: HttpWitness
) -> None:
    attested.witness(witness)
    assert b"kettle" not in server.requests[0][1]
