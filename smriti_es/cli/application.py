"""The command line `smriti-es`: the verbs put together."""

import io
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from smriti_es.cli import (
    access_verbs,
    asking_verbs,
    attest_verbs,
    backup_verbs,
    belief_verbs,
    bundle_verbs,
    data_flow_verb,
    demo,
    doctor_verb,
    embedder_verbs,
    erasure_verbs,
    export_verb,
    extract_verbs,
    import_verb,
    keeping_verbs,
    listing_verbs,
    log_verbs,
    projection_verbs,
    quarantine_verbs,
    recording_verbs,
    review_verbs,
    serve_verbs,
    stating_verbs,
    status_verb,
    tenant_verbs,
    trust_verbs,
)
from smriti_es.cli.command_line import CommandLine
from smriti_es.cli.invocation import remember_options
from smriti_es.cli.option_groups import with_option_groups
from smriti_es.cli.shared_options import SharedOptions
from smriti_es.version import __version__

_HELP = "A memory for agents: what was said goes into a hash-chained log, evidence comes out."
_SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "rich",
}

app = typer.Typer(
    name="smriti-es",
    help=_HELP,
    cls=CommandLine,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: smriti-es demo",
    **_SETTINGS | {"add_completion": True},
)
_extract = typer.Typer(help="Find facts in what was said.", **_SETTINGS)
_log = typer.Typer(
    help="The log itself: look at it, verify it, attest it, hand it on.", **_SETTINGS
)
_projections = typer.Typer(
    help="What is derived from the log: look, compare, rebuild.", **_SETTINGS
)
_embedder = typer.Typer(help="What makes vectors: look, switch to another.", **_SETTINGS)
_review = typer.Typer(help="What waits for an owner's word: look, approve, reject.", **_SETTINGS)
_quarantine = typer.Typer(help="What is withheld from every read, and until when.", **_SETTINGS)

_hold = typer.Typer(help="What must be kept, whoever would like it gone.", **_SETTINGS)
_retention = typer.Typer(help="How long things are kept.", **_SETTINGS)
_access = typer.Typer(help="Who comes in over a network: make, list, remove keys.", **_SETTINGS)
_serve = typer.Typer(help="Serve a memory to programs and agents.", **_SETTINGS)
_tenant = typer.Typer(help="The tenants in a database: list, create, move, destroy.", **_SETTINGS)


def _show_version(wanted: bool) -> None:  # noqa: FBT001  typer hands the value over like this
    if wanted:
        typer.echo(f"smriti-es {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
@with_option_groups
def _root(
    context: typer.Context,
    shared: SharedOptions,
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    del version
    remember_options(context, shared)
    _help_when_alone(context)


@_extract.callback(invoke_without_command=True)
@_log.callback(invoke_without_command=True)
@_projections.callback(invoke_without_command=True)
@_embedder.callback(invoke_without_command=True)
@_review.callback(invoke_without_command=True)
@_quarantine.callback(invoke_without_command=True)
@_hold.callback(invoke_without_command=True)
@_retention.callback(invoke_without_command=True)
@_tenant.callback(invoke_without_command=True)
@_access.callback(invoke_without_command=True)
@_serve.callback(invoke_without_command=True)
@with_option_groups
def _group(context: typer.Context, shared: SharedOptions) -> None:
    remember_options(context, shared)
    _help_when_alone(context)


def _help_when_alone(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


recording_verbs.add_verbs(app)
import_verb.add_verbs(app)
backup_verbs.add_verbs(app)
asking_verbs.add_verbs(app)
belief_verbs.add_verbs(app)
stating_verbs.add_verbs(app)
review_verbs.add_verbs(_review)
quarantine_verbs.add_verbs(_quarantine)
trust_verbs.add_verbs(app)
erasure_verbs.add_verbs(app)
keeping_verbs.add_hold_verbs(_hold)
keeping_verbs.add_retention_verbs(_retention)
tenant_verbs.add_verbs(_tenant)
access_verbs.add_verbs(_access)
serve_verbs.add_verbs(_serve)
extract_verbs.add_verbs(_extract)
listing_verbs.add_verbs(app)
log_verbs.add_verbs(_log)
attest_verbs.add_verbs(_log)
bundle_verbs.add_verbs(_log)
projection_verbs.add_verbs(_projections)
embedder_verbs.add_verbs(_embedder)
app.add_typer(_review, name="review")
app.add_typer(_quarantine, name="quarantine")
app.add_typer(_hold, name="hold")
app.add_typer(_retention, name="retention")
app.add_typer(_tenant, name="tenant")
app.add_typer(_access, name="access")
app.add_typer(_serve, name="serve")
app.add_typer(_extract, name="extract")
app.add_typer(_log, name="log")
app.add_typer(_projections, name="projections")
app.add_typer(_embedder, name="embedder")
status_verb.add_verbs(app)
doctor_verb.add_verbs(app)
data_flow_verb.add_verbs(app)
export_verb.add_verbs(app)
demo.add_verbs(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, and end the process with its exit code.

    Args:
        arguments: What follows the program's name; None: as the process was called.
    """
    for stream in (sys.stdout, sys.stderr):
        # A locale without the characters that were said must not make the answer fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(arguments, prog_name="smriti-es")
