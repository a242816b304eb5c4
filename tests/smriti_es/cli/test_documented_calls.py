"""Whoever follows the pages from the top, in a folder of their own, meets no error."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGES = ("README.md", "docs/cli.md")
CHECKOUT = Path(__file__).resolve().parents[3]
SHELL_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What the reader brings: a service, a model, a benchmark's file; and what never ends by itself.
BROUGHT = ("localhost:", "./models/", "locomo10.json", "--follow")

pytestmark = pytest.mark.skipif(
    not all((CHECKOUT / page).is_file() for page in PAGES), reason="there are no pages here"
)


def lines(page: str) -> list[str]:
    """Give the lines of the page's shell blocks that this test can follow."""
    text = (CHECKOUT / page).read_text("utf-8")
    found = [line for block in SHELL_BLOCK.findall(text) for line in block.splitlines()]
    return [line for line in found if not any(brought in line for brought in BROUGHT)]


@pytest.mark.parametrize("page", PAGES)
def test_every_call_that_a_page_shows_succeeds_in_its_order(
    page: str, call: Callable[..., Any], settings: dict[str, str], tmp_path: Path
) -> None:
    del settings["SMRITI_ES_EXTRACTOR"]
    failed = []
    for line in lines(page):
        program, *arguments = shlex.split(line, comments=True) or [""]
        if program == "echo":
            text, redirect, file = arguments
            assert redirect == ">"
            (tmp_path / file).write_text(f"{text}\n", "utf-8")
        elif program == "smriti-es":
            done = call(*arguments)
            if done.code != 0:
                failed.append(f"{line}: {done.err}")
    assert failed == []


def test_the_pages_show_calls() -> None:
    counted = {page: sum(line.startswith("smriti-es ") for line in lines(page)) for page in PAGES}
    assert min(counted.values()) > 5
