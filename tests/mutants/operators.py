"""Mutants from the syntax tree: every place of a module at which one operator changes one thing, and its stable address.

An address is (module, function, operator, occurrence): the module as Python names it, the qualified name of the
function, what is changed into what, and the how-manieth such place of that function it is. A change elsewhere in the
file, or a file moved with its name, changes no other address; no source text is kept anywhere.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import lshift, mul
from pathlib import Path
from typing import NamedTuple

#: what a comparison, an operation or a name is mistaken for
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.MatMult: ast.Mult,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
SIGNS = {
    **dict(zip((ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq), ["<", "<=", ">", ">=", "==", "!="], strict=True)),
    **dict(zip((ast.Is, ast.IsNot, ast.In, ast.NotIn), ("is", "is not", "in", "not in"), strict=True)),
    **dict(zip((ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod), ["+", "-", "*", "/", "//", "%"], strict=True)),
    **dict(zip((ast.Pow, ast.BitOr, ast.BitAnd, ast.LShift, ast.RShift, ast.MatMult), ["**", "|", "&", "<<", ">>", "@"], strict=True)),
    **dict(zip((ast.Not, ast.USub, ast.Invert, ast.And, ast.Or), ("not", "-", "~", "and", "or"), strict=True)),
}  # fmt: skip
#: calls whose arguments are words for people
WORDS = {"InvalidInput", "Malformed", "NotExact", "Undecided", "Declined", "MissingExtra", "NoConstruction"}
#: calls that do not mind the order of their first two arguments
ANY_ORDER = {*NAMES, "option", "gcd", "lcm", "add", "sum_cost", "dot", "plus", "isclose", "array_equal"}
#: calls that say how much work is to come: that they are made matters, not the last digit of the estimate
CHARGES = {"spend", "products", "divisions", "hold", "within", "charge"}
#: arguments that decide how a picture looks and not what it shows
LOOKS = {
    *("fontsize", "linewidth", "linewidths", "lw", "alpha", "zorder", "markersize", "ms", "s", "figsize", "dpi", "pad"),
    *(
        "linestyle",
        "linestyles",
        "markeredgewidth",
        "ncol",
        "rotation",
        "labelpad",
        "bbox_to_anchor",
        "hspace",
        "wspace",
    ),
}
#: a number so large that is given to a name of its own, or that an argument has unless it is given, is a limit
#: somebody chose, and one more is as good
LIMIT = 100
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: the function of what stands in no function
MODULE_LEVEL = "-"


class Address(NamedTuple):
    """Where a mutant is; its text form is `module:function:operator:occurrence`."""

    module: str
    function: str
    operator: str
    occurrence: int

    def __str__(self) -> str:
        return f"{self.module}:{self.function}:{self.operator}:{self.occurrence}"

    @classmethod
    def read(cls, text: str) -> Address:
        """The address a text stands for; ValueError where it is none."""
        module, function, operator, occurrence = text.split(":")
        return cls(module, function, operator, int(occurrence))


@dataclass(frozen=True)
class Site:
    """One place of a syntax tree: which operator applies there, the lines it runs on, and how the tree is changed."""

    function: str
    operator: str
    node: ast.AST
    lines: tuple[int, ...]
    #: changes the tree in place, and returns the node that stands there then
    apply: Callable[[], ast.AST]


@dataclass(frozen=True)
class Mutant:
    """An address of today's source, the file, and the lines that run the changed expression, the innermost first."""

    address: Address
    file: str
    lines: tuple[int, ...]


def sites(tree: ast.Module) -> Iterator[Site]:
    """Every site of a module, in the order of the source. Applying one leaves the others usable no longer."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.GeneratorExp, ast.ListComp)) and len(node.generators) == 1:
            node.generators[0].element = node.elt  # type: ignore[attr-defined]
    yield from _inside(tree, (), MODULE_LEVEL, ())


def _inside(node: ast.AST, path: tuple[str, ...], function: str, lines: tuple[int, ...]) -> Iterator[Site]:
    for field, index, child in _children(node):
        if _is_for_readers(node, field, child):
            continue
        inner_path, inner_function = path, function
        if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            inner_path = (*path, child.name)
            inner_function = ".".join(inner_path) if isinstance(child, FUNCTIONS) else function
        line = getattr(child, "lineno", None)
        here = lines if line is None else (line, *lines) if not isinstance(child, ast.stmt) else (line,)

        def put(new: ast.AST, node: ast.AST = node, field: str = field, index: int | None = index) -> ast.AST:
            return _put(node, field, index, new)

        for operator, apply in _changes(node, child, put):
            yield Site(inner_function, operator, child, here, apply)
        if not isinstance(child, ast.Raise):
            yield from _inside(child, inner_path, inner_function, here)


def _children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            yield from ((field, k, item) for k, item in enumerate(value) if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST):
            yield field, None, value


def _put(node: ast.AST, field: str, index: int | None, new: ast.AST) -> ast.AST:
    old = getattr(node, field) if index is None else getattr(node, field)[index]
    new = ast.fix_missing_locations(ast.copy_location(new, old))
    if index is None:
        setattr(node, field, new)
    else:
        getattr(node, field)[index] = new
    return new


def _is_for_readers(parent: ast.AST, field: str, child: ast.AST) -> bool:
    """Whether a part of the tree has no say in any answer: types, docstrings, the words of messages, entry points."""
    if field in ("annotation", "returns") or isinstance(child, ast.JoinedStr):
        return True
    if isinstance(parent, ast.Module) and isinstance(child, ast.If):
        return any(name in ast.unparse(child.test) for name in ("TYPE_CHECKING", "__name__"))
    if isinstance(parent, ast.Module) and isinstance(child, ast.Assign) and isinstance(child.value, ast.BinOp):
        return isinstance(child.value.op, ast.BitOr)  # the name of a type
    if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in WORDS:
        return True
    return _is_a_choice(parent, field, child)


def _is_a_choice(parent: ast.AST, field: str, child: ast.AST) -> bool:
    """Whether any other value would be as right: looks, estimates, limits, second checks of lengths, frozen classes."""
    if isinstance(parent, ast.Call) and field == "args" and (_called(parent) in CHARGES or _is_cost(_called(parent))):
        return True
    if isinstance(parent, FUNCTIONS) and field == "body" and _is_cost(parent.name):
        return True
    if isinstance(child, ast.keyword):
        return child.arg in LOOKS or (child.arg == "strict" and _called(parent) == "zip")
    if field == "decorator_list" and isinstance(child, ast.Call):
        return _called(child) == "dataclass"
    if isinstance(parent, ast.arguments) and field in ("defaults", "kw_defaults"):
        return _value(child) >= LIMIT
    if isinstance(parent, (ast.Assign, ast.AnnAssign)) and field == "value":
        target = parent.targets[0] if isinstance(parent, ast.Assign) else parent.target
        named = isinstance(target, ast.Name) and (target.id.isupper() or isinstance(parent, ast.AnnAssign))
        return named and _value(child) >= LIMIT
    return False


def _is_cost(name: str) -> bool:
    """Whether a function of this name estimates work; its value is kept by the charges of the corpus."""
    return name.endswith("_cost")


def _value(node: ast.AST) -> int:
    """The number that an expression of plain numbers stands for; 0 where it is none, or no whole one."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else 0
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.Mult, ast.LShift)):
        left, right = _value(node.left), _value(node.right)
        if left and right:
            operations = {ast.Pow: pow, ast.Mult: mul, ast.LShift: lshift}
            return int(operations[type(node.op)](left, min(right, 64)))
    return 0


def _called(node: ast.AST) -> str:
    """The last name of what is called; empty where nothing is, or nothing with a name."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


Changes = Iterator[tuple[str, Callable[[], ast.AST]]]


def _changes(parent: ast.AST, node: ast.AST, put: Callable[[ast.AST], ast.AST]) -> Changes:
    """What can be changed at a node: the operator's name, and the change."""
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            new = COMPARISONS[type(op)]
            yield f"{SIGNS[type(op)]} to {SIGNS[new]}", _compared(node, k, new)
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in OPERATIONS:
        yield f"{SIGNS[type(node.op)]} to {SIGNS[OPERATIONS[type(node.op)]]}", _operated(node)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"{SIGNS[type(node.op)]} to {SIGNS[other]}", lambda: _set_op(node, other())
    elif isinstance(node, ast.UnaryOp) and type(node.op) in SIGNS:
        yield f"{SIGNS[type(node.op)]} dropped", lambda: put(node.operand)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield f"{node.value} to {not node.value}", lambda: put(ast.Constant(not node.value))
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "number plus 1", lambda: put(ast.Constant(node.value + 1))
    elif isinstance(node, ast.Call):
        yield from _changes_of_call(parent, node)
    else:
        yield from _changes_of_flow(parent, node, put)


def _may_be_exchanged(parent: ast.AST) -> bool:
    """Whether a comprehension runs over pairs whose order its element does not show: `x * y for x, y in ...`."""
    if not isinstance(parent, ast.comprehension) or not hasattr(parent, "element") or parent.ifs:
        return False
    names = [part.id for part in getattr(parent.target, "elts", ()) if isinstance(part, ast.Name)]
    if len(names) != 2 or len(parent.target.elts) != 2:  # type: ignore[attr-defined]
        return False
    exchanged = dict(zip(names, reversed(names), strict=True))
    return _in_order(parent.element, {}) == _in_order(parent.element, exchanged)


def _in_order(node: ast.AST, renamed: dict[str, str]) -> str:
    """An expression as text, with other names and the two sides of sums, products and equations in one order."""
    if isinstance(node, ast.Name):
        return renamed.get(node.id, node.id)
    parts = [_in_order(child, renamed) for child in ast.iter_child_nodes(node)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
        parts.sort()
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)) and len(node.ops) == 1:
        parts.sort()
    plain = [repr(value) for _, value in ast.iter_fields(node) if not isinstance(value, (ast.AST, list))]
    return f"{type(node).__name__}({', '.join([*plain, *parts])})"


def _changes_of_call(parent: ast.AST, node: ast.Call) -> Changes:
    name = _called(node)
    if name in NAMES:
        yield f"{name} to {NAMES[name]}", lambda: _renamed(node)
    if name == "zip" and _may_be_exchanged(parent):
        return
    plain = len(node.args) >= 2 and not any(isinstance(a, ast.Starred) for a in node.args[:2])
    if plain and name not in ANY_ORDER and ast.dump(node.args[0]) != ast.dump(node.args[1]):
        yield "arguments exchanged", lambda: _exchanged(node)


def _changes_of_flow(parent: ast.AST, node: ast.AST, put: Callable[[ast.AST], ast.AST]) -> Changes:
    if isinstance(node, (ast.If, ast.IfExp)):
        yield "condition to True", lambda: _tested(node, True)
        yield "condition to False", lambda: _tested(node, False)
    elif isinstance(node, ast.While) and not isinstance(node.test, ast.Constant):
        yield "loop to none", lambda: _tested(node, False)
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield "filter dropped", lambda: _unfiltered(node)
    elif isinstance(node, ast.Raise) and not isinstance(parent, ast.ExceptHandler):
        yield "raise dropped", lambda: put(ast.Pass())
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call dropped", lambda: put(ast.Pass())
    elif isinstance(node, ast.Break):
        yield "break to continue", lambda: put(ast.Continue())
    elif isinstance(node, ast.Continue):
        yield "continue to break", lambda: put(ast.Break())
    elif isinstance(node, ast.Return) and not isinstance(node.value, (ast.Constant, type(None))):
        yield "return None", lambda: put(ast.Return(ast.Constant(None)))


def _compared(node: ast.Compare, k: int, new: type[ast.cmpop]) -> Callable[[], ast.AST]:
    def apply() -> ast.AST:
        node.ops[k] = new()
        return node

    return apply


def _operated(node: ast.BinOp | ast.AugAssign) -> Callable[[], ast.AST]:
    return lambda: _set_op(node, OPERATIONS[type(node.op)]())


def _set_op(node: ast.AST, op: ast.AST) -> ast.AST:
    node.op = op  # type: ignore[attr-defined]
    return node


def _tested(node: ast.AST, value: bool) -> ast.AST:
    _put(node, "test", None, ast.Constant(value))
    return node


def _renamed(node: ast.Call) -> ast.AST:
    if isinstance(node.func, ast.Name):
        node.func.id = NAMES[node.func.id]
    elif isinstance(node.func, ast.Attribute):
        node.func.attr = NAMES[node.func.attr]
    return node


def _exchanged(node: ast.Call) -> ast.AST:
    node.args[:2] = reversed(node.args[:2])
    return node


def _unfiltered(node: ast.comprehension) -> ast.AST:
    node.ifs = []
    return node


def numbered(tree: ast.Module, module: str) -> Iterator[tuple[Address, Site]]:
    """The sites with their addresses."""
    count: Counter[tuple[str, str]] = Counter()
    for site in sites(tree):
        key = (site.function, site.operator)
        yield Address(module, *key, count[key]), site
        count[key] += 1


def module_of(file: str) -> str:
    """The name of a module from its path below the root: `exactformer/geometry/hull.py` is exactformer.geometry.hull."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def mutants(root: Path, files: Iterable[str]) -> Iterator[Mutant]:
    """Every mutant of these files."""
    for file in files:
        tree = ast.parse((root / file).read_text("utf-8"))
        for address, site in numbered(tree, module_of(file)):
            yield Mutant(address, file, site.lines)


@dataclass(frozen=True)
class Changed:
    """A module with one mutant in it: the tree, the line of the change, and the two texts of what was changed."""

    tree: ast.Module
    line: int
    before: str
    after: str


def changed(source: str, address: Address) -> Changed:
    """The module with the mutant of that address; LookupError where the source has no such place."""
    tree = ast.parse(source)
    for found, site in numbered(tree, address.module):
        if found == address:
            before = _head(ast.unparse(site.node))
            after = _head(ast.unparse(site.apply()))
            return Changed(tree, site.lines[0] if site.lines else 0, before, after)
    raise LookupError(f"{address}: the source has no such place")


def _head(text: str) -> str:
    """A text of at most one line."""
    first, rest = ([*text.split("\n", 1), ""])[:2]
    return first + (" ..." if rest else "")
