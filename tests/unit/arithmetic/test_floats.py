"""Tests of `exactformer.arithmetic.floats`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import exact


def test_floats_of_states() -> None:
    assert State.of([["1/3", -(10**400)]]).floats().tolist() == [[1 / 3, -np.inf]]
    assert float_of(10**400) == np.inf
    assert float_of(3 * 10**400, 10**400) == 3.0
    near = exact("sqrt(2)") - Fraction(141421356237309504880168872420969807856967187537694, 10**50)
    assert float_of(near) == pytest.approx(8.0731766797379907e-51, rel=1e-12)
    assert float_of(exact("sqrt(2)") * 0) == 0.0
