"""What tests of facts share: memories without an extractor of their own, and short forms."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from smriti_es.beliefs import Fact
from smriti_es.engine import Engine
from smriti_es.events.instants import format_instant
from smriti_es.extraction.chat import Message, Reply
from smriti_es.extraction.contract import Evidence, ExtractedFact, Extraction, SourceTurn
from smriti_es.extraction.digest_writer import DigestWriter
from smriti_es.observing import Observed
from smriti_es.view import View


@pytest.fixture
def memory(engine: Callable[..., Engine]) -> Engine:
    """A memory whose facts are only stated directly; its clock begins on 2026-06-02."""
    return engine(":memory:", extractor=None)


@pytest.fixture(scope="session")
def told() -> Callable[[Fact], str]:
    """Write how a fact stands: `Pune 2024-03-01..2025-01-01 superseded`."""

    def short(at: int | None) -> str:
        if at is None:
            return ""
        text = format_instant(at)
        return text[:10] if text.endswith("T00:00:00.000000Z") else text[:19] + "Z"

    def write(fact: Fact) -> str:
        return f"{fact.object} {short(fact.valid_from)}..{short(fact.valid_to)} {fact.status}"

    return write


@pytest.fixture(scope="session")
def story(told: Callable[[Fact], str]) -> Callable[..., list[str]]:
    """Tell how all statements about something stand, in the order in which they began to hold."""

    def tell(
        view: View, subject: str | None = None, predicate: str | None = None, **options: Any
    ) -> list[str]:
        return [told(each.fact) for each in view.history(subject, predicate, **options)]

    return tell


@pytest.fixture(scope="session")
def objects() -> Callable[..., list[str]]:
    """List the values of the facts that a memory or a view gives, for the arguments of `facts`."""

    def of(view: View, *names: str, **options: Any) -> list[str]:
        return [fact.object for fact in view.facts(*names, **options)]

    return of


@pytest.fixture(scope="session")
def events() -> Callable[..., list[Any]]:
    """List what the events of some types say, in the order of the log."""

    def of(memory: Engine, *kinds: type) -> list[Any]:
        return [each.event for each in memory.events() if isinstance(each.event, kinds)]

    return of


@pytest.fixture(scope="session")
def said() -> Callable[..., list[dict[str, str]]]:
    """Make messages of texts."""
    return lambda *texts: [{"role": "user", "content": text} for text in texts]


@dataclass
class Making:
    """An extractor that gives facts which a function makes of turns; `as_is`: anything else."""

    make: Callable[[Sequence[SourceTurn]], Any]
    immediate: bool = True
    as_is: bool = False
    name: str = "making/1"
    model: str = ""
    prompt_digest: str = ""

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Any:
        made = self.make(turns)
        return made if self.as_is else Extraction(tuple(made))


@pytest.fixture(scope="session")
def making() -> Callable[..., Making]:
    """Make an extractor out of a function that makes facts of turns."""
    return Making


@pytest.fixture(scope="session")
def fact_of() -> Callable[..., ExtractedFact]:
    """Make a fact that an extractor might give, resting on turns."""

    def make(*turns: int, value: Any = "Oslo", **more: Any) -> ExtractedFact:
        given: dict[str, Any] = {
            "subject": "Rachel",
            "predicate": "lives_in",
            "object": value,
            "statement": f"Rachel lives in {value}",
            "evidence": tuple(Evidence(turn, "words") for turn in turns),
        }
        return ExtractedFact(**(given | more))

    return make


@pytest.fixture(scope="session")
def types() -> Callable[[Engine, int], list[str]]:
    """List the types of the events from a position on."""
    return lambda memory, start: [event.header.type for event in memory.events(start)]


class Chat:
    """A model that numbers its answers, or gives the texts that it was made with.

    `meanwhile` is called while it writes.
    """

    model = "scripted"

    def __init__(
        self, *replies: str | Exception, meanwhile: Callable[[], object] = lambda: None
    ) -> None:
        self.asked: list[Sequence[Message]] = []
        self._replies = list(replies)
        self._meanwhile = meanwhile

    def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
        self.asked.append(messages)
        self._meanwhile()
        number = len(self.asked)
        reply = self._replies.pop(0) if self._replies else f"Digest number {number}."
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply, {"calls": 1, "tokens_out": 7})


class Book:
    """A memory whose facts are summed up."""

    chat = Chat

    def __init__(self, memory: Engine) -> None:
        self.memory = memory

    def on(self, memory: Engine) -> "Book":
        return Book(memory)

    def pay(self, *fares: str, **options: Any) -> list[int]:
        return [
            self.memory.assert_fact(
                *("user", "paid_for", fare),
                statement=f"The user paid for {fare}.",
                multi=True,
                **options,
            )
            for fare in fares
        ]

    def live_and_work(self, name: str = "Rachel", **options: Any) -> list[int]:
        return [
            self.memory.assert_fact(name, "lives_in", "Berlin", **options),
            self.memory.assert_fact(name, "works_at", "Acme", **options),
        ]

    def digests(self, of: Any = None, **options: Any) -> list[Fact]:
        found: list[Fact] = (of or self.memory).facts(kinds=["digest"], scopes=None, **options)
        return found

    def observe(self, chat: Chat, **options: Any) -> Observed:
        return self.memory.observe(writer=DigestWriter(chat), **options)


@pytest.fixture
def chat() -> Chat:
    return Chat()


@pytest.fixture
def book(memory: Engine) -> Book:
    return Book(memory)
