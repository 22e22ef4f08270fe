"""Messages of the library name parameters, as `bits`; the command line turns them into its options, as --bits."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click

import exactformer
from exactformer.cli.common import with_options

ROOT = Path(exactformer.__file__).parent
#: rooms that speak of commands, and the module that calls one
COMMANDS = {"cli", "papers", "verified.py"}
OPTION = re.compile(r"(?<![\w-])--[a-z]")


def messages(path: Path) -> Iterator[str]:
    """The texts of a module that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    bodies = [n.body for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
    documentation = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def test_messages_of_the_library_name_no_option() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {text[:80]}"
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] not in COMMANDS
        for text in messages(path)
        if OPTION.search(re.sub(r"exactformer \w+ --\w+", "", text))
    ]
    assert found == [], "name the parameter, as `bits`: the command line adds the dashes"


def test_the_command_line_adds_the_dashes() -> None:
    options = [click.Option(["--up-to"]), click.Option(["-n", "--bits"]), click.Argument(["most"])]
    ctx = click.Context(click.Command("prove", params=list(options)))
    text = "try `up_to` 8, raise `bits`, leave `most` and `exactformer hunt` alone"
    assert with_options(text, ctx) == "try --up-to 8, raise --bits, leave `most` and `exactformer hunt` alone"
    assert with_options(text) == text
