"""Statements made for a test."""

from __future__ import annotations

from typing import Any

from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.verdict import StatementVerdict, conclude
from exactformer.model.tokens import Tokens


def few_leaders(z: Tokens) -> StatementVerdict:
    return conclude(len(z) < 4, layers=0)


def statement_of(conclusion: Any = few_leaders, **changes: Any) -> Statement:
    base = catalogue()["lemma-1"]
    parts: dict[str, Any] = {
        "name": "own",
        "words": "own",
        "status": "open",
        "source": "here",
        "hypotheses": base.hypotheses,
    }
    return Statement(**{**parts, "conclusion": conclusion, "generate": base.generate, **changes})
