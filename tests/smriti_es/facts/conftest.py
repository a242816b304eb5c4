"""What tests of facts share: memories without an extractor of their own, and short forms."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.beliefs import Fact
from smriti_es.engine import Engine
from smriti_es.events.instants import format_instant
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
def types() -> Callable[[Engine, int], list[str]]:
    """List the types of the events from a position on."""
    return lambda memory, start: [event.header.type for event in memory.events(start)]
