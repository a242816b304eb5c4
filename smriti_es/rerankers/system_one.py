"""A System One model behind HTTP: it answers typed questions about a state with probabilities.

Source: the interface `POST /v1/systemone` that TypeSafe published and others serve: a state, named
questions of the types `noul` (yes or no) and `choice`, answers under the same names.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal

from smriti_es.closing import ClosedOnExit
from smriti_es.events.errors import EgressRefused, InvalidInput, RerankerError
from smriti_es.rerankers.posting import Posting, Service, at_least_one, number, strange
from smriti_es.rerankers.reranker import Score

if TYPE_CHECKING:
    import httpx

Mode = Literal["noul", "fanout", "choice", "rank"]
_MODES: Final = ("noul", "fanout", "choice", "rank")
_INSTRUCTIONS: Final = "Does the document hold what is needed to answer the question?"
_CHOOSE: Final = "Which of the documents answers the question best?"
# A choice has at most so many options.
_OPTIONS_MAX: Final = 255


@dataclass(frozen=True, slots=True)
class Usage:
    """What a judge was asked, added up.

    Attributes:
        calls: Questions.
        requests: Requests, retries apart.
        docs: Texts that were sent.
        errors: Requests that brought no usable answer.
        input_tokens: What the service counted.
        seconds: Time that the questions took.
    """

    calls: int = 0
    requests: int = 0
    docs: int = 0
    errors: int = 0
    input_tokens: int = 0
    seconds: float = 0.0


class SystemOneReranker(ClosedOnExit):
    """Judge with a System One model; texts leave this process and, unless loopback, this machine.

    A request that fails leaves the texts in it without a judgement; if all fail, it is an error.

    Args:
        base_url: For example `http://localhost:8000`.
        model: The model's name; "" names none.
        mode: `noul` asks yes or no of each text, in a request of its own; `fanout` of up to
            `fanout_size` texts in each request; `choice` lets all texts compete in one; `rank`
            likewise, with the question itself as the instruction.
        api_key: Sent as a bearer token; None sends none.
        instructions: What `noul` and `fanout` ask of a text.
        workers: Requests at the same time.
        timeout_s: Seconds after which an attempt is given up.
        retries: Attempts after the first, on 429, 5xx, time-outs and broken connections only.
        max_doc_chars: The longest part of a text that is sent.
        fanout_size: Texts in a request of `fanout`.
        client: An httpx client to use, which stays the caller's to close. None makes one.
        sleep: Waits for so many seconds between attempts.

    Raises:
        InvalidInput: An argument cannot be used.
    """

    def __init__(  # noqa: PLR0913  keyword-only, each with a default that fits
        self,
        base_url: str,
        model: str = "",
        *,
        mode: Mode = "noul",
        api_key: str | None = None,
        instructions: str = _INSTRUCTIONS,
        workers: int = 8,
        timeout_s: float = 60.0,
        retries: int = 2,
        max_doc_chars: int = 1_500,
        fanout_size: int = 12,
        client: "httpx.Client | None" = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if mode not in _MODES:
            raise InvalidInput(
                f"unknown mode {mode!r}", hint=f"Give one of {', '.join(_MODES)}.", field="mode"
            )
        self.model = model
        self.mode = mode
        self._instructions = instructions
        self._workers = at_least_one("workers", workers)
        self._max_doc_chars = at_least_one("max_doc_chars", max_doc_chars)
        self._fanout_size = at_least_one("fanout_size", fanout_size)
        self._posting = Posting(
            Service(base_url, "/v1/systemone", api_key, timeout_s, retries, client, sleep)
        )
        self._door = Lock()
        self._usage = Usage()

    def __repr__(self) -> str:
        return f"SystemOneReranker({self.endpoint!r}, {self.model!r}, mode={self.mode!r})"

    @property
    def endpoint(self) -> str:
        """Where texts are sent, without query, user and password."""
        return self._posting.endpoint.shown

    @property
    def usage(self) -> Usage:
        """What was asked of it since it was made, or since `reset_usage`."""
        with self._door:
            return self._usage

    def reset_usage(self) -> Usage:
        """Count from nothing again; gives what was counted."""
        with self._door:
            before, self._usage = self._usage, Usage()
        return before

    def rerank(self, query: str, docs: Sequence[str]) -> list[Score]:
        """Judge texts; None for each whose request failed.

        Raises:
            RerankerError: No request brought an answer.
            EgressRefused: The policy in force does not allow it to be sent there; nothing was.
            CallInsideTransaction: A write transaction is open.
        """
        if not docs:
            return []
        started = time.monotonic()
        asked = [_Request(query, part) for part in self._parts(docs)]
        answers = self._ask_all(asked)
        self._count(calls=1, docs=len(docs), seconds=time.monotonic() - started)
        failed = [each for each in answers if isinstance(each, RerankerError)]
        if len(failed) == len(answers):
            raise failed[0]
        scores: list[Score] = []
        for request, answer in zip(asked, answers, strict=True):
            lost: list[Score] = [None] * len(request.docs)
            scores += lost if isinstance(answer, RerankerError) else answer
        return scores

    def close(self) -> None:
        """Close the connections; a later call opens new ones. An injected client is left open."""
        self._posting.close()

    def _parts(self, docs: Sequence[str]) -> list[list[str]]:
        sizes = {"noul": 1, "fanout": self._fanout_size}
        size = sizes.get(self.mode, _OPTIONS_MAX)
        cut = [doc[: self._max_doc_chars] for doc in docs]
        return [cut[start : start + size] for start in range(0, len(cut), size)]

    def _ask_all(self, asked: "list[_Request]") -> list[list[Score] | RerankerError]:
        if len(asked) == 1 or self._workers == 1:
            return [self._ask(request) for request in asked]
        with ThreadPoolExecutor(min(self._workers, len(asked))) as pool:
            # Each in the caller's context: the policy of what may be sent is kept in that.
            running = [pool.submit(copy_context().run, self._ask, each) for each in asked]
            return [each.result() for each in running]

    def _ask(self, request: "_Request") -> list[Score] | RerankerError:
        payload = request.payload(self.mode, self._instructions)
        if self.model:
            payload["model"] = self.model
        try:
            answer = self._posting.post(payload)
            scores = request.scores(self.mode, answer)
        except EgressRefused:
            raise
        except RerankerError as error:
            self._count(requests=1, errors=1)
            return error
        self._count(requests=1, input_tokens=_tokens(answer))
        return scores

    def _count(self, **more: float) -> None:
        with self._door:
            now = self._usage
            added: dict[str, Any] = {name: getattr(now, name) + n for name, n in more.items()}
            self._usage = replace(now, **added)


@dataclass(frozen=True, slots=True)
class _Request:
    """A question with the texts that are judged in one request."""

    query: str
    docs: list[str]

    @property
    def names(self) -> list[str]:
        return [f"document_{number}" for number in range(1, len(self.docs) + 1)]

    def payload(self, mode: str, instructions: str) -> dict[str, Any]:
        options = dict(zip(self.names, self.docs, strict=True))
        if mode == "rank":
            choice = {"type": "choice", "instructions": self.query, "criteria": options}
            return {"state": "", "questions": {"best": choice}}
        if mode == "choice":
            choice = {"type": "choice", "instructions": _CHOOSE, "criteria": options}
            return {"state": {"question": self.query}, "questions": {"best": choice}}
        if mode == "noul":
            state = {"question": self.query, "document": self.docs[0]}
            asked = {self.names[0]: {"type": "noul", "instructions": instructions}}
            return {"state": state, "questions": asked}
        asked = {
            name: {"type": "noul", "instructions": f"{name}: {instructions}"} for name in options
        }
        return {"state": {"question": self.query, **options}, "questions": asked}

    def scores(self, mode: str, answer: Any) -> list[Score]:
        answers = answer.get("answers") if isinstance(answer, dict) else None
        if not isinstance(answers, dict):
            raise strange("has no map `answers`")
        if mode in ("noul", "fanout"):
            given = [answers.get(name) for name in self.names]
            found = [number(each.get("noul")) if isinstance(each, dict) else None for each in given]
        else:
            best = answers.get("best")
            told = best.get("probabilities") if isinstance(best, dict) else None
            if not isinstance(told, dict):
                raise strange("has no map `probabilities`")
            found = [number(told.get(name)) for name in self.names]
        if all(each is None for each in found):
            raise strange("judges none of the texts")
        return found


def _tokens(answer: Any) -> int:
    usage = answer.get("usage") if isinstance(answer, dict) else None
    counted = usage.get("input_tokens") if isinstance(usage, dict) else None
    return counted if type(counted) is int and counted >= 0 else 0
