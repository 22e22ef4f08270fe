"""Tests of `exactformer.instances.enumeration`."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import pytest

from exactformer.instances.enumeration import STEPS, Enumeration, box_points, image, matrices, multiset, symmetries
from exactformer.instances.tokens import exact_parts

F = Fraction


def as_matrix(order: Any, signs: Any) -> list[list[int]]:
    """The matrix g with (g p)_i = signs_i p_(order_i)."""
    return [[signs[i] * (order[i] == j) for j in range(len(order))] for i in range(len(order))]


def times(A: Any, B: Any) -> list[list[int]]:
    return [[sum(A[i][k] * B[k][j] for k in range(len(B))) for j in range(len(B[0]))] for i in range(len(A))]


@pytest.mark.parametrize("d", [1, 2])
def test_symmetries_are_the_signed_permutations_that_commute_with_the_matrix(d: int) -> None:
    every = [(order, signs) for order in permutations(range(d)) for signs in product((1, -1), repeat=d)]
    for A in matrices(d):
        wanted = [
            g
            for g in every
            if times(times(as_matrix(*g), A), list(zip(*as_matrix(*g), strict=True))) == list(map(list, A))
        ]
        assert symmetries(A) == wanted


def test_symmetries_of_a_diagonal_matrix_do_not_swap_and_those_of_a_triangular_one_keep_or_turn_all() -> None:
    identity, turn = ((0, 1), (1, 1)), ((0, 1), (-1, -1))
    assert symmetries(((1, 1), (0, 1))) == [identity, turn]
    assert symmetries(((1, 0), (0, -1))) == [((0, 1), signs) for signs in product((1, -1), repeat=2)]
    assert len(symmetries(((1, 0), (0, 1)))) == 8
    assert symmetries(((0, 1), (-1, 0))) == [identity, turn, ((1, 0), (1, -1)), ((1, 0), (-1, 1))]
    assert symmetries(((-1,),)) == [((0,), (1,)), ((0,), (-1,))]


def test_an_image_takes_the_coordinates_in_order_and_gives_them_signs() -> None:
    assert image(((1, 0), (1, -1)), (2, 5)) == (5, -2)
    assert image(((2, 0, 1), (-1, 1, 1)), (7, 8, 9)) == (-9, 7, 8)


def test_grids_and_matrices_are_all_of_them_in_order() -> None:
    assert box_points(1, 2) == [(-2,), (-1,), (0,), (1,), (2,)]
    assert box_points(2, 1) == sorted(product((-1, 0, 1), repeat=2))
    assert matrices(1) == [((1,),), ((0,),), ((-1,),)]
    assert (len(matrices(2)), len(set(matrices(2))), matrices(2)[1]) == (81, 81, ((1, 1), (1, 0)))
    assert (1, F(1, 2)) == STEPS


def test_of_every_class_one_member_is_kept_and_the_least() -> None:
    """Up to two tokens on a line and in the plane, by the images of all of them."""
    space = Enumeration(bound=1, most=2)
    kept = defaultdict(set)
    for rank in range(space.ranks):
        z = space.instance(rank)
        if z is not None:
            rows, A, alpha = exact_parts(z)
            kept[A, alpha, len(rows)].add(rows)
    for d, n, alpha in product((1, 2), (1, 2), STEPS):
        for A in matrices(d)[:: 1 if d == 1 else 7]:
            wanted = set()
            for chosen in combinations_with_replacement(box_points(d, 1), n):
                images = {tuple(sorted(image(g, p) for p in chosen)) for g in symmetries(A)}
                wanted.add(min(images))
            assert kept[A, alpha, n] == wanted


def test_ranks_run_through_tokens_then_dimensions_then_multisets_then_matrices_then_steps() -> None:
    space = Enumeration(bound=1, most=3)
    points = {1: 3, 2: 9}
    sizes = [
        len(list(combinations_with_replacement(range(points[d]), n))) * 3 ** (d * d) * 2
        for n in (1, 2, 3)
        for d in (1, 2)
    ]
    assert space.ranks == sum(sizes) == sum(size for *_, size in space._parts())
    first = [exact_parts(z) for z in map(space.instance, range(6)) if z is not None]
    assert first == [((((F(-1),),)), ((F(a),),), alpha) for a in (1, 0, -1) for alpha in STEPS]
    starts = [sum(sizes[:k]) for k in range(6)]
    shapes = [(len(z), z.dim) for z in map(space.instance, starts) if z is not None]
    assert shapes == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]
    with pytest.raises(IndexError):
        space.instance(space.ranks)
    assert multiset(5, 2) == [2, 2]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_multisets_are_enumerated_once(n: int) -> None:
    count = math.comb(5 + n - 1, n)
    assert sorted(tuple(multiset(rank, n)) for rank in range(count)) == sorted(
        combinations_with_replacement(range(5), n)
    )
