"""Random blocks of several heads."""

from __future__ import annotations

import random

from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import MASKS, TIES, Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Dense, Outer, Scalar, Sparse, Zero


def random_matrix(rng: random.Random, rows: int, columns: int):
    """A small matrix in any of the forms; small numbers, so that scores tie."""
    entries = [[rng.choice([-1, 0, 0, 1, "1/2"]) for _ in range(columns)] for _ in range(rows)]
    forms = [Dense(entries), Sparse([dict(enumerate(row)) for row in entries], columns), Zero()]
    forms.append(Outer([rng.choice([0, 1, -1]) for _ in range(rows)], entries[0]))
    return rng.choice([*forms, Scalar(rng.choice([0, 1, -2]))] if rows == columns else forms)


def random_block(rng: random.Random, dim: int) -> MultiHeadBlock:
    heads = []
    for _ in range(rng.randint(1, 3)):
        h = rng.randint(1, 2)
        V, Q, K = random_matrix(rng, dim, dim), random_matrix(rng, h, dim), random_matrix(rng, h, dim)
        if dim != h and Scalar in (type(Q), type(K)):
            Q = K = Zero()
        heads.append(Head(V, Q, K, rng.choice(MASKS), rng.choice(TIES)))
    p = rng.randint(1, 3)
    bias = [rng.choice([-1, 0, 1]) for _ in range(p)]
    ff = FeedForward(rng.choice([0, 1, 2]), random_matrix(rng, p, dim), bias, random_matrix(rng, dim, p))
    return MultiHeadBlock(
        rng.choice([None, ff]), rng.choice([None, MultiHeadAttention(rng.choice([0, 1, "-1/2"]), heads)])
    )
