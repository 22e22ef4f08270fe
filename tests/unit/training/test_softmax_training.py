"""Tests of `exactformer.training.softmax_training`."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import exactformer as ef
from exactformer.model.dataset import Dataset
from exactformer.model.float_weights import network_of
from exactformer.training import softmax_training
from exactformer.training.loss import regularised_loss
from exactformer.training.regularised import Shape, named_arrays
from exactformer.training.softmax_training import (
    RECORDED,
    SoftmaxShape,
    TensorData,
    TrainingState,
    approx_adam,
    approx_softmax_loss,
)

F = Fraction


# ---------------------------------------------------------------- floats


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_pooling_as_a_softmax_network_is_the_same_map(blocks: int) -> None:
    rng = np.random.default_rng(blocks)
    pooled, soft = Shape(2, 3), SoftmaxShape(2, 3, rank=2, blocks=blocks)
    arrays = named_arrays(pooled, pooled.random(rng))
    theta = soft.pooling(arrays)
    assert len(theta) == blocks * (1 + 4 + 4 + 4 + 1 + 6 + 3 + 6)
    points = [[1, 0], [2, 1], [F(-1, 2), 3]]
    assert network_of(soft.split(theta))(points).rows() == network_of(arrays)(points).rows()
    start = soft.split(soft.random(rng))
    for name, shape in soft.sizes:
        assert start[name].shape == shape
        scalar = name.endswith(("rho", "eta"))
        assert (start[name] == 0.5).all() if scalar else np.abs(start[name]).max() <= 1 / np.sqrt(shape[-1])


def test_sequences_of_several_lengths_count_alike() -> None:
    """The mean over three sequences in two groups, of E one at a time."""
    torch = pytest.importorskip("torch")
    sequences = [np.array([[1.0], [2.0]]), np.array([[0.5]]), np.array([[3.0], [-1.0]])]
    targets = [np.array([[1.0]]), np.array([[0.0], [2.0]]), np.array([[4.0]])]
    shape = SoftmaxShape(1, 2)
    theta = torch.tensor(shape.random(np.random.default_rng(2)))
    each = [
        float(approx_softmax_loss(shape, theta, TensorData.of([x], [y])))
        for x, y in zip(sequences, targets, strict=True)
    ]
    together = TensorData.of(sequences, targets)
    assert (together.count, sorted(len(x) for x, _ in together.groups)) == (3, [1, 2])
    assert float(approx_softmax_loss(shape, theta, together)) == pytest.approx(sum(each) / 3)


def test_histories_and_savings_come_at_their_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(softmax_training, "RECORDED", 3)
    monkeypatch.setattr(softmax_training, "SAVED", 4)
    shape, saved, told = SoftmaxShape(1, 2), list[TrainingState](), list[int]()
    tensors = TensorData.of([np.array([[1.0], [2.0]])], [np.array([[1.5]])])
    start = TrainingState.start(shape.random(np.random.default_rng(5)))
    end = approx_adam(shape, start, 0.1, tensors, epochs=10, save=saved.append, tell=told.append)
    assert [step for _, step, _, _ in end.history] == [0, 3, 6, 9]
    assert [state.epochs for state in saved] == [4, 8, 10]
    assert told == list(range(1, 11))
    assert end.history[0][0::3] == (0.1, pytest.approx(float(start.theta @ start.theta)))


def test_the_first_step_of_adam_goes_against_the_gradient_of_the_whole_objective() -> None:
    """E = 0 and its gradient is 0 where no unit acts: every weight falls by the rate, whatever eps is."""
    pytest.importorskip("torch")
    shape = SoftmaxShape(1, 1)
    theta = np.array([0.0, 0.0, 0.5, -0.5, 0.0, 0.0, 0.25, 0.0])
    tensors = TensorData.of([np.array([[1.0]])], [np.array([[0.0]])])
    moved = approx_adam(shape, TrainingState.start(theta), 0.1, tensors, epochs=1, rate=0.01).theta
    assert moved == pytest.approx([0.0, 0.0, 0.49, -0.49, 0.0, 0.0, 0.24, 0.0])


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


# Adam ------------------------------------------------------------------------------------------------
def test_adam_epoch_by_epoch_on_sequences_of_several_lengths() -> None:
    torch = pytest.importorskip("torch")
    rng, shape = np.random.default_rng(6), SoftmaxShape(2, 3, 2, 2)
    sequences = [rng.normal(size=(n, 2)) for n in (1, 3, 3)]
    targets = [rng.normal(size=(n, 2)) for n in (1, 2, 2)]
    data = TensorData.of(sequences, targets)
    theta = shape.random(rng)
    found = approx_adam(shape, TrainingState.start(theta), 0.02, data, epochs=6, rate=0.1)
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


def several_targets() -> Dataset:
    rows = [([[0, 0], [1, 0], [0, 1]], [[1, 0], [0, 1]]), ([[1, 1], [2, 0]], [[0, 0]]), ([[3, 1]], [[1, 1]])]
    return Dataset.of([ef.Sequence.of(x, targets=y) for x, y in rows])


def floats(data: Dataset) -> tuple[list[np.ndarray], list[np.ndarray]]:
    sequences = [np.array(s.tokens.rows(), dtype=float) for s in data]
    return sequences, [np.array(data.targets_of(j).rows(), dtype=float) for j in range(len(data))]


def test_the_softmax_loss_is_that_of_balls_for_any_number_of_targets() -> None:
    torch = pytest.importorskip("torch")
    data, shape = several_targets(), SoftmaxShape(2, 3, rank=2, blocks=2)
    theta = shape.random(np.random.default_rng(0))
    tensors = TensorData.of(*floats(data))
    assert len(tensors.groups) == 3
    found = float(approx_softmax_loss(shape, torch.tensor(theta), tensors))
    exact = regularised_loss(network_of(shape.split(theta)), data, eps=0)
    assert found == pytest.approx(float(exact.loss), rel=1e-12)
    assert float(exact.norm2) == pytest.approx(float(theta @ theta), rel=1e-14)


def test_adam_minimises_the_objective() -> None:
    """At the end the gradient of E is -2 eps Theta, and Theta is not 0."""
    torch = pytest.importorskip("torch")
    shape = SoftmaxShape(1, 2)
    tensors = TensorData.of([np.array([[1.0]])], [np.array([[1.5]])])
    end = approx_adam(
        shape, TrainingState.start(shape.random(np.random.default_rng(5))), 0.1, tensors, epochs=800, rate=0.05
    )
    theta = torch.tensor(end.theta, requires_grad=True)
    (gradient,) = torch.autograd.grad(approx_softmax_loss(shape, theta, tensors), theta)
    assert np.abs(gradient.numpy() + 0.2 * end.theta).max() < 1e-3
    assert np.linalg.norm(end.theta) > 0.5


def test_adam_goes_on_as_if_nothing_had_happened() -> None:
    pytest.importorskip("torch")
    data, shape = several_targets(), SoftmaxShape(2, 3)
    tensors, saved = TensorData.of(*floats(data)), list[TrainingState]()
    start = TrainingState.start(shape.random(np.random.default_rng(1)))
    whole = approx_adam(shape, start, 0.01, tensors, epochs=60)

    def stop(done: int) -> None:
        if done == 23:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        approx_adam(shape, start, 0.01, tensors, epochs=60, save=saved.append, tell=stop)
    assert [state.epochs for state in saved] == [23]
    again = approx_adam(shape, saved[0], 0.01, tensors, epochs=60)
    assert np.array_equal(again.theta, whole.theta)
    assert again.history == whole.history
    assert whole.history[-1][2] < whole.history[0][2]
