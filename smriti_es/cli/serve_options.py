"""The options of servers: where they listen, and what an agent that comes in is bound to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from smriti_es.cli.access_verbs import KeysFile

if TYPE_CHECKING:
    from smriti_es.serving.listening import Listening

_LISTENING: Final = "Where it listens"
_AGENT: Final = "What the agent is bound to"
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
