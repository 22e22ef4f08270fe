"""One paper's application each, of one shape inside: what is exact, what is `approx_`, what is certified."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exactformer.conjectures.statement import Statement


def statements() -> tuple[Statement, ...]:
    """The statements of all studies, for the catalogue of conjectures."""
    from exactformer.studies.mean_field.statements import STATEMENTS

    return STATEMENTS


def __getattr__(name: str) -> ModuleType:
    """A study, imported on first use."""
    if name not in ("sentiment", "mean_field", "time_delay"):
        raise AttributeError(f"module 'exactformer.studies' has no attribute {name!r}")
    return import_module(f"exactformer.studies.{name}")
