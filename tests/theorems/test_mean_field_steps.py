"""Steps of the mean field in floats, for matrices without any symmetry: the schemes as they are defined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_compat.numpy as xp
import numpy as np
import pytest

from exactformer.evaluate.floats import Backend
from exactformer.studies.mean_field.approx_cells import Places
from exactformer.studies.mean_field.approx_compressed import CompressedField
from exactformer.studies.mean_field.approx_density import Density
from exactformer.studies.mean_field.approx_flow import Flow, FlowMethod, Scheme, ZeroTemperatureFlow
from exactformer.studies.mean_field.approx_form import hiding_directions, least_growth
from exactformer.studies.mean_field.approx_laplace import approx_laplace_errors
from exactformer.studies.mean_field.approx_phases import Rates
from exactformer.studies.mean_field.approx_run import Run, Settings, approx_run
from exactformer.studies.mean_field.approx_softmax import Sources
from exactformer.studies.mean_field.approx_transport import ApproxLimit, ApproxTransport, approx_two_atoms

V, B = np.array([[1.0, 0.3], [-0.2, 0.5]]), np.array([[0.9, -0.4], [0.1, 1.2]])
TOKENS = np.array([[0.6, 0.8], [-0.8, 0.6], [0.28, -0.96], [-1.0, 0.0], [0.96, 0.28]])


def normed(x: Any) -> Any:
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def velocity(X: Any, beta: float) -> Any:
    """P_x V m_beta(x), a token after the other."""
    rows = []
    for x in X:
        weights = np.array([np.exp(beta * ((B.T @ x) @ y)) for y in X])
        pulled = V @ (weights @ X / weights.sum())
        rows.append(pulled - (x @ pulled) * x)
    return np.array(rows)


def euler(X: Any, beta: float, h: float) -> Any:
    return normed(X + h * velocity(X, beta))


def rk4(X: Any, beta: float, h: float) -> Any:
    k1 = velocity(X, beta)
    k2 = velocity(normed(X + h / 2 * k1), beta)
    k3 = velocity(normed(X + h / 2 * k2), beta)
    k4 = velocity(normed(X + h * k3), beta)
    return normed(X + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


@pytest.mark.parametrize(("scheme", "step"), [("euler", euler), ("rk4", rk4)])
@pytest.mark.parametrize("method", ["dense", "truncated", "compressed"])
def test_runs_take_the_steps_of_their_scheme(
    scheme: Scheme, method: FlowMethod, step: Callable[[Any, float, float], Any]
) -> None:
    limit = ApproxLimit(np.diag([1.0, 0.0]))
    settings = Settings(1.5, 0.5, method=method, scheme=scheme)
    found = approx_run((V, B), limit, TOKENS, [3.0, 7.0], settings)
    transport = ApproxTransport.of(limit, TOKENS)
    for run, beta in zip(found.runs, (3.0, 7.0), strict=True):
        X, wanted = TOKENS, [TOKENS]
        for _ in range(3):
            X = step(X, beta, 0.5)
            wanted.append(X)
        assert run.beta == beta
        assert run.times.tolist() == [0, 0.5, 1, 1.5]
        assert run.shown == pytest.approx(np.array(wanted), abs=1e-9)
        assert run.w2 == pytest.approx([transport.bounds(x)[1] for x in wanted], abs=1e-9)
        assert Flow(V, B, beta, Backend.of(), method, scheme).step(TOKENS, 0.5) == pytest.approx(wanted[1], abs=1e-9)
    assert np.abs(euler(TOKENS, 3.0, 0.5) - rk4(TOKENS, 3.0, 0.5)).max() > 1e-3


def test_zero_temperature_obeys_its_equation() -> None:
    """xdot = P_x V B'x/|B'x|, in steps of a thousandth."""
    flow, x = ZeroTemperatureFlow(V, B), TOKENS
    M = V @ B.T

    def pull(x: Any) -> Any:
        y = x @ M.T / np.linalg.norm(x @ B, axis=1, keepdims=True)
        return y - (y * x).sum(axis=1, keepdims=True) * x

    for _ in range(500):
        middle = normed(x + 0.0005 * pull(x))
        x = normed(x + 0.001 * pull(middle))
    steps = TOKENS
    for _ in range(10):
        steps = flow.step(steps, 0.05)
    assert steps == pytest.approx(x, abs=1e-6)


def test_a_step_of_zero_temperature_is_of_fourth_order() -> None:
    flow = ZeroTemperatureFlow(V, B)

    def after(count: int) -> Any:
        x = TOKENS
        for _ in range(count):
            x = flow.step(x, 1 / count)
        return x

    best = after(64)
    errors = [np.abs(after(count) - best).max() for count in (2, 4)]
    assert errors[0] / errors[1] > 11


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_distances_are_of_the_power_asked_for(p: float) -> None:
    x = np.array([[0.6, 0.8], [-0.8, 0.6], [0.28, -0.96]])
    line = ApproxTransport(ApproxLimit(np.diag([1.0, 0.0])), np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]), p)
    ways = np.linalg.norm(x - np.array([[1, 0], [-1, 0], [1, 0]]), axis=1)
    wanted = (ways**p).mean() ** (1 / p)
    assert line.bounds(x) == pytest.approx((wanted, wanted))
    assert approx_two_atoms(x, np.array([1.0, 0.0]), 2, p) == pytest.approx(wanted)
    plane = ApproxTransport(ApproxLimit(np.eye(2)), np.array([[0.8, 0.6], [-1.0, 0.0], [0.0, -1.0]]), p)
    own = np.linalg.norm(x - plane.goals, axis=1)
    lower, upper = plane.bounds(x)
    assert lower == pytest.approx(0, abs=1e-7)
    assert upper == pytest.approx((own**p).mean() ** (1 / p))
    assert ApproxTransport.of(line.limit, x, p).p == p


@pytest.mark.parametrize("beta", [15.0, 90.0])
def test_tokens_are_merged_where_that_saves_a_third_of_them(beta: float) -> None:
    """In cells of width (beta |B|/100)^(1/6)/(beta |B|), or half as wide again, or not at all."""
    B = np.array([[1.0, 0.5], [0.0, 2.0]])
    size = beta * np.linalg.norm(B, 2)
    width = (size / 100) ** (1 / 6) / size
    kinds = set()
    for n in np.geomspace(8, 4000, 40).astype(int).tolist():
        angles = 0.1 + 2 * np.pi * np.arange(n) / n
        tokens = np.column_stack([np.cos(angles), np.sin(angles)])
        found = CompressedField(tokens, B, beta).merged
        counts = [
            len(Places.of(tokens).cells(int(np.ceil(np.pi / 2 / (factor * width)))).starts) for factor in (1, 1.5)
        ]
        allowed = [count for count in counts if count <= 2 * n / 3]
        kinds.add(counts.index(allowed[0]) if allowed else 2)
        assert len(found) == (allowed[0] if allowed else n)
        assert found.sizes.sum() == n
        assert allowed or not found.radii.any()
    assert kinds == {0, 1, 2}


def test_directions_hide_that_leave_every_direction_of_the_limit() -> None:
    """E is the plane of e1 and e2, on which V is 1 and 2: at e3 it must be more than 2."""
    B, limit = np.diag([2.0, 1.0, 0.1]), ApproxLimit(np.diag([1.0, 1.0, 0.0]))
    assert hiding_directions(np.diag([1.0, 2.0, 1.5]), B, limit, Density("1", 3)) == []
    (found,) = hiding_directions(np.diag([1.0, 2.0, 2.5]), B, limit, Density("1", 3))
    assert np.abs(found).tolist() == [0, 0, 1]


def test_errors_of_softmax_means_are_the_largest_and_the_root_mean_square(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactformer.studies.mean_field.approx_laplace.POINTS", 7)
    angles = (np.arange(7) + 0.5) * (2 * np.pi / 7)
    wanted = []
    for beta in (2.0, 5.0):
        off = []
        for x in np.column_stack([np.cos(angles), np.sin(angles)]):
            w = B.T @ x
            weights = np.exp(beta * TOKENS @ w)
            off.append(np.linalg.norm(weights @ TOKENS / weights.sum() - w / np.linalg.norm(w)))
        wanted.append([max(off), np.sqrt(np.mean(np.square(off)))])
    assert approx_laplace_errors(TOKENS, B, [2.0, 5.0]) == pytest.approx(np.array(wanted))


def test_tokens_as_sources_have_weight_one_each() -> None:
    found = Sources.of(xp, TOKENS)
    assert (found.weight, found.dim, found.excess) == (5, 2, 0)
    assert found.values.tolist() == [[1, *row] for row in TOKENS.tolist()]


def test_the_least_growth_by_hand() -> None:
    """W2 <= K [s e^{Ct} + e^{-ct}] with s^2 = log(beta + 1)/beta: the largest log((W2/K - e^{-ct})/s)/t of all runs."""
    times = np.array([0.0, 1.0, 2.0, 4.0])

    def run(beta: float | None, *w2: float) -> Run:
        return Run(beta, times, np.array(w2), np.array(w2), np.zeros((4, 1, 2)))

    runs = [run(50.0, 0.9, 0.8, 0.5, 0.6), run(400.0, 0.9, 0.4, 0.3, 0.35), run(None, 0.9, 0.5, 0.4, 0.3)]
    for c, K in ((1.0, 1.0), (1.0, 0.5), (0.5, 0.25), (2.0, 3.0)):
        wanted = 0.0
        for beta, curve in ((50.0, runs[0].w2), (400.0, runs[1].w2)):
            s = np.sqrt(np.log(beta + 1) / beta)
            rests = {t: w / K - np.exp(-c * t) for t, w in zip(times.tolist(), curve.tolist(), strict=True)}
            start = rests.pop(0.0)
            if start > s * (1 + 1e-9):
                wanted = np.inf
            wanted = max([wanted, *(np.log(rest / s) / t for t, rest in rests.items() if rest > 0)])
        for order in (runs, runs[::-1]):
            assert least_growth(order, c, K) == pytest.approx(wanted)
    assert 0 < least_growth(runs, 1.0, 1.0) < np.inf
    late = run(50.0, 0.9, 0.3, 0.25, 0.69)  # least at t = 2, and not yet gone at t = 4
    s = np.sqrt(np.log(51) / 50)
    assert least_growth([late], 1.0, 1.0) == pytest.approx(np.log((0.69 - np.exp(-4)) / s) / 4)


def test_rates_on_the_sphere_are_of_the_fastest_way_off() -> None:
    """M = diag(1/5, 1/2, 3/20): the limit is e2, e1 comes next, and V leads away from e2 to e1 at the rate 1/2."""
    V, B = np.diag([1.0, 0.5, 0.3]), np.diag([0.2, 1.0, 0.5])
    found = Rates.of(V, B, ApproxLimit(np.diag([0.0, 1.0, 0.0])))
    assert found is not None
    assert (found.gap, found.on_limit, found.beside, found.instability) == pytest.approx((0.3, 1.0, 0.2, 0.5))
    c, escape = 0.3, 1 / 0.6 + 1
    assert found.rate() == pytest.approx(c)
    t_min = escape * 0.5 / (c + 0.5)
    assert found.slopes() == pytest.approx({"t_min": t_min, "escape": escape, "w2_min": -c * t_min})


def test_rates_are_those_of_the_transpose_of_B() -> None:
    """M = V B' = diag(3, 1) with B = (1 2; 0 1): B'e = (1, 2) on E, and (0, 1) beside it."""
    found = Rates.of(
        np.array([[3.0, 0.0], [-2.0, 1.0]]), np.array([[1.0, 2.0], [0.0, 1.0]]), ApproxLimit(np.diag([1.0, 0.0]))
    )
    assert found is not None
    assert (found.gap, found.on_limit, found.beside) == pytest.approx((2, 5**0.5, 1))
    assert found.instability == np.inf
    assert [found.rate(p) for p in (1.0, 2.0, 3.0)] == pytest.approx([2 / 5**0.5, 2 / 5**0.5, 2 / 3])
    assert found.rate() == found.rate(2.0)
