"""The event log of one tenant: append, read, head.

An append has three phases. What a model must do happens before, outside (the guard sees to it).
Then, under the lock of the head row: check the condition, decide, assign positions and time,
insert, fold inline projections, move the head. What may lag happens after. Source: design page on
events.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, select

from smriti_es.events import head_row, idempotency
from smriti_es.events.catalogue.event import Event, body_of, facets_of
from smriti_es.events.chain import leaf_hash
from smriti_es.events.commitment import KEY_BYTES, commitment
from smriti_es.events.database import Database, insert_rows, rows_are_new
from smriti_es.events.erasure import delete_noted, note_erased
from smriti_es.events.errors import ChainBroken, ConflictError, IntegrityError, InvalidInput
from smriti_es.events.group_commit import GroupCommit, SharedWrite
from smriti_es.events.guard import transaction_open
from smriti_es.events.header import Actor, Header, PayloadReference, decode_header, encode_header
from smriti_es.events.idempotency import Idempotency
from smriti_es.events.identifiers import ID_RANDOM_BYTES, Randomness, event_id
from smriti_es.events.records import (
    Append,
    Command,
    Commit,
    Inline,
    NewEvent,
    RecordedEvent,
    Transaction,
    decode_recorded,
)
from smriti_es.events.stored_tree import grow
from smriti_es.events.tables import event_table, payload_table

Clock = Callable[[], int]
READ_BATCH: Final = 2_000
EVENTS_PER_COMMIT_MAX: Final = 100_000
# Of each event: the key of its payload and the random part of its id.
_RANDOM_BYTES: Final = KEY_BYTES + ID_RANDOM_BYTES


@dataclass(slots=True)
class EventLog:
    """One tenant's append-only, hash-chained log.

    Attributes:
        database: Where it lies.
        log: Its number in that database.
        log_id: Its opaque id, 32 hex, in every header.
        clock: Gives microseconds since the epoch.
        randomness: Gives random bytes for payload keys and ids.
        inline: Folds the events of a commit into projections, in the same transaction.
        screen: Changes every event before it is written, for good; None: none is changed.
        settle_inline: Moves the checkpoints of projections once what was appended is folded.
        halted: Why nothing may be appended, or None.
        on_step: Told the name of each step of an append; crash tests stop there.
    """

    database: Database
    log: int
    log_id: str
    clock: Clock
    randomness: Randomness = os.urandom
    inline: Inline | None = None
    screen: Callable[[Event], Event] | None = None
    settle_inline: Callable[[Transaction], None] | None = None
    halted: IntegrityError | None = None
    on_step: Callable[[str], None] = field(default=lambda _: None)
    group: GroupCommit = field(init=False)

    def __post_init__(self) -> None:
        self.group = GroupCommit(self.database, self.log)

    def append(
        self,
        command: Command | Sequence[NewEvent],
        *,
        actor: Actor,
        expected: int | None = None,
        once: Idempotency | None = None,
    ) -> Commit:
        """Append events durably, all or none, visible only as a whole.

        Args:
            command: See `Append`.
            actor: See `Append`.
            expected: See `Append`.
            once: See `Append`.

        Returns:
            Where the events lie; or the first result, `replayed`, for a repeated request.

        Raises:
            ConflictError: The head is not at `expected`.
            IdempotencyConflict: The key was used for another request.
            StorageError: The database could not take it.

        In every case of an error nothing was written.
        """
        request = Append(command, actor, expected, once)
        commit = self.group.run(partial(self._append_request, request))
        self.on_step("committed")
        return commit

    def append_all(self, requests: Sequence[Append]) -> list[Commit | Exception]:
        """Append several requests, each a commit of its own, in few flushes to disk.

        Returns:
            One entry per request: its commit, or why it was not written.
        """
        return self.group.run_all([partial(self._append_request, request) for request in requests])

    @property
    def head(self) -> int:
        """Position of the last event; -1 when the log is empty."""
        with self.database.read() as connection:
            return self.size(connection) - 1

    def size(self, connection: Connection) -> int:
        """Count the events, in the snapshot of `connection`."""
        size = head_row.size_of(connection, self.log)
        if size is None:
            raise self._without_head()
        return size

    def read(
        self,
        start: int = 0,
        stop: int | None = None,
        *,
        connection: Connection | None = None,
    ) -> Iterator[RecordedEvent]:
        """Read events in order.

        Args:
            start: Position of the first.
            stop: Position after the last; None: up to the head.
            connection: A snapshot to read in; None: each batch in a snapshot of its own.

        Yields:
            The events from `start` up to `stop`, in today's form.

        Raises:
            InvalidInput: `start` is negative.
            IntegrityError: A stored event is missing or cannot be read.
            SchemaNewer: An event comes from a later release.
        """
        if start < 0:
            raise InvalidInput(f"positions begin at 0, not at {start}")
        while stop is None or start < stop:
            limit = READ_BATCH if stop is None else min(READ_BATCH, stop - start)
            rows = self.read_rows(start, limit, connection)
            for position, row in enumerate(rows, start):
                assert_in_order((row,), position)
                yield decode_recorded(row.header, row.leaf, row.body)
            if len(rows) < limit:
                return
            start += limit

    def read_rows(self, start: int, limit: int, connection: Connection | None) -> Sequence[Any]:
        """Read stored rows as they are, with payload key and body (None where there is none)."""
        joined = event_table.outerjoin(
            payload_table,
            (payload_table.c.log == event_table.c.log)
            & (payload_table.c.position == event_table.c.position),
        )
        statement = (
            select(
                event_table.c.position,
                event_table.c.type,
                event_table.c.known,
                event_table.c.leaf,
                event_table.c.header,
                payload_table.c.key,
                payload_table.c.body,
            )
            .select_from(joined)
            .where(event_table.c.log == self.log, event_table.c.position >= start)
            .order_by(event_table.c.position)
            .limit(limit)
        )
        if connection is not None:
            return connection.execute(statement).all()
        with self.database.read() as snapshot:
            return snapshot.execute(statement).all()

    def assert_whole(self, start: int) -> None:
        """Refuse a log whose head row counts an event at `start` that is not there.

        Raises:
            ChainBroken: It does.
        """
        with self.database.read() as snapshot:
            if self.size(snapshot) > start and not self.read_rows(start, 1, snapshot):
                raise _missing(start, None)

    def going_on(self) -> "EventLog":
        """Give the same log to whoever may append to it though it is halted."""
        return replace(self, halted=None)

    def _append_request(
        self, request: Append, connection: Connection, shared: SharedWrite | None
    ) -> Commit:
        return self.append_within(connection, request, shared)

    def append_within(
        self, connection: Connection, request: Append, shared: SharedWrite | None = None
    ) -> Commit:
        """Append inside a write transaction that the caller has opened (see `append`).

        Args:
            connection: The write transaction.
            request: What to append.
            shared: What appends before it in the same transaction left behind; the head row is then
                written once, when they are all done.
        """
        if self.halted is not None:
            raise self.halted.with_traceback(None)
        transaction = self._open_head(connection, shared)
        macs = None
        if request.once is not None:
            macs = idempotency.macs_of(connection, self.log, request.once)
            if (first := idempotency.find(connection, self.log, macs)) is not None:
                return self._earlier(connection, first)
        self._check_expected(transaction, request.expected)
        with transaction_open():
            news = request.command(transaction) if callable(request.command) else request.command
            if not news:
                return Commit(transaction.size, 0, transaction.known)
            if self.screen is not None:
                news = [replace(new, event=self.screen(new.event)) for new in news]
            self.on_step("decided")
            recorded = self._insert(transaction, news, request.actor, macs)
            note_erased(transaction, recorded)
            if self.inline is not None:
                self.inline(transaction, recorded)
                self.on_step("projected")
        commit = Commit(transaction.size, len(recorded), transaction.known, events=tuple(recorded))
        leaves = [each.leaf for each in recorded]
        tree = grow(connection, self.log, transaction.tree, leaves)
        after = replace(transaction, size=tree.size, leaf=leaves[-1], tree=tree)
        self._leave_head(after, shared)
        return commit

    def _open_head(self, connection: Connection, shared: SharedWrite | None) -> Transaction:
        """Lock the head row, or go on from where the append before it stopped."""
        before: Transaction | None = None if shared is None else shared.heads.get(self.log)
        if before is None:
            return self._lock_head(connection, together=shared is not None)
        return replace(before, known=max(self.clock(), before.known + 1))

    def _leave_head(self, after: Transaction, shared: SharedWrite | None) -> None:
        if shared is None:
            self._settle(after)
        else:
            shared.heads[self.log] = after
            shared.settling[self.log] = partial(self._settle, after)

    def _settle(self, after: Transaction) -> None:
        """Move checkpoints and head to where one append, or several, have come; delete payloads."""
        if self.settle_inline is not None:
            self.settle_inline(after)
        delete_noted(after)
        head_row.move(after)
        self.on_step("head moved")

    def _lock_head(self, connection: Connection, *, together: bool = False) -> Transaction:
        found = head_row.lock(connection, self.log, together=together)
        if found is None:
            raise self._without_head()
        self.on_step("head locked")
        # Strictly rising, also when the wall clock steps back: an as-of read never sees half a
        # commit.
        return replace(found, known=max(self.clock(), found.known + 1))

    def _without_head(self) -> IntegrityError:
        return IntegrityError(f"the head row of log {self.log_id} is gone")

    def _check_expected(self, transaction: Transaction, expected: int | None) -> None:
        if expected is not None and expected != transaction.size - 1:
            raise ConflictError(
                f"expected the head at position {expected}, found it at {transaction.size - 1}",
                expected=expected,
                found=transaction.size - 1,
            )

    def _earlier(self, connection: Connection, first: int) -> Commit:
        statement = select(event_table.c.header).where(
            event_table.c.log == self.log, event_table.c.position == first
        )
        header = decode_header(connection.execute(statement).scalar_one())
        return Commit(header.commit[0], header.commit[1], header.known, replayed=True)

    def _insert(
        self,
        transaction: Transaction,
        news: Sequence[NewEvent],
        actor: Actor,
        macs: idempotency.IdempotencyMacs | None,
    ) -> list[RecordedEvent]:
        if len(news) > EVENTS_PER_COMMIT_MAX:
            raise InvalidInput(
                f"a commit of {len(news)} events; the limit is {EVENTS_PER_COMMIT_MAX}",
                hint="Append in several commits.",
            )
        recorded: list[RecordedEvent] = []
        event_rows, payload_rows = [], []
        previous = transaction.leaf
        commit = (transaction.size, len(news))
        # Asked for once: each call of the operating system costs as much as a hash.
        random = self.randomness(_RANDOM_BYTES * len(news))
        for index, new in enumerate(news):
            start = index * _RANDOM_BYTES
            key = random[start : start + KEY_BYTES]
            body = body_of(new.event, macs.reserved if macs is not None and index == 0 else None)
            header = Header(
                self.log_id,
                transaction.size + index,
                previous.hex(),
                event_id(transaction.known, random[start + KEY_BYTES : start + _RANDOM_BYTES]),
                commit,
                new.event.TYPE,
                new.event.VERSION,
                transaction.known,
                new.actor or actor,
                new.refs,
                facets_of(new.event),
                PayloadReference(len(body), commitment(key, body)),
            )
            encoded = encode_header(header)
            previous = leaf_hash(encoded)
            event_rows.append(
                (self.log, header.position, header.type, header.known, previous, encoded)
            )
            payload_rows.append((self.log, header.position, key, body))
            recorded.append(RecordedEvent(header, previous, new.event))
        connection = transaction.connection
        with rows_are_new(f"a row beyond the head of the log, position {transaction.size - 1},"):
            insert_rows(connection, event_table, event_rows)
            self.on_step("events inserted")
            insert_rows(connection, payload_table, payload_rows)
            self.on_step("payloads inserted")
            if macs is not None:
                idempotency.remember(connection, self.log, macs, transaction.size)
        return recorded


def assert_in_order(rows: Sequence[Any], start: int) -> None:
    """Refuse stored rows that do not follow each other from `start` on.

    Raises:
        ChainBroken: One is missing.
    """
    for position, row in enumerate(rows, start):
        if row.position != position:
            raise _missing(position, row.position)


def _missing(position: int, found: int | None) -> ChainBroken:
    return ChainBroken(
        f"the event at position {position} is missing", position=position, found=found
    )
