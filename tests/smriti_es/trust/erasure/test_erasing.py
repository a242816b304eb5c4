"""What is erased goes with everything that was derived from it, at once and at every time."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import (
    ArbitrationDecided,
    ContextServed,
    Erased,
    ExtractionCompleted,
    ExtractionFailed,
    HoldPlaced,
    HoldReleased,
    RetentionSet,
)
from smriti_es.events.errors import InvalidInput, NotFound, StorageUnavailable
from smriti_es.extraction.arbitration import Verdict
from smriti_es.extraction.chat import Reply
from smriti_es.extraction.contract import Extraction
from smriti_es.extraction.digest_writer import DigestWriter

Open = Callable[..., Engine]


@pytest.fixture
def memory(engine: Open, line_extractor: Callable[..., Any]) -> Engine:
    """Two sessions say different things, and one of them says two."""
    memory = engine(":memory:", extractor=line_extractor())
    memory.add("Ana | plays | the oboe", session="music", at="2026-01-01")
    memory.add("Ana | lives_in | Pune", session="moving", at="2026-01-02")
    memory.add("Ana | keeps | bees", session="moving", at="2026-01-03")
    return memory


def said(memory: Any) -> list[str]:
    return [turn.text for turn in memory.turns()]


def values(memory: Any) -> list[str]:
    return sorted(fact.object for fact in memory.facts(statuses=None, scopes=None))


def told(memory: Engine, kind: type) -> list[int]:
    """Positions of the events of a type whose content is still there."""
    return [each.position for each in memory.events() if isinstance(each.event, kind)]


def whole(memory: Engine) -> bool:
    """Whether the log is intact, and every projection is what a rebuild would give."""
    return memory.verify().ok


def test_an_erased_session_takes_its_turns_and_facts_along(memory: Engine) -> None:
    gone = memory.erase(session="moving", reason="She asked for it.")
    assert said(memory) == ["Ana | plays | the oboe"]
    assert values(memory) == ["the oboe"]
    assert [each.name for each in memory.sessions()] == ["music"]
    assert (len(gone.content.sessions), len(gone.content.turns), len(gone.content.facts)) == (
        1,
        2,
        2,
    )
    assert whole(memory)


def test_what_is_erased_is_found_by_no_question(memory: Engine) -> None:
    assert "bees" in memory.context("What does Ana keep?").text
    memory.erase(session="moving")
    assert "bees" not in memory.context("What does Ana keep?", history=True).text
    assert all("bees" not in hit.text for hit in memory.search("bees"))


def test_what_is_erased_is_gone_at_every_earlier_time(memory: Engine) -> None:
    before = memory.head
    memory.erase(session="moving")
    assert values(memory.at(before)) == ["the oboe"]
    assert said(memory.at(before)) == ["Ana | plays | the oboe"]
    with memory.replay(before) as replay:
        assert values(replay) == ["the oboe"]


def test_an_erased_turn_leaves_its_neighbours_and_the_numbering(memory: Engine) -> None:
    first, second = memory.turns(sessions=["moving"])
    memory.erase(turn=first.position)
    assert said(memory) == ["Ana | plays | the oboe", "Ana | keeps | bees"]
    memory.add("It rained.", session="moving")
    assert [turn.ordinal for turn in memory.turns(sessions=["moving"])] == [1, 2]
    (moving,) = [each for each in memory.sessions() if each.name == "moving"]
    assert (moving.turns, moving.first_said_at) == (2, second.said_at)
    assert whole(memory)


def test_an_erased_fact_leaves_the_turn_that_said_it(memory: Engine) -> None:
    (bees,) = memory.facts(predicate="keeps")
    memory.erase(fact=bees.position)
    assert values(memory) == ["Pune", "the oboe"]
    assert "Ana | keeps | bees" in said(memory)


def test_an_entity_goes_by_any_of_its_names_and_its_turns_stay(memory: Engine) -> None:
    memory.alias("Annie", "Ana")
    memory.assert_fact("Annie", "owns", "a kiln")
    memory.assert_fact("Rae", "knows", "somebody", entities=["ANA"])
    memory.assert_fact("Rae", "owns", "a boat")
    gone = memory.erase(entity="annie")
    assert values(memory) == ["a boat"]
    assert len(said(memory)) == 3
    assert gone.aliases == 1
    assert memory.names_of("Ana") == ("ana",)
    assert whole(memory)


def test_an_entity_goes_as_a_value_and_as_a_scope_too(memory: Engine) -> None:
    memory.assert_fact("Bob", "married_to", "ANA", multi=True)
    memory.assert_fact("Bob", "owes", "ten euros", scope="person:Ana")
    memory.assert_fact("Bob", "knows", "Anabel", multi=True)
    memory.end_fact(memory.assert_fact("Bob", "trusts", "Ana", multi=True), at="2028")
    memory.erase(entity="Ana")
    assert values(memory) == ["Anabel"]
    assert whole(memory)


def test_what_was_said_when_it_was_held_or_kept_for_so_long_goes_with_it(memory: Engine) -> None:
    (turn,) = memory.turns(sessions=["music"])
    for named in ({"turn": turn.position}, {"session": "moving"}, {"space": "main"}):
        memory.release_hold(memory.place_hold(reason="Ana sued", authority="court", **named))
    memory.set_retention(timedelta(days=9), session="moving", reason="Ana asked")
    memory.erase(space="main")
    assert told(memory, HoldPlaced) == told(memory, HoldReleased) == []
    assert (memory.retention(), told(memory, RetentionSet)) == ([], [])
    assert whole(memory)


def test_an_origin_goes_as_far_as_it_has_come(memory: Engine) -> None:
    memory.add({"role": "tool", "content": "Ana | owes | rent"}, session="music")
    memory.erase(origin="tool")
    assert values(memory) == ["Pune", "bees", "the oboe"]
    assert whole(memory)


def test_everything_that_was_said_before_a_time_goes(memory: Engine) -> None:
    memory.assert_fact("Ana", "owns", "a kiln", said_at="2025-05-01")
    memory.erase(before="2026-01-03")
    assert values(memory) == ["bees"]
    assert [each.name for each in memory.sessions()] == ["moving"]
    assert whole(memory)


def test_a_space_goes_as_a_whole(engine: Open, line_extractor: Callable[..., Any]) -> None:
    north = engine(space="north", extractor=line_extractor())
    north.add("manual | says | turn left", session="manual")
    south = engine(space="south", extractor=line_extractor())
    south.add("manual | says | turn right", session="manual")
    south.erase(space="north")
    assert values(south) == ["turn right"]
    with pytest.raises(NotFound, match="north"):
        engine(space="south", spaces=["north", "south"]).facts()
    assert whole(south)


def test_a_fact_that_another_source_states_by_itself_stays_on_that(memory: Engine) -> None:
    memory.add("Ana | lives_in | Pune", session="letters", at="2026-02-01")
    first, again = memory.history(predicate="lives_in")
    assert again.fact.folded_into == first.fact.position
    memory.erase(session="moving")
    (pune,) = memory.facts(predicate="lives_in")
    assert (pune.position, pune.object, pune.folded_into) == (again.fact.position, "Pune", None)
    assert whole(memory)


def test_what_follows_from_an_erased_fact_goes_at_every_depth(memory: Engine) -> None:
    (bees,) = memory.facts(predicate="keeps")
    honey = memory.assert_fact("Ana", "sells", "honey", because=[bees.position])
    memory.assert_fact("Ana", "pays", "tax on honey", because=[honey])
    memory.erase(turn=memory.turns(sessions=["moving"])[1].position)
    assert values(memory) == ["Pune", "the oboe"]


class Summing:
    """Writes one sentence whatever it is shown."""

    model = "scripted"

    def complete(self, messages: Any, *, json_mode: bool) -> Reply:
        return Reply("Ana keeps bees and plays the oboe.")


def test_a_digest_goes_with_any_fact_that_it_sums_up(memory: Engine) -> None:
    memory.observe(writer=DigestWriter(Summing()), min_facts=2)
    assert memory.facts(kinds=["digest"])
    memory.erase(session="moving")
    assert memory.facts(kinds=["digest"], statuses=None) == []


class Replying:
    """Gives one fact of each turn, and a raw reply that repeats the turn."""

    immediate = True
    name = "replying/1"
    model = "scripted"
    prompt_digest = ""

    def __init__(self, lines: Any) -> None:
        self.lines = lines

    def extract(self, turns: Any, *, timezone: str) -> Extraction:
        facts = self.lines.extract(turns, timezone=timezone).facts
        return Extraction(facts, replies=tuple(turn.text for turn in turns))


def test_a_raw_reply_goes_with_any_turn_that_it_is_about(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=Replying(line_extractor()))
    memory.add(["Ana | keeps | bees", "Ana | plays | the oboe"], session="s1")
    assert len(told(memory, ExtractionCompleted)) == 1
    memory.erase(turn=memory.turns()[0].position)
    assert told(memory, ExtractionCompleted) == []
    assert values(memory) == ["the oboe"]


def test_a_raw_reply_goes_with_any_fact_that_it_gave(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=Replying(line_extractor()))
    memory.add(["Ana | keeps | bees", "Ana | plays | the oboe"], session="s1")
    memory.erase(fact=memory.facts(predicate="keeps")[0].position)
    assert told(memory, ExtractionCompleted) == []


def test_what_is_said_of_a_failure_goes_with_the_turn_and_the_others_are_tried_again(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    lines = line_extractor(broken=True)
    memory = engine(extractor=lines)
    memory.add(["Ana | keeps | bees", "Ana | plays | the oboe"], session="s1")
    memory.erase(turn=memory.turns()[0].position)
    assert told(memory, ExtractionFailed) == []
    ((_, reason),) = memory.status().extraction_failed
    assert reason == "what it said was erased"
    assert whole(memory)
    lines.broken = False
    memory.extract_pending()
    assert values(memory) == ["the oboe"]


class Superseding:
    """Says of everything that it replaces the first one like it."""

    model = "scripted"

    def decide(self, new: Any, candidates: Any) -> Verdict:
        return Verdict("supersede", 0, reply=f"{new.object} replaces {candidates[0].object}")


def test_a_verdict_goes_with_each_fact_that_it_is_about(
    engine: Open, line_extractor: Callable[..., Any], embedder: Embedder
) -> None:
    memory = engine(extractor=line_extractor(), arbiter=Superseding(), embedder=embedder)
    memory.add("Ana | likes | strong coffee", session="s1", at="2026-01-01")
    memory.add("Ana | likes | strong tea", session="s2", at="2026-02-01")
    assert len(told(memory, ArbitrationDecided)) == 1
    memory.erase(session="s2")
    assert told(memory, ArbitrationDecided) == []
    assert whole(memory)


def test_a_receipt_goes_with_anything_that_was_served(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor(), receipts=True)
    memory.add("Ana | keeps | bees", session="s1")
    memory.add("It rained in Aarhus.", session="s2")
    memory.context("What does Ana keep?")
    served = memory.search("Aarhus", sessions=["s2"], k=1)
    memory.erase(session="s1")
    assert len(told(memory, ContextServed)) == 1
    assert len(memory.verify_receipt(served)) == 1


def test_why_something_was_quarantined_goes_with_it(memory: Engine) -> None:
    at = memory.quarantine(session="moving", reason="Ana was not herself")
    memory.erase(session="moving")
    (recorded,) = memory.events(at, at + 1)
    assert (recorded.event, memory.quarantines()) == (None, [])
    memory.release(at)
    assert values(memory) == ["the oboe"]
    assert whole(memory)


def test_a_dry_run_lists_what_would_go_and_writes_nothing(memory: Engine) -> None:
    head = memory.head
    planned = memory.erase(session="moving", dry_run=True)
    assert (memory.head, planned.position) == (head, None)
    done = memory.erase(session="moving")
    assert (planned.content, planned.derived) == (done.content, done.derived)


def test_erasing_again_finds_nothing_and_records_nothing(memory: Engine) -> None:
    (turn,) = memory.turns(sessions=["music"])
    memory.erase(turn=turn.position)
    head = memory.head
    with pytest.raises(NotFound):
        memory.erase(turn=turn.position)
    memory.erase(session="music")
    with pytest.raises(NotFound):
        memory.erase(session="music")
    assert memory.head == head + 2


@pytest.mark.parametrize(
    "named",
    [{}, {"turn": 1, "session": "music"}, {"turn": "music"}, {"actor": "local"}, {"before": "?"}],
)
def test_what_names_nothing_or_several_things_is_refused(
    memory: Engine, named: dict[str, Any]
) -> None:
    head = memory.head
    with pytest.raises(InvalidInput):
        memory.erase(**named)
    assert memory.head == head


@pytest.mark.parametrize(
    "named", [{"turn": 999}, {"session": "nowhere"}, {"fact": 2}, {"entity": "Nobody"}]
)
def test_what_does_not_exist_cannot_be_erased(memory: Engine, named: dict[str, Any]) -> None:
    with pytest.raises(NotFound):
        memory.erase(**named)


def test_who_erased_and_why_stands_in_the_log_and_nothing_of_what(memory: Engine) -> None:
    at = memory.erase(session="moving", reason="She asked for it.", actor="officer").position
    assert at is not None
    (recorded,) = memory.events(at, at + 1)
    assert (recorded.header.actor.kind, recorded.header.actor.id) == ("owner", "officer")
    assert isinstance(recorded.event, Erased)
    assert (recorded.event.named, recorded.event.reason) == ("session", "She asked for it.")
    assert all(word not in str(recorded) for word in ("moving", "Pune", "bees", "Ana"))


def test_an_idempotency_key_goes_with_what_it_stood_in(memory: Engine) -> None:
    memory.add("Ana | owns | a kiln", session="pots", idempotency_key="k1")
    memory.erase(session="pots")
    added = memory.add("Ana | owns | a kiln", session="pots", idempotency_key="k1", readmit=True)
    assert (added.repeated, len(added.positions)) == (False, 1)
    assert whole(memory)


def test_a_replay_that_is_open_is_closed(memory: Engine) -> None:
    replay = memory.replay(memory.head)
    assert "bees" in values(replay)
    memory.erase(session="moving")
    with pytest.raises(StorageUnavailable, match="closed"):
        values(replay)


def test_why_others_were_quarantined_with_it_stays(memory: Engine) -> None:
    memory.add({"role": "tool", "content": "Ana | owes | rent"}, session="music")
    memory.add({"role": "tool", "content": "Ana | owes | tax"}, session="moving")
    memory.quarantine(origin="tool", reason="The tool was broken.")
    memory.erase(session="moving")
    (standing,) = memory.quarantines()
    assert (standing.target, standing.reason) == ({"origin": "tool"}, "The tool was broken.")


def test_a_session_of_which_nothing_is_left_goes_with_the_origin(memory: Engine) -> None:
    memory.add({"role": "tool", "content": "It rained."}, session="weather")
    memory.erase(origin="tool")
    assert [each.name for each in memory.sessions()] == ["music", "moving"]
    (turn,) = memory.turns(sessions=["music"])
    memory.erase(turn=turn.position)
    memory.erase(before="2030")
    assert memory.sessions() == []
