"""Tests of `exactformer.studies.mean_field.approx_transport`."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from exactformer.studies.mean_field.approx_transport import ApproxLimit, ApproxTransport, approx_circle_w2


def test_distances_to_two_atoms_are_of_the_exponent_asked_for() -> None:
    line = ApproxLimit(np.diag([1.0, 0.0]))
    x = np.array([[0.6, 0.8], [-0.8, 0.6]])
    costs = np.sqrt([0.4**2 + 0.8**2, 0.2**2 + 0.6**2])
    for p in (1.0, 2.0, 3.0):
        bounds = ApproxTransport.of(line, x, p).bounds(x)
        assert bounds == pytest.approx([(costs**p).mean() ** (1 / p)] * 2)


def test_limits_and_distances_of_an_oblique_projector() -> None:
    line = ApproxLimit(np.array([[0.0, 0.0], [-2.0, 1.0]]))
    assert (line.dimension, line.basis[:, 0].tolist()) == (1, [0.0, 1.0])
    assert line.T(np.array([[0.6, 0.8], [0.1, 0.9]])).tolist() == [[0.0, -1.0], [0.0, 1.0]]
    plane = ApproxLimit(np.diag([1.0, 1.0, 0.0]))
    assert plane.distances(np.array([[0.6, 0.0, 0.8], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])) == pytest.approx(
        [math.sqrt(0.4**2 + 0.8**2), math.sqrt(2), 0.0]
    )


@pytest.mark.parametrize("a", [1e-14, 1e-6, 0.9e-3, 1.1e-3])
def test_the_distance_on_the_circle_keeps_its_digits_near_zero(a: float) -> None:
    with mpmath.workdps(40):
        exact = mpmath.sqrt(2 - 4 / mpmath.pi * mpmath.acos(a) / mpmath.sqrt(1 - mpmath.mpf(a) ** 2))
    assert approx_circle_w2(a) == pytest.approx(float(exact), rel=1e-8)
