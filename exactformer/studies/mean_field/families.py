"""Named systems and tokens of the mean field: those of the documentation, and random ones of every kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.rational import diagonal
from exactformer.errors import InvalidInput
from exactformer.model.tokens import Tokens
from exactformer.studies.mean_field.system import System

#: tokens on the circle have tan of half the angle with at most this denominator
LARGEST_DENOMINATOR = 2000


def sample_system(name: str, *, dim: int = 3, seed: int = 0) -> System:
    """A named system; `dim` and `seed` are those of `random`.

    >>> sample_system("metastable").M
    ((Fraction(1, 5), Fraction(0, 1)), (Fraction(0, 1), Fraction(1, 2)))
    """
    if name not in SYSTEMS:
        raise InvalidInput(f"system: expected one of {', '.join(SYSTEMS)}, got {name!r:.60}")
    return SYSTEMS[name][0](dim, seed)


def _diagonal(V: list[str], B: list[str]) -> Callable[[int, int], System]:
    return lambda dim, seed: System.of(diagonal(list(map(Fraction, V))), diagonal(list(map(Fraction, B))))


def _random(dim: int, seed: int) -> System:
    """Entries p/q with |p| <= 9 and q <= 4; B = I plus a strictly triangular matrix, so that it is invertible."""
    if dim < 2:
        raise InvalidInput(f"random: expected dimension d >= 2, got {dim}")
    rng = np.random.default_rng(seed)
    V, B = (rng.integers(-9, 10, (dim, dim)).tolist() for _ in range(2))
    below = rng.integers(1, 5, (dim, dim)).tolist()
    rows = [[Fraction(p, q) for p, q in zip(*pair, strict=True)] for pair in zip(V, below, strict=True)]
    return System.of(rows, [[int(i == j) if j <= i else B[i][j] for j in range(dim)] for i in range(dim)])


#: name -> (system, what it is)
SYSTEMS: dict[str, tuple[Callable[[int, int], System], str]] = {
    "metastable": (_diagonal(["1", "1/2"], ["1/5", "1"]), "circle: the limit is e2, the terminal phase e1"),
    "sphere": (_diagonal(["1", "1/2", "3/10"], ["1/5", "1", "1/2"]), "2-sphere, a limit of dimension 1"),
    "plane": (_diagonal(["1", "1", "3/2"], ["1", "1", "1/5"]), "2-sphere, a limit of dimension 2"),
    "golden": (lambda dim, seed: System.of([[1, 1], [1, 0]], [[1, 0], [0, 1]]), "an irrational dominant eigenvalue"),
    "rotation": (lambda dim, seed: System.of([[0, -1], [1, 0]], [[1, 0], [0, 1]]), "a complex dominant pair"),
    "jordan": (lambda dim, seed: System.of([[1, 1], [0, 1]], [[1, 0], [0, 1]]), "a defective dominant eigenvalue"),
    "random": (_random, "random rationals, of a dimension and a seed"),
}


def circle_tokens(count: int) -> Tokens:
    """So many rational tokens on the circle, nearly equidistant: ((1-t^2)/(1+t^2), 2t/(1+t^2)), t near tan(angle/2).

    >>> all(x * x + y * y == 1 for x, y in circle_tokens(7).state)
    True
    """
    angles = [math.pi * ((2 * i + 1) / count - 1) for i in range(count)]
    halves = [Fraction(math.tan(angle / 2)).limit_denominator(LARGEST_DENOMINATOR) for angle in angles]
    return Tokens([((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)) for t in halves])
