"""Check a bundle: it is what its manifest says, and its events lead to what was signed.

The same answer as verify_bundle.py gives, from other code: each is a check of the other.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from smriti_es.events.audit.attesting import SINCE, Comparison, read_checkpoint
from smriti_es.events.audit.bundle_chain import BundleChain
from smriti_es.events.audit.bundle_files import is_listed, lines_of, opened, small_file
from smriti_es.events.audit.layout import (
    CHECKPOINT,
    COMPRESSED,
    DERIVED,
    EVENTS,
    FORMAT,
    KNOWN,
    MANIFEST,
    MANIFEST_BYTES_MAX,
    NOTE_BYTES_MAX,
    PAYLOADS,
    VERIFIER,
    ListedFile,
    Manifest,
    format_page,
    verifier,
)
from smriti_es.events.audit.outcome import BundleCheck, Outcome
from smriti_es.events.audit.payload_lines import PayloadReader
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.errors import IntegrityError, NotFound, SchemaNewer
from smriti_es.events.header import HEADER_BYTES_MAX
from smriti_es.events.signed_note import NoteKey
from smriti_es.events.verification import FINDINGS_MAX, Finding

Progress = Callable[[str, int, int], None]
_PROGRESS_EVERY: Final = 1_000


def check_bundle(
    bundle: str | os.PathLike[str],
    *,
    keys: Sequence[NoteKey] = (),
    since: Sequence[bytes] = (),
    unsigned: bool = False,
    progress: Progress = lambda *_: None,
) -> BundleCheck:
    """Check a bundle, holding no more of it in memory than a line and where payloads are left out.

    Args:
        bundle: Its folder.
        keys: Keys of which one must have signed its checkpoint, and each older one.
        since: Older checkpoints, as they were kept elsewhere: the bundle must continue them.
        unsigned: Ask for no signature: what stands under none is a remark.
        progress: Called with "check", events done and in all.

    Returns:
        What was found; that a file is missing or cannot be read as one of a bundle is a finding.

    Raises:
        NotFound: There is no folder.
        MissingExtra: It is compressed, and zstandard is not installed.
        StorageUnavailable: A file cannot be read.
    """
    folder = Path(os.fspath(bundle))
    if not folder.is_dir():
        raise NotFound(f"there is no bundle at {folder}", hint="Name the folder of a bundle.")
    run = _Check(folder, keys, since, progress, outcome=Outcome(unsigned=unsigned))
    try:
        run.check()
    except IntegrityError as error:
        run.outcome.found(None, run.place, str(error))
    except SchemaNewer as error:
        run.outcome.incomplete.append(str(error))
    return run.result()


@dataclass(slots=True)
class _Check:
    """One check of one bundle.

    Attributes:
        place: What is being looked at.
    """

    folder: Path
    keys: Sequence[NoteKey]
    since: Sequence[bytes]
    progress: Progress
    place: str = MANIFEST
    outcome: Outcome = field(default_factory=Outcome)
    manifest: Manifest | None = None
    chain: BundleChain | None = None
    checkpoint: Checkpoint | None = None

    def check(self) -> None:
        """Check everything, as far as it can be read."""
        encoded = small_file(self.folder, MANIFEST, MANIFEST_BYTES_MAX)
        self.manifest = manifest = Manifest.of_bytes(encoded)
        self._check_files(manifest)
        if CHECKPOINT in manifest.files:
            self.place = CHECKPOINT
            note = small_file(self.folder, CHECKPOINT, NOTE_BYTES_MAX)
            self.checkpoint = read_checkpoint(note, self.keys, CHECKPOINT, self.outcome)
        self.place = SINCE
        older = [read_checkpoint(each, self.keys, SINCE, self.outcome) for each in self.since]
        self.place = EVENTS
        chain = self._follow(manifest, older)
        self.place = "proofs"
        compare = Comparison(self.folder, chain, self.checkpoint, self.outcome)
        compare.events()
        compare.older(older)

    def _check_files(self, manifest: Manifest) -> None:
        for name, listed in sorted(manifest.files.items()):
            try:
                if not is_listed(self.folder, name, listed):
                    self.outcome.found(None, name, "is not the file that the manifest lists")
            except IntegrityError as error:
                self.outcome.found(None, name, str(error))
        self._look_for_others(manifest)
        for name in sorted(DERIVED & set(manifest.files)):
            self.outcome.remarks.append(f"{name} is compared when the bundle is imported, not here")
        for name, own in ((FORMAT, format_page()), (VERIFIER, verifier())):
            if manifest.files[name] != ListedFile.of(own.read_bytes()):
                self.outcome.remarks.append(f"{name} is not the one that this release encloses")

    def _look_for_others(self, manifest: Manifest) -> None:
        present = {each.name.removesuffix(COMPRESSED) for each in self.folder.iterdir()}
        for name in sorted(present - set(manifest.files) - {MANIFEST}):
            if name in KNOWN:
                self.outcome.found(None, name, "is there, but the manifest does not list it")
            else:
                self.outcome.remarks.append(f"{name!r} is no file of the bundle")

    def _follow(self, manifest: Manifest, older: Sequence[Checkpoint]) -> BundleChain:
        sizes = {each.size for each in (self.checkpoint, *older) if each is not None}
        with opened(self.folder, EVENTS) as events, opened(self.folder, PAYLOADS) as payloads:
            self.chain = chain = BundleChain(manifest, PayloadReader(payloads), frozenset(sizes))
            for number, line in enumerate(lines_of(events, HEADER_BYTES_MAX)):
                chain.take(line)
                if number % _PROGRESS_EVERY == 0:
                    self.progress("check", number, manifest.events)
            chain.end()
        self.progress("check", manifest.events, manifest.events)
        return chain

    def result(self) -> BundleCheck:
        """Sum up."""
        outcome, chain, manifest = self.outcome, self.chain, self.manifest
        attested = None if self.checkpoint is None else self.checkpoint.size
        if chain is None or manifest is None:
            return BundleCheck(
                manifest,
                attested=attested,
                findings=tuple(outcome.findings),
                incomplete=tuple(outcome.incomplete),
                remarks=tuple(outcome.remarks),
            )
        every = [*chain.findings, *chain.payloads.findings, *outcome.findings]
        findings = sorted(every, key=_order)[:FINDINGS_MAX]
        return BundleCheck(
            manifest,
            chain.position - manifest.first,
            len(chain.disclosed),
            chain.withheld,
            chain.erased,
            chain.leaf.hex(),
            chain.root.hex(),
            attested,
            tuple(findings),
            (*chain.incomplete, *outcome.incomplete),
            tuple(outcome.remarks),
            tuple(sorted(chain.unknown)),
        )


def _order(finding: Finding) -> tuple[bool, int]:
    """Put what is wrong at a position first, in order, and what concerns the whole behind it."""
    return finding.position is None, finding.position or 0
