"""What text of a memory can go where, listed: nothing is sent to find it out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

from smriti_es.egress import UNDECLARED, endpoint_of
from smriti_es.endpoint import is_loopback
from smriti_es.opened import Opened

Reach = Literal["process", "machine", "network", "undeclared"]
_SENT: Final[Mapping[str, str]] = {
    "embedder": "turns, facts and questions",
    "extractor": "turns",
    "arbiter": "facts",
    "reranker": "questions, and the turns and facts that may answer them",
}
_NOTES: Final = (
    "There is no telemetry, and nothing is fetched.",
    "`observe` sends facts to the writer that it is given, checked like the adapters here.",
    "A caller's own HTTP client, and code that does not say where it sends text, are the caller's.",
)


@dataclass(frozen=True, slots=True)
class Flow:
    """One way by which text reaches something else than the memory's file.

    Attributes:
        adapter: embedder, extractor, arbiter or reranker.
        name: What it is, with its model where it has one.
        sends: What text it is handed.
        endpoint: Where it sends that, without query and password; None: nowhere.
        reach: `process`: nothing leaves it; `machine`: loopback; `network`: another machine;
            `undeclared`: it does not say.
        redacted: Whether credentials are taken out first.
    """

    adapter: str
    name: str
    sends: str
    endpoint: str | None
    reach: Reach
    redacted: bool


@dataclass(frozen=True, slots=True)
class DataFlow:
    """Where the text of an open memory is kept, and where it can go.

    Attributes:
        location: The file, or the database of a server, that holds all of it.
        profile: The deployment profile in force, or None: then an adapter may send anywhere.
        allowed_hosts: Hosts that the profile was given.
        redacts: Kinds of credentials that are taken out before anything is stored or sent; empty
            when none are.
        ignores: Patterns of turns that are not stored.
        flows: What is handed text, one entry an adapter.
        telemetry: None, always.
        notes: What else is to be known.
    """

    location: str
    profile: str | None
    allowed_hosts: tuple[str, ...]
    redacts: tuple[str, ...]
    ignores: tuple[str, ...]
    flows: tuple[Flow, ...]
    telemetry: None = None
    notes: tuple[str, ...] = _NOTES


def data_flow(opened: Opened) -> DataFlow:
    """List what can go where, from what an open memory was given."""
    guarding = opened.guarding
    policy, redactor = guarding.guard.policy, guarding.guard.redactor
    return DataFlow(
        location=opened.database.location,
        profile=None if policy is None else policy.profile.name,
        allowed_hosts=() if policy is None else policy.hosts,
        redacts=() if redactor is None else redactor.kinds,
        ignores=tuple(pattern.pattern for pattern in guarding.screening.ignored),
        flows=tuple(
            _flow(kind, adapter, redacts=redactor is not None)
            for kind, adapter in guarding.adapters.items()
        ),
    )


def _flow(kind: str, adapter: object, *, redacts: bool) -> Flow:
    if adapter == "auto":
        return Flow(kind, "patterns", _SENT[kind], None, "process", redacted=False)
    endpoint = endpoint_of(adapter)
    model = getattr(adapter, "model", "")
    called = type(adapter).__name__
    return Flow(
        adapter=kind,
        name=f"{called} ({model})" if model else called,
        sends=_SENT[kind],
        endpoint=None if endpoint == UNDECLARED else endpoint,
        reach=_reach(endpoint),
        redacted=redacts and endpoint is not None,
    )


def _reach(endpoint: str | None) -> Reach:
    if endpoint is None:
        return "process"
    host = urlsplit(endpoint).hostname
    if endpoint == UNDECLARED or host is None:
        return "undeclared"
    return "machine" if is_loopback(host) else "network"
