"""Which faults mutation testing puts into a module, and which it leaves out."""

import ast
from types import ModuleType

import pytest

from bench.mutation.__main__ import ROOT, equivalents_of
from bench.mutation.mutants import mutants_of
from bench.mutation.targets import TARGETS
from bench.mutation.trials import put_code

MODULE = '''"""About nothing in particular."""

import re

LIMIT = 3


class Door:
    """Opens."""

    def opens(self, size: int) -> bool:
        """Tell."""
        if size > LIMIT and size != 7:
            raise ValueError(f"too large by {size - LIMIT} or so")
        return size >= 0
'''


def changes(source: str) -> list[str]:
    return [mutant.key for mutant in mutants_of(source)]


def test_each_kind_of_code_is_changed_in_its_ways_and_texts_for_people_are_not() -> None:
    condition = "size > LIMIT and size != 7"
    assert changes(MODULE) == [
        "module: 3 -> 4",
        "module: 3 -> 2",
        f"Door.opens: if {condition} -> if not ({condition})",
        f"Door.opens: {condition} -> size != 7",
        f"Door.opens: {condition} -> size > LIMIT",
        "Door.opens: And -> Or",
        "Door.opens: Gt -> GtE",
        "Door.opens: Gt -> LtE",
        "Door.opens: NotEq -> Eq",
        "Door.opens: 7 -> 8",
        "Door.opens: 7 -> 6",
        "Door.opens: raise ValueError(f'too large by {size - LIMIT} or so') -> pass",
        "Door.opens: return size >= 0 -> return None",
        "Door.opens: GtE -> Gt",
        "Door.opens: GtE -> Lt",
        "Door.opens: 0 -> 1",
        "Door.opens: 0 -> -1",
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a + b'c'", ["module: a + b'c' -> a", "module: a + b'c' -> b'c'", "b'c' -> b'X'"]),
        ("x = not a", ["not a -> a"]),
        ("x = b if a else c", ["b if a else c -> b", "b if a else c -> c"]),
        ("x = a[b:c]", ["b:c -> :c", "b:c -> b:"]),
        ("x = any(a)", ["any -> all"]),
        ("x = {a, b}", ["{a, b} -> {b}", "{a, b} -> {a}"]),
        ("x = {a: b, c: d}", ["{a: b, c: d} -> {c: d}", "{a: b, c: d} -> {a: b}"]),
        ("x = a in (b, c)", ["In -> NotIn", "(b, c) -> (c,)", "(b, c) -> (b,)"]),
        ("x = (b, c)", []),
        ("x = '[0-9]{2}'", ["'[0-9]{2}' -> '[0-9]{2X'", "'[0-9]{2}' -> '[0-8]{2}'"]),
        ("def f():\n    a.b = c\n    d = e", ["f: a.b = c -> pass"]),
        ("def f():\n    a()\n    return False", ["f: a() -> pass", "False -> True"]),
    ],
)
def test_a_kind_of_code_is_changed_so(source: str, expected: list[str]) -> None:
    found = changes(source)
    assert len(found) >= len(expected)
    assert all(any(key.endswith(each) for key in found) for each in expected), found
    assert expected != [] or found == []


def test_the_same_change_in_two_places_has_two_names() -> None:
    assert changes("x = f(1, 1)") == [
        "module: 1 -> 2",
        "module: 1 -> 0",
        "module: 1 -> 2 #2",
        "module: 1 -> 0 #2",
    ]


def test_a_mutant_differs_from_the_module_in_one_place_and_leaves_it_as_it_was() -> None:
    found = {mutant.key: mutant for mutant in mutants_of(MODULE)}
    unchanged = ast.unparse(ast.parse(MODULE)) + "\n"
    for change, old, new in (("Gt -> GtE", "> LIMIT", ">= LIMIT"), ("7 -> 8", "!= 7", "!= 8")):
        assert found[f"Door.opens: {change}"].source() == unchanged.replace(old, new)


def test_a_loaded_method_gets_the_code_of_a_mutant() -> None:
    module = ModuleType("door")
    exec(compile(MODULE, "door.py", "exec"), vars(module))
    opens = module.Door().opens
    mutant = next(each for each in mutants_of(MODULE) if each.key == "Door.opens: GtE -> Lt")
    assert mutant.function == "Door.opens"
    assert opens(1)
    put_code(module, mutant.function, compile(mutant.source(), "door.py", "exec"))
    assert not opens(1)


def test_defaults_belong_to_the_module_because_they_are_computed_there() -> None:
    found = mutants_of("class A:\n    def f(self, a: int = 1) -> int:\n        return a + 2")
    assert [(each.function, each.key) for each in found][:2] == [
        ("", "module: 1 -> 2"),
        ("", "module: 1 -> 0"),
    ]
    assert {each.function for each in found[2:]} == {"A.f"}


@pytest.mark.parametrize("path", TARGETS)
def test_what_is_called_equivalent_is_a_mutant_and_has_a_reason(path: str) -> None:
    if not (ROOT / path).is_file():
        pytest.skip("needs a checkout")
    keys = set(changes((ROOT / path).read_text("utf-8")))
    equivalent = equivalents_of(path)
    assert [key for key in equivalent if key not in keys] == []
    assert all(len(why) > 20 for why in equivalent.values())


@pytest.mark.parametrize("path", TARGETS)
def test_the_tests_of_a_module_are_there(path: str) -> None:
    assert [each for each in TARGETS[path] if not (ROOT / "tests" / each).exists()] == []
