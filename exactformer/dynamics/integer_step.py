"""The exact half of the engine, in integers over one denominator: maximisers among candidates, and the update."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import (
    SAFE,
    Array,
    common_divisor,
    largest,
    multiply,
    segment_sums,
    small,
    wide,
)
from exactformer.arithmetic.state import State
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.score_form import ScoreForm, is_integral


def maximisers(form: ScoreForm, rows: Array, tokens: Array, among: FollowerSets) -> FollowerSets:
    """{ j in among[i] : <A x_i, z_j> is the largest over among[i] }, for ring elements x_i and z_j.

    >>> form = ScoreForm([[1, 0], [0, 1]])
    >>> points = np.array([[1, 1], [1, -1], [0, 2]])
    >>> maximisers(form, points[2:], points, FollowerSets(np.array([0, 1, 2]), np.array([0, 3])))[0].tolist()
    [2]
    """
    left, right = form.left(rows), tokens[among.members]
    if not (small(left, right) and largest(left) * largest(right) * left.shape[1] < SAFE):
        left, right = wide(left), wide(right)
    owner = np.repeat(np.arange(len(among)), among.lengths)
    scores = (left[owner] * right).sum(axis=1)
    best = np.maximum.reduceat(scores, among.offsets[:-1])
    return among.where(np.asarray(scores == best[owner], dtype=bool))


def means(sets: FollowerSets, numerators: Array, weights: Array) -> tuple[Array, int]:
    """(M, L): the mean over C_i, every position counted with its weight, is M_i/L over the denominator of the state.

    L is the least factor with which all means are integral: 1 for sets that stood still since they were divided once.
    """
    if sets.single:
        return numerators[sets.members], 1
    tied = sets.take(sets.ties)
    sums, totals = weighted_sums(tied, numerators, weights)
    if not is_integral(numerators):
        common = math.lcm(*set(totals.tolist()))
        tied_means = sums * np.array([common // int(t) for t in totals], dtype=object)[:, None]
    else:
        remainders = np.asarray(sums % totals[:, None]).astype(np.int64)
        missing = totals // np.gcd(totals, np.gcd.reduce(remainders, axis=1))
        common = math.lcm(*set(missing.tolist()))
        tied_means = multiply(sums, common) // totals[:, None]
    result = multiply(numerators[sets.first], common)
    if tied_means.dtype != result.dtype:
        result, tied_means = wide(result), wide(tied_means)
    result[sets.ties] = tied_means
    return result, common


def weighted_sums(sets: FollowerSets, numerators: Array, weights: Array) -> tuple[Array, Array]:
    """(sum of w_j z_j, sum of w_j) over every set."""
    own = weights[sets.members]
    sums = segment_sums(multiply(numerators[sets.members], own[:, None]), sets.offsets)
    return sums, np.add.reduceat(own, sets.offsets[:-1])


def advance(state: State, sets: FollowerSets, weights: Array, share: Fraction, times: int = 1) -> State:
    """The state `times` layers later: r^t z_i + (1 - r^t) mean of C_i, with a = share and r = 1 - a.

    For t > 1 the members of every C_i must stand still, as leaders do.
    """
    rest, whole = (share.denominator - share.numerator) ** times, share.denominator**times
    array = state.array
    target, common = means(sets, array, weights)
    if array.dtype.kind != "O" and int(np.maximum.reduce(np.abs(array), axis=None)) * whole * common >= SAFE:
        array, target = array.astype(object), target.astype(object)
    if sets.single and whole - rest > 1:
        # few positions are followed: scale each of them once
        followed = np.zeros(len(array), dtype=bool)
        followed[sets.members] = True
        scaled = array.copy()
        scaled[followed] *= whole - rest
        target = scaled[sets.members]
    elif whole - rest > 1:
        target = target * (whole - rest)
    array = _times(array, rest * common) + target
    denominator = state.denominator * whole * common
    if array.dtype.kind == "O" or common == 1:
        return State(array, denominator)
    divisor = common_divisor(array, denominator)  # small integers stay small, and their scores exact, the longer
    return State(array // divisor, denominator // divisor)


def _times(array: Array, factor: int) -> Array:
    """factor * array; doubling an array of big integers is cheaper as an addition."""
    if factor == 1:
        return array
    return array + array if factor == 2 else array * factor
