"""A hint on the command line names verbs and options, and nothing of Python."""

import ast
import re
from collections.abc import Callable, Iterator
from glob import glob
from pathlib import Path
from typing import Any

import pytest

import smriti_es
from smriti_es.cli.hints import _SENTENCES, in_cli_terms

Call = Callable[..., Any]
PACKAGE = Path(smriti_es.__file__).parent
# Methods, arguments, settings, keywords with values.
OF_PYTHON = re.compile(r"\bengine\.|read_only|_ms\b|\w\(|\b[a-z_]+=\S|`[a-z]+_[a-z_]+`|\bstr\b")
# Where only a program gets to: values of Python that are handed in, and classes that it makes.
FOR_PROGRAMS = (
    "blast_radius.py",
    "content_parts.py",
    "embedders/",
    "endpoint.py",
    "extraction/",
    "fact_reads.py",
    "http_posting.py",
    "policy.py",
    "projections/vectors/exact.py",
    "projections/vectors/graph.py",
    "redaction.py",
    "screening.py",
    "trust_writing.py",
    "withholding.py",
)


def literal(node: ast.expr) -> str | None:
    """Read text of which the parts that are worked out do not matter."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [literal(part) or "something" for part in node.values]
        return "".join(parts)
    return None


def hints_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        values: list[ast.expr] = []
        if isinstance(node, ast.keyword) and node.arg == "hint":
            values = [node.value]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values = [node.value] if node.targets[0].id == "hint" else []
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "refusal":
            values = node.args[1:2]
        for value in values:
            if (text := literal(value)) is not None:
                yield text


def modules() -> list[tuple[str, Path]]:
    """List the modules; in a checkout two of the folders are links, which `rglob` passes by."""
    names = sorted(glob("**/*.py", root_dir=PACKAGE, recursive=True))
    return [(name, PACKAGE / name) for name in names]


def all_hints() -> Iterator[tuple[str, str]]:
    for name, path in modules():
        if not name.startswith((*FOR_PROGRAMS, "cli/")):
            yield from ((name, hint) for hint in hints_in(path))


def test_no_hint_that_a_call_can_meet_speaks_python() -> None:
    found = {f"{name}: {in_cli_terms(hint)}" for name, hint in all_hints()}
    assert len(found) > 30
    assert sorted(said for said in found if OF_PYTHON.search(said.partition(": ")[2])) == []


def test_no_sentence_is_kept_that_the_library_says_no_more() -> None:
    source = "".join(path.read_text("utf-8") for _, path in modules())
    said = re.sub(r'"\n\s*f?"', "", source)
    own = (PACKAGE / "cli" / "hints.py").read_text("utf-8")
    counted = {each: said.count(each) - own.count(each) for each in _SENTENCES}
    assert [each for each, times in counted.items() if times < 1] == []


RETRIED = "The turns are recorded; `extract_pending` tries again."


@pytest.mark.parametrize(
    ("hint", "here"),
    [
        ("Let it be writable, or open it with read_only=True.", "Let it be writable."),
        ("engine.facts() lists them.", "`smriti-es facts` lists them."),
        (
            "`smriti-es sessions` or engine.sessions() lists them.",
            "`smriti-es sessions` lists them.",
        ),
        (RETRIED, RETRIED.replace("extract_pending", "smriti-es extract retry")),
        ('Add "api.x.org" to allowed_hosts, or not.', "Give --allow-host api.x.org, or not."),
        (
            'Give profile="team" or profile="regulated".',
            "Give --profile team or --profile regulated.",
        ),
        ("Write single_valued=['home_airport'].", "Write --single-valued home_airport."),
        ("Name the conversation.", "Name the conversation."),
    ],
)
def test_terms_of_the_library_are_written_as_they_are_typed(hint: str, here: str) -> None:
    assert in_cli_terms(hint) == here


def test_a_fact_that_is_not_there_leads_to_the_verbs_that_list_facts(moved: Call) -> None:
    assert moved("retract", 3).err.splitlines()[-1] == (
        "hint: `smriti-es facts` and `smriti-es history` give positions."
    )


def test_an_unknown_session_leads_to_the_verb_that_lists_sessions(two_homes: Call) -> None:
    done = two_homes("turns", "--session", "nowhere")
    assert done.err.splitlines()[-1] == "hint: `smriti-es sessions` lists them."


def test_an_unknown_alias_names_the_verb(moved: Call) -> None:
    done = moved("unalias", "nobody")
    assert done.err.splitlines()[-1] == "hint: Name what `smriti-es alias` was given."


def test_a_place_that_cannot_be_written_names_no_argument_of_python(call: Call) -> None:
    done = call("add", "x", "--db", "missing/memory.db")
    assert (
        done.err.splitlines()[-1] == "hint: Let the folder exist, and it and the file be writable."
    )


def test_facts_are_not_looked_for_without_an_extractor(two_homes: Call) -> None:
    done = two_homes("extract", "pending")
    assert (done.code, done.err.splitlines()[-1]) == (2, "hint: Name one with --extractor.")
