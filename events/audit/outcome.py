"""What a check of a bundle came to."""

from dataclasses import dataclass, field

from smriti_es.events.audit.layout import Manifest
from smriti_es.events.verification import FINDINGS_MAX, Finding


@dataclass(slots=True)
class Outcome:
    """What was found so far.

    Attributes:
        findings: What is wrong, at most a thousand.
        incomplete: What could not be checked, and why.
        remarks: What is worth knowing and no fault.
        unsigned: Whether no signature is asked for.
    """

    findings: list[Finding] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    unsigned: bool = False

    def unattested(self, what: str) -> None:
        """Note that something stands under no signature that was checked."""
        (self.remarks if self.unsigned else self.incomplete).append(what)

    def found(self, position: int | None, place: str, problem: str) -> None:
        """Note that something is wrong."""
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(Finding(position, place, problem))


@dataclass(frozen=True, slots=True)
class BundleCheck:
    """What a check of a bundle found.

    Attributes:
        manifest: What the bundle says that it holds; None where that cannot be read.
        events: How many events were read.
        disclosed: How many payloads it shows.
        withheld: How many it leaves out and says so.
        erased: How many a later event of it has erased.
        head: Leaf hash of its last event, 64 hex; empty where none could be read.
        root: Merkle root over all its events, 64 hex; empty where it begins within the log.
        attested: Size of the tree that its checkpoint signs; None without one.
        findings: What is wrong.
        incomplete: What could not be checked, and why.
        remarks: What is worth knowing and no fault.
        unknown: Event types, with version, that this release does not know.
    """

    manifest: Manifest | None = None
    events: int = 0
    disclosed: int = 0
    withheld: int = 0
    erased: int = 0
    head: str = ""
    root: str = ""
    attested: int | None = None
    findings: tuple[Finding, ...] = ()
    incomplete: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    unknown: tuple[tuple[str, int], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong and everything that was asked for could be checked."""
        return not (self.findings or self.incomplete)
