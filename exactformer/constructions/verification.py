"""Verification by evaluation: the transformer is run exactly on the original data, and every output set is compared."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from exactformer.arithmetic.integers import shrink
from exactformer.constructions.targets import Targets
from exactformer.model.batch import Batch, reduce_rows
from exactformer.model.dataset import Dataset
from exactformer.model.transformer import Transformer

#: blocks evaluated between two reports of progress
_STRIDE = 64

StageProgress = Callable[[str, int, int], None]


class WrongTransformer(AssertionError):
    """A transformer that does not interpolate its data: a bug in the method that built it."""


def verify_interpolates(
    transformer: Transformer, data: Dataset, targets: Targets, progress: StageProgress | None = None
) -> None:
    """Raises unless the set of output tokens equals the target set, exactly, for every sequence of the data."""
    batch = Batch.of(data.tokens, data.offsets)
    for start in range(0, len(transformer), _STRIDE):
        batch = Transformer(data.dim, transformer.blocks[start : start + _STRIDE]).evaluate(batch)
        if progress is not None:
            progress("verify", min(start + _STRIDE, len(transformer)), len(transformer))
    outputs = batch.keys()
    wanted = _keys(targets)
    bounds = batch.offsets.tolist()
    for j, (start, stop) in enumerate(itertools.pairwise(bounds)):
        if set(outputs[start:stop]) != {wanted[t] for t in targets.sets[j]}:
            raise WrongTransformer(f"sequence {j} is not mapped onto its targets; please report this data set")


def _keys(targets: Targets) -> list[tuple[int, ...]]:
    """The target points in the form in which a batch compares its rows."""
    scales = shrink(np.full(len(targets.points), targets.scale, dtype=object))
    array, denominators = reduce_rows(targets.points, scales)
    return list(zip(denominators.tolist(), *(column.tolist() for column in array.T), strict=True))
