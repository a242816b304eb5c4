"""Ask a witness over HTTP for its signature of a checkpoint.

Source: c2sp.org/tlog-witness, `add-checkpoint`.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from smriti_es.egress import assert_may_send
from smriti_es.endpoint import parse_endpoint
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.errors import InvalidInput, WitnessError
from smriti_es.events.proofs import ConsistencyProof
from smriti_es.events.signed_note import COSIGNATURE, NoteKey, NoteSignature
from smriti_es.http_posting import user_agent, without_proxy
from smriti_es.witnesses import ConsistencyFrom, seen_otherwise

if TYPE_CHECKING:
    import httpx

_SIZE: Final = re.compile(rb"(0|[1-9][0-9]{0,18})\n")
_SIZE_TYPE: Final = "text/x.tlog.size"
_ANSWER_BYTES_MAX: Final = 64 * 1024
# The witness may move on between two requests, if several sign for the same log; not for ever.
_ATTEMPTS: Final = 4
_REASONS: Final = {
    403: ("does not know the key of this log", "Give it the key: `smriti-es log keys`."),
    404: ("does not know this log", "Have the log registered there: `smriti-es log keys`."),
}


class HttpWitness:
    """A witness that speaks the protocol of C2SP.

    What is sent are checkpoints and hashes: the log's id, how many events it has, and no content.

    Args:
        address: Its submission prefix, to which `/add-checkpoint` is added.
        key: Its public key, of cosignatures.
        timeout_s: Seconds after which an attempt is given up.
        client: An httpx client to use, which stays the caller's to close; None makes one per call.

    Raises:
        InvalidInput: The address cannot be used, or the key is no key of cosignatures.
    """

    def __init__(
        self,
        address: str,
        key: NoteKey,
        *,
        timeout_s: float = 30.0,
        client: "httpx.Client | None" = None,
    ) -> None:
        if key.kind != COSIGNATURE:
            raise InvalidInput(
                f"the key of {key.name} is no key of a witness",
                hint="Ask the witness for its key of cosignatures.",
                field="key",
            )
        self._endpoint = parse_endpoint(address, "/add-checkpoint", api_key=None)
        self._timeout_s = timeout_s
        self._client = client
        self.key = key
        self.endpoint: str | None = self._endpoint.shown

    def cosign(
        self, checkpoint: Checkpoint, seen: int, consistency_from: ConsistencyFrom
    ) -> NoteSignature:
        """Ask for a signature (see `Witness`)."""
        for _ in range(_ATTEMPTS):
            status, kind, body = self._post(checkpoint, seen, consistency_from(seen))
            if status == 200:
                return self._signature(checkpoint, body)
            if status == 422:
                raise seen_otherwise(seen, checkpoint.size)
            if status != 409:
                raise self._refused(status)
            size = _SIZE.fullmatch(body) if kind == _SIZE_TYPE else None
            if size is None:
                raise self._refused(status)
            told = int(size[1])
            if told > checkpoint.size or told == seen:
                raise seen_otherwise(told, checkpoint.size)
            seen = told
        raise self._failed("moved on with every request", "Try again.", retryable=True)

    def _post(
        self, checkpoint: Checkpoint, seen: int, proof: Sequence[bytes]
    ) -> tuple[int, str, bytes]:
        import httpx

        assert_may_send("the witness", self._endpoint.shown, by_environment=self._client is None)
        client = self._client or httpx.Client(mounts=without_proxy(self._endpoint))
        headers = {"User-Agent": user_agent()}
        if self._endpoint.authorization:
            headers["Authorization"] = self._endpoint.authorization
        try:
            with client.stream(
                "POST",
                self._endpoint.url,
                content=str(ConsistencyProof(seen, tuple(proof), checkpoint)).encode(),
                headers=headers,
                timeout=self._timeout_s,
                follow_redirects=False,
            ) as response:
                return response.status_code, _kind(response), self._body(response)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            told = self._endpoint.redacted(str(error))
            raise self._failed(
                f"cannot be reached: {type(error).__name__}: {told}",
                "Try again later; the checkpoint is kept.",
                retryable=isinstance(error, httpx.TransportError),
            ) from error
        finally:
            if client is not self._client:
                client.close()

    def _body(self, response: "httpx.Response") -> bytes:
        body = bytearray()
        for piece in response.iter_bytes():
            body += piece
            if len(body) > _ANSWER_BYTES_MAX:
                raise self._failed("answered with more than a signature", "Check the address.")
        return bytes(body)

    def _signature(self, checkpoint: Checkpoint, body: bytes) -> NoteSignature:
        """Find this witness's own signature among those that came; others are nobody's here."""
        for line in body.decode("utf-8", "replace").removesuffix("\n").split("\n"):
            try:
                found = NoteSignature.parse(line)
            except InvalidInput:
                continue
            if found.is_by(self.key) and self.key.has_signed(checkpoint.note.text, found.signature):
                return found
        raise self._failed(
            "answered without a signature of its own",
            "Check that the key is that of this witness.",
            status=200,
        )

    def _refused(self, status: int) -> WitnessError:
        told, hint = _REASONS.get(status, (f"answered {status}", "Check the address."))
        if status == 429 or status >= 500:
            return self._failed(told, "Try again later.", retryable=True, status=status)
        return self._failed(told, hint, status=status)

    def _failed(
        self, problem: str, hint: str, *, retryable: bool = False, status: int | None = None
    ) -> WitnessError:
        return WitnessError(
            f"the witness {self.key.name} at {self._endpoint.shown} {problem}",
            hint=hint,
            retryable=retryable,
            status=status,
        )


def _kind(response: "httpx.Response") -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip()
