"""An import hook that reads one module with a bug in it: a mutant by its address, or one piece of text replaced by another."""

from __future__ import annotations

import ast
import importlib.machinery
import json
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple

from operators import Address, changed

ROOT = Path(__file__).resolve().parents[2]
#: how a subprocess learns of the bug: JSON of its fields, the file first
VARIABLE = "EXACTFORMER_MUTANT"


class MutantBug(NamedTuple):
    """The mutant of an address, in a file below the root."""

    file: str
    address: str

    def module(self, source: str) -> ast.Module:
        """The tree of the file with the bug."""
        return changed(source, Address.read(self.address)).tree


class TextBug(NamedTuple):
    """`new` in place of `old`, which stands in the file exactly once."""

    file: str
    old: str
    new: str

    def module(self, source: str) -> ast.Module:
        """The tree of the file with the bug; ValueError unless the text is there exactly once."""
        if source.count(self.old) != 1:
            raise ValueError(f"{self.file}: expected exactly once, got {source.count(self.old)} times: {self.old!r}")
        return ast.parse(source.replace(self.old, self.new))


Bug = MutantBug | TextBug


def code(bug: Bug, root: Path = ROOT) -> CodeType:
    """The compiled module with the bug."""
    path = root / bug.file
    return compile(bug.module(path.read_text("utf-8")), str(path), "exec", dont_inherit=True)


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads the code with the bug; never from, and never into, the cache of compiled files."""

    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        return self.code


class Planted(PathFinder):
    """Finds the one module, for whoever imports it by whatever name."""

    def __init__(self, bug: Bug) -> None:
        self.path, self.code = str(ROOT / bug.file), code(bug)

    def find_spec(  # type: ignore[override]
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin != self.path:
            return None
        loader = _Loader(fullname, self.path)
        loader.code = self.code
        spec.loader, spec.cached = loader, None
        return spec


def plant(bug: Bug) -> None:
    """From now on this process, and those it starts, import the module with the bug."""
    sys.meta_path.insert(0, Planted(bug))
    os.environ[VARIABLE] = json.dumps(bug)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])


def plant_what_the_environment_says() -> None:
    """The bug of the process that started this one, if it has one."""
    if VARIABLE in os.environ:
        fields = json.loads(os.environ[VARIABLE])
        plant(MutantBug(*fields) if len(fields) == 2 else TextBug(*fields))
