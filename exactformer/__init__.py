"""exactformer: transformers in exact arithmetic.

Certify constructions, validate theorems, search for counterexamples. Names are imported on first use,
so that `import exactformer` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

#: public name -> the module that defines it
_HOME = {
    "Tokens": "model.tokens",
    "Dataset": "model.dataset",
    "Sequence": "model.dataset",
    "State": "arithmetic.state",
    "FeedForward": "model.feed_forward",
    "SelfAttention": "model.attention",
    "Block": "model.transformer",
    "Transformer": "model.transformer",
    "Dense": "model.matrix",
    "Outer": "model.matrix",
    "Scalar": "model.matrix",
    "Zero": "model.matrix",
    "simulate": "dynamics.orbit",
    "Orbit": "dynamics.orbit",
    "limit": "dynamics.limits",
    "Limit": "dynamics.limits",
    "construct": "constructions.pipeline",
    "Built": "constructions.built",
    "repair": "training.repair",
    "train": "training.train",
    "Repaired": "training.repair",
    "regularised_loss": "training.loss",
    "exact": "arithmetic.text",
    "hunt": "conjectures.hunt",
    "Statement": "conjectures.statement",
    "Ball": "arithmetic.ball",
    "check": "checking",
    "load": "certificates.load",
    "Certificate": "certificates.opened",
    "sample": "conjectures.named_families",
    "plot": "report.plot",
    "write_report": "report.page",
    "sentiment": "studies",
    "mean_field": "studies",
    "time_delay": "studies",
    "ExactformerError": "errors",
    "InvalidInput": "errors",
    "NotExact": "errors",
    "Malformed": "errors",
    "Undecided": "errors",
    "Declined": "errors",
    "MissingExtra": "errors",
    "SchedulerUnreachable": "errors",
    "NoConstruction": "errors",
}

#: packages that are public names themselves
_ROOMS = ("crosscheck",)

__all__ = ["__version__", *_HOME, *_ROOMS]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"exactformer.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'exactformer' has no attribute {name!r}")
    return getattr(import_module(f"exactformer.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
