"""No model is shown what may not be read: no extractor, no arbiter and no writer of digests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.extraction.arbitration import Verdict
from smriti_es.extraction.digest_writer import DigestWriter
from smriti_es.settings import Settings

Open = Callable[..., Engine]
BY_HAND = Settings(embed_in_background=False, extract_in_background=False)


@dataclass
class Asking:
    """An arbiter that lets everything stand, and keeps what it was asked about."""

    asked: list[str] = field(default_factory=list)
    model: str = "scripted"

    def decide(self, new: Any, candidates: Sequence[Any]) -> Verdict:
        self.asked.append(new.object)
        self.asked += [candidate.object for candidate in candidates]
        return Verdict("add")


@pytest.fixture
def slow(line_extractor: Callable[..., Any]) -> Any:
    """An extractor that is a model."""
    return line_extractor(immediate=False, model="scripted")


@pytest.fixture
def waiting(engine: Open, slow: Any) -> Engine:
    """A memory with two turns, a word of each, that nobody has read for facts."""
    memory = engine(extractor=slow, settings=BY_HAND)
    memory.add("user | likes | tea", session="a")
    memory.add("user | likes | poison", session="b")
    return memory


def values(memory: Any) -> list[str]:
    return [fact.object for fact in memory.facts()]


def test_a_quarantined_turn_is_shown_to_no_extractor(waiting: Engine, slow: Any) -> None:
    quarantine = waiting.quarantine(session="b")
    waiting.extract_pending()
    waiting.extract_pending()
    (tea,) = [turn.position for turn in waiting.turns()]
    assert (slow.seen, values(waiting)) == ([(tea,)], ["tea"])
    assert waiting.status().extraction_failed == ()
    waiting.release(quarantine)
    ((position, why),) = waiting.status().extraction_failed
    assert why == "withheld: no model is shown it before it is released"
    waiting.extract_pending()
    assert slow.seen == [(tea,), (position,)]
    assert (values(waiting), waiting.status().extraction_failed) == (["tea", "poison"], ())


def test_trying_a_withheld_turn_again_records_nothing(waiting: Engine) -> None:
    waiting.quarantine(session="b")
    waiting.extract_pending()
    head = waiting.head
    waiting.extract_pending()
    assert waiting.head == head


def test_of_a_session_only_the_withheld_turns_are_kept_back(engine: Open, slow: Any) -> None:
    memory = engine(extractor=slow, settings=BY_HAND)
    turns = [{"role": "user", "content": f"user | likes | {each}"} for each in ("tea", "poison")]
    tea, poison = memory.add(turns, session="a").positions
    memory.quarantine(turn=poison)
    memory.extract_pending()
    assert (slow.seen, values(memory)) == ([(tea,)], ["tea"])


def test_a_statement_of_a_withheld_turn_is_put_before_no_arbiter(
    engine: Open, line_extractor: Callable[..., Any], embedder: Embedder
) -> None:
    arbiter = Asking()
    memory = engine(extractor=line_extractor(), arbiter=arbiter, embedder=embedder)
    memory.add("user | likes | strong black tea", session="a")
    memory.add("user | likes | strong black poison", session="b")
    assert arbiter.asked == ["strong black poison", "strong black tea"]
    memory.quarantine(session="b")
    memory.add("user | likes | strong black venom", session="b")
    assert arbiter.asked == ["strong black poison", "strong black tea"]
    memory.add("user | likes | strong black coffee", session="a")
    assert arbiter.asked[2:] == ["strong black coffee", "strong black tea"]


@pytest.mark.parametrize("hiding", ["quarantined", "proposed", "elsewhere", "shown"])
def test_a_digest_is_written_of_what_may_be_read(
    engine: Open, summing: Callable[..., Any], hiding: str
) -> None:
    memory = engine(extractor=None)
    options: dict[str, Any] = {"entities": ["Ana"]}
    memory.assert_fact("Ana", "likes", "tea", multi=True, **options)
    memory.assert_fact("Ana", "lives_in", "Pune", **options)
    if hiding == "proposed":
        memory.assert_fact("Ana", "lives_in", "poison", origin="agent", **options)
    else:
        other = engine(extractor=None, space="elsewhere") if hiding == "elsewhere" else memory
        at = other.assert_fact("Ana", "likes", "poison", multi=True, **options)
        if hiding == "quarantined":
            memory.quarantine(fact=at)
    model = summing("Ana.")
    memory.observe(writer=DigestWriter(model), subject="Ana")
    assert ("tea" in str(model.asked), "poison" in str(model.asked)) == (True, hiding == "shown")


def test_a_context_for_a_model_names_nobody_who_may_not_be_read(engine: Open) -> None:
    memory = engine(extractor=None)
    for name, session in (("Ana", "a"), ("Mallory", "b")):
        turn = {"role": "user", "name": name, "content": f"I met {name} in the garden."}
        memory.add(turn, session=session)
    shown = memory.context("Whom did Mallory meet in the garden?").text
    memory.quarantine(session="b")
    hidden = memory.context("Who was met in the garden?").text
    assert ("Mallory" in shown, "Ana" in hidden, "Mallory" in hidden) == (True, True, False)


def test_what_a_failure_quotes_is_told_to_whoever_may_read_it(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    (failed,) = memory.add("FAIL", session="b").positions
    assert memory.status().extraction_failed == ((failed, "out of order"),)
    quarantine = memory.quarantine(session="b")
    assert memory.status().extraction_failed == ()
    memory.release(quarantine)
    assert [at for at, _ in memory.status().extraction_failed] == [failed]
