"""A given softmax transformer, rigorously: balls (Arb matrices) around every output, at any precision.

Nothing is assumed of the network. About a dozen bits are lost in a block, whatever the precision, so 128 bits serve
some ten blocks; a question that stays undecided is asked again with twice the bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from exactformer.arithmetic.ball import dyadic, least_ball
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import Exact
from exactformer.errors import InvalidInput, NotExact
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Matrix
from exactformer.model.transformer import Transformer

#: bits of the first attempt
FIRST_BITS = 128

#: the largest exponent of two of an end, and 2 to it
_RANGE = 1 << 16
_LARGE = arb(2) ** _RANGE

Ends = tuple[Fraction, Fraction]
BallLayer = Callable[[arb_mat], arb_mat]


class BallTransformer:
    """The transformer with softmax attention at inverse temperature beta, its weights rounded to balls of `bits` bits.

    >>> from exactformer.model.transformer import Block
    >>> mean = Block(None, SelfAttention(0, {"scalar": 1}, {"scalar": 1}, {"scalar": 1}))
    >>> low, high = BallTransformer(Transformer(1, [mean]), Fraction(1), 64).enclose(State.of([[0], [1]]))[1][0]
    >>> float(low), float(high), 0 < high - low < Fraction(1, 2**50)
    (0.7310585786300049, 0.7310585786300049, True)
    """

    def __init__(self, transformer: Transformer, beta: Fraction, bits: int = FIRST_BITS) -> None:
        self.dim, self.bits = transformer.dim, bits
        self.layers: list[BallLayer] = []
        with ctx.workprec(bits):
            for block in transformer:
                if block.feed_forward is not None:
                    self.layers.append(_FeedForward(block.feed_forward, self.dim))
                if block.self_attention is not None:
                    self.layers.append(_Attention(block.self_attention, self.dim, beta))

    def images(self, tokens: State) -> arb_mat:
        """The matrix of balls around the output tokens, one per row."""
        if tokens.dim != self.dim:
            raise InvalidInput(f"expected tokens of dimension {self.dim}, got {tokens.dim}")
        with ctx.workprec(self.bits):
            x = arb_mat([[_ball(v) for v in row] for row in tokens.rows()])
            for layer in self.layers:
                x = layer(x)
            return x

    def enclose(self, tokens: State) -> list[list[Ends]]:
        """Rational ends low <= value <= high of every coordinate of every output token."""
        return [[ends(v) for v in row] for row in self.images(tokens).tolist()]


class _FeedForward:
    """x -> eta*x + W relu(U x + b) on the rows of a matrix."""

    def __init__(self, layer: FeedForward, dim: int) -> None:
        self.eta = _ball(layer.eta)
        self.U = _matrix(layer.U, layer.width, dim).transpose()
        self.W = _matrix(layer.W, dim, layer.width).transpose()
        self.b = [_ball(v) for v in layer.b]

    def __call__(self, x: arb_mat) -> arb_mat:
        zero = arb(0)
        hidden = [[(v + b).max(zero) for v, b in zip(row, self.b, strict=True)] for row in (x * self.U).tolist()]
        return x * self.eta + arb_mat(hidden) * self.W


class _Attention:
    """x_i -> rho*x_i + V (softmax mean) on the rows of a matrix."""

    def __init__(self, layer: SelfAttention, dim: int, beta: Fraction) -> None:
        self.rho, self.V = _ball(layer.rho), _matrix(layer.V, dim, dim).transpose()
        self.uniform = layer.is_uniform
        height = max(len(m.dense(1, dim)) for m in (layer.Q, layer.K))
        self.Q = _matrix(layer.Q, height, dim).transpose() * _ball(beta)
        self.K = _matrix(layer.K, height, dim)

    def __call__(self, x: arb_mat) -> arb_mat:
        weights = self._weights(x)
        means = []
        for total, row in zip(map(_total, weights.tolist()), (weights * x).tolist(), strict=True):
            means.append([v / total for v in row])
        return x * self.rho + arb_mat(means) * self.V

    def _weights(self, x: arb_mat) -> arb_mat:
        """exp(score_ij - largest score of row i), or ones."""
        n = x.nrows()
        if self.uniform:
            return arb_mat(n, n, [1] * (n * n))
        scores = (x * self.Q) * (self.K * x.transpose())
        return arb_mat([[(s - top).exp() for s in row] for row, top in ((r, _largest(r)) for r in scores.tolist())])


def _total(row: list[arb]) -> arb:
    return sum(row, arb(0))


def _largest(row: list[arb]) -> arb:
    """A number near the largest of the row: subtracted from all scores, it changes no weight."""
    return max(v.mid() for v in row)  # balls of radius 0: compared exactly, of any size


def _ball(number: Exact) -> arb:
    if not isinstance(number, Fraction):
        raise NotExact(f"expected rational numbers, got the algebraic number {number}")
    return arb(fmpq(number.numerator, number.denominator))


def _matrix(m: Matrix, rows: int, columns: int) -> arb_mat:
    return arb_mat([[_ball(v) for v in row] for row in m.dense(rows, columns)])


def is_bounded(ball: arb) -> bool:
    """Whether the ball lies within 2^65536: what is larger has no ends that could be written down."""
    return bool(ball.is_finite() and abs(ball) < _LARGE)


def ends(ball: arb) -> Ends:
    """Rational ends of a ball; NotExact where they are too large.

    Exponentials of far scores are as small as 2^-(2^600): what is below 2^-65536 widens the ends by that much.

    >>> ends(arb(3)), ends(arb(-(2**40)).exp()) == (Fraction(-2, 2**65536), Fraction(2, 2**65536))
    ((Fraction(3, 1), Fraction(3, 1)), True)
    """
    if not is_bounded(ball):
        raise NotExact("an enclosure has no finite ends at this precision: raise the bits")
    parts = [ball.mid(), ball.rad()]
    kept = [Fraction(0) if abs(part) < 1 / _LARGE else dyadic(part) for part in parts]
    widened = (
        0 if all(part == 0 or value for part, value in zip(parts, kept, strict=True)) else Fraction(2, 1 << _RANGE)
    )
    return kept[0] - kept[1] - widened, kept[0] + kept[1] + widened


class NearestLabel(NamedTuple):
    """The label nearest to the outputs; None: the enclosures do not decide between `candidates`."""

    label: str | None
    candidates: tuple[str, ...]


def nearest_label(images: arb_mat, points: Mapping[str, State], bits: int) -> NearestLabel:
    """The label whose targets are nearest: the mean over the output tokens of the squared distance to its targets.

    >>> points = {"cat": State.of([[0]]), "dog": State.of([[2]])}
    >>> nearest_label(arb_mat([[arb(0.5)], [arb(0.25)]]), points, 64).label
    'cat'
    """
    with ctx.workprec(bits):
        rows = images.tolist()
        distances = {
            label: sum((least_ball([_distance2(x, y) for y in targets.rows()]) for x in rows), arb(0))
            for label, targets in points.items()
        }
        best = min(v.upper() for v in distances.values())
        candidates = tuple(label for label, v in distances.items() if not v > best)
    return NearestLabel(candidates[0] if len(candidates) == 1 else None, candidates)


def _distance2(x: list[arb], y: tuple[Exact, ...]) -> arb:
    gaps = [v - _ball(c) for v, c in zip(x, y, strict=True)]
    return sum((gap * gap for gap in gaps), arb(0))
