"""Gordan's alternative, decided exactly: a strictly positive direction for some vectors, or a positive dependency.

For rows r_1..r_n exactly one holds: some v has <r_j, v> > 0 for all j, or some weights w >= 0 with sum 1 have
sum_j w_j r_j = 0. Vertices, separation and convex combinations are all this question. Cheap certificates are
tried first, then a float proposal made exact, then the exact simplex method, which always decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array, matmul
from exactformer.geometry.linear_algebra import echelon
from exactformer.geometry.points import (
    Element,
    Vector,
    Weights,
    all_integers,
    approx_over_norm,
    column,
    exact_arrays,
    plain,
    primitive,
    quotient,
)
from exactformer.geometry.propose import Floats, ProposedDirection, propose_direction
from exactformer.geometry.simplest import ROUNDINGS, is_positive, rounded, simplest_direction
from exactformer.geometry.simplex import Farkas, nonnegative_solution


@dataclass(frozen=True)
class PositiveDirection:
    """v with <r_j, v> > 0 for every row; `method` says what found it."""

    v: Vector
    method: str = field(compare=False)


@dataclass(frozen=True)
class Dependency:
    """Positive weights of some rows, of sum 1, with sum_j w_j r_j = 0; `method` says what found them."""

    weights: Weights
    method: str = field(compare=False)


@exact_arrays
def alternative(rows: Array, hints: Iterable[Sequence[Element]] = ()) -> PositiveDirection | Dependency:
    """v with <r_j, v> > 0 for all j, in small integers, or weights w >= 0 of sum 1 with sum_j w_j r_j = 0 (Gordan).

    The entries are Python ints or algebraic numbers; `hints` are directions worth trying first.

    >>> alternative(np.array([[1, 0], [1, 1]], dtype=object)).v
    (1, 0)
    >>> alternative(np.array([[1, 0], [0, 1], [-2, -2]], dtype=object)).weights
    ((0, Fraction(2, 5)), (1, Fraction(2, 5)), (2, Fraction(1, 5)))
    """
    zero = next((i for i, row in enumerate(rows) if not any(row)), None)
    if zero is not None:
        return Dependency(((zero, Fraction(1)),), "zero row")
    found = _decide(rows, approx_normalised(rows), hints)
    return (
        PositiveDirection(simplest_direction(rows, found.v), found.method)
        if isinstance(found, PositiveDirection)
        else found
    )


def _decide(rows: Array, floats: Floats, hints: Iterable[Sequence[Element]]) -> PositiveDirection | Dependency:
    free = _free_direction(rows, floats, hints) or _free_dependency(rows)
    if free:
        return free
    proposal = propose_direction(floats)
    if proposal is None:
        return _by_simplex(rows, floats, ())
    return judge_proposal(rows, proposal) or _by_simplex(rows, floats, _support(proposal))


def approx_normalised(rows: Array) -> Floats:
    """The rows divided by their 1-norms, in floats: the scale of a row does not matter to the question."""
    if all_integers(rows):
        listed = rows.tolist()
        norms = [sum(map(abs, row)) for row in listed]
        # the quotient of two ints is correctly rounded however long they are
        return np.array([[x / norm for x in row] for row, norm in zip(listed, norms, strict=True)])
    return np.array([approx_over_norm(row) for row in rows])


def _free_direction(rows: Array, floats: Floats, hints: Iterable[Sequence[Element]]) -> PositiveDirection | None:
    """A coordinate axis, a hint or the mean of the rows, where one is positive."""
    for hint in hints:
        v = primitive(hint)
        if is_positive(rows, v):
            return PositiveDirection(v, "free")
    low, high = floats.min(axis=0), floats.max(axis=0)
    for k in np.flatnonzero((low > 0) | (high < 0)):
        axis = [0] * rows.shape[1]
        axis[k] = 1 if low[k] > 0 else -1
        if is_positive(rows, axis):
            return PositiveDirection(tuple(axis), "free")
    mean = floats.mean(axis=0)
    if (floats @ mean).min() > 0:
        v = rounded(mean, ROUNDINGS[0])
        if is_positive(rows, v):
            return PositiveDirection(v, "free")
    return None


def _free_dependency(rows: Array) -> Dependency | None:
    """Equal weights, or two opposite rows, where they cancel exactly."""
    n = len(rows)
    if not any(rows.sum(axis=0)):
        return Dependency(tuple((j, Fraction(1, n)) for j in range(n)), "free")
    if not all_integers(rows):
        return None
    seen: dict[tuple[int, ...], tuple[int, int]] = {}
    for j, row in enumerate(rows.tolist()):
        size = math.gcd(*row)
        direction = tuple(x // size for x in row)
        opposite = seen.get(tuple(-x for x in direction))
        if opposite:
            i, other = opposite
            return Dependency(((i, Fraction(size, size + other)), (j, Fraction(other, size + other))), "free")
        seen[direction] = (j, size)
    return None


def judge_proposal(rows: Array, proposal: ProposedDirection) -> PositiveDirection | Dependency | None:
    """What exact arithmetic makes of a proposal: the likelier side first; None if it settles nothing."""
    # HiGHS satisfies its constraints up to 1e-7, so that a margin below says little
    if proposal.margin > 1e-7:
        return _judge_direction(rows, proposal) or _judge_support(rows, _support(proposal))
    return _judge_support(rows, _support(proposal)) or _judge_direction(rows, proposal)


def _judge_direction(rows: Array, proposal: ProposedDirection) -> PositiveDirection | None:
    """The proposed direction, rounded as coarsely as it can be."""
    for bits in ROUNDINGS:
        v = rounded(proposal.v, bits)
        if is_positive(rows, v):
            return PositiveDirection(v, "proposal")
    return None


def _judge_support(rows: Array, support: Sequence[int]) -> PositiveDirection | Dependency | None:
    """What the linear systems on a proposed support of about dim rows decide."""
    R, q, pivots = echelon(rows[list(support)].T)
    if len(pivots) == len(support) - 1:
        free = next(k for k in range(len(support)) if k not in pivots)
        others = [j for k, j in enumerate(support) if k != free]
        return _dependency([*others, support[free]], [*(-R[: len(others), free]), q])
    if len(pivots) == len(support) == rows.shape[1]:
        return _judge_basis(rows, support)
    return None


def _judge_basis(rows: Array, basis: Sequence[int]) -> PositiveDirection | Dependency | None:
    """Both sides for dim independent rows: they meet at a facet that the point lies beyond, on, or just inside of."""
    dim = rows.shape[1]
    R, q, _ = echelon(np.hstack([rows[list(basis)], column([1] * dim).reshape(-1, 1)]))
    v = primitive([quotient(x, q) for x in R[:, dim]])  # <r_j, v> = 1 on the basis
    if is_positive(rows, v):
        return PositiveDirection(v, "proposal")
    R, q, _ = echelon(np.hstack([rows[list(basis)].T, rows.T]))
    sign = 1 if q > 0 else -1
    # column j holds the row r_j in terms of the basis: if no entry is positive, r_j completes a dependency
    for j in range(len(rows)):
        weights = -R[:, dim + j]
        if all(sign * w >= 0 for w in weights):
            return _dependency([*basis, j], [*weights, q])
    return None


def _dependency(indices: Sequence[int], weights: Sequence[Element]) -> Dependency | None:
    """The weights, which cancel the rows, scaled to sum 1; None if they have both signs."""
    total = sum(weights, start=0)
    if total == 0 or any(w * total < 0 for w in weights):
        return None
    pairs = sorted((j, quotient(w, total)) for j, w in zip(indices, weights, strict=True) if w != 0)
    return Dependency(tuple(pairs), "proposal")


def _support(proposal: ProposedDirection) -> tuple[int, ...]:
    return tuple(int(j) for j in np.flatnonzero(proposal.weights > 1e-11 * proposal.weights.max(initial=0)))


def _by_simplex(rows: Array, floats: Floats, start: Sequence[int]) -> PositiveDirection | Dependency:
    """The exact answer, from a few rows and those its directions violate, until none does."""
    n, dim = rows.shape
    chosen = list(start) or list(range(min(n, dim + 1)))
    target = np.array([0] * dim + [1], dtype=object)
    while True:
        system = np.vstack([rows[chosen].T, np.ones((1, len(chosen)), dtype=int).astype(object)])
        answer = nonnegative_solution(system, target)
        if not isinstance(answer, Farkas):
            pairs = zip(chosen, answer.x, strict=True)
            return Dependency(tuple(sorted((j, plain(x)) for j, x in pairs if x != 0)), "simplex")
        v = primitive([-y for y in answer.y[:dim]])
        violated = [int(j) for j in np.flatnonzero(~(matmul(rows, column(v)) > 0).astype(bool))]
        if not violated:
            return PositiveDirection(v, "simplex")
        # the rows violated most bring the direction round soonest
        approximate = floats[violated] @ approx_normalised(column(v).reshape(1, -1))[0]
        chosen += [violated[k] for k in np.argsort(approximate)[: dim + 1]]
