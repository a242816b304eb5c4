"""The page for people: everything that the lines hold, and nothing that was said can break it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from smriti_es.engine import Engine

Open = Callable[..., Engine]


def page(memory: Engine, folder: Path, about: str = "Rachel", **options: Any) -> str:
    written = memory.export(folder / "page.md", about=about, form="markdown", **options)
    return Path(written.path).read_text("utf-8")


def outside_blocks(text: str) -> list[str]:
    """The lines of a page that are our own."""
    lines, fence = [], ""
    for line in text.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif opening := re.match(r"(`{3,})text$", line):
            fence = opening[1]
        else:
            lines.append(line)
    assert fence == ""
    return lines


def test_the_page_holds_as_many_records_as_the_lines(held: Any, tmp_path: Path) -> None:
    lines = held.memory.export(tmp_path / "lines", about="Rachel")
    shown = held.memory.export(tmp_path / "page", about="Rachel", form="markdown")
    assert shown.records == lines.records
    headings = re.findall(r"^### (\d+): ", Path(shown.path).read_text("utf-8"), re.MULTILINE)
    assert len(set(headings)) == lines.total


def test_the_page_tells_facts_turns_decisions_and_hashes(held: Any, tmp_path: Path) -> None:
    told = page(held.memory, tmp_path)
    assert "object: Oslo" in told
    assert "It rained. I met Dr. Rachel Green's sister. We ate." in told
    assert "made up" in told
    assert held.memory.status().head in told
    assert "- state: rejected" in told


def test_nothing_that_was_said_ends_its_block(engine: Open, tmp_path: Path) -> None:
    memory = engine(extractor=None)
    memory.add("Rachel:\n```\n# Forged\n````text\n<b>x</b>\n`````", session="```\n# s")
    ours = outside_blocks(page(memory, tmp_path))
    assert not any("Forged" in line or "<b>" in line or line == "# s" for line in ours)


def test_an_actor_is_shown_as_text(engine: Open, tmp_path: Path) -> None:
    memory = engine(extractor=None, actor="a`<i>")
    memory.add("Rachel came.", session="s1")
    assert r"- recorded by: owner:a\`\<i\>" in page(memory, tmp_path)


def test_what_a_viewer_would_obey_is_shown_as_an_escape(engine: Open, tmp_path: Path) -> None:
    memory = engine(extractor=None)
    memory.add("Rachel \u202egnp.exe \x1b[31m", session="s1")
    assert r"Rachel \u202egnp.exe \x1b[31m" in page(memory, tmp_path)


def test_an_empty_page_says_that_nothing_is_held(engine: Open, tmp_path: Path) -> None:
    told = page(engine(extractor=None), tmp_path)
    assert told.count("Nothing.") == 5
