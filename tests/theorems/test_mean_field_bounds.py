"""The Laplace bound, enclosures of Euler steps, and what fails without a hypothesis: against the definitions."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

import proofs_check
from exactformer.arithmetic.ball import ends
from exactformer.conjectures.given_instance import judge
from exactformer.errors import InvalidInput, Undecided
from exactformer.instances.mean_field import MeanField
from exactformer.model.tokens import Tokens
from exactformer.studies.mean_field import counterexamples as facts
from exactformer.studies.mean_field import random_instances
from exactformer.studies.mean_field.enclosure import enclose
from exactformer.studies.mean_field.families import circle_tokens, sample_system
from exactformer.studies.mean_field.laplace import laplace_bound
from exactformer.studies.mean_field.system import System

F = Fraction


def sphere_point(rng: Random, dim: int) -> list[Fraction]:
    """A rational point of the sphere, by stereographic projection."""
    t = [F(rng.randint(-9, 9), rng.randint(1, 9)) for _ in range(dim - 1)]
    s = sum(x * x for x in t)
    return [2 * x / (1 + s) for x in t] + [(1 - s) / (1 + s)]


def softmax_error(tokens: Any, w: list[Fraction], beta: float) -> float:
    """|m_beta - w/|w||, in floats."""
    Y, v = np.array([[float(x) for x in row] for row in tokens]), np.array([float(x) for x in w])
    scores = beta * (Y @ v)
    weights = np.exp(scores - scores.max())
    return float(np.linalg.norm(weights @ Y / weights.sum() - v / np.linalg.norm(v)))


@pytest.mark.parametrize("seed", range(25))
def test_laplace_bounds_hold_at_every_larger_beta(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    dim = rng.choice((2, 2, 3, 4))
    tokens = [sphere_point(rng, dim) for _ in range(rng.randint(1, 40))]
    x = [F(rng.randint(-5, 5), rng.randint(1, 3)) for _ in range(dim)]
    if not any(x):
        x[0] = F(1)
    beta = F(rng.randint(1, 200), rng.randint(1, 10))
    found = laplace_bound(Tokens(tokens), x, beta)
    low, high = found.error
    assert float(low) - 1e-12 <= softmax_error(tokens, x, float(beta)) <= float(high) + 1e-12
    for factor in (1, 1.5, 4, 100):
        assert softmax_error(tokens, x, float(beta) * factor) <= float(found.bound) + 1e-12
    assert found.mean_distance[1] <= found.bound <= found.mean_distance[1] + F(1, 10**6)
    found.certify(tmp_path / "c.jsonl")
    assert proofs_check.check(str(tmp_path / "c.jsonl")).verdict == "accepted"


def test_laplace_bounds_fall_with_beta() -> None:
    tokens = circle_tokens(50)
    bounds = [laplace_bound(tokens, ["3/5", "4/5"], beta).bound for beta in (1, 3, 10, 30, 100, 1000)]
    assert bounds == sorted(bounds, reverse=True)


def test_a_smaller_laplace_bound_is_refused(tmp_path: Path) -> None:
    from checker_kit import opened, sealed

    found = laplace_bound(circle_tokens(50), ["3/5", "4/5"], 10)
    path = tmp_path / "c.jsonl"
    found.certify(path)
    lines = opened(path.read_bytes())
    lines[-1]["bound"] = str(found.mean_distance[0] - F(1, 10**6))
    path.write_bytes(sealed(lines))
    assert proofs_check.check(str(path)).verdict == "rejected"


@pytest.mark.parametrize(
    ("tokens", "x", "beta", "words"),
    [
        ([[1, 1]], [1, 0], 1, r"unit sphere, exactly, got \|y\|\^2 = 2"),
        ([["0.6", "0.8"], ["1/2", 0]], [1, 0], 1, r"tokens\[1\]: .* got \|y\|\^2 = 1/4"),
        ([["0.6", "0.8"]], [0, 0], 1, "A x != 0"),
        ([["0.6", "0.8"]], [1, 0], "-1/2", "inverse temperature > 0"),
        ([["0.6", "0.8"]], [1, 0], 0, "inverse temperature > 0"),
        ([["0.6", "0.8"]], [1, 0, 0], 1, "2 coordinates"),
        ([["0.6", "0.8"]], ["sqrt(2)", 0], 1, "rational"),
        ([["sqrt(2)/2", "sqrt(2)/2"]], [1, 0], 1, "rational"),
    ],
)
def test_what_laplace_refuses(tokens: Any, x: Any, beta: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        laplace_bound(Tokens(tokens), x, beta)


# enclosures ---------------------------------------------------------------------------------------------------
def euler_orbit(system: System, points: Any, beta: int, step: Fraction, steps: int, bits: int) -> list[Any]:
    """The Euler orbit in balls of many bits, without any bound of derivatives."""
    with ctx.workprec(bits):
        V, B = ([[arb(x.numerator) / x.denominator for x in row] for row in rows] for rows in (system.V, system.B))
        h, d = arb(step.numerator) / step.denominator, system.dim
        X = [[arb(F(x).numerator) / F(x).denominator for x in row] for row in points]
        X = [[c / sum((y * y for y in row), arb(0)).sqrt() for c in row] for row in X]
        orbit = [X]
        for _ in range(steps):
            moved = []
            for x in X:
                u = [sum((B[i][k] * x[i] for i in range(d)), arb(0)) for k in range(d)]
                powers = [(beta * sum((a * b for a, b in zip(u, y, strict=True)), arb(0))).exp() for y in X]
                total = sum(powers, arb(0))
                m = [sum((w * y[k] for w, y in zip(powers, X, strict=True)), arb(0)) / total for k in range(d)]
                v = [sum((V[i][k] * m[k] for k in range(d)), arb(0)) for i in range(d)]
                inner = sum((a * b for a, b in zip(x, v, strict=True)), arb(0))
                z = [a + h * (b - inner * a) for a, b in zip(x, v, strict=True)]
                length = sum((c * c for c in z), arb(0)).sqrt()
                moved.append([c / length for c in z])
            X = moved
            orbit.append(X)
    return orbit


@pytest.mark.parametrize(
    ("name", "beta", "points"),
    [
        ("metastable", 20, [[3, 4], [-1, 2], [1, -1], [-5, -1], [0, -1], [2, 1], [7, -24]]),
        ("golden", 3, [[1, 0], [0, 1], [-1, 3]]),
        ("sphere", 10, [[1, 2, 2], [-1, 0, 3], [0, 1, 0], [2, -1, -1], [-1, -1, -1]]),
    ],
)
def test_enclosures_contain_the_orbit(name: str, beta: int, points: Any) -> None:
    system = sample_system(name)
    steps = 20
    found = enclose(system, points, beta=beta, step=F(1, 20), steps=steps)
    exact = euler_orbit(system, points, beta, F(1, 20), steps, 1024)
    assert len(found.tokens) == steps + 1
    for state, wanted in zip(found.tokens, exact, strict=True):
        for token, place in zip(state, wanted, strict=True):
            for ball, c in zip(token, place, strict=True):
                (low, high), (least, most) = ends(ball.arb), ends(c)
                assert low <= least
                assert most <= high
    for token in found.intervals(steps, 40):
        assert all(0 <= high - low <= F(3, 2**40) for low, high in token)


def test_enclosures_contain_orbits_that_start_nearby() -> None:
    """With a first radius of 2^-20 the balls contain the orbit of tokens turned by a little less."""
    system, points = sample_system("metastable"), [[3, 4], [-1, 2], [1, -1], [-5, -1]]
    found = enclose(system, points, beta=10, steps=30, bits=20)
    turn = F(1, 2**21)
    turned = [[x - turn * y, y + turn * x] for x, y in points]
    exact = euler_orbit(system, turned, 10, F(1, 20), 30, 1024)
    for token, place in zip(found.tokens[-1], exact[-1], strict=True):
        for ball, c in zip(token, place, strict=True):
            assert ends(ball.arb)[0] <= ends(c)[0]
            assert ends(c)[1] <= ends(ball.arb)[1]


def test_enclosures_contain_turned_orbits() -> None:
    """With V = B = I a rotation of all tokens rotates the orbit: each token alone would forget it, all together do not."""
    one = [[1, 0], [0, 1]]
    points = [[3, 4], [4, 3], [1, 0], [5, 12]]
    found = enclose(System.of(one, one), points, beta=5, steps=40, bits=20)
    turn = F(99, 100) / 2**20
    turned = [[x - turn * y, y + turn * x] for x, y in points]
    exact = euler_orbit(System.of(one, one), turned, 5, F(1, 20), 40, 1024)
    for token, place in zip(found.tokens[-1], exact[-1], strict=True):
        for ball, c in zip(token, place, strict=True):
            assert ends(ball.arb)[0] <= ends(c)[0]
            assert ends(c)[1] <= ends(ball.arb)[1]


def test_a_turn_of_the_circle_neither_widens_nor_narrows() -> None:
    """One token and V a quarter turn: every step is a rotation, and rho' = rho."""
    found = enclose(System.of([[0, -1], [1, 0]], [[1, 0], [0, 1]]), [[3, 4]], beta=2, step="1/2", steps=5, bits=40)
    assert all(found.radii[0] <= radius <= found.radii[0] * (1 + F(1, 2**9)) for radius in found.radii)


def test_rounding_is_part_of_the_radius(monkeypatch: pytest.MonkeyPatch) -> None:
    system, points = sample_system("metastable"), [[3, 4], [-1, 2], [2, 1]]
    exact = euler_orbit(system, points, 5, F(1, 20), 10, 1024)
    monkeypatch.setattr("exactformer.studies.mean_field.enclosure.GUARD", -100)  # 28 bits for radii of 2^-128
    found = enclose(system, points, beta=5, steps=10)
    for token, place in zip(found.tokens[-1], exact[-1], strict=True):
        assert all(ball.arb.contains(c.mid()) for ball, c in zip(token, place, strict=True))


def test_the_radius_grows_by_less_than_a_twentieth_a_step() -> None:
    found = enclose(sample_system("metastable"), circle_tokens(12).state, beta=20, steps=60)
    assert 1 < found.approx_growth < 1.05
    naive = euler_orbit(sample_system("metastable"), circle_tokens(12).state.rows(), 20, F(1, 20), 20, 128)
    widest = [max(float(c.rad()) for row in state for c in row) for state in naive[1:]]
    assert (widest[-1] / widest[0]) ** (1 / 19) > 2  # what balls alone do


def test_what_enclosures_refuse() -> None:
    system = sample_system("metastable")
    with pytest.raises(Undecided, match="use more"):
        enclose(system, circle_tokens(6).state, beta=2000, step=3, steps=50, bits=16)
    for changes, words in (
        ({"beta": 0}, "beta"),
        ({"step": "-1/2"}, "step"),
        ({"tokens": [[0, 0]]}, "zero vector"),
        ({"tokens": [[1, 0, 0]]}, "dimension 2"),
        ({"tokens": [["sqrt(2)", 0]]}, "rational"),
    ):
        given: dict[str, Any] = {"tokens": [[1, 2]], "beta": 1, **changes}
        with pytest.raises(InvalidInput, match=words):
            enclose(system, given.pop("tokens"), **given)


# counterexamples ----------------------------------------------------------------------------------------------
def test_late_mass_is_a_lower_bound_of_the_distance() -> None:
    """W2^2 = 2 - (4/pi) acos(a)/sqrt(1 - a^2) for the uniform law on the circle, a = e^(-gs)."""
    for a in np.linspace(0.001, 0.999, 200):
        square = 2 - 4 / math.pi * math.acos(a) / math.sqrt(1 - a * a)
        assert square >= float(facts.LATE_UNIFORM) * (a - a**3 / 3)
    assert float(facts.LATE) < 2 - math.sqrt(2)
    assert float(facts.LATE_UNIFORM) < (2 - math.sqrt(2)) * 2 / math.pi


def test_constants_of_any_size_are_refuted() -> None:
    for constant in (F(1, 1000), F(1), F(10**6)):
        for rate in (F(1, 1000), F(1), F(1000)):
            one = ((F(1), F(0)), (F(0), F(1)))
            instance = MeanField(((F(1), F(1, 3)), (F(1, 3), F(0))), one, (), constant, rate)
            early, late = (judge(f"meanfield-{name}", instance) for name in ("w2-rate-is-gap", "mass-near-kernel"))
            assert early.outcome == late.outcome == "false"
            a, s, gap = early.witness["decay"], late.witness["time"], late.witness["gap"]
            assert facts.LATE_UNIFORM * (1 - a * a / 3) > constant**2 * a
            mass = 2 * math.log(constant) + math.log(1 + gap * s) - 2 * float(rate * s)
            assert mass < math.log(facts.LATE)


def test_gaps_are_never_below_the_difference_of_the_eigenvalues() -> None:
    for a in range(5):
        for b in range(5):
            gap, square = facts.gap_above(((F(a, 3), F(b, 7)), (F(b, 7), F(0)))), F(a, 3) ** 2 + 4 * F(b, 7) ** 2
            assert gap > 0
            assert square <= gap**2 <= square + F(1, 100), (a, b)


def test_cones_are_kept_at_every_temperature() -> None:
    """Floats of the flow at several beta stay in the half-spaces of the witness."""
    instance = MeanField(
        ((F(1), F(0)), (F(0), F(1))), ((F(1), F(0)), (F(0), F(2))), ((F(10), F(1)), (F(10), F(-1)), (F(20), F(1)))
    )
    witness = judge("meanfield-cone-support", instance).witness
    normals = [np.array([float(x) for x in witness[key]]) for key in ("excludes", "excludes_opposite")]
    e = np.array([float(x) for x in witness["direction"]])
    assert normals[0] @ e < 0 < normals[1] @ e
    B = np.diag([1.0, 2.0])
    for beta in (1.0, 30.0, 1000.0):
        X = np.array([[float(x) for x in row] for row in instance.tokens])
        X /= np.linalg.norm(X, axis=1)[:, None]
        for _ in range(400):
            scores = beta * X @ B @ X.T
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            m = weights @ X / weights.sum(axis=1, keepdims=True)
            X = X + 0.05 * (m - (m * X).sum(axis=1, keepdims=True) * X)
            X /= np.linalg.norm(X, axis=1)[:, None]
            assert all((X @ h >= -1e-12).all() for h in normals)
        assert (np.abs(X @ e) / np.linalg.norm(e)).max() < 0.2


def test_every_conclusion_is_false_where_its_hypothesis_fails() -> None:
    one = ((F(1), F(0)), (F(0), F(1)))
    tall = ((F(2), F(0)), (F(0), F(1)))
    up, right, left = (F(0), F(1)), (F(1), F(0)), (F(-1), F(0))
    turning = facts.converges(MeanField(((F(0), F(-1)), (F(1), F(0))), one))
    assert (turning.outcome, turning.witness["trace"], turning.witness["determinant"]) == ("false", 0, 1)
    block = facts.converges_exponentially(MeanField(((F(1), F(1)), (F(0), F(1))), one))
    assert (block.outcome, block.witness["eigenvalue"]) == ("false", 1)
    kernel = facts.all_tend_to_limit_space(MeanField(tall, one, (right, up)))
    assert (kernel.outcome, kernel.witness) == ("false", {"token": 1})
    assert facts.all_tend_to_limit_space(MeanField(tall, one, (right,))).outcome == "true"
    mirrored = facts.ends_at_the_values(MeanField(tall, one, (right, up, left)))
    assert (mirrored.outcome, mirrored.witness) == ("false", {"reflection": [-1, 1], "token": 1})
    assert facts.ends_at_the_values(MeanField(tall, one, (right, up))).outcome == "true"


def test_judgements_of_instances_that_satisfy_all() -> None:
    line = MeanField(((F(2), F(0)), (F(0), F(1))), ((F(1), F(0)), (F(0), F(1))), ((F(1), F(1)),))
    for name in ("meanfield-limit", "meanfield-complex-pair", "meanfield-jordan-block", "meanfield-mass-on-kernel"):
        assert judge(name, line).outcome == "true", name
    assert judge("meanfield-symmetric-data", line).outcome == "true"
    assert judge("meanfield-cone-support", line).outcome == "outside"
    alone = MeanField(((F(1), F(0)), (F(0), F(1, 2))), ((F(1), F(0)), (F(0), F(1))), ((F(0), F(1)), (F(3), F(4))))
    assert judge("meanfield-symmetric-data", alone).outcome == "true"  # the second token has no mirror image
    both = MeanField(((F(1), F(0)), (F(0), F(1))), ((F(2), F(0)), (F(0), F(1))), ((F(1), F(1)), (F(1), F(-1))))
    assert judge("meanfield-cone-support", both).outcome == "undecided"


@pytest.mark.parametrize("dim", [3, 4, 5, 7])
def test_irrational_pairs_are_certified(dim: int, tmp_path: Path) -> None:
    """Random systems whose leading eigenvalues are a pair of any degree, near the real axis now and then."""
    certified = 0
    for seed in range(12):
        system = sample_system("random", dim=dim, seed=seed)
        found = judge("meanfield-complex-pair", MeanField(system.V, system.B))
        assert found.outcome in ("true", "false")
        if found.outcome == "false":
            found.certify(tmp_path / "c.jsonl")
            assert proofs_check.check(str(tmp_path / "c.jsonl")).verdict == "accepted"
            certified += 1
    assert certified or dim == 4


def test_a_pair_next_to_the_real_axis_is_certified(tmp_path: Path) -> None:
    """(x^2 - 2x + 1 + 10^-4)(x + 3) + 10^-9: the pair is near 1 +- i/100, and irrational."""
    small = F(1, 10**4)
    c0, c1, c2 = 3 * (1 + small) + F(1, 10**9), 1 + small - 6, F(1)
    one = tuple(tuple(F(int(i == j)) for j in range(3)) for i in range(3))
    found = judge("meanfield-complex-pair", MeanField(((F(0), F(0), -c0), (F(1), F(0), -c1), (F(0), F(1), -c2)), one))
    assert found.outcome == "false"
    assert found.witness["approx_imaginary"] == pytest.approx(0.01, rel=0.01)
    found.certify(tmp_path / "c.jsonl")
    assert proofs_check.check(str(tmp_path / "c.jsonl")).verdict == "accepted"


def test_irrational_failures_are_undecided_not_wrong() -> None:
    """Two leading pairs of one factor, and a defective golden ratio: they fail, but have no rational witness."""
    one = tuple(tuple(F(int(i == j)) for j in range(4)) for i in range(4))
    pair = tuple(tuple(map(F, row)) for row in [[0, 0, 0, -5], [1, 0, 0, 0], [0, 1, 0, -5], [0, 0, 1, 0]])
    golden = tuple(tuple(map(F, row)) for row in [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 0]])
    assert judge("meanfield-complex-pair", MeanField(pair, one)).outcome == "undecided"
    assert judge("meanfield-jordan-block", MeanField(golden, one)).outcome == "undecided"


def test_generators_draw_every_kind() -> None:
    rng = Random(3)
    kinds = {facts.spectrum(random_instances.with_spectrum(rng)).kind for _ in range(60)}
    assert kinds == {"real-semisimple", "real-defective", "complex"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"V": [[1, 0]]}, "d-by-d"),
        ({"V": [[1, 0], [0, 1]], "tokens": [[0, 0]]}, "zero vector"),
        ({"V": [[1, 0], [0, 1]], "constant": -1}, "> 0"),
        ({"V": [[1, 0], [0, 1]], "W": 1}, "W"),
        ({"V": "x"}, "rows"),
        ({"B": [[1]]}, "no V"),
    ],
)
def test_instances_that_are_none(content: dict[str, Any], words: str) -> None:
    from exactformer.instances.kinds import read_instance

    with pytest.raises(InvalidInput, match=words):
        read_instance({"exactformer": "mean-field", **content})


def test_a_reflection_of_a_part_of_the_eigenspace_keeps_no_token_away() -> None:
    """V = diag(2, 2, 1): the reflection along e_1 fixes a token that still has a part along e_2."""
    V = tuple(tuple(Fraction((2, 2, 1)[i] if i == j else 0) for j in range(3)) for i in range(3))
    one = tuple(tuple(Fraction(int(i == j)) for j in range(3)) for i in range(3))
    tokens = tuple(tuple(map(Fraction, row)) for row in ((1, 1, 1), (-1, 1, 1), (0, 1, 1)))
    assert facts.ends_at_the_values(MeanField(V, one, tokens)).outcome == "true"
    symmetric = tuple(tuple(map(Fraction, row)) for row in ((1, 1, 1), (-1, -1, 1), (0, 0, 1)))
    found = facts.ends_at_the_values(MeanField(V, one, symmetric))
    assert (found.outcome, found.witness["token"]) == ("false", 2)


def test_laplace_bounds_are_of_the_scores_of_A_not_of_its_transpose() -> None:
    A, x, beta = [[1, 3], [0, 2]], [F(1), F(-2)], F(3)
    tokens = circle_tokens(9).state.rows()
    found = laplace_bound(Tokens(tokens, A), x, beta)
    w = [x[0] + 3 * x[1], 2 * x[1]]
    low, high = found.error
    assert float(low) - 1e-12 <= softmax_error(tokens, w, 3.0) <= float(high) + 1e-12
    scores = np.array([[float(a) for a in row] for row in tokens]) @ np.array([float(a) for a in w])
    weights = np.exp(3 * (scores - scores.max()))
    mean = float(weights @ np.sqrt(2 - 2 * scores / np.hypot(*map(float, w))) / weights.sum())
    assert [float(end) for end in found.mean_distance] == pytest.approx([mean, mean])
    shown = found.json()
    assert shown["beta"] == [3, None]
    assert (
        0 <= shown["bound"][0] <= found.mean_distance[0] <= found.mean_distance[1] <= shown["bound"][1] == found.bound
    )


def test_a_laplace_bound_of_nothing_is_shown_from_zero_on() -> None:
    """One token in the direction of A x: every distance is 0."""
    shown = laplace_bound(Tokens([[F(3, 5), F(4, 5)]]), [3, 4], 2).json()["bound"]
    assert shown[0] == 0 < shown[1] < F(1, 10**14)


def certificate_of(name: str, instance: MeanField, path: Path) -> list[dict[str, Any]]:
    found = judge(name, instance)
    assert found.outcome == "false"
    found.certify(path)
    assert proofs_check.check(str(path)).verdict == "accepted"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_certificates_of_laws_on_the_circle_are_about_the_constants_given(tmp_path: Path) -> None:
    one = ((F(1), F(0)), (F(0), F(1)))
    instance = MeanField(((F(3), F(1)), (F(1), F(1))), one, (), F(7, 2), F(1, 3))
    near = certificate_of("meanfield-mass-near-kernel", instance, tmp_path / "near.jsonl")
    assert any((line.get("constant"), line.get("rate")) == ("7/2", "1/3") for line in near)
    assert any(line.get("V") == [["3", "1"], ["1", "1"]] for line in near)
    gap = certificate_of("meanfield-w2-rate-is-gap", instance, tmp_path / "gap.jsonl")
    assert any(line.get("constant") == "7/2" and "rate" not in line for line in gap)


def test_a_time_is_late_by_its_definition() -> None:
    """C^2 (1 + gs) e^(-2cs) < 29/50 at the first power of two told, and not at the one before it."""
    one = ((F(1), F(0)), (F(0), F(1)))
    for constant, rate in ((F(7, 2), F(1, 3)), (F(1), F(1)), (F(200), F(1, 50))):
        found = facts.exponential_near_the_kernel(MeanField(((F(3), F(1)), (F(1), F(1))), one, (), constant, rate))
        s, gap = found.witness["time"], found.witness["gap"]
        assert 8 <= gap**2 <= 8.1

        def late(s: Fraction, C: Fraction = constant, c: Fraction = rate, g: Fraction = gap) -> bool:
            return float(C) ** 2 * (1 + float(g * s)) * math.exp(-2 * float(c * s)) < 0.58

        assert late(s)
        assert s == F(1, 256) or not late(s / 2)


def test_intervals_are_rounded_outwards() -> None:
    orbit = enclose(sample_system("metastable"), [[3, 4], [-1, 2], [5, -2]], beta=4, steps=2)
    for step in (0, 2):
        for bits in (3, 20):
            for token, row in zip(orbit.tokens[step], orbit.intervals(step, bits), strict=True):
                for ball, (low, high) in zip(token, row, strict=True):
                    inner = ends(ball.arb)
                    assert low <= inner[0] <= inner[1] <= high <= inner[1] + F(1, 2**bits)
                    assert inner[0] - F(1, 2**bits) <= low
                    assert (low * 2**bits).denominator == (high * 2**bits).denominator == 1


@pytest.mark.parametrize("gap", [F(1, 10), F(1), F(30)])
def test_tokens_are_near_their_limit_whatever_the_gap(gap: Fraction) -> None:
    one = ((F(1), F(0)), (F(0), F(1)))
    tokens = ((F(3), F(4)), (F(-1), F(200)), (F(5), F(0)))
    assert judge("meanfield-limit", MeanField(((F(2), gap / 5), (F(0), F(2) - gap)), one, tokens)).outcome == "true"
