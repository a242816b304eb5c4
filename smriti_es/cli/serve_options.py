"""The options of servers: where they listen, and what an agent that comes in is bound to."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from smriti_es.cli.access_verbs import KeysFile

if TYPE_CHECKING:
    from smriti_es.guarding import Guards
    from smriti_es.proxy.application import Upstream
    from smriti_es.serving.listening import Listening

_LISTENING: Final = "Where it listens"
_AGENT: Final = "What the agent is bound to"
_SERVICE: Final = "The service behind it"
Host = Annotated[
    str,
    typer.Option(
        "--host",
        metavar="ADDRESS",
        help="An address of this machine; others than its own need an access key.",
        rich_help_panel=_LISTENING,
    ),
]
Port = Annotated[
    int,
    typer.Option(
        "--port", metavar="N", help="The port; 0: any that is free.", rich_help_panel=_LISTENING
    ),
]
PublicName = Annotated[
    list[str] | None,
    typer.Option(
        "--public-name",
        metavar="HOST",
        help="A name under which it is reached, as the Host header has it; may be repeated.",
        rich_help_panel=_LISTENING,
        show_default=False,
    ),
]
InScope = Annotated[
    list[str] | None,
    typer.Option(
        "--scope",
        metavar="SCOPE",
        help="A scope that it is in, as kind:value; may be repeated.",
        rich_help_panel=_AGENT,
        show_default=False,
    ),
]
Session = Annotated[
    str | None,
    typer.Option(
        "--session",
        metavar="NAME",
        help="The conversation of what comes without one. (default: a new one each start)",
        rich_help_panel=_AGENT,
        show_default=False,
    ),
]


UpstreamAddress = Annotated[
    str,
    typer.Option(
        "--upstream",
        metavar="URL",
        help="The service, with its version, as in http://localhost:11434/v1; what it is told goes "
        "there. Its key is SMRITI_ES_UPSTREAM_KEY, or what the client sends.",
        rich_help_panel=_SERVICE,
    ),
]
Budget = Annotated[
    int,
    typer.Option(
        "--budget",
        metavar="N",
        help="Characters of recalled evidence at most.",
        rich_help_panel=_SERVICE,
    ),
]
TrustUser = Annotated[
    bool,
    typer.Option(
        "--trust-user",
        help="What users say is recorded as the owner's word, and not as an agent's report of it.",
        rich_help_panel=_AGENT,
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class UpstreamOptions:
    """The service behind a proxy."""

    upstream_address: UpstreamAddress
    budget: Budget = 4_000
    trust_user: TrustUser = False
    scope: InScope = None

    @property
    def bound(self) -> "AgentOptions":
        """What the agent is bound to; each conversation has a name of its own."""
        return AgentOptions(self.scope, "proxy")

    def upstream(self, guards: "Guards | None") -> "Upstream":
        """Say what service, once the profile allows to send text there.

        Raises:
            EgressRefused: It does not.
            InvalidInput: It is no address.
        """
        from smriti_es.egress import policy_of
        from smriti_es.endpoint import parse_endpoint
        from smriti_es.proxy.application import Upstream

        named = guards or {}
        address = parse_endpoint(self.upstream_address, "", api_key=None)
        policy = policy_of(named.get("profile"), named.get("allowed_hosts", ()))
        if policy is not None:
            policy.check("the proxy", address.shown)
        key = os.environ.get("SMRITI_ES_UPSTREAM_KEY") or None
        return Upstream(address.shown.rstrip("/"), key, budget=self.budget)


@dataclass(frozen=True, slots=True)
class ListeningOptions:
    """Where a server listens, and whom it lets in."""

    host: Host = "127.0.0.1"
    public_name: PublicName = None
    keys: KeysFile = None

    def at(self, port: int) -> "Listening":
        """Say where, with a port."""
        from smriti_es.serving.listening import Listening

        return Listening(self.host, port, tuple(self.public_name or ()))


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """What an agent is bound to when the server starts."""

    scope: InScope = None
    session: Session = None

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that it is in."""
        return tuple(self.scope or ())
