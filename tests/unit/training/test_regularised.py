"""Tests of `exactformer.training.regularised`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from exactformer.model.float_weights import network_of
from exactformer.training.regularised import Shape, approx_loss, approx_minimise, named_arrays, without_residual

# ---------------------------------------------------------------- floats


def test_polishing_corrects_w_alone_and_removes_the_residual() -> None:
    rng = np.random.default_rng(3)
    shape, means, targets = Shape(2, 6), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    theta = shape.random(rng)
    after = without_residual(shape, theta, means, targets)
    before, found = shape.split(theta), shape.split(after)
    assert all(np.array_equal(before[name], found[name]) for name in ("V", "eta", "U", "b"))
    assert not np.array_equal(before["W"], found["W"])
    assert approx_loss(shape, theta, means, targets)[0] > 1e-3
    assert approx_loss(shape, after, means, targets)[0] < 1e-24


def test_every_step_is_told_and_no_more_than_asked_for() -> None:
    rng = np.random.default_rng(0)
    shape, means, targets = Shape(2, 5), rng.normal(size=(6, 2)), rng.normal(size=(6, 2))
    told: list[Any] = []
    end = approx_minimise(shape, shape.random(rng), 0.01, means, targets, epochs=7, tell=told.append)
    assert [(eps, step) for eps, step, _, _ in told] == [(0.01, k) for k in range(1, 8)]
    assert told[-1][2:] == (approx_loss(shape, end, means, targets)[0], float(end @ end))
    falling = [loss / 0.01 + size for _, _, loss, size in told]
    assert falling == sorted(falling, reverse=True)


def test_vectors_are_the_arrays_of_their_network() -> None:
    shape = Shape(2, 3)
    theta = np.arange(4 + 1 + 6 + 3 + 6, dtype=float)
    parts = shape.split(theta)
    assert parts["V"].tolist() == [[0, 1], [2, 3]]
    assert parts["eta"].tolist() == [4]
    assert parts["U"].tolist() == [[5, 6], [7, 8], [9, 10]]
    assert (parts["b"].tolist(), parts["W"].tolist()) == ([11, 12, 13], [[14, 15, 16], [17, 18, 19]])
    assert shape.join(parts).tolist() == theta.tolist()
    assert list(named_arrays(shape, theta)) == ["block0.V", "block1.eta", "block1.U", "block1.b", "block1.W"]
    network = network_of(named_arrays(shape, theta / 8))
    mean = np.array([[1.5, 0.5]])
    error = approx_loss(shape, theta / 8, mean, np.zeros((1, 2)))[0]
    (output,) = set(network([[1, 0], [2, 1]]).rows())
    assert float(sum(x * x for x in output)) == pytest.approx(error)


# ---------------------------------------------------------------- where something ends


def test_a_unit_at_its_kink_has_no_part_in_the_gradient() -> None:
    """V = 1, eta = 1/2, y = x/2 + 3 relu(2x - 4) + 5 relu(x + 1): at x = 2 the first unit is at 0."""
    shape, theta = Shape(1, 2), np.array([1, 0.5, 2, 1, -4, 1, 3, 5.0])
    loss, gradient = approx_loss(shape, theta, np.array([[2.0]]), np.array([[14.0]]))
    parts = {name: value.tolist() for name, value in shape.split(gradient).items()}
    assert loss == 4
    assert parts == {"V": [[44]], "eta": [8], "U": [[0], [40]], "b": [0, 20], "W": [[0, 12]]}


# starts ----------------------------------------------------------------------------------------------
def test_random_starts_have_the_usual_sizes() -> None:
    rng = np.random.default_rng(3)
    parts = Shape(2, 5).split(Shape(2, 5).random(np.random.default_rng(3)))
    assert (parts["V"].tolist(), parts["eta"].tolist()) == ([[1, 0], [0, 1]], [0.5])
    assert parts["U"] == pytest.approx(rng.normal(size=(5, 2)) / math.sqrt(2))
    assert parts["b"] == pytest.approx(0.3 * rng.normal(size=5))
    assert parts["W"] == pytest.approx(rng.normal(size=(2, 5)) / math.sqrt(5))


# losses ----------------------------------------------------------------------------------------------
def by_definition(parts: dict[str, Any], mean: Any) -> Any:
    x = parts["V"] @ mean
    return parts["eta"][0] * x + parts["W"] @ np.maximum(parts["U"] @ x + parts["b"], 0)


def test_the_loss_on_means_and_its_gradient_in_every_weight() -> None:
    rng, shape = np.random.default_rng(1), Shape(2, 3)
    theta, means, targets = rng.normal(size=shape.random(rng).size), rng.normal(size=(4, 2)), rng.normal(size=(4, 2))
    wanted = [by_definition(shape.split(theta), m) - y for m, y in zip(means, targets, strict=True)]
    loss, gradient = approx_loss(shape, theta, means, targets)
    assert loss == pytest.approx(sum(float(e @ e) for e in wanted) / 4)
    for k in range(theta.size):
        ends = [approx_loss(shape, theta + h * np.eye(theta.size)[k], means, targets)[0] for h in (1e-6, -1e-6)]
        assert gradient[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)


def test_a_minimum_is_stationary_for_the_whole_objective_and_its_steps_are_told() -> None:
    rng, shape = np.random.default_rng(2), Shape(1, 2)
    means, targets = np.array([[0.0], [1.0], [2.0]]), np.array([[0.5], [1.0], [0.2]])
    told: list[tuple[float, int, float, float]] = []
    found = approx_minimise(shape, shape.random(rng), 0.05, means, targets, epochs=300, tell=told.append)
    loss, gradient = approx_loss(shape, found, means, targets)
    assert np.abs(gradient / 0.05 + 2 * found).max() < 1e-4
    assert told[-1] == pytest.approx((0.05, len(told), loss, float(found @ found)))
    assert [step for _, step, _, _ in told] == list(range(1, len(told) + 1))
    objectives = [e / eps + n for eps, _, e, n in told]
    assert objectives == sorted(objectives, reverse=True)


def test_polishing_is_the_least_change_of_w_that_fits() -> None:
    """Two means and three active units: W + dW with dW = R' (H H')^-1 H."""
    rng, shape = np.random.default_rng(4), Shape(2, 3)
    parts = shape.split(shape.random(rng)) | {"b": np.array([4.0, 5.0, 6.0])}
    means, targets = rng.normal(size=(2, 2)), rng.normal(size=(2, 2))
    found = shape.split(without_residual(shape, shape.join(parts), means, targets))
    x = means @ parts["V"].T
    hidden = x @ parts["U"].T + parts["b"]
    left = targets - 0.5 * x - hidden @ parts["W"].T
    assert found["W"] - parts["W"] == pytest.approx(left.T @ np.linalg.inv(hidden @ hidden.T) @ hidden)
    assert all((found[name] == parts[name]).all() for name in ("V", "eta", "U", "b"))


def test_the_gradient_is_that_of_the_loss() -> None:
    shape, rng = Shape(2, 3), np.random.default_rng(0)
    theta, means, targets = shape.random(rng), rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    _, gradient = approx_loss(shape, theta, means, targets)
    for k in range(len(theta)):
        step = np.zeros_like(theta)
        step[k] = 1e-6
        ahead, behind = (approx_loss(shape, theta + s * step, means, targets)[0] for s in (1, -1))
        assert gradient[k] == pytest.approx((ahead - behind) / 2e-6, abs=1e-5)
