"""Tests of `exactformer.studies.mean_field.random_instances`."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from exactformer.conjectures.given_instance import judge
from exactformer.geometry.points import dot
from exactformer.studies.mean_field import counterexamples as facts
from exactformer.studies.mean_field import random_instances
from exactformer.studies.mean_field.spectrum import Dominant, dominant

F = Fraction


def rows(*given: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(F, row)) for row in given)


ONE = rows((1, 0), (0, 1))


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
        M, S, dim = random_instances.matrix_led_by(rng, kind)
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


def test_tokens_with_a_kernel_are_sums_of_some_columns() -> None:
    for seed in range(12):
        rng = Random(seed)
        M, S, dim = random_instances.matrix_led_by(rng, rng.choice(("line", "plane")))
        wanted = []
        for _ in range(rng.randint(1, 4)):
            chosen = rng.sample(range(dim), rng.randint(1, dim))
            wanted.append(tuple(dot(row, [F(int(j in chosen)) for j in range(dim)]) for row in S))
        found = random_instances.with_kernel(Random(seed))
        assert found.tokens == tuple(wanted)
        assert facts.value_matrix(found) == M


def test_random_instances_have_the_matrix_they_were_made_of() -> None:
    for seed in range(12):
        M, _, dim = random_instances.matrix_led_by(Random(seed), "line")
        found = random_instances.cones(Random(seed))
        assert facts.value_matrix(found) == M
        assert tuple(tuple(found.V[0][0] * (i == j) for j in range(dim)) for i in range(dim)) == found.V
        rng = Random(seed)
        M, _, _ = random_instances.matrix_led_by(rng, rng.choice(random_instances.KINDS))
        assert facts.value_matrix(random_instances.with_spectrum(Random(seed))) == M
