"""Nearest neighbours by cosine among enclosed vectors, with proof.

A vector within r of a has its unit vector within R = 2r / |a| of a / |a|. A cosine of two of them moves by at most
R_a + R_b + R_a R_b, so that a difference of two cosines with a moves by the sum of two of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_mat, ctx, fmpq

from exactformer.errors import InvalidInput
from exactformer.evaluate.network_answer import NetworkAnswer

_BITS = 192


@dataclass(frozen=True)
class Neighbour:
    """The nearest of some vectors: `index` where that is proved, else None; `nearest` and `runner_up` by midpoints.

    `cosine` encloses the cosine with `nearest`, `gap` its lead over the best other one (None where there is no other).
    """

    index: int | None
    nearest: int
    runner_up: int | None
    cosine: tuple[Fraction, Fraction]
    gap: tuple[Fraction, Fraction] | None


class UnitVectors:
    """Enclosed vectors of one dimension, divided by their lengths; raises InvalidInput where one may be zero."""

    def __init__(self, vectors: Sequence[NetworkAnswer]) -> None:
        with ctx.workprec(_BITS):
            rows, self.radii = [], []
            for i, vector in enumerate(vectors):
                row = [arb(fmpq(v.numerator, v.denominator)) for v in vector.centre]
                size = sum((v * v for v in row), arb(0)).sqrt()
                r = arb(fmpq(vector.distance.numerator, vector.distance.denominator))
                if not r < size:
                    raise InvalidInput(f"input {i}: expected a vector that is certainly not zero, to take cosines with")
                rows.append([v / size for v in row])
                self.radii.append(2 * r / size)
            self.rows = arb_mat(rows)

    def nearest(self, vector: NetworkAnswer, allowed: Sequence[int]) -> Neighbour:
        """The nearest of the allowed vectors to one more."""
        one = UnitVectors([vector])
        with ctx.workprec(_BITS):
            cosines = (self.rows * one.rows.transpose()).entries()
            R = one.radii[0]
            balls = {j: cosines[j] + (R + self.radii[j] + R * self.radii[j]) * arb(0, 1) for j in allowed}
            order = sorted(allowed, key=lambda j: -float(cosines[j].mid()))
            best = max(order[:2], key=lambda j: balls[j].mid())
            others = [j for j in order if j != best]
            cosine = _ends(balls[best])
            if not others:
                return Neighbour(best, best, None, cosine, None)
            leads = {j: balls[best] - balls[j] for j in others}
            low = min(_ends(lead)[0] for lead in leads.values())
            high = _ends(leads[others[0]])[1]
        return Neighbour(best if low > 0 else None, best, others[0], cosine, (low, high))


def _ends(ball: arb) -> tuple[Fraction, Fraction]:
    """The ends of a finite ball, exactly."""
    found = []
    for end in (ball.lower(), ball.upper()):
        man, exp = end.man_exp()
        found.append(Fraction(int(man)) * Fraction(2) ** int(exp))
    return found[0], found[1]
