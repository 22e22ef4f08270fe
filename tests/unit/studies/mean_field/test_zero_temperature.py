"""Tests of `exactformer.studies.mean_field.zero_temperature`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import proofs_check
from exactformer.studies.mean_field.system import System
from exactformer.studies.mean_field.zero_temperature import ZeroTemperature, limit

F = Fraction


@pytest.mark.parametrize("scale", [F(1, 10), F(1), F(7)])
def test_rates_of_systems_are_certified_whatever_the_norms(scale: Fraction, tmp_path: Path) -> None:
    """V = diag(1, 1/2), B = scale diag(1/5, 1): the gap of M is 3/10 of the scale, and the norm the scale."""
    B = [[scale / 5, 0], [0, scale]]
    found = limit(System.of([[1, 0], [0, "1/2"]], B))
    assert isinstance(found, ZeroTemperature)
    assert found.rate is not None
    assert F(99, 100) * F(3, 10) <= found.rate <= F(3, 10)
    found.certify(tmp_path / "c.jsonl")
    assert proofs_check.check(str(tmp_path / "c.jsonl")).verdict == "accepted"
