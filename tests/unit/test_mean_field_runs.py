"""Numbers of the mean field: certified rates, what a run records, phases and slopes, random instances, hypotheses."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import proofs_check
from exactformer.arithmetic.ball import Ball
from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.given_instance import judge
from exactformer.conjectures.instances.mean_field import MeanField
from exactformer.errors import InvalidInput
from exactformer.studies.mean_field import approx_run as runs
from exactformer.studies.mean_field import counterexamples as facts
from exactformer.studies.mean_field import random_instances, statements
from exactformer.studies.mean_field.approx_density import Density
from exactformer.studies.mean_field.approx_form import _fitted, hiding_directions
from exactformer.studies.mean_field.approx_laplace import approx_laplace_errors, four_measures
from exactformer.studies.mean_field.approx_phases import Phases, Rates, slopes
from exactformer.studies.mean_field.approx_run import Run, Settings, Simulation, approx_run, approx_simulation
from exactformer.studies.mean_field.approx_transport import ApproxLimit, ApproxTransport
from exactformer.studies.mean_field.enclosure import EulerOrbit
from exactformer.studies.mean_field.families import SYSTEMS, circle_tokens, sample_system
from exactformer.studies.mean_field.rate import certified_rate, norm_above, verify_norm
from exactformer.studies.mean_field.spectrum import Dominant, dominant
from exactformer.studies.mean_field.system import System
from exactformer.studies.mean_field.zero_temperature import ZeroTemperature, limit

F = Fraction


def rows(*given: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(F, row)) for row in given)


ONE = rows((1, 0), (0, 1))


def lead(M: Any) -> Dominant:
    found = dominant(M)
    assert isinstance(found, Dominant)
    return found


# rates ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("B", "norm"),
    [
        (rows((3, 0), (0, "1/2")), F(3)),
        (rows((0, 5), (-5, 0)), F(5)),
        (rows((3, 4), (0, 0)), F(5)),
        (rows(("1/7", 0), (0, "1/9")), F(1, 7)),
        (rows((1, 0), (0, 1)), F(1)),
    ],
)
def test_a_rate_is_the_gap_over_the_norm_of_B(B: Any, norm: Fraction) -> None:
    assert norm_above(B) == norm
    rate = certified_rate(lead([[2, 0], [0, 1]]), B)
    assert rate is not None
    assert rate.norm == norm
    assert rate.value == F(200, 201) / norm
    verify_norm(norm, B)
    for wrong in (norm * F(999, 1000), F(0), -norm):
        with pytest.raises(InvalidInput, match=r">= \|B\|"):
            verify_norm(wrong, B)


@pytest.mark.parametrize("scale", [F(1, 10), F(1), F(7)])
def test_rates_of_systems_are_certified_whatever_the_norms(scale: Fraction, tmp_path: Path) -> None:
    """V = diag(1, 1/2), B = scale diag(1/5, 1): the gap of M is 3/10 of the scale, and the norm the scale."""
    B = [[scale / 5, 0], [0, scale]]
    found = limit(System.of([[1, 0], [0, "1/2"]], B))
    assert isinstance(found, ZeroTemperature)
    assert found.rate is not None
    assert F(99, 100) * F(3, 10) <= found.rate <= F(3, 10)
    found.certify(tmp_path / "c.jsonl")
    assert proofs_check.check(str(tmp_path / "c.jsonl")).verdict == "accepted"


def test_nothing_but_a_multiple_of_the_identity_has_no_rate() -> None:
    assert certified_rate(lead([[3, 0], [0, 3]]), ONE) is None
    plane = certified_rate(lead([[3, 0, 0], [0, 3, 0], [0, 0, 1]]), rows((1, 0, 0), (0, 1, 0), (0, 0, 2)))
    assert plane is not None
    assert F(99, 100) <= plane.value <= 1
    golden = certified_rate(lead([[1, 1], [1, 0]]), ONE)  # the eigenvalues are (1 +- sqrt 5)/2
    assert golden is not None
    assert golden.low**2 < golden.low + 1
    assert 0.99 * math.sqrt(5) <= float(golden.value) <= math.sqrt(5)


# what a run records -----------------------------------------------------------------------------------
METASTABLE = (np.diag([1.0, 0.5]), np.diag([0.2, 1.0])), ApproxLimit(np.diag([0.0, 1.0]))
FOUR = np.array([[0.6, 0.8], [-0.8, 0.6], [0.6, -0.8], [0.28, 0.96]])


@pytest.mark.parametrize(("steps", "stride"), [(1, 1), (999, 1), (1000, 1), (1001, 2), (2000, 2), (2001, 3)])
def test_at_most_a_thousand_strides_reach_the_end(steps: int, stride: int) -> None:
    settings = Settings(float(steps), 1.0)
    assert (settings.steps, settings.stride) == (steps, stride)


def test_the_first_and_the_last_time_are_recorded_and_those_between_by_strides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "RECORDS", 3)
    told = list[int]()
    found = approx_run(*METASTABLE, FOUR, [5.0, 20.0], Settings(3.5, 0.5), told.append)
    for run in (*found.runs, found.cold):
        assert run.times.tolist() == [0.0, 1.5, 3.0, 3.5]
        assert len(run.w2) == len(run.lower) == len(run.shown) == 4
        assert run.shown[0].tolist() == FOUR.tolist()
    assert told == list(range(1, 3 * 8 + 1))
    assert [run.beta for run in (*found.runs, found.cold)] == [5.0, 20.0, None]
    monkeypatch.undo()
    every = approx_run(*METASTABLE, FOUR, [5.0], Settings(3.5, 0.5))
    assert every.cold.times.tolist() == [0.5 * k for k in range(8)]
    assert every.cold.w2[[0, 3, 6, 7]].tolist() == found.cold.w2.tolist()
    assert every.runs[0].w2[-1] == found.runs[0].w2[-1]


def test_few_tokens_are_kept_for_pictures_and_they_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "SHOWN", 2)
    found = approx_run(*METASTABLE, FOUR, [5.0], Settings(1.0, 0.5)).runs[0]
    assert found.shown.shape == (3, 2, 2)
    assert all(row in FOUR.tolist() for row in found.shown[0].tolist())


@pytest.mark.parametrize(
    ("time", "step", "words"),
    [
        (0.0, 0.5, "--time: expected a positive"),
        (1.0, 0.0, "--step: expected a positive"),
        (math.inf, 1.0, "--time"),
        (math.nan, 1.0, "--time"),
        (1.0, -1.0, "--step"),
        (1.0, 1.5, "at most the time 1"),
        (1.0, 0.9e-6, "at most 1000000 steps"),
    ],
)
def test_times_and_steps_that_are_none(time: float, step: float, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        Settings(time, step)


def test_times_and_steps_at_their_limits() -> None:
    assert Settings(1.5, 1.5).steps == 1
    assert Settings(1.0, 1e-6).steps == 10**6
    assert (Settings(1, 1).scheme, Settings(1, 1).solve, Settings(1, 1).method) == ("rk4", False, None)


@pytest.mark.parametrize(
    ("count", "dim", "method"),
    [(1000, 2, "dense"), (1001, 2, "compressed"), (1001, 3, "compressed"), (1001, 4, "truncated"), (1000, 9, "dense")],
)
def test_the_method_is_chosen_by_number_and_dimension(count: int, dim: int, method: str) -> None:
    assert Settings(1, 1).method_for(count, dim) == method
    assert Settings(1, 1, method="truncated").method_for(count, dim) == "truncated"


def test_steps_that_floats_cannot_follow_are_refused_with_the_longest() -> None:
    (V, B), end = METASTABLE
    with pytest.raises(InvalidInput, match=r"h \|V\| cond\(B\) <= 10000, got 2e\+04; take a step of at most 2e\+03"):
        approx_run((V, B), end, FOUR, [1.0], Settings(4000.0, 4000.0))
    with pytest.raises(InvalidInput, match="at most 1e-05"):
        approx_run((V, np.diag([1e-9, 1.0])), end, FOUR, [1.0], Settings(1.0, 0.5))
    with pytest.raises(InvalidInput):
        approx_run((3 * V, B), end, FOUR, [1.0], Settings(1000.0, 1000.0))


def test_tokens_are_brought_to_the_sphere_where_rounding_took_them_off() -> None:
    near = np.array([[0.6, 0.8], [0.0, 1 + 9e-10], [-(1 - 9e-10), 0.0]])
    found = runs.on_sphere(near)
    assert np.abs((found**2).sum(axis=1) - 1).max() < 1e-15
    for wrong in (1 + 2e-9, 1 - 2e-9, 2.0, math.nan):
        with pytest.raises(InvalidInput, match=r"mine: expected tokens on the unit sphere.* got token 1 of length"):
            runs.on_sphere(np.array([[0.6, 0.8], [wrong, 0.0], [3.0, 0.0]]), "mine")


def test_a_run_in_json_has_lower_bounds_where_they_differ_alone() -> None:
    t, w2 = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.25, 0.5, 0.9])
    run = Run(7.0, t, w2, w2, np.zeros((4, 1, 2)))
    told = run.json()
    assert list(told) == [
        "beta",
        "approx_times",
        "approx_w2",
        "approx_w2_min",
        "approx_t_min",
        "approx_escape",
        "approx_metastable",
    ]
    assert (told["beta"], told["approx_times"], told["approx_w2"]) == (7.0, t.tolist(), w2.tolist())
    assert told["approx_escape"] == pytest.approx(2.5)
    assert (told["approx_w2_min"], told["approx_t_min"]) == (run.phases.w2_min, run.phases.t_min)
    assert told["approx_metastable"] == list(run.phases.metastable)
    lower = w2 - np.array([0, 0, 0.1, 0])
    assert replace(run, lower=lower).json()["approx_w2_lower"] == lower.tolist()


def test_a_simulation_in_json_has_its_runs_the_cold_one_and_both_slopes() -> None:
    found = approx_run(*METASTABLE, FOUR, [5.0, 20.0], Settings(2.0, 0.5))
    told = found.json()
    assert told["runs"] == [run.json() for run in found.runs]
    assert told["zero_temperature"] == {
        "approx_times": found.cold.times.tolist(),
        "approx_w2": found.cold.w2.tolist(),
    }
    assert told["approx_slopes"] == found.slopes() == slopes([5.0, 20.0], [run.phases for run in found.runs])
    assert told["predicted_slopes"] == found.predicted() == Rates.of(*METASTABLE[0], METASTABLE[1]).slopes()  # type: ignore[union-attr]
    without = Simulation(found.runs, found.cold, None)
    assert without.predicted() == {"t_min": None, "escape": None, "w2_min": None}


def test_a_simulation_has_a_time_of_forty_in_steps_of_a_twentieth_unless_told() -> None:
    system = System.of([[1, 0], [0, "1/2"]], [["1/5", 0], [0, 1]])
    found = approx_simulation(system, [5], tokens=FOUR, scheme="euler")
    assert (found.cold.times[0], found.cold.times[-1], len(found.cold.times)) == (0.0, 40.0, 801)
    few = approx_simulation(system, [5], n=30, time=1, step=0.5)
    assert (few.cold.times.tolist(), few.cold.shown.shape) == ([0.0, 0.5, 1.0], (3, 30, 2))
    drawn = [
        approx_simulation(system, [5], n=9, seed=seed, time=1, step=1).cold.shown[0].tolist() for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    with pytest.raises(InvalidInput, match="a hypothesis fails"):
        approx_simulation(sample_system("rotation"), [5], n=9)


# phases and slopes ------------------------------------------------------------------------------------
def test_phases_of_a_curve_by_hand() -> None:
    t = np.arange(7.0)
    found = Phases.of(t, np.array([4.0, 1.0, 0.4, 0.2, 0.4, 0.6, 1.1]))
    assert (found.w2_min, found.t_min, found.settled) == (pytest.approx(0.2), pytest.approx(3.0), True)
    assert found.metastable == (2.0, 4.0)  # at most 0.4
    assert found.escape == pytest.approx(5.2)  # (0.7 - 0.6)/(1.1 - 0.6) beyond 5
    at = Phases.of(t, np.array([4.0, 1.0, 0.4, 0.2, 0.4, 0.6, 0.7]))
    assert at.escape is None
    skew = Phases.of(t[:3], np.array([math.e, 1.0, math.e**3]))  # the parabola 2x^2 + x has its vertex at -1/4
    assert (skew.t_min, skew.w2_min) == (pytest.approx(0.75), pytest.approx(math.exp(-1 / 8)))
    wide = Phases.of(2 * t[:3], np.array([math.e, 1.0, math.e**3]))
    assert wide.t_min == pytest.approx(1.5)
    assert Phases.of(t[:2], np.array([0.8, 0.9])).escape == 0.0
    assert Phases.of(t[:3], np.array([1.0, 0.0, 1.0])).w2_min == 0.0


def test_slopes_are_over_the_runs_that_have_the_figure() -> None:
    def phases(t_min: float, w2: float, escape: float | None, settled: bool = True) -> Phases:
        return Phases(w2, t_min, (0.0, 0.0), escape, settled)

    betas = [1.0, math.e, math.e**2, math.e**3]
    told = [
        phases(1.0, math.exp(-1), 5.0),
        phases(3.0, math.exp(-4), None),
        phases(5.0, 0.0, 11.0),
        phases(99.0, 9.0, 99.0, settled=False),
    ]
    assert slopes(betas, told) == pytest.approx({"t_min": 2.0, "escape": 3.0, "w2_min": -3.0})
    assert slopes([2.0, 2.0], told[:2]) == {"t_min": None, "escape": None, "w2_min": None}


def test_rates_and_their_laws_by_hand() -> None:
    """M = diag(1/5, 1/2): g = 3/10, |B'e2| = 1, |B'e1| = 1/5, and e1 is 1/2 faster than e2 under V."""
    (V, B), end = METASTABLE
    rates = Rates.of(V, B, end)
    assert rates is not None
    assert (rates.gap, rates.on_limit, rates.beside, rates.instability) == pytest.approx((0.3, 1.0, 0.2, 0.5))
    slow = replace(rates, beside=2.0)
    assert (slow.rate(), slow.rate(1.0), rates.rate()) == pytest.approx((0.075, 0.15, 0.3))
    escape = 1 / 0.6 + 1
    t_min = escape * 0.5 / 0.575
    assert slow.slopes() == pytest.approx({"t_min": t_min, "escape": escape, "w2_min": -0.075 * t_min})
    twice = Rates.of(2 * V, B, end)
    assert twice is not None
    assert (twice.gap, twice.instability) == pytest.approx((0.6, 1.0))
    # of the eigenvalues 1, 1/2 and -3 the second is the next one, however large the third
    three = Rates.of(np.diag([1.0, 0.5, -3.0]), np.eye(3), ApproxLimit(np.diag([1.0, 0.0, 0.0])))
    assert three is not None
    assert (three.gap, three.instability) == pytest.approx((0.5, -0.5))


# random instances -------------------------------------------------------------------------------------
def inverse_free(M: Any, V: Any, B: Any) -> bool:
    """Whether V B' = M."""
    d = range(len(M))
    return all(sum(V[i][k] * B[j][k] for k in d) == M[i][j] for i in d for j in d)


@pytest.mark.parametrize(
    ("kind", "told", "dimension"), [("line", "real-semisimple", 1), ("plane", "real-semisimple", 2), ("jordan", "real-defective", 0), ("pair", "complex", 0)]
)  # fmt: skip
def test_random_matrices_are_led_by_what_they_say(kind: str, told: str, dimension: int) -> None:
    for seed in range(25):
        rng = Random(seed)
        M, S, dim = random_instances._matrix(rng, kind)
        assert len(M) == len(S) == dim
        assert 2 <= dim <= 4
        found = dominant(M)
        assert found.kind == told
        assert not isinstance(found, Dominant) or found.dimension == dimension
        instance = random_instances._instance(rng, M, ())
        assert inverse_free(M, instance.V, instance.B)


def test_random_instances_are_of_many_dimensions_matrices_and_tokens() -> None:
    rng = Random(7)
    drawn = [random_instances.with_spectrum(rng) for _ in range(80)]
    assert {z.dim for z in drawn} == {2, 3, 4}
    assert {len(z.tokens) for z in drawn} == {1, 2, 3}
    diagonal = [all(x == 0 for i, row in enumerate(z.B) for j, x in enumerate(row) if i != j) for z in drawn]
    assert 0.4 * len(drawn) < sum(diagonal) < len(drawn)
    assert all(any(token) for z in drawn for token in z.tokens)


def test_tokens_of_instances_with_a_kernel_are_sums_of_columns_and_often_in_it() -> None:
    rng = Random(8)
    verdicts = [judge("meanfield-mass-on-kernel", random_instances.with_kernel(rng)).outcome for _ in range(60)]
    assert set(verdicts) == {"true", "false"}
    assert 10 < verdicts.count("false") < 55


def test_cones_have_a_multiple_of_the_identity_and_tokens_around_a_direction() -> None:
    rng = Random(9)
    for _ in range(60):
        z = random_instances.cones(rng)
        v = z.V[0][0]
        assert v > 0
        assert tuple(tuple(v * (i == j) for j in range(z.dim)) for i in range(z.dim)) == z.V
        found = facts.spectrum(z)
        assert isinstance(found, Dominant)
        assert found.dimension == 1
        assert 1 <= len(z.tokens) <= 5
        assert all(abs(x - y) <= 4 for one in z.tokens for other in z.tokens for x, y in zip(one, other, strict=True))


def test_mirrored_instances_are_diagonal_but_for_one_entry_and_mostly_symmetric() -> None:
    rng = Random(10)
    drawn = [random_instances.mirrored(rng) for _ in range(200)]
    off = [{(i, j): x for i, row in enumerate(z.V) for j, x in enumerate(row) if x and i != j} for z in drawn]
    assert all(told in ({}, {(0, 1): 1}) for told in off)
    assert 30 < sum(map(bool, off)) < 90
    assert all(x > 0 if i == j else x == 0 for z in drawn for i, row in enumerate(z.B) for j, x in enumerate(row))
    assert {z.dim for z in drawn} == {2, 3}
    closed = [
        any(
            {tuple(s * x for s, x in zip(signs, t, strict=True)) for t in z.tokens} == set(z.tokens)
            for signs in facts._reflections(z.dim)
        )
        for z in drawn
    ]
    assert sum(closed) > 120
    assert all(list(z.tokens) == sorted(z.tokens) and all(map(any, z.tokens)) for z in drawn)


def test_circles_are_symmetric_with_constants() -> None:
    rng = Random(11)
    drawn = [random_instances.circle(rng) for _ in range(100)]
    assert all(z.B == ONE and z.tokens == () and z.V[0][1] == z.V[1][0] in (0, 1, -2) for z in drawn)
    assert all(z.constant is not None and z.rate is not None and z.constant > 0 < z.rate for z in drawn)
    assert max(z.constant or 0 for z in drawn) > 100
    assert {z.V[0][1] for z in drawn} == {0, 1, -2}


def test_unimodular_matrices_have_determinant_one() -> None:
    rng = Random(12)
    for dim in (2, 3, 4):
        for _ in range(10):
            S = random_instances._unimodular(rng, dim)
            assert round(np.linalg.det(np.array(S, dtype=float))) == 1
            assert all(x.denominator == 1 for row in S for x in row)


# hypotheses and statements ----------------------------------------------------------------------------
def field(V: Any, B: Any = ((1, 0), (0, 1)), tokens: Any = (), **more: Any) -> MeanField:
    return MeanField(rows(*V), rows(*B), rows(*tokens), **more)


TALL, TURN, BLOCK = ((2, 0), (0, 1)), ((0, -1), (1, 0)), ((1, 1), (0, 1))
GOLDEN = ((1, 1), (1, 0))
HYPOTHESES = [
    (statements.INVERTIBLE, [field(TURN), field(TALL, ((1, 2), (1, 3)))], [field(TALL, ((1, 2), (2, 4)))]),
    (statements.SPHERE, [field(TALL)], [MeanField(rows((1,)), rows((1,)))]),
    (statements.TOKENS, [field(TALL, tokens=[(1, 0)])], [field(TALL)]),
    (statements.DOMINANT, [field(TALL), field(GOLDEN), field(((2, 0), (0, 2)))], [field(TURN), field(BLOCK)]),
    (statements.DOMINANT, [field(TURN, TURN)], [field(TALL, ((0, "1/2"), (-1, 0)))]),  # M = V B', not V
    (
        statements.SPANNING,
        [field(TALL, tokens=[(1, 0), (1, 1)])],
        [field(TALL), field(TALL, tokens=[(1, 1), (2, 2)])],
    ),
    (
        statements.OFF_KERNEL,
        [field(TALL, tokens=[(1, 5), (-3, 0)]), field(TALL)],
        [field(TALL, tokens=[(1, 0), (0, 1)]), field(TURN, tokens=[(1, 0)])],
    ),
    (statements.LINE, [field(TALL)], [field(((2, 0), (0, 2))), field(GOLDEN), field(TURN)]),
    (
        statements.MULTIPLE,
        [field(((2, 0), (0, 2))), field((("1/3", 0), (0, "1/3")))],
        [field(((0, 0), (0, 0))), field(((-1, 0), (0, -1))), field(TALL), field(((2, 0), (1, 2))), field(((2, 1), (0, 2)))],
    ),
    (
        statements.CIRCLE,
        [field(TALL), field(((1, 1), (1, 1))), field(((0, 0), (0, 1)))],
        [field(((2, 0), (0, 2))), field(BLOCK), field(((2, 0), (1, 1))), MeanField(rows((1, 0, 0), (0, 2, 0), (0, 0, 3)), rows((1, 0, 0), (0, 1, 0), (0, 0, 1)))],
    ),
    (statements.UNIT, [field(TALL)], [field(TALL, TALL), field(TALL, BLOCK), field(TALL, ((1, 0), (1, 1)))]),
    (statements.CONSTANT, [field(TALL, constant=F(1, 9))], [field(TALL, rate=F(1))]),
    (statements.RATE, [field(TALL, rate=F(1, 9))], [field(TALL, constant=F(1))]),
    (
        statements.VALUES,
        [field(TALL, tokens=[(0, 1), (1, 1)]), field(TALL, TURN, tokens=[(1, 0)])],
        [field(TALL, tokens=[(0, 1)]), field(TALL), field(GOLDEN, tokens=[(1, 0)]), field(BLOCK, tokens=[(1, 0)])],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("hypothesis", "inside", "outside"), HYPOTHESES)
def test_every_hypothesis_of_the_mean_field_lets_in_and_keeps_out(hypothesis: Any, inside: Any, outside: Any) -> None:
    assert [hypothesis.holds_for(z) for z in (*inside, *outside)] == [True] * len(inside) + [False] * len(outside)


STATEMENTS = {
    "meanfield-limit": ("true", ("SPHERE", "INVERTIBLE", "DOMINANT", "TOKENS", "OFF_KERNEL")),
    "meanfield-complex-pair": ("false", ("SPHERE", "INVERTIBLE")),
    "meanfield-jordan-block": ("false", ("SPHERE", "INVERTIBLE")),
    "meanfield-mass-on-kernel": ("false", ("SPHERE", "INVERTIBLE", "DOMINANT", "TOKENS")),
    "meanfield-mass-near-kernel": ("false", ("CIRCLE", "UNIT", "CONSTANT", "RATE")),
    "meanfield-cone-support": (
        "false",
        ("SPHERE", "INVERTIBLE", "DOMINANT", "LINE", "MULTIPLE", "SPANNING", "OFF_KERNEL"),
    ),
    "meanfield-w2-rate-is-gap": ("false", ("CIRCLE", "UNIT", "CONSTANT")),
    "meanfield-symmetric-data": ("false", ("SPHERE", "INVERTIBLE", "TOKENS", "VALUES")),
}


def test_statements_of_the_mean_field_keep_their_status_and_their_hypotheses() -> None:
    found = {s.name: (s.status, s.hypotheses) for s in catalogue().values() if s.name.startswith("meanfield")}
    assert found == {
        name: (status, tuple(getattr(statements, told) for told in names))
        for name, (status, names) in STATEMENTS.items()
    }


def test_tokens_are_near_their_limit_in_the_end_and_a_wrong_limit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    z = field(TALL, ((1, 0), (1, 1)), [(1, 5), (-3, 1), (1, 1)])
    assert statements.near_the_limit(z).nearness == 0.1
    assert statements.near_the_limit(field(((2, 0), (0, 2)), tokens=[(1, 2)])).outcome == "true"
    true = statements._limit

    def wrong(found: Any, token: Any) -> Any:
        return true(found, tuple(-x for x in token) if token == (-3, 1) else token)

    monkeypatch.setattr(statements, "_limit", wrong)
    judgement = statements.near_the_limit(z)
    assert (judgement.outcome, judgement.witness) == ("false", {"token": 1})


def test_a_token_is_nearest_to_its_limit_by_the_time_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """|x(s) - T x| is about e^-60 at s = 60/gap, and e^-3 at 3/gap, which is not near."""
    z = field(TALL, tokens=[(1, 1)])
    monkeypatch.setattr(statements, "TIMES", 3)
    assert statements.near_the_limit(z).outcome == "false"
    monkeypatch.setattr(statements, "TIMES", 14)
    assert statements.near_the_limit(z).outcome == "true"


def test_two_equal_pairs_that_lead_are_not_one() -> None:
    pair = ((0, -1, 0, 0), (1, 0, 0, 0), (0, 0, 0, -1), (0, 0, 1, 0))
    apart = ((0, -1, 0, 0), (1, 0, 0, 0), (0, 0, -3, -1), (0, 0, 1, -3))
    identity = [[int(i == j) for j in range(4)] for i in range(4)]
    assert facts.converges(field(pair, identity)).outcome == "undecided"
    assert facts.converges(field(apart, identity)).outcome == "false"


def test_growth_is_a_root_of_as_many_steps_as_were_made() -> None:
    third = Ball.of(F(1, 3))
    orbit = EulerOrbit((((third,),), ((third,),), ((third,),)), (F(1), F(2), F(16)))
    assert orbit.approx_growth == 4.0
    assert EulerOrbit((), (F(1), F(3))).approx_growth == 3.0
    assert EulerOrbit((), (F(0), F(3))).approx_growth == EulerOrbit((), (F(3),)).approx_growth == 1.0
    assert orbit.intervals(1, bits=4) == [[(F(5, 16), F(6, 16))]]


def test_distances_to_two_atoms_are_of_the_exponent_asked_for() -> None:
    line = ApproxLimit(np.diag([1.0, 0.0]))
    x = np.array([[0.6, 0.8], [-0.8, 0.6]])
    costs = np.sqrt([0.4**2 + 0.8**2, 0.2**2 + 0.6**2])
    for p in (1.0, 2.0, 3.0):
        bounds = ApproxTransport.of(line, x, p).bounds(x)
        assert bounds == pytest.approx([(costs**p).mean() ** (1 / p)] * 2)


@pytest.mark.parametrize(("V", "B", "symmetric"), [(TALL, TALL, True), (TALL, BLOCK, False), (BLOCK, TALL, False)])
def test_a_reflection_must_commute_with_both_matrices(V: Any, B: Any, symmetric: bool) -> None:
    z = field(V, B, [(1, 1), (-1, 1), (0, 2)])
    assert facts._symmetric(z, (-1, 1)) == (2 if symmetric else None)
    assert facts._symmetric(field(V, B, [(1, 1), (0, 2)]), (-1, 1)) is None
    assert facts._symmetric(field(V, B, [(1, 1), (-1, 1)]), (-1, 1)) is None
    assert facts._symmetric(field(V, B, [(1, 1), (1, 1), (-1, 1), (0, 2)]), (-1, 1)) is None


def test_reflections_are_all_but_the_identity_and_its_negative() -> None:
    assert sorted(facts._reflections(2)) == [(-1, 1), (1, -1)]
    assert len(list(facts._reflections(3))) == 6


@pytest.mark.parametrize("constant", ["1/10", "1/2", "7/10", 1, 5])
def test_the_decay_at_which_the_gap_is_no_rate(constant: Any) -> None:
    found = facts.gap_is_the_rate(field(TALL, constant=F(constant)))
    a, C = found.witness["decay"], F(constant)
    assert 0 < a <= F(1, 2)
    assert F(37, 100) * (a - a**3 / 3) > C * C * a * a


# named systems ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "V", "B"),
    [
        ("metastable", ((1, 0), (0, "1/2")), (("1/5", 0), (0, 1))),
        ("sphere", ((1, 0, 0), (0, "1/2", 0), (0, 0, "3/10")), (("1/5", 0, 0), (0, 1, 0), (0, 0, "1/2"))),
        ("plane", ((1, 0, 0), (0, 1, 0), (0, 0, "3/2")), ((1, 0, 0), (0, 1, 0), (0, 0, "1/5"))),
        ("golden", GOLDEN, ((1, 0), (0, 1))),
        ("rotation", TURN, ((1, 0), (0, 1))),
        ("jordan", BLOCK, ((1, 0), (0, 1))),
    ],
)
def test_named_systems_are_those_of_the_documentation(name: str, V: Any, B: Any) -> None:
    found = sample_system(name)
    assert (rows(*V), rows(*B)) == (found.V, found.B)


def test_random_systems_have_small_entries_and_a_unimodular_B() -> None:
    seen = set()
    for seed in range(20):
        system = sample_system("random", dim=4, seed=seed)
        assert all(abs(x) <= 9 and x.denominator <= 4 for row in system.V for x in row)
        assert all(x == (i == j) for i, row in enumerate(system.B) for j, x in enumerate(row) if j <= i)
        assert all(x.denominator == 1 and abs(x) <= 9 for row in system.B for x in row)
        seen.add(system.V)
    assert len(seen) == 20
    assert sample_system("random").dim == 3
    assert sample_system("random", dim=2).dim == 2
    for wrong in ({"name": "random", "dim": 1}, {"name": "none"}):
        with pytest.raises(InvalidInput, match="expected"):
            sample_system(**wrong)
    assert list(SYSTEMS) == ["metastable", "sphere", "plane", "golden", "rotation", "jordan", "random"]


@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_tokens_of_the_circle_are_at_equal_angles(count: int) -> None:
    found = np.array([[float(x) for x in row] for row in circle_tokens(count).state.rows()])
    angles = [math.pi * ((2 * i + 1) / count - 1) for i in range(count)]
    assert found == pytest.approx(np.column_stack([np.cos(angles), np.sin(angles)]), abs=1e-3)


# systems and floats -----------------------------------------------------------------------------------
def test_a_system_with_queries_and_keys_of_another_dimension() -> None:
    """B = Q'K and M = V B', with h = 3 rows in Q and K and matrices that are not symmetric."""
    system = System([[1, 2], [0, 3]], [[1, 0], [2, 1], [0, 1]], [[0, 1], [1, 0], [1, 2]])
    Q, K = np.array(system.Q, dtype=float), np.array(system.K, dtype=float)
    B = Q.T @ K
    assert np.array(system.B, dtype=float).tolist() == B.tolist()
    assert np.array(system.M, dtype=float).tolist() == (np.array([[1, 2], [0, 3]]) @ B.T).tolist()
    V, floats = system.floats()
    assert (V.tolist(), floats.tolist()) == ([[1, 2], [0, 3]], B.tolist())
    assert (system.dim, list(system.json())) == (2, ["exactformer", "version", "V", "Q", "K"])
    x, y = np.array([1.0, 2.0]), np.array([-3.0, 5.0])
    assert (Q @ x) @ (K @ y) == (B.T @ x) @ y


@pytest.mark.parametrize(
    ("V", "Q", "K", "words"),
    [
        ([[1, 2]], [[1, 0]], [[1, 0]], "V: expected a square matrix"),
        ([[1, 0], [0, 1]], [[1, 0, 0]], [[1, 0]], "Q: expected rows of 2 numbers"),
        ([[1, 0], [0, 1]], [[1, 0]], [[1, 0, 0]], "K: expected rows of 2 numbers"),
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 0]], "as many rows in both"),
        ([[1]], [[1]], [[1]], "dimension d >= 2"),
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 0], [1, 0]], r"singular one: B'x = 0 at x = \(-?1, -?1\)"),
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]], [["sqrt(2)", 0], [0, 1]], "K: expected rational"),
    ],
)
def test_systems_that_are_none(V: Any, Q: Any, K: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        System(V, Q, K)


def test_limits_and_distances_of_an_oblique_projector() -> None:
    line = ApproxLimit(np.array([[0.0, 0.0], [-2.0, 1.0]]))
    assert (line.dimension, line.basis[:, 0].tolist()) == (1, [0.0, 1.0])
    assert line.T(np.array([[0.6, 0.8], [0.1, 0.9]])).tolist() == [[0.0, -1.0], [0.0, 1.0]]
    plane = ApproxLimit(np.diag([1.0, 1.0, 0.0]))
    assert plane.distances(np.array([[0.6, 0.0, 0.8], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])) == pytest.approx(
        [math.sqrt(0.4**2 + 0.8**2), math.sqrt(2), 0.0]
    )


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


def test_how_near_instances_come_to_a_pair_or_a_block() -> None:
    """A defective eigenvalue is nearer to a complex pair than a semisimple one, and the other way round."""
    found = [
        [f(field(V)).nearness for V in (TALL, BLOCK, TURN)] for f in (facts.converges, facts.converges_exponentially)
    ]
    assert found == [[0.1, 0.5, 1.0], [0.1, 1.0, 0.5]]


def test_bounds_of_gaps_are_never_below() -> None:
    for a, b in ((1, 1), (7, 3), (100, 1), (1, 50), (3, 2), (0, 0)):
        V = rows((a, b), (b, 0))
        gap = facts.gap_above(V)
        assert gap > 0
        assert gap**2 >= a * a + 4 * b * b
        assert gap <= math.sqrt(a * a + 4 * b * b) + 1 / 400


def test_equally_fast_directions_hide_nothing() -> None:
    """V = I beside E: along e1 a cluster is not unstable, and no reflection is told."""
    end = ApproxLimit(np.diag([0.0, 1.0]))
    for first, count in ((0.5, 0), (0.4, 0), (0.6, 1)):
        assert len(hiding_directions(np.diag([first, 0.5]), np.diag([0.2, 1.0]), end, Density("1", 2))) == count


def test_two_exponentials_are_fitted_where_the_curve_is_low() -> None:
    t = np.arange(8.0)
    w2 = np.array([0.9, 0.6, 0.5, 0.2, 0.3, 0.5, 0.6, 0.4])
    times, logs, values = _fitted(Run(math.e**2, t, w2, w2, np.zeros((8, 1, 2))))
    assert (times.tolist(), values.tolist()) == ([2, 3, 4, 5], [0.5, 0.2, 0.3, 0.5])
    assert logs == pytest.approx([2.0] * 4)
