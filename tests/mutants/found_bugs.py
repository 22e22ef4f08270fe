"""Planted bugs found by rote (see survey.py): operators, comparisons, constants, conditions, checks and arguments."""

from __future__ import annotations

# fmt: off
FOUND: list[tuple[str, str, str, str]] = []
