"""Tests of `exactformer.model.heads`."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from kits.random_heads import random_block

from exactformer.errors import InvalidInput
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import MASKS, TIES, Head, MultiHeadAttention, MultiHeadBlock, run_blocks, seen_positions
from exactformer.model.matrix import Sparse, Zero
from exactformer.model.transformer import Block


def plainly(block: MultiHeadBlock, tokens):
    """The block as the specification writes it, with dense rows and loops."""
    dim = len(tokens[0])

    def times(m, x, rows):
        return [sum((a * b for a, b in zip(row, x, strict=True)), Fraction(0)) for row in m.dense(rows, len(x))]

    ff = block.feed_forward
    if ff is not None:
        hidden = [[max(u + b, 0) for u, b in zip(times(ff.U, x, ff.width), ff.b, strict=True)] for x in tokens]
        tokens = [
            [ff.eta * v + w for v, w in zip(x, times(ff.W, y, dim), strict=True)]
            for x, y in zip(tokens, hidden, strict=True)
        ]
    sa = block.self_attention
    if sa is None:
        return tokens
    outputs = [[sa.rho * v for v in x] for x in tokens]
    sees = {
        None: lambda i, j: True,
        "before": lambda i, j: j < i,
        "upto": lambda i, j: j <= i,
        "after": lambda i, j: j > i,
        "from": lambda i, j: j >= i,
    }
    for head in sa.heads:
        h = next((len(m.dense(dim, dim)) for m in (head.Q, head.K) if not isinstance(m, Zero)), 1)
        for i, x in enumerate(tokens):
            query = times(head.Q, x, h)
            scores = {
                j: sum(a * b for a, b in zip(query, times(head.K, y, h), strict=True))
                for j, y in enumerate(tokens)
                if sees[head.mask](i, j)
            }
            best = [j for j in scores if scores[j] == max(scores.values())]
            best = {"all": best, "first": best[:1], "last": best[-1:]}[head.ties]
            for j in best:
                outputs[i] = [a + b / len(best) for a, b in zip(outputs[i], times(head.V, tokens[j], dim), strict=True)]
    return outputs


@pytest.mark.parametrize("seed", range(60))
def test_a_block_is_what_the_definition_says(seed):
    rng = random.Random(seed)
    dim = rng.randint(1, 3)
    tokens = [[Fraction(rng.choice([-1, 0, 0, 1])) for _ in range(dim)] for _ in range(rng.randint(1, 5))]
    blocks = [random_block(rng, dim) for _ in range(2)]
    steps = list(run_blocks(blocks, tokens))
    assert steps[0].outputs == plainly(blocks[0], tokens)
    assert steps[1].outputs == plainly(blocks[1], steps[0].outputs)


def test_softmax_has_no_heads():
    soft = Block(None, SelfAttention(1, Zero(), Zero(), Zero(), beta=1))
    with pytest.raises(InvalidInput, match="hardmax"):
        MultiHeadBlock.of(soft)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("ties", TIES)
def test_only_heads_without_mask_and_tie_rule_are_symmetric(mask, ties):
    plain, other = Head(Zero(), Zero(), Zero()), Head(Zero(), Zero(), Zero(), mask, ties)
    assert MultiHeadAttention(1, [plain, other]).is_symmetric == (mask is None and ties == "all")


def test_what_is_visible():
    seen = [[list(seen_positions(mask, i, 3)) for i in range(3)] for mask in MASKS]
    assert seen == [
        [[0, 1, 2], [0, 1, 2], [0, 1, 2]],
        [[], [0], [0, 1]],
        [[0], [0, 1], [0, 1, 2]],
        [[1, 2], [2], []],
        [[0, 1, 2], [1, 2], [2]],
    ]


def test_bad_heads_are_refused():
    with pytest.raises(InvalidInput, match="mask"):
        Head(Zero(), Zero(), Zero(), mask="past")
    with pytest.raises(InvalidInput, match="at least one head"):
        MultiHeadAttention(1, [])
    with pytest.raises(InvalidInput, match="equally many rows"):
        Head(Zero(), [[1, 0]], [[1, 0], [0, 1]]).verify_shape(2, "head")
    with pytest.raises(InvalidInput, match="columns from 0 to 1"):
        Sparse([{2: 1}], columns=2)
    with pytest.raises(InvalidInput, match="3-by-2"):
        Sparse([{}], columns=2).verify_shape(3, 2, "U")


def test_the_numbers_of_a_block_are_those_of_its_layers():
    layer = FeedForward(0, [[1, 2]], [0], [[3], [0]])
    attention = MultiHeadAttention(1, [Head([[1, 0], [0, 4]], Zero(), [[5, 6]])])
    assert (layer.parameters, attention.parameters) == (3, 5)
    both, first, last = MultiHeadBlock(layer, attention), MultiHeadBlock(layer, None), MultiHeadBlock(None, attention)
    assert [block.parameters for block in (both, first, last, MultiHeadBlock(None, None))] == [8, 3, 5, 0]
    assert (both.heads, first.heads) == (attention.heads, ())
