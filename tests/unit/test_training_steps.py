"""Starts, losses and steps of training in floats, number by number against their definitions."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.targets import targets_of
from exactformer.model.attention import SelfAttention
from exactformer.model.boxes import Boxes
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Scalar, Zero
from exactformer.model.norms import Enclosure, norm2
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer
from exactformer.training.experiment import _teller
from exactformer.training.interpolant import Interpolant, pooling_interpolants
from exactformer.training.loss import RegularisedLoss, _box_distance, box_objective, loss_of, regularised_loss
from exactformer.training.regularised import Shape, approx_loss, approx_minimise, polished
from exactformer.training.repair import _balanced_unit, _curve, _direction, repair
from exactformer.training.runs import Training, judged
from exactformer.training.same_shape import _Problem
from exactformer.training.saved_runs import SavedRuns
from exactformer.training.softmax_training import (
    RECORDED,
    AdamState,
    SoftmaxShape,
    TensorData,
    approx_adam,
    approx_softmax_loss,
)

F = Fraction


# starts ----------------------------------------------------------------------------------------------
def test_random_starts_have_the_usual_sizes() -> None:
    rng = np.random.default_rng(3)
    parts = Shape(2, 5).split(Shape(2, 5).random(np.random.default_rng(3)))
    assert (parts["V"].tolist(), parts["eta"].tolist()) == ([[1, 0], [0, 1]], [0.5])
    assert parts["U"] == pytest.approx(rng.normal(size=(5, 2)) / math.sqrt(2))
    assert parts["b"] == pytest.approx(0.3 * rng.normal(size=5))
    assert parts["W"] == pytest.approx(rng.normal(size=(2, 5)) / math.sqrt(5))


def test_random_starts_of_softmax_networks_are_uniform_within_the_root_of_the_row_length() -> None:
    shape, rng = SoftmaxShape(2, 5, 3, 2), np.random.default_rng(3)
    parts = shape.split(shape.random(np.random.default_rng(3)))
    rows = {"V": (2, 2), "Q": (3, 2), "K": (3, 2), "U": (5, 2), "b": (5,), "W": (2, 5)}
    for block in range(4):
        for name in ("rho", "V", "Q", "K") if block % 2 == 0 else ("eta", "U", "b", "W"):
            found = parts[f"block{block}.{name}"]
            if name in ("rho", "eta"):
                assert found.tolist() == [0.5]
            else:
                reach = 1 / math.sqrt(rows[name][-1])
                assert found == pytest.approx(rng.uniform(-reach, reach, rows[name]))
    assert len(parts) == 16


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
    found = shape.split(polished(shape, shape.join(parts), means, targets))
    x = means @ parts["V"].T
    hidden = x @ parts["U"].T + parts["b"]
    left = targets - 0.5 * x - hidden @ parts["W"].T
    assert found["W"] - parts["W"] == pytest.approx(left.T @ np.linalg.inv(hidden @ hidden.T) @ hidden)
    assert all((found[name] == parts[name]).all() for name in ("V", "eta", "U", "b"))


def test_the_ends_of_the_objective_are_those_of_its_parts() -> None:
    data = Dataset.of([[[1]]], targets=[[3]])
    network = Transformer(1, [Block()])
    loss, norm = Enclosure(F(1, 3), F(1, 2)), Enclosure(F(2), F(5))
    found = RegularisedLoss(network, data, targets_of(data), F(1), F(1, 10), loss, norm).objective
    assert (found.low, found.high) == (F(1, 3) + F(1, 5), F(1))


def test_the_distance_of_boxes_takes_every_output_and_every_target() -> None:
    """Outputs in [-1, 1] and [4, 6], targets 1 and 9: 9 is the farthest from its nearest, 3 to 5 away."""
    assert _box_distance(Boxes.of([[0], [5]], radius=1), State.of([[1], [9]]), 4) == (16 * 9, 16 * 25)
    assert _box_distance(Boxes.of([[0], [5], [20]], radius=1), State.of([[1], [9]]), 4) == (16 * 100, 16 * 144)


@pytest.mark.parametrize("Q", [[[0, 0], [0, 0]], [["1/7", 0], [1, "-1/2"]]])
def test_boxes_enclose_loss_and_norm_with_every_weight(Q: Any) -> None:
    attention = SelfAttention("1/3", [["2/5", -1], [0, "1/9"]], Q, [[1, "3/4"], ["1/8", 2]])
    network = Transformer(2, [Block(None, attention), Block(FeedForward("-4/3", [[1, 2]], ["5/7"], [["1/2"], [3]]))])
    data = Dataset.of([[[1, 2], [0, "1/3"]], [[-1, 1]]], targets=[[1, 0], ["1/2", 1]])
    eps = F(2, 7)
    entries = ["1/3", "2/5", -1, "1/9", *Q[0], *Q[1], 1, "3/4", "1/8", 2, "-4/3", 1, 2, "5/7", "1/2", 3]
    found = loss_of(network, data, targets_of(data), eps, F(3), 200)
    assert found.norm2.low == found.norm2.high == sum(F(x) ** 2 for x in entries)
    box = box_objective(network, data, targets_of(data), Temperatures(F(3), F(3)), eps, 80)
    assert box.low <= found.objective.low <= found.objective.high <= box.high < box.low + F(1, 10**15)
    again = regularised_loss(network, data, eps=eps, beta=3, bits=60)
    assert (again.beta, again.eps, again.norm2) == (3, eps, found.norm2)
    if any(map(any, Q)):
        assert F(1, 10**30) < again.loss.high - again.loss.low < F(1, 10**10)
        assert again.loss.low < found.loss.low <= found.loss.high < again.loss.high
    else:
        assert again.loss == found.loss


# Adam ------------------------------------------------------------------------------------------------
def test_adam_epoch_by_epoch_on_sequences_of_several_lengths() -> None:
    torch = pytest.importorskip("torch")
    rng, shape = np.random.default_rng(6), SoftmaxShape(2, 3, 2, 2)
    sequences = [rng.normal(size=(n, 2)) for n in (1, 3, 3)]
    targets = [rng.normal(size=(n, 2)) for n in (1, 2, 2)]
    data = TensorData.of(sequences, targets)
    theta = shape.random(rng)
    found = approx_adam(shape, AdamState.start(theta), 0.02, data, epochs=6, rate=0.1)
    first, second, records = np.zeros_like(theta), np.zeros_like(theta), []
    for k in range(6):
        variable = torch.tensor(theta, requires_grad=True)
        loss = approx_softmax_loss(shape, variable, data)
        loss.backward()
        records.append((0.02, k, float(loss.detach()), float(theta @ theta)))
        gradient = variable.grad.numpy() + 2 * 0.02 * theta
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        rate = 0.1 * (1 + math.cos(math.pi * k / 6)) / 2
        ahead = first / (1 - 0.9 ** (k + 1)) / (np.sqrt(second / (1 - 0.999 ** (k + 1))) + 1e-8)
        theta = theta - rate * ahead
    assert found.epochs == 6
    assert found.theta == pytest.approx(theta)
    assert found.first == pytest.approx(first)
    assert found.second == pytest.approx(second)
    assert found.history == tuple(pytest.approx(record) for record in records)
    assert RECORDED == 1000


def test_the_softmax_loss_by_loops() -> None:
    torch = pytest.importorskip("torch")
    rng, shape = np.random.default_rng(7), SoftmaxShape(2, 3, 1, 2)
    sequences, targets = [rng.normal(size=(n, 2)) for n in (2, 3)], [rng.normal(size=(n, 2)) for n in (3, 1)]
    theta = 1.5 * shape.random(rng)
    parts, distances = shape.split(theta), []
    for tokens, points in zip(sequences, targets, strict=True):
        x = list(tokens)
        for k in (0, 2):
            w = {name.split(".")[1]: value for name, value in parts.items() if name[5] in f"{k}{k + 1}"}
            moved = []
            for z in x:
                weights = [math.exp(float((w["Q"] @ z) @ (w["K"] @ y))) for y in x]
                mean = sum(a * (w["V"] @ y) for a, y in zip(weights, x, strict=True)) / sum(weights)
                moved.append(w["rho"] * z + mean)
            x = [w["eta"] * z + w["W"] @ np.maximum(w["U"] @ z + w["b"], 0) for z in moved]
        table = [[float((z - y) @ (z - y)) for y in points] for z in x]
        distances.append(max(max(map(min, table)), max(map(min, zip(*table, strict=True)))))
    found = approx_softmax_loss(shape, torch.tensor(theta), TensorData.of(sequences, targets))
    assert float(found) == pytest.approx(sum(distances) / 2)


# repair, interpolants, saved runs, progress ------------------------------------------------------------------------
def test_units_are_balanced_by_a_power_of_two_and_keep_their_product() -> None:
    for row, bias, column in (
        ((F(1), F(0)), F(1), (F(1, 1000), F(0))),
        ((F(3), F(-4)), F(12), (F(5000), F(2))),
        ((F(1, 64), F(0)), F(1, 3), (F(7), F(-9))),
    ):
        new, shifted, other = _balanced_unit(row, bias, column)
        factor = shifted / bias
        assert factor in {F(2) ** k for k in range(-20, 20)}
        assert new == tuple(factor * x for x in row)
        assert other == tuple(x / factor for x in column)
        inner, outer = sum(x * x for x in (*new, shifted)), sum(x * x for x in other)
        assert F(1, 8) <= inner / outer <= 8


def test_a_curve_has_a_hinge_at_every_bend() -> None:
    nodes = [((F(2), F(0)), (F(3), F(0))), ((F(0), F(1)), (F(1), F(0))), ((F(1), F(5)), (F(2), F(0)))]
    nodes.append(((F(4), F(0)), (F(0), F(1))))
    units = list(_curve(nodes, (F(1), F(0))))
    assert len(units) == 3
    for z, residual in [*nodes, ((F(3), F(0)), (F(3, 2), F(1, 2)))]:
        total = [F(0), F(0)]
        for row, bias, column in units:
            height = max(F(0), row[0] * z[0] + row[1] * z[1] + bias)
            total = [t + height * c for t, c in zip(total, column, strict=True)]
        assert tuple(total) == residual


def test_a_direction_has_the_largest_least_gap_beside_its_length() -> None:
    points = [(F(0), F(0)), (F(1), F(100)), (F(2), F(-50)), (F(3), F(7))]
    u = _direction(points, np.random.default_rng(0))
    tried = np.random.default_rng(0).integers(-8, 8, (400, 2), endpoint=True)

    def share(c: Any) -> float:
        along = sorted(float(c[0]) * float(z[0]) + float(c[1]) * float(z[1]) for z in points)
        return min(b - a for a, b in pairwise(along)) / math.hypot(float(c[0]), float(c[1]))

    assert share(u) == pytest.approx(max(share(c) for c in tried if any(c)))
    assert all((8 * x).denominator == 1 and abs(x) <= 1 for x in u)


def test_runs_are_kept_apart_by_the_shape_of_their_data(tmp_path: Path) -> None:
    flat, tall = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2)
    state = AdamState(np.ones(2), np.zeros(2), np.full(2, 3.0), 7, ((0.5, 1, 2.0, 3.0),))
    SavedRuns(tmp_path, flat).save("run", state)
    found = SavedRuns(tmp_path, flat).load("run")
    assert found is not None
    assert (found.theta.tolist(), found.first.tolist(), found.second.tolist()) == ([1, 1], [0, 0], [3, 3])
    assert (found.epochs, found.history) == (7, ((0.5, 1, 2.0, 3.0),))
    for other in (SavedRuns(tmp_path, tall), SavedRuns(tmp_path, flat, flat), SavedRuns(tmp_path, flat + 1)):
        assert other.load("run") is None
    assert SavedRuns(tmp_path, flat).load("run 2") is None


def test_the_epochs_of_an_experiment_go_on_from_run_to_run() -> None:
    told: list[tuple[int, int]] = []
    _teller(lambda done, total: told.append((done, total)), 7, 20)(3)
    _teller(None, 7, 20)(3)
    assert told == [(10, 20)]


@pytest.mark.parametrize("seed", [0, 1])
def test_trained_networks_are_repaired_with_the_seed_and_filled_up_with_blocks(seed: int) -> None:
    mean = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    nearly = FeedForward("0.99", [[1, 0, 0], [0, 1, 0]], ["0.1", 0], [["0.02", 0], [0, "0.01"], [0, 0]])
    network = Transformer(3, [Block(None, mean), Block(nearly)])
    data = Dataset.of([[[0, 0, 1], [2, 4, 1]], [[3, 1, 5]]], targets=[[1, 2, 1], [3, 1, 5]])
    wanted = targets_of(data)
    found = pooling_interpolants(data, wanted, [network], label_targets=None, blocks=3, seed=seed)
    assert [(one.method, one.same_shape) for one in found] == [
        ("shallow, balanced", False),
        ("trained and repaired", False),
        ("trained, V or W corrected", True),
    ]
    assert found[1].transformer == repair(network, data, seed=seed).transformer
    kept = repair(network, data, keep_shape=True).transformer
    assert (len(found[2].transformer), found[2].norm2.low) == (6, norm2(kept).low + 4)
    assert all(one.norm2 == norm2(one.transformer) for one in found)
    assert repair(network, data, seed=0).transformer != repair(network, data, seed=1).transformer
    heavy = Transformer(3, [Block(None, mean), Block(FeedForward(1, [[99, 0, 0]], [0], [[0]] * 3))])
    alone = pooling_interpolants(data, wanted, [heavy], label_targets=None, blocks=3, seed=seed)
    assert [one.method for one in alone] == ["shallow, balanced"]


def test_units_are_added_to_the_last_layer_wherever_the_pooling_was() -> None:
    mean = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    first, last = FeedForward(2, [[1]], [0], [[1]]), FeedForward("0.3", [[1], [-1]], [0, 1], [["0.01", 0]])
    network = Transformer(1, [Block(None, mean), Block(first), Block(last)])
    found = repair(network, [[[0], [2]], [[3]], [[5]]], targets=[[1], [3], [5]])
    assert (len(found.transformer), found.transformer.blocks[:2]) == (3, network.blocks[:2])
    assert found.transformer.blocks[2].feed_forward is not None
    assert found.transformer.blocks[2].feed_forward.width == 2 + found.units_added
    assert [found.transformer(x).rows()[0] for x in ([[0], [2]], [[3]], [[5]])] == [(1,), (3,), (5,)]


def test_the_scope_is_as_large_as_the_largest_network_in_it() -> None:
    data = Dataset.of([[[1]]], targets=[[1]])
    wanted, wide = targets_of(data), FeedForward(1, [[0]] * 5, [0] * 5, [[0] * 5])
    small, large, long = (Transformer(1, blocks) for blocks in ([Block()], [Block(wide)], [Block(), Block(), Block()]))
    known = Interpolant(small, norm2(small), "by hand", lambda path: None)
    runs = [judged(one, data, wanted, known, eps=F(1), start="random", history=()) for one in (large, long)]
    for chosen, words in (
        (runs, "3 blocks and width 5"),
        (runs[:1], "1 blocks and width 5"),
        ([], "1 blocks and width"),
    ):
        assert words in Training(known, tuple(chosen), wanted).scope
    assert Training(replace(known, same_shape=True), tuple(runs), wanted).scope == "networks of this shape"


@pytest.mark.parametrize(
    ("U", "b", "W", "target"),
    [
        ([[-1], [1]], [-5, 2], [[3, 1]], 7),  # the second unit alone is active: y = 2 x + 2
        ([[1], [1]], [-2, -9], [[1, 4]], "3/2"),  # at its kink a unit is not active: y = x
        ([[1], [-1], [2]], [1, -7, "1/2"], [[1, 5, -3]], -4),  # the first and the third are
    ],
)
def test_v_is_corrected_with_the_units_that_are_active(U: Any, b: Any, W: Any, target: Any) -> None:
    mean = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    network = Transformer(1, [Block(None, mean), Block(FeedForward(1, U, b, W))])
    data = Dataset.of([[[1], [3]]], targets=[[target]])
    problem = _Problem.of(network, data, targets_of(data))
    for correction, changed in ((problem.other_value, 0), (problem.other_columns, 1)):
        for found in correction():
            assert found([[1], [3]]).rows()[0] == (F(target),)
            assert found.blocks[1 - changed] == network.blocks[1 - changed]
    assert len(list(problem.other_value())) == 1
