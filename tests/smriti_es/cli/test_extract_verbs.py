"""`extract`, `--extractor` and `--llm`: facts out of turns, at once, later, and again."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.cli.extractor_choice import chosen_extractor, chosen_llm
from smriti_es.events.errors import InvalidInput
from smriti_es.extraction.llm import LLMExtractor

Call = Callable[..., Any]

ROME = {
    "facts": [
        {
            "statement": "The user lives in Rome",
            "subject": "user",
            "predicate": "lives_in",
            "object": "Rome",
            "turns": [1],
            "quote": "Rome is home",
        }
    ]
}
AUTO: dict[str, str | None] = {"SMRITI_ES_EXTRACTOR": None}


def homes(call: Call) -> list[str]:
    return [fact["object"] for fact in call("facts", "user", "lives_in", "--json").lines]


def test_add_finds_facts_with_patterns_unless_told_otherwise(call: Call) -> None:
    done = call("add", "I live in Rome.", **AUTO)
    assert done.out == "Recorded 1 turn in session cli at position 3. Found 1 new fact.\n"
    assert call("add", "I live in Rome.", "--json", "--session", "s2", **AUTO).json["facts"] != []


def test_add_looks_for_no_facts_when_told_so(call: Call) -> None:
    call("add", "I live in Rome.", "--extractor", "none", **AUTO)
    assert homes(call) == []


def test_what_waits_is_extracted_when_asked(call: Call) -> None:
    call("add", "I live in Rome.")
    done = call("extract", "pending", **AUTO)
    assert (done.code, done.out) == (0, "Found 1 new fact.\n")
    assert call("extract", "pending", **AUTO).out == "Found no new fact.\n"
    assert homes(call) == ["Rome"]


def test_extract_in_json_tells_positions_and_what_is_left(call: Call) -> None:
    call("add", "I live in Rome.")
    assert call("extract", "pending", "--json", **AUTO).json == {
        "facts": [5],
        "proposed": False,
        "waiting": 0,
        "failed": [],
    }


def test_extract_without_an_extractor_is_an_error(call: Call) -> None:
    call("init")
    done = call("extract", "pending")
    assert (done.code, done.out) == (2, "")
    assert "no extractor" in done.err


def test_import_tells_how_many_facts_it_found(call: Call, tmp_path: Any) -> None:
    chats = tmp_path / "chats.jsonl"
    chats.write_text('{"session": "s", "role": "user", "content": "I live in Rome."}\n')
    assert call("import", chats, **AUTO).out.endswith(" Found 1 new fact.\n")


def test_a_language_model_finds_facts_in_the_open(call: Call, model: Any) -> None:
    model.says(ROME)
    done = call(
        "add", "Rome is home.", "--llm", model.address, "--json", SMRITI_ES_LLM_KEY="k", **AUTO
    )
    assert (len(done.json["facts"]), done.json["degraded"], done.json["head"]) == (1, [], 5)
    assert (homes(call), model.keys) == (["Rome"], ["Bearer k"])


def test_a_model_is_not_waited_for_when_nobody_wants_to(call: Call, model: Any) -> None:
    model.says(ROME)
    done = call("add", "Rome is home.", "--no-wait", "--llm", model.address, **AUTO)
    assert "note: extraction: 1 turn waits: `smriti-es extract pending`\n" in done.err
    assert (model.asked, call("status", "--json").json["extraction_behind"]) == ([], 1)
    call("extract", "pending", SMRITI_ES_LLM=model.address, **AUTO)
    assert homes(call) == ["Rome"]


def test_a_model_that_fails_loses_no_turn_and_is_tried_again(call: Call, model: Any) -> None:
    model.says(400)
    done = call("add", "Rome is home.", "--llm", model.address, "--json", **AUTO)
    assert (done.code, done.json["facts"]) == (0, [])
    assert "extraction: the turn at position 3 failed" in done.json["degraded"][0]
    status = call("status", "--json").json
    assert [each["position"] for each in status["extraction_failed"]] == [3]
    assert "extract retry" in call("status").out
    model.says(ROME)
    assert call("extract", "pending", "--llm", model.address, **AUTO).out == "Found no new fact.\n"
    done = call("extract", "retry", "--llm", model.address, **AUTO)
    assert (done.out, homes(call)) == ("Found 1 new fact.\n", ["Rome"])
    assert call("status", "--json").json["extraction_failed"] == []


def test_patterns_can_be_wanted_beside_a_model(call: Call, model: Any) -> None:
    call("add", "I live in Rome.", "--extractor", "patterns", "--llm", model.address, **AUTO)
    assert (homes(call), model.asked) == (["Rome"], [])


def test_auto_is_the_model_where_one_is_named_and_patterns_elsewhere() -> None:
    llm = chosen_llm("http://localhost:1#small")
    assert llm is not None
    assert isinstance(chosen_extractor("auto", llm), LLMExtractor)
    assert chosen_extractor("auto", None) == "auto"
    assert chosen_extractor("patterns", llm) == "auto"
    assert chosen_extractor("none", llm) is None
    llm.close()


def test_a_model_keeps_what_stands_before_and_behind_the_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SMRITI_ES_LLM_KEY", "hidden")
    llm = chosen_llm("https://models.example/v1#org/small:7b")
    assert llm is not None
    assert (llm.model, llm.endpoint) == (
        "org/small:7b",
        "https://models.example/v1/chat/completions",
    )
    assert "hidden" not in repr(llm)
    llm.close()


@pytest.mark.parametrize("address", ["http://localhost:11434", "http://localhost:11434#", "#small"])
def test_an_address_without_a_model_or_a_host_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput):
        chosen_llm(address)


def test_an_extractor_that_does_not_exist_is_refused(call: Call) -> None:
    done = call("add", "Hello.", "--extractor", "magic")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: there is no extractor 'magic'\nhint: Give auto, patterns or none.\n"
    )


def test_an_answer_remarks_what_was_not_read_for_facts_yet(call: Call) -> None:
    call("init", **AUTO)
    call("add", "I live in Rome.", "--extractor", "none", **AUTO)
    remark = (
        "note: up to 1 turn was not read for facts yet; `smriti-es extract pending` reads them."
    )
    for verb in ("search", "context"):
        done = call(verb, "Where do I live?", **AUTO)
        assert remark in done.err
        assert call(verb, "Where do I live?", "--json", **AUTO).json["unread"] == 1
    call("extract", "pending", **AUTO)
    assert "not read for facts" not in call("search", "Where do I live?", **AUTO).err
