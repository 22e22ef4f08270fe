"""Time delay part by part: generated series, TD-DMD, the reservoir, steps of AdamW, last layers, fits and files."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.errors import InvalidInput, Undecided
from exactformer.studies.time_delay import systems
from exactformer.studies.time_delay.approx_dmd import TOLERANCES, best_dmd, fit_dmd
from exactformer.studies.time_delay.approx_reservoir import HISTORY, Reservoir, fit_reservoir
from exactformer.studies.time_delay.approx_rollout import NetworkModel, float_rows, measure, rollout_score, windows
from exactformer.studies.time_delay.approx_training import (
    RIDGES,
    Recipe,
    _gelu,
    _step,
    adamw,
    chosen_by_rollout,
    flat_network,
    loss_and_gradient,
    polished,
    random_network,
    train_network,
    with_units,
)
from exactformer.studies.time_delay.approx_window import approx_window_network
from exactformer.studies.time_delay.fit import HORIZON, Parts, _residual, fit, fit_parts
from exactformer.studies.time_delay.network import ApproxFunctions, ExactFunctions, contain, verify_shapes
from exactformer.studies.time_delay.positive_window import PositiveWindow, least_window, polynomial_of_tones
from exactformer.studies.time_delay.recurrence import Recurrence, least_order
from exactformer.studies.time_delay.rollout import exact_rollout
from exactformer.studies.time_delay.series import Series
from exactformer.studies.time_delay.studies import STUDIES, _perceptron

F = Fraction


# generated series -------------------------------------------------------------------------------------
def test_tones_are_sums_of_cosines_and_sines_at_pythagorean_angles() -> None:
    triples = ((4, 3, 5), (12, 5, 13), (15, 8, 17), (24, 7, 25), (35, 12, 37))
    assert tuple((F(a, c), F(b, c)) for a, b, c in triples) == systems.PYTHAGOREAN
    for given in (None, [(F(2), F(-1)), (F(0), F(1, 2)), (F(3), F(0))]):
        found = [float(x) for (x,) in systems.tones(3, 30, given).rows()]
        sizes = given or [(F(1), F(0)), (F(1), F(1, 3)), (F(1), F(2, 3))]
        wanted = np.zeros(30)
        for (a, b, _), (x, y) in zip(triples, sizes, strict=False):
            angle = math.atan2(b, a) * np.arange(30)
            wanted += float(x) * np.cos(angle) - float(y) * np.sin(angle)
        assert found == pytest.approx(wanted)
    assert len(systems.tones(5, 7)) == 7


def test_two_tones_by_their_formula() -> None:
    t = np.arange(50)
    assert systems.approx_two_tones(50)[:, 0] == pytest.approx(np.sin(t / 5) + np.sin(0.2 * 2**0.5 * t + 0.3) / 2)
    assert systems.approx_two_tones().shape == (1200, 1)


def lorenz(z: Any) -> Any:
    x, y, u = z
    return np.array([10 * (y - x), x * (28 - u) - y, x * y - 8 * u / 3])


def taylor(flow: Any, z: Any, time: float, parts: int) -> Any:
    """Runge-Kutta of order 4, written out."""
    h = time / parts
    for _ in range(parts):
        k1 = flow(z)
        k2 = flow(z + k1 * h / 2)
        k3 = flow(z + k2 * h / 2)
        k4 = flow(z + k3 * h)
        z = z + (k1 / 6 + k2 / 3 + k3 / 3 + k4 / 6) * h
    return z


def test_lorenz_is_the_flow_of_its_equation_after_a_thousand_steps() -> None:
    rows = systems.approx_lorenz(12)
    for before, after in pairwise(rows):
        assert after == pytest.approx(taylor(lorenz, before, 0.02, 40), abs=1e-5)
    assert rows[0] == pytest.approx(taylor(lorenz, np.ones(3), 20.0, 5000), abs=1e-3)
    slow = systems.approx_lorenz(3, step=0.01)
    assert slow[1] == pytest.approx(taylor(lorenz, slow[0], 0.01, 20), abs=1e-6)


@pytest.mark.parametrize("seed", [0, 3])
def test_the_lift_of_a_pitching_aerofoil_lags_behind_its_static_curve(seed: int) -> None:
    angle, lift = systems.approx_pitching(400, 0.05, seed).T
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, 3)
    t = np.arange(400) / 20
    sines = [a * np.sin(w * t + p) for a, w, p in zip((0.12, 0.05, 0.03), (1, 0.37, 2.3), phases, strict=True)]
    assert angle == pytest.approx(0.15 + sum(sines))
    assert lift[0] == 0
    static = 0.4 * np.pi * np.tanh(5 * angle) - 2 * np.where(angle > 0.2, angle - 0.2, 0)
    speed = np.diff(angle) / 0.05
    tau = np.where(speed > 0, 0.6, 1.2)
    assert np.diff(lift) == pytest.approx(0.05 * ((static[:-1] - lift[:-1]) / tau + speed / 4))


def test_the_spiral_reacts_and_diffuses() -> None:
    """u' = Delta u/10 + (1 - s) u + s v, v' = Delta v/10 + (1 - s) v - s u, s = u^2 + v^2, periodic, spacing 20/cells."""
    cells = 10
    states = systems._spiral(3, cells, 0.2).reshape(3, 2, cells, cells)
    x = -10 + 2.0 * np.arange(cells)
    for i, j in ((0, 0), (3, 7), (5, 5), (9, 2)):
        r, angle = math.hypot(x[j], x[i]), math.atan2(x[i], x[j])
        assert states[0, :, i, j] == pytest.approx(
            [math.tanh(r) * math.cos(angle - r), math.tanh(r) * math.sin(angle - r)]
        )

    def flow(w: Any) -> Any:
        around = -4 * w
        for k in range(cells):
            around[:, k] += w[:, k - 1] + w[:, (k + 1) % cells]
            around[:, :, k] += w[:, :, k - 1] + w[:, :, (k + 1) % cells]
        (u, v), s = w, (w**2).sum(axis=0)
        return around / 10 / 4 + np.stack([(1 - s) * u + s * v, (1 - s) * v - s * u])

    for k in (0, 1):
        assert states[k + 1] == pytest.approx(taylor(flow, states[k], 0.2, 16), abs=1e-4)


def test_modes_are_those_of_the_first_six_tenths() -> None:
    rows = systems.approx_reaction_diffusion(30, modes=3, cells=8)
    assert rows.shape == (30, 3)
    first = rows[:18]
    assert np.abs(first.mean(axis=0)).max() < 1e-10
    assert abs(rows.mean(axis=0)).max() > 1e-3
    spread = first.T @ first
    assert np.abs(spread - np.diag(np.diag(spread))).max() < 1e-8 * spread[0, 0]
    assert list(np.diag(spread)) == sorted(np.diag(spread), reverse=True)
    states = systems._spiral(30, 8, 0.2)
    centred = states[:18] - states[:18].mean(axis=0)
    assert np.sqrt(np.diag(spread)) == pytest.approx(np.linalg.svd(centred)[1][:3])


def test_rows_of_named_series() -> None:
    assert systems.sample_rows("tones", 9) == systems.tones(2, 9).rows()
    assert systems.sample_rows("tones", 9, count=3) == systems.tones(3, 9).rows()
    assert [x for (x,) in systems.sample_rows("fibonacci", 8)] == [1, 1, 2, 3, 5, 8, 13, 21]
    arrays = {
        "two-tones": systems.approx_two_tones(7),
        "lorenz": systems.approx_lorenz(7),
        "pitching": systems.approx_pitching(7),
        "reaction-diffusion": systems.approx_reaction_diffusion(7),
    }
    for name, array in arrays.items():
        assert systems.sample_rows(name, 7) == [tuple(row) for row in array.tolist()]
    assert systems.sample_rows("pitching", 7, seed=4) == [tuple(r) for r in systems.approx_pitching(7, seed=4).tolist()]
    with pytest.raises(KeyError):
        systems.sample_rows("none", 7)


# TD-DMD and the reservoir -----------------------------------------------------------------------------
def test_windows_and_increments() -> None:
    rows = np.arange(10.0).reshape(5, 2) ** 2
    inputs, increments = windows(rows, 3)
    assert inputs.tolist() == [rows[0:3].tolist(), rows[1:4].tolist()]
    assert increments.tolist() == [(rows[3] - rows[2]).tolist(), (rows[4] - rows[3]).tolist()]


def test_dmd_finds_the_recurrence_a_series_has() -> None:
    rng = np.random.default_rng(4)
    A, b = rng.normal(size=(2, 2, 2)) / 4, np.array([0.5, -0.25])
    rows = [rng.normal(size=2), rng.normal(size=2)]
    for _ in range(12):
        rows.append(rows[-1] + A[0] @ rows[-2] + A[1] @ rows[-1] + b)
    found, intercept = fit_dmd(np.array(rows), 2, 1e-12)
    assert found == pytest.approx(A, abs=1e-7)
    assert intercept == pytest.approx(b, abs=1e-7)


def test_dmd_is_ridge_regression_without_the_smallest_directions() -> None:
    rows = np.random.default_rng(5).normal(size=(40, 2))
    inputs, increments = windows(rows, 2)
    H = np.column_stack([inputs.reshape(len(inputs), -1), np.ones(len(inputs))])
    for ridge in (0.0, 3.0):
        C = np.linalg.solve(H.T @ H + ridge * np.eye(5), H.T @ increments)
        A, b = fit_dmd(rows, 2, 1e-12, ridge)
        assert b == pytest.approx(C[4])
        for j in range(2):
            assert A[j] == pytest.approx(C[2 * j : 2 * j + 2].T)
    U, S, Vt = np.linalg.svd(H, full_matrices=False)
    between = (S[1] + S[2]) / 2 / S[0]
    C = Vt[:2].T @ np.diag(1 / S[:2]) @ U[:, :2].T @ increments
    assert fit_dmd(rows, 2, between)[1] == pytest.approx(C[4])


def test_the_best_tolerance_is_the_one_with_the_least_score() -> None:
    rows = systems.approx_two_tones(120) + np.random.default_rng(1).normal(size=(120, 1)) / 50
    scores = []

    def score(model: NetworkModel, validation: Any) -> float:
        assert validation.tolist() == rows[80:].tolist()
        scores.append(-abs(len(scores) - 5))
        return -scores[-1]

    chosen = best_dmd(rows[:80], rows[80:], 6, score=score)
    assert len(scores) == len(TOLERANCES)
    assert chosen[0].tolist() == fit_dmd(rows[:80], 6, TOLERANCES[5])[0].tolist()
    best = best_dmd(rows[:80], rows[80:], 6)
    told = [rollout_score(NetworkModel(contain(*fit_dmd(rows[:80], 6, t))), rows[80:]) for t in TOLERANCES]
    assert rollout_score(NetworkModel(contain(*best)), rows[80:]) == min(told)


def test_a_reservoir_by_its_formula() -> None:
    rng = np.random.default_rng(2)
    A, B, b, C = rng.normal(size=(4, 4)) / 3, rng.normal(size=(4, 2)), rng.normal(size=4), rng.normal(size=(9, 2)) / 9
    model = Reservoir(A, B, b, C, history=3)
    rows = rng.normal(size=(7, 2))
    assert model.parameters == 18

    def heard(part: Any) -> Any:
        r = np.zeros(4)
        for z in part:
            r = np.tanh(A @ r + B @ z + b)
        return r

    def increment(r: Any, z: Any) -> Any:
        return C.T @ np.array([*r, *r[:2] ** 2, *z, 1.0])

    errors = [increment(heard(rows[: k + 1]), rows[k]) - (rows[k + 1] - rows[k]) for k in range(3, 6)]
    assert model.one_step_errors(rows) == pytest.approx(np.array(errors))
    told, given = list(rows[:4]), rng.normal(size=(3, 1, 1))
    for known in (None, given):
        told = list(rows[:4])
        for k in range(3):
            told.append(told[-1] + increment(heard(told), told[-1]))
            if known is not None:
                told[-1][0] = known[k, 0, 0]
        assert model.rollout(rows[None, :4], 3, known)[:, 0] == pytest.approx(np.array(told[4:]))
    loud = replace(model, C=C + 1e6)
    assert np.abs(loud.rollout(rows[None, :4], 2)).max() <= 1e3


def test_a_fitted_reservoir_is_ridge_regression_at_spectral_radius_nine_tenths() -> None:
    rows = systems.approx_two_tones(300)
    model = fit_reservoir(rows, units=30, ridge=1e-3, seed=1)
    assert np.abs(np.linalg.eigvals(model.A)).max() == pytest.approx(0.9)
    assert (model.history, HISTORY, fit_reservoir(rows[:100], units=10).history) == (60, 60, 25)
    assert np.abs(model.B).max() <= 0.5
    assert np.abs(model.b).max() <= 0.3
    r, features = np.zeros(30), []
    for z in rows[:-1]:
        r = model.listen(r, z)
        features.append([*r, *r[:15] ** 2, *z, 1.0])
    X, Y = np.array(features)[60:], np.diff(rows, axis=0)[60:]
    slope = X.T @ (X @ model.C - Y) + 1e-3 * len(X) * model.C
    assert np.abs(slope).max() < 1e-9
    assert (fit_reservoir(rows, units=30, seed=2).A != model.A).any()


# training ---------------------------------------------------------------------------------------------
def test_gelu_and_its_derivative() -> None:
    y = np.array([-2.0, 0.0, 0.5, 3.0])
    value, slope = _gelu(y)
    wanted = [x * (1 + math.erf(x / 2**0.5)) / 2 for x in y.tolist()]
    assert value == pytest.approx(wanted)
    assert slope == pytest.approx((_gelu(y + 1e-6)[0] - _gelu(y - 1e-6)[0]) / 2e-6, abs=1e-8)
    assert ApproxFunctions().activation(y, "gelu") == pytest.approx(wanted)
    assert ApproxFunctions().activation(y, "relu").tolist() == [0, 0, 0.5, 3]


def test_a_step_of_adamw_is_clipped_decays_and_falls_as_a_cosine() -> None:
    recipe = Recipe(steps=10, rate=0.1, decay=0.5, clip=2.0, frozen=("c",), slow={"b": 0.25})
    weights = {"a": np.array([1.0, -2.0]), "b": np.array([3.0]), "c": np.array([7.0])}
    gradient = {"a": np.array([3.0, 0.0]), "b": np.array([4.0]), "c": np.array([100.0])}  # of norm 5 without c
    moments = {name: [np.full_like(weights[name], 0.2), np.full_like(weights[name], 0.3)] for name in "ab"}
    for step in (1, 6):
        rate = 0.1 * (1 + math.cos(math.pi * (step - 1) / 10)) / 2
        wanted = {}
        for name, own in (("a", rate), ("b", rate / 4)):
            m = 0.9 * moments[name][0] + 0.1 * gradient[name] * 2 / 5
            v = 0.999 * moments[name][1] + 0.001 * (gradient[name] * 2 / 5) ** 2
            direction = m / (1 - 0.9**step) / np.sqrt(v / (1 - 0.999**step))
            wanted[name] = weights[name] - own * (0.5 * weights[name] + direction)
        found = _step(weights, gradient, moments, step, recipe)
        for name, value in wanted.items():
            assert found[name] == pytest.approx(value, rel=1e-6)
        assert found["c"] is weights["c"]
    small = {name: value / 100 for name, value in gradient.items()}
    fresh = {name: [weights[name] * 0, weights[name] * 0] for name in "ab"}
    _step(weights, small, fresh, 1, recipe)
    assert fresh["b"][0] == pytest.approx([0.004])  # not clipped


def test_the_best_network_on_the_validation_part_is_kept() -> None:
    rows = systems.approx_two_tones(200)
    start = random_network(1, 3, encoding="block", features=3, hidden=4, seed=0)
    told = list[int]()
    recipe = Recipe(steps=40, every=10, rate=0.02)
    found = adamw(start, rows[:120], rows[120:], recipe, progress=told.append)
    assert told == [10, 20, 30, 40]
    size = windows(rows[:120], 3)[1].std(axis=0)
    loss = [loss_and_gradient(network, *windows(rows[120:], 3), size)[0] for network in (start, found)]
    assert loss[1] < loss[0]
    wild = adamw(start, rows[:120], rows[120:], Recipe(steps=20, every=10, rate=1e4))
    assert wild is start  # nothing better was found
    assert adamw(start, rows[:120], rows[120:], replace(recipe, every=50)) is start
    noisy = adamw(start, rows[:120], rows[120:], replace(recipe, noise=0.5))
    assert (noisy.weights["W1"] != found.weights["W1"]).any()
    assert (adamw(start, rows[:120], rows[120:], recipe, seed=1).weights["W1"] != found.weights["W1"]).any()


@pytest.mark.parametrize("encoding", ["block", "additive"])
def test_a_polished_last_layer_is_least_squares(encoding: str) -> None:
    rows = np.random.default_rng(6).normal(size=(80, 2))
    network = random_network(2, 3, encoding=encoding, features=3, hidden=4, seed=2)
    network = network.with_weights({**network.weights, "A": np.random.default_rng(7).normal(size=(3, 2, 2))})
    better = polished(network, rows, 1e-12)
    changed = {name for name, array in better.weights.items() if (array != network.weights[name]).any()}
    assert changed == {"L", "W2", "b2"}
    gradient = loss_and_gradient(better, *windows(rows, 3), np.ones(2))[1]
    assert max(np.abs(gradient[name]).max() for name in changed) < 1e-6
    tame = polished(network, rows, 10.0)
    assert np.abs(tame.weights["L"]).max() < np.abs(better.weights["L"]).max()


def test_the_start_and_every_ridge_are_candidates_of_a_training() -> None:
    rows = systems.approx_two_tones(200)
    start = contain(*fit_dmd(rows[:120], 4, 1e-12))
    other = contain(*fit_dmd(rows[:120], 4, 0.3))
    assert chosen_by_rollout([other, start], rows[120:]) is start
    assert chosen_by_rollout([start, other], rows[120:]) is start
    network = random_network(1, 4, encoding="block", features=4, hidden=6, seed=0)
    found = train_network(network, rows[:120], rows[120:], Recipe(steps=0))
    candidates = [network, *(polished(network, rows[:120], ridge) for ridge in RIDGES)]
    scores = [rollout_score(NetworkModel(one), rows[120:]) for one in candidates]
    assert rollout_score(NetworkModel(found), rows[120:]) == min(scores) < scores[0]


@pytest.mark.parametrize("encoding", ["block", "additive"])
def test_random_networks_have_their_shapes_and_seeds(encoding: str) -> None:
    found, again, other = (
        random_network(2, 3, encoding=encoding, features=4, hidden=5, seed=seed) for seed in (1, 1, 2)
    )
    verify_shapes(found)
    assert (found.window, found.dim, found.encoding, found.activation) == (3, 2, encoding, "gelu")
    assert (found.mean, found.scale) == ((0.0, 0.0), (1.0, 1.0))
    assert all((found.weights[name] == again.weights[name]).all() for name in found.weights)
    assert (found.weights["E"] != other.weights["E"]).all()
    assert not found.weights["A"].any()
    assert found.weights["WV"].any() == (encoding == "additive")


def test_a_flat_network_sees_the_whole_window() -> None:
    network = flat_network(2, 3, hidden=4, seed=0)
    verify_shapes(network)
    window = np.random.default_rng(1).normal(size=(3, 2))
    w = network.weights
    flat = window.ravel()
    hidden = _gelu(w["W1"] @ flat + w["b1"])[0]
    assert network.increment(window, ApproxFunctions()) == pytest.approx(w["L"] @ flat + w["W2"] @ hidden + w["b2"])


def test_a_perceptron_is_about_as_large_as_the_transformer() -> None:
    parts = Parts.of(Series.of(systems.approx_two_tones(200)), 8)
    model = _perceptron(parts, 8, 0, 0)
    assert isinstance(model, NetworkModel)
    assert len(model.network.weights["b1"]) == (8 * 8 + 32 * 9) // 10


# fits -------------------------------------------------------------------------------------------------
def test_a_series_is_cut_at_six_and_at_eight_tenths_and_must_be_long_enough() -> None:
    rows = [[math.sin(k), k] for k in range(47)]
    parts = Parts.of(Series.of(np.array(rows)), 2)
    assert [len(part) for part in (parts.train, parts.validation, parts.test)] == [28, 9, 10]
    assert parts.mean == pytest.approx(np.mean(rows[:28], axis=0))
    assert parts.scale == pytest.approx(np.std(rows[:28], axis=0))
    assert parts.validation * parts.scale + parts.mean == pytest.approx(np.array(rows[28:37]))
    assert len(Parts.of(Series.of(np.array(rows[:40])), 2).train) == 24
    with pytest.raises(InvalidInput, match="at least 40 rows for a window of 2, got 39"):
        Parts.of(Series.of(np.array(rows[:39])), 2)
    late = [[k, 1 if k < 30 else 2] for k in range(50)]
    for names, told in (((), "column 2"), (("a", "b"), "column b")):
        with pytest.raises(InvalidInput, match=f"{told}: it is constant"):
            Parts.of(Series.of(late, names), 2)
    assert Parts.of(Series.of([[k, 1 if k < 29 else 2] for k in range(50)]), 2)


def test_fits_of_every_kind_are_named_by_what_they_are() -> None:
    parts = Parts.of(Series.of(systems.approx_two_tones(100)), 4)
    dmd = fit_parts(parts, 4, model="dmd")
    assert (dmd.model, dmd.start, dmd.seed, dmd.measures.parameters) == ("dmd", "least squares", 0, 5)
    assert dmd.measures.horizon == min(HORIZON, len(parts.test) - 4)
    assert (dmd.network.mean, dmd.network.scale) == (tuple(parts.mean), tuple(parts.scale))
    told: dict[str | None, list[int]] = {"dmd": [], "random": [], None: []}
    found = {
        start: fit_parts(parts, 4, start=start, steps=100, seed=3, encoding="additive", progress=steps.append)
        for start, steps in told.items()
    }
    assert told == {"random": [100], "dmd": [200], None: [100, 200]}
    for fitted in found.values():
        assert (fitted.model, fitted.seed, fitted.network.encoding) == ("tf", 3, "additive")
        assert fitted.measures.parameters == fitted.network.parameters
        assert fitted.network.weights["p"].shape == (4, 8)
        assert fitted.network.weights["b1"].shape == (32,)
    scores = {start: rollout_score(NetworkModel(found[start].network), parts.validation) for start in ("random", "dmd")}
    assert (found["dmd"].start, found["random"].start) == ("dmd", "random")
    assert found[None].start == min(scores, key=lambda start: scores[start])
    with pytest.raises(InvalidInput, match="window: expected at least 1"):
        fit(Series.of([1, 2, 3]), 0)


def test_the_unit_of_a_correction_is_what_dmd_leaves_over() -> None:
    rows = np.random.default_rng(8).normal(size=(60, 2))
    model = NetworkModel(contain(*fit_dmd(rows, 2, 1e-2)))
    assert _residual(model.network, rows) == pytest.approx(model.one_step_errors(rows).std(axis=0))


def test_rollouts_are_in_the_units_of_the_series() -> None:
    """y+ = y_m + 2 y_(m-1) - 1 for y = (z - 3)/5: from z = 3, 8 on, y = 0, 1, 0, 1."""
    network = with_units(contain(np.array([[[2.0]], [[0.0]]]), np.array([-1.0])), np.array([3.0]), np.array([5.0]))
    start = [(F(100),), (F(3),), (F(8),)]
    assert exact_rollout(network, start, 4) == [(F(3),), (F(8),), (F(3),), (F(8),)]
    assert float_rows(network, np.array([[100.0], [3.0], [8.0]]), 4).tolist() == [[3], [8], [3], [8]]
    with pytest.raises(InvalidInput, match="at least 2 rows to start from, got 1"):
        exact_rollout(network, start[:1], 4)
    assert ExactFunctions().activation(np.array([F(-1), F(0), F(2)]), "relu").tolist() == [0, 0, 2]


def test_divergent_rollouts_are_clipped() -> None:
    model = NetworkModel(contain(np.array([[[99.0]]]), np.array([0.0])))
    assert model.rollout(np.array([[[1.0]], [[-1.0]]]), 3)[:, :, 0].tolist() == [
        [100, -100],
        [1000, -1000],
        [1000, -1000],
    ]
    given = np.arange(6.0).reshape(3, 2, 1)
    assert model.rollout(np.array([[[1.0]], [[-1.0]]]), 3, given).tolist() == given.tolist()


# series, windows and studies --------------------------------------------------------------------------
def test_series_of_arrays_lists_and_files(tmp_path: Path) -> None:
    assert Series.of(np.array([0.5, 1.25])).rows() == [(F(1, 2),), (F(5, 4),)]
    assert Series.of([[1, "1/3"], (2, "0.1")]).rows() == [(F(1), F(1, 3)), (F(2), F(1, 10))]
    with pytest.raises(InvalidInput, match="rational"):
        Series.of(["sqrt(2)"])
    for text, names in (("t,u\n1,2\n3,4\n", ("t", "u")), ("1,2\n3,4\n", ())):
        (tmp_path / "s.csv").write_text(text)
        found = Series.read(tmp_path / "s.csv")
        assert (found.names, found.rows(), found.dim, len(found)) == (names, [(1, 2), (3, 4)], 2, 2)
    for field, told in (
        ("2020-01-31", "date"),
        ("31.1.2020", "date"),
        ("1/2/2020", "date"),
        ("2020-01-31T10:00", "date"),
        ("12:30", "date"),
        ("12:30:59", "date"),
        ("null", "missing"),
        ("?", "missing"),
        ("-", "missing"),
        ("NA", "missing"),
    ):
        (tmp_path / "s.csv").write_text(f"t,u\n1,2\n3,{field}\n")
        with pytest.raises(InvalidInput, match=rf"line 3, column 2 \(u\): .*{told}"):
            Series.read(tmp_path / "s.csv")
    Series.of([1, 2, 3]).verify_length(1, 3)
    with pytest.raises(InvalidInput):
        Series.of([1, 2, 3]).verify_length(1, 4)


@pytest.mark.parametrize("newest", [F(1, 2), F(9, 8), F(3)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_window_as_attention_whatever_the_newest_weight(newest: Fraction, sign: int) -> None:
    """9/8 - 1 - 1/8 = 0: there the newest token takes another weight."""
    network = approx_window_network(PositiveWindow((), newest, sign, (F(1, 3), F(2)), ()))
    verify_shapes(network)
    window = np.array([[0.7], [-1.1], [0.4]])
    wanted = float(newest) * 0.4 + sign * (0.7 / 3 - 2.2) - 0.4
    assert network.increment(window, ApproxFunctions()) == pytest.approx([wanted])
    with pytest.raises(InvalidInput, match="positive weights"):
        approx_window_network(PositiveWindow((), newest, sign, (F(1, 3), F(0)), ()))


def test_the_studies_of_the_paper() -> None:
    assert [(study.name, study.window, study.inputs) for study in STUDIES] == [
        ("tones", 8, 0),
        ("aerodynamics", 8, 1),
        ("lorenz", 8, 0),
        ("reaction-diffusion", 8, 0),
    ]
    assert STUDIES[1].rows().tolist() == systems.approx_pitching().tolist()


@pytest.mark.parametrize(("count", "window"), [(1, 2), (2, 10)])
def test_a_window_is_found_up_to_the_cap_and_not_beyond(count: int, window: int) -> None:
    polynomial = polynomial_of_tones([c for c, _ in systems.PYTHAGOREAN[:count]])
    told = list[int]()
    found = least_window(polynomial, cap=window, progress=told.append)
    assert (found.window, len(found.refused), told) == (window, window - 2, list(range(2, window + 1)))
    with pytest.raises(Undecided, match=f"no window up to {window - 1}"):
        least_window(polynomial, cap=window - 1)
    for wrong in ((F(1),), (F(1), F(2)), ()):
        with pytest.raises(InvalidInput, match="monic"):
            least_window(wrong)


class Doubling:
    """It predicts twice the truth, which it has from its start on."""

    parameters, history = 3, 1

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def one_step_errors(self, rows: Any) -> Any:
        return np.diff(rows, axis=0)

    def rollout(self, starts: Any, steps: int, inputs: Any = None) -> Any:
        begin = [int(np.flatnonzero((self.rows == start[0]).all(axis=1))[0]) for start in starts]
        return np.stack([2 * self.rows[k + 1 : k + 1 + steps] for k in begin], axis=1)


def test_the_deviation_of_rollouts_is_measured_against_that_of_the_truth() -> None:
    rows = np.random.default_rng(9).normal(size=(40, 2)) / 9
    found = measure(Doubling(rows), rows, 10, starts=3)
    assert found.approx_std_ratio == pytest.approx([2.0, 2.0])
    assert (found.parameters, found.horizon) == (3, 10)
    assert found.approx_spectrum_error == pytest.approx(0, abs=1e-12)
    assert found.approx_one_step == pytest.approx(np.sqrt((np.diff(rows, axis=0) ** 2).mean()))


def test_rows_that_a_recurrence_needs_and_what_decides_its_coefficients() -> None:
    with pytest.raises(Undecided, match="at least 6 rows are needed; none of order 1 holds"):
        least_order(Series.of([1, 3, 4, 8, 1]), intercept=True)
    found = least_order(Series.of([1, 2, 5, 12, 29]))
    assert isinstance(found, Recurrence)
    assert (found.minor, found.kernel, found.coefficients) == ((0, 1), None, (((F(1),),), ((F(2),),)))
    twin = least_order(Series.of([[k, k] for k in (1, 2, 4, 8, 16)]))
    assert isinstance(twin, Recurrence)
    assert twin.minor is None
    assert twin.kernel is not None
    assert sum(twin.kernel) == 0
    assert any(twin.kernel)
