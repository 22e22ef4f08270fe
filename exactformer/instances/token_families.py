"""Named families of instances: the inputs on which ties, degenerate faces and late leaders happen.

Every generator takes a number of tokens, a dimension and a NumPy Rng, and gives exact tokens. Random rationals
almost never tie, so most families are built around symmetry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

from exactformer.dynamics.orbit import simulate
from exactformer.errors import Declined, InvalidInput
from exactformer.model.tokens import Tokens

Rng = np.random.Generator
Family = Callable[[int, int, Rng], Tokens]

#: how many candidates a searching family looks at before it gives up
ATTEMPTS = 1000


def sample(name: str, n: int, d: int, seed: Rng | int = 0) -> Tokens:
    """An instance with n tokens of dimension d of a named family; `seed` may be a Generator, which is drawn from.

    >>> sample("integer-grid", 4, 2, 0) == sample("integer-grid", 4, 2, 0)
    True
    """
    if name not in FAMILIES:
        raise InvalidInput(f"family: expected one of {', '.join(FAMILIES)}, got {name!r}")
    least, dimension = SMALLEST.get(name, (1, 1))
    if n < least or d < dimension:
        raise InvalidInput(f"{name}: expected n >= {least} and d >= {dimension}, got n = {n} and d = {d}")
    return FAMILIES[name](n, d, np.random.default_rng(seed))


def generic(n: int, d: int, rng: Rng) -> Tokens:
    """Normal tokens, as the exact dyadic values of floats; A = I."""
    return Tokens(rng.standard_normal((n, d)), alpha=_alpha(rng))


def generic_metric(n: int, d: int, rng: Rng) -> Tokens:
    """Rational tokens and a random symmetric positive definite A = B'B + I."""
    B = rng.integers(-2, 3, (d, d))
    return Tokens(_fractions(rng.integers(-40, 41, (n, d)), 7), A=B.T @ B + np.eye(d, dtype=int), alpha=_alpha(rng))


def integer_grid(n: int, d: int, rng: Rng) -> Tokens:
    """Integer tokens with coordinates in -3..3."""
    return Tokens(rng.integers(-3, 4, (n, d)), alpha=_alpha(rng))


def ternary(n: int, d: int, rng: Rng) -> Tokens:
    """Tokens of {-1, 0, 1}^d."""
    return Tokens(rng.integers(-1, 2, (n, d)), alpha=_alpha(rng))


def rational_polygon(n: int, d: int, rng: Rng) -> Tokens:
    """Rational points of a circle, and midpoints and thirds of pairs of them, in a random rational plane."""
    corners: list[list[Fraction]] = []
    for _ in range(max(2, (2 * n + 2) // 3)):
        cosine, sine = _pythagorean(rng)
        corners.append([cosine, sine] + [Fraction(0)] * (d - 2))
    rows = corners[:n]
    while len(rows) < n:
        i, j = rng.integers(0, len(corners), 2)
        part = Fraction(1, int(rng.integers(2, 4)))
        rows.append([part * x + (1 - part) * y for x, y in zip(corners[i], corners[j], strict=True)])
    return Tokens(_rotated(rng, rows), alpha=_alpha(rng))


def rotated_grid(n: int, d: int, rng: Rng) -> Tokens:
    """Half-integer tokens turned by rational rotations, so that no tie is visible in floats."""
    return Tokens(_rotated(rng, _fractions(rng.integers(-4, 5, (n, d)), 2)), alpha=_alpha(rng))


def axis_ties(n: int, d: int, rng: Rng) -> Tokens:
    """Tokens on the axes, and tokens whose coordinates have equal absolute values: every score ties somewhere."""
    rows: list[list[Fraction]] = []
    for i in range(n):
        row = [Fraction(0)] * d
        chosen = [i % d] if i < 2 * d else rng.choice(d, size=int(rng.integers(1, d + 1)), replace=False).tolist()
        size = Fraction(1) if i < 2 * d else Fraction(int(rng.integers(1, 6)), 6)
        for k in chosen:
            row[k] = size * (1 if i < d else -1 if i < 2 * d else int(rng.choice([-1, 1])))
        rows.append(row)
    return Tokens(rows, alpha=_alpha(rng))


def symmetric_faces(n: int, d: int, rng: Rng) -> Tokens:
    """Corners of a cube or a cross-polytope, and tokens over the centres of their faces."""
    corners: list[list[int]] = []
    for _ in range(max(2, n // 2)):
        if rng.random() < 0.7:
            corners.append(rng.choice([-1, 1], d).tolist())
        else:
            corners.append((np.eye(d, dtype=int)[rng.integers(d)] * 2 * rng.choice([-1, 1])).tolist())
    rows: list[list[Fraction]] = [[Fraction(x) for x in corner] for corner in corners[:n]]
    while len(rows) < n:
        several = [corners[i] for i in rng.integers(0, len(corners), int(rng.integers(2, d + 2)))]
        height = Fraction(int(rng.integers(1, 9)), 8 * len(several))
        rows.append([height * sum(column) for column in zip(*several, strict=True)])
    return Tokens(rows, alpha=_alpha(rng, small=True))


def emerging_leader(n: int, d: int, rng: Rng) -> Tokens:
    """Instances in which a token that is no leader at layer 0 becomes one later.

    A token i prefers j to itself by a little; j leaves for a leader elsewhere faster than i can follow, so that i
    may be left behind and lead. Random such triples are tried, then turned and joined by tokens too short to matter.
    """
    for _ in range(ATTEMPTS):
        alpha = Fraction(1, int(rng.integers(1, 41)))
        core = _left_behind(rng, alpha)
        if simulate(Tokens(core, alpha=alpha), layers=60).leads_from.get(0, 0) > 0:
            rows = [[*row, *[Fraction(0)] * (d - 2)] for row in core]
            rows = _rotated(rng, rows + _fractions(rng.integers(-9, 10, (n - 3, d)), 40 * d))
            return Tokens([rows[i] for i in rng.permutation(n)], alpha=alpha)
    raise Declined(f"emerging-leader: none among {ATTEMPTS} triples; another seed may find one")


def _left_behind(rng: Rng, alpha: Fraction) -> list[list[Fraction]]:
    """(i, j, leader): with i = (1,0), j = (1 + e, s) and the leader (-u, v), j follows the leader and i follows j.

    To first order <i, j> - <i, i> = e falls by a(1 + u - s^2) a layer, so a margin e of that size is soon used up.
    """
    s, u = Fraction(int(rng.integers(2, 9)), 8), Fraction(int(rng.integers(0, 9)), 8)
    e = alpha * (1 + u - s * s / 2) * Fraction(int(rng.integers(1, 25)), 12)
    v = ((1 + e) ** 2 + s * s + u * (1 + e)) / s + Fraction(int(rng.integers(1, 9)), 4)
    return [[Fraction(1), Fraction(0)], [1 + e, s], [-u, v]]


def metastable_ties(n: int, d: int, rng: Rng) -> Tokens:
    """A mirror-symmetric set with tokens in the mirror, and a small step: ties that hold for long, then may break."""
    rows: list[list[Fraction]] = []
    while len(rows) < n:
        row = [Fraction(int(x), 4) for x in rng.integers(-8, 9, d)]
        if len(rows) + 2 <= n and rng.random() < 0.6:
            rows += [row, [-row[0], *row[1:]]]
        else:
            rows.append([Fraction(0), *(x / 3 for x in row[1:])])
    return Tokens(rows, alpha=Fraction(1, int(rng.integers(8, 31))))


def duplicated(n: int, d: int, rng: Rng) -> Tokens:
    """Integer tokens of which about half are repeated."""
    points = rng.integers(-3, 4, (max(1, n // 2), d))
    return Tokens(points[rng.integers(0, len(points), n)], alpha=_alpha(rng))


FAMILIES: dict[str, Family] = {
    "generic": generic,
    "generic-metric": generic_metric,
    "integer-grid": integer_grid,
    "ternary": ternary,
    "rational-polygon": rational_polygon,
    "rotated-grid": rotated_grid,
    "axis-ties": axis_ties,
    "symmetric-faces": symmetric_faces,
    "emerging-leader": emerging_leader,
    "metastable-ties": metastable_ties,
    "duplicated": duplicated,
}

#: the least n and d of a family, where it is not 1
SMALLEST = {
    "rational-polygon": (2, 2),
    "symmetric-faces": (2, 1),
    "emerging-leader": (3, 2),
    "duplicated": (2, 1),
}


def _alpha(rng: Rng, *, small: bool = False) -> Fraction:
    choices = ["1", "1/2", "1/3", "2", "3/4"] if not small else ["1/10", "1/5", "1/2", "1", "1/4"]
    return Fraction(choices[int(rng.integers(len(choices)))])


def _fractions(integers: Iterable[Iterable[int]], denominator: int) -> list[list[Fraction]]:
    return [[Fraction(int(x), denominator) for x in row] for row in integers]


def _pythagorean(rng: Rng) -> tuple[Fraction, Fraction]:
    """A random rational point (cos, sin) of the unit circle, not on an axis."""
    t = Fraction(1)
    while t == 1:
        t = Fraction(int(rng.integers(1, 10)), int(rng.integers(1, 7)))
    cosine, sine = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    return (cosine, sine) if rng.random() < 0.5 else (-cosine, -sine)


def _rotated(rng: Rng, rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """The rows after a rational rotation in one or two coordinate planes."""
    d = len(rows[0])
    for _ in range(min(2, d - 1)):
        p, q = rng.choice(d, 2, replace=False).tolist()
        cosine, sine = _pythagorean(rng)
        rows = [
            [
                cosine * r[p] - sine * r[q] if k == p else sine * r[p] + cosine * r[q] if k == q else r[k]
                for k in range(d)
            ]
            for r in rows
        ]
    return rows
