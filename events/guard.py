"""Keep models and networks out of write transactions.

A slow call made while the head row is locked stops every other writer, so it is refused rather than
tolerated (design: events, "Appending"). The same flag marks the fold of a projection, which must be
pure.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from smriti_es.events.errors import SmritiError

_inside: ContextVar[bool] = ContextVar("smriti_es_inside_transaction", default=False)


class CallInsideTransaction(SmritiError):
    """A model or the network was called while a write transaction was open."""

    hint = "Do model work before the command is appended."


@contextmanager
def transaction_open() -> Iterator[None]:
    """Mark the code inside as running in a write transaction."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def assert_outside_transaction(what: str) -> None:
    """Refuse to go on when a write transaction is open in this context.

    Args:
        what: The thing about to be called, for the message.

    Raises:
        CallInsideTransaction: A write transaction is open.
    """
    if _inside.get():
        raise CallInsideTransaction(f"{what} was called inside a write transaction")
