"""A transformer in floats beside the exact one: where they first attend differently, and how far they end apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import Exact
from exactformer.certificates.certificate import Certificate
from exactformer.display.verbs import Listed
from exactformer.evaluate.batch import attention_choices
from exactformer.evaluate.floats import ApproxTransformer, Backend, pad, padded_chunks
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.model.attention import SelfAttention
from exactformer.model.batch import Batch
from exactformer.model.matrix import Row
from exactformer.model.transformer import Block, Transformer


@short_repr
@dataclass(frozen=True)
class Difference:
    """The first place where floats choose other maximisers, with the exact gap that explains it."""

    block: int
    sequence: int
    token: int
    follows_exact: tuple[int, ...]
    follows_float: tuple[int, ...]
    margin: Exact | None


@short_repr
@dataclass(frozen=True)
class TransformerCheck(Listed):
    """Floats against exact arithmetic on a data set.

    `smallest_margin` is the least gap between the best and the second-best exact score (0 is never listed: a
    tie is part of the best), `largest_deviation` the largest coordinate error of an output token, and
    `largest_relative_deviation` the largest error divided by the larger of 1 and the exact coordinate. `right`
    counts the sequences whose float outputs are all nearest to their own targets, and reach every one of them; of
    targets that floats cannot tell apart, or that are past their range, none is reached.
    """

    first_difference: Difference | None
    largest_deviation: float
    smallest_margin: Exact | None
    largest_relative_deviation: float
    tolerance: float
    sequences: int
    right: int

    @property
    def agrees(self) -> bool:
        """Whether floats chose the exact maximisers, stayed within the tolerance, and erred on no sequence."""
        close = self.largest_relative_deviation <= self.tolerance
        return self.first_difference is None and close and self.right == self.sequences

    def __bool__(self) -> bool:
        return self.agrees

    def json(self) -> JsonObject:
        """The answer of `exactformer crosscheck --json`."""
        found = self.first_difference
        return {
            "first_difference": None if found is None else found.block,
            "difference": None if found is None else found.__dict__,
            "largest_deviation": repr(self.largest_deviation),
            "smallest_margin": self.smallest_margin,
            "sequences": self.sequences,
            "right": self.right,
            "agrees": self.agrees,
        }


def crosscheck_transformer(
    transformer: Transformer, tokens: State, offsets: Array, backend: Backend | None = None
) -> TransformerCheck:
    """Runs both paths on every sequence, comparing the maximisers of every block, and the outputs."""
    chosen = backend or Backend.of()
    floats = ApproxTransformer(transformer, chosen)
    differences: list[Difference] = []
    margins: list[Exact] = []
    exact: list[Outputs] = []
    approx: list[Array] = []
    for first, part, part_offsets in padded_chunks(tokens, offsets):
        with np.errstate(all="ignore"):  # floats past their range are what is looked for
            found, gaps, outputs, images = _crosscheck_chunk(transformer, floats, part, part_offsets, first)
        differences += found
        margins += gaps
        exact += outputs
        approx += images
    absolute, relative = _deviations([outputs.floats for outputs in exact], approx)
    return TransformerCheck(
        first_difference=min(differences, key=lambda d: (d.block, d.sequence, d.token), default=None),
        largest_deviation=absolute,
        smallest_margin=min(margins, default=None),
        largest_relative_deviation=relative,
        tolerance=float(np.sqrt(np.finfo(chosen.name).eps)),
        sequences=len(exact),
        right=_right(exact, approx),
    )


def _crosscheck_chunk(
    transformer: Transformer, floats: ApproxTransformer, tokens: State, offsets: Array, first: int
) -> tuple[list[Difference], list[Exact], list[Outputs], list[Array]]:
    """Differences, exact gaps, and the exact and the float outputs of every sequence."""
    batch = Batch.of(tokens, offsets)
    x, mask = pad(tokens, offsets, floats.backend)
    differences: list[Difference] = []
    margins: list[Exact] = []
    for k, block in enumerate(transformer):
        feed_forward, attention = floats.blocks[k]
        batch = Transformer(transformer.dim, [Block(block.feed_forward, None)]).evaluate(batch)
        x = x if feed_forward is None else feed_forward(x)
        if attention is None or block.self_attention is None:
            continue
        if not block.self_attention.is_uniform and block.self_attention.beta is None:
            weights = np.asarray(attention.weights(attention.scores(x, mask)))
            found, margin = _compare(batch, offsets, block.self_attention, weights, transformer.dim)
            margins += [] if margin is None else [margin]
            differences += [] if found is None else [Difference(k, first + found[0], *found[1:])]
        x = attention(x, mask)
        batch = Transformer(transformer.dim, [Block(None, block.self_attention)]).evaluate(batch)
    outputs = list(_outputs(batch, offsets))
    images = np.asarray(x, dtype=np.float64)
    return differences, margins, outputs, [images[j, : len(values.points)] for j, values in enumerate(outputs)]


def _compare(
    batch: Batch, offsets: Array, layer: SelfAttention, weights: Array, dim: int
) -> tuple[tuple[int, int, tuple[int, ...], tuple[int, ...], Exact | None] | None, Exact | None]:
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


def _deviations(exact: list[Array], approx: list[Array]) -> tuple[float, float]:
    """The largest coordinate error, absolute and relative to max(1, |exact|); infinite where a float is not finite."""
    with np.errstate(all="ignore"):
        errors = [np.abs(y - x) for x, y in zip(exact, approx, strict=True)]
        relative = [error / np.maximum(1, np.abs(x)) for error, x in zip(errors, exact, strict=True)]
    return _largest(errors), _largest(relative)


def _largest(parts: list[Array]) -> float:
    return max(float(part.max()) if np.isfinite(part).all() else float("inf") for part in parts)


def _right(exact: list[Outputs], approx: list[Array]) -> int:
    """How many sequences have float outputs whose nearest exact outputs (of all sequences) are just their own."""
    from scipy.spatial import KDTree

    places = {point: x for outputs in exact for point, x in zip(outputs.points, outputs.floats.tolist(), strict=True)}
    alone = Counter(map(tuple, places.values()))
    known = [(point, x) for point, x in places.items() if alone[tuple(x)] == 1 and np.isfinite(x).all()]
    others = [x for x in map(list, alone) if alone[tuple(x)] > 1 and np.isfinite(x).all()]  # of several points
    if not known:
        return 0
    names = [*(point for point, _ in known), *([None] * len(others))]
    nearest = KDTree(np.array([x for _, x in known] + others)).query
    return sum(
        bool(np.isfinite(y).all()) and {names[k] for k in nearest(y)[1].tolist()} == set(outputs.points)
        for outputs, y in zip(exact, approx, strict=True)
    )


@dataclass(frozen=True)
class Outputs:
    """The exact outputs of a sequence: a key a token, equal for equal points only, and the nearest floats."""

    points: list[Row]
    floats: Array


def _outputs(batch: Batch, offsets: Array) -> Iterator[Outputs]:
    floats = np.array([[float_of(v) for v in batch.row(r)] for r in range(len(batch.array))])
    keys = batch.keys()
    for start, stop in pairwise(offsets):
        rows = batch.inverse[start:stop]
        yield Outputs([keys[r] for r in rows.tolist()], floats[rows])


def crosscheck_certificate(path: PathLike, backend: Backend | None = None) -> TransformerCheck:
    """Both paths on the sequences of an interpolation certificate."""
    opened = Certificate.open(path)
    data = opened.dataset()
    return crosscheck_transformer(opened.transformer, data.tokens, data.offsets, backend)
