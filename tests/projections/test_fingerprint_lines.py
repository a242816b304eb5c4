"""A fingerprint is that of the library's canonical JSON, whatever a row holds."""

import hashlib
import json
from typing import Any

import pytest

from smriti_es.projections.projection import Projection, fingerprint

ROWS: list[list[Any]] = [
    ['naïve \u2028 "quoted" \\ \x00 \ud800', 0, -1, 2**63],
    [None, True, False, 1.5, "", b"\x00\xff", [1, "a", b"b"]],
    [],
]


class Rows:
    """A projection that has some rows."""

    def __init__(self, rows: list[list[Any]]) -> None:
        self._rows = rows

    def canonical_rows(self, fold: object) -> list[list[Any]]:
        return self._rows

    canonical_lines = Projection.canonical_lines


def as_the_library(rows: list[list[Any]]) -> str:
    text = "".join(
        json.dumps(row, separators=(",", ":"), default=lambda value: [value.hex()]) + "\n"
        for row in rows
    )
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("rows", [[], ROWS, [[number, "x"] for number in range(2_500)]])
def test_every_value_is_written_as_the_library_writes_it(rows: list[list[Any]]) -> None:
    assert fingerprint(Rows(rows), None) == as_the_library(rows)  # type: ignore[arg-type]
