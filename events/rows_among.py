"""Read the rows of many keys at once, by statements of a few sizes that are built once.

A list that SQLAlchemy expands is written anew for each call, which costs as much as reading a
hundred rows.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import BindParameter, Connection, Select, bindparam

from smriti_es.events.database import fetch_rows, in_parts

SIZE_MAX: Final = 512
_SIZE_MIN: Final = 16
_NAMES: Final = tuple(f"key_{number}" for number in range(SIZE_MAX))


def keys(size: int) -> list[BindParameter[Any]]:
    """Give the parameters of a statement for so many keys: `column.in_(keys(size))`."""
    return [bindparam(name) for name in _NAMES[:size]]


def fetch_among(
    connection: Connection,
    statement: Callable[[int], Select[Any]],
    wanted: Sequence[int],
    values: Mapping[str, Any],
) -> list[Any]:
    """Read the rows of some keys, as the driver gives them.

    Args:
        connection: The transaction.
        statement: Gives the statement for a number of keys, always the same one for the same.
        wanted: The keys.
        values: The values of its other parameters, by name.

    Returns:
        The rows, in the order of the statement within each 512 keys.
    """
    rows: list[Any] = []
    for part in in_parts(wanted, SIZE_MAX):
        size = max(_SIZE_MIN, 1 << (len(part) - 1).bit_length())
        # What is named twice is found once.
        padded = [*part, *[part[-1]] * (size - len(part))]
        named = dict(zip(_NAMES, padded, strict=False))
        rows.extend(fetch_rows(connection, statement(size), {**values, **named}))
    return rows
