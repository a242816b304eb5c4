"""The past under the trust of its day, for owners and auditors.

Under the trust of today what was found to be poisoned is poisoned in the past as well; that is the
default, and the only one for what a model may read. Under the trust of then a read shows what was
believed, and labels what is withheld today. Source: decision 22.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from sqlalchemy import Connection

from smriti_es.events.errors import InvalidInput
from smriti_es.projections.trust import TrustTables, causes_among

Trust = Literal["today", "then"]
_HINT = "`at`, `replay`, `facts`, `history`, `explain` and `diff` take it, for owners and auditors."


def is_then(trust: object, default: bool) -> bool:  # noqa: FBT001  what holds where nothing is said
    """Tell whether a read is meant under the trust of then.

    Args:
        trust: "today", "then", or None for what holds otherwise.
        default: What holds otherwise.

    Raises:
        InvalidInput: It is something else.
    """
    if trust is None:
        return default
    if trust not in ("today", "then"):
        raise InvalidInput(f"trust is {trust!r}", hint='There are: "today", "then".', field="trust")
    return trust == "then"


def refuse_for_models(*, then: bool) -> None:
    """Refuse to rank, or to write for a model, what was trusted then.

    Raises:
        InvalidInput: It is asked for.
    """
    if then:
        raise InvalidInput(
            'what a model may read is never answered under the trust of then (trust="then")',
            hint=_HINT,
            field="trust",
        )


def withheld_today(
    connection: Connection, tables: TrustTables, log: int, shown: Mapping[int, Sequence[int]]
) -> dict[int, tuple[int, ...]]:
    """Give, of what a read under the trust of then shows, what withholds it today.

    Args:
        connection: A snapshot.
        tables: What is withheld.
        log: The log's number.
        shown: Position of each row that is shown -> positions of all that it shows something of.

    Returns:
        By row the positions of quarantines and rejections, ascending; nothing of a read under the
        trust of today, which shows none of it.
    """
    if not tables.then:
        return {}
    items = sorted({item for each in shown.values() for item in each})
    found = causes_among(connection, tables.of_today(), log, items)
    causes = {
        row: {cause for item in each for cause in found.get(item, ())}
        for row, each in shown.items()
    }
    return {row: tuple(sorted(each)) for row, each in causes.items() if each}
