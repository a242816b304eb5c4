"""The parts of verify_bundle.py, each by itself: what they take, and what they name."""

import base64
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

LARGEST = 2**53 - 1
P = 2**255 - 19
HEADER: dict[str, Any] = {
    "actor": {"id": "", "kind": "owner"},
    "commit": [0, 1],
    "id": "0" * 32,
    "known": 0,
    "log": "0" * 32,
    "pay": {"c": "0" * 64, "n": 0},
    "pos": 0,
    "prev": "0" * 64,
    "refs": [],
    "spec": "smriti-es/1",
    "type": "T",
    "ver": 1,
    "x": {},
}


def without(member: str) -> dict[str, Any]:
    return {name: value for name, value in HEADER.items() if name != member}


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"pos": LARGEST, "known": LARGEST, "ver": LARGEST, "commit": [LARGEST, LARGEST]},
        {"type": "T" * 64, "refs": [0, 1], "pos": 2},
        *({"actor": {"id": "a", "kind": kind}} for kind in ("agent", "tool", "untrusted")),
        *({"actor": {"id": "a", "kind": kind}} for kind in ("engine", "import", "owner")),
        {"pay": {"c": "f" * 64, "n": LARGEST}},
    ],
)
def test_a_header_in_its_form_is_not_misshapen(members: dict[str, Any], alone: Any) -> None:
    assert alone.misshapen(HEADER | members) is None
    assert alone.misshapen(without("pay") | {"pos": members.get("pos", 0)}) is None


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *(("its members", without(each)) for each in sorted(HEADER.keys() - {"pay"})),
        ("its members", HEADER | {"surplus": 1}),
        ("its members", [HEADER]),
        ("log", HEADER | {"log": "0" * 31}),
        ("log", HEADER | {"log": 0}),
        ("log", HEADER | {"log": "F" * 32}),
        ("pos", HEADER | {"pos": -1}),
        ("pos", HEADER | {"pos": LARGEST + 1}),
        ("pos", HEADER | {"pos": False}),
        ("prev", HEADER | {"prev": "0" * 65}),
        ("id", HEADER | {"id": "0" * 33}),
        ("commit", HEADER | {"commit": {"0": 0, "1": 1}}),
        ("commit", HEADER | {"commit": [0]}),
        ("commit", HEADER | {"commit": [0, 1, 1]}),
        ("commit", HEADER | {"commit": [-1, 1]}),
        ("commit", HEADER | {"commit": [0, 0]}),
        ("type", HEADER | {"type": ""}),
        ("type", HEADER | {"type": "T" * 65}),
        ("type", HEADER | {"type": ["T"]}),
        ("ver", HEADER | {"ver": 0}),
        ("known", HEADER | {"known": -1}),
        ("actor", HEADER | {"actor": ["id", "kind"]}),
        ("actor", HEADER | {"actor": {"id": ""}}),
        ("actor", HEADER | {"actor": {"id": 1, "kind": "owner"}}),
        ("actor", HEADER | {"actor": {"id": "", "kind": ["owner"]}}),
        ("actor", HEADER | {"actor": {"id": "", "kind": "nobody"}}),
        ("refs", HEADER | {"refs": {}}),
        ("refs", HEADER | {"refs": ["0"], "pos": 1}),
        ("refs", HEADER | {"refs": [0]}),
        ("refs", HEADER | {"refs": [1, 1], "pos": 2}),
        ("refs", HEADER | {"refs": [1, 0], "pos": 2}),
        ("x", HEADER | {"x": []}),
        ("pay", HEADER | {"pay": None}),
        ("pay", HEADER | {"pay": ["c", "n"]}),
        ("pay", HEADER | {"pay": {"c": "0" * 64}}),
        ("pay", HEADER | {"pay": {"c": "0" * 63, "n": 0}}),
        ("pay", HEADER | {"pay": {"c": "0" * 64, "n": -1}}),
    ],
)
def test_what_is_misshapen_is_named(name: str, wrong: Any, alone: Any) -> None:
    assert alone.misshapen(wrong) == name


def test_a_header_that_is_not_read_says_which_member_is_wrong(alone: Any) -> None:
    def line(**members: Any) -> bytes:
        return json.dumps(HEADER | members, sort_keys=True, separators=(",", ":")).encode()

    assert alone.header_of(line()) == HEADER
    for members, said in (
        ({"spec": "smriti-es/0"}, "spec of the header is not what it must be"),
        ({"ver": 0}, "ver of the header is not what it must be"),
    ):
        with pytest.raises(alone.Broken) as broken:
            alone.header_of(line(**members))
        assert str(broken.value) == said
    with pytest.raises(alone.Incomplete, match=r"the newer format smriti-es/2$"):
        alone.header_of(line(spec="smriti-es/2"))


@pytest.mark.parametrize(
    ("spec", "newer"),
    [
        ("smriti-es/1", False),
        ("smriti-es/2", True),
        ("smriti-es/9999", True),
        ("smriti-es/10000", False),
        ("smriti-es/0", False),
        ("smriti-es-bundle/2", False),
        (2, False),
        (None, False),
    ],
)
def test_a_newer_format_has_the_same_name_and_a_whole_number(
    spec: Any, newer: bool, alone: Any
) -> None:
    assert alone.newer(spec, "smriti-es/1") is newer


@pytest.mark.parametrize(
    "value",
    [
        {"a": LARGEST, "b": -LARGEST},
        {"a": [[], {}, " !#[]~"]},
        {"a": "[" * 100},
        {"a": [[], [], {}, {}] * 40},
    ],
)
def test_canonical_json_is_read(value: Any, alone: Any) -> None:
    encoded = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    assert alone.canonical(encoded) == value


@pytest.mark.parametrize(
    ("encoded", "said"),
    [
        (b'{"a":%d}' % (LARGEST + 1), "not in canonical form"),
        (b'{"a":%d}' % -(LARGEST + 1), "not in canonical form"),
        (b'{"a":[null]}', "not in canonical form"),
        (b'{"a":true}', "not in canonical form"),
        (b'{"b":1,"a":1}', "not in canonical form"),
        (b'{"a":1.5}', "1.5 is no whole number"),
        (b'{"a":NaN}', "NaN is no whole number"),
        (b'{"a"}', "cannot be read"),
        (b'{"a":"\\u0041"}', "a byte that no canonical form has"),
        (b'{"a":"\x7f"}', "a byte that no canonical form has"),
        (b'{"a":"\t"}', "a byte that no canonical form has"),
        (b"[" * 65 + b"]" * 65, "nested more than 64 levels deep"),
        (b"[" * 65, "nested more than 64 levels deep"),
    ],
)
def test_json_in_another_form_is_refused(encoded: bytes, said: str, alone: Any) -> None:
    with pytest.raises(alone.Broken, match=said):
        alone.canonical(encoded)


def test_64_levels_are_read(alone: Any) -> None:
    assert alone.canonical(b"[" * 64 + b"]" * 64)[0][0] != []


@pytest.mark.parametrize(
    ("ranges", "stop", "holds"),
    [
        ([], 0, True),
        ([[0, 0]], 1, True),
        ([[0, 1], [2, 2], [4, 9]], 10, True),
        ([[0, 1]], 1, False),
        ([[1, 0]], 9, False),
        ([[0, 1], [1, 2]], 9, False),
        ([[2, 2], [0, 1]], 9, False),
        ([[0]], 9, False),
        ([[0, 1, 2]], 9, False),
        ([(0, 1)], 9, False),
        ([["0", 1]], 9, False),
        ([[0, 1.0]], 9, False),
        ([[-1, 0]], 9, False),
        (((0, 1),), 9, False),
        ({}, 9, False),
        (None, 9, False),
    ],
)
def test_ranges_ascend_before_their_end(ranges: Any, stop: int, holds: bool, alone: Any) -> None:
    assert alone.are_ranges(ranges, stop) is holds


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=12),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=5),
)
def test_positions_are_a_set(
    alone: Any, gaps: list[tuple[int, int]], spans: list[tuple[int, int]]
) -> None:
    held, kept, at = alone.Positions(), set[int](), 0
    for gap, count in gaps:
        at += gap
        for _ in range(count):
            held.append(at)
            kept.add(at)
            at += 1
    for first, width in spans:
        last = first + width
        within = {each for each in kept if first <= each <= last}
        assert held.first_in(first, last) == min(within, default=None)
        assert held.remove(first, last) == len(within)
        kept -= within
        assert held.count() == len(kept)
        assert {each for low, high in held.runs for each in range(low, high + 1)} == kept
        assert all(one[1] < other[0] for one, other in zip(held.runs, held.runs[1:], strict=False))


def test_positions_in_a_row_are_one_run(alone: Any) -> None:
    held = alone.Positions([[1, 2]])
    for each in (3, 5, 6):
        held.append(each)
    assert held.runs == [[1, 3], [5, 6]]
    assert held.remove(2, 5) == 3
    assert held.runs == [[1, 1], [6, 6]]


def test_lines_have_an_end_and_are_short_enough(alone: Any) -> None:
    assert list(alone.lines(io.BytesIO(b"ab\n\ncde\n"), 4)) == [b"ab", b"", b"cde"]
    for text in (b"ab\ncd", b"ab\ncdef\n"):
        found = alone.lines(io.BytesIO(text), 4 if b"f" not in text else 3)
        assert next(found) == b"ab"
        with pytest.raises(alone.Broken, match="too long, or the last one has no end"):
            next(found)


def test_the_two_points_without_an_x_have_no_sign(alone: Any) -> None:
    for y in (1, P - 1):
        encoded = y.to_bytes(32, "little")
        assert alone.point(encoded) == (0, y, 1, 0)
        assert alone.point((y | 1 << 255).to_bytes(32, "little")) is None


@pytest.mark.parametrize("y", [2, P, P + 1, 2**255 - 1])
def test_what_is_no_point_or_not_written_as_one_is_refused(y: int, alone: Any) -> None:
    assert alone.point(y.to_bytes(32, "little")) is None


def test_a_size_has_at_most_nineteen_digits(tiny: Any, alone: Any) -> None:
    root = base64.b64encode(bytes(32)).decode()

    def read(size: str) -> Any:
        note = tiny.signer.note(f"origin\n{size}\n{root}\n")
        return alone.read_checkpoint(note, [], alone.Report(), "checkpoint")

    for size in ("0", "7", "10", "9" * 19):
        assert read(size)[:3] == ("origin", int(size), bytes(32))
    for size in ("", "00", "07", "-1", "1" * 20, "x"):
        with pytest.raises(alone.Broken, match="no checkpoint of origin, size and root"):
            read(size)


def test_a_proof_begins_with_a_number_of_at_most_nineteen_digits(tiny: Any, alone: Any) -> None:
    note = tiny.checkpoint()
    checkpoint = alone.Checkpoint("origin", 11, bytes(32), note)
    hashes = [bytes([each]) * 32 for each in range(3)]
    for number in (0, 7, 10, 10**19 - 1):
        proof = tiny.proof(f"old {number}", hashes, note)
        assert alone.read_proof(proof, "old ", checkpoint) == (number, hashes)
        assert alone.read_proof(tiny.proof(f"old {number}", [], note), "old ", checkpoint)[1] == []
    for head in ("old 07", f"old {10**19}", "new 7", "old", "old 7\nold 7"):
        with pytest.raises(alone.Broken, match="it is no proof"):
            alone.read_proof(tiny.proof(head, hashes, note), "old ", checkpoint)
    short = tiny.proof("old 7", [bytes(31)], note)
    with pytest.raises(alone.Broken, match="it is no proof"):
        alone.read_proof(short, "old ", checkpoint)
    for wrong in (proof[:-1], proof.replace(b"\n\n", b"\n", 1), proof + b"\n", b""):
        with pytest.raises(alone.Broken, match="does not end with the checkpoint"):
            alone.read_proof(wrong, "old ", checkpoint)


def test_a_key_is_a_name_an_id_and_material_that_fit(tiny: Any, alone: Any) -> None:
    name, id, material = tiny.signer.vkey.split("+", 2)
    assert alone.read_key(tiny.signer.vkey) == (name, bytes.fromhex(id), 1, tiny.signer.public)
    form = "is no key of the form"
    for wrong, said in (
        ("", form),
        (f"+{id}+{material}", form),
        (f"a b+{id}+{material}", form),
        (f"{name}+{id[:-1]}+{material}", form),
        (f"{name}+{id.upper()}+{material}" if id != id.upper() else f"{name}++{material}", form),
        (f"{name}+{id}+", form),
        (f"{name}+{'0' * 8}+{material}", "its id is not its own"),
    ):
        with pytest.raises(alone.Incomplete, match=said):
            alone.read_key(wrong)


@pytest.mark.parametrize(("kind", "size"), [(1, 31), (1, 33), (2, 32), (0, 32), (4, 31)])
def test_a_key_of_another_kind_or_length_is_none_of_ours(kind: int, size: int, alone: Any) -> None:
    data = bytes([kind]) + bytes(size)
    id = hashlib.sha256(b"name\n" + data).hexdigest()[:8]
    with pytest.raises(alone.Incomplete, match="is no Ed25519 key"):
        alone.read_key(f"name+{id}+{base64.b64encode(data).decode()}")


def test_base64_has_one_form(alone: Any) -> None:
    assert alone.strict("AAE=") == b"\x00\x01"
    with pytest.raises(alone.Broken, match="not in canonical form"):
        alone.strict("AAF=")
    for wrong in ("AAE", "AA E=", "AAE=\n", "*"):
        with pytest.raises(alone.Broken):
            alone.strict(wrong)


def test_the_summary_says_what_a_bundle_holds(
    tiny: Any, bundle: Any, alone: Any, tmp_path: Path
) -> None:
    withheld = {"withheld": [[1, 1], [5, 6]]}
    whole = alone.check(
        str(bundle(tmp_path / "b", tiny.files(withheld=[1, 5, 6]), **withheld)), [], []
    )
    root = tiny.checkpoint().split(b"\n")[2]
    assert whole.summary == {
        "log": "5f" * 16,
        "first": 0,
        "events": 11,
        "disclosed": 5,
        "withheld": 3,
        "erased": 2,
        "head": tiny.leaves()[-1].hex(),
        "root": base64.b64decode(root).hex(),
    }
    stretch = alone.check(str(bundle(tmp_path / "b", tiny.files(7, 10), first=7)), [], [])
    assert stretch.summary == {
        "log": "5f" * 16,
        "first": 7,
        "events": 3,
        "disclosed": 3,
        "withheld": 0,
        "erased": 0,
        "head": tiny.leaves()[9].hex(),
        "root": "",
    }


def test_a_payload_line_that_is_wrong_is_named_by_its_number(
    tiny: Any, bundle: Any, alone: Any, tmp_path: Path
) -> None:
    def said(lines: list[bytes]) -> list[str]:
        files = tiny.files() | {"payloads.jsonl": b"".join(lines)}
        report = alone.check(str(bundle(tmp_path / "b", files)), [], [])
        return [each["problem"] for each in report.broken]

    written = tiny.files()["payloads.jsonl"].splitlines(keepends=True)
    assert "line 2: it is not written as a payload is" in said([written[0], b"{}\n"])
    assert "it is out of order, line 3" in said([*written[:2], written[1], *written[2:]])


def test_files_that_an_import_compares_are_named_one_by_one(
    tiny: Any, bundle: Any, verify: Any, tmp_path: Path
) -> None:
    derived = ("facts.jsonl", "fingerprints.json", "revisions.jsonl")
    folder = bundle(tmp_path / "b", tiny.files() | dict.fromkeys(derived, b"{}\n"))
    for answer in (verify.of_engine(folder), verify.of_script(folder)):
        assert answer.broken == []
        assert answer.remarks == [
            f"{name} is compared when the bundle is imported, not here" for name in derived
        ]
