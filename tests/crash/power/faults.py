"""Mistakes in the write path, planted to see that they are found."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from smriti_es.engine import Engine
from smriti_es.events.group_commit import Work
from smriti_es.events.records import RecordedEvent, Transaction
from tests.crash.power.apsw_driver import ApswConnection, Rewrite

Plant = Callable[[Engine, list[ApswConnection]], None]


def as_it_is(statement: str) -> str:
    return statement


def nothing(engine: Engine, connections: list[ApswConnection]) -> None:
    """Plant nothing."""


def _synchronous(level: str) -> Rewrite:
    return lambda statement: statement.replace("synchronous=FULL", f"synchronous={level}")


# Statements that are changed on their way to SQLite.
REWRITES: Final[dict[str, Rewrite]] = {
    "synchronous=NORMAL": _synchronous("NORMAL"),
    "synchronous=OFF": _synchronous("OFF"),
}


def _commit_at(step: str) -> Plant:
    """Commit in the middle of an append, and go on in another transaction."""

    def plant(engine: Engine, connections: list[ApswConnection]) -> None:
        def on_step(reached: str) -> None:
            if reached == step:
                (writer,) = (each for each in connections if each.writing)
                writer.execute("COMMIT")
                writer.execute("BEGIN IMMEDIATE")

        engine._opened.log.on_step = on_step

    return plant


def _fold_afterwards(engine: Engine, connections: list[ApswConnection]) -> None:
    """Fold what was appended in a transaction of its own, once the append is durable."""
    log = engine._opened.log
    fold, settle, run = log.inline, log.settle_inline, log.group.run
    assert fold is not None
    assert settle is not None
    put_off: list[tuple[Transaction, Sequence[RecordedEvent]]] = []

    def run_and_fold(work: Work[Any]) -> Any:
        result = run(work)
        with log.database.write() as connection:
            for before, events in put_off:
                transaction = replace(before, connection=connection)
                fold(transaction, events)
                after = before.size + len(events)
                settle(replace(transaction, size=after, leaf=events[-1].leaf))
        put_off.clear()
        return result

    log.inline = lambda transaction, events: put_off.append((transaction, events))
    log.settle_inline = None
    setattr(log.group, "run", run_and_fold)  # noqa: B010  a method is not for assigning


PLANTS: Final[dict[str, Plant]] = {
    "a commit between events and projections": _commit_at("payloads inserted"),
    "a commit between projections and head": _commit_at("projected"),
    "projections in a transaction of their own": _fold_afterwards,
}
