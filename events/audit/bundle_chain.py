"""Follow the events of a bundle from header to header, with what it shows and withholds of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from smriti_es.events.audit.layout import EVENTS, MANIFEST, PAYLOADS, Manifest
from smriti_es.events.audit.payload_lines import PayloadReader
from smriti_es.events.catalogue import Erased, LogOpened, LogRestored
from smriti_es.events.chain import leaf_hash
from smriti_es.events.commitment import matches
from smriti_es.events.errors import IntegrityError, SchemaNewer
from smriti_es.events.header import GENESIS_PREVIOUS, Header, decode_header
from smriti_es.events.merkle_tree import EMPTY_ROOT, CompactRange
from smriti_es.events.position_runs import PositionRuns, runs_of
from smriti_es.events.upcast import is_known
from smriti_es.events.verification import FINDINGS_MAX, Finding


@dataclass(slots=True)
class BundleChain:
    """The events of a bundle, as far as they were read.

    Attributes:
        manifest: What the bundle says that it holds.
        payloads: What it shows of their content.
        sizes: Tree sizes of which the root will be asked for.
        position: Position of the next event.
        leaf: Leaf hash of the last one; empty before the first.
        roots: Size of a tree -> its root, where a bundle begins with the log.
        findings: What is wrong, at most a thousand.
        incomplete: What cannot be checked by this release.
        unknown: Types and versions that this release does not know.
        disclosed: Positions of payloads that are shown.
        withheld: How many events are declared withheld.
        erased: How many payloads of the bundle a later event of it erased.
        restored: Positions of the events that gave the log another identity.
    """

    manifest: Manifest
    payloads: PayloadReader
    sizes: frozenset[int]
    position: int = field(init=False)
    leaf: bytes = b""
    roots: dict[int, bytes] = field(default_factory=lambda: {0: EMPTY_ROOT})
    findings: list[Finding] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    unknown: set[tuple[str, int]] = field(default_factory=set)
    disclosed: PositionRuns = field(default_factory=PositionRuns)
    withheld: int = 0
    erased: int = 0
    restored: list[int] = field(default_factory=list)
    _tree: CompactRange = field(default_factory=CompactRange)
    _known: int = -1
    _commit: tuple[int, int] = field(init=False)
    _gap: bool = False
    # Payloads that are not there, until an event says that it erased them.
    _missing: PositionRuns = field(default_factory=PositionRuns)
    _declared: PositionRuns = field(init=False)

    def __post_init__(self) -> None:
        self.position = self.manifest.first
        self._commit = (self.manifest.first, 0)
        self._declared = PositionRuns(list(self.manifest.withheld))

    def take(self, encoded: bytes) -> Header | None:
        """Check the next header; give it, unless it cannot be read."""
        leaf, header = leaf_hash(encoded), None
        try:
            header = decode_header(encoded)
        except IntegrityError as error:
            self._found(EVENTS, str(error))
        except SchemaNewer as error:
            self.incomplete.append(f"position {self.position}: {error}")
            self.payloads.at(self.position)
            self._gap = True
        else:
            self._take(header)
        if self.manifest.first == 0:
            self._tree = self._tree.extend([leaf])
            if self._tree.size in self.sizes:
                self.roots[self._tree.size] = self._tree.root()
        self.leaf, self.position = leaf, self.position + 1
        return header

    @property
    def root(self) -> bytes:
        """Root over all events; empty where the bundle does not begin with the log."""
        return self._tree.root() if self.manifest.first == 0 else b""

    def _take(self, header: Header) -> None:
        if not is_known(header.type, header.version):
            self.unknown.add((header.type, header.version))
        if self._gap:
            self._resume(header)
        problems = [*self._link_problems(header), *self._commit_problems(header)]
        for problem in problems:
            self._found(EVENTS, problem)
        self._take_payload(header)
        self._known, self._commit = header.known, header.commit

    def _resume(self, header: Header) -> None:
        """Take commits up again behind events that this release cannot read."""
        first, _ = header.commit
        begun = first < header.position
        self._gap = False
        self._known = header.known if begun else header.known - 1
        self._commit = header.commit if begun else (header.position, 0)

    def _link_problems(self, header: Header) -> Iterator[str]:
        previous = self.leaf.hex() if self.leaf else GENESIS_PREVIOUS
        begins_within = not self.leaf and self.manifest.first > 0
        if header.previous != previous and not begins_within:
            yield "does not link to the event before it"
        if header.log != self.manifest.log:
            yield f"belongs to log {header.log}"
        if header.position != self.position:
            yield f"says that it stands at position {header.position}"
        if self.position == 0 and header.type != LogOpened.TYPE:
            yield "the log does not begin with LogOpened"

    def _commit_problems(self, header: Header) -> Iterator[str]:
        first, count = header.commit
        if header.commit == self._commit:
            if header.known != self._known:
                yield "known differs within its commit"
            if header.position >= first + count:
                yield "lies beyond its commit"
            return
        if first != header.position:
            yield "does not begin its commit"
        if sum(self._commit) != header.position:
            yield "begins before the commit before it ends"
        if header.known <= self._known:
            yield "known does not rise"

    def _take_payload(self, header: Header) -> None:
        at, shown = self.position, self.payloads.at(self.position)
        declared = at in self._declared
        self.withheld += declared
        if declared and (header.payload is None or shown is not None):
            self._found(MANIFEST, "is declared withheld, but there is nothing to withhold")
        if shown is not None:
            self.disclosed.append(at)
            if header.payload is None:
                self._found(PAYLOADS, "was added: the header names none")
            elif len(shown.body) != header.payload.size or not matches(
                header.payload.commitment, shown.key, shown.body
            ):
                self._found(PAYLOADS, "is not what the header commits to")
        elif header.payload is not None and not declared:
            self._missing.append(at)
        if header.type == LogRestored.TYPE:
            self.restored.append(at)
        if header.type == Erased.TYPE:
            self._erase(header)

    def _erase(self, header: Header) -> None:
        runs = runs_of(header.facets.get("ranges"), 0, self.position)
        if runs is None:
            self._found(EVENTS, "does not say which positions it erased")
            return
        for first, last in runs:
            self.erased += self._missing.remove(first, last)
            for kept, place in ((self.disclosed, PAYLOADS), (self._declared, MANIFEST)):
                if (still := kept.first_in(first, last)) is not None:
                    problem = f"is still there, though position {self.position} erased it"
                    self._note([Finding(still, place, problem)])

    def end(self) -> None:
        """Check what can only be told behind the last event."""
        self.payloads.end()
        if self.position != self.manifest.stop:
            self._found(EVENTS, f"the bundle should end before position {self.manifest.stop}")
        if sum(self._commit) != self.position and not self._gap:
            self._found(EVENTS, "the last commit is not whole")
        for first, last in self._missing.runs:
            to = "" if first == last else f", and so are all up to {last}"
            problem = f"is missing: neither disclosed nor withheld nor erased{to}"
            self._note([Finding(first, PAYLOADS, problem)])

    def _found(self, place: str, problem: str) -> None:
        self._note([Finding(self.position, place, problem)])

    def _note(self, findings: Iterable[Finding]) -> None:
        self.findings.extend(findings)
        del self.findings[FINDINGS_MAX:]
