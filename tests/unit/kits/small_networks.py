"""Networks with masks and heads, of small integers."""

from __future__ import annotations

from exactformer.model.architecture import Architecture


def shape(**changes: object) -> Architecture:
    keys = {
        "dim": 4,
        "heads": 2,
        "hidden": 6,
        "blocks": 2,
        "vocabulary": 5,
        "positions": 3,
        "types": 2,
        "classes": 5,
        "norm": "pre",
        "embedding_norm": True,
        "final_norm": True,
        "activation": "gelu",
        "head": "free",
    }
    return Architecture(**{**keys, **changes})
