"""The engine and verify_bundle.py say the same of any bundle, however it was mutated."""

import functools
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

GUARANTEES = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
MUTANTS = 10_000 if GUARANTEES else 120
NAMES = ("events.jsonl", "payloads.jsonl", "checkpoint", "inclusion", "consistency")
VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(0, 1, -1, 5, 6, 2**53 - 1, 2**53, 1.5, True, None, "", "x", "Erased", "LogRestored", {}),
        *("smriti-es/2", "smriti-es/1", "LogOpened", [], [0, 1], [[1, 2]], [[0, 99]], {"a": [[]]}),
    ]
)


def set_member(draw: st.DrawFn, line: bytes) -> bytes:
    """Set or take away a member of a line, at any depth, and write it in canonical form."""
    try:
        value = json.loads(line)
    except ValueError:
        return line
    target = value
    while isinstance(target, dict) and target:
        name = draw(st.sampled_from(sorted(target)))
        if isinstance(target[name], dict) and target[name] and draw(st.booleans()):
            target = target[name]
            continue
        if draw(st.integers(0, 4)):
            target[name] = draw(VALUES)
        else:
            del target[name]
        break
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def mutate_lines(draw: st.DrawFn, content: bytes) -> bytes:
    lines = content.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    other = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(["delete", "swap", "copy", "member", "member", "member"])):
        case "delete":
            del lines[at]
        case "swap":
            lines[at], lines[other] = lines[other], lines[at]
        case "copy":
            lines.insert(other, lines[at])
        case "member":
            lines[at] = set_member(draw, lines[at])
    return b"\n".join(lines)


def mutate_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    at = draw(st.integers(0, max(0, len(content) - 1)))
    match draw(st.sampled_from(["flip", "insert", "cut", "end"])):
        case "flip":
            changed = bytearray(content or b"\0")
            changed[at] ^= 1 << draw(st.integers(0, 7))
            return bytes(changed)
        case "insert":
            return content[:at] + draw(st.binary(min_size=1, max_size=4)) + content[at:]
        case "cut":
            return content[:at] + content[at + draw(st.integers(1, 40)) :]
        case _:
            return content[:at]


@st.composite
def mutants(draw: st.DrawFn, files: dict[str, bytes]) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Mutate some files; the manifest that fits them is mutated as well, or not."""
    made = dict(files)
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from([each for each in NAMES if each in made]))
        change = draw(st.sampled_from([mutate_lines, mutate_bytes]))
        made[name] = change(draw, made[name])
    if not draw(st.integers(0, 9)):
        del made[draw(st.sampled_from([each for each in NAMES[2:] if each in made]))]
    members: dict[str, Any] = {}
    if not draw(st.integers(0, 2)):
        members[draw(st.sampled_from(["first", "events", "log", "withheld", "spec"]))] = draw(
            VALUES | st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)).map(list))
        )
    return made, members


def found(answer: Any) -> set[tuple[int | None, str]]:
    """What is broken, by position and place; older checkpoints are called otherwise by each."""
    return {(position, "since" if "since" in place else place) for position, place in answer.broken}


@pytest.fixture
def cached(verify: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The verifiers, each signature checked once."""
    monkeypatch.setattr(verify.alone, "signed", functools.cache(verify.alone.signed))
    return verify


@pytest.mark.parametrize("first", [0, 5])
def test_both_verifiers_agree_on_mutated_bundles(
    first: int,
    tiny: Any,
    bundle: Any,
    manifest: Any,
    cached: Any,
    older_proof: Any,
    tmp_path: Path,
) -> None:
    key, folder, older = tiny.signer.vkey, tmp_path / "b", [tiny.checkpoint(5)]
    files = tiny.files(first, 10 if first else 11, withheld=[6])
    members = {"first": first, "withheld": [[6, 6]]}
    if first:
        files["consistency"] = older_proof(tiny, 5, 11)
    evidence = {name: files.pop(name) for name in NAMES if name in files}
    seen = set()

    @settings(max_examples=MUTANTS // 2)
    @given(mutants(evidence), st.booleans(), st.booleans(), st.booleans())
    def agree(
        mutant: tuple[dict[str, bytes], dict[str, Any]], signed: bool, unsigned: bool, since: bool
    ) -> None:
        made, changed = files | mutant[0], mutant[1]
        made["manifest.json"] = manifest(made, **members | changed)
        bundle(folder, made)
        asked = {"since": older if since else [], "unsigned": unsigned}
        ours = cached.of_engine(folder, *[key] * signed, **asked)
        alone = cached.of_script(folder, *[key] * signed, **asked)
        assert (ours.code, found(ours)) == (alone.code, found(alone)), (ours, alone)
        seen.add(alone.code)

    agree()
    # Of a test in which all was broken from the start nothing would follow.
    assert seen == {0, 1, 2}
