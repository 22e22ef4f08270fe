"""The certified float filter: which tokens can maximise <A z_i, .>, decided in float64 wherever that is a proof.

With f a float64 shadow of the state, |Z - f| <= e entrywise, u = 2^-53, gamma_m = m u/(1 - m u), V_i = |f_i| + e
and M = max_j V_j, every computed score of row i is within

    E_i = (1 + 1e-6) * (gamma_{2d+3} * V_i|A|M  +  e * 1'|A|M  +  e * V_i|A|1) + 1e-300

of the true one, for any order of summation, with or without fused operations. A best score that leads by more than
2 E_i is proved; otherwise the tokens within that distance are the candidates, to be settled in integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array, largest
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.score_form import ScoreForm, float_array, is_integral

UNIT = 2.0**-53
#: rows scored at a time, so that a block of scores stays in the cache
BLOCK = 256
#: the distance, in units of E_i, within which a token is a candidate (a little above 2, for the rounding of the test)
REACH = 2.0000001
_COUNT = np.arange(BLOCK)
_NONE = np.empty(0, dtype=np.int64)


@dataclass
class Shadow:
    """A float64 copy of the state with |state - values| <= error entrywise; error = 0 says that scores are exact.

    `size` bounds |values| and |state| entrywise for this layer and all later ones, since hulls are nested.
    """

    values: Array
    error: float
    size: float
    exact: bool = False

    @classmethod
    def of(cls, numerators: Array, denominator: int, form: ScoreForm) -> Shadow:
        """The shadow of numerators/denominator; of the numerators alone where their scores are exact in float64.

        If max|P|^2 * sum|A| < 2^53, every product and partial sum is an integer that float64 holds.
        """
        values = float_array(numerators, denominator)
        size = _largest(values) * (1 + 8 * UNIT)
        if numerators.dtype.kind != "O" and form.matrix.dtype.kind != "O" and denominator < 2**53:
            bound = size * denominator
            if bound * bound * form.mass < 2**53:
                return cls(numerators.astype(np.float64), 0.0, bound, exact=True)
        if not 1e-90 < size < 1e90 and is_integral(numerators):
            # a multiple of the state has the same follower sets: one near 1 neither overflows nor underflows
            values = float_array(numerators, max(largest(numerators), 1))
            size = 1.0
        return cls(values, 4 * UNIT * size + 1e-320, size)

    def moved(self, means: Array, share: float, members: int) -> Shadow:
        """The shadow one layer later: f + a(mean - f), each mean over at most `members` tokens."""
        values = self.values + share * (means - self.values)
        error = (self.error + UNIT * self.size * (8 + 2 * members)) * (1 + 1e-9) + 1e-320
        return Shadow(values, error, self.size)

    def largest_error(self, form: ScoreForm) -> float:
        """max_i E_i, bounded by the size alone: no pass over the tokens. Infinite where a score may overflow."""
        if self.exact:
            return 0.0
        size = self.size + 2 * self.error
        if not size * size * form.mass < 1e300:
            return math.inf
        return (1 + 1e-6) * form.mass * size * (_gamma(len(form.floats)) * size + 2 * self.error) + 1e-300

    def errors(self, form: ScoreForm, rows: Array, error: float) -> Array:
        """E_i for rows of floats, each within `error` of what it stands for."""
        V, M = np.abs(rows) + error, np.abs(self.values).max(axis=0) + self.error
        AM, A1 = form.absolute.T @ M, form.absolute.sum(axis=0)
        E = V @ (_gamma(len(M)) * AM + self.error * A1) + error * AM.sum()
        return np.asarray((1 + 1e-6) * E + 1e-300)


def _largest(values: Array) -> float:
    return float(np.maximum.reduce(np.abs(values), axis=None))


def _gamma(d: int) -> float:
    return (2 * d + 3) * UNIT * (1 + 1e-9)


def candidates(shadow: Shadow, form: ScoreForm, rows: Array, error: float) -> tuple[FollowerSets, Array]:
    """(sets, near): tokens that can maximise <A x, .> for every x within `error` of a given float row, entrywise.

    The sets contain every maximiser; a set is exactly that where its row is not in `near`, or the shadow is exact.
    """
    bound = REACH * shadow.largest_error(form) if error <= shadow.error else np.inf
    transposed = shadow.values.T
    best, near, lengths, columns = [], [], [], []
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        scores = form.approx_left(block) @ transposed
        count = _COUNT[: len(block)]
        top = scores.argmax(axis=1)
        peak = scores[count, top]
        scores[count, top] = -np.inf
        gap = peak - scores[count, scores.argmax(axis=1)]
        best.append(top)
        if not np.minimum.reduce(gap) > bound:
            scores[count, top] = peak
            reach = 0 * gap if shadow.exact else REACH * shadow.errors(form, block, error)
            # written so that a score that is not a finite number makes every token a candidate
            unproved = np.flatnonzero(~(gap > reach) | ~np.isfinite(scores).all(axis=1))
            within = ~(scores[unproved] < (peak - reach)[unproved, None])
            near.append(unproved + start)
            lengths.append(within.sum(axis=1))
            columns.append(np.nonzero(within)[1])
    sets = FollowerSets.of_singles(best[0] if len(best) == 1 else np.concatenate(best))
    if not near:
        return sets, _NONE
    rows_near = np.concatenate(near)
    widened = FollowerSets.of_lengths(np.concatenate(columns), np.concatenate(lengths))
    return sets.replaced(rows_near, widened), rows_near
