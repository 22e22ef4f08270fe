"""The checker with one check switched off, built from its source."""

from __future__ import annotations

import ast
import importlib
import sys
import types
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any, NamedTuple

from checker_kit import CORPUS, SOURCES

SOURCE = CORPUS.parent
PACKAGE = "planted_check"
#: methods of a budget and of lines that refuse
METHODS = {"within", "spend", "products", "divisions", "hold", "end"}
#: calls that refuse; as a statement each is one check
CHECKS = {"well_formed", "holds", "count", "exact_keys", *METHODS}


class Check(NamedTuple):
    """A check of the source: its file and its number there; where it stands, and what it says."""

    file: str
    number: int
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}-{self.line}-{self.number}"


def name_of(call: ast.Call) -> str:
    """The name of the check that a call is, or nothing."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr if call.func.attr in METHODS else ""
    return getattr(call.func, "id", "") if getattr(call.func, "id", "") not in METHODS else ""


class SwitchOff(ast.NodeTransformer):
    """Replaces the check with the given number; a check whose value is used yields that value unchecked."""

    def __init__(self, file: str, number: int) -> None:
        self.file, self.number = file, number
        self.checks: list[Check] = []

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

    def counted(self, node: Any, off: ast.AST) -> ast.AST:
        self.checks.append(Check(self.file, len(self.checks), node.lineno, ast.unparse(node)[:100]))
        return ast.copy_location(off, node) if len(self.checks) - 1 == self.number else node


def switched_off(file: str, number: int) -> tuple[ast.Module, list[Check]]:
    """The tree of a source file with that check off (-1: none), and all its checks."""
    switch = SwitchOff(file, number)
    tree = switch.visit(ast.parse((SOURCE / file).read_text()))
    return ast.fix_missing_locations(tree), switch.checks


@cache
def plain(file: str) -> types.CodeType:
    """The code of a source file as it is."""
    return compile((SOURCE / file).read_text(), file, "exec")


def checks() -> list[Check]:
    """All checks of the checker, file by file."""
    files = sorted(str(path.relative_to(SOURCE)) for path in SOURCES if path.name != "__main__.py")
    return [check for file in files for check in switched_off(file, -1)[1]]


class Planted(MetaPathFinder, Loader):
    """Imports the checker under another name, with one check off."""

    def __init__(self, check: Check | None) -> None:
        self.check = check

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        inside = name == PACKAGE or name.startswith(f"{PACKAGE}.")
        folder = SOURCE / name.removeprefix(PACKAGE).removeprefix(".").replace(".", "/")
        return ModuleSpec(name, self, is_package=folder.is_dir()) if inside else None

    def exec_module(self, module: types.ModuleType) -> None:
        place = module.__name__.removeprefix(PACKAGE).removeprefix(".").replace(".", "/")
        file = f"{place}/__init__.py".removeprefix("/") if (SOURCE / place).is_dir() else f"{place}.py"
        code = plain(file)
        if self.check is not None and self.check.file == file:
            code = compile(switched_off(file, self.check.number)[0], file, "exec")
        exec(code, module.__dict__)


def checker(check: Check | None) -> Any:
    """The package with that check off."""
    for known in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[known]
    finder = Planted(check)
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module(PACKAGE)
    finally:
        sys.meta_path.remove(finder)
