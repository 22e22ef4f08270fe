"""Tests of `exactformer.studies.mean_field.approx_laplace`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from exactformer.studies.mean_field.approx_laplace import approx_laplace_errors, four_measures


def test_errors_of_softmax_means_are_from_the_direction_of_the_scores() -> None:
    """B is not symmetric: at high beta the mean at x looks where B'x points, and the error is small."""
    tokens = four_measures(4000)
    assert list(tokens) == ["uniform", "smooth", "jump", "atom"]
    at_atom = (np.abs(tokens["atom"] - [math.cos(2), math.sin(2)]).max(axis=1) < 1e-12).mean()
    assert at_atom == pytest.approx(0.5, abs=1e-3)
    angles = np.arctan2(tokens["jump"][:, 1], tokens["jump"][:, 0]) % (2 * math.pi)
    assert ((angles > 1) & (angles < 1 + math.pi)).mean() == pytest.approx(0.75, abs=0.01)
    errors = approx_laplace_errors(tokens["uniform"], np.array([[1.0, 0.7], [0.0, 1.0]]), [20.0, 80.0])
    assert (errors[:, 0] >= errors[:, 1]).all()
    assert errors[1, 0] < 0.05
    assert errors[0, 0] / errors[1, 0] == pytest.approx(4, rel=0.1)
