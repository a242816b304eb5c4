"""A reranking model behind HTTP, as Cohere, Jina, vLLM and text-embeddings-inference serve it."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from smriti_es.closing import ClosedOnExit
from smriti_es.events.errors import InvalidInput
from smriti_es.rerankers.posting import Posting, Service, at_least_one, number, strange
from smriti_es.rerankers.reranker import Score

if TYPE_CHECKING:
    import httpx

_PATHS = {"cohere": "/v1/rerank", "tei": "/rerank"}


class HttpReranker(ClosedOnExit):
    """Judge with a model behind HTTP; texts leave this process and, unless loopback, this machine.

    Args:
        base_url: For example `http://localhost:8080`.
        model: The model's name, as the service knows it; "" where it has one alone.
        api: `cohere` posts `documents` to `/v1/rerank` (Cohere, Jina, vLLM), `tei` posts `texts` to
            `/rerank`.
        api_key: Sent as a bearer token; None sends none.
        timeout_s: Seconds after which an attempt is given up.
        retries: Attempts after the first, on 429, 5xx, time-outs and broken connections only.
        max_doc_chars: The longest part of a text that is sent.
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
        api: Literal["cohere", "tei"] = "cohere",
        api_key: str | None = None,
        timeout_s: float = 60.0,
        retries: int = 2,
        max_doc_chars: int = 1_500,
        client: "httpx.Client | None" = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if api not in _PATHS:
            raise InvalidInput(
                f"unknown reranking API {api!r}", hint="Give 'cohere' or 'tei'.", field="api"
            )
        self.model = model
        self._texts = "documents" if api == "cohere" else "texts"
        self._max_doc_chars = at_least_one("max_doc_chars", max_doc_chars)
        self._posting = Posting(
            Service(base_url, _PATHS[api], api_key, timeout_s, retries, client, sleep)
        )

    def __repr__(self) -> str:
        return f"HttpReranker({self.endpoint!r}, {self.model!r})"

    @property
    def endpoint(self) -> str:
        """Where texts are sent, without query, user and password."""
        return self._posting.endpoint.shown

    def rerank(self, query: str, docs: Sequence[str]) -> list[Score]:
        """Judge texts with one request; None for a text that the answer does not mention.

        Raises:
            RerankerError: No usable answer came.
            CallInsideTransaction: A write transaction is open.
        """
        if not docs:
            return []
        payload: dict[str, Any] = {
            "query": query,
            self._texts: [doc[: self._max_doc_chars] for doc in docs],
        }
        if self.model:
            payload["model"] = self.model
        answer = self._posting.post(payload)
        rows = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise strange("has no list of results")
        scores: list[Score] = [None] * len(docs)
        for row in rows:
            index = row.get("index")
            if type(index) is int and 0 <= index < len(docs):
                scores[index] = number(row.get("relevance_score", row.get("score")))
        return scores

    def close(self) -> None:
        """Close the connections; a later call opens new ones. An injected client is left open."""
        self._posting.close()
