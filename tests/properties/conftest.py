"""Models that answer in ways of their own, always the same for the same question."""

import hashlib
from collections.abc import Sequence
from typing import Any

import pytest

from smriti_es.events.errors import ExtractionError
from smriti_es.extraction.arbitration import Verdict
from smriti_es.extraction.chat import Message, Reply


class Guessing:
    """An arbiter that says something for each question, always the same, and not always sense."""

    model = "guess"

    def decide(self, new: Any, candidates: Sequence[Any]) -> Verdict:
        seed = hashlib.sha256(f"{new.object} {[c.object for c in candidates]}".encode()).digest()
        action = ("add", "supersede", "supersede", "skip")[seed[0] % 4]
        target = (0, 0, None, 7)[seed[1] % 4]
        return Verdict(action, target, reply=f"{action} {target}")  # type: ignore[arg-type]


class Rambling:
    """A model that sums up in words of its own, and now and then in none or not at all."""

    model = "ramble"

    def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
        seed = hashlib.sha256(str(messages).encode()).hexdigest()
        if seed[0] == "0":
            raise ExtractionError("the model is out of reach")
        return Reply("" if seed[0] == "1" else f"It adds up to {seed[:8]}.", {"calls": 1})


@pytest.fixture(scope="session")
def guessing() -> Guessing:
    """An arbiter that says something for each question, and not always sense."""
    return Guessing()


@pytest.fixture(scope="session")
def rambling() -> Rambling:
    """A model that sums up in words of its own, and now and then in none or not at all."""
    return Rambling()
