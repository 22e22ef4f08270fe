"""Softmax transformers by definition, in mpmath: what the proofs are compared with. Nothing of the package computes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

from exactformer.model.transformer import Transformer

Rows = list[list[Any]]


def number(x: Fraction | int) -> Any:
    """The mpmath number nearest to a rational, at the working precision."""
    return mpmath.mpf(x.numerator) / x.denominator


def product(rows: Sequence[Sequence[Any]], x: Sequence[Any]) -> list[Any]:
    """M x for a dense matrix of rationals."""
    return [mpmath.fsum(number(c) * v for c, v in zip(row, x, strict=True)) for row in rows]


def image(transformer: Transformer, tokens: Sequence[Sequence[Any]], beta: Any) -> Rows:
    """The output tokens with softmax attention at inverse temperature beta; None: hardmax with ties of these digits."""
    d = transformer.dim
    x = [[v if isinstance(v, mpmath.mpf) else number(v) for v in row] for row in tokens]
    for block in transformer:
        ff, sa = block.feed_forward, block.self_attention
        if ff is not None:
            U, W = ff.U.dense(ff.width, d), ff.W.dense(d, ff.width)
            hidden = [
                [max(mpmath.mpf(0), v + number(b)) for v, b in zip(product(U, row), ff.b, strict=True)] for row in x
            ]
            x = [
                [number(ff.eta) * v + w for v, w in zip(row, product(W, h), strict=True)]
                for row, h in zip(x, hidden, strict=True)
            ]
        if sa is not None:
            height = max(len(sa.Q.dense(1, d)), len(sa.K.dense(1, d)))
            queries, keys = ([product(m.dense(height, d), row) for row in x] for m in (sa.Q, sa.K))
            means = [_mean(x, [mpmath.fdot(q, k) for k in keys], beta) for q in queries]
            V = sa.V.dense(d, d)
            x = [
                [number(sa.rho) * v + w for v, w in zip(row, product(V, mean), strict=True)]
                for row, mean in zip(x, means, strict=True)
            ]
    return x


def _mean(x: Rows, scores: list[Any], beta: Any) -> list[Any]:
    top = max(scores)
    weights = [mpmath.mpf(s == top) if beta is None else mpmath.exp(beta * (s - top)) for s in scores]
    return [mpmath.fdot(weights, column) / mpmath.fsum(weights) for column in zip(*x, strict=True)]


def distance(outputs: Rows, targets: Sequence[Sequence[Fraction]]) -> Any:
    """The Hausdorff distance (largest coordinate) of the outputs from the targets."""
    wanted = [[number(v) for v in y] for y in targets]
    gaps = [[max(abs(a - b) for a, b in zip(x, y, strict=True)) for y in wanted] for x in outputs]
    return max([min(row) for row in gaps] + [min(column) for column in zip(*gaps, strict=True)])
