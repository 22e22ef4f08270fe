"""Fast exact evaluation of a whole batch of sequences; agrees with evaluation by definition.

Parallel rows are evaluated by bisection (`pieces`), uniform and rank-one attention in O(n) a sequence;
every other layer by its definition, vectorised over exact integer arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.integers import Array, add, matmul, multiply, narrowed, segment_sums, wide
from exactformer.arithmetic.text import Exact
from exactformer.errors import InvalidInput, NotExact
from exactformer.evaluate.layer_run import LayerRun, runs_of
from exactformer.evaluate.piecewise_linear import Pieces, integer_vector, pieces
from exactformer.model.attention import SelfAttention
from exactformer.model.batch import Batch, sequence_denominators
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Matrix, Outer, Row, Scalar, Zero
from exactformer.model.transformer import Block, Transformer

#: rows evaluated at once: big integers in flight bound the memory
ROWS_AT_ONCE = 1 << 12


@dataclass(frozen=True)
class Linear:
    """x -> M x on rows of integers: x -> (x @ left) @ right / scale, or None for the zero map."""

    factors: tuple[Array, ...] | None
    scale: int

    @classmethod
    def of(cls, m: Matrix, rows: int, columns: int) -> Linear:
        """The matrix in the form that multiplies fastest."""
        if isinstance(m, Zero):
            return cls(None, 1)
        if isinstance(m, Scalar):
            vector, scale = integer_vector((m.c,))
            return cls((vector,), scale)
        if isinstance(m, Outer):
            (column, p), (row, q) = integer_vector(m.column), integer_vector(m.row)
            return cls((row[:, None], column[None, :]), p * q)
        entries = m.dense(rows, columns)
        flat, scale = integer_vector(tuple(v for row in entries for v in row))
        return cls((flat.reshape(rows, columns).T,), scale)

    def times(self, x: Array) -> Array | None:
        """Numerators of M x over `scale`; None where M is zero."""
        if self.factors is None:
            return None
        for factor in self.factors:
            x = multiply(x, factor[None, :]) if factor.ndim == 1 else matmul(x, factor)
        return x


@dataclass(frozen=True)
class GeneralUnits:
    """A feed-forward layer whose rows are not parallel: every unit of every row, exactly."""

    eta: Exact
    U: Linear
    b: tuple[Array, int]
    W: Linear

    def apply(self, batch: Batch) -> Batch:
        """The layer on every row of the batch, by definition."""
        hidden = self.U.times(batch.array)
        bias, bias_scale = self.b
        shift = multiply(bias[None, :] * np.ones((len(batch.array), 1), dtype=object), self.U.scale)
        shift = multiply(shift, batch.denominators[:, None])
        total = shift if hidden is None else add(multiply(hidden, bias_scale), shift)
        active = np.where(np.asarray(total > 0, dtype=bool), total, total * 0)
        moved = self.W.times(active)
        scale = self.U.scale * bias_scale * self.W.scale
        if moved is None:
            moved = batch.array * 0
        return _combine(batch, self.eta, batch.array, batch.denominators, moved, scale)


def _combine(batch: Batch, factor: Exact, array: Array, denominators: Array, moved: Array, scale: object) -> Batch:
    """Rows factor*array/denominators + moved/(scale*denominators), reduced."""
    scales = scale if isinstance(scale, np.ndarray) else np.array([scale], dtype=object)
    below = multiply(denominators, scales)
    if factor == 0:
        return batch.with_rows(moved, below)
    if isinstance(factor, Algebraic):
        return batch.with_rows(add(multiply(array, scales[:, None]) * factor, moved), below)
    p, q = factor.numerator, factor.denominator
    kept = multiply(multiply(array, scales[:, None]), p)
    return batch.with_rows(add(kept, multiply(moved, q)), multiply(below, q))


@dataclass(frozen=True)
class Pooling:
    """An attention layer, compiled: uniform, rank one along (query, key), or general."""

    rho: Exact
    V: Linear
    rank_one: tuple[Array, Array] | None
    general: tuple[Linear, Linear] | None

    def apply(self, batch: Batch) -> Batch:
        """The layer on every sequence of the batch, with all ties and multiplicities."""
        array, common = sequence_denominators(batch)
        if self.rank_one is not None:
            sums, counts = _rank_one_sums(batch, array, *self.rank_one)
        elif self.general is not None:
            sums, counts = _general_sums(batch, array, *self.general)
        else:
            return self._uniform(batch, array, common)
        moved = self.V.times(sums)
        scale = multiply(narrowed(counts), self.V.scale)
        moved = array * 0 if moved is None else moved
        return _combine(batch, self.rho, array, common[batch.sequence_of_row], moved, scale)

    @property
    def collapses(self) -> bool:
        """Whether the layer makes one row of every sequence: the mean and nothing of the token itself."""
        return self.rank_one is None and self.general is None and bool(self.rho == 0)

    def _uniform(self, batch: Batch, array: Array, common: Array) -> Batch:
        """Mean pooling; with rho = 0 every sequence becomes one point."""
        owner = batch.sequence_of_row
        sums = segment_sums(multiply(array, batch.weights[:, None]), batch.offsets)
        counts = segment_sums(batch.weights, batch.offsets)
        moved = self.V.times(sums)
        moved = sums * 0 if moved is None else moved
        scale = multiply(counts, self.V.scale)
        if self.collapses:
            ones = np.arange(len(batch.offsets))
            collapsed = Batch(batch.array, batch.denominators, ones, counts, owner[batch.inverse])
            return collapsed.with_rows(moved, multiply(common, scale))
        return _combine(batch, self.rho, array, common[owner], moved[owner], scale[owner])


def _rank_one_sums(batch: Batch, array: Array, query: Array, key: Array) -> tuple[Array, Array]:
    """Sums and counts over C_i: the maximisers of <key, x_j> where <query, x_i> > 0, the minimisers
    where it is < 0, and everything where it is 0."""
    heights, sides = matmul(array, key), matmul(array, query)
    owner, starts = batch.sequence_of_row, batch.offsets[:-1]
    weighted = multiply(array, batch.weights[:, None])
    sign = np.asarray(sides > 0, dtype=bool).astype(int) - np.asarray(sides < 0, dtype=bool).astype(int)
    sums, counts = wide(array).copy(), np.ones(len(array), dtype=np.int64)
    for side, extreme in ((1, np.maximum), (-1, np.minimum), (0, None)):
        rows = sign == side
        if not rows.any():
            continue
        chosen = np.ones(len(array), dtype=bool)
        if extreme is not None:
            chosen = np.asarray(heights == extreme.reduceat(heights, starts)[owner], dtype=bool)
        total = segment_sums(weighted * chosen[:, None], batch.offsets)
        number = segment_sums(batch.weights * chosen, batch.offsets)
        sums[rows], counts[rows] = total[owner[rows]], number[owner[rows]]
    return narrowed(sums), counts


def _general_sums(batch: Batch, array: Array, Q: Linear, K: Linear) -> tuple[Array, Array]:
    """Sums and counts over C_i from all n^2 scores of each sequence."""
    queries, keys = (array * 0 if x is None else x for x in (Q.times(array), K.times(array)))
    weighted = multiply(array, batch.weights[:, None])
    sums, counts = wide(array).copy(), np.ones(len(array), dtype=np.int64)
    for start, stop in zip(batch.offsets[:-1], batch.offsets[1:], strict=True):
        scores = matmul(queries[start:stop], keys[start:stop].T)
        chosen = np.asarray(scores == scores.max(axis=1)[:, None], dtype=bool).astype(np.int64)
        sums[start:stop] = matmul(chosen, weighted[start:stop])
        counts[start:stop] = chosen @ batch.weights[start:stop]
    return narrowed(sums), counts


def attention_choices(batch: Batch, layer: SelfAttention, dim: int) -> Iterator[tuple[Array, list[Exact | None]]]:
    """For every sequence: which rows each row attends to, and each row's gap from the best score to the next."""
    if layer.is_uniform:
        for count in np.diff(batch.offsets):
            yield np.ones((count, count), dtype=bool), [None] * count
        return
    array, common = sequence_denominators(batch)
    height = len(layer.Q.dense(dim, dim))
    Q, K = Linear.of(layer.Q, height, dim), Linear.of(layer.K, height, dim)
    queries, keys = (array * 0 if x is None else x for x in (Q.times(array), K.times(array)))
    for j, (start, stop) in enumerate(zip(batch.offsets[:-1], batch.offsets[1:], strict=True)):
        scores = wide(matmul(queries[start:stop], keys[start:stop].T))
        scale = int(common[j]) ** 2 * Q.scale * K.scale
        chosen = np.asarray(scores == scores.max(axis=1)[:, None], dtype=bool)
        yield chosen, [_gap(row, best, scale) for row, best in zip(scores, chosen, strict=True)]


def _gap(scores: Array, best: Array, scale: int) -> Exact | None:
    """Best minus second-best score; None where every score is best."""
    if best.all():
        return None
    gap = scores[best][0] - max(scores[~best])
    return gap / scale if isinstance(gap, Algebraic) else Fraction(int(gap), scale)


def compile_attention(layer: SelfAttention, dim: int) -> Pooling:
    """The attention layer in the form that evaluates fastest."""
    V = Linear.of(layer.V, dim, dim)
    if layer.is_uniform:
        return Pooling(layer.rho, V, None, None)
    if layer.beta is not None:
        raise NotExact(
            "softmax weights are not rational: enclose the outputs with exactformer run --attention softmax, or with "
            "Transformer.enclose(tokens, bits=...)"
        )
    split = _rank_one_form(layer.Q, layer.K, dim)
    if split is not None:
        return Pooling(layer.rho, V, (integer_vector(split[0])[0], integer_vector(split[1])[0]), None)
    height = len(layer.Q.dense(dim, dim))
    return Pooling(layer.rho, V, None, (Linear.of(layer.Q, height, dim), Linear.of(layer.K, height, dim)))


def _rank_one_form(Q: Matrix, K: Matrix, dim: int) -> tuple[Row, Row] | None:
    """(q, k) with <Q x, K y> = <q, x><k, y>, if Q or K is stored with rank one; None otherwise."""
    if isinstance(Q, Outer):
        return Q.row, _pull_back(K, Q.column, dim)
    if isinstance(K, Outer):
        return _pull_back(Q, K.column, dim), K.row
    if len(Q.dense(dim, dim)) == 1:
        return Q.dense(dim, dim)[0], K.dense(dim, dim)[0]
    return None


def _pull_back(m: Matrix, column: Row, dim: int) -> Row:
    """m' column."""
    rows = m.dense(len(column), dim)
    return tuple(sum((c * row[k] for c, row in zip(column, rows, strict=True)), Fraction(0)) for k in range(dim))


def compile_feed_forward(layer: FeedForward, dim: int) -> Pieces | GeneralUnits:
    """The feed-forward layer as pieces where its rows are parallel, else unit by unit."""
    split = pieces(layer, dim)
    if split is not None:
        return split
    U, W = Linear.of(layer.U, layer.width, dim), Linear.of(layer.W, dim, layer.width)
    return GeneralUnits(layer.eta, U, integer_vector(layer.b), W)


CompiledLayer = Pieces | GeneralUnits | Pooling | LayerRun


@dataclass(frozen=True)
class CompiledTransformer:
    """The layers of a transformer in the form that evaluates fastest; plain arrays, which workers can be sent."""

    dim: int
    layers: tuple[CompiledLayer, ...]

    def strides(self, count: int) -> Iterator[CompiledTransformer]:
        """So many layers at a time."""
        for start in range(0, len(self.layers), count):
            yield CompiledTransformer(self.dim, self.layers[start : start + count])

    def evaluate(self, batch: Batch) -> Batch:
        """The exact images of all sequences of a batch."""
        collapses = any(isinstance(layer, Pooling) and layer.collapses for layer in self.layers)
        rows = len(batch.offsets) - 1 if collapses else len(batch.array)
        return Batch.join(self.evaluate_parts(batch), rows)

    def evaluate_parts(self, batch: Batch) -> Iterator[Batch]:
        """The exact images, some sequences at a time: big integers of a few thousand rows are held at once."""
        if batch.array.shape[1] != self.dim:
            raise InvalidInput(f"expected tokens of dimension {self.dim}, got {batch.array.shape[1]}")
        return map(self._evaluate_part, batch.parts(ROWS_AT_ONCE))

    def _evaluate_part(self, batch: Batch) -> Batch:
        for layer in self.layers:
            batch = layer.apply(batch)
        return batch


def compile_transformer(transformer: Transformer) -> CompiledTransformer:
    """The layers of a transformer in the form that evaluates fastest."""
    layers: list[CompiledLayer] = []
    for block in transformer.blocks:
        if block.feed_forward is not None:
            layers.append(compile_feed_forward(block.feed_forward, transformer.dim))
        if block.self_attention is not None:
            layers.append(compile_attention(block.self_attention, transformer.dim))
    return CompiledTransformer(transformer.dim, tuple(runs_of(layers)))


def follower_sets(transformer: Transformer, batch: Batch) -> list[list[tuple[int, ...]] | None]:
    """C_i of every token of one sequence in every block; None for a block without attention."""
    sets: list[list[tuple[int, ...]] | None] = []
    for block in transformer:
        batch = Transformer(transformer.dim, [Block(block.feed_forward)]).evaluate(batch)
        if block.self_attention is None:
            sets.append(None)
            continue
        chosen, _ = next(attention_choices(batch, block.self_attention, transformer.dim))
        rows = batch.inverse.tolist()
        sets.append([tuple(j for j, r in enumerate(rows) if chosen[i, r]) for i in rows])
        batch = Transformer(transformer.dim, [Block(None, block.self_attention)]).evaluate(batch)
    return sets
