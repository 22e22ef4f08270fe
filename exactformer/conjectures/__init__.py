"""Conjectures: statements judged exactly on many instances; true, false with a witness, or undecided.

The names here are all that a conjecture of one's own needs; they are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: public name -> the module that defines it
_HOME = {
    "Statement": "conjectures.statement",
    "Hypothesis": "conjectures.statement",
    "StatementVerdict": "conjectures.verdict",
    "Judgement": "conjectures.verdict",
    "holds": "conjectures.verdict",
    "fails": "conjectures.verdict",
    "undecided": "conjectures.verdict",
    "conclude": "conjectures.verdict",
    "CLUSTERING": "conjectures.catalogue.conditions",
    "TokenFamily": "instances.generators",
    "PlainOrbit": "dynamics.plain_orbit",
    "Fate": "conjectures.proved_limit",
    "fate": "conjectures.proved_limit",
    "FrankWolfe": "instances.frank_wolfe",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"exactformer.{_HOME[name]}"), name)
