"""A model behind an HTTP API: Ollama's own, or the one that OpenAI made common."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from smriti_es.closing import ClosedOnExit
from smriti_es.embedders.checked import checked_matrix
from smriti_es.embedders.embedder import FloatMatrix
from smriti_es.embedders.identity import EmbedderIdentity
from smriti_es.endpoint import parse_endpoint
from smriti_es.events.errors import EmbedderError, InvalidInput
from smriti_es.events.guard import assert_outside_transaction
from smriti_es.http_posting import JsonPoster, Patience

if TYPE_CHECKING:
    import httpx

_PATHS = {"openai": "/v1/embeddings", "ollama": "/api/embed"}
_PROBE = "dimension"


class HttpEmbedder(ClosedOnExit):
    """Embed with a model behind HTTP; texts leave this process and, unless loopback, this machine.

    Answers are put into text order and checked. Outages are tried again a few times; then
    EmbedderError says `retryable`. Neither the key nor another secret of the URL appears in an
    error, in `repr` or in the identity, which names no endpoint at all.

    Args:
        base_url: For example `http://localhost:11434` or `https://api.example.com/v1`; its query is
            sent along.
        model: The model's name, as the service knows it.
        api: `openai` posts to `/v1/embeddings`, `ollama` to `/api/embed`.
        api_key: Sent as a bearer token; None sends none.
        dimension: What each vector must have; None learns it from the first answer.
        timeout_s: Seconds after which an attempt is given up.
        retries: Attempts after the first, on 429, 5xx, time-outs and broken connections only.
        batch_size: The most texts in a request.
        client: An httpx client to use (a proxy, certificates, a transport of your own), which stays
            the caller's to close. None makes one, which `close` closes.
        sleep: Waits for so many seconds between attempts.

    Raises:
        InvalidInput: An argument cannot be used.
    """

    weak = False

    def __init__(  # noqa: PLR0913 - keyword-only, each with a default that fits
        self,
        base_url: str,
        model: str,
        *,
        api: Literal["openai", "ollama"] = "openai",
        api_key: str | None = None,
        dimension: int | None = None,
        timeout_s: float = 60.0,
        retries: int = 2,
        batch_size: int = 64,
        client: "httpx.Client | None" = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if api not in _PATHS:
            raise InvalidInput(
                f"unknown embedding API {api!r}", hint="Give 'openai' or 'ollama'.", field="api"
            )
        if batch_size < 1:
            raise InvalidInput(
                f"batch_size={batch_size} cannot work",
                hint="Give batch_size of at least 1.",
                field="batch_size",
            )
        self._model = model
        self._api = api
        self._dimension = dimension
        self._batch_size = batch_size
        # Refuses a bad name or dimension before anything is sent.
        self._identity(1 if dimension is None else dimension)
        self._endpoint = parse_endpoint(base_url, _PATHS[api], api_key=api_key)
        self._poster = JsonPoster(
            self._endpoint,
            service="the embedder",
            error=EmbedderError,
            patience=Patience(timeout_s=timeout_s, retries=retries, sleep=sleep),
            client=client,
        )

    def __repr__(self) -> str:
        return f"HttpEmbedder({self.endpoint!r}, {self._model!r}, api={self._api!r})"

    @property
    def model(self) -> str:
        """The model's name, as the service knows it."""
        return self._model

    @property
    def endpoint(self) -> str:
        """Where texts are sent, without query, user and password: what a policy has to allow."""
        return self._endpoint.shown

    @property
    def identity(self) -> EmbedderIdentity:
        """The model by its name, without the endpoint; an unknown dimension is asked for once.

        Raises:
            EmbedderError: The dimension is not known and the service does not tell it.
            CallInsideTransaction: It would have to be asked while a write transaction is open.
        """
        if self._dimension is None:
            self.embed([_PROBE])
        assert self._dimension is not None
        return self._identity(self._dimension)

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts: (count, dimension) float32, unit length, row order = text order.

        An empty text is sent as a blank, since services refuse empty ones.

        Raises:
            EmbedderError: No answer came, or not one usable vector for each text; `retryable` says
                whether the same call may work later.
            CallInsideTransaction: A write transaction is open.
        """
        import numpy

        if not texts:
            return checked_matrix([], count=0, dimension=self.identity.dimension)
        assert_outside_transaction(f"the embedder {self._model}")
        batches = range(0, len(texts), self._batch_size)
        return numpy.concatenate(
            [self._embed_batch(texts[start : start + self._batch_size]) for start in batches]
        )

    def close(self) -> None:
        """Close the connections; a later call opens new ones. An injected client is left open."""
        self._poster.close()

    def _embed_batch(self, texts: Sequence[str]) -> FloatMatrix:
        answer = self._poster.post(
            {"model": self._model, "input": [text or " " for text in texts]}
        ).answer
        rows = _ollama_rows(answer) if self._api == "ollama" else _openai_rows(answer, len(texts))
        matrix = checked_matrix(rows, count=len(texts), dimension=self._dimension)
        self._dimension = int(matrix.shape[1])
        return matrix

    def _identity(self, dimension: int) -> EmbedderIdentity:
        return EmbedderIdentity(
            kind="http",
            model=self._model,
            revision="",
            dimension=dimension,
            pooling="model",
            normalised=True,
            max_tokens=0,
        )


def _ollama_rows(answer: Any) -> list[Any]:
    rows = answer.get("embeddings") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise _strange("has no list `embeddings`")
    return rows


def _openai_rows(answer: Any, count: int) -> list[Any]:
    """The vectors in text order: a service may answer in any order and number them."""
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _strange("has no list `data` of objects")
    if len(rows) != count:
        return rows  # the count is what is wrong, and the check of it says so best
    # By text, since an index from outside may be anything, even what no dict can hold.
    by_index = {str(row.get("index", at)): row.get("embedding") for at, row in enumerate(rows)}
    wanted = [str(index) for index in range(count)]
    if by_index.keys() != set(wanted):
        raise _strange(f"numbers its vectors otherwise than 0 to {count - 1}")
    return [by_index[index] for index in wanted]


def _strange(problem: str) -> EmbedderError:
    return EmbedderError(
        f"the embedder's answer {problem}",
        hint="Check that `api` is the one that the service speaks.",
    )
