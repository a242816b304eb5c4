"""A language model behind the chat API that OpenAI made common."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from smriti_es.closing import ClosedOnExit
from smriti_es.endpoint import parse_endpoint
from smriti_es.events.errors import ExtractionError, InvalidInput
from smriti_es.events.guard import assert_outside_transaction
from smriti_es.http_posting import JsonPoster, Patience, Posted, told_error

if TYPE_CHECKING:
    import httpx

TEXT_LENGTH_MAX = 262_144
_DETAIL_LENGTH_MAX = 200
# What `complete` decides itself; a caller who set it would silently get something else.
_OWN_FIELDS = frozenset({"messages", "model", "response_format", "stream"})
_COUNTS = ("attempts", "calls", "http_attempts", "tokens_in", "tokens_out", "usage_missing")

Message = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said.

    Attributes:
        text: Its words, well-formed Unicode, 262,144 characters at most; "" when it said nothing.
        usage: attempts, calls, http_attempts, tokens_in, tokens_out, usage_missing of this reply.
        http_attempts: How many requests it took.
        finish_reason: Why it stopped, as the service says; `length` when the text was cut.
    """

    text: str
    usage: Mapping[str, int] = field(default_factory=dict)
    http_attempts: int = 1
    finish_reason: str = ""


class Chat(Protocol):
    """A language model that answers messages; safe to call from any thread."""

    @property
    def model(self) -> str:
        """The model's name; kept with what it said."""
        ...

    def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
        """Answer messages of `role` and `content`.

        Args:
            messages: The conversation, oldest first.
            json_mode: Ask the service to answer with a JSON object and nothing else.

        Raises:
            ExtractionError: No answer came; any other error is taken for a mistake of ours.
        """
        ...


class ChatModel(ClosedOnExit):
    """Talk to a model over `/chat/completions`: Ollama, vLLM, LM Studio, OpenRouter, hosted ones.

    Turns leave this process and, unless it is loopback, this machine. Outages are tried again a few
    times; then ExtractionError says `retryable`. Neither the key nor another secret of the URL
    appears in an error or in `repr`.

    Args:
        base_url: For example `http://localhost:11434` or `https://openrouter.ai/api/v1`. A bare
            host gets `/v1` added; anything else is taken as it is, its query included.
        model: The model's name, as the service knows it.
        api_key: Sent as a bearer token; None sends none.
        timeout_s: Seconds after which an attempt is given up.
        retries: Attempts after the first, on 429, 5xx, time-outs and broken connections only.
        temperature: 0.0 for the same answer each time, as far as the model can.
        max_tokens: The most tokens of an answer.
        extra_body: Further fields of each request; one that is None takes a field away, such as
            `{"max_tokens": None, "max_completion_tokens": 2048}`.
        client: An httpx client to use, which stays the caller's to close. None makes one, which
            `close` closes.
        transport: What the client that is made sends with; None: the network.
        sleep: Waits for so many seconds between attempts.
        steady_clock: Seconds that never run backwards.

    Raises:
        InvalidInput: An argument cannot be used.
    """

    def __init__(  # noqa: PLR0913 - keyword-only, each with a default that fits
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout_s: float = 60.0,
        retries: int = 2,
        temperature: float = 0.0,
        max_tokens: int = 2048,
        extra_body: Mapping[str, Any] | None = None,
        client: "httpx.Client | None" = None,
        transport: "httpx.BaseTransport | None" = None,
        sleep: Callable[[float], None] = time.sleep,
        steady_clock: Callable[[], float] = time.monotonic,
    ) -> None:
        _refuse_strange(model, max_tokens, extra_body or {})
        if client is not None and transport is not None:
            raise InvalidInput(
                "a client and a transport were both given",
                hint="Give the client its transport yourself.",
                field="transport",
            )
        self._model = model
        self._settings = {
            "temperature": temperature,
            "max_tokens": max_tokens,
            **(extra_body or {}),
        }
        self._json_mode_refused = False
        self._counts = dict.fromkeys(_COUNTS, 0)
        self._lock = Lock()
        self._endpoint = parse_endpoint(base_url, _path(base_url), api_key=api_key)
        self._poster = JsonPoster(
            self._endpoint,
            service="the model",
            error=ExtractionError,
            patience=Patience(timeout_s, retries, sleep, steady_clock),
            client=client,
            transport=transport,
        )

    def __repr__(self) -> str:
        return f"ChatModel({self.endpoint!r}, {self._model!r})"

    @property
    def model(self) -> str:
        """The model's name, as the service knows it."""
        return self._model

    @property
    def endpoint(self) -> str:
        """Where turns are sent, without query, user and password: what a policy has to allow."""
        return self._endpoint.shown

    @property
    def counts(self) -> Mapping[str, int]:
        """Totals since the model was made: a snapshot.

        attempts (what was asked), calls (what was answered), http_attempts (requests, repeats
        included), tokens_in, tokens_out, usage_missing (answers that told no tokens).
        """
        with self._lock:
            return dict(self._counts)

    def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
        """Answer messages of `role` and `content`.

        A service that refuses JSON mode (400 or 422) is asked once again without; when that works,
        it is not asked for it any more.

        Args:
            messages: The conversation, oldest first.
            json_mode: Ask the service to answer with a JSON object and nothing else.

        Returns:
            The model's words; those of its reasoning when it said nothing else.

        Raises:
            ExtractionError: No answer came, or none that can be read; `retryable` when the same
                call may work later (`status`, `attempts`).
            CallInsideTransaction: A write transaction is open.
        """
        assert_outside_transaction(f"the model {self._model}")
        attempts, http_attempts = 1, 0
        as_json = json_mode and not self._json_mode_refused
        try:
            posted = self._post(messages, json_mode=as_json)
        except ExtractionError as error:
            if not as_json or error.status not in (400, 422):
                raise
            attempts, http_attempts = 2, error.attempts
            posted = self._post(messages, json_mode=False)
            self._json_mode_refused = True
        text, finish_reason = _said(posted, self._endpoint.redacted)
        usage = {
            "attempts": attempts,
            "calls": 1,
            "http_attempts": http_attempts + posted.attempts,
            **_tokens(posted.answer),
        }
        self._count({name: usage[name] for name in _COUNTS[3:]} | {"calls": 1})
        return Reply(text, usage, usage["http_attempts"], finish_reason)

    def close(self) -> None:
        """Close the connections; a later call opens new ones. An injected client is left open."""
        self._poster.close()

    def _post(self, messages: Sequence[Message], *, json_mode: bool) -> Posted:
        body = {"model": self._model, "messages": list(messages), "stream": False, **self._settings}
        if json_mode:
            body["response_format"] = {"type": "json_object"}
        payload = {name: value for name, value in body.items() if value is not None}
        try:
            posted = self._poster.post(payload)
        except ExtractionError as error:
            self._count({"attempts": 1, "http_attempts": error.attempts})
            raise
        self._count({"attempts": 1, "http_attempts": posted.attempts})
        return posted

    def _count(self, counts: Mapping[str, int]) -> None:
        with self._lock:
            for name, count in counts.items():
                self._counts[name] += count


def _refuse_strange(model: str, max_tokens: int, extra_body: Mapping[str, Any]) -> None:
    if not model.strip():
        raise InvalidInput(
            "the model has no name", hint="Give it as the service knows it.", field="model"
        )
    if max_tokens < 1:
        raise InvalidInput(
            f"max_tokens={max_tokens} leaves no room for an answer",
            hint="Give at least 1; 2048 fits most chunks.",
            field="max_tokens",
        )
    if taken := sorted(_OWN_FIELDS & extra_body.keys()):
        raise InvalidInput(
            f"extra_body may not set {', '.join(taken)}",
            hint="Give only what ChatModel does not set itself.",
            field="extra_body",
        )


def _path(base_url: str) -> str:
    """What to add to a base URL: a bare host is meant at its usual place."""
    try:
        bare = not urlsplit(base_url.strip()).path.strip("/")
    except ValueError:
        bare = True  # parse_endpoint refuses it
    return "/v1/chat/completions" if bare else "/chat/completions"


def _said(posted: Posted, redacted: Callable[[str], str]) -> tuple[str, str]:
    """The words of an answer and why they ended."""
    choice = _first_choice(posted, redacted)
    message = choice["message"]
    finish_reason = choice.get("finish_reason")
    text = _text(message.get("content"))
    if not text.strip():
        refusal = message.get("refusal")
        if finish_reason == "content_filter" or (isinstance(refusal, str) and refusal):
            raise _strange("refuses to answer", posted)
        text = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
        if not text and not _is_text(message.get("content")) and finish_reason != "length":
            raise _strange("has a message without text", posted, retryable=True)
    if len(text) > TEXT_LENGTH_MAX:
        text, finish_reason = text[:TEXT_LENGTH_MAX], "length"
    return _well_formed(text), finish_reason if isinstance(finish_reason, str) else ""


def _first_choice(posted: Posted, redacted: Callable[[str], str]) -> dict[str, Any]:
    answer = posted.answer
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(first, dict) and isinstance(first.get("message"), dict):
        return first
    # Some services report an outage behind them inside an answer that says 200.
    told = redacted(told_error(answer))[:_DETAIL_LENGTH_MAX]
    if told:
        code = answer["error"].get("code") if isinstance(answer["error"], dict) else None
        outage = isinstance(code, int) and (code == 429 or code >= 500)
        raise _strange(f"reports an error: {told}", posted, retryable=outage)
    raise _strange("has no `choices` with a `message`", posted)


def _strange(problem: str, posted: Posted, *, retryable: bool = False) -> ExtractionError:
    return ExtractionError(
        f"the model's answer {problem}",
        hint="Check the base URL, the model's name and what the service allows; nothing was lost.",
        retryable=retryable,
        attempts=posted.attempts,
        status=200,
    )


def _text(content: object) -> str:
    """The text of a message: a string, or the text parts of a list; "" for anything else."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _is_text(content: object) -> bool:
    """Tell whether a message says something, be it nothing: "" is an answer, null is none."""
    return isinstance(content, str) or bool(_text(content))


def _well_formed(text: str) -> str:
    """Join surrogate pairs that came apart and replace single ones: no encoder takes them."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _tokens(answer: Mapping[str, Any]) -> dict[str, int]:
    usage = answer.get("usage")
    told = usage if isinstance(usage, dict) else {}
    counted = {
        "tokens_in": _count_or_none(told.get("prompt_tokens")),
        "tokens_out": _count_or_none(told.get("completion_tokens")),
    }
    missing = int(None in counted.values())
    return {name: count or 0 for name, count in counted.items()} | {"usage_missing": missing}


def _count_or_none(value: object) -> int | None:
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if fits and isinstance(value, int) else None
