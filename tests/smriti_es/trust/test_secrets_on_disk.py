"""No verb lets a credential into the memory's files, whoever wrote it down: caller or model."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from smriti_es.embedders import HashEmbedder
from smriti_es.engine import Engine
from smriti_es.events.errors import ExtractionError, InvalidInput
from smriti_es.extraction.arbitration import Verdict
from smriti_es.extraction.contract import (
    DroppedItem,
    Evidence,
    ExtractedFact,
    Extraction,
    SourceTurn,
)
from smriti_es.extraction.digest_writer import Digest
from smriti_es.extraction.fact_digest import FactDigest
from smriti_es.recording import SessionInput
from smriti_es.settings import Settings

pytestmark = pytest.mark.sqlite_only(
    "the bytes of files; test_scrubbing_a_server.py searches those of a server"
)

Open = Callable[..., Engine]

SECRET = "sk-proj-" + "Zz9Yy8Xx7Ww6Vv5Uu4Tt3"
PIECE = SECRET[8:].encode()


class Leaky:
    """An extractor, arbiter and writer at once, whose model knows a credential and repeats it."""

    name = "leaky/1"
    model = "leaky"
    prompt_digest = ""
    immediate = True
    endpoint: str | None = None

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        if "FAIL" in turns[-1].text:
            raise ExtractionError(f"no use: {SECRET}")
        facts = tuple(
            ExtractedFact(
                "user",
                "uses",
                f"{value} {SECRET}",
                f"The user uses {value} {SECRET}",
                (Evidence(turns[0].position, f"{value} {SECRET}"),),
                entities=(SECRET,),
                search_keys=(SECRET,),
                single=False,
            )
            for value in ("a", "b")
        )
        dropped = (DroppedItem(SECRET, {"item": SECRET}),)
        return Extraction(facts, dropped, replies=(f"I say {SECRET}",), details={"note": SECRET})

    def decide(self, new: FactDigest, candidates: Sequence[FactDigest]) -> Verdict:
        return Verdict("add", None, f"I say {SECRET}")

    def write(self, label: str, facts: Sequence[FactDigest]) -> Digest:
        return Digest(f"In short: {SECRET}", f"I say {SECRET}")


def add_turns(memory: Engine) -> None:
    call = {"id": "c", "name": "f", "arguments": {"key": SECRET}}
    memory.add(
        [
            {"role": "user", "content": f"use {SECRET}", "name": f"Ana {SECRET}"},
            {"role": "user", "content": [{"type": "text", "text": f"use {SECRET} too"}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": SECRET, "tool_call_id": "c", "seen": {"by": [SECRET]}},
            {"role": "user", "content": "hi", "tags": [SECRET], "metadata": {"a": SECRET}},
        ],
        session="s",
        tags=[f"t {SECRET}"],
        metadata={f"m {SECRET}": 1},
        kind=f"k {SECRET}",
        session_tags=[SECRET],
        session_metadata={"m": SECRET},
    )
    memory.add_many([SessionInput(session="many", messages=f"many {SECRET}")])


def fail_to_extract(memory: Engine) -> None:
    memory.add("FAIL", session="failing")


def state_facts(memory: Engine) -> None:
    first = memory.assert_fact(
        f"Ana {SECRET}",
        "uses",
        f"it {SECRET}",
        statement=f"She uses {SECRET}",
        scope=f"project:{SECRET}",
        kind=f"k {SECRET}",
        entities=[SECRET],
        tags=[SECRET],
        metadata={"m": SECRET},
    )
    second = memory.assert_fact("Ana", "password", SECRET, multi=True)
    end = memory.end_fact(first, reason=SECRET)
    memory.retract_end(end, reason=SECRET)
    memory.retract(second, reason=SECRET)


def name_entities(memory: Engine) -> None:
    memory.alias(f"Bea {SECRET}", f"Beatrice {SECRET}", reason=SECRET)
    memory.unalias(f"Bea {SECRET}", reason=SECRET)


def sum_up(memory: Engine) -> None:
    memory.assert_fact("Cem", "plays", "chess", multi=True)
    memory.assert_fact("Cem", "plays", "go", multi=True)
    writer: Any = Leaky()
    assert memory.observe(writer=writer).written


def arbitrate(memory: Engine) -> None:
    memory.add("use a", session="first")
    memory.add("use b", session="second")


WAYS = [add_turns, fail_to_extract, state_facts, name_entities, sum_up, arbitrate]


def files_hold_it(folder: Path) -> bool:
    return any(PIECE in path.read_bytes() for path in folder.iterdir())


@pytest.fixture
def leaky(engine: Open) -> Callable[..., Engine]:
    """Open a memory whose models repeat a credential."""

    def open_leaky(**options: Any) -> Engine:
        settings = Settings(embed_in_background=False)
        defaults = {"embedder": HashEmbedder(), "extractor": Leaky(), "arbiter": Leaky()}
        return engine(settings=settings, **(defaults | options))

    return open_leaky


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_way_into_the_memory_lets_a_credential_through(
    leaky: Open, tmp_path: Path, way: Callable[[Engine], None]
) -> None:
    memory = leaky(redact=True)
    way(memory)
    memory.wait_for_vectors()
    assert memory.verify().ok
    memory.close()
    assert not files_hold_it(tmp_path)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_without_redaction_each_of_these_ways_does(
    leaky: Open, tmp_path: Path, way: Callable[[Engine], None]
) -> None:
    memory = leaky()
    way(memory)
    memory.close()
    assert files_hold_it(tmp_path)


def test_redaction_is_off_unless_it_is_asked_for(engine: Open) -> None:
    memory = engine()
    memory.add(SECRET, session="s")
    assert [turn.text for turn in memory.turns()] == [SECRET]


@pytest.mark.parametrize("profile", ["local", "team", "regulated"])
def test_a_profile_turns_redaction_on(engine: Open, profile: str) -> None:
    memory = engine(profile=profile)
    memory.add(SECRET, session="s")
    assert [turn.text for turn in memory.turns()] == ["[redacted: api key]"]


def test_a_team_may_turn_redaction_off(engine: Open) -> None:
    memory = engine(profile="team", redact=False)
    memory.add(SECRET, session="s")
    assert [turn.text for turn in memory.turns()] == [SECRET]


@pytest.mark.parametrize("profile", ["local", "regulated"])
def test_a_profile_that_always_redacts_cannot_be_told_not_to(engine: Open, profile: str) -> None:
    with pytest.raises(InvalidInput, match=f"profile {profile} always redacts"):
        engine(profile=profile, redact=False)


def test_what_was_redacted_is_counted_in_the_result(engine: Open) -> None:
    added = engine(redact=True).add(
        f"{SECRET} and password: hunter2", session="s", session_metadata={"m": SECRET}
    )
    assert added.redacted == {"api key": 2, "password": 1}


def test_patterns_of_ones_own_are_redacted_and_counted(engine: Open) -> None:
    memory = engine(redact={"badge number": r"BN-[0-9]{6}"})
    added = memory.add("I am BN-123456", session="s")
    assert added.redacted == {"badge number": 1}
    assert [turn.text for turn in memory.turns()] == ["I am [redacted: badge number]"]


def test_a_turn_that_is_sent_again_is_recognised_by_what_was_stored(engine: Open) -> None:
    memory = engine(redact=True)
    call = {"id": "c", "name": "f", "arguments": {"a": "password:", "b": "swordfish"}}
    said: list[Any] = [
        {"role": "user", "content": f"use {SECRET}"},
        {"role": "user", "content": ["the password:", "swordfish"]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    memory.add(said, session="s")
    again = memory.add([*said, {"role": "user", "content": "new"}], session="s")
    assert (again.replayed, len(again.positions)) == (3, 1)


def test_a_fact_that_is_stated_again_is_recognised_by_what_was_stored(engine: Open) -> None:
    memory = engine(redact=True)
    stated = {"said_at": "2026-01-01"}
    memory.assert_fact("server", "password", "swordfish", **stated)  # type: ignore[arg-type]
    again = memory.assert_fact("server", "password", "swordfish", **stated)  # type: ignore[arg-type]
    assert again == -1
    (fact,) = memory.facts("server")
    assert (fact.object, fact.statement) == (
        "[redacted: password]",
        "server password [redacted: password]",
    )


def test_two_credentials_of_one_thing_are_one_value_once_redacted(engine: Open) -> None:
    memory = engine(redact=True)
    memory.assert_fact("server", "password", "swordfish", valid_from="2026-01-01")
    memory.assert_fact("server", "password", "sturgeon", valid_from="2026-02-01")
    assert [each.fact.status for each in memory.history("server")] == ["current", "reaffirms"]


@pytest.mark.parametrize("field", ["session", "space", "tenant", "actor"])
def test_a_name_in_the_log_that_holds_a_credential_is_refused(engine: Open, field: str) -> None:
    with pytest.raises(InvalidInput, match=rf"{field} holds a credential \(api key\)"):
        if field == "session":
            engine(redact=True).add("hi", session=SECRET)
        else:
            engine(redact=True, **{field: SECRET})


def test_ignored_turns_are_not_stored_and_counted(engine: Open) -> None:
    memory = engine(ignore=[r"^HEARTBEAT\b"])
    said = [{"role": "user", "content": each} for each in ("HEARTBEAT 1", "hello", "HEARTBEAT 2")]
    added = memory.add(said, session="s")
    assert [turn.text for turn in memory.turns()] == ["hello"]
    assert [skipped.reason for skipped in added.skipped] == ["ignored", "ignored"]


def test_an_option_that_does_not_exist_is_refused(engine: Open) -> None:
    with pytest.raises(InvalidInput, match=r"Engine.open knows no ignored") as refused:
        engine(ignored=["x"])
    assert "redact, ignore, profile, allowed_hosts" in refused.value.hint
