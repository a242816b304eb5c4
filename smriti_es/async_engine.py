"""The engine for hosts that run on asyncio: the same verbs, each awaited.

A database call blocks, and so do hashing, ranking and embedding; so each verb runs in a thread.
What a verb is stands once, in `Engine`: here it is only named.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from functools import update_wrapper
from types import TracebackType
from typing import Any, Final, Generic, ParamSpec, Self, TypeVar

from smriti_es.async_calls import ThreadCalls, awaited
from smriti_es.belief_changes import BeliefChange
from smriti_es.blast_radius import BlastRadius, Named
from smriti_es.captured import TimeGiven
from smriti_es.engine import Engine
from smriti_es.events.records import RecordedEvent
from smriti_es.replaying import Replay
from smriti_es.trust_of_then import Trust
from smriti_es.view import View

_P = ParamSpec("_P")
_O = TypeVar("_O", bound="_ClosedOnExit")
# Whatever is in memory has one connection, which serves one thread at a time.
_IN_MEMORY: Final = ":memory:"


class _ClosedOnExit:
    """Closes itself at the end of an `async with` block."""

    async def close(self) -> None:
        """Give back what is held."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class Opening(Generic[_O]):
    """What is being opened: `await` it, or open it for an `async with` block."""

    def __init__(self, begin: Callable[[], Coroutine[Any, Any, _O]]) -> None:
        self._begin = begin
        self._opened: _O | None = None

    def __await__(self) -> Generator[Any, Any, _O]:
        return self._begin().__await__()

    async def __aenter__(self) -> _O:
        self._opened = await self._begin()
        return self._opened

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._opened is not None
        await self._opened.close()


def _opened_by(open_engine: Callable[_P, Engine]) -> Callable[_P, "Opening[AsyncEngine]"]:
    """Give the twin of `Engine.open`, with the same arguments."""

    def open_async(*args: _P.args, **kwargs: _P.kwargs) -> "Opening[AsyncEngine]":
        async def begin() -> AsyncEngine:
            calls = ThreadCalls("the memory", 1)
            try:
                return AsyncEngine(await calls.run_opening(open_engine, *args, **kwargs))
            finally:
                calls.dismiss()

        return Opening(begin)

    return update_wrapper(open_async, open_engine)


class AsyncView:
    """Everything that can be asked of a memory without changing it, awaited (see `View`)."""

    def __init__(self, view: View, calls: ThreadCalls) -> None:
        self._view = view
        self._calls = calls

    @property
    def _over(self) -> View:
        return self._view

    @property
    def head(self) -> Coroutine[Any, Any, int]:
        """Position of the last event that is known here, to be awaited."""
        return self._calls.run(lambda: self._view.head)

    @property
    def provisional(self) -> bool:
        """Whether this is a view of a time to which commits still to come may belong."""
        return self._view.provisional

    @property
    def timezone(self) -> str:
        """IANA name of the zone in which times without an offset are meant."""
        return self._view.timezone

    @property
    def single_valued(self) -> tuple[str, ...]:
        """Predicates that hold one value at a time, as this memory was founded with."""
        return self._view.single_valued

    def events(
        self, start: int = 0, stop: int | None = None, *, verified: bool = False
    ) -> AsyncIterator[RecordedEvent]:
        """Read the log itself, as `View.events`, 64 events at a time as they are asked for."""
        return self._calls.iterate(lambda: self._view.events(start, stop, verified=verified))

    context = awaited(View.context)
    diff = awaited(View.diff)
    explain = awaited(View.explain)
    facts = awaited(View.facts)
    history = awaited(View.history)
    names_of = awaited(View.names_of)
    search = awaited(View.search)
    sessions = awaited(View.sessions)
    turns = awaited(View.turns)
    world_time = awaited(View.world_time)


class AsyncReplay(AsyncView, _ClosedOnExit):
    """A memory in memory, folded from the log up to a moment (see `Replay`); close it after use.

    Attributes:
        without: What was left out of a counterfactual one; empty in any other.
        changes: How beliefs differ there from what was believed with it; none in any other.
    """

    def __init__(self, replay: Replay) -> None:
        super().__init__(replay, ThreadCalls("the replay", 1))
        self._replay = replay
        self.without: BlastRadius = replay.without
        self.changes: tuple[BeliefChange, ...] = replay.changes

    async def close(self) -> None:
        """Give the memory back, when the calls that run have ended."""
        await self._calls.close(self._replay.close)


class AsyncEngine(AsyncView, _ClosedOnExit):
    """A memory for a host that runs on asyncio: every verb of `Engine`, awaited.

    `async with AsyncEngine.open(...) as engine`, with the arguments of `Engine.open`; or `await` it
    and `close` it. Arguments, results and errors are those of `Engine`. `head` and `trust` are
    awaited, too; `at` and `replay` give views whose reads are awaited; `events` is iterated with
    `async for`.

    Calls run in `Settings.async_threads` threads of its own; more than that wait their turn. A
    memory in memory has one thread. `progress`, `measure` and adapters of yours (an embedder, an
    extractor) are called in those threads, with the context variables of whoever called the verb.

    Cancelling: a call that waits its turn is never made. One that has begun is not broken off: each
    commit of it takes place whole or fails whole, and nobody is told which. Ask the memory, or call
    again with the same `idempotency_key`. `close` lets such calls end.

    Args:
        engine: An open engine; it is closed with this one.
    """

    def __init__(self, engine: Engine) -> None:
        opened = engine._opened
        in_memory = opened.database.location == _IN_MEMORY
        threads = 1 if in_memory else opened.settings.async_threads
        super().__init__(engine, ThreadCalls(opened.database.location, threads))
        self._engine = engine

    open = staticmethod(_opened_by(Engine.open))

    @property
    def _over(self) -> Engine:
        return self._engine

    @property
    def trust(self) -> Coroutine[Any, Any, str]:
        """Name of the profile of trust that holds in this memory, to be awaited."""
        return self._calls.run(lambda: self._engine.trust)

    async def close(self) -> None:
        """Take no more calls, let those that were made end, then close; calling again is fine."""
        await self._calls.close(self._engine.close)

    async def at(self, known_at: int | TimeGiven, *, trust: Trust = "today") -> AsyncView:
        """Give a view of what was known at a time, or at a position (see `Engine.at`)."""
        return AsyncView(await self._calls.run(self._engine.at, known_at, trust=trust), self._calls)

    def replay(
        self, known_at: int | TimeGiven, *, without: Named | None = None, trust: Trust = "today"
    ) -> Opening[AsyncReplay]:
        """Fold the log up to a time into a memory of its own (see `Engine.replay`).

        `async with engine.replay(...) as replay`, or `await` it and `close` it.
        """

        async def begin() -> AsyncReplay:
            replayed = self._calls.run_opening(
                self._engine.replay, known_at, without=without, trust=trust
            )
            return AsyncReplay(await replayed)

        return Opening(begin)

    accept_restore = awaited(Engine.accept_restore)
    add = awaited(Engine.add)
    add_many = awaited(Engine.add_many)
    alias = awaited(Engine.alias)
    approve = awaited(Engine.approve)
    assert_fact = awaited(Engine.assert_fact)
    change_trust = awaited(Engine.change_trust)
    check = awaited(Engine.check)
    checkpoint = awaited(Engine.checkpoint)
    checkpoints = awaited(Engine.checkpoints)
    describe_data_flow = awaited(Engine.describe_data_flow)
    doctor = awaited(Engine.doctor)
    edit = awaited(Engine.edit)
    embedder_state = awaited(Engine.embedder_state)
    end_fact = awaited(Engine.end_fact)
    erase = awaited(Engine.erase)
    export = awaited(Engine.export)
    export_audit = awaited(Engine.export_audit)
    export_conversations = awaited(Engine.export_conversations)
    extract_pending = awaited(Engine.extract_pending)
    finish_erasures = awaited(Engine.finish_erasures)
    holds = awaited(Engine.holds)
    impact = awaited(Engine.impact)
    import_file = awaited(Engine.import_file)
    observe = awaited(Engine.observe)
    place_hold = awaited(Engine.place_hold)
    prove = awaited(Engine.prove)
    prove_consistency = awaited(Engine.prove_consistency)
    quarantine = awaited(Engine.quarantine)
    quarantines = awaited(Engine.quarantines)
    readmit_value = awaited(Engine.readmit_value)
    rebuild = awaited(Engine.rebuild)
    rebuild_all = awaited(Engine.rebuild_all)
    reject = awaited(Engine.reject)
    release = awaited(Engine.release)
    release_hold = awaited(Engine.release_hold)
    repair = awaited(Engine.repair)
    retention = awaited(Engine.retention)
    retract = awaited(Engine.retract)
    retract_end = awaited(Engine.retract_end)
    review = awaited(Engine.review)
    rotate_key = awaited(Engine.rotate_key)
    set_retention = awaited(Engine.set_retention)
    signing_keys = awaited(Engine.signing_keys)
    skip = awaited(Engine.skip)
    status = awaited(Engine.status)
    sweep = awaited(Engine.sweep)
    switch_embedder = awaited(Engine.switch_embedder)
    unalias = awaited(Engine.unalias)
    verify = awaited(Engine.verify)
    verify_receipt = awaited(Engine.verify_receipt)
    wait_for_vectors = awaited(Engine.wait_for_vectors)
    witness = awaited(Engine.witness)
