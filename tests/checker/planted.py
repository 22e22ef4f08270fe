"""The checker with one check switched off, built from its source; run with a number, or with none to count the checks."""

from __future__ import annotations

import ast
import importlib.util
import sys
import types
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "proofs_check"
#: calls that refuse; as a statement each is one check
CHECKS = {"well_formed", "holds", "within", "count", "exact_keys", "spend", "bits", "end"}
ORDER = ["envelope", "geometry", "transformer", "dynamics", "counterexamples", "__init__"]


def name_of(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr if call.func.attr in {"spend", "bits", "end"} else ""
    return getattr(call.func, "id", "")


class SwitchOff(ast.NodeTransformer):
    """Replaces the check with the given number; a check whose value is used yields that value unchecked."""

    def __init__(self, number: int, start: int) -> None:
        self.number, self.next, self.where, self.line = number, start, "", 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if node.name in CHECKS else self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        return node  # an exception turned into a verdict is no check

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return self.counted(node, ast.Pass())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if name_of(node) not in CHECKS:
            return node
        used = node.args[0] if name_of(node) in {"count", "exact_keys"} else ast.Constant(None)
        return self.counted(node, used)

    def counted(self, node: ast.AST, off: ast.AST) -> ast.AST:
        self.next += 1
        if self.next - 1 != self.number:
            return node
        self.line = node.lineno  # type: ignore[attr-defined]
        self.where = f"line {node.lineno}: {ast.unparse(node)[:100]}"  # type: ignore[attr-defined]
        return ast.copy_location(off, node)


def checker(number: int) -> tuple[types.ModuleType, int, str, tuple[str, int]]:
    """The package with that check off (-1: none), how many checks there are, which one it was, and its place."""
    package = types.ModuleType("planted_check")
    package.__path__ = [str(SOURCE)]
    for known in [name for name in sys.modules if name.startswith("planted_check")]:
        del sys.modules[known]
    sys.modules["planted_check"] = package
    start, where, place = 0, "", ("", 0)
    for name in ORDER:
        tree = ast.parse((SOURCE / f"{name}.py").read_text())
        switch = SwitchOff(number, start)
        tree = ast.fix_missing_locations(switch.visit(tree))
        start, where = switch.next, f"{name} {switch.where}" if switch.where else where
        place = (f"{name}.py", switch.line) if switch.where else place
        full = "planted_check" if name == "__init__" else f"planted_check.{name}"
        module = package if name == "__init__" else types.ModuleType(full)
        module.__package__ = "planted_check"
        module.__spec__ = importlib.util.spec_from_loader(full, None)
        sys.modules[full] = module
        exec(compile(tree, f"{name}.py", "exec"), module.__dict__)
    return package, start, where, place
