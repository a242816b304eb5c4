"""Which number a call ends with."""

from typing import Final

from smriti_es.events.errors import IntegrityError, SmritiError

FINDINGS: Final = 1
USAGE: Final = 2
# Nothing is wrong, and not everything that was asked about could be decided.
INCOMPLETE: Final = 2
# As a shell reports a program that the signal itself has ended.
INTERRUPTED: Final = 130
OUTPUT_CLOSED: Final = 141


def exit_code(error: SmritiError) -> int:
    """Give the exit code of an error: 1 when the memory is not what was written, else 2."""
    return FINDINGS if isinstance(error, IntegrityError) else USAGE
