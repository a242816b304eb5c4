"""What must not lie about in the repository."""

import re
from collections.abc import Mapping
from pathlib import Path

CODE = {".py", ".toml", ".md", ".in", ".mako", ""}
# Written in pieces, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
# A folder of one person's machine, or of the machine that something was built on.
OWN_MACHINE = re.compile(r"(?<![\w.:/])/(?:work|home|root|Users|opt)/\w|[A-Z]:\\+Users\\")


def lines_matching(pattern: re.Pattern[str], texts: Mapping[Path, str]) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in texts.items()
        if pattern.search(text)
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def test_nothing_is_marked_as_unfinished(texts: Mapping[Path, str]) -> None:
    code = {path: text for path, text in texts.items() if path.suffix in CODE}
    assert lines_matching(UNFINISHED, code) == []


def test_no_file_names_a_path_of_one_machine(texts: Mapping[Path, str]) -> None:
    assert lines_matching(OWN_MACHINE, texts) == []


def test_every_text_ends_with_one_line_end_and_uses_no_carriage_return(
    texts: Mapping[Path, str],
) -> None:
    untidy = [
        str(path)
        for path, text in texts.items()
        if path.suffix in CODE and text and (not text.endswith("\n") or "\r" in text)
    ]
    assert untidy == []
