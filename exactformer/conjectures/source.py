"""Where a statement is defined: a name of the catalogue, a user's file, or a Statement itself."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import ModuleType

from exactformer.conjectures.catalogue import statement_named
from exactformer.conjectures.statement import Statement
from exactformer.errors import InvalidInput, Malformed

#: what a user's file has to define
PARTS = ("name", "words", "status", "source", "hypotheses", "conclusion", "generate")


@dataclass(frozen=True)
class Source:
    """Where a statement is defined: a name of the catalogue, or the text of a user's file."""

    name: str
    text: str | None = None
    given: Statement | None = None

    @classmethod
    def of(cls, target: str | Statement) -> Source:
        """The source of a name, of a path that ends in .py, or of a statement itself (for one process)."""
        if isinstance(target, Statement):
            return cls(target.name, None, target)
        if not target.endswith(".py"):
            return cls(target)
        try:
            return cls(target, Path(target).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as problem:
            raise InvalidInput(f"cannot read {target}: {problem}; check the path") from problem

    @property
    def definition(self) -> str:
        """What a store remembers: the version of the package, or the digest of the user's file."""
        if self.given is not None:
            raise InvalidInput("a statement made in Python has no text to compare: save it as a file to use a store")
        if self.text is None:
            return f"catalogue {metadata.version('exactformer')}"
        return f"sha256 {hashlib.sha256(self.text.encode()).hexdigest()}"

    def statement(self) -> Statement:
        """The statement; Malformed where a user's file fails to import or lacks a part."""
        if self.given is not None:
            return self.given
        return statement_named(self.name) if self.text is None else _load(self.name, self.text)


@lru_cache(maxsize=16)
def _load(name: str, text: str) -> Statement:
    """Runs a user's file, which must define `statement`."""
    module = ModuleType(Path(name).stem)
    module.__file__ = name
    try:
        exec(compile(text, name, "exec"), module.__dict__)
    except Exception as problem:
        raise Malformed(f"{name} fails to import: {type(problem).__name__}: {problem}") from problem
    found = getattr(module, "statement", None)
    if found is None:
        raise Malformed(f"{name}: expected it to define `statement = Statement(..)`, got no `statement`")
    if not isinstance(found, Statement):
        raise Malformed(f"{name}: expected `statement` to be a Statement, got {type(found).__name__}")
    for part in PARTS:
        value = getattr(found, part)
        if value is None or value == "":
            raise Malformed(f"{name}: the statement lacks its {part}")
    for part in ("conclusion", "generate"):
        if not callable(getattr(found, part)):
            raise Malformed(f"{name}: expected {part} to be a function, got {getattr(found, part)!r:.60}")
    return found
