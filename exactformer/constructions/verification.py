"""Verification by evaluation: the transformer is run exactly on the original data, and every output set is compared."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from exactformer.arithmetic.integers import shrink
from exactformer.arithmetic.state import State
from exactformer.constructions.targets import Targets
from exactformer.model.batch import Batch, reduce_rows
from exactformer.model.box_attention import BoxTransformer
from exactformer.model.boxes import Boxes
from exactformer.model.dataset import Dataset
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Transformer

#: blocks evaluated between two reports of progress
_STRIDE = 64
#: tokens evaluated and compared before the next ones are looked at
_ROWS = 1 << 17
#: bits of the first enclosures of softmax, and at how many times the longest weight's a construction is called wrong
_FIRST_BITS, _TIMES = 64, 64

StageProgress = Callable[[str, int, int], None]


class WrongTransformer(AssertionError):
    """A transformer that does not interpolate its data: a bug in the method that built it."""


def verify_interpolates(
    transformer: Transformer, data: Dataset, targets: Targets, progress: StageProgress | None = None
) -> None:
    """Raises unless the set of output tokens equals the target set, exactly, for every sequence of the data."""
    blocks = [transformer.blocks[start : start + _STRIDE] for start in range(0, len(transformer), _STRIDE)]
    strides, wanted, done = [Transformer(data.dim, some) for some in blocks], _keys(targets), 0
    for first, batch in _parts(data):
        rows = len(batch.array)
        for stride in strides:
            batch = stride.evaluate(batch)
            done += rows
            if progress is not None:
                progress("verify", done, len(data.tokens) * len(strides))
        outputs = batch.keys()
        for j, (start, stop) in enumerate(itertools.pairwise(batch.offsets.tolist()), first):
            if set(outputs[start:stop]) != {wanted[t] for t in targets.sets[j]}:
                raise WrongTransformer(f"sequence {j} is not mapped onto its targets; please report this data set")


def _parts(data: Dataset) -> Iterator[tuple[int, Batch]]:
    """The sequences in parts of bounded size, each with the number of its first one."""
    offsets, first = np.asarray(data.offsets, dtype=np.int64), 0
    while first < len(data):
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + _ROWS, side="right")) - 1)
        start, stop = offsets[first], offsets[last]
        tokens = State(data.tokens.array[start:stop], data.tokens.denominator)
        yield first, Batch.of(tokens, offsets[first : last + 1] - start)
        first = last


def verify_encloses(
    transformer: Transformer,
    data: Dataset,
    targets: Targets,
    beta: Temperatures,
    progress: StageProgress | None = None,
) -> int:
    """The bits at which enclosures prove every output set to be the target set, for softmax at every beta of the range.

    The bits are doubled until every output box is a point; raises where a point is no target.
    """
    boxes, bits = BoxTransformer(transformer, beta), _FIRST_BITS
    last = _TIMES * max(transformer.bits, _FIRST_BITS)
    states = [Boxes.of(sequence.tokens) for sequence in data]
    wanted = [set(targets.state(j).rows()) for j in range(len(states))]
    j = 0
    while j < len(states):
        outputs = boxes.enclose(states[j], bits)
        if outputs.are_points and outputs.points() == wanted[j]:
            j += 1
        elif outputs.are_points or bits > last:
            raise WrongTransformer(f"sequence {j} is not mapped onto its targets; please report this data set")
        else:  # every sequence is to be proved with the same bits
            bits, j = 2 * bits, 0
        if progress is not None:
            progress("verify", j, len(states))
    return bits


def _keys(targets: Targets) -> list[tuple[int, ...]]:
    """The target points in the form in which a batch compares its rows."""
    scales = shrink(np.full(len(targets.points), targets.scale, dtype=object))
    array, denominators = reduce_rows(targets.points, scales)
    return list(zip(denominators.tolist(), *(column.tolist() for column in array.T), strict=True))
