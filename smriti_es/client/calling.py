"""Requests to a server and what they may end in: an answer, or an error of the library."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Self

import httpx

from smriti_es.events import errors

TIMEOUT_S: Final = 60.0
_PREFIX: Final = "urn:smriti-es:"
# What a status means where the server names no error of the library.
_BY_STATUS: Final[Mapping[int, type[errors.SmritiError]]] = {
    401: errors.NotAllowed,
    403: errors.NotAllowed,
    404: errors.NotFound,
    409: errors.Conflict,
    413: errors.InvalidInput,
    422: errors.InvalidInput,
}


class Calling:
    """Sends requests.

    Args:
        address: Of the server, as in http://127.0.0.1:8766.
        key: An access key, or None where none is needed.
        timeout_s: How long an answer may take.
        http: A client of your own, for proxies and certificates; it is not closed here.
    """

    def __init__(
        self,
        address: str,
        key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        http: httpx.Client | None = None,
    ) -> None:
        self._address = address.rstrip("/")
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._own = http is None
        self._http = http or httpx.Client(timeout=timeout_s, follow_redirects=False)

    def close(self) -> None:
        """Close the connections."""
        if self._own:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _get(self, path: str, **asked: Any) -> Any:
        return self._send("GET", path, params=_parameters(asked))

    def _post(
        self, path: str, body: Mapping[str, Any], *, headers: Mapping[str, str] | None = None
    ) -> Any:
        return self._send("POST", path, json=_said(body), headers=headers)

    def _pages(self, path: str, **asked: Any) -> Iterator[Any]:
        """Give the pages of a list, one after the other."""
        cursor: str | None = None
        while True:
            page = self._get(path, cursor=cursor, **asked)
            yield page
            cursor = page["next"]
            if cursor is None:
                return

    def _items(self, path: str, **asked: Any) -> Iterator[Any]:
        for page in self._pages(path, **asked):
            yield from page["items"]

    def _send(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, **given: Any
    ) -> Any:
        try:
            answer = self._http.request(
                method, self._address + path, headers={**self._headers, **(headers or {})}, **given
            )
        except httpx.HTTPError as error:
            raise errors.StorageUnavailable(
                f"the server at {self._address} gave no answer: {error}",
                hint="Is it running, and is that its address?",
            ) from error
        if answer.is_success:
            return answer.json()
        raise _error_of(answer)


def _said(given: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what was not said."""
    return {name: value for name, value in given.items() if value is not None}


def _parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple | list) else value
        for name, value in _said(given).items()
    }


def _error_of(answer: httpx.Response) -> errors.SmritiError:
    """Make the error of the library that a server told of."""
    try:
        told = answer.json()
    except ValueError:
        told = {}
    told = told if isinstance(told, dict) else {}
    named = getattr(errors, str(told.get("type", "")).removeprefix(_PREFIX), None)
    kind = _BY_STATUS.get(answer.status_code, errors.SmritiError)
    if isinstance(named, type) and issubclass(named, errors.SmritiError):
        kind = named
    detail = str(told.get("detail") or f"the server answered {answer.status_code}")
    return kind(detail, hint=str(told.get("hint", "")))
