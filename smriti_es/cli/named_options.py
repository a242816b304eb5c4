"""The options that name the one thing which is traced, left out or quarantined."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

if TYPE_CHECKING:
    from smriti_es.blast_radius import Named

_PANEL = "What is meant, one of"


@dataclass(frozen=True, slots=True)
class NamedOptions:
    """Exactly one thing; the engine says so when there are none or several."""

    turn: Annotated[
        int | None,
        typer.Option(
            "--turn", metavar="POSITION", help="A turn, by its position.", rich_help_panel=_PANEL
        ),
    ] = None
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="NAME",
            help="A session, with every turn of it.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    fact: Annotated[
        int | None,
        typer.Option(
            "--fact",
            metavar="POSITION",
            help="A fact or a stated end, by its position.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    origin: Annotated[
        str | None,
        typer.Option(
            "--origin",
            metavar="ORIGIN",
            help="Everything from an origin: owner, agent, tool, untrusted.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    actor: Annotated[
        str | None,
        typer.Option(
            "--actor",
            metavar="NAME",
            help="Everything that somebody recorded, as `log tail` names them.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    @property
    def target(self) -> "Named":
        """What is named, in the engine's words."""
        named = {kind: name for kind, name in asdict(self).items() if name is not None}
        return cast("Named", named)
