"""Post JSON to one address; wait and try again only where that can help."""

import json
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import TYPE_CHECKING, Any

from smriti_es.egress import assert_may_send
from smriti_es.endpoint import Endpoint
from smriti_es.events.errors import InvalidInput, SmritiError

if TYPE_CHECKING:
    import httpx

_FIRST_WAIT_S = 0.5
_WAIT_MAX_S = 30.0
_DETAIL_LENGTH_MAX = 200
ANSWER_BYTES_MAX = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an answer, and how often to ask again.

    Attributes:
        timeout_s: Seconds after which an attempt is given up, however slowly bytes still come.
        retries: Attempts after the first.
        sleep: Waits for so many seconds between attempts.
        steady_clock: Seconds that never run backwards.

    Raises:
        InvalidInput: The numbers cannot work.
    """

    timeout_s: float = 60.0
    retries: int = 2
    sleep: Callable[[float], None] = time.sleep
    steady_clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if self.timeout_s <= 0 or self.retries < 0:
            raise InvalidInput(
                f"timeout_s={self.timeout_s}, retries={self.retries} cannot work",
                hint="Give timeout_s above 0 and retries of at least 0.",
                field="timeout_s" if self.timeout_s <= 0 else "retries",
            )


@dataclass(frozen=True, slots=True)
class Posted:
    """What came back.

    Attributes:
        answer: The answer's JSON.
        attempts: How many requests it took.
    """

    answer: Any
    attempts: int


class JsonPoster:
    """Posts JSON and returns the answer's JSON; safe to call from several threads.

    It tries again on 429, 5xx, time-outs and broken connections, waiting 0.5 s, 1 s, 2 s and so on,
    or as long as `Retry-After` says, 30 s at most. It never tries again on another 4xx, a TLS
    failure, an answer that is no JSON or one beyond 64 MiB, and follows no redirect: texts go where
    they were sent.

    Args:
        endpoint: Where to post.
        service: What stands there, for messages: "the embedder".
        error: What to raise.
        patience: How long to wait and how often to ask.
        client: An httpx client to use, which stays the caller's to close; None makes one.
        transport: What the client that is made sends with; None: the network.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        service: str,
        error: type[SmritiError],
        patience: Patience,
        client: "httpx.Client | None" = None,
        transport: "httpx.BaseTransport | None" = None,
    ) -> None:
        self._endpoint = endpoint
        self._service = service
        self._error = error
        self._patience = patience
        self._lock = Lock()
        self._given_client = client
        self._transport = transport
        self._own_client: httpx.Client | None = None

    def post(self, payload: Mapping[str, Any]) -> Posted:
        """Post a payload and return what the answer's JSON says.

        Raises:
            SmritiError: Of the type that was asked for: no usable answer came (`attempts`,
                `status`); `retryable` when the same call may work later.
            EgressRefused: The policy in force does not allow it to be sent there; nothing was.
        """
        attempts = 0
        while True:
            attempts += 1
            assert_may_send(
                self._service, self._endpoint.shown, by_environment=self._given_client is None
            )
            try:
                return Posted(self._attempt(payload), attempts)
            except _PostError as failure:
                if not failure.retryable or attempts > self._patience.retries:
                    raise self._told(failure, attempts) from failure.__cause__
                backoff_s = _FIRST_WAIT_S * 2 ** (attempts - 1)
                wait_s = backoff_s if failure.retry_after_s is None else failure.retry_after_s
            self._patience.sleep(min(wait_s, _WAIT_MAX_S))

    def close(self) -> None:
        """Close the connections that this poster opened itself; a later post opens new ones."""
        with self._lock:
            client, self._own_client = self._own_client, None
        if client is not None:
            client.close()

    def _attempt(self, payload: Mapping[str, Any]) -> Any:
        import httpx

        headers = {"User-Agent": user_agent()}
        if self._endpoint.authorization:
            headers["Authorization"] = self._endpoint.authorization
        give_up_at = self._patience.steady_clock() + self._patience.timeout_s
        try:
            with self._client().stream(
                "POST",
                self._endpoint.url,
                json=payload,
                headers=headers,
                timeout=self._patience.timeout_s,
                follow_redirects=False,
            ) as response:
                body = self._body(response, give_up_at)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise _unreachable(error, self._endpoint) from error
        if not response.is_success:
            raise _refused(response, body, self._endpoint)
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise _PostError(
                "answered with something that is no JSON",
                "Check that the base URL is the API's, not that of a web page.",
                status=response.status_code,
            ) from error

    def _body(self, response: "httpx.Response", give_up_at: float) -> bytes:
        """Read all of an answer, but neither without end nor for ever."""
        body = bytearray()
        for piece in response.iter_bytes():
            body += piece
            if len(body) > ANSWER_BYTES_MAX:
                raise _PostError(
                    f"answered with more than {ANSWER_BYTES_MAX} bytes",
                    "Ask for less at a time.",
                    status=response.status_code,
                )
            # Bytes that come one by one never let the client's own time-out run down.
            if self._patience.steady_clock() > give_up_at:
                raise _PostError(
                    "did not answer in time (bytes still came)",
                    "Try again later, or raise timeout_s; nothing was lost.",
                    retryable=True,
                )
        return bytes(body)

    def _client(self) -> "httpx.Client":
        import httpx

        if self._given_client is not None:
            return self._given_client
        with self._lock:
            if self._own_client is None:
                self._own_client = httpx.Client(
                    mounts=without_proxy(self._endpoint), transport=self._transport
                )
            return self._own_client

    def _told(self, failure: "_PostError", attempts: int) -> SmritiError:
        tries = "1 attempt" if attempts == 1 else f"{attempts} attempts"
        return self._error(
            f"{self._service} at {self._endpoint.shown} {failure.problem} ({tries})",
            hint=failure.hint,
            retryable=failure.retryable,
            attempts=attempts,
            status=failure.status,
        )


class _PostError(Exception):
    """One attempt failed; `problem` continues a sentence that begins with the endpoint."""

    def __init__(
        self,
        problem: str,
        hint: str,
        *,
        retryable: bool = False,
        retry_after_s: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.status = status


def user_agent() -> str:
    """Name this library and its version, as every request does."""
    try:
        return f"smriti-es/{version('smriti-es')}"
    except PackageNotFoundError:  # run from a checkout that was not installed
        return "smriti-es/unknown"


def without_proxy(endpoint: Endpoint) -> dict[str, None]:
    """Keep what is meant for this machine from a proxy that the environment names."""
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    return {f"all://{host}": None} if endpoint.is_loopback else {}


def _unreachable(error: Exception, endpoint: Endpoint) -> _PostError:
    import httpx

    told = endpoint.redacted(str(error))
    if _is_tls_failure(error):
        return _PostError(
            f"failed the TLS check: {told}",
            "Check the certificate, the host name and the scheme of the base URL.",
        )
    ours = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
    retryable = isinstance(error, httpx.TransportError) and not isinstance(error, ours)
    if isinstance(error, httpx.TimeoutException):
        return _PostError(
            f"did not answer in time ({type(error).__name__})",
            "Try again later, or raise timeout_s; nothing was lost.",
            retryable=retryable,
        )
    return _PostError(
        f"cannot be used: {type(error).__name__}: {told}",
        "Check that the service is up and the base URL is right; nothing was lost.",
        retryable=retryable,
    )


def _is_tls_failure(error: Exception) -> bool:
    """Look for the TLS error below: it is the cause, or what the cause wraps as its argument."""
    below = (error.__cause__, *getattr(error.__cause__, "args", ()))
    return any(isinstance(one, ssl.SSLError) for one in below)


def _refused(response: "httpx.Response", body: bytes, endpoint: Endpoint) -> _PostError:
    status = response.status_code
    if status in (401, 403):
        # Such an answer likes to repeat a part of the key, so that it is not shown at all.
        return _PostError(
            f"answered {status}", "Check the API key and what it may do.", status=status
        )
    detail = endpoint.redacted(_detail(body))[:_DETAIL_LENGTH_MAX]
    problem = f"answered {status}: {detail}" if detail else f"answered {status}"
    if status == 429 or status >= 500:
        return _PostError(
            problem,
            "Try again later; nothing was lost.",
            retryable=True,
            retry_after_s=_retry_after_s(response.headers),
            status=status,
        )
    return _PostError(problem, "Check the base URL and the name of the model.", status=status)


def _detail(body: bytes) -> str:
    """The service's own words on one line; "" when it has none of a known form."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    return told_error(answer)


def told_error(answer: Any) -> str:
    """The words of `error` or `error.message` in an answer, on one line; "" when it has none."""
    error = answer.get("error") if isinstance(answer, dict) else None
    told = error.get("message") if isinstance(error, dict) else error
    if not isinstance(told, str):
        return ""
    return " ".join("".join(one if one.isprintable() else " " for one in told).split())


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as the answer says; a date counts from the answer's own, not our clock."""
    told = headers.get("retry-after", "").strip()
    if told.isdecimal():
        return float(told)
    try:
        until, now = parsedate_to_datetime(told), parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None
