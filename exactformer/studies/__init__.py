"""One paper's application each, of one shape inside: what is exact, what is `approx_`, what is certified."""

from importlib import import_module
from types import ModuleType

#: modules whose STATEMENTS stand in the catalogue of conjectures
STATEMENTS = ("exactformer.studies.mean_field.statements",)


def __getattr__(name: str) -> ModuleType:
    """A study, imported on first use."""
    if name not in ("sentiment", "mean_field", "time_delay"):
        raise AttributeError(f"module 'exactformer.studies' has no attribute {name!r}")
    return import_module(f"exactformer.studies.{name}")
