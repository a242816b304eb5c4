"""Say that something of what was just recorded waits for an owner's word."""

from typing import TYPE_CHECKING

from smriti_es.cli.screen import Screen

if TYPE_CHECKING:
    from smriti_es.engine import Engine


def proposed_since(engine: "Engine", head: int) -> bool:
    """Tell whether anything waits that was recorded after the log ended at a position."""
    return bool(engine.review(after=head, limit=1))


def say_proposed(screen: Screen, *, proposed: bool) -> None:
    """Remark that something waits, if anything does."""
    if proposed:
        screen.note("something of it waits for an owner's word: `smriti-es review list`")
