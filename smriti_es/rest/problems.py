"""Every error in one shape: problem details, as RFC 9457 has them."""

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from smriti_es.events import errors

MEDIA_TYPE: Final = "application/problem+json"
_RETRY_AFTER_S: Final = "1"
_DETAIL_MAX: Final = 2_000
# What is told of what only whoever runs the server can see to: no path of its files.
_OURS: Final = "the memory cannot be used; the server's log tells why"
_READS: Final = re.compile(
    r"engine\.(facts|history|sessions|turns|status|holds|review|quarantines)\(\)"
)
_OF_PROGRAMS: Final = re.compile(r"engine\.|Engine|`smriti-es|\w\(|read_only|_ms\b|open the memory")
logger = logging.getLogger(__name__)

# The first class of an error's own line of ancestors that stands here tells its status.
STATUS: Final[Mapping[type[errors.SmritiError], int]] = {
    errors.InvalidInput: 422,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.HeldError: 409,
    errors.PolicyError: 403,
    errors.IntegrityError: 500,
    errors.ProjectionError: 503,
    errors.StorageError: 503,
    errors.WitnessError: 502,
    errors.EmbedderError: 502,
    errors.ExtractionError: 502,
    errors.RerankerError: 502,
    errors.MissingExtra: 501,
    errors.SmritiError: 500,
}


class Problem(BaseModel):
    """What went wrong.

    Attributes:
        type: Names the kind of problem; the error of the library.
        title: The kind of problem, in words.
        status: The HTTP status.
        detail: What went wrong this time.
        hint: What to do about it.
        retryable: Whether the same request may work later.
        errors: Of a request that cannot be read: each place in it, and why.
    """

    type: str
    title: str
    status: int
    detail: str
    hint: str = ""
    retryable: bool = False
    errors: list[dict[str, str]] = Field(default_factory=list)


def status_of(error: errors.SmritiError) -> int:
    """Give the HTTP status of an error."""
    return next(STATUS[each] for each in type(error).__mro__ if each in STATUS)


def problem(
    status: int,
    kind: str,
    detail: str,
    *,
    hint: str = "",
    retryable: bool = False,
    places: Sequence[dict[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Answer with a problem."""
    told = Problem(
        type=f"urn:smriti-es:{kind}",
        title=_TITLES.get(status, "Something went wrong"),
        status=status,
        detail=detail[:_DETAIL_MAX],
        hint=hint,
        retryable=retryable,
        errors=list(places),
    )
    return JSONResponse(
        told.model_dump(), status, headers=dict(headers or {}), media_type=MEDIA_TYPE
    )


def add_handlers(app: FastAPI) -> None:
    """Let every error of an application become a problem."""
    app.add_exception_handler(errors.SmritiError, _of_library)
    app.add_exception_handler(RequestValidationError, _of_request)
    app.add_exception_handler(HTTPException, _of_protocol)
    app.add_exception_handler(Exception, _unforeseen)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the problems that a route may answer with, beside those of every route."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    named = sorted({*_OF_EVERY_ROUTE, *statuses})
    return {each: {"description": _TITLES[each], "content": content} for each in named}


_OF_EVERY_ROUTE: Final = (400, 401, 403, 408, 413, 421, 422, 503)
_TITLES: Final = {
    400: "The request cannot be read",
    401: "An access key is needed",
    403: "This key is not for that",
    404: "There is no such thing",
    405: "Not this method",
    408: "The request took too long to arrive",
    409: "Somebody else was first, or a hold forbids it",
    413: "The request is too large",
    415: "Not this kind of content",
    421: "This server has another name",
    422: "What was handed in cannot be used",
    500: "Something is wrong here",
    501: "Something is not installed",
    502: "A model or service gave no usable answer",
    503: "Not at the moment",
}


def in_terms_of_routes(hint: str) -> str:
    """Say what to do in the words of the routes, where whoever asks can do anything about it."""
    named = _READS.sub(r"GET /v1/\1", hint)
    return "" if _OF_PROGRAMS.search(named) else named


def described(error: errors.SmritiError) -> tuple[int, str, str]:
    """Give status, detail and hint of an error, as whoever asks from elsewhere may read them.

    What only whoever runs the server can see to is written to its log.
    """
    status, ours = status_of(error), isinstance(error, errors.StorageError | errors.IntegrityError)
    if status >= 500 and not error.retryable:
        logger.error("%s: %s", type(error).__name__, error)
    detail = _OURS if ours and not error.retryable else str(error)
    return status, detail, "" if ours else in_terms_of_routes(error.hint)


async def _of_library(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, errors.SmritiError)
    status, detail, hint = described(error)
    return problem(
        status,
        type(error).__name__,
        detail,
        hint=hint,
        retryable=error.retryable,
        headers={"Retry-After": _RETRY_AFTER_S} if error.retryable else None,
    )


async def _of_request(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    places = [
        {"place": ".".join(map(str, each["loc"])), "why": str(each["msg"])}
        for each in error.errors()
    ]
    told = "; ".join(f"{each['place']}: {each['why']}" for each in places)
    return problem(422, "InvalidRequest", told, hint="See /openapi.json.", places=places)


async def _of_protocol(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return problem(error.status_code, "HttpError", str(error.detail), headers=error.headers or None)


async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return problem(500, "Unforeseen", "something went wrong; the server's log tells what")
