"""What docs/audit.md shows to be done by hand works, with tools that are none of ours."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from smriti_es.engine import Engine

PAGE = Path(__file__).resolve().parents[3] / "docs" / "audit.md"
TOOLS = ("bash", "jq", "sha256sum", "openssl", "base64")

pytestmark = pytest.mark.skipif(
    not PAGE.is_file() or not all(map(shutil.which, TOOLS)), reason="needs the page and the tools"
)


def follow(folder: Path) -> list[str]:
    (recipe,) = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    done = subprocess.run(
        ["bash", "-c", recipe], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    return (done.stdout + done.stderr).splitlines()


@pytest.fixture
def audit(engine: Callable[..., Engine], tmp_path: Path) -> Path:
    """A bundle named as on the page."""
    memory = engine()
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15")
    memory.export_audit(tmp_path / "audit")
    return tmp_path / "audit"


def test_the_hashes_made_by_hand_are_those_of_the_bundle(
    audit: Path, engine: Callable[..., Engine]
) -> None:
    *_, last = engine(read_only=True).events()
    head, made, committed = follow(audit.parent)
    assert head == f"head: {last.leaf.hex()}"
    assert made.split() == ["commitment:", committed.split()[1]]


def test_a_change_is_seen_by_hand(audit: Path) -> None:
    events = audit / "events.jsonl"
    lines = events.read_bytes().splitlines(keepends=True)
    events.write_bytes(b"".join([lines[0], *lines[2:]]))
    said = follow(audit.parent)
    assert "events.jsonl: FAILED" in said
    assert any(line.startswith("broken: ") for line in said)
