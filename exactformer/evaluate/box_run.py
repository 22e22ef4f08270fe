"""Consecutive layers x -> x + f_k(<u, x>) along one u on boxes: a box goes straight to the next layer that moves it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypeVar

from flint import fmpq

from exactformer.arithmetic.interval import Box, Interval, form
from exactformer.evaluate.boxes import Boxes, BoxFeedForward, FlintRow

_L = TypeVar("_L")

#: layers for which it does not pay
_FEW = 4


class BoxRun:
    """Layers along one u with eta = 1, each the identity until <u, x> reaches the first threshold of either side."""

    def __init__(self, u: FlintRow, layers: Sequence[BoxFeedForward]) -> None:
        self.u, self.layers = u, layers
        self.rising, self.falling = (Firsts([_first(layer, side) for layer in layers]) for side in (0, 1))

    def apply(self, state: Boxes, bits: int) -> Boxes:
        """The images of all boxes after all layers, every one rounded outward to 2^-bits where it moves a box."""
        return Boxes(tuple(self.image(box, bits) for box in state.boxes), state.counts)

    def image(self, box: Box, bits: int) -> Box:
        """The image of one box."""
        k = self.next_moving(0, form(self.u, box))
        while k < len(self.layers):
            box = self.layers[k].image(box, bits)
            k = self.next_moving(k + 1, form(self.u, box))
        return box

    def next_moving(self, k: int, head: Interval) -> int:
        """The first layer from k on that is not the identity where <u, x> lies in the interval."""
        return min(self.rising.next(k, *head), self.falling.next(k, -head[1], -head[0]))


class Firsts:
    """The first threshold of every layer (None: it has none), and the least of every 2^j layers in a row."""

    def __init__(self, firsts: Sequence[fmpq | None]) -> None:
        self.least = [list(firsts)]
        while 2 << len(self.least) - 1 <= len(firsts):
            step, last = 1 << len(self.least) - 1, self.least[-1]
            self.least.append([_least(a, b) for a, b in zip(last, last[step:], strict=False)])

    def next(self, k: int, low: fmpq, high: fmpq) -> int:
        """The first layer from k on with a threshold < high, or <= low; the number of layers, if there is none.

        With k + D that layer, the powers of two of D are passed from the largest on.
        """
        for j in range(len(self.least) - 1, -1, -1):
            if k < len(self.least[j]):
                first = self.least[j][k]
                if first is None or not (first < high or first <= low):
                    k += 1 << j
        return k


def _least(a: fmpq | None, b: fmpq | None) -> fmpq | None:
    return b if a is None else a if b is None else min(a, b)


def _first(layer: BoxFeedForward, side: int) -> fmpq | None:
    thresholds = layer.sides[0][side].thresholds
    return thresholds[0] if thresholds else None


def runs_on_boxes(layers: Sequence[_L]) -> Iterator[_L | BoxRun]:
    """The layers in order, those that follow one another along one u with eta = 1 as runs."""
    for u, group in groupby(layers, key=_line_of):
        found = list(group)
        along = [layer for layer in found if isinstance(layer, BoxFeedForward)]
        if u is None or len(along) <= _FEW:
            yield from found
        else:
            yield BoxRun(u, along)


def _line_of(layer: object) -> FlintRow | None:
    """u, if the layer is x -> x + f(<u, x>) with f = 0 somewhere."""
    if isinstance(layer, BoxFeedForward) and layer.eta == 1 and len(layer.directions) == 1 and layer.flat is None:
        return layer.directions[0]
    return None
