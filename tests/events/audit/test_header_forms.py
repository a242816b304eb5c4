"""A header has one form: whatever lies beyond it is broken, and its limits are just within."""

from pathlib import Path
from typing import Any

import pytest

BEYOND: dict[str, list[Any]] = {
    "actor": [{"id": "a", "kind": "boss"}, {"id": 1, "kind": "owner"}, {"id": "a"}, []],
    "commit": [[5], [5, 0], [5, 1, 1], "x", [4, 1], [5, 2]],
    "id": ["A" * 32, "a" * 31, "a" * 33, 5],
    "known": [-1, 2**53, "x", 1.5],
    "log": ["aa" * 16, "5F" * 16, 5],
    "pay": [{"c": "0" * 64}, {"c": "0" * 63, "n": 1}, {"c": "0" * 64, "n": -1}, [], None],
    "pos": [4, "5", -5],
    "refs": [[1, 1], [2, 1], [5], [-1], "x", [True]],
    "spec": ["smriti-es/0", "smriti-es/01", "other", 5],
    "type": ["", "T" * 65, 5],
    "ver": [0, -1, "1", 2**53],
    "x": [[], {"a": 1.5}, {"a": True}, {"a": None}, {"a": 2**53}, {"a": -(2**53)}],
    # JSON that is written in one form only, and not in ours.
    "x ": [{"a": 'a "quote"'}, {"a": "back\\slash"}, {"a": "\x7f"}, {"a": "\n"}, {"a": "\u00e9"}],
    "extra": [1],
}
WITHIN: dict[str, list[Any]] = {
    "commit": [[5, 1]],
    "refs": [[0, 4], [4], []],
    "type": ["T" * 64, " "],
    "ver": [1, 2**53 - 1],
    "x": [{}, {"a": 2**53 - 1, "b": 1 - 2**53}, {"a": [{"b": ["text", -1]}]}],
    "pay": [{"c": "0" * 64, "n": 2**53 - 1}],
}


def cases(table: dict[str, list[Any]]) -> list[tuple[str, Any]]:
    return [(name, value) for name, values in table.items() for value in values]


def answer(name: str, value: Any, tiny: Any, bundle: Any, verify: Any, folder: Path) -> Any:
    """Set a member of the event at position 5, links to fit, and ask both verifiers."""
    members: dict[str, Any] = {"withheld": []}
    if name == "pay":
        tiny.entries[5].payload = None
        members["withheld"] = [[5, 5]]
    tiny.entries[5].header[name.strip()] = value
    return verify(bundle(folder, tiny.files(), **members), tiny.signer.vkey)


@pytest.mark.parametrize(("name", "value"), cases(BEYOND))
def test_a_member_beyond_its_form_is_broken(
    name: str, value: Any, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    assert answer(name, value, tiny, bundle, verify, tmp_path / "b").code == 1


@pytest.mark.parametrize(("name", "value"), cases(WITHIN))
def test_a_member_at_the_limits_of_its_form_is_right(
    name: str, value: Any, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    assert answer(name, value, tiny, bundle, verify, tmp_path / "b").code == 0


@pytest.mark.parametrize("name", ["actor", "commit", "id", "known", "log", "refs", "spec", "ver"])
def test_a_member_that_is_not_there_is_broken(
    name: str, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    del tiny.entries[5].header[name]
    assert verify(bundle(tmp_path / "b", tiny.files()), tiny.signer.vkey).code == 1


@pytest.mark.parametrize(("size", "code"), [(65_536, 0), (65_537, 1)])
def test_a_header_has_at_most_64_kib(
    size: int, code: int, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    tiny.entries[5].header["x"] = {"a": ""}
    missing = size - len(tiny.headers()[5])
    tiny.entries[5].header["x"] = {"a": "x" * missing}
    assert verify(bundle(tmp_path / "b", tiny.files()), tiny.signer.vkey).code == code


@pytest.mark.parametrize(("levels", "code"), [(62, 0), (63, 1)])
def test_a_header_is_nested_at_most_64_levels_deep(
    levels: int, code: int, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    # The header and `x` are the first two levels.
    tiny.entries[5].header["x"] = {"a": value}
    assert verify(bundle(tmp_path / "b", tiny.files()), tiny.signer.vkey).code == code


@pytest.mark.parametrize(
    ("ranges", "code"),
    [
        ([[2, 3]], 0),
        ([[2, 2], [3, 3]], 0),
        ([[2, 3], [4, 4]], 0),  # 4 never had any content
        ([], 1),
        ([[2, 2]], 1),
        ([[3, 3], [2, 2]], 1),
        ([[3, 2]], 1),
        ([[2, 6]], 1),
        ([[2, 5]], 1),
        ([[0, 0], [2, 3]], 1),
        ([[2]], 1),
        ([[2, 3, 4]], 1),
        ([["2", 3]], 1),
        ([[-1, 3]], 1),
        ({}, 1),
    ],
)
def test_an_erasure_names_exactly_what_is_gone(
    ranges: Any, code: int, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    tiny.entries[6].header["x"] = {"ranges": ranges}
    assert verify(bundle(tmp_path / "b", tiny.files()), tiny.signer.vkey).code == code


def test_an_erasure_of_many_runs_takes_all_of_them(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    tiny.erase(1)
    tiny.erase(7, 9)
    tiny.commit(("Erased", {"ranges": [[1, 3], [7, 7], [9, 9]]}, b"{}"))
    answer = verify(bundle(tmp_path / "b", tiny.files()), tiny.signer.vkey)
    assert answer.code == 0


def test_at_most_a_thousand_findings_are_told(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    tiny.commit(*[("TurnRecorded", {}, b"x")] * 1_200)
    files = tiny.files()
    payloads = files["payloads.jsonl"].replace(b'"body":"eA=="', b'"body":"eQ=="')
    folder = bundle(tmp_path / "b", files | {"payloads.jsonl": payloads})
    for found in (
        verify.of_engine(folder, tiny.signer.vkey),
        verify.of_script(folder, tiny.signer.vkey),
    ):
        assert len(found.broken) == 1_000
