"""An import hook that reads one module with one piece of its text replaced: a planted bug, without a changed file."""

from __future__ import annotations

import importlib.machinery
import json
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parents[2]
#: how a subprocess learns of the bug: JSON [file, old, new]
VARIABLE = "EXACTFORMER_MUTANT"


def mutated(file: str, old: str, new: str) -> str:
    """The text of a file with its one piece `old` replaced by `new`; ValueError unless it is there exactly once."""
    text = (ROOT / file).read_text("utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{file}: expected exactly once, got {text.count(old)} times: {old!r}")
    return text.replace(old, new)


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads the mutated text; never from, and never into, the cache of compiled files."""

    text = ""

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.text, self.path, "exec", dont_inherit=True)


class Planted(PathFinder):
    """Finds the one module, for whoever imports it by whatever name."""

    def __init__(self, file: str, text: str) -> None:
        self.path, self.text = str(ROOT / file), text

    def find_spec(  # type: ignore[override]
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin != self.path:
            return None
        loader = _Loader(fullname, self.path)
        loader.text = self.text
        spec.loader, spec.cached = loader, None
        return spec


def plant(file: str, old: str, new: str) -> None:
    """From now on this process, and those it starts, import the module with the bug."""
    sys.meta_path.insert(0, Planted(file, mutated(file, old, new)))
    os.environ[VARIABLE] = json.dumps([file, old, new])
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
