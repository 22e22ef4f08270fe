"""Tests of `exactformer.instances.token_families`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.rational import identity
from exactformer.conjectures.catalogue.conditions import definiteness
from exactformer.dynamics.orbit import simulate
from exactformer.errors import InvalidInput
from exactformer.geometry.linear_algebra import rank
from exactformer.geometry.points import dot
from exactformer.instances import token_families as tokens_families
from exactformer.instances.token_families import FAMILIES, SMALLEST, sample
from exactformer.model.tokens import Tokens

F = Fraction


# ---------------------------------------------------------------- families


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_reproducible_and_of_the_shape_asked_for(name: str) -> None:
    least, dimension = SMALLEST.get(name, (1, 1))
    for n, d in ((least, dimension), (least + 5, dimension + 2)):
        tokens = sample(name, n, d, 11)
        assert (len(tokens), tokens.dim) == (n, d)
        assert tokens == sample(name, n, d, np.random.default_rng(11))
    with pytest.raises(InvalidInput):
        sample(name, 0, dimension, 0)


def test_emerging_leaders_emerge() -> None:
    for seed in range(10):
        assert max(simulate(sample("emerging-leader", 6, 3, seed), layers=60).leads_from.values()) > 0


def test_duplicated_tokens_are_duplicated() -> None:
    assert any(len(c) > 1 for c in simulate(sample("duplicated", 8, 2, 0), layers=0).equal_tokens(0))


def test_an_unknown_family_is_named() -> None:
    with pytest.raises(InvalidInput, match="integer-grid"):
        sample("nonsense", 3, 2, 0)


@pytest.mark.parametrize("name", SMALLEST)
def test_families_refuse_what_is_below_their_least_size(name: str) -> None:
    n, d = SMALLEST[name]
    assert sample(name, n, d).state.array.shape == (n, d)
    for size, dim in ((n - 1, d), (n, d - 1)):
        with pytest.raises(InvalidInput, match=f"{name}: expected n >= {n} and d >= {d}, got n = {size} and d = {dim}"):
            sample(name, size, dim)


STEPS = {F(1), F(1, 2), F(1, 3), F(2), F(3, 4)}


def dyadic(rows: Any) -> bool:
    return all(x.denominator & (x.denominator - 1) == 0 for row in rows for x in row)


def mirrored(row: Any) -> tuple[Fraction, ...]:
    return (-row[0], *row[1:])


def of_polygon(z: Tokens, rows: list[Any]) -> None:
    lengths = [dot(row, row) for row in rows]
    assert lengths.count(1) >= (2 * len(rows) + 2) // 3
    assert max(lengths) == 1
    assert rank(rows) <= 2


def of_rotated_grid(z: Tokens, rows: list[Any]) -> None:
    assert all((4 * dot(x, y)).denominator == 1 for x in rows for y in rows)


def of_axes(z: Tokens, rows: list[Any]) -> None:
    d = z.dim
    assert rows[: 2 * d] == [tuple(F(s * (i == k)) for k in range(d)) for s in (1, -1) for i in range(d)]
    assert all(len({abs(x) for x in row if x}) == 1 and max(map(abs, row)) <= 1 for row in rows)


def of_faces(z: Tokens, rows: list[Any]) -> None:
    corners = rows[: max(2, len(rows) // 2)]
    assert all({abs(x) for x in row} == {1} or sorted(map(abs, row)) == [0] * (z.dim - 1) + [2] for row in corners)
    assert all(max(map(abs, row)) <= 2 for row in rows)
    assert z.alpha in {F(1, 10), F(1, 5), F(1, 4), F(1, 2), F(1)}


def of_mirror(z: Tokens, rows: list[Any]) -> None:
    assert {mirrored(row) for row in rows} == set(rows)
    assert F(1, 30) <= z.alpha <= F(1, 8)


def of_metric(z: Tokens, rows: list[Any]) -> None:
    assert definiteness(z.A) == 1
    assert all(7 % x.denominator == 0 and abs(x) <= F(40, 7) for row in rows for x in row)


OF_TOKENS: dict[str, Callable[[Tokens, list[Any]], Any]] = {
    "generic": lambda z, rows: dyadic(rows) and max(x.denominator for row in rows for x in row) > 2**30,
    "generic-metric": of_metric,
    "integer-grid": lambda z, rows: {x for row in rows for x in row} <= set(map(F, range(-3, 4))),
    "ternary": lambda z, rows: {x for row in rows for x in row} <= {F(-1), F(0), F(1)},
    "rational-polygon": of_polygon,
    "rotated-grid": of_rotated_grid,
    "axis-ties": of_axes,
    "symmetric-faces": of_faces,
    "emerging-leader": lambda z, rows: max(simulate(z, layers=60).leads_from.values()) > 0,
    "metastable-ties": of_mirror,
    "duplicated": lambda z, rows: len(set(rows)) <= len(rows) // 2,
}


# ---------------------------------------------------------------- tokens, for the dynamics


@pytest.mark.parametrize("name", tokens_families.FAMILIES)
def test_a_family_of_tokens_is_what_it_says(name: str) -> None:
    drawn = [tokens_families.sample(name, 9, 3, seed) for seed in range(12)]
    for z in drawn:
        assert OF_TOKENS[name](z, z.state.rows()) is not False
    assert len({z.alpha for z in drawn}) > 1
    if name not in ("symmetric-faces", "emerging-leader", "metastable-ties"):
        assert {z.alpha for z in drawn} <= STEPS
    assert any(identity(3) != z.A for z in drawn) == (name == "generic-metric")


def test_families_show_their_character_in_most_instances() -> None:
    inside = [tokens_families.sample("metastable-ties", 9, 3, seed).state.rows() for seed in range(6)]
    assert all(any(row[0] == 0 for row in rows) and any(row[0] for row in rows) for rows in inside)
    turned = [tokens_families.sample("rotated-grid", 9, 3, seed).state.denominator for seed in range(6)]
    assert sum(denominator > 2 for denominator in turned) >= 5
    faces = [tokens_families.sample("symmetric-faces", 9, 3, seed) for seed in range(20)]
    assert {F(1, 10), F(1, 5)} & {z.alpha for z in faces}
    assert any(len(C) > 2 for z in faces for C in simulate(z, layers=0).follows(0))


# ---------------------------------------------------------------- generators, for conjectures


def test_samples_are_drawn_from_a_generator_that_is_given() -> None:
    rng = np.random.default_rng(0)
    first, second = (tokens_families.sample("integer-grid", 6, 3, rng) for _ in range(2))
    assert first != second
    assert first == tokens_families.sample("integer-grid", 6, 3, 0)
