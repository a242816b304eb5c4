"""What is counted of requests and of memories, as Prometheus reads it."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily

from smriti_es.results import Status

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_ELSEWHERE: Final = "(none)"
# Figure of a memory -> what it is.
_GAUGES: Final = {
    "events": "Events in the log.",
    "sessions": "Sessions in the spaces that are read.",
    "turns": "Turns in the spaces that are read.",
    "facts": "Statements of fact in the spaces that are read.",
    "review": "What waits for an owner's word.",
    "quarantines": "Quarantines that are not lifted.",
    "vectors": "Turns and facts that have vectors.",
    "pending": "Turns and facts that wait for their vectors.",
    "extraction_behind": "Turns that the extractor has not come to.",
    "size_bytes": "Bytes of all files of the database.",
}


@dataclass(slots=True)
class Metrics:
    """The figures of one server.

    Attributes:
        clock: Gives seconds; only differences matter.
    """

    clock: Callable[[], float] = time.perf_counter
    _verified: dict[str, tuple[float, bool]] = field(default_factory=dict)
    _registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    _requests: Counter = field(init=False)
    _seconds: Histogram = field(init=False)
    _running: Gauge = field(init=False)

    def __post_init__(self) -> None:
        self._requests = Counter(
            "smriti_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "smriti_request_seconds",
            "How long an answer took.",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._running = Gauge(
            "smriti_requests_running", "Requests that wait for answers.", registry=self._registry
        )

    def note_verified(self, tenant: str, *, ok: bool) -> None:
        """Note that a memory was verified just now, projections included, and whether it held."""
        self._verified[tenant] = (self.clock(), ok)

    def written(self, tenant: str, status: Status) -> bytes:
        """Write everything, with the figures of one memory."""
        memory = CollectorRegistry()
        at, ok = self._verified.get(tenant, (None, False))
        age = None if at is None else self.clock() - at
        memory.register(_OfMemory(tenant, status, None if age is None else (age, ok)))
        return generate_latest(self._registry) + generate_latest(memory)

    async def observed(self, app: Any, scope: Any, receive: Any, send: Any) -> None:
        """Hand a request on, and count what becomes of it."""
        told = {"status": 500}

        async def noting(message: Any) -> None:
            if message["type"] == "http.response.start":
                told["status"] = message["status"]
            await send(message)

        began = self.clock()
        self._running.inc()
        try:
            await app(scope, receive, noting)
        finally:
            self._running.dec()
            route = getattr(scope.get("route"), "path", _ELSEWHERE)
            method = scope["method"] if route != _ELSEWHERE else _ELSEWHERE
            self._requests.labels(method, route, str(told["status"])).inc()
            self._seconds.labels(method, route).observe(self.clock() - began)


@dataclass(frozen=True, slots=True)
class ObservedApp:
    """Counts the requests to an ASGI application.

    Attributes:
        app: The application.
        metrics: Where they are counted.
    """

    app: Any
    metrics: Metrics

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            await self.metrics.observed(self.app, scope, receive, send)
        else:
            await self.app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class _OfMemory:
    """Gives the figures of a memory as they are now."""

    tenant: str
    status: Status
    # Seconds since it was verified, and whether it held; None: not since the server started.
    verified: tuple[float, bool] | None

    def collect(self) -> Iterable[GaugeMetricFamily]:
        for name, told in _GAUGES.items():
            yield self._gauge(f"smriti_memory_{name}", told, float(getattr(self.status, name)))
        yield self._gauge(
            "smriti_memory_degraded",
            "Parts that do not take part in answers.",
            float(len(self.status.degraded)),
        )
        if self.verified is not None:
            yield self._gauge(
                "smriti_memory_verified_age_seconds",
                "Seconds since this server verified the whole memory.",
                self.verified[0],
            )
            yield self._gauge(
                "smriti_memory_verified_ok",
                "1 if that verification found nothing, else 0.",
                float(self.verified[1]),
            )
        failed = GaugeMetricFamily(
            "smriti_memory_failed",
            "Items that could not be embedded, or read for facts.",
            labels=("tenant", "step"),
        )
        failed.add_metric((self.tenant, "vectors"), float(len(self.status.failed)))
        failed.add_metric((self.tenant, "facts"), float(len(self.status.extraction_failed)))
        yield failed
        behind = GaugeMetricFamily(
            "smriti_projection_behind",
            "Events that a projection has not folded.",
            labels=("tenant", "projection", "state"),
        )
        for each in self.status.projections:
            behind.add_metric((self.tenant, each.name, each.state), float(each.behind))
        yield behind

    def _gauge(self, name: str, told: str, value: float) -> GaugeMetricFamily:
        figure = GaugeMetricFamily(name, told, labels=("tenant",))
        figure.add_metric((self.tenant,), value)
        return figure
