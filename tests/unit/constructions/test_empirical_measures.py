"""Tests of `exactformer.constructions.empirical_measures`."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.empirical_measures import distinct_points, supports
from exactformer.constructions.feasibility import merge
from exactformer.constructions.targets import targets_of
from exactformer.model.dataset import Dataset, Sequence


def data(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


def test_sequences_of_one_token_fall_into_the_classes_of_the_definition() -> None:
    rng = random.Random(5)
    for _ in range(50):
        tokens, marks = ([rng.randrange(6) for _ in range(12)] for _ in range(2))
        given = data(*(([x] * rng.randint(1, 3), [mark % 2]) for x, mark in zip(tokens, marks, strict=True)))
        _, ids = distinct_points(given.tokens, np.random.default_rng(0))
        merged = merge(supports(ids, given.offsets), targets_of(given), "measure")
        firsts = sorted({tokens.index(x) for x in tokens})
        assert merged.firsts.tolist() == firsts
        assert merged.member.tolist() == [firsts.index(tokens.index(x)) for x in tokens]
        clashes = [(tokens.index(x), j) for j, x in enumerate(tokens) if (marks[j] - marks[tokens.index(x)]) % 2]
        assert merged.conflicts == clashes


def test_measures_are_told_apart() -> None:
    offsets = np.array([0, 2, 4])
    assert supports(np.array([0, 1, 1, 1]), offsets).all_different()
    assert not supports(np.array([0, 1, 1, 0]), offsets).all_different()


@pytest.mark.parametrize("scale", [1, 10**30])
def test_distinct_points_are_the_distinct_rows(scale: int) -> None:
    rows = [[a * scale, b * scale] for a, b in np.random.default_rng(1).integers(0, 5, (100, 2)).tolist()]
    points, ids = distinct_points(State.of(rows), np.random.default_rng(0))
    assert sorted(set(points.rows())) == sorted({tuple(map(Fraction, row)) for row in rows})
    assert [points[i] for i in ids] == [tuple(map(Fraction, row)) for row in rows]


def test_supports_are_measures_with_coprime_counts() -> None:
    s = supports(np.array([2, 0, 2, 0, 1, 1, 1]), np.array([0, 4, 7]))
    assert (s.starts.tolist(), s.ranks.tolist(), s.counts.tolist()) == ([0, 2, 3], [0, 2, 1], [1, 1, 1])
    merged = s.ranked(np.array([0, 0, 0]))
    assert merged.counts.tolist() == [1, 1]
    assert merged.key(0) == merged.key(1)


def test_points_whose_hashes_agree_are_told_apart() -> None:
    """The factors of the first draw are known, so a second point can be made that has the hash of the first."""
    first, second = np.random.default_rng(5).integers(0, 2**64, size=2, dtype=np.uint64) | np.uint64(1)
    other = np.array([int(second), -int(first) % 2**64], dtype=np.uint64).astype(np.int64)
    points = State(np.array([[0, 0], other, [0, 0], other]), 1)
    found, ids = distinct_points(points, np.random.default_rng(5))
    assert len(found) == 2
    assert [found.array[i].tolist() for i in ids] == points.array.tolist()
