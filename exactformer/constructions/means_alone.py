"""Sequences told apart by their means alone: then the means stand for the sequences, one token each.

Theorem. Let every sequence have one target, and let the mean vectors of all sequences be different. A transformer
whose first block is uniform attention with rho = 0, x_i -> V mean_j x_j, maps the sequences onto their targets if and
only if it maps the sequences of one token, their mean vectors, onto them: after this block both are the same point.
Moving every token by at most r moves the mean by at most r, so a margin of the means is one of the sequences.
"""

from __future__ import annotations

import math

import numpy as np

from exactformer.arithmetic.integers import multiply, narrowed, segment_sums
from exactformer.arithmetic.state import State
from exactformer.constructions.empirical_measures import distinct_points
from exactformer.constructions.targets import Targets
from exactformer.model.dataset import Dataset

#: tokens summed at a time
_AT_ONCE = 1 << 20


def sequences_of_means(data: Dataset, targets: Targets, rng: np.random.Generator) -> Dataset | None:
    """The mean vectors as sequences of one token each; None where two coincide or a sequence has several targets.

    >>> from exactformer.constructions.targets import targets_of
    >>> data = Dataset.of([[[0], [3]], [[5]]], labels=["a", "b"])
    >>> means = sequences_of_means(data, targets_of(data), np.random.default_rng(0))
    >>> means.tokens.rows()
    [(Fraction(3, 2),), (Fraction(5, 1),)]
    >>> twins = Dataset.of([[[0], [2]], [[1]]], labels=["a", "b"])
    >>> sequences_of_means(twins, targets_of(twins), np.random.default_rng(0)) is None
    True
    """
    if any(len(chosen) > 1 for chosen in targets.sets):
        return None
    means = sequence_means(data)
    if len(distinct_points(means, rng)[0]) < len(means):
        return None
    return Dataset(means, np.arange(len(data) + 1), data.label_texts, names=data.names)


def sequence_means(data: Dataset) -> State:
    """The mean of the tokens of every sequence, over one denominator; some sequences at a time."""
    offsets = np.asarray(data.offsets, dtype=np.int64)
    counts = np.diff(offsets)
    common = math.lcm(*set(counts.tolist()))
    factors = narrowed(np.array([common // n for n in counts.tolist()], dtype=object))
    found, first = [], 0
    while first < len(counts):
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + _AT_ONCE, side="right")) - 1)
        start, stop = offsets[first], offsets[last]
        totals = segment_sums(data.tokens.array[start:stop], offsets[first : last + 1] - start)
        found.append(multiply(totals, factors[first:last, None]))
        first = last
    return State(narrowed(np.concatenate(found)), data.tokens.denominator * common)
