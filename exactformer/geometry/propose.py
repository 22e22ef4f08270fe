"""Untrusted float proposals by convex optimisation: directions, supports and weights that exact arithmetic then judges.

One parametrised problem per shape is built, kept and solved again with new data (disciplined parametrised
programming): 2 ms at 60 points in dimension 8, against 15 ms for building it anew. Sizes are rounded up to a
power of two, so that a few problems serve every shape.

Solvers, measured by `benchmarks/geometry.py --solvers`: HiGHS ends in a vertex of the feasible set, so that the
support of its weights is a basis, and exact arithmetic finished 236 of 240 mixed proposals without the simplex
method; Clarabel takes a fifth less time but ends inside a face, and only 79 could be finished. On the quadratic
programs, whose solution is unique, Clarabel is the fastest from dimension 20 on, where proposals are used,
and its support was the exact one in 31 of 32 cases.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from exactformer.io.untyped import Untyped

Floats = npt.NDArray[np.float64]

LINEAR_SOLVER = "HIGHS"
QUADRATIC_SOLVER = "CLARABEL"

# the problems are shared, and setting a parameter is not atomic with solving
_lock = threading.Lock()


@dataclass(frozen=True)
class ProposedDirection:
    """About max{t : <r_j, v> >= t for all j, |v| <= 1}: the direction v, the margin t, and weights of the rows."""

    v: Floats
    margin: float
    weights: Floats


def propose_direction(rows: Floats, solver: str = LINEAR_SOLVER) -> ProposedDirection | None:
    """About the direction v with the largest margin min_j <r_j, v>, and the dual weights; None if the solver fails.

    A margin near 0 suggests the other side of Gordan's alternative: weights w >= 0 with sum_j w_j r_j = 0.
    """
    padded, n = _padded(rows)
    with _lock:
        problem, data, v, margin, constraint = _direction_problem(*padded.shape)
        data.value = padded
        if not _solved(problem, solver) or v.value is None or constraint.dual_value is None:
            return None
        weights = np.abs(np.asarray(constraint.dual_value, dtype=float).reshape(-1))
        return ProposedDirection(np.asarray(v.value, dtype=float).reshape(-1), float(margin.value), _folded(weights, n))


def propose_nearest(points: Floats, solver: str = QUADRATIC_SOLVER) -> Floats | None:
    """About the weights w of the point of least Euclidean norm in the hull; None if the solver fails."""
    padded, n = _padded(points)
    with _lock:
        problem, data, weights = _nearest_problem(*padded.shape)
        data.value = padded
        if not _solved(problem, solver) or weights.value is None:
            return None
        return _folded(np.asarray(weights.value, dtype=float).reshape(-1), n)


@lru_cache(maxsize=64)
def _direction_problem(n: int, dim: int) -> tuple[Untyped, ...]:
    import cvxpy as cp

    rows, v, margin = cp.Parameter((n, dim)), cp.Variable(dim), cp.Variable()
    constraint = rows @ v >= margin
    problem = cp.Problem(cp.Maximize(margin), [constraint, v <= 1, v >= -1])
    return problem, rows, v, margin, constraint


@lru_cache(maxsize=64)
def _nearest_problem(n: int, dim: int) -> tuple[Untyped, ...]:
    import cvxpy as cp

    points, weights = cp.Parameter((n, dim)), cp.Variable(n)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(points.T @ weights)), [weights >= 0, cp.sum(weights) == 1])
    return problem, points, weights


@lru_cache
def _has_solver(solver: str) -> bool:
    """Whether cvxpy has the solver; a warning, once, where it has not: exact arithmetic then decides alone, slowly."""
    import cvxpy as cp

    found = solver in cp.installed_solvers()
    if not found:
        warnings.warn(
            f"cvxpy finds no solver {solver}: answers stay exact but come slowly; "
            f"pip install {'highspy' if solver == LINEAR_SOLVER else 'clarabel'}",
            RuntimeWarning,
            stacklevel=2,
        )
    return found


def _solved(problem: Untyped, solver: str) -> bool:
    """Whether the solver ended with an answer; an inaccurate one is still a proposal."""
    import cvxpy as cp

    if not _has_solver(solver):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            problem.solve(solver=solver)
        except (cp.SolverError, ValueError, ArithmeticError):
            return False
    return problem.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)


def _padded(rows: Floats) -> tuple[Floats, int]:
    """The rows, repeated cyclically up to the next power of two (at least 8)."""
    n = len(rows)
    size = max(8, 1 << (n - 1).bit_length())
    return np.resize(rows, (size, rows.shape[1])), n


def _folded(weights: Floats, n: int) -> Floats:
    """The weights of the first n rows, each with those of its repetitions."""
    total = np.zeros(n)
    np.add.at(total, np.arange(len(weights)) % n, weights)
    return total
