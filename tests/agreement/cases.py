"""One table of cases for every evaluator: (name, transformer, tokens); ties and degenerate layers included."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from exactformer.arithmetic.algebraic import from_text
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Matrix, Outer, Scalar, Zero
from exactformer.model.transformer import Block, Transformer, pure_attention

SQRT2 = from_text("sqrt(2)")
POOL = SelfAttention(0, Scalar(1), Zero(), Zero())
PARALLEL = FeedForward(1, Outer([2, -1, 0, 1], [1, 3]), [1, 2, 5, -4], [[1, 0, "1/2", -1], ["1/3", 2, 0, 1]])

CASES: list[tuple[str, Transformer, list[list[Any]]]] = [
    ("identity", Transformer(2, [Block()]), [[1, 2], [3, 4]]),
    ("no block", Transformer(1, []), [["1/3"]]),
    ("one token", Transformer(1, [Block(None, POOL)]), [[5]]),
    ("pooling keeps multiplicity", Transformer(1, [Block(None, POOL)]), [[0], [0], [3]]),
    (
        "pooling beside rho",
        Transformer(2, [Block(None, SelfAttention(2, Outer([1, 1], [1, 0]), Zero(), Zero()))]),
        [[1, 2], [4, 5]],
    ),
    ("parallel rows", Transformer(2, [Block(PARALLEL)]), [[0, 0], [1, -1], [-4, "1/2"], [4, 0], [-3, 1]]),
    (
        "token on a breakpoint",
        Transformer(1, [Block(FeedForward(0, [[1], [1]], [0, -1], [[1, 1]]))]),
        [[0], [1], [2], [-1]],
    ),
    (
        "dense parallel rows",
        Transformer(2, [Block(FeedForward("1/2", [[1, 2], [-2, -4], [0, 0]], [1, 0, -1], [[1, 1, 1], [0, 1, 2]]))]),
        [[1, 1], [-2, 3]],
    ),
    (
        "general rows",
        Transformer(2, [Block(FeedForward("1/2", [[1, 2], [2, 1]], [1, 0], [[1, 1], [0, 1]]))]),
        [[1, 1], [-2, 3]],
    ),
    ("zero U", Transformer(2, [Block(FeedForward(1, Zero(), [1, -1], [[1, 1], [2, 2]]))]), [[1, 1]]),
    ("zero W", Transformer(2, [Block(FeedForward(3, [[1, 0]], [1], Zero()))]), [[1, 1]]),
    ("scalar U and W", Transformer(2, [Block(FeedForward(0, Scalar(1), [0, 0], Scalar(2)))]), [[1, -1], [-3, 2]]),
    ("tie of two maximisers", Transformer(2, [pure_attention([[1, 0], [0, 1]], 1)]), [["7/5", "1/5"], [1, 1], [0, 0]]),
    ("indefinite A", Transformer(2, [pure_attention([[0, 1], [1, 0]], 1)]), [[1, 1], [-1, 2], [2, -1]]),
    (
        "rank-one attention, three signs",
        Transformer(1, [Block(None, SelfAttention(0, Scalar(1), Outer([1], [1]), Outer([1], [1])))]),
        [[1], [2], [2], [-1], [-5], [0]],
    ),
    (
        "rank-one Q, dense K",
        Transformer(2, [Block(None, SelfAttention(1, Scalar(1), Outer([1, 2], [1, -1]), [[1, 0], [3, 1]]))]),
        [[1, 2], [0, 1], [1, 0]],
    ),
    (
        "one-row Q and K",
        Transformer(2, [Block(None, SelfAttention(1, [[1, 2], [0, 1]], [[1, 1]], [[1, -1]]))]),
        [[1, 2], [0, 1], [1, 0]],
    ),
    ("duplicated tokens", Transformer(1, [pure_attention([[1]], "1/2")]), [[2], [2], [1], [-1]]),
    ("two blocks", Transformer(2, [Block(PARALLEL, POOL), Block(PARALLEL, None)]), [[1, 2], ["1/7", -3], [0, 0]]),
    (
        "algebraic weights",
        Transformer(2, [Block(FeedForward(SQRT2, Outer([1, SQRT2], [1, SQRT2]), [0, -1], [[1, SQRT2], [0, 1]]), POOL)]),
        [[1, 1], [SQRT2, 0]],
    ),
    (
        "algebraic attention",
        Transformer(2, [Block(None, SelfAttention(SQRT2, Scalar(SQRT2), [[1, SQRT2], [0, 1]], Scalar(1)))]),
        [[1, 1], [SQRT2, 0], [0, 1]],
    ),
]


def random_case(rng: random.Random, *, mixed: bool = False) -> tuple[Transformer, list[list[Any]]]:
    """A random transformer of small numbers (so that ties occur) and tokens for it.

    `mixed`: some weights are algebraic, and stand beside proper fractions; every token is rational.
    """
    algebraic, dim = rng.random() < 0.25 or mixed, rng.randint(1, 3)

    def number() -> Any:
        x = Fraction(rng.randint(-3, 3), rng.choice((1, 1, 1, 2, 3)))
        return x + rng.randint(-1, 1) * SQRT2 if algebraic and rng.random() < 0.3 else x

    def matrix(rows: int, columns: int) -> Matrix:
        forms = ["dense", "outer", "zero", *(["scalar"] if rows == columns else [])]
        form = rng.choice(forms)
        if form == "dense":
            return Dense([[number() for _ in range(columns)] for _ in range(rows)])
        if form == "outer":
            return Outer([number() for _ in range(rows)], [number() for _ in range(columns)])
        return Scalar(number()) if form == "scalar" else Zero()

    def block() -> Block:
        p, h = rng.randint(1, 5), rng.randint(1, 3)
        ff = FeedForward(rng.choice([0, 1, number()]), matrix(p, dim), [number() for _ in range(p)], matrix(dim, p))
        sa = SelfAttention(rng.choice([0, 1, number()]), matrix(dim, dim), matrix(h, dim), matrix(h, dim))
        return Block(ff if rng.random() < 0.8 else None, sa if rng.random() < 0.8 else None)

    if mixed:
        blocks, algebraic = [block() for _ in range(rng.randint(1, 3))], False
        return Transformer(dim, blocks), [[number() for _ in range(dim)] for _ in range(rng.randint(1, 4))]
    tokens = [[number() for _ in range(dim)] for _ in range(rng.randint(1, 6))]
    return Transformer(dim, [block() for _ in range(rng.randint(1, 3))]), tokens
