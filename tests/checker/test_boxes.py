"""Boxes of the checker: ends moved outward to a grid, points left alone."""

from __future__ import annotations

import random
from fractions import Fraction
from math import ceil, floor

import pytest

from proofs_check.softmax.boxes import Box, exactly, rounded


def ends(box: Box) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(a, box.below), Fraction(b, box.below)) for a, b in zip(box.low, box.high, strict=True)]


@pytest.mark.parametrize("seed", range(40))
def test_intervals_move_outward_to_the_grid_and_points_stay(seed: int) -> None:
    rng = random.Random(seed)
    below, p = rng.randint(1, 60), rng.randint(0, 6)
    low = [rng.randint(-99, 99) for _ in range(4)]
    high = [a + rng.choice((0, 1, 7)) for a in low]
    found = rounded(low, high, below, p)
    wanted = []
    for a, b in zip(low, high, strict=True):
        x, y = Fraction(a, below), Fraction(b, below)
        grid = (Fraction(floor(x * 2**p), 2**p), Fraction(ceil(y * 2**p), 2**p))
        wanted.append((x, y) if a == b else grid)
    assert ends(found) == wanted
    assert ends(rounded(low, high, below, None)) == ends(exactly(low, high, below))
    assert found == exactly(found.low, found.high, found.below)


def test_boxes_are_in_lowest_terms_and_a_point_is_one_object() -> None:
    assert exactly([2, 4], [6, 8], 10) == Box((1, 2), (3, 4), 5)
    point = exactly([2, 4], [2, 4], 10)
    assert point == Box((1, 2), (1, 2), 5)
    assert point.low is point.high
    assert (point.is_point(), exactly([1], [2], 1).is_point()) == (True, False)
    assert rounded([2, 4], [2, 4], 10, 3) == point
