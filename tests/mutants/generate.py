"""Bugs by rote: every operator, comparison, constant, condition, check and pair of arguments of a module changed once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: what a comparison or an operation is mistaken for
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.Pow: "*",
    ast.BitOr: "&",
    ast.BitAnd: "|",
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
#: calls whose text is for people: a change in it changes no answer
WORDS = {"InvalidInput", "Malformed", "NotExact", "Undecided", "Declined", "MissingExtra", "say", "echo", "warn"}


@dataclass(frozen=True)
class Change:
    """The bytes start..stop of a file replaced; the line is where it happens."""

    start: int
    stop: int
    new: str
    line: int


class Changes:
    """All changes of one module, from its syntax tree."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.bytes = source.encode()
        self.starts = [0]
        for line in self.bytes.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def __iter__(self) -> Iterator[Change]:
        yield from self._walk(ast.parse(self.source), docstrings(ast.parse(self.source)))

    def _walk(self, node: ast.AST, skipped: set[int]) -> Iterator[Change]:
        for child in ast.iter_child_nodes(node):
            if (
                isinstance(child, ast.JoinedStr)
                or getattr(child, "lineno", 0) in skipped
                or _is_annotation(node, child)
            ):
                continue
            if isinstance(child, ast.Raise) and not isinstance(node, ast.ExceptHandler):
                yield self._replace(child, "pass")
                continue
            if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in WORDS:
                continue
            yield from self._of(child)
            yield from self._walk(child, skipped)

    def _of(self, node: ast.AST) -> Iterator[Change]:
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            new = COMPARISONS[type(node.ops[0])]
            yield self._between(node.left, node.comparators[0], f" {new} ")
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            yield self._between(node.left, node.right, f" {OPERATIONS[type(node.op)]} ")
        elif isinstance(node, ast.BoolOp):
            new = " or " if isinstance(node.op, ast.And) else " and "
            yield self._between(node.values[0], node.values[1], new)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
            yield self._replace(node, f"({self._text(node.operand)})")
        elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
            yield self._replace(node, str(not node.value) if type(node.value) is bool else str(node.value + 1))
        elif isinstance(node, (ast.If, ast.IfExp)):
            yield self._replace(node.test, "True")
            yield self._replace(node.test, "False")
        elif isinstance(node, ast.Call):
            yield from self._of_call(node)
        elif isinstance(node, (ast.Break, ast.Continue)):
            yield self._replace(node, "continue" if isinstance(node, ast.Break) else "break")
        elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
            yield self._replace(node, "return None")

    def _of_call(self, node: ast.Call) -> Iterator[Change]:
        name = node.func
        if isinstance(name, ast.Name) and name.id in NAMES:
            yield self._replace(name, NAMES[name.id])
        plain = [a for a in node.args if not isinstance(a, ast.Starred)]
        if len(plain) == len(node.args) >= 2 and self._text(plain[0]) != self._text(plain[1]):
            first, second = self._span(plain[0]), self._span(plain[1])
            between = self.bytes[first[1] : second[0]].decode()
            yield Change(first[0], second[1], self._text(plain[1]) + between + self._text(plain[0]), node.lineno)

    def _span(self, node: ast.AST) -> tuple[int, int]:
        start = self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def _text(self, node: ast.AST) -> str:
        start, stop = self._span(node)
        return self.bytes[start:stop].decode()

    def _replace(self, node: ast.AST, new: str) -> Change:
        return Change(*self._span(node), new, node.lineno)  # type: ignore[attr-defined]

    def _between(self, left: ast.AST, right: ast.AST, new: str) -> Change:
        """The operator between two operands; closing and opening brackets around it stay."""
        start, stop = self._span(left)[1], self._span(right)[0]
        text = self.bytes[start:stop].decode()
        head = text[: len(text) - len(text.lstrip(") \n"))].rstrip()
        tail = text[len(text.rstrip("( \n")) :].lstrip()
        return Change(start, stop, head + new + tail, left.lineno)  # type: ignore[attr-defined]


def _is_annotation(parent: ast.AST, child: ast.AST) -> bool:
    return child in (getattr(parent, "annotation", None), getattr(parent, "returns", None))


def docstrings(tree: ast.AST) -> set[int]:
    """The lines on which docstrings and annotated type aliases begin."""
    return {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }


def mutants(path: Path) -> Iterator[tuple[int, str]]:
    """(line, whole changed text) for every change of a module that is still Python."""
    source = path.read_text("utf-8")
    for change in Changes(source):
        data = source.encode()
        text = (data[: change.start] + change.new.encode() + data[change.stop :]).decode()
        try:
            compile(text, str(path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        if text != source:
            yield change.line, text
