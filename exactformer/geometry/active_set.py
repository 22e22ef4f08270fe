"""Wolfe's method for the nearest point of a polytope, in exact arithmetic, where it ends with the true answer.

A *corral* is an affinely independent set whose nearest point (over its affine hull) has only positive weights.
Each step adds the point that contradicts optimality most and restores a corral; the norm falls strictly,
and a corral determines its nearest point, so that no corral returns and the method ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.geometry.linear_algebra import echelon, positive_solution
from exactformer.geometry.points import Element, Weights, column, exact_arrays, quotient


@exact_arrays
def nearest_point(points: Array, A: Array, start: Sequence[int] = ()) -> Weights:
    """The weights of the point x of conv(points) of least norm <A x, x>, for A symmetric positive definite.

    `start` are the indices of a guessed support; any guess is allowed, a right one ends at once.

    >>> nearest_point(np.array([[1, 2], [2, -1], [9, 9]], dtype=object), np.eye(2, dtype=int).astype(object))
    ((0, Fraction(1, 2)), (1, Fraction(1, 2)))
    """
    images = points @ A
    corral = affinely_independent(points, start) or [smallest(points, images)]
    weights: list[Element] = [Fraction(1, len(corral))] * len(corral)
    while True:
        corral, weights = _restored(points, images, corral, weights)
        entering = violated(points, images, corral, weights)
        if entering is None:
            return tuple(sorted(zip(corral, weights, strict=True)))
        corral, weights = [*corral, entering], [*weights, Fraction(0)]


def affinely_independent(points: Array, indices: Sequence[int]) -> list[int]:
    """The indices, without those whose points lie in the affine hull of earlier ones."""
    if not indices:
        return []
    ones = column([1] * len(indices)).reshape(1, -1)
    return [indices[k] for k in echelon(np.vstack([ones, points[list(indices)].T]))[2]]


def smallest(points: Array, images: Array) -> int:
    """The index of a point of least norm <A p, p>."""
    norms = (points * images).sum(axis=1)
    return min(range(len(points)), key=lambda j: norms[j])


def violated(points: Array, images: Array, corral: Sequence[int], weights: Sequence[Element]) -> int | None:
    """The point p with the least <A x, p> below <A x, x>, for x = sum_i w_i p_i; None if x is nearest."""
    integers, q = _over_common_denominator(weights)
    x = column(integers) @ points[list(corral)]
    values = images @ x
    least = min(range(len(values)), key=lambda j: values[j])
    norm = sum((w * values[j] for j, w in zip(corral, integers, strict=True)), start=0)
    return int(least) if values[least] * q < norm else None


def _over_common_denominator(weights: Sequence[Element]) -> tuple[list[Element], int]:
    """Integers over one denominator where all weights are rational."""
    if not all(isinstance(w, Fraction) for w in weights):
        return list(weights), 1
    q = math.lcm(*(w.denominator for w in weights))
    return [w.numerator * (q // w.denominator) for w in weights], q


def _restored(
    points: Array, images: Array, corral: list[int], weights: list[Element]
) -> tuple[list[int], list[Element]]:
    """The corral reached by walking to the nearest point of the affine hull, dropping points at each wall met."""
    while True:
        target = _affine_weights(points, images, corral)
        walls = [i for i, y in enumerate(target) if y <= 0]
        if not walls:
            return corral, target
        step = min(quotient(weights[i], weights[i] - target[i]) if weights[i] != 0 else Fraction(0) for i in walls)
        moved = [w + step * (y - w) for w, y in zip(weights, target, strict=True)]
        kept = [i for i, w in enumerate(moved) if w != 0]
        corral, weights = [corral[i] for i in kept], [moved[i] for i in kept]


def _affine_weights(points: Array, images: Array, corral: Sequence[int]) -> list[Element]:
    """The weights, of sum 1 and any sign, of the nearest point of the affine hull of a corral.

    (G + s 11') u = 1 for the Gram matrix G: nonsingular for affinely independent points, and u is
    proportional to the weights; s only balances the sizes.
    """
    chosen = list(corral)
    G = images[chosen] @ points[chosen].T
    trace = sum(G[i, i] for i in range(len(chosen)))
    u = positive_solution(G + (trace if trace != 0 else 1), column([1] * len(chosen)))
    total = sum(u, start=0)
    return [quotient(v, total) for v in u]
