"""Behind events of a newer format, which cannot be read here, all that can be checked is."""

import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

# The commits of the log begin at 0, 1, 3, 5, 6, 7 and 10; the sixth has three events.


def with_newer(tiny: Any, positions: Collection[int]) -> dict[str, bytes]:
    for each in positions:
        tiny.entries[each].header["spec"] = "smriti-es/2"
    files: dict[str, bytes] = tiny.files()
    return files


@pytest.mark.parametrize(
    "newer", [{0}, {1}, {1, 2}, {4}, {3, 4}, {5}, {7}, {7, 8}, {8}, {9}, {7, 8, 9}, {10}, {1, 4, 8}]
)
def test_events_of_a_newer_format_break_nothing_wherever_they_stand(
    newer: set[int], tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b", with_newer(tiny, newer))
    key = tiny.signer.vkey
    for answer in (verify.of_engine(folder, key), verify.of_script(folder, key)):
        assert (answer.code, answer.broken) == (2, [])
        told = [each.partition(":")[0] for each in answer.incomplete]
        assert told == [f"position {each}" for each in sorted(newer)]


@pytest.mark.parametrize(
    ("newer", "position", "changes"),
    [
        ({7}, 8, {"known": 7}),  # 9 differs within its commit
        ({7}, 9, {"commit": [9, 1]}),  # begins before the commit before it ends
        ({7}, 9, {"commit": [7, 2]}),
        ({4}, 6, {"known": 7}),  # known does not rise from 5 on
        ({4}, 5, {"commit": [5, 2]}),
        ({4}, 5, {"commit": [6, 1]}),  # does not begin its commit
    ],
)
def test_what_is_wrong_behind_them_is_found(
    newer: set[int],
    position: int,
    changes: dict[str, Any],
    tiny: Any,
    bundle: Any,
    verify: Any,
    tmp_path: Path,
) -> None:
    files = with_newer(tiny, newer)
    made, leaf = [], bytes(32)
    for at, line in enumerate(files["events.jsonl"].splitlines()):
        header = json.loads(line) | {"prev": leaf.hex()} | (changes if at == position else {})
        encoded = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
        made.append(encoded + b"\n")
        leaf = hashlib.sha256(b"\0" + encoded).digest()
    files = files | {"events.jsonl": b"".join(made)}
    del files["checkpoint"]
    folder = bundle(tmp_path / "b", files)
    ours, script = verify.of_engine(folder), verify.of_script(folder)
    assert ours.broken == script.broken
    assert {place for _, place in script.broken} == {"events.jsonl"}
    assert {at for at, _ in script.broken} <= {position, position + 1}
