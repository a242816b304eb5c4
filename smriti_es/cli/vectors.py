"""Wait for vectors in front of the user, and say what becomes of those that wait."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.screen import Screen
from smriti_es.events.errors import EmbedderError

if TYPE_CHECKING:
    from smriti_es.engine import Engine

VectorState = Literal["made", "waiting", "off"]

NoWait = Annotated[
    bool,
    typer.Option(
        "--no-wait",
        help="Return at once; `extract pending` and `projections catch-up` do what is left.",
    ),
]

CATCH_UP = "`smriti-es projections catch-up` makes them."


def make_vectors(
    engine: "Engine", screen: Screen, *, embedder: str, wait: bool
) -> tuple[VectorState, list[str]]:
    """Embed what waits, unless nobody wants that; what was recorded stays recorded either way.

    Args:
        engine: An open memory.
        screen: Where progress is shown.
        embedder: The embedder's name as the user gave it.
        wait: Whether to embed now.

    Returns:
        What is true of the vectors now, and what went wrong, in words.
    """
    if embedder == "none":
        return "off", []
    if not wait:
        return "waiting", []
    try:
        with progress_bar(screen, fold="making vectors") as progress:
            engine.wait_for_vectors(progress=progress)
    except EmbedderError as error:
        return "waiting", [f"semantic: {error}"]
    return "made", []


def say_vectors(screen: Screen, state: VectorState, degraded: list[str]) -> None:
    """Tell people what they cannot see in the answer."""
    if degraded:
        screen.note(f"the turns are recorded, but their vectors wait: {'; '.join(degraded)}")
    elif state == "waiting":
        screen.note(f"the turns are found by their words; their vectors wait. {CATCH_UP}")
