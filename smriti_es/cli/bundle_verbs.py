"""The verbs about bundles of the log: `log export`, `log import`, `log verify-bundle`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from smriti_es.cli.attest_verbs import read_checkpoint
from smriti_es.cli.exit_codes import FINDINGS, INCOMPLETE
from smriti_es.cli.findings import show_findings
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.events.errors import InvalidInput
from smriti_es.forms.json_forms import bundle_form, exported_form, imported_form

if TYPE_CHECKING:
    from smriti_es.audit_verbs import Disclosed
    from smriti_es.cli.screen import Screen
    from smriti_es.events.audit.outcome import BundleCheck
    from smriti_es.events.signed_note import NoteKey

_RANGE: Final = re.compile(r"([0-9]{1,16})(?:-([0-9]{1,16}))?")

NewFolder = Annotated[str, typer.Argument(metavar="NEW", help="The folder to make.")]
Bundle = Annotated[str, typer.Argument(metavar="BUNDLE", help="The folder of the bundle.")]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")]
Unsigned = Annotated[
    bool, typer.Option("--unsigned", help="Be content with the chain: ask for no signature.")
]


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What of the log is exported, and what it shows."""

    first: Annotated[
        int, typer.Option("--first", metavar="POSITION", help="Begin at this event's commit.")
    ] = 0
    last: Annotated[
        int | None,
        typer.Option("--last", metavar="POSITION", help="End with this event's commit."),
    ] = None
    position: Annotated[
        list[str] | None,
        typer.Option("--position", metavar="N[-M]", help="Show the content of these alone."),
    ] = None
    session: Annotated[
        list[str] | None,
        typer.Option("--session", metavar="NAME", help="Show the content of this session alone."),
    ] = None
    type: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="TYPE", help="Show the content of such events alone."),
    ] = None
    no_content: Annotated[
        bool, typer.Option("--no-content", help="Show no content, only the chain.")
    ] = False
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="FILE", help="Prove that it continues this checkpoint."),
    ] = None
    derived: Annotated[
        bool, typer.Option("--derived", help="Also write facts, revisions and fingerprints.")
    ] = False
    compress: Annotated[
        bool, typer.Option("--compress", help="Compress the large files with zstd.")
    ] = False


@dataclass(frozen=True, slots=True)
class TrustOptions:
    """What a bundle is compared with."""

    key: Annotated[
        list[str] | None,
        typer.Option("--key", metavar="VKEY", help="A key that must have signed, or its file."),
    ] = None
    since: Annotated[
        list[str] | None,
        typer.Option("--since", metavar="FILE", help="An older checkpoint that it continues."),
    ] = None


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `log`."""
    verb(app, "export", "log export audit", "log export audit --no-content", "log export a --json")(
        export
    )
    verb(app, "import", "log import audit --db copy.db", "log import audit --tenant bob --json")(
        import_
    )
    verb(app, "verify-bundle", "log verify-bundle audit --key log.vkey")(verify_bundle)


def export(call: Invocation, new: NewFolder, options: ExportOptions) -> None:
    """Write the log as a bundle that anybody can check."""
    disclose = _disclosed(options)
    with (
        progress_bar(call.screen) as progress,
        call.reading(embedder=False, timezone="UTC") as engine,
    ):
        exported = engine.export_audit(
            new,
            first=options.first,
            last=options.last,
            disclose="none" if options.no_content else disclose or "all",
            since=None if options.since is None else read_checkpoint(options.since),
            derived=options.derived,
            compress=options.compress,
            progress=progress,
        )
    if call.screen.as_json:
        call.screen.json(exported_form(exported))
        return
    last = exported.first + exported.events - 1
    call.screen.say(f"Exported positions {exported.first} to {last} to {exported.path}.", "green")
    if exported.withheld:
        call.screen.say(
            f"The content of {exported.withheld:,} of them is withheld, and said to be."
        )
    call.screen.hint(f"Whoever receives it can check it: `smriti-es log verify-bundle {new}`.")


def _disclosed(options: ExportOptions) -> "Disclosed | None":
    from smriti_es.audit_verbs import Disclosed

    if not (options.position or options.session or options.type):
        return None
    if options.no_content:
        raise InvalidInput(
            "--no-content goes with none of --position, --session and --type",
            hint="Leave one of them out.",
        )
    return Disclosed(
        [_range(each) for each in options.position or ()],
        options.session or (),
        options.type or (),
    )


def _range(text: str) -> tuple[int, int]:
    form = _RANGE.fullmatch(text)
    if form is None:
        raise InvalidInput(f"--position is {text!r}", hint="Write it as in 7, or 7-12.")
    return int(form[1]), int(form[2] or form[1])


def import_(call: Invocation, bundle: Bundle, trust: TrustOptions, *, reason: Reason = "") -> None:
    """Take a log over from a bundle into a memory, and go on with it there."""
    from smriti_es.audit_import import import_audit

    keys, since = _keys(trust.key), list(map(read_checkpoint, trust.since or ()))
    with progress_bar(call.screen) as progress:
        imported = import_audit(
            bundle,
            call.chosen.db,
            tenant=call.chosen.tenant,
            keys=keys,
            since=since,
            reason=reason,
            progress=progress,
        )
    if call.screen.as_json:
        call.screen.json(imported_form(imported))
    else:
        call.screen.say(
            f"Imported {imported.events:,} events into {call.chosen.db} as tenant "
            f"{imported.tenant}; the log goes on at position {imported.head}.",
            "green",
        )
        for each in imported.checked.incomplete:
            call.screen.note(f"not checked: {each}")
    if not imported.verified.ok:
        call.screen.hint("`smriti-es log verify` tells what is wrong with what was imported.")
        raise typer.Exit(FINDINGS)


def verify_bundle(
    call: Invocation, bundle: Bundle, trust: TrustOptions, *, unsigned: Unsigned = False
) -> None:
    """Check a bundle: its chain, its content, and what was signed of it."""
    from smriti_es.events.audit.checking import check_bundle

    keys, since = _keys(trust.key), list(map(read_checkpoint, trust.since or ()))
    with progress_bar(call.screen) as progress:
        checked = check_bundle(
            Path(bundle), keys=keys, since=since, unsigned=unsigned, progress=progress
        )
    if call.screen.as_json:
        call.screen.json(bundle_form(checked))
    else:
        _show_check(call.screen, checked)
    if not checked.ok:
        raise typer.Exit(FINDINGS if checked.findings else INCOMPLETE)


def _show_check(screen: "Screen", checked: "BundleCheck") -> None:
    if checked.findings:
        show_findings(screen, "The bundle is NOT what it says", checked.findings, "bundle")
    elif checked.ok:
        screen.say(f"The bundle is what it says: {_held(checked)}.", "green")
    else:
        screen.say(
            f"Nothing is wrong with the bundle, as far as it could be checked: {_held(checked)}."
        )
    for each in checked.incomplete:
        screen.say(f"not checked: {each}", "yellow")
    for each in checked.remarks:
        screen.note(each)
    if checked.unknown:
        named = ", ".join(f"{kind} version {version}" for kind, version in checked.unknown)
        screen.note(f"it holds events that this release does not know: {named}")


def _held(checked: "BundleCheck") -> str:
    first = 0 if checked.manifest is None else checked.manifest.first
    parts = [f"positions {first} to {first + checked.events - 1}"] if checked.events else []
    parts += [f"{checked.disclosed:,} with their content"]
    for count, what in ((checked.withheld, "withheld"), (checked.erased, "erased")):
        parts += [f"{count:,} {what}"] if count else []
    if checked.attested is not None:
        parts.append(f"under a checkpoint of {checked.attested:,} events")
    return ", ".join(parts)


def _keys(named: Sequence[str] | None) -> "list[NoteKey]":
    from smriti_es.events.signed_note import NoteKey

    texts = (
        Path(each).read_text("utf-8") if Path(each).is_file() else each for each in named or ()
    )
    return [NoteKey.parse(text) for text in texts]
