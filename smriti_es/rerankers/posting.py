"""What the rerankers behind HTTP share: one place to post to, and errors that quote nobody."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from smriti_es.endpoint import parse_endpoint
from smriti_es.events.errors import InvalidInput, RerankerError
from smriti_es.events.guard import assert_outside_transaction
from smriti_es.http_posting import JsonPoster, Patience

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class Service:
    """Where a reranker posts, and how patiently.

    Attributes:
        base_url: http or https.
        path: What is added to it.
        api_key: Sent as a bearer token; None sends none.
        timeout_s: Seconds after which an attempt is given up.
        retries: Attempts after the first.
        client: An httpx client to use, which stays the caller's to close; None makes one.
        sleep: Waits for so many seconds between attempts.
    """

    base_url: str
    path: str
    api_key: str | None = None
    timeout_s: float = 60.0
    retries: int = 2
    client: "httpx.Client | None" = None
    sleep: Callable[[float], None] = time.sleep


class Posting:
    """Posts for a reranker.

    Args:
        service: Where, and how.

    Raises:
        InvalidInput: The address or a number cannot be used.
    """

    def __init__(self, service: Service) -> None:
        self.endpoint = parse_endpoint(service.base_url, service.path, api_key=service.api_key)
        self._poster = JsonPoster(
            self.endpoint,
            service="the reranker",
            error=RerankerError,
            patience=Patience(service.timeout_s, service.retries, service.sleep),
            client=service.client,
        )

    def post(self, payload: Mapping[str, Any]) -> Any:
        """Post a question with its texts, and give the answer's JSON.

        Raises:
            RerankerError: No usable answer came.
            CallInsideTransaction: A write transaction is open.
        """
        assert_outside_transaction("the reranker")
        return self._poster.post(payload).answer

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self._poster.close()


def at_least_one(name: str, value: int) -> int:
    """Check a count.

    Raises:
        InvalidInput: It is below 1.
    """
    if value < 1:
        raise InvalidInput(
            f"{name}={value} cannot work", hint=f"Give {name} of at least 1.", field=name
        )
    return value


def strange(problem: str) -> RerankerError:
    """Say that an answer came and is not what was asked for; none of its words are repeated."""
    return RerankerError(
        f"the reranker's answer {problem}",
        hint="Check that the address and the model are those of a reranker of this kind.",
    )


def number(given: Any) -> float | None:
    """Give what an answer says as a number; None for anything that is none."""
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    try:
        return float(given) if is_number else None
    except OverflowError:  # JSON has whole numbers of any length
        return None
