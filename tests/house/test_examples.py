"""The code in the README, in docs/ and in examples/ runs as it stands, offline, and prints so."""

import doctest
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
# A block of Python and, where one follows at once, the block of text that it prints.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n*```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
# Runs the file that it is given; every way out of the machine is closed.
OFFLINE = """
import runpy, sys
def refuse(event, args):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.sendto"}:
        raise OSError(f"the example reached for the network: {event} {args[1:]}")
sys.addaudithook(refuse)
runpy.run_path(sys.argv[1], run_name="__main__")
"""

PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))] if README.is_file() else []
BLOCKS = [
    pytest.param(*block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(BLOCK.findall(page.read_text("utf-8")), start=1)
]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_the_readme_shows_python(checkout: Path) -> None:
    assert README.is_file(), "README.md is missing"
    assert BLOCK.findall(README.read_text("utf-8")), "README.md holds no block of Python"


@pytest.mark.parametrize(("code", "printed"), BLOCKS)
def test_a_block_of_a_page_runs_and_prints_what_stands_below_it(
    code: str,
    printed: str,
    run_apart: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
) -> None:
    block = tmp_path / "block.py"
    block.write_text(code, "utf-8")
    done = run_apart("-c", OFFLINE, str(block), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    # "..." in the text stands for what differs from run to run.
    same = doctest.OutputChecker().check_output(printed, done.stdout, doctest.ELLIPSIS)
    assert same or not printed, f"the page says:\n{printed}\nit printed:\n{done.stdout}"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs_again_in_the_same_folder_and_leaves_nothing_there(
    example: Path, run_apart: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    for _ in range(2):
        done = run_apart("-c", OFFLINE, str(example), folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout
    assert list(tmp_path.iterdir()) == []
