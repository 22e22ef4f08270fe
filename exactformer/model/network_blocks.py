"""A network with hardmax heads, ReLU and no LayerNorm as blocks with heads: rational, so evaluated by definition.

Biases become linear by one more coordinate, which is 1. A network attends first and then feeds forward, a block of a
`Transformer` the other way round: every block of the network becomes two.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from exactformer.errors import InvalidInput
from exactformer.model.feed_forward import FeedForward
from exactformer.model.head_rules import HeadRule
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock, MultiHeadStep, run_blocks
from exactformer.model.matrix import Dense, Zero
from exactformer.model.network import Float32, Network, NetworkBlock


def multi_head_blocks(network: Network) -> list[MultiHeadBlock]:
    """The blocks of a rational network, on tokens with a last coordinate 1; InvalidInput for others."""
    shape = network.architecture
    if not shape.is_rational:
        raise InvalidInput("expected hardmax heads, ReLU and no LayerNorm, as other networks are not rational")
    found = []
    for k in range(shape.blocks):
        tensors = network.block(k)
        heads = [_head(tensors, shape.dim, shape.head_dim, a, rule) for a, rule in enumerate(shape.head_rules(k))]
        found.append(MultiHeadBlock(None, MultiHeadAttention(1, [*heads, _constant(tensors.out_bias)])))
        found.append(MultiHeadBlock(_feed_forward(tensors), None))
    return found


def rational_outputs(network: Network, ids: Sequence[int], types: Sequence[int]) -> list[list[Fraction]]:
    """The outputs of every position, exactly: logits, or the last tokens where there is no head."""
    steps = rational_steps(network, ids, types)
    lifted = steps[-1].outputs if steps else _lifted(network, ids, types)
    tokens = [x[:-1] for x in lifted]
    return tokens if network.head is None else _linear(tokens, *network.head)


def rational_steps(network: Network, ids: Sequence[int], types: Sequence[int]) -> list[MultiHeadStep]:
    """What every block of `multi_head_blocks` does, exactly: tokens with a last coordinate 1, and whom heads follow."""
    return list(run_blocks(network.remembered(multi_head_blocks), _lifted(network, ids, types)))


def _lifted(network: Network, ids: Sequence[int], types: Sequence[int]) -> list[list[Fraction]]:
    """The tokens that blocks read, with a last coordinate 1."""
    tensors, shape = network.tensors, network.architecture
    rows = [[tensors["token"][t], tensors["position"][i]] for i, t in enumerate(ids)]
    if shape.types:
        rows = [[*row, tensors["type"][kind]] for row, kind in zip(rows, types, strict=True)]
    tokens = [[sum(map(_exact, column), Fraction(0)) for column in zip(*row, strict=True)] for row in rows]
    if shape.embedding is not None:
        tokens = _linear(tokens, tensors["map"], tensors["map_bias"])
    return [[*x, Fraction(1)] for x in tokens]


def _exact(number: np.float32) -> Fraction:
    return Fraction(float(number))


def _linear(tokens: list[list[Fraction]], W: Float32, b: Float32) -> list[list[Fraction]]:
    rows, bias = [[_exact(w) for w in row] for row in W], [_exact(v) for v in b]
    return [
        [sum((w * v for w, v in zip(row, x, strict=True)), c) for row, c in zip(rows, bias, strict=True)]
        for x in tokens
    ]


def _with_bias(W: Float32, b: Float32) -> list[list[Fraction]]:
    """W x + b as a matrix on (x, 1)."""
    return [[*map(_exact, row), _exact(c)] for row, c in zip(W, b, strict=True)]


def _head(tensors: NetworkBlock, d: int, width: int, a: int, rule: HeadRule) -> Head:
    """Head a: queries and keys as they are, values after their part of the output map."""
    if rule.ties is None:
        raise InvalidInput("expected a hardmax head, got softmax")
    parts = [slice(o + a * width, o + (a + 1) * width) for o in (0, d, 2 * d)]
    query, key, value = (_with_bias(tensors.qkv[part], tensors.qkv_bias[part]) for part in parts)
    out = [[_exact(w) for w in row] for row in tensors.out[:, a * width : (a + 1) * width]]
    through = [[sum((w * value[c][j] for c, w in enumerate(row)), Fraction(0)) for j in range(d + 1)] for row in out]
    return Head(Dense([*through, [Fraction(0)] * (d + 1)]), Dense(query), Dense(key), rule.mask, rule.ties)


def _constant(bias: Float32) -> Head:
    """The head that adds a vector: the mean of all last coordinates, which are 1, times that vector."""
    d = len(bias)
    rows = [[Fraction(0)] * d + [_exact(b)] for b in bias]
    return Head(Dense([*rows, [Fraction(0)] * (d + 1)]), Zero(), Zero())


def _feed_forward(tensors: NetworkBlock) -> FeedForward:
    """One more unit, which is always 1, adds the last bias."""
    d = len(tensors.down_bias)
    U = [*([*map(_exact, row), Fraction(0)] for row in tensors.up), [Fraction(0)] * (d + 1)]
    W = [[*map(_exact, row), _exact(b)] for row, b in zip(tensors.down, tensors.down_bias, strict=True)]
    units = [*map(_exact, tensors.up_bias), Fraction(1)]
    return FeedForward(1, Dense(U), units, Dense([*W, [Fraction(0)] * len(units)]))
