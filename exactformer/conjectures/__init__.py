"""Conjectures: statements judged exactly on many instances; true, false with a witness, or undecided.

The names here are all that a conjecture of one's own needs; they are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: public name -> the module that defines it
_HOME = {
    "Statement": "statement",
    "Hypothesis": "statement",
    "Judgement": "judgement",
    "holds": "judgement",
    "fails": "judgement",
    "undecided": "judgement",
    "conclude": "judgement",
    "CLUSTERING": "catalogue.conditions",
    "TokenFamily": "generators",
    "PlainOrbit": "plain_orbit",
    "Fate": "proved_fate",
    "fate": "proved_fate",
    "FrankWolfe": "instances.frank_wolfe",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
