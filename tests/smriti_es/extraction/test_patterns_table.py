"""What the patterns understand and what they leave alone, by the examples in two files beside."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from smriti_es.events.instants import format_instant, parse_instant
from smriti_es.extraction.contract import ExtractedFact, SourceTurn
from smriti_es.extraction.pattern_clauses import clauses, sentences
from smriti_es.extraction.pattern_rewriting import expanded, first_person, statement
from smriti_es.extraction.pattern_table import PATTERNS
from smriti_es.extraction.patterns import PatternExtractor

SAID_AT = parse_instant("2026-06-02T10:00:00Z").at
CONTINUED = re.compile(r"\n {4}(?=\S)")


def written(fact: ExtractedFact) -> str:
    """Write a fact as a row does."""
    subject = "" if fact.subject == "user" else f"{fact.subject}: "
    text = f"{subject}{'-' if fact.ends else ''}{fact.predicate} = {fact.object}".rstrip()
    at = fact.valid_to if fact.ends else fact.valid_from
    time = "" if at is None else f" @{format_instant(at)[:10]} {fact.precision}"
    return f"{text}{time}{f' #{fact.scope}' if fact.scope else ''}"


def rows(name: str) -> list[str]:
    """Read the rows of a file beside; `#` begins what is none."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    lines = CONTINUED.sub(" ", text).splitlines()
    return [line for line in lines if line and not line.startswith("#")]


UNDERSTOOD = rows("patterns_understood.txt")
LEFT_ALONE = rows("patterns_left_alone.txt")


def extract(text: str) -> tuple[ExtractedFact, ...]:
    turn = SourceTurn(7, "user", None, text, SAID_AT, "owner")
    return PatternExtractor().extract([turn], timezone="UTC").facts


@pytest.mark.parametrize("row", UNDERSTOOD)
def test_a_statement_gives_exactly_its_facts(row: str) -> None:
    text, _, expected = row.partition(" -> ")

    found = extract(text)

    assert sorted(map(written, found)) == sorted(expected.split("; "))
    assert all(evidence.quote in text for fact in found for evidence in fact.evidence)


def statements(text: str) -> Iterator[str]:
    """Give what the patterns see of a text."""
    for found in sentences(text, lambda _words: True):
        for clause in clauses(found):
            lacking = clause.shared or clause.elided
            said = expanded(
                f"I {clause.text[0].lower()}{clause.text[1:]}" if lacking else clause.text
            )
            told = statement(said, date(2026, 6, 2))
            plain = first_person(said)
            yield from (one for one in (told and told.text, plain and plain[0]) if one)


def test_every_pattern_has_an_example() -> None:
    seen = [said for row in UNDERSTOOD for said in statements(row.partition(" -> ")[0])]

    without = [
        pattern.form.pattern.pattern
        for pattern in PATTERNS
        if not any(map(pattern.form.pattern.fullmatch, seen))
    ]

    assert not without, without


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_states_no_fact_gives_none(text: str) -> None:
    assert extract(text) == ()


def test_there_are_examples_enough_of_both() -> None:
    assert len(set(UNDERSTOOD)) >= 150
    assert len(set(LEFT_ALONE)) >= 150
