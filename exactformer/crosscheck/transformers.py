"""A transformer in floats beside the exact one: where they first attend differently, and how far they end apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.show import short_repr
from exactformer.arithmetic.state import State
from exactformer.certificates.opened import Certificate
from exactformer.model.approx import ApproxTransformer, Backend, pad, padded_chunks
from exactformer.model.batch import Batch
from exactformer.model.batch_evaluation import attention_choices
from exactformer.model.json_lines import PathLike
from exactformer.model.transformer import Transformer


@short_repr
@dataclass(frozen=True)
class Difference:
    """The first place where floats choose other maximisers, with the exact gap that explains it."""

    block: int
    sequence: int
    token: int
    follows_exact: tuple[int, ...]
    follows_float: tuple[int, ...]
    margin: Fraction | None


@short_repr
@dataclass(frozen=True)
class TransformerCheck:
    """Floats against exact arithmetic on a data set.

    `smallest_margin` is the least gap between the best and the second-best exact score (0 is never listed: a
    tie is part of the best), and `largest_deviation` the largest coordinate error of an output token.
    """

    first_difference: Difference | None
    largest_deviation: float
    smallest_margin: Fraction | None

    @property
    def agrees(self) -> bool:
        """Whether floats chose the exact maximisers everywhere."""
        return self.first_difference is None

    def __bool__(self) -> bool:
        return self.agrees


def crosscheck_transformer(
    transformer: Transformer, tokens: State, offsets: Array, backend: Backend | None = None
) -> TransformerCheck:
    """Runs both paths on every sequence, comparing the maximisers of every block."""
    chosen = backend or Backend.of()
    floats = ApproxTransformer(transformer, chosen)
    differences: list[Difference] = []
    margins: list[Fraction] = []
    deviation = 0.0
    for first, part, part_offsets in padded_chunks(tokens, offsets):
        with np.errstate(all="ignore"):  # floats past their range are what is looked for
            check = _crosscheck_chunk(transformer, floats, part, part_offsets, first)
        differences += check[0]
        margins += check[1]
        deviation = max(deviation, check[2])
    return TransformerCheck(
        min(differences, key=lambda d: (d.block, d.sequence, d.token), default=None),
        deviation,
        min(margins, default=None),
    )


def _crosscheck_chunk(
    transformer: Transformer, floats: ApproxTransformer, tokens: State, offsets: Array, first: int
) -> tuple[list[Difference], list[Fraction], float]:
    batch = Batch.of(tokens, offsets)
    x, mask = pad(tokens, offsets, floats.backend)
    differences: list[Difference] = []
    margins: list[Fraction] = []
    for k, block in enumerate(transformer):
        feed_forward, attention = floats.blocks[k]
        batch = Transformer(transformer.dim, [type(block)(block.feed_forward, None)]).evaluate(batch)
        x = x if feed_forward is None else feed_forward(x)
        if attention is None or block.self_attention is None:
            continue
        if not block.self_attention.is_uniform and block.self_attention.beta is None:
            weights = np.asarray(attention.weights(attention.scores(x, mask)))
            found, margin = _compare(batch, offsets, block.self_attention, weights, transformer.dim)
            margins += [] if margin is None else [margin]
            differences += [] if found is None else [Difference(k, first + found[0], *found[1:])]
        x = attention(x, mask)
        batch = Transformer(transformer.dim, [type(block)(None, block.self_attention)]).evaluate(batch)
    return differences, margins, _deviation(batch, offsets, np.asarray(x))


def _compare(batch: Batch, offsets: Array, layer: Any, weights: Array, dim: int) -> tuple[Any, Fraction | None]:
    """The first token whose float maximisers differ from the exact ones, and the least exact gap."""
    found, least = None, None
    for j, (chosen, gaps) in enumerate(attention_choices(batch, layer, dim)):
        rows = batch.inverse[offsets[j] : offsets[j + 1]] - batch.offsets[j]
        exact = chosen[np.ix_(rows, rows)]
        gap = min((g for g in gaps if g is not None), default=None)
        least = gap if least is None or (gap is not None and gap < least) else least
        wrong = np.flatnonzero((exact != (weights[j, : len(rows), : len(rows)] > 0)).any(axis=1))
        if found is None and len(wrong):
            i = int(wrong[0])
            approx = tuple(np.flatnonzero(weights[j, i, : len(rows)] > 0).tolist())
            found = (j, i, tuple(np.flatnonzero(exact[i]).tolist()), approx, gaps[rows[i]])
    return found, least


def _deviation(batch: Batch, offsets: Array, x: Array) -> float:
    """The largest coordinate error over all output tokens, infinite where a float is not finite."""
    worst = 0.0
    for j, values in enumerate(_outputs(batch, offsets)):
        errors = np.abs(values - x[j, : len(values)])
        worst = max(worst, float(errors.max())) if np.isfinite(errors).all() else float("inf")
    return worst


def _outputs(batch: Batch, offsets: Array) -> Iterator[Array]:
    floats = np.array([[float_of(v) for v in batch.row(r)] for r in range(len(batch.array))])
    for start, stop in pairwise(offsets):
        yield floats[batch.inverse[start:stop]]


def crosscheck_certificate(path: PathLike, backend: Backend | None = None) -> TransformerCheck:
    """Both paths on the sequences of an interpolation certificate."""
    opened = Certificate.open(path)
    data = opened.dataset()
    return crosscheck_transformer(opened.transformer, data.tokens, data.offsets, backend)
