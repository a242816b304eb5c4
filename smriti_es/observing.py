"""Sum up facts: one digest an entity, and one for each thing that is said often of a subject.

A digest is a fact of the kind `digest`, not an event type of its own: its predicate has one value
at a time, so a new one supersedes the old; `because` names the facts that it sums up, so that it
has their lineage; a stated end retires it; and `at`, `replay`, `diff` and `history` know it without
a line of code. Its value names the facts as they stood, not the text: by that, a digest of
unchanged facts is recognised and no model is asked, and two digests in the same words stay two.
The model's raw reply stands in its metadata, and so goes when the digest goes.
Source: decisions 19, 20 and 33.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, get_args

from smriti_es.arbitrating import digest_of
from smriti_es.beliefs import BeliefReader, Fact, FactFilter, FactStatus
from smriti_es.digest_groups import DigestGroup, Granularity, GroupKey, groups_of_size
from smriti_es.events.catalogue import FactAsserted, FactEnded
from smriti_es.events.catalogue.facts import DIGEST, NOBODY
from smriti_es.events.errors import InvalidInput, NotAllowed, NotFound, StorageBusy
from smriti_es.events.key_form import key_form
from smriti_es.fact_draft import FactDraft
from smriti_es.fact_verbs import FactVerbs
from smriti_es.fact_writing import AssertFacts
from smriti_es.opened import Opened
from smriti_es.projections.entities import Names, names_at
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.staleness import inputs_mark, inputs_of

if TYPE_CHECKING:
    from smriti_es.extraction.digest_writer import Digest, DigestWriter
    from smriti_es.guarded_adapters import GuardedWriter

# A model that is shown more than this names only some of it, and a digest must be whole.
FACTS_MAX: Final = 200
GRANULARITIES: Final[tuple[Granularity, ...]] = get_args(Granularity)


@dataclass(frozen=True, slots=True)
class Observed:
    """What `observe` did.

    Attributes:
        written: Positions of the new digests.
        ended: Positions of the digests that ended, since too few facts are left to sum up.
        unchanged: How many digests stand as they are, for which no model was asked.
        skipped: What was not summed up: the group in words, and why.
        head: Position of the last event of the log afterwards.
    """

    written: tuple[int, ...]
    ended: tuple[int, ...]
    unchanged: int
    skipped: tuple[tuple[str, str], ...]
    head: int


class Observing(FactVerbs):
    """The verb that sums up."""

    def observe(
        self,
        *,
        writer: "DigestWriter | None" = None,
        min_facts: int = 2,
        granularity: Sequence[Granularity] = GRANULARITIES,
        subject: str | None = None,
        progress: Progress = no_progress,
    ) -> Observed:
        """Bring the digests of the space that is written to up to date.

        Each digest is committed by itself; calling again after an error goes on where it broke off.
        Digests whose facts stand as they stood cost no call.

        Args:
            writer: Writes the sentences; totals are added up in code.
            min_facts: From how many facts that hold on a group is worth a digest, at least 1.
            granularity: Groups: all that is said of an `entity`; what is said of a subject with one
                `predicate`. Each scope is a group of its own.
            subject: Only groups of this entity, with its aliases; None: of every one.
            progress: Called with "observe", groups done and groups in all.

        Raises:
            InvalidInput: There is no writer, or an argument is out of range.
            ExtractionError: The model is out of reach; what was written before stays.
            StorageBusy: Somebody else observes, and would ask about the same facts.
            EgressRefused: The profile does not allow where the writer would send facts.
            NotAllowed: The engine was opened to read only.
        """
        if writer is None:
            raise InvalidInput(
                "observing needs a writer",
                hint="Give writer=DigestWriter(ChatModel(url, model)).",
                field="writer",
            )
        _refuse_strange(min_facts, granularity)
        opened = self._opened
        if opened.database.read_only:
            raise NotAllowed("the memory was opened to read only", hint="Open it to write.")
        guarded = opened.guarding.writer(writer)
        with opened.database.exclusive(f"observe-{opened.log.log}") as won:
            if not won:
                raise StorageBusy("somebody else observes this memory", hint="Wait for the end.")
            run = _Run(opened, guarded, min_facts)
            run.refresh(*self._groups(granularity, subject, min_facts), progress)
        opened.worker.wake()
        return run.result(self._opened.log.head)

    def _groups(
        self, granularity: Sequence[Granularity], subject: str | None, min_facts: int
    ) -> tuple[list[GroupKey], dict[GroupKey, Fact]]:
        """Read which groups there are, and the digests that stand."""
        space = self._opened.space
        with self._opened.database.read() as connection:
            reader = self._beliefs(connection, None, None)
            names = names_at(connection, reader.log, reader.tables.aliases)
            groups = groups_of_size(reader, space, names, granularity, min_facts)
            digests = {_key_of(digest, names): digest for digest in _digests(reader, space)}
        root = None if subject is None else names.root(key_form(subject))

        def wanted(key: GroupKey) -> bool:
            return root in (None, key.subject) and key.granularity in granularity

        return (
            [key for key in groups if wanted(key)],
            {key: digest for key, digest in digests.items() if wanted(key)},
        )


def _refuse_strange(min_facts: int, granularity: Sequence[str]) -> None:
    if min_facts < 1:
        raise InvalidInput(f"min_facts is {min_facts}; it must be at least 1", field="min_facts")
    strange = sorted(set(granularity) - set(GRANULARITIES))
    if isinstance(granularity, str) or strange or not granularity:
        raise InvalidInput(
            f"granularity is {granularity!r}",
            hint=f"Give a list out of {', '.join(GRANULARITIES)}.",
            field="granularity",
        )


def _key_of(digest: Fact, names: Names) -> GroupKey:
    root = names.root(key_form(digest.subject))
    return GroupKey(digest.space, root, digest.predicate, key_form(digest.scope))


def _digests(reader: BeliefReader, space: str) -> list[Fact]:
    wanted = FactFilter((space,), scopes=None, kinds=(DIGEST,))
    return reader.facts(wanted, statuses=(FactStatus.CURRENT, FactStatus.SCHEDULED))


@dataclass(slots=True)
class _Run:
    """One call of `observe`."""

    opened: Opened
    writer: "DigestWriter | GuardedWriter"
    min_facts: int
    written: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    unchanged: int = 0

    def result(self, head: int) -> Observed:
        return Observed(
            tuple(self.written), tuple(self.ended), self.unchanged, tuple(self.skipped), head
        )

    def refresh(
        self, keys: Sequence[GroupKey], standing: dict[GroupKey, Fact], progress: Progress
    ) -> None:
        """Write what is missing or stale, and end what cannot be written any more."""
        refreshed = set()
        for number, key in enumerate(keys):
            progress("observe", number, len(keys))
            if self._refresh_one(key, standing.get(key)):
                refreshed.add(key)
        progress("observe", len(keys), len(keys))
        self._end(each for key, each in standing.items() if key not in refreshed and each.stale)

    def _refresh_one(self, key: GroupKey, standing: Fact | None) -> bool:
        """Bring one digest up to date; gives whether there are facts enough for one.

        Only of a group that is to be written the facts are read, and one group at a time.
        """
        with self.opened.database.read() as connection:
            reader = self.opened.beliefs(connection, None, self.opened.clock())
            inputs = inputs_of(reader, key)
            if len(inputs) < self.min_facts:
                return False
            if standing is not None and standing.object == inputs_mark(inputs):
                self.unchanged += 1
                return True
            shown = [row.position for row in inputs[:FACTS_MAX]]
            names = names_at(connection, reader.log, reader.tables.aliases)
            group = DigestGroup.of(key, list(reader.by_position(shown).values()), names)
        if len(inputs) > FACTS_MAX:
            reason = f"{len(inputs)} facts; a digest sums up {FACTS_MAX} at most"
            self.skipped.append((group.label, reason))
        else:
            self._write(group, standing)
        return True

    def _write(self, group: DigestGroup, standing: Fact | None) -> None:
        digest = self.writer.write(group.label, [digest_of(fact) for fact in group.facts])
        if not digest.text:
            self.skipped.append((group.label, "the model wrote nothing"))
            return
        now = self.opened.clock()
        # A clock that was set back must not let an older digest follow a newer one.
        at = now if standing is None else max(now, standing.valid_from + 1)
        draft = FactDraft(self._event(group, digest, at))
        command = AssertFacts(self.opened.projector, [draft])
        try:
            self.opened.log.append(command, actor=self.opened.actor)
        except NotFound:
            self.skipped.append((group.label, "a fact of it was taken back meanwhile"))
            return
        if command.positions == [NOBODY]:
            # One of the same facts in the same microsecond: it has that one's id.
            self.skipped.append((group.label, "a digest of these facts was just taken back"))
            return
        self.written += command.positions

    def _event(self, group: DigestGroup, digest: "Digest", at: int) -> FactAsserted:
        return FactAsserted(
            origin=group.origin,
            fact="",
            space=self.opened.space,
            subject=group.name,
            predicate=group.key.predicate,
            object=group.mark,
            statement=digest.text,
            said_at=at,
            valid_from=at,
            scope=group.facts[0].scope,
            single=True,
            kind=DIGEST,
            because=tuple(sorted(fact.position for fact in group.facts)),
            source=self.writer.name,
            metadata={
                "model": self.writer.model,
                "prompt": self.writer.prompt_digest,
                "reply": digest.reply,
                **digest.usage,
            },
        )

    def _end(self, digests: Iterable[Fact]) -> None:
        """Say that digests hold no longer, which nothing replaces."""
        ending = sorted(digests, key=lambda fact: fact.position)
        now = self.opened.clock()
        ends = [
            (
                FactEnded(
                    space=digest.space,
                    subject=digest.subject,
                    predicate=digest.predicate,
                    object=digest.object,
                    scope=digest.scope,
                    valid_to=max(now, digest.valid_from + 1),
                    said_at=max(now, digest.valid_from + 1),
                    reason="too few facts are left to sum up",
                    source=self.writer.name,
                ),
                (digest.position,),
            )
            for digest in ending
        ]
        if ends:
            command = AssertFacts(self.opened.projector, (), ends=ends)
            self.opened.log.append(command, actor=self.opened.actor)
            self.ended += [digest.position for digest in ending]
