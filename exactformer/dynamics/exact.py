"""The exact half of the engine: maximisers among candidates, and the update of a layer, in integers over one denominator."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import (
    Array,
    add,
    common_divisor,
    largest,
    multiply,
    segment_sums,
    shrink,
    small,
    wide,
)
from exactformer.arithmetic.state import State
from exactformer.dynamics.form import Form, is_integral
from exactformer.dynamics.sets import FollowerSets


def maximisers(form: Form, rows: Array, tokens: Array, among: FollowerSets) -> FollowerSets:
    """{ j in among[i] : <A x_i, z_j> is the largest over among[i] }, for ring elements x_i and z_j.

    >>> form = Form([[1, 0], [0, 1]])
    >>> points = np.array([[1, 1], [1, -1], [0, 2]])
    >>> maximisers(form, points[2:], points, FollowerSets(np.array([0, 1, 2]), np.array([0, 3])))[0].tolist()
    [2]
    """
    left, right = form.left(rows), tokens[among.members]
    if not (small(left, right) and largest(left) * largest(right) * left.shape[1] < 2**62):
        left, right = wide(left), wide(right)
    owner = np.repeat(np.arange(len(among)), among.lengths)
    scores = (left[owner] * right).sum(axis=1)
    best = np.maximum.reduceat(scores, among.offsets[:-1])
    return among.where(np.asarray(scores == best[owner], dtype=bool))


def means(sets: FollowerSets, numerators: Array, weights: Array) -> tuple[Array, int]:
    """(M, L): the mean over C_i, every position counted with its weight, is M_i/L over the denominator of the state."""
    if sets.single:
        return numerators[sets.members], 1
    tied = sets.take(sets.ties)
    totals = np.add.reduceat(weights[tied.members], tied.offsets[:-1])
    common = math.lcm(*set(totals.tolist()))
    result = multiply(numerators[sets.first], common)
    sums = segment_sums(multiply(numerators[tied.members], weights[tied.members][:, None]), tied.offsets)
    factors = np.array([common // int(t) for t in totals], dtype=object)
    sums = multiply(sums, shrink(factors)[:, None])
    if sums.dtype != result.dtype:
        result, sums = wide(result), wide(sums)
    result[sets.ties] = sums
    return result, common


def advance(state: State, sets: FollowerSets, weights: Array, share: Fraction, times: int = 1) -> State:
    """The state `times` layers later: r^t z_i + (1 - r^t) mean of C_i, with a = share and r = 1 - a.

    For t > 1 the members of every C_i must stand still, as leaders do.
    """
    if sets.single and np.array_equal(sets.members, np.arange(len(sets))):
        return state
    rest, whole = (share.denominator - share.numerator) ** times, share.denominator**times
    target, common = means(sets, state.array, weights)
    if sets.single and whole - rest > 1:
        # few positions are followed: scale each of them once
        scaled = state.array.copy() if state.array.dtype == object else wide(state.array).copy()
        used = np.unique(sets.members)
        scaled[used] = scaled[used] * (whole - rest)
        target = scaled[sets.members]
    else:
        target = multiply(target, whole - rest)
    array = add(_times(state.array, rest * common), target)
    denominator = state.denominator * whole * common
    if common == 1:
        return State(array, denominator)
    return _reduced(array, denominator)


def _times(array: Array, factor: int) -> Array:
    """factor * array; doubling an array of big integers is cheaper as an addition."""
    return array + array if factor == 2 and array.dtype == object else multiply(array, factor)


def _reduced(array: Array, denominator: int) -> State:
    """array/denominator over a smaller denominator, where tied means allow it; field elements are left alone."""
    if not is_integral(array):
        return State(array, denominator)
    divisor = common_divisor(array, denominator)
    if divisor > 1:
        array, denominator = array // divisor, denominator // divisor
    if array.dtype == object and largest(array) < 2**62:
        array = array.astype(np.int64)
    return State(array, denominator)
