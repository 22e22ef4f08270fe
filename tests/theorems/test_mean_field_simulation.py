"""Mean field in floats: every bound holds, fast fields agree with the definition, closed forms and phases are met."""

from __future__ import annotations

import array_api_compat.numpy as xp
import numpy as np
import pytest

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.evaluate.floats import Backend
from exactformer.studies.mean_field.approx_cells import Groups, MergedTokens, Places, applied
from exactformer.studies.mean_field.approx_compressed import CompressedField, approx_interpolated
from exactformer.studies.mean_field.approx_density import Density
from exactformer.studies.mean_field.approx_flow import Flow, ZeroTemperatureFlow
from exactformer.studies.mean_field.approx_form import fit_two_exponentials, hiding_directions, least_growth
from exactformer.studies.mean_field.approx_phases import Phases, Rates, slopes
from exactformer.studies.mean_field.approx_run import Run, Settings, approx_run, least_tokens
from exactformer.studies.mean_field.approx_softmax import Sources, approx_dense, approx_truncated, truncation_error
from exactformer.studies.mean_field.approx_transport import (
    ApproxLimit,
    ApproxTransport,
    approx_circle_w2,
    approx_solved,
    approx_sphere_w2,
    approx_two_atoms,
)


def normed(x: Array) -> Array:
    return x / np.sqrt((x**2).sum(axis=1, keepdims=True))


def clouds(d: int, n: int, seed: int) -> dict[str, Array]:
    """Spread, concentrated at two points, two clusters with tokens between them, coincident tokens, an arc, an atom."""
    rng = np.random.default_rng(seed)
    spread = normed(rng.normal(size=(n, d)))
    squeezed = normed(spread * np.array([0.01] * (d - 1) + [1.0]))
    bridge = squeezed.copy()
    bridge[: n // 20] = spread[: n // 20]
    few = spread[rng.integers(0, 5, n)]
    arc = spread.copy()
    arc[:, 0] = 4 + np.abs(arc[:, 0])
    atom = spread.copy()
    atom[: n // 2] = atom[0]
    return {"spread": spread, "squeezed": squeezed, "bridge": bridge, "few": few, "arc": normed(arc), "atom": atom}


def by_definition(w: Array, tokens: Array) -> Array:
    """sum_j e^{<w,y_j>} y_j / sum_j e^{<w,y_j>}, written down as it is said."""
    scores = np.exp(w @ tokens.T - (w @ tokens.T).max(axis=1, keepdims=True))
    return scores @ tokens / scores.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_dense_is_the_definition(d: int) -> None:
    rng = np.random.default_rng(d)
    for tokens in clouds(d, 300, d).values():
        w = rng.normal(size=(40, d)) * rng.choice([1, 30, 3000], (40, 1))
        assert np.abs(approx_dense(Sources.of(xp, tokens), w) - by_definition(w, tokens)).max() < 1e-12


@pytest.mark.parametrize("depth", [2.0, 8.0, 40.0])
@pytest.mark.parametrize("d", [2, 3, 5])
def test_truncation_stays_within_its_bound(d: int, depth: float) -> None:
    for tokens in clouds(d, 1500, 7 * d).values():
        w = 500 * tokens
        found = approx_truncated(Sources.of(xp, tokens), w, depth)
        off = np.sqrt(((found - by_definition(w, tokens)) ** 2).sum(axis=1)).max()
        assert off <= truncation_error(len(tokens), depth) + 1e-12
    assert truncation_error(10, 5.0) == pytest.approx(20 * np.exp(-5))


def test_truncation_does_leave_sources_out_and_is_seen_where_the_bound_allows_it() -> None:
    tokens = Density("1", 2).tokens(20_000)
    w = 500 * tokens[:60]
    off = np.abs(approx_truncated(Sources.of(xp, tokens), w, 2.0) - by_definition(w, tokens)).max()
    assert off > 1e-9


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("parts", [1, 3, 20, 200])
def test_the_error_of_merged_tokens_is_never_above_its_bound(d: int, parts: int) -> None:
    rng = np.random.default_rng(parts)
    for tokens in clouds(d, 2000, parts).values():
        merged = MergedTokens.of(tokens, Places.of(tokens).cells(parts))
        for size in (1.0, 10.0, 100.0):
            w = size * normed(rng.normal(size=(20, d)))
            rows = approx_dense(merged.sources(xp, size), merged.targets(w))
            found = rows[:, :d] + applied(rows[:, d:], w)
            off = np.sqrt(((found - by_definition(w, tokens)) ** 2).sum(axis=1))
            assert (off <= merged.source_error(w) + 1e-12).all()


def merged_and_true(right: list[float]) -> tuple[float, float]:
    """Error and bound at w = (0, 100) of tokens at these angles, merged in one cell, and one opposite cell of a point."""
    angles = np.array([*right, *[np.pi] * len(right)])
    tokens = np.column_stack([np.cos(angles), np.sin(angles)])
    merged, w = MergedTokens.of(tokens, Places.of(tokens).cells(1)), np.array([[0.0, 100.0]])
    rows = approx_dense(merged.sources(xp, 100.0), merged.targets(w))
    found = rows[:, :2] + applied(rows[:, 2:], w)
    off = np.sqrt(((found - by_definition(w, tokens)) ** 2).sum())
    return float(off), float(merged.source_error(w)[0])


def test_weights_of_merged_tokens_are_wrong_by_their_third_moment_only() -> None:
    skewed, bound = merged_and_true([-0.001] * 9 + [0.009])
    assert 0.006 < skewed <= bound  # more than the means of the cells alone can be off: the weights are
    symmetric, _ = merged_and_true([-0.005, 0.005])
    assert symmetric < 0.006


def test_the_bound_of_merged_tokens_says_something() -> None:
    tokens = Density.generic(2).tokens(20_000)
    field = CompressedField(tokens, np.diag([0.2, 1.0]), 100.0, merge=0.4)
    assert len(field.merged) < 2000
    assert field.source_error(tokens[::500]).max() < 3e-4
    skewed = normed(np.array([[1.0, 0.0], [1.0, 0.001], [1.0, 0.3]]))
    merged = MergedTokens.of(skewed, Places.of(skewed).cells(1))
    w = np.array([[0.0, 5.0]])
    rows = approx_dense(merged.sources(xp, 5.0), merged.targets(w))
    assert np.abs(rows[:, :2] - by_definition(w, skewed)).max() > 1e-3  # there is an error to bound


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("beta", [10.0, 300.0])
def test_compressed_agrees_with_dense(d: int, beta: float) -> None:
    B = np.diag([0.2, 1.0, 0.5][:d]) + 0.1
    for name, tokens in clouds(d, 3000, 3).items():
        found = CompressedField(tokens, B, beta)()
        rows = np.linspace(0, len(tokens) - 1, 300).astype(int)
        off = np.abs(found[rows] - by_definition(beta * tokens[rows] @ B, tokens)).max()
        assert off < 1e-4, name


@pytest.mark.parametrize(("degree", "checks"), [(9, (3, 5)), (15, (0, 0))])
def test_cells_are_cut_by_their_checks_and_by_their_last_coefficient(degree: int, checks: tuple[int, int]) -> None:
    nodes = np.cos(np.pi * (np.arange(8) + 0.5) / 8)
    local = np.linspace(-0.9, 0.9, 41)
    if degree == 9:  # at 8 nodes it is -T_7; the checks stand where both agree, and the last coefficient is large
        local[[0, 20, 40]] = nodes[checks[0]], 0.0, nodes[checks[1]]
    places = Places(np.zeros(41, dtype=int), ((local + 1) / 4)[:, None])  # and T_15 is -T_1: only checks can tell

    def polynomial(points: Array) -> Array:
        x = np.clip(4 * Places.of(points).xi - 1, -1, 1)
        return np.repeat(np.cos(degree * np.arccos(x)), 2, axis=1)

    points = places.points()
    assert np.abs(approx_interpolated(polynomial, points, places, 1e-6) - polynomial(points)).max() < 1e-5


def test_compressed_needs_a_circle_or_a_sphere() -> None:
    with pytest.raises(InvalidInput, match="dimension 2 or 3, got 4; take method truncated"):
        CompressedField(np.eye(4), np.eye(4), 1.0)


def test_places_are_where_the_points_are() -> None:
    for d in (2, 3, 4):
        points = normed(np.random.default_rng(d).normal(size=(500, d)))
        places = Places.of(points)
        assert np.abs(places.xi).max() <= 1
        assert np.abs(places.points() - points).max() < 1e-14
        groups = places.cells(7)
        assert sorted(groups.order.tolist()) == list(range(500))
        assert groups.sizes.sum() == 500


def test_methods_and_backends_give_one_flow() -> None:
    tokens = Density.generic(2).tokens(400)
    V, B = np.array([[1.0, 0.3], [0.0, 0.5]]), np.array([[0.2, 0.1], [0.0, 1.0]])
    steps = {m: Flow(V, B, 40.0, Backend.of(), m).step(tokens, 0.1) for m in ("dense", "truncated", "compressed")}
    for found in steps.values():
        assert np.abs(found - steps["dense"]).max() < 1e-5
        assert np.abs((found**2).sum(axis=1) - 1).max() < 1e-14
    pytest.importorskip("torch")
    for name, close in (("float64", 1e-12), ("float32", 1e-5)):
        backend = Backend.of("torch", name)
        for method in ("dense", "truncated", "compressed"):
            moved = Flow(V, B, 40.0, backend, method).step(backend.array(tokens), 0.1)
            assert np.abs(np.asarray(moved) - steps[method]).max() < close


def test_velocities_are_tangent_and_schemes_have_their_order() -> None:
    rng = np.random.default_rng(0)
    V, B, x = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), normed(rng.normal(size=(30, 3)))
    assert np.abs((Flow(V, B, 5.0, Backend.of()).velocity(x) * x).sum(axis=1)).max() < 1e-14
    for scheme, order in (("euler", 1), ("rk4", 4)):
        flow = Flow(V, B, 5.0, Backend.of(), scheme=scheme)

        def after(parts: int, flow: Flow = flow) -> Array:
            y = x
            for _ in range(parts):
                y = flow.step(y, 0.4 / parts)
            return y

        exact = after(256 if scheme == "rk4" else 4096)
        ratio = np.abs(after(8) - exact).max() / np.abs(after(16) - exact).max()
        assert 0.7 * 2**order < ratio < 1.5 * 2**order


def test_zero_temperature_is_the_limit_of_small_ones() -> None:
    V, B = np.diag([1.0, 0.5]), np.array([[0.5, 0.2], [0.0, 1.0]])
    cold = hot = Density.generic(2).tokens(10_000)
    for _ in range(4):
        cold = ZeroTemperatureFlow(V, B).step(cold, 0.25)
        hot = Flow(V, B, 1000.0, Backend.of(), "compressed").step(hot, 0.25)
    assert np.abs(cold - hot).max() < 5e-3
    once = ZeroTemperatureFlow(V, B)
    x = Density.generic(2).tokens(50)
    halves = once.step(once.step(x, 0.05), 0.05)
    assert np.abs(halves - once.step(x, 0.1)).max() < 1e-7


def test_zero_temperature_ends_at_T() -> None:
    rng = np.random.default_rng(1)
    for d in (2, 3, 5):
        basis = rng.normal(size=(d, d)) + 2 * np.eye(d)
        M = basis @ np.diag([2.0, *np.linspace(0.0, 1.0, d - 1)]) @ np.linalg.inv(basis)
        B = rng.normal(size=(d, d)) + 2 * np.eye(d)
        limit = ApproxLimit(np.outer(basis[:, 0], np.linalg.inv(basis)[0]))
        x = normed(rng.normal(size=(50, d)))
        end, flow = x, ZeroTemperatureFlow(M @ np.linalg.inv(B.T), B)
        for _ in range(60):
            end = flow.step(end, 8.0)
        assert np.abs(end - limit.T(x)).max() < 1e-9


def test_closed_forms_are_met() -> None:
    circle = Density("1", 2).tokens(100_000)
    sphere = Density("1", 3).tokens(30_000)
    for t in (0.0, 2.0, 10.0):
        a = float(np.exp(-t / 2))
        moved = ZeroTemperatureFlow(np.diag([1.0, 0.5]), np.eye(2)).step(circle, t)
        found = ApproxTransport.of(ApproxLimit(np.diag([1.0, 0.0])), circle).bounds(moved)[0]
        assert abs(found - approx_circle_w2(a)) < 1e-4
        moved = ZeroTemperatureFlow(np.diag([0.5, 1.0, 0.5]), np.eye(3)).step(sphere, t)
        found = ApproxTransport.of(ApproxLimit(np.diag([0.0, 1.0, 0.0])), sphere).bounds(moved)[0]
        assert abs(found - approx_sphere_w2(a)) < 1e-4
    assert approx_circle_w2(1e-3) == pytest.approx(approx_circle_w2(1e-3 * (1 - 1e-12)), rel=1e-9)


def test_two_atoms_are_what_the_solver_finds() -> None:
    pytest.importorskip("ot")
    rng = np.random.default_rng(2)
    for k in range(50):
        n, d, p = int(rng.integers(1, 60)), int(rng.integers(2, 5)), float(rng.choice([1.0, 2.0, 3.0]))
        x, e = normed(rng.normal(size=(n, d))), normed(rng.normal(size=(1, d)))[0]
        plus = int(rng.integers(0, n + 1)) if k else n
        goals = np.concatenate([np.tile(e, (plus, 1)), np.tile(-e, (n - plus, 1))])
        assert approx_two_atoms(x, e, plus, p) == pytest.approx(approx_solved(x, goals, p), rel=1e-9, abs=1e-12)


def test_bounds_hold_the_distance_between_them_and_meet_at_zero_temperature() -> None:
    pytest.importorskip("ot")
    V, B = np.diag([1.0, 1.0, 1.5]), np.diag([1.0, 1.0, 0.2])
    limit, start = ApproxLimit(np.diag([1.0, 1.0, 0.0])), Density.generic(3).tokens(300)
    transport = ApproxTransport.of(limit, start)
    cold, hot, flow = start, start, Flow(V, B, 20.0, Backend.of())
    for _ in range(12):
        cold, hot = ZeroTemperatureFlow(V, B).step(cold, 0.2), flow.step(hot, 0.2)
    lower, upper = transport.bounds(hot)
    assert lower - 1e-9 <= transport.solved(hot) <= upper + 1e-9
    assert upper - lower > 1e-3
    lower, upper = transport.bounds(cold)
    assert lower == pytest.approx(upper, rel=1e-6)
    assert transport.solved(cold) == pytest.approx(upper, rel=1e-6)
    with pytest.raises(InvalidInput, match="at most 2000 tokens"):
        approx_solved(np.zeros((2001, 2)), np.zeros((2001, 2)))


def test_an_oblique_projector_leaves_a_gap_between_the_bounds() -> None:
    limit = ApproxLimit(np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    assert limit.dimension == 2
    start = Density.generic(3).tokens(100)
    lower, upper = ApproxTransport.of(limit, start).bounds(start)
    assert upper - lower > 1e-2


def test_tokens_on_the_kernel_have_no_limit() -> None:
    with pytest.raises(InvalidInput, match="token 1: expected a point outside the kernel"):
        ApproxLimit(np.diag([0.0, 1.0])).T(np.array([[0.6, 0.8], [1.0, 0.0]]))


METASTABLE = (np.diag([1.0, 0.5]), np.diag([0.2, 1.0])), ApproxLimit(np.diag([0.0, 1.0]))


def test_symmetric_tokens_hide_the_terminal_phase() -> None:
    settings = Settings(16.0, 0.25)
    for text, escapes in (("1", False), ("1+x2/2", False), ("1+x1/2", True), ("1+cos(th-1)/2", True)):
        run = approx_run(*METASTABLE, Density(text, 2).tokens(300), [30.0], settings).runs[0]
        assert (run.phases.escape is not None) is escapes, text


def test_slopes_of_the_circle_are_those_predicted() -> None:
    found = approx_run(*METASTABLE, Density.generic(2).tokens(5000), [80.0, 400.0], Settings(20.0, 0.4))
    measured, predicted = found.slopes(), found.predicted()
    assert predicted == pytest.approx({"t_min": 1 / 0.6, "escape": 1 / 0.6 + 1, "w2_min": -0.5})
    for name, close in (("t_min", 0.05), ("escape", 0.05), ("w2_min", 0.15)):
        assert measured[name] == pytest.approx(predicted[name], rel=close), name


def test_rates_know_where_no_law_holds() -> None:
    (V, B), limit = METASTABLE
    rates = Rates.of(V, B, limit)
    assert rates is not None
    assert rates.rate() == pytest.approx(0.3)
    assert rates.rate(10.0) == pytest.approx(0.15)
    stable = Rates.of(np.diag([1.0, 2.0]), np.eye(2), limit)
    assert stable is not None
    assert stable.slopes() == {"t_min": None, "escape": None, "w2_min": None}
    assert Rates.of(np.diag([1.0, 1.0, 1.5]), np.diag([1.0, 1.0, 0.2]), ApproxLimit(np.diag([1.0, 1.0, 0.0]))) is None
    assert Rates.of(np.diag([3.0, 1.0, 1.0]), np.eye(3), ApproxLimit(np.diag([1.0, 0.0, 0.0]))) is None


def test_phases_say_when_the_end_came_too_soon() -> None:
    t = np.linspace(0, 5, 51)
    assert not Phases.of(t, np.exp(-t)).settled
    assert Phases.of(t, np.exp(-t)).escape is None
    rising = Phases.of(t, 0.5 * np.exp(t))
    assert (rising.t_min, rising.escape) == (0.0, pytest.approx(np.log(1.4), abs=1e-2))
    assert slopes([10.0, 100.0], [Phases.of(t, np.exp(-t))] * 2) == {"t_min": None, "escape": None, "w2_min": None}


def test_the_rule_for_the_number_of_tokens() -> None:
    assert [least_tokens(b, d) for b, d in ((1000, 2), (1000, 3), (100, 5), (0.5, 3))] == [10_000, 10_000, 100_000, 5]


def curve(beta: float, K: float, C: float, c: float) -> Run:
    """A run whose W2 is exactly of the announced form."""
    t = np.linspace(0.0, 10.0, 41)
    w2 = K * (np.sqrt(np.log(beta + 1) / beta) * np.exp(C * t) + np.exp(-c * t))
    return Run(beta, t, w2, w2, np.zeros((41, 1, 2)))


def test_the_least_growth_of_the_announced_form() -> None:
    runs = [curve(beta, 1.0, 0.2, 0.3) for beta in (1e4, 1e6)]
    assert least_growth(runs, 0.3, 1.0) == pytest.approx(0.2)
    assert least_growth(runs, 0.3, 2.0) < 0.2
    assert least_growth(runs, 0.3, 0.5) == np.inf
    assert least_growth([curve(1e4, 1.0, 0.2, 0.3), curve(1e6, 1.0, 0.1, 0.3)], 0.3, 1.0) == pytest.approx(0.2)


def test_what_happens_after_the_escape_does_not_count_for_the_announced_form() -> None:
    t = np.linspace(0.0, 30.0, 121)
    w2 = np.sqrt(np.log(1e4 + 1) / 1e4) * np.exp(0.2 * t) + np.exp(-0.3 * t)
    gone = Run(1e4, t, w2, w2, np.zeros((121, 1, 2))).phases.escape
    assert gone is not None
    later = np.where(t > gone + 1, 100 * w2, w2)
    for curve in (w2, later):
        assert least_growth([Run(1e4, t, curve, curve, np.zeros((121, 1, 2)))], 0.3, 1.0) == pytest.approx(0.2)


def test_two_exponentials_are_found_again() -> None:
    t = np.linspace(0.0, 40.0, 401)
    runs = []
    for beta in (100.0, 1000.0, 10_000.0):
        w2 = 1.2 * np.exp(-0.3 * t) + 0.25 * beta**-1.3 * np.exp(0.5 * t)
        runs.append(Run(beta, t, w2, w2, np.zeros((401, 1, 2))))
    found = fit_two_exponentials(runs)
    assert found is not None
    values = found.json()
    assert values.pop("residual") < 1e-6
    assert values == pytest.approx({"D": 1.2, "c": 0.3, "A": 0.25, "q": 1.3, "C": 0.5}, rel=1e-3)
    assert fit_two_exponentials(runs[:1]) is None


def test_only_reflections_that_keep_everything_hide() -> None:
    (V, B), limit = METASTABLE
    assert [abs(v).tolist() for v in hiding_directions(V, B, limit, Density("1+x2/2", 2))] == [[1.0, 0.0]]
    assert hiding_directions(V, B, limit, Density("1+x1/2", 2)) == []
    assert hiding_directions(V, B + np.array([[0.0, 0.1], [0.0, 0.0]]), limit, Density("1", 2)) == []
    assert hiding_directions(np.diag([0.4, 0.5]), B, limit, Density("1", 2)) == []  # e2 is stable: nothing to hide
    turned = ApproxLimit(np.full((2, 2), 0.5))
    assert hiding_directions(V, B, turned, Density("1", 2)) == []


def test_no_law_is_claimed_where_the_limit_is_no_eigenvector_of_V() -> None:
    V, B = np.array([[1.0, 0.2], [0.2, 0.5]]), np.diag([0.2, 1.0])
    values, vectors = np.linalg.eig(V @ B.T)
    left = np.linalg.inv(vectors)
    k = int(values.argmax())
    rates = Rates.of(V, B, ApproxLimit(np.outer(vectors[:, k], left[k])))
    assert rates is not None
    assert rates.instability == np.inf
    assert rates.slopes() == {"t_min": None, "escape": None, "w2_min": None}


@pytest.mark.slow
def test_slopes_where_tokens_are_slow_beside_the_kernel() -> None:
    """There c < g/k(E), and the laws are not those with c in the place of g/k(E), which would be 8 and 13."""
    V, B = np.diag([1.0, 0.9]), np.diag([0.8, 1.0])
    found = approx_run((V, B), METASTABLE[1], Density.generic(2).tokens(60_000), [1500.0, 6000.0], Settings(80.0, 0.5))
    measured, predicted = found.slopes(), found.predicted()
    assert predicted["t_min"] == pytest.approx(6.1538, abs=1e-3)
    assert predicted["escape"] == pytest.approx(10.0)
    assert measured["t_min"] == pytest.approx(predicted["t_min"], rel=0.05)
    assert measured["escape"] == pytest.approx(predicted["escape"], rel=0.05)


def test_sources_that_matter_at_the_edge_of_a_block_alone_are_kept() -> None:
    """At the centre (18, 0) the first source is 12.7 ahead; at (18, 8) the second one is."""
    tokens = np.array([[0.5**0.5, -(0.5**0.5)], [0.0, 1.0]])
    w = np.array([[18.0, 8.0], [18.0, -8.0]])
    found = approx_truncated(Sources.of(xp, tokens), w, 4.0)
    assert found == pytest.approx(by_definition(w, tokens), abs=truncation_error(2, 4.0))
    assert found[0, 1] > 0.5


def test_sources_that_matter_by_their_further_features_are_kept() -> None:
    features, values = np.array([[0.0, 0.0], [-5.0, 9.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    sources = Sources(xp, features, values, 2.0, 1, 9.0)
    target = np.array([[1.0, 1.0]])
    assert approx_truncated(sources, target, 4.0)[0, 0] == pytest.approx(1 / (1 + np.exp(-4)))
    assert (sources.take(np.array([1])).weight, sources.take(np.array([1])).excess) == (2.0, 9.0)


def test_merged_tokens_by_hand() -> None:
    """Two tokens of one cell and one alone: sizes, means, covariances, radii, and what they become as sources."""
    three = np.array([[0.8, 0.6], [0.96, 0.28], [1.0, 0.0]])
    every = MergedTokens.of(three, Groups(np.arange(3), np.array([0]), np.zeros((1, 1))))
    assert every.radii == pytest.approx(np.linalg.norm(three - three.mean(axis=0), axis=1).max())
    points = np.array([[0.8, 0.6], [0.0, -1.0], [0.96, 0.28]])
    groups = Places.of(points).cells(1)
    found = MergedTokens.of(points, groups)
    together, alone = (0, 1) if found.sizes[0] == 2 else (1, 0)
    assert (found.sizes[together], found.sizes[alone], len(found)) == (2, 1, 2)
    assert found.means[together] == pytest.approx([0.88, 0.44])
    assert found.covariances[together] == pytest.approx([0.08**2, -0.08 * 0.16, 0.16**2])
    assert found.radii[together] == pytest.approx(np.hypot(0.08, 0.16))
    assert (found.radii[alone], found.means[alone].tolist()) == (0, [0, -1])
    sources = found.sources(xp, 10.0)
    assert (sources.weight, sources.dim) == (3, 2)
    assert sources.excess == pytest.approx(100 * (0.08**2 + 0.16**2) / 2)
    w = np.array([[3.0, -2.0]])
    S = np.array([[0.08**2, -0.08 * 0.16], [-0.08 * 0.16, 0.16**2]])
    scores = MergedTokens.targets(w) @ sources.features.T
    assert scores[0, together] == pytest.approx(w[0] @ [0.88, 0.44] + w[0] @ S @ w[0] / 2)
    assert scores[0, alone] == pytest.approx(2)
    assert sources.values[together] == pytest.approx(2 * np.array([1, 0.88, 0.44, S[0, 0], S[0, 1], S[1, 1]]))


def test_an_oblique_projector_of_a_plane_has_a_plane_as_its_image() -> None:
    limit = ApproxLimit(np.array([[1.0, 0.0, 3.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    assert limit.dimension == 2
    assert limit.basis.T @ limit.basis == pytest.approx(np.eye(2))
    assert np.abs(limit.basis[2]).max() < 1e-12
    assert limit.distances(np.array([[0.6, 0.0, 0.8], [0.0, 0.0, 1.0]])) == pytest.approx([0.8**0.5, 2**0.5])


@pytest.mark.parametrize(("size", "whole"), [(3e-6, True), (7e-6, False)])
def test_a_cell_is_cut_from_five_times_the_tolerance_in_its_last_coefficient_on(size: float, whole: bool) -> None:
    local = np.linspace(-0.9, 0.9, 41)
    places = Places(np.zeros(41, dtype=int), ((local + 1) / 4)[:, None])
    calls = list[int]()

    def polynomial(points: Array) -> Array:
        calls.append(len(points))
        x = np.clip(4 * Places.of(points).xi - 1, -1, 1)
        return np.repeat(size * np.cos(7 * np.arccos(x)), 2, axis=1)

    points = places.points()
    found = approx_interpolated(polynomial, points, places, 1e-6)
    assert (calls == [8 + 3]) is whole
    assert np.abs(found - polynomial(points)).max() < 1e-9


@pytest.mark.parametrize("p", [1.0, 3.0])
def test_the_solver_is_asked_for_the_power_of_the_distance(p: float) -> None:
    pytest.importorskip("ot")
    x = np.array([[0.6, 0.8], [-0.8, 0.6], [0.28, -0.96]])
    goals = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    wanted = (np.linalg.norm(x - goals, axis=1) ** p).mean() ** (1 / p)
    assert ApproxTransport(ApproxLimit(np.diag([1.0, 0.0])), goals, p).solved(x) == pytest.approx(wanted)
    assert approx_solved(x, goals, p) == pytest.approx(wanted)


def test_cells_of_the_finest_cut_are_taken_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactformer.studies.mean_field.approx_compressed.FINEST", 4)
    places = Places(np.zeros(41, dtype=int), ((np.linspace(-0.9, 0.9, 41) + 1) / 4)[:, None])
    calls = list[int]()

    def jump(points: Array) -> Array:
        calls.append(len(points))
        return np.sign(points - [0.95, 0.3])

    approx_interpolated(jump, places.points(), places, 1e-6)
    assert calls == [8 + 3]
