"""Tests of `exactformer.dynamics.follower_sets`."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.state import State
from exactformer.dynamics.float_filter import Shadow
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.integer_step import advance, means
from exactformer.dynamics.score_form import ScoreForm

F = Fraction


def test_moved_shadows_stay_within_their_error() -> None:
    rng = np.random.default_rng(5)
    state, form = State.of(rng.standard_normal((6, 3))), ScoreForm(np.eye(3, dtype=int).tolist())
    shadow, weights = Shadow.of(state.array, state.denominator, form), np.ones(6, dtype=np.int64)
    for _ in range(40):
        tie = FollowerSets(np.array([0, 2, 5]), np.array([0, 3]))
        sets = FollowerSets.of_singles(rng.integers(0, 6, 6)).replaced(np.array([1]), tie)
        summed = np.add.reduceat(shadow.values[sets.members], sets.offsets[:-1]) / sets.lengths[:, None]
        shadow = shadow.moved(summed, float(F(1, 3)), 3)
        state = advance(state, sets, weights, F(1, 3))
        for f, x in zip(shadow.values.flat, state.numerators.flat, strict=True):
            assert abs(F(float(f)) - F(int(x), state.denominator)) <= F(shadow.error)


def test_follower_sets_replace_and_take() -> None:
    rng = random.Random(0)
    for _ in range(50):
        expected = [sorted(rng.sample(range(7), rng.randint(1, 3))) for _ in range(7)]
        sets = FollowerSets.of_singles(np.zeros(7, dtype=np.int64))
        rows = rng.sample(range(7), 4)
        for part in (rows, [r for r in range(7) if r not in rows]):
            flat = np.array([j for r in part for j in expected[r]])
            others = FollowerSets.of_lengths(flat, np.array([len(expected[r]) for r in part]))
            sets = sets.replaced(np.array(part), others)
        assert [sets[i].tolist() for i in range(7)] == expected
        assert sets.ties.tolist() == [i for i in range(7) if len(expected[i]) > 1]
        assert [sets.take(np.array(rows))[k].tolist() for k in range(4)] == [expected[r] for r in rows]


def test_means_count_multiplicities() -> None:
    sets = FollowerSets(np.array([0, 1, 1]), np.array([0, 2, 3]))
    target, common = means(sets, np.array([[0], [3]]), np.array([2, 1]))
    assert [F(int(x), common) for x in target[:, 0]] == [1, 3]
