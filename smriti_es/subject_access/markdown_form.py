"""What is held on somebody as Markdown: a page that they can read.

Whatever somebody said stands in a block that nothing in it can end; all else is written by us.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from smriti_es.events.instants import format_instant
from smriti_es.subject_access.marking import Mark
from smriti_es.subject_access.new_file import Writing
from smriti_es.subject_access.records import Record, Records

_SECTIONS: Final = (
    (Mark.FACT, "What is believed, was believed, or waits for review"),
    (Mark.TURN, "What was said"),
    (Mark.EXTRACTION, "What was read for facts, and what models replied"),
    (0, "What was decided, withheld and handed out"),
)
# What is shown of content in words of our own; the rest is shown as it is kept.
_TEXTS: Final = ("statement", "text", "replies", "reply", "reason", "error")
_TIMES: Final = ("said_at", "valid_from", "valid_to")
_RUNS: Final = re.compile("`+")
_MARKUP: Final = re.compile(r"[\\`*_{}\[\]<>()#+.!|~&-]")
# Characters that a viewer would obey instead of showing.
_COMMANDS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def write_markdown(writing: Writing, head: Record, records: Records) -> dict[str, int]:
    """Write the page, section by section.

    Returns:
        How many records there are of each kind.
    """
    counts: Counter[str] = Counter()
    for line in _title(head):
        writing.line(line)
    for kinds, title in _SECTIONS:
        writing.line(f"## {title}\n")
        none = True
        for record in records.of_kinds(kinds):
            none = False
            counts[record["record"]] += 1
            for line in _entry(record):
                writing.line(line)
        if none:
            writing.line("Nothing.\n")
    told = dict(sorted(counts.items()))
    writing.line("## All of it\n")
    writing.line(listed(f"{kind}: {count}" for kind, count in told.items()) or "Nothing.\n")
    return told


def _title(head: Record) -> Iterator[str]:
    last = head["head"]
    yield "# What this memory holds on somebody\n"
    yield block(head["about"])
    yield "Looked for under these names:\n"
    yield block("\n".join(head["names"]))
    yield "Spaces that were looked into:\n"
    yield block("\n".join(head["spaces"]))
    yield listed(
        [
            f"made: {head['made']}",
            f"log: {head['log']}, up to position {last['position']} ({last['known']})",
            f"hash of that position: {last['leaf']}",
            "of what others said: "
            + ("all of it" if head["others"] == "whole" else "the sentences that name them"),
        ]
    )
    yield "Not looked at:\n"
    yield listed(head["not_looked_at"])


def _entry(record: Record) -> Iterator[str]:
    """Write one record: a heading, what is told of it, and what it says."""
    yield f"### {record['position']}: {record['record']}, {record['known']}\n"
    content: Mapping[str, Any] = record.get("content", {})
    told = [f"why it is here: {', '.join(record['why'])}", f"event: {record['type']}"]
    told += [f"{name}: {_plain(value)}" for name, value in record["facets"].items()]
    told += [f"{name}: {format_instant(content[name])}" for name in _TIMES if content.get(name)]
    if (standing := record.get("standing")) is not None:
        told += [f"state: {standing['state']}", *_beliefs(standing.get("revisions", ()))]
    if "withheld_by" in record:
        told.append(f"withheld from every read by: {_plain(record['withheld_by'])}")
    if "left_out" in record:
        told.append(f"left out: {record['left_out']}")
    told += [f"recorded by: {inline(record['actor'])}", f"hash: {record['leaf']}"]
    yield listed(told)
    for name in _TEXTS:
        for text in _each(content.get(name, ())):
            yield block(text)
    rest = _rest({"session": record.get("session")} | dict(content))
    if rest:
        yield block("\n".join(rest))


def _rest(content: Mapping[str, Any]) -> list[str]:
    """Write what a record says beside its texts, as far as it says anything."""
    lines = [
        f"{name}: {_plain(value)}"
        for name, value in content.items()
        if name not in (*_TEXTS, *_TIMES, "evidence")
        and not name.startswith("$")
        and (value or type(value) is int)
    ]
    quoted = [
        f"evidence: turn {each['turn']}: {each['quote']}" for each in content.get("evidence", ())
    ]
    return [*lines, *quoted]


def _beliefs(revisions: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for each in revisions:
        until = f" to {each['known_to']}" if each["known_to"] else ""
        holds = f" to {each['valid_to']}" if each["valid_to"] else ""
        yield (
            f"known from {each['known_from']}{until}: {each['state']}, holds from "
            f"{each['valid_from']}{holds} (by event {each['cause']})"
        )


def _each(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(each) for each in value]


def _plain(value: Any) -> str:
    """Write a value in words: numbers and texts one after another."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_plain(each)}" for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_plain, value))
    return str(value)


def inline(text: str) -> str:
    """Put text into a line of ours, with nothing in it that Markdown or HTML would take up."""
    return _MARKUP.sub(r"\\\g<0>", text)


def listed(lines: Iterable[str]) -> str:
    """Write lines as a list."""
    return "".join(f"- {line}\n" for line in lines)


def block(text: str) -> str:
    """Put text into a block whose fence is longer than any run of such marks in it."""
    shown = _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
    longest = max(map(len, _RUNS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}\n"
