"""Hosts on asyncio have every verb; cancelling and closing leave nothing half done."""

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from smriti_es import AsyncEngine, AsyncReplay, AsyncView
from smriti_es.async_calls import PAGE, ThreadCalls
from smriti_es.engine import Engine
from smriti_es.events.errors import IntegrityError, InvalidInput, NotFound, StorageUnavailable
from smriti_es.recording import SessionInput
from smriti_es.replaying import Replay
from smriti_es.settings import Settings
from smriti_es.view import View
from tests.places import Places

TWINS = [(View, AsyncView), (Replay, AsyncReplay), (Engine, AsyncEngine)]
# What gives something to be awaited or iterated without being a coroutine itself.
GIVES_AT_ONCE = {"events", "open", "replay"}
SEVENTY = [SessionInput(session=f"s{number}", messages="Hello.") for number in range(70)]
IN_THE_FOREGROUND = Settings(embed_in_background=False, async_threads=4)


def public(of: type) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


def parameters(verb: Callable[..., Any]) -> list[inspect.Parameter]:
    """What a verb takes, but for what it is called on."""
    return [each for name, each in inspect.signature(verb).parameters.items() if name != "self"]


@pytest.mark.parametrize(("sync", "twin"), TWINS)
def test_every_public_name_has_its_twin_and_no_other_has(sync: type, twin: type) -> None:
    assert public(twin) == public(sync)


@pytest.mark.parametrize(("sync", "twin"), TWINS)
def test_a_twin_takes_the_same_arguments(sync: type, twin: type) -> None:
    verbs = [name for name in public(sync) if callable(getattr(sync, name))]
    assert len(verbs) > 10
    assert {name: parameters(getattr(twin, name)) for name in verbs} == {
        name: parameters(getattr(sync, name)) for name in verbs
    }


@pytest.mark.parametrize(("sync", "twin"), TWINS)
def test_a_twin_is_awaited(sync: type, twin: type) -> None:
    verbs = {name for name in public(sync) if callable(getattr(sync, name))}
    awaited = {name for name in verbs if inspect.iscoroutinefunction(getattr(twin, name))}
    assert verbs - awaited == verbs & GIVES_AT_ONCE


def opening(places: Places, name: str = "memory.db", **options: Any) -> Any:
    """What opens a memory that embeds nothing."""
    return AsyncEngine.open(
        places.named(name), **({"embedder": None, "settings": IN_THE_FOREGROUND} | options)
    )


def in_a_memory(places: Places, use: Callable[[AsyncEngine], Any], **options: Any) -> Any:
    async def run() -> Any:
        async with opening(places, **options) as engine:
            return await use(engine)

    return asyncio.run(run())


def test_what_was_added_is_read_as_the_engine_reads_it(places: Places) -> None:
    async def use(engine: AsyncEngine) -> None:
        await engine.add("I live in Hyderabad.", session="s1", at="2024-01-15")
        then = await engine.head
        await engine.add("I moved to Bengaluru.", session="s2", at="2024-06-02")
        assert [fact.object for fact in await engine.facts("user", "lives_in")] == ["Bengaluru"]
        earlier = await engine.at(then)
        assert [fact.object for fact in await earlier.facts("user", "lives_in")] == ["Hyderabad"]
        assert await earlier.head == then
        async with engine.replay(then) as replay:
            assert [fact.object for fact in await replay.facts()] == ["Hyderabad"]
            assert replay.changes == ()
        assert (await engine.verify()).ok
        assert (engine.timezone, engine.provisional, await engine.trust) == (
            "UTC",
            False,
            "personal",
        )

    in_a_memory(places, use)


def test_an_engine_that_was_awaited_is_closed_by_hand(places: Places) -> None:
    async def run() -> None:
        engine = await opening(places)
        await engine.add("Hello.", session="s1")
        await engine.close()
        await engine.close()
        with pytest.raises(StorageUnavailable, match="closed"):
            await engine.turns()

    asyncio.run(run())


def test_an_error_of_the_engine_reaches_who_awaits(places: Places) -> None:
    async def use(engine: AsyncEngine) -> None:
        with pytest.raises(InvalidInput):
            await engine.search("what?", k=0)
        with pytest.raises(NotFound):
            await engine.at(1_000)

    in_a_memory(places, use)


def test_calls_that_come_together_are_all_recorded_once(places: Places) -> None:
    async def use(engine: AsyncEngine) -> None:
        added = await asyncio.gather(
            *(engine.add(f"Note {number}.", session=f"s{number}") for number in range(20))
        )
        assert len({each.positions for each in added}) == 20
        said = [turn.text for turn in await engine.turns()]
        assert sorted(said) == sorted(f"Note {number}." for number in range(20))

    in_a_memory(places, use)


def test_no_more_calls_run_at_once_than_there_are_threads() -> None:
    running, most, guard = 0, 0, threading.Lock()
    together = threading.Barrier(3)

    def call() -> None:
        nonlocal running, most
        with guard:
            running += 1
            most = max(most, running)
        together.wait(timeout=30)
        with guard:
            running -= 1

    async def run() -> None:
        calls = ThreadCalls("here", 3)
        await asyncio.gather(*(calls.run(call) for _ in range(9)))
        await calls.close(lambda: None)

    asyncio.run(run())
    assert most == 3


def test_the_loop_runs_on_while_a_call_blocks() -> None:
    released = threading.Event()

    async def run() -> None:
        calls = ThreadCalls("here", 1)
        waiting = asyncio.create_task(calls.run(released.wait, 30))
        await asyncio.sleep(0)
        released.set()  # only a loop that runs on comes here
        assert await waiting
        await calls.close(lambda: None)

    asyncio.run(run())


def test_a_call_sees_the_context_of_its_caller() -> None:
    asked_by: ContextVar[str] = ContextVar("asked_by")

    async def run() -> str:
        calls = ThreadCalls("here", 1)
        asked_by.set("rachel")
        try:
            return await calls.run(asked_by.get)
        finally:
            await calls.close(lambda: None)

    assert asyncio.run(run()) == "rachel"


def test_a_write_that_began_is_recorded_whole_though_its_caller_was_cancelled(
    places: Places,
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(_: str, __: int, ___: int) -> None:
        begun.set()
        go_on.wait(30)

    async def use(engine: AsyncEngine) -> None:
        sessions = [SessionInput(session=f"s{number}", messages="Hello.") for number in range(65)]
        adding = asyncio.create_task(engine.add_many(sessions, progress=slow))
        await asyncio.to_thread(begun.wait, 30)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        go_on.set()
        await engine.close()
        async with opening(places) as again:
            assert len(await again.turns()) == 65
            assert (await again.verify()).ok

    in_a_memory(places, use)


def test_a_write_that_waits_its_turn_is_never_made_once_it_is_cancelled(places: Places) -> None:
    begun, go_on = threading.Event(), threading.Event()

    async def use(engine: AsyncEngine) -> None:
        def hold() -> None:
            begun.set()
            go_on.wait(30)

        holding = asyncio.create_task(engine._calls.run(hold))
        await asyncio.to_thread(begun.wait, 30)
        adding = asyncio.create_task(engine.add("Hello.", session="s1"))
        await asyncio.sleep(0)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        go_on.set()
        await holding
        assert await engine.turns() == []

    in_a_memory(places, use, settings=Settings(embed_in_background=False, async_threads=1))


def test_closing_lets_calls_that_were_made_end_and_takes_no_more(places: Places) -> None:
    async def run() -> None:
        engine = await opening(places)
        adding = [
            asyncio.create_task(engine.add(f"Note {number}.", session=f"s{number}"))
            for number in range(12)
        ]
        await asyncio.sleep(0)
        closing = asyncio.create_task(engine.close())
        added = await asyncio.gather(*adding)
        await closing
        assert len(added) == 12
        with pytest.raises(StorageUnavailable, match="closed"):
            await engine.add("Too late.", session="late")
        async with opening(places) as again:
            assert len(await again.turns()) == 12

    asyncio.run(run())


def test_a_memory_that_opens_after_its_caller_was_cancelled_is_closed(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, closed = threading.Event(), threading.Event(), threading.Event()
    place = places.named("memory.db")

    class Held:
        def close(self) -> None:
            closed.set()

    def open_slowly() -> Held:
        begun.set()
        go_on.wait(30)
        return Held()

    async def run() -> None:
        calls = ThreadCalls(str(place), 1)
        opening = asyncio.create_task(calls.run_opening(open_slowly))
        await asyncio.to_thread(begun.wait, 30)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        go_on.set()
        await calls.close(lambda: None)

    asyncio.run(run())
    assert closed.is_set()


@pytest.mark.parametrize("verified", [False, True])
def test_the_log_is_iterated_a_page_at_a_time_beside_other_calls(
    places: Places, verified: bool
) -> None:
    async def use(engine: AsyncEngine) -> None:
        await engine.add_many(SEVENTY)
        positions = []
        async for event in engine.events(verified=verified):
            positions.append(event.header.position)
            if len(positions) == 3:
                assert len(await engine.turns()) == 70
        assert positions == list(range(await engine.head + 1))
        assert len(positions) > PAGE

    in_a_memory(places, use)


@pytest.mark.parametrize("place", ["memory.db", ":memory:"])
def test_an_iteration_that_is_left_gives_back_what_it_held(places: Places, place: str) -> None:
    async def use(engine: AsyncEngine) -> None:
        await engine.add_many(SEVENTY)
        events: Any = engine.events(verified=True)
        async with aclosing(events):
            assert (await anext(events)).header.position == 0
        await engine.add("Goodbye.", session="last")
        assert len(await engine.turns()) == 71

    in_a_memory(places, use, name=place)


def test_a_memory_that_closes_under_an_iteration_says_so(places: Places) -> None:
    async def run() -> None:
        engine = await opening(places)
        await engine.add_many(SEVENTY)
        events = engine.events(verified=True)
        first = await anext(events)
        await engine.close()
        rest = []
        with pytest.raises(StorageUnavailable, match="closed"):
            async for event in events:
                rest.append(event)  # noqa: PERF401  what came before the error is looked at
        positions = [each.header.position for each in (first, *rest)]
        assert positions == list(range(PAGE))

    asyncio.run(run())


def test_what_comes_before_a_broken_event_is_given_before_the_error(
    places: Places, tamper: Callable[..., int]
) -> None:
    async def use(engine: AsyncEngine) -> None:
        for number in range(5):
            await engine.add("Hello.", session=f"s{number}")
        assert tamper("UPDATE event SET known = known + 1 WHERE position = 6") == 1
        seen = []
        with pytest.raises(IntegrityError):
            async for event in engine.events(verified=True):
                seen.append(event.header.position)  # noqa: PERF401  so is this
        assert seen == [0, 1, 2, 3, 4, 5]

    in_a_memory(places, use)


def test_a_memory_in_memory_is_read_while_its_log_is_iterated(tmp_path: Path) -> None:
    async def run() -> AsyncIterator[int] | list[int]:
        async with AsyncEngine.open(":memory:", embedder=None) as engine:
            await engine.add("I live in Pune.", session="s1")
            return [len(await engine.facts()) async for _ in engine.events(verified=True)]

    assert set(asyncio.run(run())) == {1}  # type: ignore[arg-type]


def test_threads_of_none_are_refused(places: Places) -> None:
    async def run() -> None:
        with pytest.raises(InvalidInput, match="at least 1"):
            await opening(places, settings=Settings(async_threads=0))

    asyncio.run(run())
