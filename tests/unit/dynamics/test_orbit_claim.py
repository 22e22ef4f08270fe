"""Tests of `exactformer.dynamics.orbit_claim`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exactformer.arithmetic.algebraic import from_text
from exactformer.dynamics.orbit_claim import write_orbit
from exactformer.errors import Declined

F = Fraction


@pytest.mark.parametrize("where", ["A", "tokens"])
def test_an_algebraic_number_has_no_place_in_a_certificate(where: str, tmp_path: Path) -> None:
    A: list[list[Any]] = [[F(1), F(0)], [F(0), F(1)]]
    tokens: list[list[Any]] = [[F(1), F(0)], [F(0), F(1)]]
    {"A": A, "tokens": tokens}[where][1][0] = from_text("sqrt(2)")
    with pytest.raises(Declined, match=rf"{where}\[1\]\[0\]: certificates hold rational numbers"):
        write_orbit(tmp_path / "c.jsonl", A, F(1), tokens, [], 0)
    assert not (tmp_path / "c.jsonl").exists()
