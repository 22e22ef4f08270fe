"""Time delay: recurrences and windows proved or refused, containment, networks, rollouts and their enclosures."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import arb, arb_mat

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput, NotExact, Undecided
from exactformer.studies.time_delay.approx_dmd import fit_dmd
from exactformer.studies.time_delay.approx_rollout import (
    NetworkModel,
    float_rows,
    marginal_distance,
    measure,
    phase_error,
    rollout_score,
    spectrum_error,
    window_rows,
)
from exactformer.studies.time_delay.approx_training import (
    FLAT,
    DelayRecipe,
    adamw,
    dmd_start,
    flat_network,
    loss_and_gradient,
    polished,
    random_network,
)
from exactformer.studies.time_delay.approx_window import approx_window_network
from exactformer.studies.time_delay.enclosure import BallNetwork, enclose
from exactformer.studies.time_delay.fit import SeriesParts, fit
from exactformer.studies.time_delay.network import ApproxFunctions, ExactFunctions, contain, exact_rollout, fractions
from exactformer.studies.time_delay.network_file import read_network, write_network
from exactformer.studies.time_delay.positive_window import least_window, polynomial_of_tones, powers_modulo
from exactformer.studies.time_delay.recurrence import MODULUS, NoRecurrence, Recurrence, least_order
from exactformer.studies.time_delay.series import Series
from exactformer.studies.time_delay.systems import approx_lorenz, tones
from proofs_check import check

COSINES = [Fraction(4, 5), Fraction(12, 13), Fraction(15, 17), Fraction(24, 25)]


def found_on(rows: list, **options: object) -> Recurrence:  # type: ignore[type-arg]
    found = least_order(Series.of(rows), **options)  # type: ignore[arg-type]
    assert isinstance(found, Recurrence)
    return found


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_tones_have_twice_their_number_as_order(count: int, tmp_path: Path) -> None:
    found = found_on(tones(count, 50).rows())
    assert found.order == 2 * count
    assert found.polynomial == polynomial_of_tones(COSINES[:count])
    found.certify(tmp_path / "c.jsonl")
    verdict = check(str(tmp_path / "c.jsonl"))
    assert verdict.verdict == "accepted"
    assert f"order {2 * count}" in verdict.why


@pytest.mark.parametrize("seed", range(6))
def test_random_recurrences_are_found_and_a_changed_digit_is_noticed(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    order, d = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    A = [[[Fraction(int(x), 7) for x in row] for row in block] for block in rng.integers(-6, 7, (order, d, d))]
    A[0][0][0] += 8  # the oldest row matters
    rows = [[Fraction(int(x)) for x in row] for row in rng.integers(-5, 6, (order, d))]
    for k in range(order * d + order + 8):
        rows.append([sum(A[j][a][b] * rows[k + j][b] for j in range(order) for b in range(d)) for a in range(d)])
    found = found_on(rows)
    assert found.order <= order
    for k in range(len(rows) - found.order):
        window = rows[k : k + found.order]
        made = [
            sum(M[a][b] * z[b] for M, z in zip(found.coefficients, window, strict=True) for b in range(d))
            for a in range(d)
        ]
        assert made == rows[k + found.order]
    found.certify(tmp_path / "c.jsonl")
    assert check(str(tmp_path / "c.jsonl")).verdict == "accepted"
    rows[len(rows) // 2][0] += Fraction(1, 10**6)
    refused = least_order(Series.of(rows), cap=order)
    assert isinstance(refused, NoRecurrence)
    assert not refused
    assert all(first < second for first, second in refused.ranks)
    refused.certify(tmp_path / "no.jsonl")
    assert check(str(tmp_path / "no.jsonl")).verdict == "accepted"


def test_a_hidden_dimension_is_the_order() -> None:
    A, x, rows = [[0, 1, 0], [0, 0, 1], [2, -1, 1]], [1, 0, 2], []
    for _ in range(14):
        rows.append([Fraction(x[0])])
        x = [sum(a * b for a, b in zip(row, x, strict=True)) for row in A]
    assert found_on(rows).order == 3


def test_intercepts_kernels_and_short_series() -> None:
    found = found_on([1, 3, 7, 15, 31, 63], intercept=True)
    assert (found.order, found.coefficients[0][0][0], found.intercept) == (1, 2, (1,))
    assert found_on([1, 3, 7, 15, 31, 63]).order == 2
    doubled = found_on([[k, 2 * k] for k in range(12)])
    assert doubled.minor is None
    assert doubled.kernel is not None
    assert found_on([0, 0, 0, 0]).order == 1
    with pytest.raises(Undecided, match="at least 5 rows"):
        least_order(Series.of([1, 2, 5]))
    with pytest.raises(InvalidInput):
        least_order(Series.of([1, 2, 5]), cap=0)


@pytest.mark.parametrize(("count", "window"), [(1, 2), (2, 10), (3, 17)])
def test_least_windows_of_tones(count: int, window: int, tmp_path: Path) -> None:
    found = least_window(polynomial_of_tones(COSINES[:count]))
    assert found.window == window
    assert found.strict
    powers = powers_modulo(found.polynomial, window + 1)
    for i in range(2 * count):
        older = sum(a * powers[j][i] for j, a in enumerate(found.weights))
        assert powers[window][i] == found.newest * powers[window - 1][i] + found.sign * older
    found.certify(tmp_path / "c.jsonl")
    assert check(str(tmp_path / "c.jsonl")).verdict == "accepted"
    if window > 2:
        with pytest.raises(Undecided):
            least_window(found.polynomial, cap=window - 1)


def test_the_window_reproduces_the_series() -> None:
    found, rows = least_window(polynomial_of_tones(COSINES[:2])), [row[0] for row in tones(2, 60).rows()]
    m = found.window
    for k in range(len(rows) - m):
        older = sum(a * rows[k + j] for j, a in enumerate(found.weights))
        assert rows[k + m] == found.newest * rows[k + m - 1] + found.sign * older


def test_cosines_that_are_none() -> None:
    for bad in ([], [Fraction(1)], [Fraction(1, 2), Fraction(1, 2)]):
        with pytest.raises(InvalidInput):
            polynomial_of_tones(bad)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_containment_is_exact_and_breaks_with_one_entry(d: int) -> None:
    """The transformer of theorem D1 is TD-DMD on every rational window."""
    rng = np.random.default_rng(d)
    m = 5
    A, b = fractions(rng.integers(-99, 99, (m, d, d)) / 8.0), fractions(rng.integers(-9, 9, d) / 4.0)
    network = contain(A, b)
    for _ in range(60):
        window = fractions(rng.integers(-99, 99, (m, d)) / 16.0)
        wanted = sum((A[j] @ window[j] for j in range(m)), b)
        assert (network.increment(window, ExactFunctions()) == wanted).all()
        wrong = contain(A + (np.arange(A.size).reshape(A.shape) == 0), b)
        if window[0, 0]:
            assert (wrong.increment(window, ExactFunctions()) != wanted).any()


def test_floats_agree_with_exact_arithmetic_and_other_functions_are_refused() -> None:
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(4, 2, 2)), rng.normal(size=2)
    window = rng.normal(size=(4, 2))
    exact = contain(fractions(A), fractions(b)).increment(fractions(window), ExactFunctions())
    assert np.abs(exact.astype(float) - contain(A, b).increment(window, ApproxFunctions())).max() < 1e-12
    network = random_network(2, 4, encoding="block", features=3, hidden=4, seed=0)
    with pytest.raises(NotExact, match="`bits`"):
        network.exact().increment(fractions(window), ExactFunctions())


@pytest.mark.parametrize("encoding", ["block", "additive"])
def test_gradients_are_those_of_the_loss(encoding: str) -> None:
    rng = np.random.default_rng(1)
    network = random_network(2, 3, encoding=encoding, features=4, hidden=5, seed=1)
    network = network.with_weights({**network.weights, "A": rng.normal(size=(3, 2, 2))})
    batch = (rng.normal(size=(7, 3, 2)), rng.normal(size=(7, 2)), np.array([0.5, 2.0]))
    gradient = loss_and_gradient(network, *batch)[1]
    for name, array in network.weights.items():
        for index in list(np.ndindex(array.shape))[:8]:
            ends = []
            for step in (1e-6, -1e-6):
                moved = array.copy()
                moved[index] += step
                ends.append(loss_and_gradient(network.with_weights({**network.weights, name: moved}), *batch)[0])
            assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(gradient[name][index], abs=1e-7), (name, index)


def test_the_gradient_is_of_the_networks_own_formula() -> None:
    network = random_network(2, 3, encoding="additive", features=4, hidden=5, seed=2)
    rng = np.random.default_rng(2)
    inputs, wanted = rng.normal(size=(9, 3, 2)), rng.normal(size=(9, 2))
    loss = loss_and_gradient(network, inputs, wanted, np.ones(2))[0]
    assert loss == pytest.approx(
        float(((network.increment(inputs, ApproxFunctions()) - wanted) ** 2).mean()), rel=1e-12
    )


def test_training_lowers_the_loss_and_keeps_what_is_frozen() -> None:
    rows = SeriesParts.of(Series.of(approx_lorenz(600)), 4)
    start = random_network(3, 4, encoding="block", features=8, hidden=12, seed=0)
    trained = adamw(start, rows.train, rows.validation, DelayRecipe(steps=200))
    losses = [float((NetworkModel(n).one_step_errors(rows.validation) ** 2).mean()) for n in (start, trained)]
    assert losses[1] < losses[0] / 10
    better = polished(trained, rows.train, 1e-10)
    fitted = [float((NetworkModel(n).one_step_errors(rows.train) ** 2).mean()) for n in (trained, better)]
    assert fitted[1] < fitted[0]
    flat = flat_network(3, 4, hidden=5, seed=0)
    kept = adamw(flat, rows.train, rows.validation, DelayRecipe(steps=100, frozen=FLAT))
    assert all((kept.weights[name] == flat.weights[name]).all() for name in FLAT)
    assert (kept.weights["W1"] != flat.weights["W1"]).any()


def test_a_start_from_dmd_is_dmd() -> None:
    rows = SeriesParts.of(Series.of(approx_lorenz(400)), 4)
    A, b = fit_dmd(rows.train, 4, 1e-6)
    start = dmd_start(random_network(3, 4, encoding="block", features=8, hidden=6, seed=0), A, b)
    inputs = window_rows(rows.test, 4)[0]
    difference = start.increment(inputs, ApproxFunctions()) - contain(A, b).increment(inputs, ApproxFunctions())
    assert np.abs(difference).max() < 1e-10


def test_a_fit_on_tones_is_exact_up_to_rounding_and_its_file_comes_back(tmp_path: Path) -> None:
    fitted = fit(tones(2, 200), 4, model="dmd")
    assert fitted.measures.parameters == 5
    assert fitted.measures.approx_one_step < 1e-12
    assert fitted.measures.approx_valid_steps == fitted.measures.horizon
    write_network(fitted.network, tmp_path / "net.json")
    back = read_network(tmp_path / "net.json")
    assert all((back.weights[name] == array).all() for name, array in fitted.network.weights.items())
    assert (back.mean, back.scale) == (fitted.network.mean, fitted.network.scale)


def test_measures_of_a_wrong_model() -> None:
    rows = SeriesParts.of(Series.of(approx_lorenz(800)), 4)
    still = contain(np.zeros((4, 3, 3)), np.zeros(3))  # it predicts that nothing moves
    found = measure(NetworkModel(still), rows.test, 100)
    assert found.approx_valid_steps < 15
    assert found.approx_std_ratio == [0.0, 0.0, 0.0] or max(found.approx_std_ratio) < 1
    assert found.approx_w1 > 0.1


@pytest.mark.parametrize("encoding", ["block", "additive"])
def test_enclosures_contain_each_other_and_the_floats_nearly(encoding: str) -> None:
    series = Series.of(approx_lorenz(500))
    network = fit(series, 4, start="random", steps=100, encoding=encoding).network
    start = series.rows()[-4:]
    wide, narrow = (enclose(network, start, 12, bits=bits) for bits in (64, 256))
    floats = float_rows(network, series.floats(), 12)
    for k, (a, b) in enumerate(zip(wide, narrow, strict=True)):
        assert all(x <= y for x, y in zip(a.low, b.low, strict=True))
        assert all(x >= y for x, y in zip(a.high, b.high, strict=True))
        assert 0 < b.radius < a.radius < Fraction(1, 10**8)
        middle = [float((x + y) / 2) for x, y in zip(b.low, b.high, strict=True)]
        assert np.abs(middle - floats[k]).max() < 1e-9


def test_enclosures_of_a_rational_network_contain_the_exact_rollout() -> None:
    rng = np.random.default_rng(3)
    network = contain(rng.normal(size=(3, 2, 2)) / 6, rng.normal(size=2))
    start = [tuple(Fraction(int(x), 7) for x in row) for row in rng.integers(-9, 9, (3, 2))]
    exact = exact_rollout(network, start, 15)
    before = [(Fraction(9), Fraction(-9)), (Fraction(5), Fraction(1))]
    for given in (start, [*before, *start]):  # the last rows of a longer series are where it goes on
        for row, ball in zip(exact, enclose(network, given, 15, bits=100), strict=True):
            assert all(low <= x <= high for low, x, high in zip(ball.low, row, ball.high, strict=True))


def test_an_enclosure_that_grows_too_wide_is_undecided() -> None:
    network = contain(np.array([[[9.0]]]), np.array([0.0]))  # z+ = 10 z
    with pytest.raises(Undecided, match="`bits`"):
        enclose(network, [(Fraction(1, 3),)], 40, bits=64)
    with pytest.raises(InvalidInput):
        enclose(network, [], 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2\n3\n", "line 2"),
        ("1,2\n3,\n", "missing"),
        ("2020-01-01,5\n2020-01-02,6\n", "date"),
        ("a,b\n", "at least one row"),
        ("1,2\n3,nan\n", "missing"),
        ("1,2\n3,x\n", "number"),
    ],
)
def test_files_that_are_no_series(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InvalidInput, match=words):
        Series.read(tmp_path / "s.csv")


def test_only_the_first_part_of_a_series_is_standardised() -> None:
    """What validation and test show is not known when the units are chosen."""
    rows = [[k % 7, -(k**2)] for k in range(100)]
    parts = SeriesParts.of(Series.of(rows), 2)
    assert [len(part) for part in (parts.train, parts.validation, parts.test)] == [60, 20, 20]
    assert np.allclose(parts.train.mean(axis=0), 0)
    assert np.allclose(parts.train.std(axis=0), 1)
    assert np.allclose(parts.test * parts.scale + parts.mean, rows[80:])


def test_columns_that_cannot_be_standardised_and_short_series() -> None:
    with pytest.raises(InvalidInput, match="constant"):
        fit(Series.of([[k, 3] for k in range(100)]), 2)
    with pytest.raises(InvalidInput, match="rows for a window"):
        fit(Series.of([[k] for k in range(20)]), 8)


def test_the_proved_window_as_attention_reproduces_the_series() -> None:
    found, rows = least_window(polynomial_of_tones(COSINES[:2])), tones(2, 300).floats()
    network = approx_window_network(found)
    errors = NetworkModel(network).one_step_errors(rows)
    assert np.abs(errors).max() < 1e-12
    rolled = float_rows(network, rows[:100], 200)
    assert np.abs(rolled - rows[100:]).max() < 1e-9


def test_as_many_rows_as_unknowns_decide_nothing() -> None:
    """Four numbers have two windows of two: some recurrence of order 2 holds, whatever the numbers are."""
    with pytest.raises(Undecided, match="order 2 cannot be decided from 4 rows"):
        least_order(Series.of([1, 2, 5, 7]))
    found = least_order(Series.of([1, 2, 5, 12, 29]))
    assert isinstance(found, Recurrence)
    assert found.order == 2


def test_rows_that_vanish_modulo_the_prime_are_solved_all_the_same() -> None:
    """Order 1 is refuted and order 2 solved; only the proof that the coefficients are the only ones is wanting."""
    with pytest.raises(Undecided, match="dependent modulo the prime only"):
        least_order(Series.of([MODULUS * x for x in (1, 1, 2, 3, 5, 8, 13)]))
    found = least_order(Series.of([MODULUS * x for x in (1, 1, 2, 3, 5, 8, 14)]), cap=1)
    assert isinstance(found, NoRecurrence)


def test_the_intercept_of_a_series_of_fractions_is_that_of_the_series(tmp_path: Path) -> None:
    rows = [Fraction(1, 5)]
    for _ in range(6):
        rows.append(rows[-1] / 2 + Fraction(1, 3))
    found = least_order(Series.of(rows), intercept=True)
    assert isinstance(found, Recurrence)
    assert (found.coefficients, tuple(found.intercept)) == ((((Fraction(1, 2),),),), (Fraction(1, 3),))
    found.certify(tmp_path / "c.jsonl")
    assert check(str(tmp_path / "c.jsonl")).verdict == "accepted"


def test_a_window_with_a_weight_zero_is_not_strict() -> None:
    """x^2 = 1: the next value is the one before the last, at window 2 with the weight 1 alone, at x^3 = x with a zero."""
    assert least_window((Fraction(-1), Fraction(0), Fraction(1))).strict
    found = least_window((Fraction(-1), Fraction(0), Fraction(0), Fraction(1)))  # x^3 = 1
    assert found.weights == (1, 0)
    assert not found.strict


@pytest.mark.parametrize("activation", ["gelu", "relu"])
@pytest.mark.parametrize("encoding", ["block", "additive"])
def test_jacobians_of_enclosures_are_those_of_the_formula(encoding: str, activation: str) -> None:
    rng = np.random.default_rng(5)
    drawn = random_network(2, 3, encoding=encoding, features=4, hidden=5, seed=1)
    weights = {name: rng.normal(size=array.shape) / 2 for name, array in drawn.weights.items()}
    network = replace(drawn.with_weights(weights), activation=activation)
    window, step = rng.normal(size=(3, 2)), 1e-5
    columns = [arb_mat([[arb(x)] for x in row]) for row in window.tolist()]
    value, parts = BallNetwork(network).step(columns, jacobian=True)

    def after(z: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return z[-1] + network.increment(z, ApproxFunctions())

    assert [float(value[i, 0].mid()) for i in range(2)] == pytest.approx(after(window), abs=1e-12)
    for j in range(3):
        for b in range(2):
            moved = np.zeros((3, 2))
            moved[j, b] = step
            slope = (after(window + moved) - after(window - moved)) / (2 * step)
            assert [float(parts[j][a, b].mid()) for a in range(2)] == pytest.approx(slope, abs=1e-6), (j, b)


class Lagging:
    """It predicts the last row again; of known inputs it is told the truth."""

    parameters, history = 0, 2

    def one_step_errors(self, rows: Array) -> Array:
        return -np.diff(rows, axis=0)[self.history - 1 :]

    def rollout(self, starts: Array, steps: int, inputs: Array | None = None) -> Array:
        out = np.repeat(starts[None, :, -1], steps, axis=0)
        if inputs is not None:
            out[:, :, : inputs.shape[2]] = inputs[:steps]
        return out


def test_known_inputs_are_not_measured() -> None:
    rows = np.cumsum(np.random.default_rng(3).normal(size=(60, 2)), axis=0) / 4
    given = np.column_stack([9 * np.sin(np.arange(60)), rows])
    assert measure(Lagging(), given, 20, inputs=1).json() == measure(Lagging(), rows, 20).json() | {
        "approx_bounded": measure(Lagging(), given, 20, inputs=1).approx_bounded
    }
    assert measure(Lagging(), given, 20).approx_valid_steps < measure(Lagging(), rows, 20).approx_valid_steps


def test_measures_of_rollouts_by_their_definition() -> None:
    t = np.arange(200.0)[:, None, None]
    wave, shifted, faster = (np.sin(2 * np.pi * (k * t / 20 + s)) for k, s in ((1, 0), (1, 0.1), (3, 0)))
    assert phase_error(shifted, wave) == pytest.approx(0.1)
    assert phase_error(wave, shifted) == pytest.approx(0.1)
    assert spectrum_error(shifted, 5 * wave + 3) == pytest.approx(0, abs=1e-12)
    assert spectrum_error(faster, wave) == pytest.approx(1)
    x = np.random.default_rng(0).normal(size=(500, 2))
    assert marginal_distance(x + np.array([1.0, -3.0]), x) == pytest.approx(2)
    rows = np.column_stack([np.arange(40.0), -np.arange(40.0)]) / 8  # what is still is off by k/8 after k steps
    found = measure(Lagging(), rows, 10)
    assert found.approx_valid_steps == 4  # the fifth step is off by 5/8 > 1/2
    assert found.approx_one_step == pytest.approx(1 / 8)
    assert found.approx_rmse == pytest.approx(np.sqrt(np.mean((np.arange(1, 11) / 8) ** 2)))
    assert (found.approx_bounded, found.horizon) == (1, 10)
    assert measure(Lagging(), 4 * rows, 10).approx_bounded < 1
    assert measure(Lagging(), rows, 1000).horizon == 38


def test_a_free_run_that_leaves_costs_three_digits() -> None:
    rows = np.column_stack([np.linspace(-1, 1, 40)])
    near, far = (rollout_score(Lagging(), shift + rows, steps=5) for shift in (0, 8))
    assert far == pytest.approx(near + 3)
    assert near == pytest.approx(np.log10(np.arange(1, 6) * 2 / 39).mean())
