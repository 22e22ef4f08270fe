"""Attention with several heads, masks and tie rules, by its definition in exact arithmetic.

The order of the tokens matters here, unlike in `SelfAttention`: nothing that merges equal tokens may be used unless
`is_symmetric` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from exactformer.arithmetic.number import Num, NumberKind, exactly
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.text import Exact, NumberLike, exact
from exactformer.errors import InvalidInput
from exactformer.model.attention import SelfAttention, argmax, mean_of
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Matrix, MatrixLike, dot, matrix, score_height
from exactformer.model.transformer import Block

#: what position i sees: everything, j < i, j <= i, j > i, j >= i
Mask = Literal["before", "upto", "after", "from"] | None
#: which of the maximisers are followed
TieRule = Literal["all", "first", "last"]

MASKS: tuple[Mask, ...] = (None, "before", "upto", "after", "from")
TIES: tuple[TieRule, ...] = get_args(TieRule)


def seen_positions(mask: Mask, i: int, n: int) -> range:
    """The positions that position i of n sees.

    >>> seen_positions("before", 2, 4), seen_positions("from", 2, 4)
    (range(0, 2), range(2, 4))
    """
    if mask is None:
        return range(n)
    return {"before": range(i), "upto": range(i + 1), "after": range(i + 1, n), "from": range(i, n)}[mask]


def choose(maximisers: tuple[int, ...], ties: TieRule) -> tuple[int, ...]:
    """The maximisers that are followed: all, the first, or the last."""
    return maximisers if ties == "all" else maximisers[:1] if ties == "first" else maximisers[-1:]


@short_repr
@dataclass(frozen=True)
class Head:
    """x_i -> V mean_{j in C_i} x_j, C_i the maximisers of <Q x_i, K x_j> among visible j: all, the first or the last.

    Where i sees nothing the head adds 0.

    >>> Head({"scalar": 1}, {"zero": True}, {"zero": True}, mask="before", ties="last").follows([[5], [7], [7]])
    [(), (0,), (1,)]
    """

    V: Matrix
    Q: Matrix
    K: Matrix
    mask: Mask = None
    ties: TieRule = "all"

    def __init__(self, V: MatrixLike, Q: MatrixLike, K: MatrixLike, mask: Mask = None, ties: TieRule = "all") -> None:
        for name, value in (("V", V), ("Q", Q), ("K", K)):
            object.__setattr__(self, name, matrix(value))
        if mask not in MASKS or ties not in TIES:
            raise InvalidInput(
                f"expected a mask None, before, upto, after or from and ties all, first or last, got {mask!r}, {ties!r}"
            )
        object.__setattr__(self, "mask", mask)
        object.__setattr__(self, "ties", ties)

    @property
    def is_symmetric(self) -> bool:
        """Whether the order of the tokens cannot matter."""
        return self.mask is None and self.ties == "all"

    @property
    def is_uniform(self) -> bool:
        """Whether every score is zero."""
        return self.Q.is_zero or self.K.is_zero

    @property
    def parameters(self) -> int:
        """The nonzero numbers stored."""
        return sum(m.parameters for m in (self.V, self.Q, self.K))

    def verify_shape(self, dim: int, where: str) -> None:
        """Raises InvalidInput unless the head acts on dimension `dim`."""
        SelfAttention(0, self.V, self.Q, self.K).verify_shape(dim, where)

    def follows(self, tokens: Sequence[Sequence[Num]], kind: NumberKind = exactly) -> list[tuple[int, ...]]:
        """C_i of every position; raises Undecided where an order of scores is not known."""
        height, zero = score_height(self.Q, self.K, len(tokens[0])), kind(Fraction(0))
        queries, keys = ([m.times(x, height, kind) for x in tokens] for m in (self.Q, self.K))
        found = []
        for i, query in enumerate(queries):
            seen = seen_positions(self.mask, i, len(tokens))
            best = argmax([dot(query, keys[j]) + zero for j in seen]) if seen else ()
            found.append(tuple(seen[j] for j in choose(best, self.ties)))
        return found


@short_repr
@dataclass(frozen=True)
class MultiHeadStep:
    """What one attention with heads did: `outputs`, and `follows[h][i]` = C_i of head h."""

    outputs: list[list[Num]]
    follows: list[list[tuple[int, ...]]]


@short_repr
@dataclass(frozen=True)
class MultiHeadAttention:
    """x_i -> rho*x_i + sum over the heads of V mean_{j in C_i} x_j; all heads read the same x.

    >>> head = Head({"scalar": 1}, {"zero": True}, {"zero": True}, mask="upto")
    >>> MultiHeadAttention(0, [head, head]).step([[Fraction(1)], [Fraction(2)]]).outputs
    [[Fraction(2, 1)], [Fraction(3, 1)]]
    """

    rho: Exact
    heads: tuple[Head, ...]

    def __init__(self, rho: NumberLike, heads: Iterable[Head]) -> None:
        object.__setattr__(self, "rho", exact(rho, "rho"))
        object.__setattr__(self, "heads", tuple(heads))
        if not self.heads:
            raise InvalidInput("expected at least one head, got none; a block that only scales is a feed-forward part")

    @property
    def is_symmetric(self) -> bool:
        """Whether the order of the tokens cannot matter: no mask, and ties to all, in every head."""
        return all(head.is_symmetric for head in self.heads)

    @property
    def parameters(self) -> int:
        """The nonzero numbers stored."""
        return (1 if self.rho else 0) + sum(head.parameters for head in self.heads)

    def verify_shape(self, dim: int, where: str) -> None:
        """Raises InvalidInput unless the layer acts on dimension `dim`."""
        for h, head in enumerate(self.heads):
            head.verify_shape(dim, f"{where}, head {h}")

    def step(self, tokens: Sequence[Sequence[Num]], kind: NumberKind = exactly) -> MultiHeadStep:
        """One layer by definition, in numbers of the given kind."""
        rho, dim = kind(self.rho), len(tokens[0]) if tokens else 0
        outputs = [[rho * v for v in x] for x in tokens]
        follows = [head.follows(tokens, kind) if tokens else [] for head in self.heads]
        for head, chosen in zip(self.heads, follows, strict=True):
            for i, c in enumerate(chosen):
                if c:
                    added = head.V.times(mean_of(tokens, c), dim, kind)
                    outputs[i] = [a + b for a, b in zip(outputs[i], added, strict=True)]
        return MultiHeadStep(outputs, follows)


@short_repr
@dataclass(frozen=True)
class MultiHeadBlock:
    """Feed-forward, then attention with heads; None is the identity."""

    feed_forward: FeedForward | None = None
    self_attention: MultiHeadAttention | None = None

    @classmethod
    def of(cls, block: Block) -> MultiHeadBlock:
        """The same block as one of a `Transformer`: one head without a mask, ties to all."""
        sa = block.self_attention
        if sa is not None and sa.beta is not None:
            raise InvalidInput("expected hardmax attention, got softmax; heads follow exact maximisers")
        return cls(block.feed_forward, None if sa is None else MultiHeadAttention(sa.rho, [Head(sa.V, sa.Q, sa.K)]))

    @property
    def heads(self) -> tuple[Head, ...]:
        """The heads; none without attention."""
        return () if self.self_attention is None else self.self_attention.heads

    @property
    def parameters(self) -> int:
        """The nonzero numbers stored."""
        return sum(layer.parameters for layer in (self.feed_forward, self.self_attention) if layer is not None)

    def verify_shape(self, dim: int, where: str) -> None:
        """Raises InvalidInput unless the block acts on dimension `dim`."""
        if self.feed_forward is not None:
            self.feed_forward.verify_shape(dim, f"{where} feed-forward")
        if self.self_attention is not None:
            self.self_attention.verify_shape(dim, f"{where} self-attention")

    def step(self, tokens: Sequence[Sequence[Num]], kind: NumberKind = exactly) -> MultiHeadStep:
        """The block by definition: its outputs, and whom every head follows."""
        ff = self.feed_forward
        rows = [list(x) if ff is None else ff.apply(x, kind) for x in tokens]
        return MultiHeadStep(rows, []) if self.self_attention is None else self.self_attention.step(rows, kind)


def run_blocks(
    blocks: Iterable[MultiHeadBlock], tokens: Sequence[Sequence[Num]], kind: NumberKind = exactly
) -> Iterator[MultiHeadStep]:
    """The tokens after every block, by definition, with whom every head follows."""
    for block in blocks:
        step = block.step(tokens, kind)
        tokens = step.outputs
        yield step
