"""What the verbs that change one thing share: how they say why, and how they tell what they did."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from smriti_es.cli.invocation import Invocation

if TYPE_CHECKING:
    from smriti_es.engine import Engine

Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")]


@contextmanager
def changing(call: Invocation, done: str) -> "Iterator[Engine]":
    """Open the memory for one change, and say what it did.

    Args:
        call: The call.
        done: What is true once it is done.
    """
    with call.maintaining() as engine:
        before = engine.head
        yield engine
        head = engine.head
    if call.screen.as_json:
        call.screen.json({"changed": head > before, "head": head})
    else:
        call.screen.say(done if head > before else "Nothing new: that was known already.")
