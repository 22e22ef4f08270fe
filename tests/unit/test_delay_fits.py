"""How networks of time delay are trained and fitted: every option arrives, and enclosures end where they must."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.errors import NotExact, Undecided
from exactformer.studies.time_delay.approx_dmd import TOLERANCES, fit_dmd
from exactformer.studies.time_delay.approx_rollout import NetworkModel, measure, windows
from exactformer.studies.time_delay.approx_training import (
    Recipe,
    adamw,
    dmd_start,
    loss_and_gradient,
    random_network,
    train_network,
    with_units,
)
from exactformer.studies.time_delay.enclosure import Enclosure, enclose
from exactformer.studies.time_delay.fit import HORIZON, Parts, fit_parts
from exactformer.studies.time_delay.network import ApproxFunctions, ExactFunctions, contain
from exactformer.studies.time_delay.series import Series

F = Fraction


def noisy_rows(count: int, seed: int) -> Any:
    """Two columns of different sizes that hang together, with noise."""
    t, rng = np.arange(count), np.random.default_rng(seed)
    columns = np.column_stack([np.sin(t / 3), 5 * np.cos(t / 4) + np.sin(t / 3)])
    return columns + rng.normal(size=(count, 2)) * np.array([0.1, 0.3])


def curved_rows(count: int) -> Any:
    """x+ = 1 - 1.4 x^2 + y, y+ = 0.3 x + 0.1 y^2."""
    rows = [(0.1, 0.2)]
    for _ in range(count - 1):
        x, y = rows[-1]
        rows.append((1 - 1.4 * x * x + y, 0.3 * x + 0.1 * y * y))
    return np.array(rows)


@pytest.mark.parametrize("unit", [None, np.array([0.2, 3.0])])
def test_adamw_step_by_step(unit: Any) -> None:
    rows = noisy_rows(60, 1)
    train, validation = rows[:40], rows[40:]
    start = random_network(2, 3, encoding="additive", features=3, hidden=4, seed=5)
    slow = {"W1": 0.25, "p": 3.0}
    recipe = Recipe(5, 0.02, 7, 0.3, 0.5, 0.05, 2, ("A", "b2"), slow)
    rng, w = np.random.default_rng(8), dict(start.weights)
    inputs, wanted = windows(train, 3)
    size = wanted.std(axis=0) if unit is None else unit
    first, second = ({name: 0.0 * array for name, array in w.items()} for _ in range(2))
    kept = [(loss_and_gradient(start, *windows(validation, 3), size)[0], w)]
    for k in range(1, 6):
        chosen = rng.integers(0, 37, 7)
        batch = inputs[chosen] + 0.05 * rng.normal(size=(7, 3, 2))
        gradient = loss_and_gradient(start.with_weights(w), batch, wanted[chosen], size)[1]
        moving = [name for name in w if name not in ("A", "b2")]
        norm = math.sqrt(sum((gradient[name] ** 2).sum() for name in moving))
        after = dict(w)
        for name in moving:
            g = gradient[name] * min(1, 0.5 / norm)
            first[name] = 0.9 * first[name] + 0.1 * g
            second[name] = 0.999 * second[name] + 0.001 * g * g
            rate = 0.02 * slow.get(name, 1) * (1 + math.cos(math.pi * (k - 1) / 5)) / 2
            ahead = first[name] / (1 - 0.9**k) / (np.sqrt(second[name] / (1 - 0.999**k)) + 1e-8)
            after[name] = w[name] - rate * 0.3 * w[name] - rate * ahead
        w = after
        if k in (2, 4):
            kept.append((loss_and_gradient(start.with_weights(w), *windows(validation, 3), size)[0], w))
    best = min(kept, key=lambda pair: pair[0])[1]
    assert best is not kept[0][1]
    found = adamw(start, train, validation, recipe, unit=unit, seed=8)
    assert all(found.weights[name] == pytest.approx(value, rel=1e-6, abs=1e-9) for name, value in best.items())


def test_a_training_that_rolls_out_worse_is_given_up() -> None:
    rows = noisy_rows(80, 30)
    start = random_network(2, 2, encoding="block", features=3, hidden=4, seed=30)
    unit, recipe = np.array([4.0, 0.5]), Recipe(steps=10, every=5, rate=0.05, batch=20)
    assert adamw(start, rows[:50], rows[50:], recipe, unit=unit, seed=30) is not start
    assert train_network(start, rows[:50], rows[50:], recipe, unit=unit, seed=30) is start


@pytest.mark.parametrize("start", ["dmd", "random"])
def test_a_fit_trains_with_the_recipe_of_its_start(start: str) -> None:
    parts = Parts.of(Series.of(curved_rows(90)), 1)
    found = fit_parts(parts, 1, start=start, seed=3, steps=100, inputs=1)
    small = random_network(2, 1, encoding="block", features=12, hidden=48, seed=3)
    if start == "random":
        raw = adamw(small, parts.train, parts.validation, Recipe(steps=100), seed=3)
        assert not found.network.weights["A"].any()
    else:
        fits = [fit_dmd(parts.train, 1, tolerance) for tolerance in TOLERANCES]
        A, b = next(pair for pair in fits if (pair[0] == found.network.weights["A"]).all())
        unit = NetworkModel(contain(A, b)).one_step_errors(parts.train).std(axis=0)
        recipe = Recipe(steps=100, decay=0.0)
        raw = adamw(dmd_start(small, A, b), parts.train, parts.validation, recipe, unit=unit, seed=3)
    for name in ("E", "p", "W1", "b1"):
        assert found.network.weights[name] == pytest.approx(raw.weights[name], rel=1e-6, abs=1e-9)
        assert (found.network.weights[name] != small.weights[name]).any()
    assert (found.start, found.network.mean, found.network.scale) == (start, tuple(parts.mean), tuple(parts.scale))
    wanted = measure(NetworkModel(found.network), parts.test, HORIZON, inputs=1)
    assert found.measures == wanted != measure(NetworkModel(found.network), parts.test, HORIZON)


@pytest.mark.parametrize("swapped", [False, True])
def test_enclosures_end_at_the_first_that_is_a_deviation_wide(swapped: bool) -> None:
    """z+ = 4 z + 1/2 in one coordinate and z+ = z/2 in the other: only the first widens."""
    A = np.diag([-0.5, 3.0] if swapped else [3.0, -0.5])
    network = with_units(contain(A[None], np.array([0.5, 0.5])), np.zeros(2), np.array([7.0, 7.0]))
    start = [(F(1, 3), F(2, 3))]
    told = list[int]()
    with pytest.raises(Undecided, match="at 24 bits is too wide") as caught:
        enclose(network, start, 99, bits=24, progress=told.append)
    last = told[-1]
    assert f"after {last} steps" in str(caught.value)
    rows = enclose(network, start, last - 1, bits=24)
    wide = 0 if not swapped else 1
    assert float(F(1, 6)) < float(rows[-1].radius) / 7 < 1
    assert rows[-1].radius == (rows[-1].high[wide] - rows[-1].low[wide]) / 2
    finer = enclose(network, start, last + 4, bits=48)
    assert all(coarse.radius > fine.radius for coarse, fine in zip(rows, finer, strict=False))


def test_the_radius_of_an_enclosure_is_half_its_widest_side_and_it_holds_its_ends() -> None:
    box = Enclosure((F(0), F(-1), F(2)), (F(1, 2), F(3), F(2)))
    assert box.radius == 2
    for inside in ([0.0, -1.0, 2.0], [0.5, 3.0, 2.0], [0.25, 0.0, 2.0]):
        assert box.contains(np.array(inside))
    for outside in ([-0.01, 0.0, 2.0], [0.25, 3.01, 2.0], [0.25, 0.0, 2.01], [0.51, 0.0, 2.0]):
        assert not box.contains(np.array(outside))


def test_attention_of_equal_logits_is_uniform_over_each_window() -> None:
    logits = np.array([[F(2)] * 3, [F(-1, 2)] * 3, [F(0)] * 3, [F(5)] * 3])
    assert ExactFunctions().softmax(logits).tolist() == [[F(1, 3)] * 3] * 4
    for row, place in ((0, 0), (1, 1), (3, 2)):
        changed = logits.copy()
        changed[row, place] += F(1, 10**9)
        with pytest.raises(NotExact, match="enclosure"):
            ExactFunctions().softmax(changed)
    found = ApproxFunctions().softmax(np.array([[0.0, math.log(2), 800 - 800.0], [900.0, 900.0, 900.0 - math.log(2)]]))
    assert found == pytest.approx(np.array([[1 / 4, 1 / 2, 1 / 4], [2 / 5, 2 / 5, 1 / 5]]))
