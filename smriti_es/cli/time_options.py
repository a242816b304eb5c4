"""The options that ask about another time: when something held, and when it was known."""

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from smriti_es.cli.screen import Screen

_PANEL = "As of"

KnownAt = Annotated[
    str | None,
    typer.Option(
        "--known-at",
        metavar="TIME",
        help="Answer as the memory would have then; a whole number is a position in the log.",
        rich_help_panel=_PANEL,
    ),
]


TrustOfThen = Annotated[
    Literal["today", "then"],
    typer.Option(
        "--trust",
        help="Read the past under the trust of today, or of then: what is withheld today is shown.",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True, slots=True)
class AsOf:
    """The two times at which facts are read."""

    valid_at: Annotated[
        str | None,
        typer.Option(
            "--valid-at",
            metavar="TIME",
            help="When the facts must hold in the world. (default: now, or --known-at)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    known_at: KnownAt = None

    @property
    def known(self) -> int | str | None:
        """The knowledge time as the engine takes it."""
        return None if self.known_at is None else known_time(self.known_at)


@dataclass(frozen=True, slots=True)
class TrustedAsOf(AsOf):
    """The two times at which facts are read, and under whose trust."""

    trust: TrustOfThen = "today"


def say_whether_provisional(screen: Screen, *, provisional: bool) -> None:
    """Remark that commits still to come may belong to the time that was asked for."""
    if provisional:
        screen.note("the log ends by that time: what is recorded next may still belong to it")


def known_time(text: str) -> int | str:
    """Read a knowledge time: a whole number is a position, anything else a time."""
    return int(text) if text.isascii() and text.isdigit() else text
