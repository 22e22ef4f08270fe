"""exactformer: transformers in exact arithmetic.

Certify constructions, validate theorems, search for counterexamples. Names are imported on first use,
so that `import exactformer` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from sys import modules
from typing import Any

from exactformer.conjectures.registry import register as _register
from exactformer.errors import deprecated as _deprecated
from exactformer.studies import statements as _statements

__version__ = "0.3.0"

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
    "Network": "model.network",
    "Architecture": "model.architecture",
    "HeadRule": "model.head_rules",
    "NetworkAnswer": "evaluate.network_answer",
    "Domain": "model.domain",
    "Decision": "evaluate.domain_decision",
    "train_network": "training.network_training",
    "Dense": "model.matrix",
    "Outer": "model.matrix",
    "Scalar": "model.matrix",
    "Zero": "model.matrix",
    "Sparse": "model.matrix",
    "Head": "model.heads",
    "MultiHeadAttention": "model.heads",
    "MultiHeadBlock": "model.heads",
    "Recogniser": "languages.recogniser",
    "simulate": "dynamics.orbit",
    "Orbit": "dynamics.orbit",
    "limit": "dynamics.limits",
    "Limit": "dynamics.limits",
    "stabilisation_case": "dynamics.stabilisation",
    "construct": "constructions.pipeline",
    "Built": "constructions.built_transformer",
    "repair": "training.repair",
    "train": "training.train",
    "Repaired": "training.repair",
    "regularised_loss": "training.loss",
    "exact": "arithmetic.text",
    "decimals": "arithmetic.decimals",
    "hunt": "conjectures.hunt",
    "Statement": "conjectures.statement",
    "conjecture": "conjectures.own",
    "Ball": "arithmetic.ball",
    "check": "checking",
    "crosscheck": "float_comparison.subject",
    "load": "loading",
    "Certificate": "certificates.certificate",
    "sample": "instances.named_families",
    "plot": "report.plot",
    "cite": "report.citations",
    "export": "float_comparison.exports",
    "write_report": "report.page",
    "PlayWidget": "play.widget",
    "sentiment": "studies",
    "meanfield": "studies",
    "delay": "studies",
    "ExactformerError": "errors",
    "InvalidInput": "errors",
    "NotExact": "errors",
    "Malformed": "errors",
    "Undecided": "errors",
    "Declined": "errors",
    "MissingExtra": "errors",
    "MissingOption": "errors",
    "SchedulerUnreachable": "errors",
    "NoConstruction": "errors",
    "NotAccepted": "errors",
}

#: public names that differ from the name in that module: studies keep the papers' words, commands are shorter
_ALIASES = {"meanfield": "mean_field", "delay": "time_delay"}

#: older public names -> today's
_OLD = {"mean_field": "meanfield", "time_delay": "delay"}

#: packages and modules that are public names themselves
_ROOMS = ("languages", "papers", "sklearn")

_register(_statements)  # conjectures import no study

__all__ = ["__version__", *_HOME, *_ROOMS]


def __getattr__(name: str) -> Any:
    if name in _OLD:
        _deprecated(f"exactformer.{name}", f"exactformer.{_OLD[name]}")
        name = _OLD[name]
    if name in _ROOMS:
        return import_module(f"exactformer.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'exactformer' has no attribute {name!r}", name=name, obj=modules[__name__])
    return getattr(import_module(f"exactformer.{_HOME[name]}"), _ALIASES.get(name, name))


def __dir__() -> list[str]:
    return sorted(__all__)
