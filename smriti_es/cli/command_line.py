"""The outermost layer of a call: whatever goes wrong inside becomes one line and an exit code."""

import os
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from smriti_es.cli.exit_codes import INTERRUPTED, OUTPUT_CLOSED, USAGE, exit_code
from smriti_es.cli.hints import in_cli_terms
from smriti_es.cli.screen import one_line
from smriti_es.events.errors import SmritiError

# What typer raises for a call that it cannot read, whichever package holds the class.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


class _OutputClosed(Exception):
    """Nobody reads our output any more; not an OSError, which typer would answer by itself."""


class CommandLine(TyperGroup):
    """The root of all verbs."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _OutputClosed from error

    def main(  # type: ignore[override]  # the parts of a call that typer passes on differ by release
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Read the arguments, run the verb, report what went wrong.

        Returns:
            The exit code; with `standalone_mode` the process ends with it instead.
        """
        code = self._run(args, prog_name or "smriti-es", extra)
        if standalone_mode:
            sys.exit(code)
        return code

    def _run(self, args: Sequence[str] | None, name: str, extra: dict[str, Any]) -> int:
        try:
            result = super().main(args, name, standalone_mode=False, **extra)
            sys.stdout.flush()
        except SmritiError as error:
            _report(str(error), error.hint)
            return exit_code(error)
        except _UsageError as error:
            return _report_usage(error)
        except (KeyboardInterrupt, typer.Abort):
            return INTERRUPTED
        except (_OutputClosed, BrokenPipeError):
            _forget_output()
            return OUTPUT_CLOSED
        return result if isinstance(result, int) else 0


def _report_usage(error: Any) -> int:
    verb = error.ctx.command_path if error.ctx is not None else "smriti-es"
    _report(error.format_message(), f"See {verb} --help.")
    return USAGE


def _report(message: str, hint: str) -> None:
    print(f"error: {one_line(message)}", file=sys.stderr)
    if hint:
        print(f"hint: {one_line(in_cli_terms(hint))}", file=sys.stderr)


def _forget_output() -> None:
    """Let what is still buffered go nowhere, or Python complains of it at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
