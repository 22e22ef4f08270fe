"""Instances aimed at follower sets that never become constant: exact self-ties that are solved for, not hoped for.

If the sets never become constant, then some token of a cluster that tends to a non-vertex ties with itself and at least
two moving tokens at every late layer (see the page on stabilisation). Random data never do. Here a mirror makes pairs
tie, a token in the mirror is put where it ties with itself at layer 0, and a leader where it does so at layer 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from exactformer.arithmetic.rational import RationalRow
from exactformer.geometry.points import dot
from exactformer.instances.generators import TokenFamily, mirror_pairs, point_set
from exactformer.instances.tokens import tokens_of
from exactformer.model.tokens import Tokens

#: a = 3/4, 8/9, 15/16 are the shares at which a self-tie of 3, 4, 5 tokens could last, to first order
STEPS = tuple(map(Fraction, ("3", "3", "8", "15", "1", "2", "1/2", "1/3", "1/8", "1/32")))


@dataclass(frozen=True)
class SelfTies:
    """One part each: solved self-ties, mirror pairs with slow and fast steps, and everything else.

    >>> SelfTies()(Random(3)).dim >= 1
    True
    """

    steps: Sequence[Fraction] = STEPS

    def __call__(self, rng: Random) -> Tokens:
        kind = rng.randrange(3)
        if kind == 0:
            return self_tied(rng, rng.choice(self.steps))
        if kind == 1:
            return TokenFamily(dims=(2, 3, 3, 4), sizes=(4, 5, 6, 7), steps=self.steps, points=mirror_pairs)(rng)
        return TokenFamily(steps=self.steps, points=point_set)(rng)


def self_tied(rng: Random, alpha: Fraction) -> Tokens:
    """Leaders (+-p, u), followers (+-q, w) and tokens (0, v) with |v|^2 = <v, w>, in dimension 3 or 4.

    If (0, v) follows itself and the pair, and the pair follows the leaders, then u is such that one layer later it ties
    with itself and the pair again.
    """
    size = rng.choice((2, 2, 3))
    w, u = _vector(rng, size), _vector(rng, size)
    inside = [v for v in (_on_sphere(w, _vector(rng, size)) for _ in range(rng.choice((1, 1, 2, 3)))) if any(v)]
    if inside:
        u = _tying_again(inside[0], w, u, alpha / (1 + alpha))
    p, q = Fraction(rng.randint(2, 8), 2), Fraction(rng.randint(1, 6), 2)
    rows = [(p, *u), (-p, *u), (q, *w), (-q, *w), *((Fraction(0), *v) for v in inside)]
    rows = list(dict.fromkeys(row for row in rows if any(row)))
    return tokens_of(rows, None, alpha)


def _vector(rng: Random, size: int) -> RationalRow:
    unit = rng.choice((1, 1, 2, 4))
    return tuple(Fraction(rng.randint(-3 * unit, 4 * unit), unit) for _ in range(size))


def _on_sphere(w: RationalRow, direction: RationalRow) -> RationalRow:
    """The point v = t * direction with |v|^2 = <v, w>: on the sphere whose diameter is the segment from 0 to w."""
    square = dot(direction, direction)
    t = Fraction(dot(direction, w)) / square if square else Fraction(0)
    return tuple(t * x for x in direction)


def _tying_again(v: RationalRow, w: RationalRow, u: RationalRow, a: Fraction) -> RationalRow:
    """u with one coordinate changed so that |v'|^2 = <v', w'>, where v' = v + 2a/3 (w - v) and w' = w + a (u - w)."""
    after = tuple(x + Fraction(2, 3) * a * (y - x) for x, y in zip(v, w, strict=True))
    k = max(range(len(v)), key=lambda c: abs(after[c]))
    if not after[k]:
        return u
    missing = (dot(after, after) - (1 - a) * dot(after, w)) / a - dot(after, u)
    return (*u[:k], u[k] + missing / after[k], *u[k + 1 :])
