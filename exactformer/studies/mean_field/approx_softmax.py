"""Softmax means of many targets over many sources, in floats: blocks of scores, and windows with a proved error.

A source j has features f_j and values v_j, a target i has a_i, and what is computed is the quotient of the sums of
exp(<a_i, f_j>) v_j by its first column. Tokens are the sources f = y, v = (1, y); merged tokens have more columns.
Arrays are those of any namespace of the array API: NumPy, or PyTorch on CPU or GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from array_api_compat import device, is_numpy_array, is_torch_array

from exactformer.arithmetic.integers import Array
from exactformer.io.untyped import ApiArray

#: scores at once: they stay in the cache, and bound the memory
BLOCK = 1 << 18
#: scores this far below the largest are raised to it: exp of less is subnormal in float32, and slow
LOWEST = -60.0
#: scores kept below the largest one of a block of targets: what is left out weighs at most exp(-DEPTH) each
DEPTH = 40.0
#: blocks of targets are not cut any smaller
FEWEST = 16


@dataclass(frozen=True)
class Sources:
    """Features (n, f) and values (n, v) of the sources, the first value being the weight; their total weight.

    `excess` bounds what the features beyond the first d can add to a score.
    """

    xp: ApiArray
    features: ApiArray
    values: ApiArray
    weight: float
    dim: int
    excess: float = 0.0

    @classmethod
    def of(cls, xp: ApiArray, points: ApiArray) -> Sources:
        """Every token a source of its own."""
        ones = xp.ones((points.shape[0], 1), dtype=points.dtype, device=device(points))
        return cls(xp, points, xp.concat([ones, points], axis=1), float(points.shape[0]), int(points.shape[1]))

    def take(self, rows: object) -> Sources:
        """The sources of these rows; the weight stays that of all."""
        features, values = (self.xp.take(part, rows, axis=0) for part in (self.features, self.values))
        return Sources(self.xp, features, values, self.weight, self.dim, self.excess)


def approx_dense(sources: Sources, targets: ApiArray) -> ApiArray:
    """The rows sum_j e^{<a_i,f_j>} v_j / sum_j e^{<a_i,f_j>} v_j1, without the first column; every pair is looked at.

    >>> import array_api_compat.numpy as xp
    >>> approx_dense(Sources.of(xp, xp.eye(2)), xp.asarray([[0.0, 0.0], [100.0, 0.0]])).tolist()
    [[0.5, 0.5], [1.0, 8.75651076269652e-27]]
    """
    xp = sources.xp
    step = max(1, BLOCK // max(1, sources.features.shape[0]))
    columns = xp.matrix_transpose(sources.features)
    parts = []
    for k in range(0, targets.shape[0], step):
        sums = xp.matmul(_weights(xp, xp.matmul(targets[k : k + step], columns)), sources.values)
        parts.append(sums[:, 1:] / sums[:, :1])
    return xp.concat(parts, axis=0)


def _weights(xp: ApiArray, scores: ApiArray) -> ApiArray:
    """exp of the scores less the largest of their row, in the memory of the scores where that is possible."""
    scores -= xp.max(scores, axis=1, keepdims=True)
    if is_torch_array(scores):
        return scores.clamp_(min=LOWEST).exp_()
    if is_numpy_array(scores):
        return np.exp(np.maximum(scores, LOWEST, out=scores), out=scores)
    return xp.exp(xp.clip(scores, LOWEST, None))


def approx_truncated(sources: Sources, targets: ApiArray, depth: float = DEPTH) -> ApiArray:
    """The same rows over the sources that matter to a block of targets, off by at most 2 W e^{-depth}.

    Let a_c be the centre of a block of radius r, and keep the sources with <a_c,f> >= max - depth - 2r. For a target a
    of the block a source left out scores at most <a_c,f> + r, and the best one at least max - r: its weight is
    below e^{-depth} times the best one's. All of those left out weigh at most W e^{-depth} of the whole, W the total
    weight, and a mean of vectors of the unit ball moves by at most twice the share that is taken away.
    """
    xp = sources.xp
    out = xp.empty_like(targets[:, : sources.values.shape[1] - 1]) if targets.shape[0] else targets
    plain = np.asarray(on_host(targets)[:, : sources.dim])
    heads = xp.matrix_transpose(sources.features[:, : sources.dim])
    for rows, centre, radius in _blocks(plain, depth):
        at = xp.asarray(centre[None], dtype=targets.dtype, device=device(targets))
        scores = xp.matmul(at, heads)[0]
        kept = xp.nonzero(scores >= xp.max(scores) - depth - 2 * radius - sources.excess)[0]
        index = xp.asarray(rows, device=device(targets))
        out[index] = approx_dense(sources.take(kept), xp.take(targets, index, axis=0))
    return out


def truncation_error(weight: float, depth: float = DEPTH) -> float:
    """2 W e^{-depth}, by which means over windows are off at most.

    >>> truncation_error(1e5) < 1e-12
    True
    """
    return float(2 * weight * np.exp(-depth))


def on_host(values: object) -> Array:
    """The values as a NumPy array."""
    return np.asarray(values.cpu() if hasattr(values, "cpu") else values)


def _blocks(points: Array, depth: float) -> Iterator[tuple[Array, Array, float]]:
    """Rows cut in halves along their longest side until a block is small or few: (rows, centre, radius)."""
    open_ = [np.arange(len(points))] if len(points) else []
    while open_:
        rows = open_.pop()
        own = points[rows]
        low, high = own.min(axis=0), own.max(axis=0)
        centre = (low + high) / 2
        radius = float(np.sqrt(((own - centre) ** 2).sum(axis=1).max()))
        if len(rows) <= 2 * FEWEST or radius <= depth / 8:
            yield rows, centre, radius
            continue
        order = np.argpartition(own[:, int((high - low).argmax())], len(rows) // 2)
        open_ += [rows[order[: len(rows) // 2]], rows[order[len(rows) // 2 :]]]
