"""One word, one meaning: no two modules of the package define a class or a type of the same public name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import exactformer

ROOT = Path(exactformer.__file__).parent
#: names that several modules give to the very same type of NumPy
SAME = {"Rng", "Floats"}


def public_types(path: Path) -> list[str]:
    """The classes and the capitalised aliases that a module defines."""
    names = []
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
    return [name for name in names if name[0].isupper() and not name.isupper()]


def test_every_public_name_means_one_thing() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in ROOT.rglob("*.py"):
        for name in public_types(path):
            homes[name].append(str(path.relative_to(ROOT)))
    twice = {name: where for name, where in homes.items() if len(where) > 1 and name not in SAME}
    assert not twice, f"one meaning a name: rename all but one of {twice}"
    assert len(homes) > 100
