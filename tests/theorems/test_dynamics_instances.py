"""The striking instances of the dynamics: the exact answers, and the float path that visibly misses them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.dynamics.hypotheses import DEFINITE, DISTINCT, NONZERO, SYMMETRIC
from exactformer.dynamics.limits import limit
from exactformer.dynamics.orbit import simulate
from exactformer.errors import InvalidInput
from exactformer.model.tokens import Tokens

F = Fraction


def float_path(tokens: Tokens, layers: int = 200) -> tuple[np.ndarray, set[int], int]:
    """(last state, leaders seen, number of clusters) of the dynamics in float64."""
    Z, share = tokens.state.floats(), float(tokens.alpha / (1 + tokens.alpha))
    leaders: set[int] = set()
    for _ in range(layers):
        scores = Z @ Z.T
        ties = scores == scores.max(axis=1, keepdims=True)
        leaders |= {i for i, row in enumerate(ties) if row.sum() == 1 and row[i]}
        Z = Z + share * (ties @ Z / ties.sum(axis=1, keepdims=True) - Z)
    clusters = {tuple(row) for row in np.round(Z, 6).tolist()}
    return Z, leaders, len(clusters)


def test_a_tie_that_floats_lose() -> None:
    tokens = Tokens([["7/5", "1/5"], [1, 1], [0, 0]])
    found = limit(tokens)
    assert found.points[2] == (F(6, 5), F(3, 5))
    assert found.kinds == ["vertex", "vertex", "projection"]
    Z, _, _ = float_path(tokens)
    assert np.allclose(Z[2], [1, 1])


def test_two_leaders_where_floats_see_three() -> None:
    tokens = Tokens([["3/5", "4/5"], [1, 0], ["4/5", "2/5"]], alpha="1/2")
    found = limit(tokens)
    assert found.leaders == (0, 1)
    _, leaders, _ = float_path(tokens)
    assert leaders == {0, 1, 2}
    assert found.points[2] == (F(4, 5), F(2, 5))  # the midpoint of the two leaders: no vertex


def test_two_clusters_where_floats_see_four() -> None:
    tokens = Tokens([["7/3", "1/3"], ["-1/3", "7/3"], [2, "8/3"], ["-3/2", -2]], alpha="1/2")
    found = limit(tokens)
    assert found.leaders == (2, 3)
    assert len(found.clusters) == 2
    _, leaders, clusters = float_path(tokens)
    assert len(leaders) == 4
    assert clusters == 4


def square(c: Fraction, s: Fraction) -> Tokens:
    points = [(1, 1), (1, -1), (-1, 1), (-1, -1), (F(1, 2), 0)]
    return Tokens([[c * x - s * y, s * x + c * y] for x, y in points])


def test_a_face_projection_rotates_along() -> None:
    assert limit(square(F(1), F(0))).points[4] == (1, 0)
    turned = square(F(3, 5), F(4, 5))
    found = limit(turned)
    assert found.points[4] == (F(3, 5), F(4, 5))
    assert found.kinds[4] == "projection"
    Z, _, _ = float_path(turned)
    assert not np.allclose(Z[4], [0.6, 0.8], atol=1e-3)


def test_an_emerging_leader() -> None:
    rows = [
        [1, "1/3"],
        ["-1/12", "1/12"],
        [-1, -1],
        [0, "1/4"],
        ["-3/10", "-7/10"],
        ["-3/5", "-9/10"],
        ["4/5", "1/10"],
        ["3/5", "3/20"],
    ]
    orbit = simulate(Tokens(rows, alpha="1/2"), layers=3)
    assert 1 not in orbit.leaders_at(0)
    assert orbit.leads_from[1] == 1
    assert orbit.tokens(1)[1] == (F(-1, 18), F(5, 36))
    assert limit(Tokens(rows, alpha="1/2")).points[1] == (F(-1, 18), F(5, 36))


def test_a_leader_that_emerges_late() -> None:
    tokens = Tokens([[4, -6], [9, 0], [1, 4], [3, 4], [4, -3], [11, -12]], alpha="1/50")
    assert simulate(tokens, layers=40).leads_from[2] == 18
    assert 2 in limit(tokens).leaders


@pytest.mark.parametrize(
    ("A", "rows", "violated"),
    [
        ([[1, -2], [2, 1]], [[-4, -1], [3, -3], [1, 4]], (SYMMETRIC,)),
        ([[-1]], [[1], [-1]], (DEFINITE,)),
        ([[1, 0], [0, 0]], [[1, 0], [1, 1]], (DEFINITE,)),
        ([[1]], [[1], [1]], (DISTINCT,)),
    ],
)
def test_without_a_hypothesis_there_may_be_no_leader(A: Any, rows: Any, violated: tuple[str, ...]) -> None:
    orbit = simulate(Tokens(rows, A), layers=20, unchecked=True)
    assert orbit.leaders == ()
    assert orbit.hypotheses_violated == violated
    if violated != (DISTINCT,):
        with pytest.raises(InvalidInput, match="unchecked"):
            simulate(Tokens(rows, A), layers=1)


def test_a_ring_of_three() -> None:
    orbit = simulate(Tokens([[-4, -1], [3, -3], [1, 4]], [[1, -2], [2, 1]]), layers=3, unchecked=True)
    assert sorted(orbit.follows(0)) == [(0,), (1,), (2,)]
    assert all(members != (i,) for i, members in enumerate(orbit.follows(0)))


def test_a_zero_token_stays_inside() -> None:
    found = limit(Tokens([[-1], [0], [1]]))
    assert found.points[1] == (0,)
    assert found.kinds[1] == "projection"
    assert found.hypotheses_violated == (NONZERO,)
    assert [s.holds for s in found.polytope.theorem] == [True, True, True, False]


def test_messages_name_the_offending_minor_or_entry() -> None:
    with pytest.raises(InvalidInput, match="minor is -3"):
        simulate(Tokens([[1, 1]], [[1, 2], [2, 1]]), layers=1)
    with pytest.raises(InvalidInput, match=r"A\[0\]\[1\] differs"):
        limit(Tokens([[1, 1]], [[1, 2], [0, 1]]))
    with pytest.raises(InvalidInput, match="layers"):
        simulate(Tokens([[1]]), layers=-1)
