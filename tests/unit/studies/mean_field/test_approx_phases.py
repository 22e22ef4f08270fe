"""Tests of `exactformer.studies.mean_field.approx_phases`."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from exactformer.studies.mean_field.approx_phases import Phases, Rates, slopes
from exactformer.studies.mean_field.approx_transport import ApproxLimit

# what a run records -----------------------------------------------------------------------------------
METASTABLE = (np.diag([1.0, 0.5]), np.diag([0.2, 1.0])), ApproxLimit(np.diag([0.0, 1.0]))


# phases and slopes ------------------------------------------------------------------------------------
def test_phases_of_a_curve_by_hand() -> None:
    t = np.arange(7.0)
    found = Phases.of(t, np.array([4.0, 1.0, 0.4, 0.2, 0.4, 0.6, 1.1]))
    assert (found.w2_min, found.t_min, found.settled) == (pytest.approx(0.2), pytest.approx(3.0), True)
    assert found.metastable == (2.0, 4.0)  # at most 0.4
    assert found.escape == pytest.approx(5.2)  # (0.7 - 0.6)/(1.1 - 0.6) beyond 5
    at = Phases.of(t, np.array([4.0, 1.0, 0.4, 0.2, 0.4, 0.6, 0.7]))
    assert at.escape is None
    skew = Phases.of(t[:3], np.array([math.e, 1.0, math.e**3]))  # the parabola 2x^2 + x has its vertex at -1/4
    assert (skew.t_min, skew.w2_min) == (pytest.approx(0.75), pytest.approx(math.exp(-1 / 8)))
    wide = Phases.of(2 * t[:3], np.array([math.e, 1.0, math.e**3]))
    assert wide.t_min == pytest.approx(1.5)
    assert Phases.of(t[:2], np.array([0.8, 0.9])).escape == 0.0
    assert Phases.of(t[:3], np.array([1.0, 0.0, 1.0])).w2_min == 0.0


def test_slopes_are_over_the_runs_that_have_the_figure() -> None:
    def phases(t_min: float, w2: float, escape: float | None, settled: bool = True) -> Phases:
        return Phases(w2, t_min, (0.0, 0.0), escape, settled)

    betas = [1.0, math.e, math.e**2, math.e**3]
    told = [
        phases(1.0, math.exp(-1), 5.0),
        phases(3.0, math.exp(-4), None),
        phases(5.0, 0.0, 11.0),
        phases(99.0, 9.0, 99.0, settled=False),
    ]
    assert slopes(betas, told) == pytest.approx({"t_min": 2.0, "escape": 3.0, "w2_min": -3.0})
    assert slopes([2.0, 2.0], told[:2]) == {"t_min": None, "escape": None, "w2_min": None}


def test_rates_and_their_laws_by_hand() -> None:
    """M = diag(1/5, 1/2): g = 3/10, |B'e2| = 1, |B'e1| = 1/5, and e1 is 1/2 faster than e2 under V."""
    (V, B), end = METASTABLE
    rates = Rates.of(V, B, end)
    assert rates is not None
    assert (rates.gap, rates.on_limit, rates.beside, rates.instability) == pytest.approx((0.3, 1.0, 0.2, 0.5))
    slow = replace(rates, beside=2.0)
    assert (slow.rate(), slow.rate(1.0), rates.rate()) == pytest.approx((0.075, 0.15, 0.3))
    escape = 1 / 0.6 + 1
    t_min = escape * 0.5 / 0.575
    assert slow.slopes() == pytest.approx({"t_min": t_min, "escape": escape, "w2_min": -0.075 * t_min})
    twice = Rates.of(2 * V, B, end)
    assert twice is not None
    assert (twice.gap, twice.instability) == pytest.approx((0.6, 1.0))
    # of the eigenvalues 1, 1/2 and -3 the second is the next one, however large the third
    three = Rates.of(np.diag([1.0, 0.5, -3.0]), np.eye(3), ApproxLimit(np.diag([1.0, 0.0, 0.0])))
    assert three is not None
    assert (three.gap, three.instability) == pytest.approx((0.5, -0.5))


def test_a_flat_bottom_is_where_it_is_first_seen() -> None:
    """The logarithms of the three values are one float: no parabola bends."""
    low = 1e-10
    found = Phases.of(np.arange(3.0), np.array([np.nextafter(low, 1), low, low]))
    assert (found.t_min, found.w2_min) == (1.0, pytest.approx(low))
