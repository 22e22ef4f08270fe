"""Verification by evaluation: the transformer is run exactly on the original data, and every output set is compared."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from exactformer.arithmetic.integers import Array, narrowed
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import Exact
from exactformer.constructions.targets import Targets
from exactformer.evaluate.batch import CompiledTransformer
from exactformer.evaluate.box_attention import BoxTransformer
from exactformer.evaluate.boxes import Boxes
from exactformer.model.batch import Batch, reduce_rows
from exactformer.model.dataset import Dataset
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Transformer
from exactformer.parallel import ALONE, Workers

#: layers evaluated between two reports of progress
_STRIDE = 64
#: tokens evaluated and compared before the next ones are looked at
_ROWS = 1 << 17
#: bits of the first enclosures of softmax, and at how many times the longest weight's a construction is called wrong
_FIRST_BITS, _TIMES = 64, 64

StageProgress = Callable[[str, int, int], object]


class WrongTransformer(AssertionError):
    """A transformer that does not interpolate its data: a bug in the method that built it."""


def verify_interpolates(
    transformer: Transformer,
    data: Dataset,
    targets: Targets,
    progress: StageProgress | None = None,
    workers: Workers = ALONE,
) -> None:
    """Raises unless the set of output tokens equals the target set, exactly, for every sequence of the data."""
    strides = tuple(transformer.compiled.strides(_STRIDE))
    wanted, rows, done = _keys(targets), len(data.tokens) * len(strides), 0

    def tell(evaluated: int) -> None:
        nonlocal done
        done += evaluated
        if progress is not None:
            progress("verify", done, rows)

    if workers.alone:
        for part in _parts(data, targets):
            _verify(first_wrong(Evaluation(strides, wanted, tell), part))
        return
    for part, wrong in workers.results(first_wrong, Evaluation(strides, wanted), _parts(data, targets)):
        _verify(wrong)
        tell(len(part.tokens) * len(strides))


class Part(NamedTuple):
    """Some sequences, the first of which is the sequence `first` of the data, and their target sets."""

    first: int
    tokens: State
    offsets: Array
    sets: tuple[tuple[int, ...], ...]


class Evaluation(NamedTuple):
    """The blocks, some at a time; the target points as a batch shows them; who hears of evaluated rows."""

    strides: tuple[CompiledTransformer, ...]
    wanted: list[tuple[int, ...]]
    tell: Callable[[int], None] | None = None


def first_wrong(evaluation: Evaluation, part: Part) -> int | None:
    """The first sequence of a part whose output set is not its target set, if any."""
    batch = Batch.of(part.tokens, part.offsets)
    for stride in evaluation.strides:
        batch = stride.evaluate(batch)
        if evaluation.tell is not None:
            evaluation.tell(len(part.tokens))
    outputs, wanted = batch.keys(), evaluation.wanted
    bounds = itertools.pairwise(batch.offsets.tolist())
    for j, ((start, stop), chosen) in enumerate(zip(bounds, part.sets, strict=True), part.first):
        if set(outputs[start:stop]) != {wanted[t] for t in chosen}:
            return j
    return None


def _verify(wrong: int | None) -> None:
    if wrong is not None:
        raise WrongTransformer(f"sequence {wrong} is not mapped onto its targets; please report this data set")


def _parts(data: Dataset, targets: Targets) -> Iterator[Part]:
    """The sequences in parts of bounded size."""
    offsets, first = np.asarray(data.offsets, dtype=np.int64), 0
    while first < len(data):
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + _ROWS, side="right")) - 1)
        start, stop = offsets[first], offsets[last]
        tokens = State(data.tokens.array[start:stop], data.tokens.denominator)
        yield Part(first, tokens, offsets[first : last + 1] - start, targets.sets[first:last])
        first = last


def verify_encloses(
    transformer: Transformer,
    data: Dataset,
    targets: Targets,
    beta: Temperatures,
    progress: StageProgress | None = None,
    workers: Workers = ALONE,
) -> int:
    """The bits at which enclosures prove every output set to be the target set, for softmax at every beta of the range.

    The bits are doubled until every output box is a point; raises where a point is no target.
    """
    boxes, bits = BoxTransformer(transformer, beta), _FIRST_BITS
    last = _TIMES * max(transformer.bits, _FIRST_BITS)
    # every sequence is to be proved with the same bits
    while (j := _undecided(boxes, bits, data, targets, progress, workers)) is not None:
        _verify(j if bits > last else None)
        bits *= 2
    return bits


def _undecided(
    boxes: BoxTransformer,
    bits: int,
    data: Dataset,
    targets: Targets,
    progress: StageProgress | None,
    workers: Workers,
) -> int | None:
    """A sequence of which so many bits do not tell whether outputs are targets, if any; raises where they are not."""
    jobs = ((j, sequence.tokens, frozenset(targets.state(j).rows())) for j, sequence in enumerate(data))
    for done, ((j, *_), proved) in enumerate(workers.results(is_target_set, (boxes, bits), jobs), 1):
        if proved is None:
            return j
        _verify(None if proved else j)
        if progress is not None:
            progress("verify", done, len(data))
    return None


def is_target_set(
    enclosing: tuple[BoxTransformer, int], job: tuple[int, State, frozenset[tuple[Exact, ...]]]
) -> bool | None:
    """Whether the outputs of a sequence are its target set; None where so many bits do not tell."""
    boxes, bits = enclosing
    outputs = boxes.enclose(Boxes.of(job[1]), bits)
    return outputs.points() == job[2] if outputs.are_points else None


def _keys(targets: Targets) -> list[tuple[int, ...]]:
    """The target points in the form in which a batch compares its rows."""
    scales = narrowed(np.full(len(targets.points), targets.scale, dtype=object))
    array, denominators = reduce_rows(targets.points, scales)
    return list(zip(denominators.tolist(), *(column.tolist() for column in array.T), strict=True))
