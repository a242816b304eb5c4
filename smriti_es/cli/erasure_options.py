"""The options that name the one thing which is erased or held."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

if TYPE_CHECKING:
    from smriti_es.blast_radius import NamedForErasure, NamedForHold

_PANEL = "What is meant"


@dataclass(frozen=True, slots=True)
class HeldOptions:
    """What may be held; the engine says so when several things are named."""

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
            help="A session of the space, with every turn of it.",
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
    entity: Annotated[
        str | None,
        typer.Option(
            "--entity",
            metavar="NAME",
            help="Everything that is stated of somebody or something, by any name.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    whole_space: Annotated[
        str | None,
        typer.Option(
            "--whole-space",
            metavar="NAME",
            help="Everything in a space.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    @property
    def held(self) -> "NamedForHold":
        """What is named, in the engine's words."""
        return cast("NamedForHold", _named(asdict(self)))


@dataclass(frozen=True, slots=True)
class ErasedOptions(HeldOptions):
    """What may be erased: exactly one of these."""

    origin: Annotated[
        str | None,
        typer.Option(
            "--origin",
            metavar="ORIGIN",
            help="Everything from an origin: owner, agent, tool, untrusted.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    before: Annotated[
        str | None,
        typer.Option(
            "--before",
            metavar="TIME",
            help="Everything that was said before a time.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    @property
    def erased(self) -> "NamedForErasure":
        """What is named, in the engine's words."""
        return cast("NamedForErasure", _named(asdict(self)))


def _named(values: dict[str, object]) -> dict[str, object]:
    named = {kind: name for kind, name in values.items() if name is not None}
    if "whole_space" in named:
        named["space"] = named.pop("whole_space")
    return named
