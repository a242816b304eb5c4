"""What could not be answered, as a page that says why and keeps the times, to be corrected."""

import logging
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from smriti_es.events.errors import SmritiError
from smriti_es.rest.problems import described
from smriti_es.ui.asking import Asked
from smriti_es.ui.visit import page

_UNFORESEEN: Final = "Something went wrong; the server's log tells what."
logger = logging.getLogger(__name__)


async def refused(request: Request, error: Exception) -> Response:
    """Say why a request was not answered."""
    status, detail, hint = _told(request, error)
    try:
        asked = Asked.of(request.scope["query_string"])
    except (SmritiError, HTTPException):
        asked = Asked({})
    answer = page(
        "refused.html",
        "Not answered",
        request,
        asked,
        asked.as_of,
        code=status,
        detail=detail,
        hint=hint,
    )
    if isinstance(error, HTTPException):
        answer.headers.update(error.headers or {})
    return answer


def _told(request: Request, error: Exception) -> tuple[int, str, str]:
    if isinstance(error, SmritiError):
        status, detail, hint = described(error)
        return status, detail, "" if "/v1/" in hint else hint  # routes that are not here
    if isinstance(error, HTTPException):
        return error.status_code, str(error.detail), ""
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return 500, _UNFORESEEN, ""
