"""The options about trust, `data-flow`, and what is said of what was taken out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]

SAID = "password: hunter2"
GONE = "password: [redacted: password]"
BLOCK = "[memory, as of 2024-07-01 Mon]\n# 2024-01-15 Mon\n  Ana: I live in Hyderabad."
AWAY = "https://api.example.com#big"


def texts(call: Call) -> list[str]:
    return [turn["text"] for turn in call("turns", "--json").lines]


@pytest.mark.parametrize(
    ("options", "environment", "text"),
    [
        ((), {}, SAID),
        (("--redact",), {}, GONE),
        ((), {"SMRITI_ES_REDACT": "1"}, GONE),
        (("--no-redact",), {"SMRITI_ES_REDACT": "1"}, SAID),
        ((), {"SMRITI_ES_REDACT": "off"}, SAID),
        (("--profile", "local"), {}, GONE),
        ((), {"SMRITI_ES_PROFILE": "regulated"}, GONE),
        (("--profile", "team", "--no-redact"), {}, SAID),
    ],
)
def test_credentials_are_taken_out_where_that_is_asked_for(
    call: Call, options: tuple[str, ...], environment: dict[str, str], text: str
) -> None:
    assert call("add", SAID, *options, **environment).code == 0
    assert texts(call) == [text]


def test_options_about_trust_may_stand_before_the_verb(call: Call) -> None:
    call("--redact", "add", SAID)
    assert texts(call) == [GONE]


def test_a_word_that_is_no_yes_and_no_no_is_refused(call: Call) -> None:
    refused = call("add", SAID, SMRITI_ES_REDACT="maybe")
    assert refused.code == 2
    assert "SMRITI_ES_REDACT is 'maybe'" in refused.err


def test_what_was_taken_out_is_said(call: Call) -> None:
    done = call("add", f"{BLOCK}\n\n{SAID}", "--redact")
    assert "note: credentials were replaced: 1 password" in done.err
    assert "note: contexts that a memory had given were taken out: 1" in done.err


def test_what_was_taken_out_stands_in_the_json(call: Call) -> None:
    done = call("add", f"{BLOCK}\n\n{SAID}", "--redact", "--json").json
    assert (done["redacted"], done["stripped"]) == ({"password": 1}, 1)


@pytest.mark.parametrize(
    ("options", "environment"),
    [(("--ignore", "^HEART"), {}), ((), {"SMRITI_ES_IGNORE": "x9\n^HEART"})],
)
def test_chatter_is_not_recorded_and_that_is_said(
    call: Call, options: tuple[str, ...], environment: dict[str, str]
) -> None:
    done = call("add", "HEARTBEAT 17", *options, **environment)
    assert "note: message 0 was not recorded: ignored (it fits ^HEART)" in done.err
    assert texts(call) == []


def test_an_import_counts_what_it_took_out(call: Call, tmp_path: Path) -> None:
    lines = [
        {"session": "a", "role": "user", "content": SAID},
        {"session": "a", "role": "user", "content": BLOCK},
    ]
    (tmp_path / "said.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    done = call("import", "said.jsonl", "--redact", "--json").json
    assert (done["recorded"], done["skipped"]) == (1, 1)
    assert (done["redacted"], done["stripped"]) == ({"password": 1}, 1)


def test_a_model_that_the_profile_does_not_allow_is_refused(call: Call, tmp_path: Path) -> None:
    refused = call("add", "hello", "--llm", AWAY, "--extractor", "auto", "--profile", "local")
    assert refused.code == 2
    assert "profile local: the extractor would send text to api.example.com" in refused.err
    assert "--profile team with --allow-host api.example.com" in refused.err
    assert not (tmp_path / "memory.db").exists()


def test_data_flow_tells_what_can_go_where(call: Call) -> None:
    call("init")
    options = ("--profile", "team", "--allow-host", "api.example.com", "--ignore", "^HEART")
    out = call("data-flow", "--llm", AWAY, "--extractor", "auto", *options).out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[1].startswith(
        "embedder HashEmbedder turns, facts and questions stays in the process no"
    )
    assert lines[2].startswith("extractor LLMExtractor (big) turns another machine yes https://api")
    assert "profile team; text may be sent to: this machine, api.example.com" in lines
    assert "ignored ^HEART" in lines


def test_data_flow_in_json_holds_everything(call: Call, tmp_path: Path) -> None:
    call("init")
    found = call("data-flow", "--json", SMRITI_ES_EXTRACTOR="patterns").json
    assert found["location"] == str(tmp_path / "memory.db")
    assert [(flow["adapter"], flow["name"], flow["reach"]) for flow in found["flows"]] == [
        ("embedder", "HashEmbedder", "process"),
        ("extractor", "patterns", "process"),
    ]
    assert (found["profile"], found["redacts"], found["telemetry"]) == (None, [], None)


def test_hosts_may_be_named_in_the_environment(call: Call) -> None:
    call("init")
    found = call(
        "data-flow",
        "--json",
        SMRITI_ES_PROFILE="regulated",
        SMRITI_ES_ALLOWED_HOSTS="b.example a.example:8443",
    ).json
    assert found["allowed_hosts"] == ["a.example:8443", "b.example"]


def test_data_flow_of_a_memory_that_is_not_there_makes_none(call: Call, tmp_path: Path) -> None:
    assert call("data-flow").code == 2
    assert list(tmp_path.iterdir()) == []
