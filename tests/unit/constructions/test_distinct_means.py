"""Tests of `exactformer.constructions.distinct_means`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.constructions.distinct_means import Hinges, _splitting_ranks, _Tails, separating_hinges, value_sums
from exactformer.constructions.empirical_measures import Supports, supports


def test_hinges_are_the_function_they_say() -> None:
    values = np.array([-3, 0, 1, 4, 9])
    hinges = Hinges((1, 3), (2, 5))
    expected = [s + 2 * max(s - 0, 0) + 5 * max(s - 4, 0) for s in values.tolist()]
    assert hinges.apply(values).tolist() == expected
    big = Hinges((1, 3), (2**70, 1)).apply(values)
    assert big.tolist() == [s + 2**70 * max(s, 0) + max(s - 4, 0) for s in values.tolist()]


@pytest.mark.parametrize("seed", range(8))
def test_hinges_tell_all_measures_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    multisets = {tuple(sorted(rng.integers(0, 6, 4).tolist())) for _ in range(30)}
    s = supports(np.array([r for m in multisets for r in m]), np.arange(len(multisets) + 1) * 4)
    values = np.array([0, 1, 2, 3, 4, 5])
    firsts = np.array([j for j in range(len(s)) if s.key(j) not in {s.key(i) for i in range(j)}])
    unique = s.take(firsts, with_counts=True)
    hinges = separating_hinges(unique, values, rng)
    totals, counts = value_sums(unique, hinges.apply(values))
    assert len(hinges) < len(unique)
    assert len({Fraction(p, q) for p, q in zip(totals.tolist(), counts.tolist(), strict=True)}) == len(unique)


@pytest.mark.parametrize("bits", [10, 58, 59, 60, 61, 62, 90])
def test_sums_over_measures_are_those_of_the_definition_for_numbers_of_any_length(bits: int) -> None:
    rng = np.random.default_rng(bits)
    drawn = sorted({int.from_bytes(rng.bytes(16), "big") % (1 << bits) for _ in range(12)} | {(1 << bits) - 1})
    values = np.array(drawn, dtype=np.int64 if bits < 63 else object)
    ranks = [sorted(rng.choice(len(drawn), 9, replace=False).tolist()) for _ in range(4)]
    counts = [rng.integers(1, 3, 9).tolist() for _ in range(4)]
    measures = Supports(np.arange(0, 37, 9), np.concatenate(ranks), np.concatenate(counts))
    totals, numbers = value_sums(measures, values)
    assert totals.tolist() == [
        sum(n * drawn[r] for r, n in zip(*m, strict=True)) for m in zip(ranks, counts, strict=True)
    ]
    assert numbers.tolist() == list(map(sum, counts))
    tails = _Tails(measures, values)
    for c in range(len(drawn)):
        expected = [
            sum(n * max(0, drawn[r] - drawn[c]) for r, n in zip(*m, strict=True))
            for m in zip(ranks, counts, strict=True)
        ]
        assert tails.at(np.arange(4), c).tolist() == expected
    hinges = separating_hinges(measures, values, rng)
    images = hinges.apply(values).tolist()
    for s, image in zip(drawn, images, strict=True):
        assert image == s + sum(w * max(0, s - drawn[r]) for r, w in zip(hinges.ranks, hinges.weights, strict=True))


@pytest.mark.parametrize("seed", range(6))
def test_the_first_hinge_is_the_one_that_tells_most_measures_apart(seed: int) -> None:
    """All measures have the mean 5; a hinge is a token of the first two at which they differ."""
    rng = np.random.default_rng(seed)
    found: set[tuple[int, ...]] = set()
    while len(found) < 9:
        parts = sorted(int(x) for x in rng.integers(0, 11, 3))
        if 0 <= 20 - sum(parts) <= 10:
            found.add(tuple(sorted([*parts, 20 - sum(parts)])))
    sequences = [sorted(found)[k] for k in rng.permutation(9).tolist()]
    measures = supports(np.array([x for s in sequences for x in s]), np.arange(10) * 4)

    def means(c: int) -> list[int]:
        return [sum(max(0, x - c) for x in s) for s in sequences]

    kinks = [c for c in sorted({*sequences[0], *sequences[1]}) if means(c)[0] != means(c)[1]]
    first, *_ = _splitting_ranks(measures, np.arange(11), np.random.default_rng(0))
    assert first in kinks
    assert len(set(means(first))) == max(len(set(means(c))) for c in kinks)
    hinges = separating_hinges(measures, np.arange(11), np.random.default_rng(0))
    images = [sum(hinges.apply(np.arange(11)).tolist()[x] for x in s) for s in sequences]
    assert len(set(images)) == len(sequences)
    assert len(hinges) < len(sequences)
