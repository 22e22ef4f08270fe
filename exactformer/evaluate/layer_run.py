"""Consecutive layers x -> x + f_k(<u, x>) along one u, each the identity outside an interval of <u, x>.

Constructions place a few tokens per layer, so most rows pass most layers untouched. A row whose <u, x> lies in none of
the intervals of a run stays where it is in all its layers, and is looked at once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

import numpy as np

from exactformer.arithmetic.integers import Array, matmul
from exactformer.evaluate.piecewise_linear import Pieces, approx_quotients
from exactformer.model.batch import Batch

_L = TypeVar("_L")

#: layers of a run, at least and at most: more of them are shared by fewer rows
_FEWEST, _MOST = 4, 256
#: floats of numbers and of breakpoints are within 2^-50 of them, relatively: intervals are made wider by more
_WIDER, _LEAST = 2.0**-46, 2.0**-1000


@dataclass(frozen=True)
class LayerRun:
    """Layers along one u with eta = 1: layer k is the identity on every row outside approx_low[k] .. approx_high[k]."""

    layers: tuple[Pieces, ...]
    approx_low: Array
    approx_high: Array

    @classmethod
    def of(cls, layers: Iterable[Pieces]) -> LayerRun:
        """The run of some layers that `runs_of` says may be one."""
        found = tuple(layers)
        low, high = zip(*map(_approx_interval, found), strict=True)
        return cls(found, _moved(np.array(low), -1), _moved(np.array(high), 1))

    def apply(self, batch: Batch) -> Batch:
        """All layers on every row of the batch, exactly: floats only say which rows surely stay."""
        u = self.layers[0].u
        at = approx_quotients(matmul(batch.array, u), batch.denominators)
        rows = np.flatnonzero(self._inside_any(at))
        if len(rows) == len(at):
            return self._one_by_one(batch, at)
        if len(rows) == 0:
            return batch
        return batch.replaced(rows, self._one_by_one(batch.chosen(rows), at[rows]))

    def _inside_any(self, at: Array) -> Array:
        """Which numbers lie in any of the intervals: those that more intervals begin before than end before."""
        begun = np.searchsorted(np.sort(self.approx_low), at, side="right")
        ended = np.searchsorted(np.sort(self.approx_high), at, side="left")
        return begun > ended

    def _one_by_one(self, batch: Batch, at: Array) -> Batch:
        """The layers in order, without those whose interval holds no row."""
        for layer, low, high in zip(self.layers, self.approx_low, self.approx_high, strict=True):
            if ((at >= low) & (at <= high)).any():
                batch = layer.apply(batch)
                at = approx_quotients(matmul(batch.array, layer.u), batch.denominators)
        return batch


def _approx_interval(layer: Pieces) -> tuple[float, float]:
    """The ends of an interval outside of which the layer is the identity; infinite where it has none."""
    turns = layer.approx_breakpoints
    low = -np.inf if layer.acts[0] or not len(turns) else turns[0]
    high = np.inf if layer.acts[-1] or not len(turns) else turns[-1]
    return low, high


def _moved(ends: Array, side: int) -> Array:
    return np.asarray(ends + side * (np.abs(ends) * _WIDER + _LEAST))


def runs_of(layers: Iterable[_L]) -> Iterator[_L | LayerRun]:
    """The layers in order, those that follow one another along one u with eta = 1 as runs."""
    for key, group in groupby(layers, key=_line_of):
        found = list(group)
        if key is None or len(found) < _FEWEST:
            yield from found
            continue
        for start in range(0, len(found), _MOST):
            yield LayerRun.of([layer for layer in found[start : start + _MOST] if isinstance(layer, Pieces)])


def _line_of(layer: object) -> tuple[object, ...] | None:
    """u, if the layer is x -> x + f(<u, x>)."""
    return tuple(layer.u.tolist()) if isinstance(layer, Pieces) and layer.eta == 1 else None
