"""Spectral norms of matrices, bounded from above with proof.

For a matrix T of spectral radius rho, rho <= |T^64|_F^(1/64): six squarings, each after a division by a bound f of the
Frobenius norm, give rho <= f_0 sqrt(f_1 sqrt(f_2 ..)). The error e of the computed matrix, in the Frobenius norm, is
carried along: with both norms at most 1 after the division, (T + E)^2 - T^2 = ET + TE + E^2 and rounding add up to at
most 2e + e^2 + 4(n + 2)u.
"""

from __future__ import annotations

import math

import numpy as np

from exactformer.evaluate.outward import Floats, U, gamma, size, up

#: orders beyond which the Frobenius norm has to do
LARGEST = 4096
_SQUARINGS = 6


def spectral_norm(matrix: Floats) -> float:
    """A bound of the 2-norm of a matrix, too large by at most n^(1/256) and 1e-6.

    >>> spectral_norm(np.diag([3.0, 4.0])) < 4.06
    True
    """
    scaled, scale = _scaled(matrix)
    if scale == 0:
        return 0.0
    rows, columns = matrix.shape
    if min(rows, columns) > LARGEST:
        return up(size(scaled) * scale)
    gram = scaled.T @ scaled if rows >= columns else scaled @ scaled.T
    error = gamma(max(rows, columns)) * size(scaled) ** 2
    return up(math.sqrt(_spectral_radius(gram, error)) * scale)


def spectral_norm_of_product(left: Floats, right: Floats) -> float:
    """A bound of the 2-norm of left @ right, whose inner dimension k is small.

    Its square is the spectral radius of (left^T left)(right right^T), which is of order k.
    """
    (a, s), (b, t) = _scaled(left), _scaled(right)
    if s == 0 or t == 0:
        return 0.0
    P, Q = a.T @ a, b @ b.T
    p, q = size(a) ** 2, size(b) ** 2  # bounds of |P|_F and |Q|_F too
    error = (gamma(left.shape[0]) + gamma(right.shape[1]) + gamma(left.shape[1] + 4)) * p * q * 1.01
    return up(math.sqrt(_spectral_radius(P @ Q, error)) * s * t)


def _scaled(matrix: Floats) -> tuple[Floats, float]:
    """The matrix divided by a power of two such that its largest entry lies in [1/2, 1), and that power; 0 for zero."""
    largest = float(np.abs(matrix).max(initial=0.0))
    if largest == 0:
        return matrix, 0.0
    scale = 2.0 ** math.frexp(largest)[1]
    return matrix / scale, scale


def _spectral_radius(T: Floats, error: float) -> float:
    """A bound of the spectral radius of every matrix within `error` (Frobenius) of T."""
    n, factors = len(T), []
    for _ in range(_SQUARINGS):
        f = (size(T) + error) * (1 + 1e-8)
        factors.append(f)
        T, error = T / f, error / f
        T, error = T @ T, (2 * error + error * error + 4 * (n + 2) * U) * (1 + 1e-8)
    bound = size(T) + error
    for f in reversed(factors):
        bound = f * math.sqrt(bound)
    return bound * (1 + 1e-7)
