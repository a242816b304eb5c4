"""Spans of OpenTelemetry tell what took time, and nothing that was said."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from smriti_es import AsyncEngine, tracing
from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.errors import EmbedderError, InvalidInput
from smriti_es.recording import SessionInput
from smriti_es.settings import Settings
from tests.places import Places

SECRET = "Zanzibar"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[ReadableSpan]]:
    """Record spans; gives those that ended, in the order in which they did."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "tracer", lambda: provider.get_tracer("tests"))
    return lambda: list(exporter.get_finished_spans())


def named(spans: Sequence[ReadableSpan], name: str) -> list[ReadableSpan]:
    return [each for each in spans if each.name == f"smriti_es.{name}"]


def figures(span: ReadableSpan) -> dict[str, Any]:
    return {key.removeprefix("smriti_es."): each for key, each in (span.attributes or {}).items()}


def test_every_verb_that_takes_time_is_a_span_with_figures(
    engine: Callable[..., Engine],
    embedder: CallableEmbedder,
    spans: Callable[[], list[ReadableSpan]],
) -> None:
    memory = engine(embedder=embedder)
    memory.add("I live in Pune.", session="s1", wait_for="vectors")
    memory.add_many([SessionInput(session=f"m{number}", messages="Hi.") for number in (1, 2)])
    memory.search("Where do I live?")
    gathered = memory.context("Where do I live?")
    memory.rebuild("turns")
    memory.verify()
    ended = spans()
    (add,), (many,) = named(ended, "add"), named(ended, "add_many")
    assert figures(add) == {"turns": 1, "replayed": 0, "skipped": 0, "facts": 1, "head": 5}
    assert figures(many) == {"sessions": 2, "turns": 2, "facts": 0}
    (search,), (context,) = named(ended, "search"), named(ended, "context")
    assert figures(search)["hits"] >= 1
    assert figures(context)["characters"] == len(gathered.text)
    (rebuilt,), (verified,) = named(ended, "rebuild"), named(ended, "verify")
    assert (figures(rebuilt)["projection"], figures(rebuilt)["equal"]) == ("turns", True)
    assert (figures(verified)["ok"], figures(verified)["findings"]) == (True, 0)


def test_embedding_a_question_is_a_span_inside_of_the_search(
    engine: Callable[..., Engine],
    embedder: CallableEmbedder,
    spans: Callable[[], list[ReadableSpan]],
) -> None:
    memory = engine(embedder=embedder)
    memory.add("I live in Pune.", session="s1", wait_for="vectors")
    memory.search("Where do I live?")
    (search,) = named(spans(), "search")
    within = [
        each for each in named(spans(), "embed") if each.parent and each.parent == search.context
    ]
    assert [figures(each) for each in within] == [{"texts": 1}]


def test_no_span_carries_what_was_said_asked_named_or_failed(
    engine: Callable[..., Engine],
    embedder: CallableEmbedder,
    spans: Callable[[], list[ReadableSpan]],
) -> None:
    memory = engine(embedder=embedder)
    said = [{"role": "user", "name": SECRET, "content": f"I live in {SECRET}."}]
    memory.add(said, session=SECRET, tags=[SECRET], metadata={"x": SECRET}, wait_for="vectors")
    memory.search(f"Who lives in {SECRET}?", tags=[SECRET])
    memory.context(f"Who lives in {SECRET}?")
    memory.verify()
    with pytest.raises(InvalidInput, match=SECRET):
        memory.add([{"role": "user", "content": "Hi.", "timestamp": SECRET}], session="s2")
    told = "".join(each.to_json() for each in spans())
    assert '"smriti_es.add"' in told
    assert SECRET not in told


def test_an_error_marks_its_span_with_its_class_alone(
    engine: Callable[..., Engine], spans: Callable[[], list[ReadableSpan]]
) -> None:
    def refuse(texts: Sequence[str]) -> Any:
        raise RuntimeError(texts[0])

    broken = CallableEmbedder(refuse, model="broken", dimension=4, endpoint=None)
    memory = engine(embedder=broken)
    with pytest.raises(EmbedderError):
        memory.add(f"I live in {SECRET}.", session="s1", wait_for="vectors")
    (add,) = named(spans(), "add")
    assert (add.status.status_code, add.status.description) == (StatusCode.ERROR, None)
    assert figures(add) == {"error.type": "EmbedderError"}
    assert [each.events for each in spans()] == [()] * len(spans())
    assert SECRET not in "".join(each.to_json() for each in spans())


def test_spans_of_an_asyncio_host_hang_on_the_span_that_it_is_in(
    places: Places, spans: Callable[[], list[ReadableSpan]]
) -> None:
    async def run() -> None:
        settings = Settings(embed_in_background=False)
        async with AsyncEngine.open(
            places.named("memory.db"), embedder=None, settings=settings
        ) as memory:
            with tracing.span("request"):
                await memory.add("Hello.", session="s1")

    asyncio.run(run())
    (request,), (add,) = named(spans(), "request"), named(spans(), "add")
    assert add.parent == request.context


# Opens a memory with whatever is set up for the process, and prints which spans there were.
WITH_THE_SDK = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from smriti_es import Engine
exporter = InMemorySpanExporter()
with Engine.open(":memory:", embedder=None) as engine:
    engine.add("Before it was set up.", session="s1")
    trace.set_tracer_provider(TracerProvider())
    trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(exporter))
    engine.add("After.", session="s1")
print([each.name for each in exporter.get_finished_spans()])
"""
WITHOUT_THE_API = """
import sys
sys.modules["opentelemetry"] = None
from smriti_es import Engine
with Engine.open(":memory:", embedder=None) as engine:
    engine.add("Hello.", session="s1")
    print(len(engine.turns()))
"""


@pytest.mark.parametrize(
    ("program", "printed"), [(WITH_THE_SDK, "['smriti_es.add']"), (WITHOUT_THE_API, "1")]
)
def test_what_the_host_has_set_up_is_used_and_nothing_is_needed(
    program: str, printed: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (printed, "")
