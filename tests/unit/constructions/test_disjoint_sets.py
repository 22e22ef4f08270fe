"""Tests of `exactformer.constructions.disjoint_sets`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from exactformer.constructions.disjoint_sets import Rotation, best_rotation, least_shift, rotate, with_distinct_leaders
from exactformer.constructions.empirical_measures import supports

# ---------------------------------------------------------------- directions, rotations, ramps


@pytest.mark.parametrize("base", [1, 7])
@pytest.mark.parametrize("at", [None, 3, 5, 9, 20])
def test_a_rotation_lifts_just_above_all_others_and_puts_the_least_on_the_base(at: int | None, base: int) -> None:
    values = np.array([5, 20, 3, 9, 3])
    rotation, moved = rotate(values, at, base)
    turned = at is not None and at < 20
    lift, listed = 18 if turned else 0, values.tolist()
    lifted = [v + lift * (at is not None and v <= at) for v in listed]
    shift = base - min(lifted)
    assert moved.tolist() == [v + shift for v in lifted]
    assert min(moved) == base
    after = min((v for v in listed if at is not None and v > at), default=None)
    assert rotation == Rotation(at if turned else None, after if turned else None, lift, shift, None)
    if turned:
        kept = [v for v in listed if at is not None and v > at]
        assert min(v for v in lifted if v not in kept) == max(max(kept), min(listed) + 17) + 1


def objects(values: list[int]) -> Any:
    return np.array(values, dtype=object)


def test_rotation_puts_the_largest_token_up_to_c_on_top() -> None:
    values = np.array([3, 8, 20, 5, 9])
    rotation, moved = rotate(values, 8, 2)
    assert (rotation.at, rotation.successor) == (8, 9)
    assert int(moved.min()) == 2
    assert np.argsort(moved).tolist() == [4, 2, 0, 3, 1]


def test_the_best_rotation_gives_the_most_leaders() -> None:
    draw = random.Random(5)
    for _ in range(20):
        sets = {frozenset(draw.sample(range(8), draw.randint(1, 6))) for _ in range(5)}
        listed = [sorted(s) for s in sets]
        s = supports(np.array([x for xs in listed for x in xs]), np.cumsum([0, *map(len, listed)]))

        def leaders(c: int, listed: list[list[int]] = listed) -> int:
            return len({max([x for x in xs if x <= c] or xs) for xs in listed})

        at = best_rotation(s, s.ranks)
        assert leaders(100 if at is None else at) == max(leaders(c) for c in [*range(8), 100])


def test_shifts_never_merge_different_pairs() -> None:
    values, leaders = np.arange(40) % 13, objects([i % 5 for i in range(40)])
    eps = least_shift(values, leaders)
    pairs = set(zip(values.tolist(), leaders.tolist(), strict=True))

    def good(e: int) -> bool:
        return len({s + e * leader for s, leader in pairs}) == len(pairs)

    assert good(eps)
    assert not any(good(e) for e in range(1, eps))


def test_separation_takes_at_most_n_minus_one_rotations() -> None:
    listed = [[x for x in range(7) if x != j] for j in range(7)]
    s = supports(np.array([x for xs in listed for x in xs]), np.arange(8) * 6)
    separated = with_distinct_leaders(s, s.ranks, 1)
    assert len(separated.rotations) <= 6
    assert len(set(separated.leaders.tolist())) == 7
    assert int(separated.values.min()) >= 1


# ---------------------------------------------------------------- room on the line


# ---------------------------------------------------------------- parts


def test_the_gap_of_a_rotation_is_that_behind_its_token() -> None:
    assert Rotation(3, 8, 1, 0, None).gap == 5
    assert Rotation(3, None, 1, 0, None).gap is None
    assert Rotation(None, None, 0, 0, 1).gap is None
