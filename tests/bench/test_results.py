"""What a result file says beside the figures."""

import json
from pathlib import Path

import pytest

from bench import machine
from bench.results import write_result

KEYS = [
    "bench",
    "date",
    "commit",
    "machine",
    "versions",
    "command",
    "data_sha256",
    "settings",
    "figures",
]


def test_a_result_says_what_was_measured_where_and_with_what(tmp_path: Path) -> None:
    path = write_result(
        "log",
        settings={"repetitions": 3},
        figures={"add": {"p50_ms": 1.0}},
        folder=tmp_path,
        path=tmp_path / "deep" / "log.json",
    )
    result = json.loads(path.read_text("utf-8"))
    assert list(result) == KEYS
    assert {"cpu", "cores", "memory_gib", "os", "filesystem"} <= set(result["machine"])
    assert {"python", "sqlite", "numpy", "onnxruntime", "smriti_es"} <= set(result["versions"])
    assert result["figures"] == {"add": {"p50_ms": 1.0}}
    assert [found.name for found in path.parent.iterdir()] == ["log.json"]


@pytest.mark.parametrize(
    ("head", "others", "expected"),
    [
        ("c0ffee\n", {}, "c0ffee"),
        ("ref: refs/heads/main\n", {"refs/heads/main": "beef\n"}, "beef"),
        (
            "ref: refs/heads/main\n",
            {"packed-refs": "# pack-refs\nfade refs/heads/other\ndeaf refs/heads/main\n"},
            "deaf",
        ),
        ("ref: refs/heads/main\n", {}, None),
    ],
)
def test_the_commit_is_read_from_the_checkout(
    head: str,
    others: dict[str, str],
    expected: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, text in {"HEAD": head, **others}.items():
        path = tmp_path / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "ascii")
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    assert machine.commit() == expected


def test_without_a_checkout_there_is_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    assert machine.commit() is None


def test_the_source_digest_names_the_files_that_ran() -> None:
    assert len(machine.source_digest()) == 16
