"""Softmax attention on boxes, for every temperature of a range at once, and transformers made of such layers.

Rule A (every beta >= b, and hardmax) uses one fact about the exponential, e^-t <= 2^-floor(10t/7); rule B (every beta
of [b, c]) encloses its values. Every step is defined in proofs_check/FORMAT.md, and proved in
mathematics/softmax#lemma-2; nothing is assumed of the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flint import fmpq

from exactformer.arithmetic.interval import (
    ONE,
    ZERO,
    Box,
    Interval,
    exp_minus,
    form,
    hull,
    minus,
    outward,
    plus,
    product,
    rational,
    scaled,
)
from exactformer.evaluate.box_run import runs_on_boxes
from exactformer.evaluate.boxes import Boxes, BoxFeedForward, FlintRow, matrix_rows, weight
from exactformer.model.attention import SelfAttention
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Transformer

#: e^(7/10) > 2, so e^-t <= 2^-(10t/7)
HALVINGS = fmpq(10, 7)


class BoxTransformer:
    """A transformer with softmax attention, compiled for boxes and a range of temperatures.

    >>> from exactformer.model.transformer import Block
    >>> follow = Block(None, SelfAttention(0, {"scalar": 1}, {"scalar": 1}, {"scalar": 1}))
    >>> boxes = BoxTransformer(Transformer(1, [follow]), Temperatures.of(9, None)).enclose(Boxes.of([[1], [2]]), 16)
    >>> [[str(v) for v in x] for x in boxes.rows()[0]]
    [['8191/4096', '2']]
    """

    def __init__(self, transformer: Transformer, beta: Temperatures) -> None:
        dim = transformer.dim
        layers: list[BoxFeedForward | BoxAttention] = []
        for block in transformer:
            if block.feed_forward is not None:
                layers.append(BoxFeedForward(block.feed_forward, dim))
            if block.self_attention is not None:
                layers.append(BoxAttention(block.self_attention, dim, beta))
        self.layers = list(runs_on_boxes(layers))

    def enclose(self, state: Boxes, bits: int) -> Boxes:
        """Boxes that contain the image of every token at every temperature of the range; points are exact."""
        for layer in self.layers:
            state = layer.apply(state, bits).merged()
        return state


class BoxAttention:
    """x_i -> rho*x_i + V (softmax mean) on boxes, for every temperature of a range."""

    def __init__(self, layer: SelfAttention, dim: int, beta: Temperatures) -> None:
        self.rho = weight(layer.rho)
        self.V = matrix_rows(layer.V, dim, dim)
        self.Q: tuple[FlintRow, ...] = ()
        self.K: tuple[FlintRow, ...] = ()
        if not layer.is_uniform:
            self.Q, self.K = (matrix_rows(m, dim, dim) for m in (layer.Q, layer.K))
        self.low, self.high = rational(beta.low), None if beta.high is None else rational(beta.high)

    def apply(self, state: Boxes, bits: int) -> Boxes:
        """Boxes around the images of all tokens, rounded outward to 2^-bits; equal queries share their mean."""
        queries = [tuple(form(row, x) for row in self.Q) for x in state.boxes]
        if self.high is None and len(self.Q) == 1:
            queries = _one_per_sign(queries)
        keys = [tuple(form(row, x) for row in self.K) for x in state.boxes]
        moves = {}
        for query in set(queries):
            mean = self._mean(query, keys, state, bits)
            moves[query] = tuple(form(row, mean) for row in self.V)
        images = [
            tuple(outward(plus(scaled(self.rho, v), w), bits) for v, w in zip(x, moves[q], strict=True))
            for x, q in zip(state.boxes, queries, strict=True)
        ]
        return Boxes(tuple(images), state.counts)

    def _mean(self, query: Box, keys: list[Box], state: Boxes, bits: int) -> Box:
        """A box that contains the mean of the tokens weighted by exp(beta <query, key>), whatever beta of the range."""
        scores = [sum(((q[0] + q[1]) * (k[0] + k[1]) for q, k in zip(query, key, strict=True)), ZERO) for key in keys]
        best = scores.index(max(scores))
        gaps = [(ZERO, ZERO) if j == best else _score_gap(query, keys[best], key) for j, key in enumerate(keys)]
        if not any(map(any, gaps)):
            return _uniform_mean(state)
        if self.high is None:
            return _dominated_mean(state, best, [self.low * gap for gap, _ in gaps], bits)
        return _weighted_mean(state, best, [product((self.low, self.high), gap) for gap in gaps], bits)


def _one_per_sign(queries: list[Box]) -> list[Box]:
    """Scores of rank one: all positive queries replaced by their hull, and all negative ones by theirs."""
    positive = {query for query in queries if query[0][0] > 0}
    negative = {query for query in queries if query[0][1] < 0}
    common = {query: _hull_of(group) for group in (positive, negative) for query in group}
    return [common.get(query, query) for query in queries]


def _score_gap(query: Box, best: Box, key: Box) -> Interval:
    """<query, best - key>; the difference of the keys first, so that for one row the sign is exact."""
    gap = (ZERO, ZERO)
    for q, a, b in zip(query, best, key, strict=True):
        gap = plus(gap, product(q, minus(a, b)))
    return gap


def _uniform_mean(state: Boxes) -> Box:
    """The mean with all weights equal."""
    share = fmpq(1, sum(state.counts))
    columns = zip(*state.boxes, strict=True)
    weighted = ([scaled(fmpq(n), x) for n, x in zip(state.counts, column, strict=True)] for column in columns)
    return tuple(scaled(share, (sum((a for a, _ in part), ZERO), sum((b for _, b in part), ZERO))) for part in weighted)


def _dominated_mean(state: Boxes, best: int, gaps: Sequence[fmpq], bits: int) -> Box:
    """Rule A. `gaps` bound beta_0 (score of best - score of j) from below.

    The mass of the tokens with a positive gap is at most eps for every beta >= beta_0 and 0 for hardmax, so the mean
    is (1-p)a + p b with a in the hull of the others (the best among them), b in that of these, and 0 <= p <= eps.
    """
    rest = [j for j, gap in enumerate(gaps) if gap > 0]
    highest = _hull_of(state.boxes[j] for j, gap in enumerate(gaps) if gap <= 0)
    if not rest:
        return highest
    halvings = {j: min(bits, int((HALVINGS * gaps[j]).floor())) for j in rest}
    mass = fmpq(sum(state.counts[j] << (bits - halvings[j]) for j in rest), state.counts[best] << bits)
    eps = min(ONE, mass)
    others = _hull_of(state.boxes[j] for j in rest)
    return tuple(
        (a[0] + min(ZERO, eps * (b[0] - a[0])), a[1] + max(ZERO, eps * (b[1] - a[1])))
        for a, b in zip(highest, others, strict=True)
    )


def _weighted_mean(state: Boxes, best: int, gaps: Sequence[Interval], bits: int) -> Box:
    """Rule B. `gaps` enclose beta (score of best - score of j); the mean is x_best + sum w_j (x_j - x_best) / sum w."""
    whole = _hull_of(state.boxes)
    if any(low < -(bits // 2) for low, _ in gaps):
        return whole
    weights = [scaled(fmpq(n), _exponential(gap, bits)) for n, gap in zip(state.counts, gaps, strict=True)]
    share = (1 / sum((high for _, high in weights), ZERO), 1 / sum((low for low, _ in weights), ZERO))
    mean = []
    for column, bound in zip(zip(*state.boxes, strict=True), whole, strict=True):
        total = _pull(weights, column, best)
        low, high = plus(column[best], product(total, share))
        mean.append((max(low, bound[0]), min(high, bound[1])))
    return tuple(mean)


def _pull(weights: Sequence[Interval], column: Sequence[Interval], best: int) -> Interval:
    """sum over j != best of w_j (x_j - x_best) in one coordinate; the weights are positive, which decides the ends."""
    (first, last), low, high = column[best], ZERO, ZERO
    for j, ((least, most), (a, b)) in enumerate(zip(weights, column, strict=True)):
        if j != best:
            down, up = a - last, b - first
            low += down * (least if down >= 0 else most)
            high += up * (most if up >= 0 else least)
    return low, high


def _exponential(gap: Interval, bits: int) -> Interval:
    """{e^-t : t in the gap}."""
    low, high = gap
    first = _exponential_at(low, bits)
    return (first if high == low else _exponential_at(high, bits))[0], first[1]


def _exponential_at(t: fmpq, bits: int) -> Interval:
    """An interval around e^-t."""
    if t >= 0:
        return exp_minus(t, bits)
    least, most = exp_minus(-t, bits)
    return 1 / most, 1 / least


def _hull_of(boxes: Iterable[Box]) -> Box:
    """The least box around the given ones."""
    return tuple(map(hull, zip(*boxes, strict=True)))
