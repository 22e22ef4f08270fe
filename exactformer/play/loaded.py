"""Imported by the process that workers are forked from: everything that a question needs, loaded once."""

from __future__ import annotations

import cvxpy

from exactformer.play.api import token_statements

__all__ = ["cvxpy"]

token_statements()
