"""Wasserstein distances to the limit T#mu_0, in floats: exact for two atoms, else between bounds or by a solver.

Where E is a line the limit has the atoms e and -e, and the cost |x-e|^p - |x+e|^p falls in <x,e>: the tokens with the
largest <x,e> go to e, in any dimension. Else every coupling costs at least the distance to the sphere S(E), on which
the limit lives, and the coupling of every token with its own limit costs at least W_p. At zero temperature and with an
orthogonal projector both are equal, since T(x_t) = T(x_0) is the point of S(E) nearest to x_t.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput, MissingExtra
from exactformer.studies.mean_field.spectrum import Dominant

#: tokens up to which the transport problem is solved, and iterations of the solver
MOST_TOKENS, ITERATIONS = 2000, 4_000_000


@dataclass(frozen=True)
class ApproxLimit:
    """The projector Pi onto the dominant eigenspace E in floats: T(x) = Pi x/|Pi x|.

    >>> ApproxLimit(np.diag([0.0, 1.0])).T(np.array([[0.6, -0.8]])).tolist()
    [[0.0, -1.0]]
    """

    projector: Array

    @classmethod
    def of(cls, found: Dominant) -> ApproxLimit:
        """The exact projector, rounded once."""
        return cls(np.array([[float_of(x) for x in row] for row in found.projector]))

    @cached_property
    def basis(self) -> Array:
        """An orthonormal basis (d, k) of E; a single vector has its largest coordinate positive."""
        left, sizes, _ = np.linalg.svd(self.projector)
        basis = left[:, : int((sizes > sizes[0] / 2**20).sum())]
        return np.asarray(basis * np.sign(basis[np.abs(basis).argmax(axis=0), np.arange(basis.shape[1])]))

    @property
    def dimension(self) -> int:
        """k = dim E."""
        return int(self.basis.shape[1])

    def T(self, x: Array) -> Array:
        """T(x), a row each; a token within rounding of ker Pi has no limit and is refused."""
        image = x @ self.projector.T
        length = np.sqrt((image**2).sum(axis=1, keepdims=True))
        if (length < 1e-14).any():
            i = int(length.argmin())
            raise InvalidInput(
                f"token {i}: expected a point outside the kernel of Pi, where T is not defined, got "
                f"({', '.join(f'{v:.4g}' for v in x[i])}); move it, or take a density"
            )
        return np.asarray(image / length)

    def distances(self, x: Array) -> Array:
        """The distances of tokens from the sphere S(E)."""
        inside = np.sqrt(((x @ self.basis) ** 2).sum(axis=1))
        outside = ((x - x @ self.basis @ self.basis.T) ** 2).sum(axis=1)
        return np.asarray(np.sqrt((1 - inside) ** 2 + outside))


@dataclass(frozen=True)
class ApproxTransport:
    """W_p from tokens to their limits T(x_0), given once."""

    limit: ApproxLimit
    goals: Array
    p: float = 2.0

    @classmethod
    def of(cls, limit: ApproxLimit, start: Array, p: float = 2.0) -> ApproxTransport:
        """For tokens that start here."""
        return cls(limit, limit.T(start), p)

    @cached_property
    def _plus(self) -> int:
        return int((self.goals @ self.limit.basis[:, 0] > 0).sum())

    def bounds(self, x: Array) -> tuple[float, float]:
        """(lower, upper): equal where E is a line; else the distance to S(E) and every token with its own limit."""
        if self.limit.dimension == 1:
            exact = approx_two_atoms(x, self.limit.basis[:, 0], self._plus, self.p)
            return exact, exact
        own = np.sqrt(((x - self.goals) ** 2).sum(axis=1))
        lower, upper = (float((part**self.p).mean() ** (1 / self.p)) for part in (self.limit.distances(x), own))
        return min(lower, upper), upper

    def solved(self, x: Array) -> float:
        """W_p by a solver of the transport problem, for at most MOST_TOKENS tokens; needs POT."""
        return approx_solved(x, self.goals, self.p)


def approx_two_atoms(x: Array, e: Array, plus: int, p: float = 2.0) -> float:
    """W_p of n tokens from the measure with `plus`/n at e and the rest at -e.

    >>> approx_two_atoms(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 0.0]), 2)
    1.0
    """
    order = np.argpartition(-(x @ e), min(plus, len(x) - 1))
    near, far = order[:plus], order[plus:]
    costs = [((x[rows] - atom) ** 2).sum(axis=1) ** (p / 2) for rows, atom in ((near, e), (far, -e))]
    return float(((costs[0].sum() + costs[1].sum()) / len(x)) ** (1 / p))


def approx_solved(x: Array, y: Array, p: float = 2.0) -> float:
    """W_p of two clouds of equally many tokens, by the network simplex of POT."""
    if len(x) > MOST_TOKENS:
        raise InvalidInput(
            f"transport: expected at most {MOST_TOKENS} tokens for the solver, got {len(x)}; the bounds need none"
        )
    try:
        import ot
    except ImportError as problem:
        raise MissingExtra("transport needs POT: pip install 'exactformer[meanfield]'") from problem
    costs = np.sqrt(np.maximum(((x[:, None] - y[None]) ** 2).sum(axis=2), 0)) ** p
    value, log = ot.emd2([], [], costs, numItermax=ITERATIONS, log=True)
    if log["warning"]:
        raise InvalidInput(f"transport: the solver did not end ({log['warning']}); take fewer tokens")
    return float(max(value, 0.0) ** (1 / p))


def approx_circle_w2(a: float) -> float:
    """W2^2 = 2 - (4/pi) acos(a)/sqrt(1-a^2) on the circle: half the gap is the rate, W2 ~ (2/sqrt(pi)) sqrt(a).

    >>> round(approx_circle_w2(1e-8) / 1e-4, 4), round(2 / np.pi**0.5, 4)
    (1.1284, 1.1284)
    """
    if a < 1e-3:  # the difference cancels: by the series acos(a)/sqrt(1-a^2) = pi/2 - a + pi a^2/4 - 2a^3/3 + ..
        return float(np.sqrt(4 / np.pi * (a - np.pi * a**2 / 4 + 2 * a**3 / 3)))
    return float(np.sqrt(2 - 4 / np.pi * np.arccos(a) / np.sqrt(1 - a**2))) if a < 1 else float(np.sqrt(2 - 4 / np.pi))


def approx_sphere_w2(a: float) -> float:
    """W2^2 = 2a/(1+a) on the 2-sphere, E a line and the other two eigenvalues equal.

    >>> approx_sphere_w2(1.0)
    1.0
    """
    return float(np.sqrt(2 * a / (1 + a)))
