"""What verify_bundle.py answers: where something is broken, in which words, and the exit code."""

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Changed = Callable[[dict[str, bytes]], None]


@pytest.fixture
def broken(tiny: Any, bundle: Any, alone: Any, tmp_path: Path) -> Callable[..., list[Any]]:
    """Change the files of a bundle, and give place and problem of all that is broken."""

    def ask(
        change: Changed, *stretch: int, since: bytes | None = None, **members: Any
    ) -> list[Any]:
        files = tiny.files(*stretch)
        change(files)
        if stretch:
            members = {"first": stretch[0], **members}
        older = []
        if since is not None:
            (tmp_path / "older").write_bytes(since)
            older = [str(tmp_path / "older")]
        folder = bundle(tmp_path / "b", files, **members)
        report = alone.check(str(folder), [alone.read_key(tiny.signer.vkey)], older)
        return [(each["position"], each["place"], each["problem"]) for each in report.broken]

    return ask


def nothing(files: dict[str, bytes]) -> None:
    """Change nothing."""


def test_what_cannot_be_read_is_told_with_its_place(broken: Any, tmp_path: Path) -> None:
    form = "it is no signed note"
    assert broken(lambda files: files.update({"manifest.json": b"{}\n"})) == [
        (None, "manifest.json", "it is no manifest of a bundle")
    ]
    assert broken(lambda files: files.update(checkpoint=b"x")) == [(None, "checkpoint", form)]
    assert broken(nothing, since=b"x") == [(None, str(tmp_path / "older"), form)]
    assert broken(lambda files: files.update(inclusion=b"x"), 7, 10) == [
        (None, "proofs", "it does not end with the checkpoint of the bundle")
    ]
    ended = broken(lambda files: files.update({"events.jsonl": files["events.jsonl"][:-1]}))
    assert (None, "events.jsonl", "a line is too long, or the last one has no end") in ended


def test_payloads_that_are_missing_are_told_in_runs(broken: Any) -> None:
    def drop(files: dict[str, bytes]) -> None:
        lines = files["payloads.jsonl"].splitlines(keepends=True)
        files["payloads.jsonl"] = b"".join([*lines[:2], *lines[4:7]])

    problem = "it is missing: neither disclosed nor withheld nor erased"
    assert broken(drop) == [
        (5, "payloads.jsonl", f"{problem} (and so are all up to 6)"),
        (10, "payloads.jsonl", problem),
    ]


def test_a_bundle_that_ends_early_is_told_so(broken: Any) -> None:
    assert broken(nothing, events=12) == [
        (11, "events.jsonl", "the bundle should end before position 12")
    ]


def test_what_was_erased_and_is_there_is_told_with_who_erased_it(broken: Any, tiny: Any) -> None:
    lines = tiny.files()["payloads.jsonl"].splitlines(keepends=True)
    key = hashlib.sha256(b"key 3").digest()
    line = {"body": base64.b64encode(b"secret").decode(), "key": key.hex(), "pos": 3}
    written = json.dumps(line, sort_keys=True, separators=(",", ":")).encode() + b"\n"

    def add(files: dict[str, bytes]) -> None:
        files["payloads.jsonl"] = b"".join([*lines[:2], written, *lines[2:]])

    said = "it is still there, though position 6 erased it"
    assert broken(add) == [(3, "payloads.jsonl", said)]
    nothing_withheld = "it is declared withheld, but there is nothing to withhold"
    assert broken(nothing, withheld=[[2, 2]]) == [(2, "manifest.json", said)]
    assert broken(nothing, withheld=[[4, 4]]) == [(4, "manifest.json", nothing_withheld)]


@pytest.mark.parametrize(
    ("position", "member", "value", "problem"),
    [
        (0, "type", "Other", "the log does not begin with LogOpened"),
        (0, "prev", "1" * 64, "it does not link to the event before it"),
        (5, "log", "aa" * 16, "it belongs to another log"),
        (5, "pos", 6, "it says that it stands at position 6"),
        (2, "known", 7, "known differs within its commit"),
        (5, "known", 7, "known does not rise"),
        (5, "commit", [4, 1], "it does not begin its commit"),
        (5, "commit", [5, 2], "it begins before the commit before it ends"),
        (10, "commit", [10, 2], "the last commit is not whole"),
        (6, "x", {"ranges": [[6, 6]]}, "it does not say which positions it erased"),
    ],
)
def test_what_is_wrong_with_an_event_is_told_in_words(
    position: int, member: str, value: Any, problem: str, broken: Any
) -> None:
    def change(files: dict[str, bytes]) -> None:
        lines = files["events.jsonl"].splitlines()
        header = json.loads(lines[position]) | {member: value}
        lines[position] = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
        files["events.jsonl"] = b"".join(line + b"\n" for line in lines)

    assert problem in [said for _, _, said in broken(change)]


def head(tiny: Any) -> str:
    return f"head {tiny.leaves()[-1].hex()}"


def root(tiny: Any) -> str:
    encoded = tiny.checkpoint().splitlines()[2]
    return f"root {base64.b64decode(encoded).hex()}"


def test_the_answer_is_one_line_where_all_holds(
    tiny: Any, bundle: Any, alone: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(bundle(tmp_path / "b", tiny.files()))
    held = f"log {'5f' * 16}, first 0, events 11, disclosed 8, withheld 0, erased 2"
    said = f"{held}, {head(tiny)}, {root(tiny)}\n"
    assert alone.main([folder, "--key", tiny.signer.vkey]) == 0
    assert capsys.readouterr().out == f"ok: {said}"
    unchecked = "checkpoint: its signature is not checked; give --key\n"
    assert alone.main([folder]) == 2
    assert capsys.readouterr().out == f"incomplete: {unchecked}INCOMPLETE: {said}"
    assert alone.main([folder, "--unsigned"]) == 0
    assert capsys.readouterr().out == f"remark: {unchecked}ok: {said}"


def test_a_stretch_has_no_root(
    tiny: Any, bundle: Any, alone: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bundle(tmp_path / "b", tiny.files(10, 11), first=10)
    assert alone.main([str(folder), "--key", tiny.signer.vkey]) == 0
    held = f"log {'5f' * 16}, first 10, events 1, disclosed 1, withheld 0, erased 0"
    assert capsys.readouterr().out == f"ok: {held}, {head(tiny)}\n"


def test_each_thing_that_is_broken_has_a_line(
    tiny: Any, bundle: Any, alone: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = tiny.files() | {"manifest.json": b"{}\n"}
    assert alone.main([str(bundle(tmp_path / "b", files))]) == 1
    assert capsys.readouterr().out == (
        "broken: manifest.json: it is no manifest of a bundle\nBROKEN: not read\n"
    )
    folder = bundle(tmp_path / "b", tiny.files(), withheld=[[4, 4]])
    assert alone.main([str(folder), "--key", tiny.signer.vkey]) == 1
    first, *_ = capsys.readouterr().out.splitlines()
    assert first == (
        "broken: position 4, manifest.json: "
        "it is declared withheld, but there is nothing to withhold"
    )


def test_the_answer_in_json_has_all_of_it(
    tiny: Any, bundle: Any, alone: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    (folder / "more.txt").write_text("more")
    (folder / "inclusion").write_text("more")
    assert alone.main([str(folder), "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "code": 1,
        "broken": [
            {
                "position": None,
                "place": "inclusion",
                "problem": "it is there, but the manifest does not name it",
            }
        ],
        "incomplete": ["checkpoint: its signature is not checked; give --key"],
        "remarks": ["'more.txt' is no file of the bundle"],
        "log": "5f" * 16,
        "first": 0,
        "events": 11,
        "disclosed": 8,
        "withheld": 0,
        "erased": 2,
        "head": head(tiny).removeprefix("head "),
        "root": root(tiny).removeprefix("root "),
    }


def test_a_key_that_is_none_is_an_error_of_the_call(
    tiny: Any, bundle: Any, alone: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bundle(tmp_path / "b", tiny.files())
    assert alone.main([str(folder), "--key", "nonsense"]) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err == "error: 'nonsense' is no key of the form name+id+base64\n"


@pytest.mark.parametrize(
    ("note", "problem"),
    [
        (b"", "it is no signed note"),
        (b"text\n", "it is no signed note"),
        (b"text\n\n", "it is no signed note"),
        ("te\txt\n\n\u2014 a AAAAAAA=\n".encode(), "it is no signed note"),
        ("text\r\n\n\u2014 a AAAAAAA=\n".encode(), "it is no signed note"),
        ("text\n\n\u2014 a AAAAAAA=".encode(), "it is no signed note"),
        (b"\xff\n\n", "it is not in UTF-8"),
        ("text\n\n\u2014 a AAAAAA==\n".encode(), "a line that is no signature"),
        ("text\n\n\u2014 a  AAAAAAA=\n".encode(), "a line that is no signature"),
        ("text\n\n\u2014 a+b AAAAAAA=\n".encode(), "a line that is no signature"),
        (b"text\n\n- a AAAAAAA=\n", "a line that is no signature"),
        ("text\n\n\u2014 a AAAAAAB=\n".encode(), "base64 is not in canonical form"),
    ],
)
def test_what_is_no_signed_note_is_told_why(note: bytes, problem: str, alone: Any) -> None:
    with pytest.raises(alone.Broken, match=problem):
        alone.split_note(note)


def test_a_signed_note_is_its_text_and_its_signatures(alone: Any) -> None:
    note = "one\n\ntwo\n\n\u2014 a AAAAAAA=\n\u2014 b/\u00e9 AAAAAAE=\n"
    assert alone.split_note(note.encode()) == (
        "one\n\ntwo\n",
        [("a", bytes(5)), ("b/\u00e9", bytes(4) + b"\1")],
    )


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"withheld": [[3, 3]]}, "withheld does not name positions of the bundle in order"),
        ({"withheld": [[6, 7]]}, "withheld does not name positions of the bundle in order"),
        ({"withheld": [[10, 10]]}, "withheld does not name positions of the bundle in order"),
        ({"withheld": [[7, 7], [8, 8]]}, "withheld is not written in the fewest ranges"),
        ({"events": 0}, "it does not say which positions of which log the bundle holds"),
        ({"log": "5f"}, "it does not say which positions of which log the bundle holds"),
        ({"first": -1}, "it does not say which positions of which log the bundle holds"),
        ({"spec": "smriti-es-bundle/0"}, "it is no manifest of a bundle"),
        ({"surplus": 1}, "it is no manifest of a bundle"),
    ],
)
def test_a_manifest_that_does_not_fit_is_told_why(
    members: dict[str, Any], problem: str, broken: Any
) -> None:
    assert broken(nothing, 7, 10, **members) == [(None, "manifest.json", problem)]


@pytest.mark.parametrize("old", [0, 8])
def test_an_older_checkpoint_beside_a_stretch_needs_a_proof(
    old: int, tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    withheld = {"withheld": [[2, 3]]}
    folder = bundle(tmp_path / "b", tiny.files(1, 5), first=1, **withheld)
    key, since = tiny.signer.vkey, [tiny.checkpoint(old)]
    for answer in (
        verify.of_engine(folder, key, since=since),
        verify.of_script(folder, key, since=since),
    ):
        assert (answer.code, answer.broken) == (2, [])
        assert answer.incomplete == [f"no proof leads from the older checkpoint of {old}"]


def test_nothing_is_included_in_an_empty_tree(alone: Any) -> None:
    assert not alone.included(alone.EMPTY_ROOT, 0, 0, [], alone.EMPTY_ROOT)
