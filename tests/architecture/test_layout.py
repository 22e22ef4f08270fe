"""Unit tests stand where their modules stand, and private names stay with the tests of their module."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests" / "unit"
FILES = sorted((ROOT / "tests").rglob("*.py"))


def module_of(test: Path) -> Path:
    """The module whose tests a file of tests/unit holds: a file of the package, or a folder of the same name."""
    inner = test.relative_to(UNIT)
    name = inner.stem.removeprefix("test_")
    folder = ROOT / "exactformer" / inner.parent
    return folder if folder.name == name and folder != ROOT / "exactformer" else folder / f"{name}.py"


@pytest.mark.parametrize("test", sorted(UNIT.rglob("test_*.py")), ids=lambda path: str(path.relative_to(UNIT)))
def test_every_file_of_unit_tests_has_its_module(test: Path) -> None:
    module = module_of(test)
    assert module.exists(), (
        f"{test.relative_to(ROOT)}: expected the module {module.relative_to(ROOT)}; see tests/README.md"
    )


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_imports(path: Path) -> Iterator[tuple[str, str]]:
    """(module, private name) of what a file imports, or takes as an attribute of an imported module of the package."""
    tree = ast.parse(path.read_text("utf-8"))
    modules: dict[str, str] = {}
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    for node in imports:
        module = str(node.module)
        if module.partition(".")[0] not in ("exactformer", "proofs_check"):
            continue
        for alias in node.names:
            if ROOT.joinpath(*module.split("."), f"{alias.name}.py").exists():
                modules[alias.asname or alias.name] = f"{module}.{alias.name}"
            elif is_private(alias.name):
                yield module, alias.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = modules.get(node.value.id, "")
            if module and is_private(node.attr):
                yield module, node.attr


def test_private_names_are_used_by_the_tests_of_their_module_alone() -> None:
    wrong = []
    for path in FILES:
        home = None
        if path.is_relative_to(UNIT) and path.name.startswith("test_"):
            home = ".".join(module_of(path).relative_to(ROOT).with_suffix("").parts)
        wrong += [f"{path.relative_to(ROOT)}: {m}.{n}" for m, n in private_imports(path) if m != home]
    assert not wrong, "\n".join(sorted(set(wrong)))


def test_what_tests_share_has_one_name_per_module() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    shared = [path for folder in settings["pythonpath"] for path in (ROOT / folder).glob("*.py")]
    named = Counter(path.stem for path in shared if not path.name.startswith(("test_", "conftest")))
    assert not [name for name, count in named.items() if count > 1]


def test_modules_reach_each_other_by_public_names() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}.{name}"
        for room in ("exactformer", "proofs_check", "examples", "benchmarks")
        for path in sorted((ROOT / room).rglob("*.py"))
        for module, name in private_imports(path)
    ]
    assert not wrong, "\n".join(wrong)
