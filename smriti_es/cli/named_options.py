"""The options that name the one thing which is traced, left out, quarantined, held or erased."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

if TYPE_CHECKING:
    from smriti_es.blast_radius import Named, NamedForErasure, NamedForHold

_PANEL: Final = "What is meant, one of"


def _option(name: str, metavar: str, help_text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=help_text, rich_help_panel=_PANEL)


Turn = Annotated[int | None, _option("--turn", "POSITION", "A turn, by its position.")]
Session = Annotated[str | None, _option("--session", "NAME", "A session, with every turn of it.")]
Fact = Annotated[
    int | None, _option("--fact", "POSITION", "A fact or a stated end, by its position.")
]
Origin = Annotated[
    str | None,
    _option("--origin", "ORIGIN", "Everything from an origin: owner, agent, tool, untrusted."),
]
Actor = Annotated[
    str | None,
    _option("--actor", "NAME", "Everything that somebody recorded, as `log tail` names them."),
]
Entity = Annotated[
    str | None,
    _option("--entity", "NAME", "Everything that is stated of somebody or something, by any name."),
]
WholeSpace = Annotated[str | None, _option("--whole-space", "NAME", "Everything in a space.")]
Before = Annotated[
    str | None, _option("--before", "TIME", "Everything that was said before a time.")
]


@dataclass(frozen=True, slots=True)
class NamedOptions:
    """Exactly one thing; the engine says so when there are none or several."""

    turn: Turn = None
    session: Session = None
    fact: Fact = None
    origin: Origin = None
    actor: Actor = None

    @property
    def target(self) -> "Named":
        """What is named, in the engine's words."""
        return cast("Named", _named(self))


@dataclass(frozen=True, slots=True)
class HeldOptions:
    """What may be held: one thing, or none for everything."""

    turn: Turn = None
    session: Session = None
    fact: Fact = None
    entity: Entity = None
    whole_space: WholeSpace = None

    @property
    def target(self) -> "NamedForHold":
        """What is named, in the engine's words."""
        return cast("NamedForHold", _named(self))


@dataclass(frozen=True, slots=True)
class ErasedOptions:
    """What may be erased: exactly one thing."""

    turn: Turn = None
    session: Session = None
    fact: Fact = None
    entity: Entity = None
    whole_space: WholeSpace = None
    origin: Origin = None
    before: Before = None

    @property
    def target(self) -> "NamedForErasure":
        """What is named, in the engine's words."""
        return cast("NamedForErasure", _named(self))


def _named(options: Any) -> dict[str, Any]:
    named = {kind: name for kind, name in asdict(options).items() if name is not None}
    if "whole_space" in named:
        # The option of that name chooses the space that is written to.
        named["space"] = named.pop("whole_space")
    return named
