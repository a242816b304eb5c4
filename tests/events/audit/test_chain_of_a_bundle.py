"""What the engine says of a bundle's events, where the words or the first event matter."""

from pathlib import Path
from typing import Any

from smriti_es.events.audit.checking import check_bundle


def test_the_first_event_of_a_log_links_to_nothing(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    files = tiny.files(0, 1, size=0)
    zeros, ones = b'"prev":"' + b"0" * 64, b'"prev":"' + b"1" * 64
    assert verify(bundle(tmp_path / "b", files), unsigned=True).code == 0
    files["events.jsonl"] = files["events.jsonl"].replace(zeros, ones)
    folder = bundle(tmp_path / "b", files)
    for answer in (
        verify.of_engine(folder, unsigned=True),
        verify.of_script(folder, unsigned=True),
    ):
        assert answer.broken == [(0, "events.jsonl")]


def test_payloads_that_are_missing_are_told_in_runs(tiny: Any, bundle: Any, tmp_path: Path) -> None:
    files = tiny.files()
    lines = files["payloads.jsonl"].splitlines(keepends=True)
    files["payloads.jsonl"] = b"".join([*lines[:2], *lines[4:7]])
    found = check_bundle(bundle(tmp_path / "b", files), keys=[], since=[], unsigned=True)
    problem = "is missing: neither disclosed nor withheld nor erased"
    assert [(each.position, each.problem) for each in found.findings] == [
        (5, f"{problem}, and so are all up to 6"),
        (10, problem),
    ]
