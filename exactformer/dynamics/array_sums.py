"""Sums and products over the tokens of many instances, the instance being the last axis."""

from __future__ import annotations

import numpy as np

from exactformer.arithmetic.integers import Array


def diagonals(square: Array) -> Array:
    """The entries [i, i] of every instance."""
    return np.asarray(np.einsum("iik->ik", square))


def image_points(matrix: Array, points: Array) -> Array:
    """A z_i, coordinate by coordinate."""
    d = len(points)
    return np.stack([sum(matrix[k, l] * points[l] for l in range(d)) for k in range(d)])


def score_products(left: Array, right: Array) -> Array:
    """<x_i, y_j> for all i, j."""
    total = left[0][:, None] * right[0][None]
    for x, y in zip(left[1:], right[1:], strict=True):
        total += x[:, None] * y[None]
    return np.asarray(total)


def followed_places(sets: Array) -> Array:
    """The places, in a flat array, of the token that each follows; of no meaning where a set has several members."""
    n, m = sets.shape[1:]
    which = (sets.view(np.uint8) * np.arange(n, dtype=np.uint8)[:, None]).sum(axis=1, dtype=np.uint8)
    return np.asarray(which.astype(np.intp) * m + np.arange(m))


def at(points: Array, places: Array) -> Array:
    """The points at flat places, coordinate by coordinate."""
    return np.take(points.reshape(len(points), -1), places, axis=1, mode="clip")


def follower_sums(sets: Array, points: Array) -> Array:
    """The sums of the points over every C_i."""
    total = sets[:, 0] * points[:, :1]
    for j in range(1, len(sets)):
        total += sets[:, j] * points[:, j : j + 1]
    return np.asarray(total)
