"""Orbits, follower sets and leaders agree with the definition, evaluated in Fractions, on every family."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from exactformer.dynamics.orbit import simulate
from exactformer.instances.token_families import FAMILIES, SMALLEST, sample
from exactformer.model.tokens import Tokens


def defined_sets(A: Any, rows: list[Any]) -> list[tuple[int, ...]]:
    """C_i = argmax_j <A z_i, z_j>, term by term."""
    sets = []
    for z in rows:
        image = [sum((a * x for a, x in zip(row, z, strict=True)), start=Fraction(0)) for row in A]
        scores = [sum((x * y for x, y in zip(image, other, strict=True)), start=Fraction(0)) for other in rows]
        top = max(scores)
        sets.append(tuple(j for j, score in enumerate(scores) if score == top))
    return sets


def defined_step(rows: list[Any], sets: list[tuple[int, ...]], alpha: Fraction) -> list[Any]:
    """z_i + alpha/(1+alpha) * mean over C_i of (z_j - z_i), the mean over indices."""
    share = alpha / (1 + alpha)
    moved = []
    for z, members in zip(rows, sets, strict=True):
        means = [sum((rows[j][c] for j in members), start=Fraction(0)) / len(members) for c in range(len(z))]
        moved.append(tuple(x + share * (m - x) for x, m in zip(z, means, strict=True)))
    return moved


def verify(tokens: Tokens, layers: int, *, unchecked: bool = False) -> None:
    """Compares every layer of an orbit with the definition."""
    orbit = simulate(tokens, layers=layers, unchecked=unchecked)
    rows, leaders = tokens.state.rows(), set()
    for k in range(layers + 1):
        sets = defined_sets(tokens.A, rows)
        leaders |= {i for i, members in enumerate(sets) if members == (i,)}
        assert orbit.follows(k) == sets, (k, tokens.json())
        assert orbit.tokens(k).rows() == rows, (k, tokens.json())
        assert orbit.leaders_at(k) == tuple(sorted(leaders)), (k, tokens.json())
        rows = defined_step(rows, sets, tokens.alpha)
    assert orbit.final.rows() == orbit.tokens(layers).rows()


def shapes(name: str, seed: int) -> tuple[int, int]:
    rng = np.random.default_rng([seed, 7])
    least, dimension = SMALLEST.get(name, (1, 1))
    return int(rng.integers(max(least, 2), 10)), int(rng.integers(dimension, dimension + 3))


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_follows_the_definition(name: str) -> None:
    for seed in range(25):
        n, d = shapes(name, seed)
        verify(sample(name, n, d, seed), layers=5)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_follows_the_definition_at_length(name: str) -> None:
    for seed in range(1000, 1400):
        n, d = shapes(name, seed)
        verify(sample(name, n, d, seed), layers=15)


def test_crowded_grids_in_which_locked_tokens_tie_with_moving_ones() -> None:
    for seed in range(10):
        rng = np.random.default_rng([seed, 3])
        rows = rng.integers(-1, 2, (int(rng.integers(12, 26)), int(rng.integers(2, 5))))
        verify(Tokens(rows, alpha=["1", "1/2", "2/3"][seed % 3]), layers=7)


def on_borders(rng: random.Random, scale: int) -> list[list[Fraction]]:
    """Far tokens, some of equal norms, some twice, and near ones that score the same against two of the far ones."""
    circle = [[x * scale, y * scale] for x, y in [(7, 1), (5, 5), (1, 7), (-5, 5), (7, -1), (5, -5)]]
    far = [rng.choice(circle) if k < 2 else [rng.randint(-9, 9) * scale, rng.randint(-9, 9) * scale] for k in range(4)]
    far += rng.choices(far, k=rng.randint(0, 2))
    near = []
    for p, q in combinations(far, 2):
        length = Fraction(rng.choice([1, 2]), rng.choice([40, 300]) * scale)
        side = 1 if p[0] * (p[1] - q[1]) + p[1] * (q[0] - p[0]) >= 0 else -1
        near.append([side * length * (p[1] - q[1]), side * length * (q[0] - p[0])])
    return [*([Fraction(x) for x in row] for row in far), *near]


@pytest.mark.parametrize("scale", [1, 10**9])
def test_tokens_on_the_borders_between_leaders(scale: int) -> None:
    """A tie stays only where the mean of the tied tokens has them as its own; scores are exact in float64, or not."""
    rng = random.Random(5)
    for k in range(40):
        verify(Tokens(on_borders(rng, scale), alpha=["1", "1/2", "3"][k % 3]), layers=4)


def test_any_square_matrix_unchecked() -> None:
    rng = random.Random(1)
    for _ in range(150):
        n, d = rng.randint(1, 7), rng.randint(1, 3)
        A = [[rng.randint(-2, 2) for _ in range(d)] for _ in range(d)]
        rows = [[Fraction(rng.randint(-4, 4), rng.choice([1, 2, 3])) for _ in range(d)] for _ in range(n)]
        verify(Tokens(rows, A, rng.choice(["1", "1/2", "3"])), layers=5, unchecked=True)


@pytest.mark.parametrize("power", [12, 30, 200, 400, -40, -350])
def test_numbers_far_outside_float64_and_near_ties(power: int) -> None:
    rng, scale = random.Random(2), Fraction(10) ** power
    for _ in range(12):
        n, d = rng.randint(3, 7), rng.randint(1, 3)
        rows = [
            [rng.randint(-2, 2) * scale + rng.choice([0, 0, 1, -1]) * scale / 10**31 for _ in range(d)]
            for _ in range(n)
        ]
        verify(Tokens([[Fraction(x) for x in row] for row in rows], alpha="1/2"), layers=4)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_scores_that_differ_by_one_around_two_to_the_53(d: int) -> None:
    """Below 2^53 all integers are floats, above it every other one."""
    for power in range(50, 58):
        m = math.isqrt(2**power // d)
        rows = [[m + (k == i) for k in range(d)] for i in range(d)] + [[m] * d, [m + 1] * d]
        verify(Tokens(rows[:-1]), layers=2)
        verify(Tokens(rows), layers=2)


def test_near_ties_of_scores_around_two_to_the_63() -> None:
    """Products of coordinates fit into 64 bits, and their sums do not."""
    near = [(1753413055, 1753413056, 1753413057), (1505827714, 2000998398, 1753413057)]
    verify(Tokens([*near, (1505827712, 2000998400, 1753413057)]), layers=2)
    rng = random.Random(7)
    for d in (3, 5):
        start = [rng.randint(1_700_000_000, 1_800_000_000) for _ in range(d)]
        rows = [start]
        for _ in range(5):  # a step across the first token changes its score by little
            i, j = rng.sample(range(d), 2)
            step = rng.randint(-(10**8), 10**8)
            rows.append([x + step * (k == i) - (step * start[i] // start[j]) * (k == j) for k, x in enumerate(start)])
        verify(Tokens(rows), layers=2)


def test_tokens_of_very_different_lengths() -> None:
    rows = [[Fraction(10**k), Fraction(3, 10**k)] for k in range(0, 90, 10)] + [[Fraction(1, 10**60), Fraction(0)]]
    verify(Tokens(rows), layers=6)


def test_matrices_far_outside_float64() -> None:
    verify(Tokens([[1, 2], [2, 1], [-1, 1], [0, 1]], A=[[10**400, 1], [1, 10**399]]), layers=5)
    verify(Tokens([[1, 2], [2, 1], [-1, 1], [0, 1]], A=[[Fraction(1, 10**400), 0], [0, 1]]), layers=5)


def test_larger_instances_with_many_blocks_of_rows() -> None:
    for seed, (n, d) in enumerate([(300, 2), (300, 4), (520, 3)]):
        rows = np.random.default_rng(seed).integers(-9, 10, (n, d))
        orbit = simulate(Tokens(rows), layers=2)
        for k in range(2):
            state = orbit.tokens(k).numerators
            scores = state @ state.T
            sets = [tuple(np.flatnonzero(row == row.max()).tolist()) for row in scores]
            assert orbit.follows(k) == sets, (seed, k)


def test_algebraic_tokens_follow_the_definition() -> None:
    pentagon = [[f"cos({2 * k}*pi/5)", f"sin({2 * k}*pi/5)"] for k in range(5)]
    verify(Tokens([*pentagon, ["(1+cos(2*pi/5))/4", "sin(2*pi/5)/4"], ["1/10", "1/7"]], alpha="1/2"), layers=4)
    hexagon = [[f"cos(pi/12+{k}*pi/3)", f"sin(pi/12+{k}*pi/3)"] for k in range(6)]
    midpoint = ["(cos(pi/12)+cos(pi/12+pi/3))/4", "(sin(pi/12)+sin(pi/12+pi/3))/4"]
    verify(Tokens([*hexagon, midpoint, ["1/4", "1/8"]]), layers=3)


def test_algebraic_matrix_follows_the_definition() -> None:
    A = [["sqrt(3)", "1"], ["1", "sqrt(2)"]]
    verify(Tokens([[1, 0], [0, 1], ["1/2", "1/3"], [-1, "sqrt(2)"]], A=A), layers=3)
    verify(Tokens([[1, 0], [0, 1], ["1/2", "1/3"], [-1, 1]], A=[["sqrt(3)", 1], [1, "sqrt(3)"]]), layers=4)


def test_a_long_orbit_from_closed_forms_is_the_orbit_layer_by_layer() -> None:
    tokens = sample("integer-grid", 8, 2, 3)
    orbit, rows = simulate(tokens, layers=60), tokens.state.rows()
    for _ in range(60):
        rows = defined_step(rows, defined_sets(tokens.A, rows), tokens.alpha)
    assert orbit.final.rows() == rows
