"""Which class is the largest, input by input, with proof: from tokens known up to a radius.

A difference of logits moves by at most |g (H_a - H_b)| before + |H_a - H_b| after and the rounding of both. A class is
the only largest one where its lead over every other is larger. Statements are about real arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactformer.errors import Undecided
from exactformer.evaluate import blas_trial
from exactformer.evaluate.float64_midpoints import Float64Midpoints
from exactformer.evaluate.midpoints import Ids, M
from exactformer.evaluate.network_radii import EnclosedNetwork, EnclosedTokens
from exactformer.evaluate.outward import Floats, up
from exactformer.evaluate.pair_midpoints import PairMidpoints
from exactformer.model.network import Network

#: the arithmetics, in the order in which they are tried
FLOAT_LEVELS = ("float64", "double-double")
LEVELS = (*FLOAT_LEVELS, "integers", "exact")
#: LayerNorms with an epsilon outside of this are left to integers
_LEAST_EPSILON, _MOST_EPSILON = 2.0**-200, 2.0**200


@dataclass(frozen=True)
class Decisions:
    """Per input: the class `argmax`, and whether it is proved (`decided`) to be the only one with the largest logit.

    The lead over the best other class lies in [low, high]; `runner_up` is the class that seems to be that one. Every
    logit differs from its midpoint by at most `radius`. Where nothing is known, low is -inf and the others are inf.
    `level` is the arithmetic, as an index of LEVELS.
    """

    argmax: NDArray[np.int64]
    runner_up: NDArray[np.int64]
    decided: NDArray[np.bool_]
    low: Floats
    high: Floats
    radius: Floats
    level: NDArray[np.int64]


def _float64(network: Network) -> EnclosedNetwork[Floats]:
    return EnclosedNetwork(Float64Midpoints(network))


def _double_double(network: Network) -> EnclosedNetwork[tuple[Floats, Floats]]:
    return EnclosedNetwork(PairMidpoints(network))


def enclosed_network(network: Network, level: str) -> EnclosedNetwork[object]:
    """The network in float64 or in double-double, prepared once; raises Undecided where these prove nothing."""
    problem = blas_trial.fault()
    if problem:
        raise Undecided(f"{level} proves nothing on this machine: {problem}")
    if not _LEAST_EPSILON <= network.architecture.epsilon <= _MOST_EPSILON:
        raise Undecided(f"{level} is for epsilons from 2^-200 to 2^200; integers take others")
    make = {"float64": _float64, "double-double": _double_double}[level]
    return network.remembered(make)  # type: ignore[arg-type]


def read_token(enclosed: EnclosedNetwork[M], ids: Ids, types: Ids, at: int | str) -> EnclosedTokens[M]:
    """The token that answers, of every input: that of one position, or the mean (an axis of length 1 is left)."""
    if isinstance(at, int):
        return enclosed.hidden(ids, types, at)
    x = enclosed.hidden(ids, types)
    middle, rounding = enclosed.a.mean(x.middle)
    before, after = (bound.mean(-1, keepdims=True) for bound in (x.before, x.after))
    return EnclosedTokens(middle, up(x.radius.mean(-1, keepdims=True) + rounding), x.gain, before, up(after + rounding))


def decide(enclosed: EnclosedNetwork[M], x: EnclosedTokens[M]) -> tuple[M, Decisions]:
    """The logits of one token per input, and what is proved about the largest."""
    a, norms = enclosed.a, enclosed.norms
    with np.errstate(all="ignore"):
        y, rounding = a.logits(a.each(x.middle, lambda part: part[:, 0]))
        high = a.float64(y)
        order = a.descending(y)
        best, second = order[:, 0], order[:, 1 if high.shape[-1] > 1 else 0]
        before, after = x.before[:, 0], x.after[:, 0]
        lead, error = a.difference(a.each(y, lambda part: np.take_along_axis(part, best[:, None], -1)), y)
        moved = np.empty_like(lead)
        for winner in np.unique(best):
            rows = best == winner
            apart, plain = norms.apart(int(winner), x.gain), norms.apart(int(winner), None)
            moved[rows] = before[rows, None] * apart + after[rows, None] * plain
        at_best = np.take_along_axis(rounding, best[:, None], -1)
        top = np.abs(np.take_along_axis(high, best[:, None], -1))
        slack = up(moved + rounding + at_best + 2.0**-50 * np.abs(lead) + error * (np.abs(high) + top))
        low, up_to = lead - slack, np.take_along_axis(lead + slack, second[:, None], -1)[:, 0]
        np.put_along_axis(low, best[:, None], np.inf, -1)
        least = low.min(-1)
        known = np.isfinite(x.radius[:, 0]) & np.isfinite(high).all(-1) & np.isfinite(slack).all(-1)
        reach = before[:, None] * norms.head_lengths(x.gain) + after[:, None] * norms.head_lengths(None) + rounding
        radius = np.where(known, up(reach.max(-1)), np.inf)
    least, up_to = np.where(known, least, -np.inf), np.where(known, up_to, np.inf)
    decided, level = known & (least > 0) & (high.shape[-1] > 1), np.full(len(best), LEVELS.index(a.level))
    return y, Decisions(best, second, decided, least, up_to, radius, level)
