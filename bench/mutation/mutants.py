"""Small faults, put into a module one at a time: what a test must notice.

Left out by rule, because no test should notice them: docstrings, annotations, imports, decorators,
`assert`, `__all__`, the lines below `if __name__ == "__main__"`, and texts that people read, which
are those with a blank between two words. Everything else that has a form named below is changed.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

# Where a module with marks tells which of its functions are entered: a set among the builtins.
MARKS: Final = "functions_entered"

_OPERATORS: Final[dict[type[ast.AST], tuple[type[ast.AST], ...]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
_NAMES: Final = {"min": "max", "max": "min", "all": "any", "any": "all", "sorted": "list"}
_NOT_CODE: Final = {"annotation", "returns", "decorator_list"}
_FOR_PEOPLE: Final = re.compile(r"[\w,;:'`)] [\w`(]")
# Within a regular expression: how often something may stand there, and which characters.
_PATTERN: Final = re.compile(
    r"(?P<often>(?<=[\])}])[*+?]|(?<=[{,])[0-9]+(?=[,}]))|(?P<range>0-9|1-9|a-f|a-z|A-Z)"
)
_OFTEN: Final = {"*": ("+",), "+": ("*",), "?": ("",)}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one place of a module.

    Attributes:
        key: What names it: function, code before and after, and a number where there are several.
        line: Where the code stands.
        function: Qualified name of the outermost function or method around it; empty outside.
    """

    key: str
    line: int
    function: str
    _tree: ast.Module
    _place: "_Place"
    _new: Any

    def source(self) -> str:
        """Write the module with the change in it."""
        old = self._place.put(self._new)
        try:
            return ast.unparse(self._tree) + "\n"
        finally:
            self._place.put(old)


@dataclass(frozen=True, slots=True)
class _Place:
    """A field of a node, or an entry of a field that is a list."""

    parent: ast.AST
    field: str
    index: int | None
    line: int
    function: str
    names: str

    def put(self, new: Any) -> Any:
        """Put something there; give what was there."""
        held = getattr(self.parent, self.field)
        if self.index is None:
            setattr(self.parent, self.field, new)
            return held
        old, held[self.index] = held[self.index], new
        return old


def mutants_of(source: str) -> list[Mutant]:
    """Give every mutant of a module, in the order of its text."""
    tree = ast.parse(source)
    found: list[Mutant] = []
    seen: Counter[str] = Counter()
    for place, node in _places(tree, function="", names="", line=0):
        for new in _variants(node, place):
            change = f"{place.function or 'module'}: {_text(node)} -> {_text(new)}"
            seen[change] += 1
            key = change if seen[change] == 1 else f"{change} #{seen[change]}"
            found.append(Mutant(key, place.line, place.function, tree, place, new))
    return found


def with_marks(source: str) -> tuple[str, list[str]]:
    """Give a module that tells which of its functions are entered, and their qualified names."""
    tree = ast.parse(source)
    names = []
    for place, node in _places(tree, function="", names="", line=0):
        if isinstance(node, ast.FunctionDef) and not place.function:
            name = f"{place.names}{node.name}"
            mark = f"getattr(__import__('builtins'), {MARKS!r}, set()).add({name!r})"
            node.body[:0] = ast.parse(mark).body
            names.append(name)
    return ast.unparse(tree) + "\n", names


def _places(
    node: ast.AST, *, function: str, names: str, line: int
) -> Iterator[tuple[_Place, ast.AST]]:
    """Give every node that may be changed, outer ones first.

    Args:
        node: Where to look.
        function: The outermost function around it.
        names: What its name would begin with: the classes around it.
        line: Its line, for nodes that have none of their own.
    """
    for field, value in ast.iter_fields(node):
        # Defaults are computed where a function is defined, and not within it.
        named = isinstance(node, ast.FunctionDef) and field == "body" and not function
        around = f"{names}{node.name}" if named else function  # type: ignore[attr-defined]
        classes = f"{names}{node.name}." if isinstance(node, ast.ClassDef) else names
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or field in _NOT_CODE or _is_left_out(child):
                continue
            at = getattr(child, "lineno", line)
            number = index if isinstance(value, list) else None
            yield _Place(node, field, number, at, around, classes), child
            yield from _places(child, function=around, names=classes, line=at)


def _is_left_out(node: ast.AST) -> bool:
    match node:
        case (
            ast.Import()
            | ast.ImportFrom()
            | ast.Assert()
            | ast.Expr(value=ast.Constant())  # a docstring
            | ast.Assign(targets=[ast.Name(id="__all__")])
            | ast.If(test=ast.Compare(left=ast.Name(id="__name__")))
        ):
            return True
        case ast.Constant(value=str(text)):
            return _FOR_PEOPLE.search(text) is not None
        case ast.JoinedStr(values=parts):
            texts = (each.value if isinstance(each, ast.Constant) else "{}" for each in parts)
            return _FOR_PEOPLE.search("".join(map(str, texts))) is not None
    return False


def _variants(node: ast.AST, place: _Place) -> Iterator[ast.AST]:
    """Give what may stand in the place of a node."""
    if isinstance(node, ast.stmt):
        yield from _statements(node, place)
    elif isinstance(node, ast.cmpop | ast.boolop | ast.operator):
        yield from (each() for each in _operators(node, place))
    elif isinstance(node, ast.Constant):
        yield from (ast.Constant(each) for each in _constants(node.value))
    else:
        yield from _expressions(node, place)


def _operators(node: ast.AST, place: _Place) -> tuple[type[ast.AST], ...]:
    # Of texts there is no difference; the half that is left is another mutant.
    if isinstance(place.parent, ast.BinOp) and _is_text(place.parent):
        return ()
    return _OPERATORS.get(type(node), ())


def _statements(node: ast.stmt, place: _Place) -> Iterator[ast.AST]:
    """Leave a statement out; one that is needed for the next to run at all is left in."""
    match node:
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Delete():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) if place.function:
            yield ast.Pass()
        case ast.Return(value=ast.expr() as value) if not _is_false(value):
            yield ast.Return(ast.Constant(None))
        case ast.Return(value=None) | ast.Continue():
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.If() | ast.While() if not isinstance(node.test, ast.Compare | ast.UnaryOp):
            yield type(node)(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


def _expressions(node: ast.AST, place: _Place) -> Iterator[ast.AST]:
    match node:
        case ast.BoolOp(op=op, values=values):
            yield from (_joined(op, rest) for rest in _shorter(values))
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.BinOp(op=ast.Add(), left=one, right=other) if _is_text(node):
            yield from (one, other)
        case ast.IfExp(body=one, orelse=other):
            yield from (one, other)
        case ast.Name(id=name) if name in _NAMES:
            yield ast.Name(_NAMES[name], ast.Load())
        case _:
            yield from _parts(node, place)


def _parts(node: ast.AST, place: _Place) -> Iterator[ast.AST]:
    """Leave out an entry of a literal, or an end of a slice."""
    match node:
        case ast.Slice(lower=lower, upper=upper, step=step):
            yield from [ast.Slice(None, upper, step)] if lower is not None else []
            yield from [ast.Slice(lower, None, step)] if upper is not None else []
        case ast.Set(elts=entries) if len(entries) > 1:
            yield from map(ast.Set, _shorter(entries))
        case ast.List(elts=entries) | ast.Tuple(elts=entries) if _is_walked(place):
            yield from (type(node)(rest, ast.Load()) for rest in _shorter(entries))
        case ast.Dict(keys=keys, values=values) if len(keys) > 1:
            yield from map(ast.Dict, _shorter(keys), _shorter(values))


def _constants(value: object) -> Iterator[str | bytes | int]:
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1)
        case str():
            yield from _texts(value)
        case bytes():
            yield from (each.encode("latin-1") for each in _texts(value.decode("latin-1")))


def _texts(text: str) -> Iterator[str]:
    """Change a text; of a regular expression, how often and which characters it admits, too."""
    yield f"{text[:-1]}X"
    for found in _PATTERN.finditer(text) if "[" in text or "(" in text else ():
        part = found[0]
        if found["range"]:
            others: tuple[str, ...] = (f"{part[:2]}{chr(ord(part[2]) - 1)}", part[2])
        else:
            others = _OFTEN.get(part) or (str(int(part) + 1), f"{max(int(part) - 1, 0)}")
        for other in others:
            if other != part:
                yield text[: found.start()] + other + text[found.end() :]


def _shorter(entries: list[Any]) -> Iterator[list[Any]]:
    return (entries[:at] + entries[at + 1 :] for at in range(len(entries)))


def _joined(op: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.BoolOp(op, values)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (None, False)


def _is_text(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _is_text(left) or _is_text(right)
        case ast.Constant(value=str() | bytes()) | ast.JoinedStr():
            return True
    return False


def _is_walked(place: _Place) -> bool:
    """Tell whether a list is gone through or searched, so that it may be shorter."""
    match place.parent:
        case ast.For() | ast.comprehension():
            return place.field == "iter"
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return place.field == "comparators"
    return False


def _text(node: ast.AST) -> str:
    """Write a node for people, on one line."""
    if isinstance(node, ast.cmpop | ast.boolop | ast.operator):
        return type(node).__name__
    if isinstance(node, ast.If | ast.While):
        return f"{type(node).__name__.lower()} {ast.unparse(node.test)}"
    written = ast.unparse(ast.Expr(node) if isinstance(node, ast.Slice) else node)
    return " ".join(written.split())
