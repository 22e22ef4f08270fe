"""Self-attention, by its definition: hardmax with every tie counted, or softmax in balls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactformer.arithmetic.ball import Ball
from exactformer.arithmetic.number import Num, NumberKind, exactly
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.text import Exact, NumberLike, exact
from exactformer.errors import NotExact
from exactformer.model.matrix import Matrix, MatrixLike, Outer, Scalar, bit_size, dot, matrix, score_height

_IDENTITY = Scalar(1)


@short_repr
@dataclass(frozen=True)
class AttentionStep:
    """What one attention layer did: `outputs`, the maximisers `follows[i]` = C_i, and the scores."""

    outputs: list[list[Num]]
    follows: list[tuple[int, ...]]
    scores: list[list[Num]]

    def explain(self, i: int) -> str:
        """Token i's scores and maximisers in words."""
        best = self.scores[i][self.follows[i][0]]
        others = [s for j, s in enumerate(self.scores[i]) if j not in self.follows[i]]
        gap = f"; the next best score is {max(others)}" if others else ""
        return f"token {i} attends to {', '.join(map(str, self.follows[i]))} with score {best}{gap}"


@short_repr
@dataclass(frozen=True)
class SelfAttention:
    """x_i -> rho*x_i + V mean_{j in C_i} x_j, C_i = argmax_j <Q x_i, K x_j> with every tie.

    Q and K are the identity unless given. With `beta` the mean is weighted by exp(beta <Q x_i, K x_j>) instead (softmax
    at inverse temperature beta).

    >>> layer = SelfAttention(rho=0, V={"scalar": 1}, Q={"scalar": 1}, K={"scalar": 1})
    >>> layer.step([[1], [2], [-1]]).follows
    [(1,), (1,), (2,)]
    """

    rho: Exact
    V: Matrix
    Q: Matrix
    K: Matrix
    beta: Exact | None = None

    def __init__(
        self,
        rho: NumberLike,
        V: MatrixLike,
        Q: MatrixLike = _IDENTITY,
        K: MatrixLike = _IDENTITY,
        beta: NumberLike | None = None,
    ) -> None:
        object.__setattr__(self, "rho", exact(rho, "rho"))
        for name, value in (("V", V), ("Q", Q), ("K", K)):
            object.__setattr__(self, name, matrix(value))
        object.__setattr__(self, "beta", None if beta is None else exact(beta, "beta"))

    @property
    def parameters(self) -> int:
        """The nonzero numbers stored."""
        return (1 if self.rho else 0) + sum(m.parameters for m in (self.V, self.Q, self.K))

    def dense_parameters(self, dim: int) -> int:
        """The numbers of the same layer with dense d-by-d matrices."""
        return 1 + 3 * dim * dim

    @property
    def bits(self) -> int:
        """Bits of the largest integer stored."""
        return max(self.V.bits, self.Q.bits, self.K.bits, bit_size(self.rho))

    @property
    def is_uniform(self) -> bool:
        """Whether every score is zero, so that every token attends to all (mean pooling)."""
        return self.Q.is_zero or self.K.is_zero

    def score_rank(self, dim: int) -> int:
        """An upper bound of the rank of the score form <Q x, K y>, read off the stored forms."""
        if self.is_uniform:
            return 0
        one = isinstance(self.Q, Outer) or isinstance(self.K, Outer)
        return 1 if one else min(dim, score_height(self.Q, self.K, dim))

    def verify_shape(self, dim: int, where: str) -> None:
        """Raises InvalidInput unless the layer acts on dimension `dim`."""
        self.V.verify_shape(dim, dim, f"{where} V")
        for name, m in (("Q", self.Q), ("K", self.K)):
            m.verify_shape(None, dim, f"{where} {name}")
        score_height(self.Q, self.K, dim, where)

    def step(self, tokens: Sequence[Sequence[Num]], kind: NumberKind = exactly) -> AttentionStep:
        """One layer by definition, in numbers of the given kind, with its follower sets and scores."""
        dim = len(tokens[0])
        zero = kind(Fraction(0))
        if self.is_uniform:
            scores = [[zero] * len(tokens) for _ in tokens]
            follows = [tuple(range(len(tokens)))] * len(tokens)
        else:
            height = score_height(self.Q, self.K, dim)
            queries = [self.Q.times(x, height, kind) for x in tokens]
            keys = [self.K.times(x, height, kind) for x in tokens]
            scores = [[dot(q, k) + zero for k in keys] for q in queries]
            follows = [] if self.beta is not None else [argmax(row) for row in scores]
        if self.beta is None or self.is_uniform:
            means = [mean_of(tokens, c) for c in follows]
        else:
            means, follows = [_softmax_mean(tokens, row, kind(self.beta)) for row in scores], []
        rho = kind(self.rho)
        outputs = [
            [rho * v + w for v, w in zip(x, self.V.times(m, dim, kind), strict=True)]
            for x, m in zip(tokens, means, strict=True)
        ]
        return AttentionStep(outputs, follows, scores)


def argmax(scores: Sequence[Num]) -> tuple[int, ...]:
    """Every index of a largest score; raises Undecided where an order is not known."""
    best = [0]
    for j in range(1, len(scores)):
        if scores[best[0]] < scores[j]:
            best = [j]
        elif not scores[j] < scores[best[0]]:
            best.append(j)
    return tuple(best)


def mean_of(tokens: Sequence[Sequence[Num]], chosen: Sequence[int]) -> list[Num]:
    """The mean of the tokens with these indices, each index counted once."""
    total = list(tokens[chosen[0]])
    for j in chosen[1:]:
        total = [a + b for a, b in zip(total, tokens[j], strict=True)]
    return [a / Fraction(len(chosen)) if isinstance(a, (int, Fraction)) else a / len(chosen) for a in total]


def _softmax_mean(tokens: Sequence[Sequence[Num]], scores: Sequence[Num], beta: Num) -> list[Num]:
    if not isinstance(beta, Ball):
        raise NotExact("softmax weights are not rational: evaluate in balls with Transformer.enclose(tokens, bits=...)")
    weights = [(beta * (s - scores[0])).exp() for s in scores]
    total = weights[0]
    for w in weights[1:]:
        total = total + w
    return [dot(weights, column) / total for column in zip(*tokens, strict=True)]
