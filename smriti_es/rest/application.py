"""The application: routes, errors, limits and metrics put together."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from smriti_es.rest import (
    routes_auditing,
    routes_operating,
    routes_owning,
    routes_reading,
    routes_writing,
)
from smriti_es.rest.access import Door
from smriti_es.rest.limits import LimitedApp, Limits
from smriti_es.rest.metrics import Metrics, ObservedApp
from smriti_es.rest.problems import Problem, add_handlers
from smriti_es.version import __version__

_OPEN: Final = frozenset({"/health/live", "/health/ready"})
_ROUTERS: Final = (
    routes_operating.router,
    routes_reading.router,
    routes_writing.router,
    routes_owning.router,
    routes_auditing.router,
)


@dataclass(frozen=True, slots=True)
class RestApp:
    """An ASGI application, and the part of it that knows the routes.

    Attributes:
        asgi: What a server calls.
        api: What knows the routes.
    """

    asgi: Any
    api: FastAPI

    @property
    def routes(self) -> list[APIRoute]:
        """The routes, each with its path, its methods and who may come in."""
        return [each for router in _ROUTERS for each in router.routes if isinstance(each, APIRoute)]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        await self.asgi(scope, receive, send)


def rest_app(door: Door, *, limits: Limits | None = None) -> RestApp:
    """Make the application.

    Args:
        door: Who comes in, and to which memories; they are closed when the application ends.
        limits: How much a request may be.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        door.engines.close()

    api = FastAPI(
        title="smriti-es",
        version=__version__,
        summary="A memory for agents on a hash-chained log.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    api.state.door, api.state.metrics = door, Metrics()
    for router in _ROUTERS:
        api.include_router(router)
    add_handlers(api)
    api.openapi = _described(api)  # type: ignore[method-assign]
    metrics: Metrics = api.state.metrics
    return RestApp(ObservedApp(LimitedApp(api, limits or Limits()), metrics), api)


def _described(api: FastAPI) -> Callable[[], dict[str, Any]]:
    """Describe the routes with the one shape of errors and the one way of coming in."""

    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            schema = get_openapi(
                title=api.title, version=api.version, summary=api.summary, routes=api.routes
            )
            parts = schema.setdefault("components", {})
            kept = parts.setdefault("schemas", {})
            kept["Problem"] = Problem.model_json_schema()
            kept.pop("HTTPValidationError", None)
            kept.pop("ValidationError", None)
            parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
            for path, methods in schema["paths"].items():
                for method in methods.values():
                    method["security"] = [] if path in _OPEN else [{"key": []}, {}]
            api.openapi_schema = schema
        return api.openapi_schema

    return openapi
