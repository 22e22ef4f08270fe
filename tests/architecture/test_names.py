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


#: what two rooms call by one name because it is one idea: in another arithmetic, of another object, or in another study
SHARED = {
    "integers and double-doubles": {"add", "multiply", "largest"},
    "<x, y> of points, and of vectors of any numbers": {"dot"},
    "enclosures by fractions, balls and integers": {"enclose", "ends", "exp_minus", "rational"},
    "verbs of the package that a study has for its own objects": {"fit", "limit", "load", "train", "write_network"},
    "of automata, and of the programs that have them": {"is_star_free"},
    "a text as a tree": {"parse"},
    "the words of a text, and of an alphabet": {"words"},
    "a page": {"page"},
    "a kind of matrix or layer, and the family of instances that has it": {
        "positive_definite",
        "symmetric",
        "self_tied",
    },
    "a named instance": {"sample"},
    "rows of a paper": {"dropped", "lemma", "statements"},
}
#: rooms whose functions are those of another room, for many instances at once
IN_ARRAYS = ("conjectures/arrays/", "instances/array_families.py")


def public_functions(path: Path) -> list[str]:
    """The functions that a module defines for others."""
    body = ast.parse(path.read_text("utf-8")).body
    return [node.name for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]


def test_every_function_means_one_thing() -> None:
    """The verbs of the command line apart, whose modules are named after them."""
    homes: dict[str, set[str]] = defaultdict(set)
    for path in ROOT.rglob("*.py"):
        place = path.relative_to(ROOT).as_posix()
        if not place.startswith(("cli/", *IN_ARRAYS)):
            for name in public_functions(path):
                homes[name].add(place)
    twice = {name: sorted(where) for name, where in homes.items() if len(where) > 1}
    shared = set().union(*SHARED.values())
    assert not twice.keys() - shared, f"rename all but one: {[twice[name] for name in twice.keys() - shared]}"
    assert not shared - twice.keys(), f"take them off the list, they stand once: {shared - twice.keys()}"
