"""Families of data sets that are hard for one reason each; every method must build them or refuse with a witness."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.state import PointsLike
from exactformer.errors import InvalidInput
from exactformer.model.dataset import Dataset, Sequence

Rng = np.random.Generator


def _labelled(sequences: Collection[PointsLike], labels: Iterable[int] | None = None) -> Dataset:
    names = range(len(sequences)) if labels is None else labels
    return Dataset.of([Sequence.of(s, label=str(name)) for s, name in zip(sequences, names, strict=True)])


def _random_rows(rng: Rng, count: int, dim: int, size: int = 50) -> list[list[Fraction]]:
    numerators, denominators = rng.integers(-size, size + 1, (count, dim)), rng.integers(1, 5, (count, dim))
    pairs = zip(numerators.tolist(), denominators.tolist(), strict=True)
    return [[Fraction(p, q) for p, q in zip(*row, strict=True)] for row in pairs]


def random_classes(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences of 3 to 8 random rational tokens with three labels."""
    sequences = [_random_rows(rng, int(rng.integers(3, 9)), d) for _ in range(n)]
    return _labelled(sequences, [j % 3 for j in range(n)])


def random_targets(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences of 5 to 9 random rational tokens with up to five targets each, some of them shared."""
    shared = _random_rows(rng, 3, d)
    parts = []
    for _ in range(n):
        tokens = _random_rows(rng, int(rng.integers(5, 10)), d)
        distinct = len({tuple(x) for x in tokens})
        targets = [*_random_rows(rng, int(rng.integers(1, 5)), d), shared[int(rng.integers(3))]]
        parts.append(Sequence.of(tokens, targets=targets[-distinct:]))
    return Dataset.of(parts)


def nested(n: int, d: int, rng: Rng) -> Dataset:
    """X1 < X2 < .. < Xn: each set is the previous one and one more token."""
    tokens = _distinct_rows(rng, n, d)
    return _labelled([tokens[: j + 1] for j in range(n)])


def all_but_one(n: int, d: int, rng: Rng) -> Dataset:
    """n sets that share all tokens but one: set j lacks token j of the consecutive integers."""
    tokens = [[i, *([0] * (d - 1))] for i in range(max(n, 2))]
    return _labelled([[x for i, x in enumerate(tokens) if i != j] for j in range(n)])


def windows(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences of equal means of which each pair needs a hinge of its own: exactly n-1 hinges are needed.

    The base is uniform on {4w, 4w+3 : w < n-1}; copy w has its pair w moved inward to {4w+1, 4w+2}.
    """
    pairs = [(4 * w, 4 * w + 3) for w in range(max(n - 1, 1))]
    copies = [pairs] + [[*pairs[:w], (4 * w + 1, 4 * w + 2), *pairs[w + 1 :]] for w in range(n - 1)]
    return _labelled([[[x, *([0] * (d - 1))] for pair in copy for x in pair] for copy in copies])


def equal_means(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences {x, -x} with different x: all means are 0."""
    rows = _distinct_rows(rng, n, d)
    shifted = [[abs(x[0]) + j + 1, *x[1:]] for j, x in enumerate(rows)]
    return _labelled([[x, [-v for v in x]] for x in shifted])


def one_token(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences of one token each."""
    return _labelled([[x] for x in _distinct_rows(rng, n, d)])


def multiplicities(n: int, d: int, rng: Rng) -> Dataset:
    """[a, b], [a, a, b], [a, a, a, b], ..: one set, n different measures (leader methods must refuse)."""
    a, b = _distinct_rows(rng, 2, d)
    return _labelled([[a] * (j + 1) + [b] for j in range(n)])


def with_origin(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences that all contain the origin, one of them nothing else."""
    rows = [x for x in _distinct_rows(rng, n + 1, d) if any(x)][: max(n - 1, 0)]
    zero = [Fraction(0)] * d
    return _labelled([[zero], *([zero, x] for x in rows)])


def collinear(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences of three consecutive points of one line."""
    direction = [1 + int(v) for v in rng.integers(0, 5, d)]
    return _labelled([[[c * (j + k) for c in direction] for k in range(3)] for j in range(n)])


def coinciding_targets(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences of four tokens whose targets are two points common to all."""
    common = _distinct_rows(rng, 2, d)
    return Dataset.of([Sequence.of(x, targets=common) for x in _blocks(rng, n, d, 4)])


def targets_are_inputs(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences of three tokens, mapped onto the tokens of the next one."""
    blocks = _blocks(rng, n, d, 3)
    return Dataset.of([Sequence.of(x, targets=blocks[(j + 1) % n]) for j, x in enumerate(blocks)])


def far_targets(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences of three tokens with targets near +-10^9."""
    blocks = _blocks(rng, n, d, 3)
    far = [[[(-1) ** j * (10**9 + 7 * j + k)] * d for k in range(2)] for j in range(n)]
    return Dataset.of([Sequence.of(x, targets=y) for x, y in zip(blocks, far, strict=True)])


def float_tokens(n: int, d: int, rng: Rng) -> Dataset:
    """n sequences of five float64 tokens, read as exact dyadic numbers."""
    return _labelled([rng.standard_normal((5, d)).tolist() for _ in range(n)])


def _distinct_rows(rng: Rng, count: int, dim: int) -> list[list[Fraction]]:
    size = 50
    while True:
        rows = {tuple(x): x for x in _random_rows(rng, 2 * count, dim, size)}
        if len(rows) >= count:
            return list(rows.values())[:count]
        size *= 2


def _blocks(rng: Rng, n: int, d: int, length: int) -> list[list[list[Fraction]]]:
    rows = _distinct_rows(rng, n * length, d)
    return [rows[j * length : (j + 1) * length] for j in range(n)]


FAMILIES: dict[str, Callable[[int, int, Rng], Dataset]] = {
    "random-classes": random_classes,
    "random-targets": random_targets,
    "nested": nested,
    "all-but-one": all_but_one,
    "windows": windows,
    "equal-means": equal_means,
    "one-token": one_token,
    "multiplicities": multiplicities,
    "with-origin": with_origin,
    "collinear": collinear,
    "coinciding-targets": coinciding_targets,
    "targets-are-inputs": targets_are_inputs,
    "far-targets": far_targets,
    "float-tokens": float_tokens,
}


def sample(family: str, n: int, d: int, seed: int | Rng = 0) -> Dataset:
    """An instance of a named family with n sequences in dimension d.

    >>> len(sample("windows", 4, 1)), sample("nested", 3, 2).offsets.tolist()
    (4, [0, 1, 3, 6])
    """
    if family not in FAMILIES:
        raise InvalidInput(f"expected one of the families {', '.join(FAMILIES)}, got {family!r}")
    if n < 1 or d < 1:
        raise InvalidInput(f"expected n >= 1 sequences of dimension d >= 1, got n = {n}, d = {d}")
    return FAMILIES[family](n, d, np.random.default_rng(seed))
