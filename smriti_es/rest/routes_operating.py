"""Routes for whoever runs the server: is it alive, can it answer, what does it count."""

from typing import Any, Final, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from smriti_es.events.errors import SmritiError
from smriti_es.rest.access import READER, Caller
from smriti_es.rest.metrics import MEDIA_TYPE
from smriti_es.rest.problems import documented

router = APIRouter(tags=["operating"])
_TEXT: Final[dict[str, Any]] = {MEDIA_TYPE: {"schema": {"type": "string"}}}


class Health(BaseModel):
    """How it is."""

    status: Literal["alive", "ready", "not ready"]


@router.get("/health/live", response_model=Health)
def live() -> Any:
    """Say that the process answers."""
    return {"status": "alive"}


@router.get("/health/ready", response_model=Health, responses={503: {"model": Health}})
def ready(request: Request) -> Any:
    """Say whether the memory can be read; no more is told to whoever has no key."""
    door = request.app.state.door
    try:
        with door.engines.using(door.own) as engine:
            engine.status()
    except SmritiError:
        return JSONResponse({"status": "not ready"}, 503)
    return {"status": "ready"}


@router.get(
    "/metrics",
    response_class=Response,
    responses=documented() | {200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
def metrics(request: Request, caller: Caller = READER) -> Response:
    """Give what is counted, for Prometheus: of the server, and of the memory of the key."""
    status = caller.engine.status()
    return Response(request.app.state.metrics.written(status.tenant, status), media_type=MEDIA_TYPE)
