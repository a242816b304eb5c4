"""The documentation as a site: whole, strict, and with a reference of everything public."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

import pytest

import smriti_es

DIRECTIVE = re.compile(r"^::: smriti_es\.(\w+)$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# What the site's own builder does not see, as it lies outside docs/.
BESIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md")


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found = (re.sub(r"[^\w\- ]", "", each.lower()) for each in HEADING.findall(text))
    return {each.strip().replace(" ", "-") for each in found}


def test_everything_public_stands_in_the_reference_once(checkout: Path) -> None:
    pages = sorted((checkout / "docs" / "reference").glob("*.md"))
    told = Counter(name for page in pages for name in DIRECTIVE.findall(page.read_text("utf-8")))
    assert told == Counter(smriti_es.__all__)


@pytest.mark.parametrize("name", BESIDE)
def test_every_link_of_a_page_beside_the_site_leads_somewhere(
    name: str, checkout: Path, texts: Mapping[Path, str]
) -> None:
    lost = []
    for target in LINK.findall(FENCED.sub("", texts[Path(name)])):
        path, _, anchor = unquote(target).partition("#")
        if "://" in target:
            continue
        page = checkout / (path or name)
        if not page.exists() or (anchor and anchor not in anchors(page.read_text("utf-8"))):
            lost.append(target)
    assert lost == []


# A broken page, and what the builder says of it.
BROKEN = {
    "[gone](gone.md)": "gone.md",
    "[no such heading](index.md#gone)": "#gone",
    "::: smriti_es.Gone": "smriti_es.Gone",
}


@pytest.mark.parametrize("broken", BROKEN)
def test_the_site_is_not_built_with_a_link_that_leads_nowhere(
    broken: str, checkout: Path, tmp_path: Path
) -> None:
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    pages = tmp_path / "docs"
    pages.mkdir()
    (pages / "index.md").write_text(f"# A page\n\n{broken}\n", "utf-8")
    settings = (checkout / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[0]
    (tmp_path / "mkdocs.yml").write_text(settings + "\nnav: [index.md]\n", "utf-8")
    (tmp_path / "smriti_es").symlink_to(checkout / "smriti_es")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert BROKEN[broken] in done.stderr
