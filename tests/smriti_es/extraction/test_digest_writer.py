"""A digest says what the facts say; its totals are computed."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.events.errors import ExtractionError
from smriti_es.extraction.digest_writer import TEXT_LENGTH_MAX, Digest, DigestWriter, totals
from smriti_es.extraction.fact_digest import FactDigest

Scripted = Callable[..., Any]
FACTS = [
    FactDigest("Ana spent $40 on a lamp", "Ana", "bought", "a lamp", valid_from="2026-06-01"),
    FactDigest("Ana spent $25 on a pen", "Ana", "bought", "a pen", scope="project:apollo"),
    FactDigest("Ana rode 12 miles", "Ana", "rode", "12 miles", valid_to="2026-06-02"),
]


def test_a_digest_is_the_models_sentences_and_our_totals(scripted: Scripted) -> None:
    digest = DigestWriter(scripted("Ana bought a lamp and a pen.")).write("Ana", FACTS)
    assert digest == Digest(
        "Ana bought a lamp and a pen.\nTotals: $65 ($40 + $25).",
        reply="Ana bought a lamp and a pen.",
        status="written",
        usage={"calls": 1},
    )


def test_the_model_sees_scope_and_interval_of_each_fact(scripted: Scripted) -> None:
    chat = scripted("So.")
    DigestWriter(chat).write("Ana:\n bought", FACTS)
    ((rules, question),) = chat.asked
    label, _, begin, *lines, end = question["content"].split("\n")
    assert label == "What the facts are about: Ana: bought"
    assert (begin, end) == ("<<<FACTS", "FACTS>>>")
    shown = [json.loads(line) for line in lines]
    assert [(each["scope"], each["from"], each["until"]) for each in shown] == [
        ("(no scope: applies everywhere)", "2026-06-01", "(present)"),
        ("project:apollo", "(unknown)", "(present)"),
        ("(no scope: applies everywhere)", "(unknown)", "2026-06-02"),
    ]
    for rule in ("Do not guess", "never make it general", "Name every single instance"):
        assert rule in rules["content"]
    assert chat.json_modes == [False]


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (" Ana\n bought  a lamp. ", "Ana bought a lamp."),
        ("```\nAna bought a lamp.\n```", "Ana bought a lamp."),
        ("```text\nAna bought a lamp.\n```", "Ana bought a lamp."),
        ("<think>Hm. </think>\nAna bought a lamp.", "Ana bought a lamp."),
    ],
)
def test_what_stands_around_the_sentences_is_left_out(
    scripted: Scripted, reply: str, text: str
) -> None:
    digest = DigestWriter(scripted(reply)).write("Ana", FACTS[:1])
    assert (digest.text, digest.reply) == (text, reply)


@pytest.mark.parametrize("reply", ["", " \n", "```\n```", "<think>Hm.</think>"])
def test_when_the_model_says_nothing_nothing_is_written(scripted: Scripted, reply: str) -> None:
    digest = DigestWriter(scripted(reply)).write("Ana", FACTS)
    assert (digest.text, digest.status, digest.reply) == ("", "empty", reply)


def test_a_long_digest_is_cut_at_a_sentence(scripted: Scripted) -> None:
    digest = DigestWriter(scripted("Ana bought a lamp. " * 500)).write("Ana", FACTS[:1])
    assert TEXT_LENGTH_MAX // 2 < len(digest.text) <= TEXT_LENGTH_MAX
    assert digest.text.endswith("lamp.")


def test_without_facts_nobody_is_asked(scripted: Scripted) -> None:
    chat = scripted()
    assert DigestWriter(chat).write("Ana", []) == Digest("", status="no_facts")
    assert chat.asked == []


def test_a_model_that_is_out_of_reach_is_told_as_it_is(
    scripted: Scripted, outage: ExtractionError
) -> None:
    with pytest.raises(ExtractionError, match="out of reach"):
        DigestWriter(scripted(outage)).write("Ana", FACTS)


def test_totals_need_no_model() -> None:
    assert totals(FACTS) == "Totals: $65 ($40 + $25)."
    assert totals(FACTS[1:]) == ""


def test_a_writer_names_itself_its_model_and_its_prompt(scripted: Scripted) -> None:
    writer = DigestWriter(scripted())
    assert (writer.name, writer.model) == ("llm-digest/1", "scripted")
    assert len(writer.prompt_digest) == 64
