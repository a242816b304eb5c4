"""The verbs that attest the log: `log checkpoint`, `log prove`, `log keys`, `log restored`."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.screen import Screen, table
from smriti_es.events.errors import InvalidInput, NotFound, StorageUnavailable, WitnessError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from smriti_es.engine import Engine
    from smriti_es.events.checkpoint import Checkpoint
    from smriti_es.events.log_keys import LogKey
    from smriti_es.events.proofs import ConsistencyProof, InclusionProof

_STDIN = "-"


@dataclass(frozen=True, slots=True)
class CheckpointOptions:
    """What becomes of a checkpoint."""

    show: Annotated[
        bool, typer.Option("--show", help="Show the newest instead of signing another.")
    ] = False
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE", help="Write it to a file, too.", show_default=False),
    ] = None
    witness: Annotated[
        list[str] | None,
        typer.Option(
            "--witness",
            metavar="PLACE",
            help="Have it signed by a witness: a folder, or URL#KEY. May be repeated.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class ProofOptions:
    """What is proved."""

    since: Annotated[
        int | None,
        typer.Option(
            "--since",
            metavar="N",
            help="Prove that the log went on from its first N events.",
            show_default=False,
        ),
    ] = None
    header: Annotated[
        str | None,
        typer.Option(
            "--header",
            metavar="FILE",
            help="Write the event's header to a file: the proof is about those bytes.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class KeyOptions:
    """How another key takes over."""

    rotate: Annotated[
        bool, typer.Option("--rotate", help="Make a new key, endorsed by the one in force.")
    ] = False
    lost: Annotated[
        bool, typer.Option("--lost", help="The key in force is lost: nothing endorses the new one.")
    ] = False
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")] = ""


Position = Annotated[
    int | None, typer.Argument(metavar="POSITION", help="Which event.", show_default=False)
]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it stays in the log.")]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `log`."""
    verb(
        app,
        "checkpoint",
        "log checkpoint",
        "log checkpoint --out /mnt/usb/memory.checkpoint --witness /mnt/usb/witness",
    )(checkpoint)
    verb(app, "prove", "log prove 5 --header event.json", "log prove --since 7")(prove)
    verb(app, "keys", "log keys", 'log keys --rotate --reason "a new laptop"')(keys)
    verb(app, "restored", 'log restored --reason "the disk died; backup of May"')(restored)


def checkpoint(call: Invocation, options: CheckpointOptions) -> None:
    """Sign how far the log has come, and show that as a note which others can check."""
    failed: list[WitnessError] = []
    if options.show:
        with call.reading(embedder=False) as engine:
            made = _newest(engine)
    else:
        made = _signed(call, options.witness or (), failed)
    if options.out is not None:
        _write(options.out, str(made).encode())
    if call.screen.as_json:
        call.screen.json(_checkpoint_form(made))
    else:
        call.screen.verbatim(str(made).removesuffix("\n"))
    for each in failed[1:]:
        call.screen.note(f"{each}; {each.hint}")
    if failed:
        raise failed[0]
    if not options.show and options.out is None:
        call.screen.hint("Keep a copy where whoever can write to the database cannot: --out FILE.")


def _signed(call: Invocation, places: "Sequence[str]", failed: list[WitnessError]) -> "Checkpoint":
    """Sign a checkpoint, and have it signed by whoever can be reached."""
    witnesses = [_witness(place) for place in places]
    with progress_bar(call.screen) as progress, call.maintaining() as engine:
        made = engine.checkpoint(progress=progress)
        for each in witnesses:
            try:
                made = engine.witness(each)
            except WitnessError as error:
                failed.append(error)
    return made


def _newest(engine: "Engine") -> "Checkpoint":
    kept = engine.checkpoints()
    if not kept:
        raise NotFound("there is no checkpoint yet", hint="`smriti-es log checkpoint` makes one.")
    return kept[-1]


def _witness(place: str) -> Any:
    from smriti_es.witnesses import witness_at

    return witness_at(place)


def prove(call: Invocation, options: ProofOptions, *, position: Position = None) -> None:
    """Prove that an event stands in the log, or that the log went on from an older state."""
    if (position is None) == (options.since is None):
        raise InvalidInput(
            "either an event or --since is to be named", hint="log prove 5, or log prove --since 7."
        )
    with call.reading(embedder=False) as engine:
        proof: InclusionProof | ConsistencyProof
        if position is None:
            assert options.since is not None
            proof = engine.prove_consistency(options.since)
            form: dict[str, Any] = {"old_size": proof.old_size}
        else:
            proof = engine.prove(position)
            form = {"position": position, "header": proof.header.decode("ascii")}
            if options.header is not None:
                _write(options.header, proof.header)
    if call.screen.as_json:
        hashes = [each.hex() for each in proof.hashes]
        told = {"hashes": hashes, "checkpoint": _checkpoint_form(proof.checkpoint)}
        call.screen.json(form | told | {"proof": str(proof)})
    else:
        call.screen.verbatim(str(proof).removesuffix("\n"))


def keys(call: Invocation, options: KeyOptions) -> None:
    """Show which keys sign the checkpoints of the log, or let another take over."""
    if options.rotate:
        with call.maintaining() as engine:
            engine.rotate_key(lost=options.lost, reason=options.reason)
            found = engine.signing_keys()
    elif options.lost:
        raise InvalidInput("--lost says how --rotate is meant", hint="Give both.")
    else:
        with call.reading(embedder=False) as engine:
            found = engine.signing_keys()
    if call.screen.as_json:
        call.screen.json({"keys": [_key_form(each) for each in found]})
    else:
        _show_keys(call.screen, found)


def _show_keys(screen: Screen, found: "Sequence[LogKey]") -> None:
    if not found:
        screen.say("There is no key yet: the first checkpoint makes one.")
        return
    shown = table("since", "endorsed", "key", right=("since",), fixed=("key",))
    for each in found:
        endorsed = "first" if not each.previous else "yes" if each.is_endorsed else "NO"
        shown.add_row(str(each.position), endorsed, str(each.key))
    screen.show(shown)


def restored(call: Invocation, *, reason: Reason = "") -> None:
    """Record that an older state of the log was put back, and go on from there."""
    if not reason:
        raise InvalidInput(
            "what came later is lost for good, and the log is to say why", hint="Give --reason."
        )
    with progress_bar(call.screen) as progress, call.maintaining() as engine:
        position = engine.accept_restore(reason=reason)
        made = engine.checkpoint(progress=progress)
    if call.screen.as_json:
        call.screen.json({"position": position, "checkpoint": _checkpoint_form(made)})
    else:
        call.screen.say(f"Recorded at position {position}; the log goes on as {made.origin}.")


def read_checkpoint(file: str) -> bytes:
    """Read the checkpoint that is named on the command line; `-` is stdin.

    Raises:
        NotFound: There is no such file.
        StorageUnavailable: It cannot be read.
    """
    if file == _STDIN:
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except FileNotFoundError as error:
        raise NotFound(f"there is no file at {file}") from error
    except OSError as error:
        raise StorageUnavailable(f"{file} cannot be read: {error.strerror}") from error


def _write(file: str, content: bytes) -> None:
    try:
        Path(file).write_bytes(content)
    except OSError as error:
        raise StorageUnavailable(
            f"{file} cannot be written: {error.strerror}", hint="Name a file in a folder of yours."
        ) from error


def _checkpoint_form(checkpoint: "Checkpoint") -> dict[str, Any]:
    return {
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "root": checkpoint.root.hex(),
        "signatures": [each.name for each in checkpoint.note.signatures],
        "note": str(checkpoint),
    }


def _key_form(key: "LogKey") -> dict[str, Any]:
    return {
        "key": str(key.key),
        "position": key.position,
        "previous": key.previous,
        "endorsed": key.is_endorsed,
    }
