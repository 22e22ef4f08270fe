"""Mutants of the formulas behind `stabilisation-*`: one constant, term, sign, layer or comparison changed."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction

from exactformer.conjectures.catalogue import late_steps

Change = Callable[[ast.AST], ast.AST]


def planted(formula: late_steps.StepFormula) -> Iterator[tuple[str, late_steps.StepFormula]]:
    """Every mutant, with the line and what was changed; hypotheses (`if`, `for`) and `equal=` are left alone."""
    tree = ast.parse(inspect.getsource(formula))
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    kept = {id(node) for part in _conditions(tree) for node in ast.walk(part)}
    for place, node in enumerate(ast.walk(tree)):
        for words, change in () if id(node) in kept else _changes(node):
            mutant = copy.deepcopy(tree)
            victim = list(ast.walk(mutant))[place]
            changed = _Replaced(victim, change(victim)).visit(mutant)
            names = dict(vars(late_steps)) | {"Less": Less}
            exec(compile(ast.fix_missing_locations(changed), "mutant", "exec"), names)
            yield f"{ast.unparse(node)}: {words}", names[function.name]


class Less(late_steps.Relation):
    """left < right, which a relation that can be an equality must not satisfy."""

    @property
    def holds(self) -> bool:
        return self.left < self.right


class _Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().generic_visit(node)


def _conditions(tree: ast.AST) -> Iterator[ast.AST]:
    """What says of whom a formula speaks."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.args
            yield from [node.returns] if node.returns else []
        elif isinstance(node, ast.If):
            yield node.test
        elif isinstance(node, ast.For | ast.comprehension):
            yield node.iter
        elif isinstance(node, ast.keyword) and node.arg == "equal":
            yield node


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    match node:
        case ast.Constant(value=int(value)) if value:
            for other in (value + 1, value - 1, Fraction(99 * value, 100), Fraction(101 * value, 100)):
                yield f"{other}", lambda _, x=other: ast.parse(f"Fraction('{x}')", mode="eval").body
        case ast.BinOp(op=op):
            yield "left only", lambda n: n.left
            yield "right only", lambda n: n.right
            if isinstance(op, ast.Add | ast.Sub):
                other = ast.Sub() if isinstance(op, ast.Add) else ast.Add()
                yield "other sign", lambda n: ast.BinOp(n.left, other, n.right)
        case ast.Attribute(value=ast.Name(id="now" | "then" as layer), attr=fact) if fact != "largest":
            other = {"now": "then", "then": "now"}[layer]
            yield f"{other}", lambda n: ast.Attribute(ast.Name(other, ast.Load()), n.attr, ast.Load())
        case ast.Call(func=ast.Name(id="Relation"), keywords=equal):
            yield "<", lambda n: ast.Call(ast.Name("Less", ast.Load()), n.args, [])
            if equal:  # an inequality, for some tokens at least
                more = [ast.keyword("equal", ast.Constant(False))]
                yield ">=", lambda n: ast.Call(n.func, [n.args[0], n.args[2], n.args[1]], more)
