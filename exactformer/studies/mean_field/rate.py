"""A certified rate of the zero-temperature limit: rational, without roots."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np

from exactformer.arithmetic.ball import dyadic, ends
from exactformer.arithmetic.rational import RationalRows, simplest_between
from exactformer.errors import InvalidInput
from exactformer.geometry.linear_algebra import positive_semidefinite
from exactformer.studies.mean_field.lyapunov import Below, eigenvalues_below
from exactformer.studies.mean_field.spectrum import Dominant
from exactformer.studies.mean_field.system import matrix_product, transpose

#: the part of the gap that is given up at each of its two ends
SHARE = Fraction(1, 400)
#: how far a bound of |B| may lie above it, for the sake of a simple number
SLACK = Fraction(1, 500)


@dataclass(frozen=True)
class Rate:
    """lambda >= low, all other eigenvalues have real parts below a bound, and |B| <= norm."""

    low: Fraction
    below: Below
    norm: Fraction

    @property
    def value(self) -> Fraction:
        """The rate c = (low - bound)/norm in |x(t) - T(x(0))| <= C e^(-ct)."""
        return (self.low - self.below.bound) / self.norm


def certified_rate(found: Dominant, B: RationalRows) -> Rate | None:
    """A rate of at least 99 % of gap/|B|, verified; None where M is a multiple of I and nothing moves.

    Raises Undecided where no form was found within the precision.

    >>> from exactformer.studies.mean_field.spectrum import dominant
    >>> certified_rate(dominant([[2, 0], [0, 1]]), ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))).value
    Fraction(200, 201)
    """
    if found.dimension == found.dim:
        return None
    low, bound = _ends(found)
    return Rate(low, eigenvalues_below(found.matrix, found.projector_balls, found.dimension, bound), norm_above(B))


def _ends(found: Dominant) -> tuple[Fraction, Fraction]:
    """(low, bound): rationals low <= lambda, and bound above the real parts of all others."""
    bits = 64
    while True:
        largest, others = found.enclosure(bits), found.others(bits)
        if others is None:
            raise InvalidInput("rate: expected an eigenvalue besides lambda")
        top, floor = ends(largest)[0], ends(others)[1]
        width = top - floor
        if max(dyadic(largest.rad()), dyadic(others.rad())) < width * SHARE / 64:
            break
        bits *= 2
    exactly = len(found.polynomial) == 2
    low = -found.polynomial[0] if exactly else simplest_between(top - width * SHARE, top)
    return low, simplest_between(floor + width * SHARE, floor + 2 * width * SHARE)


def verify_norm(norm: Fraction, B: RationalRows) -> None:
    """Raises InvalidInput unless norm^2 I - B B' >= 0, that is |B| <= norm."""
    gram = matrix_product(B, transpose(B))
    rest = [[norm * norm * (i == j) - x for j, x in enumerate(row)] for i, row in enumerate(gram)]
    if norm <= 0 or not positive_semidefinite(rest):
        raise InvalidInput(f"norm: expected a number >= |B|, got {norm}")


def norm_above(B: RationalRows) -> Fraction:
    """A simple rational >= |B| and at most 0.2 % above what floats take it for, confirmed by exact arithmetic.

    >>> norm_above(((Fraction(1, 5), Fraction(0)), (Fraction(0), Fraction(1))))
    Fraction(1, 1)
    """
    scale = max(abs(x) for row in B for x in row)
    near = Fraction(float(np.linalg.norm(np.array([[float(x / scale) for x in row] for row in B]), 2)))
    simple = (near.limit_denominator(q) for q in (1, 10, 100, 10_000))
    candidates = [x for x in simple if x <= near * (1 + SLACK)]
    for part in (10**9, 10**6, 1000):
        candidates.append(simplest_between(near * (1 + Fraction(1, 2 * part)), near * (1 + Fraction(2, part))))
    for candidate in candidates:
        try:
            verify_norm(candidate * scale, B)
        except InvalidInput:
            continue
        return candidate * scale
    squares = sum((x / scale) ** 2 for row in B for x in row)  # the Frobenius norm is never less
    return Fraction(isqrt(-(-squares.numerator // squares.denominator) << 64) + 1, 1 << 32) * scale
