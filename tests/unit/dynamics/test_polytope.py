"""Tests of `exactformer.dynamics.polytope`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactformer.dynamics.polytope import NEITHER, PROJECTION, VERTEX, polytope

F = Fraction


def test_a_limit_is_a_projection_only_if_its_leaders_lie_on_the_face() -> None:
    A, vertices = ((F(1), F(0)), (F(0), F(1))), {0: (F(1), F(1)), 1: (F(1), F(-1)), 2: (F(-3), F(0))}
    middle, half = (F(1), F(0)), F(1, 2)
    kinds = [
        polytope(A, vertices, [middle], [share]).places[0].kind
        for share in ({0: half, 1: half}, {0: half, 2: half}, {0: half, 1: F(1, 4), 2: F(1, 4)})
    ]
    assert kinds == [PROJECTION, NEITHER, NEITHER]


def test_the_parts_of_the_theorem_fail_with_the_positions_that_show_it() -> None:
    """Leaders in a row, none exposed strictly by itself; a limit inside; a limit that is no projection; no leader."""
    A = ((F(1), F(0)), (F(0), F(1)))
    row = {0: (F(1), F(0)), 1: (F(1), F(1))}  # <l_0, l_1> = <l_0, l_0>
    assert [part.holds for part in polytope(A, row, [], []).theorem] == [True, False, True, True]
    assert polytope(A, row, [], []).theorem[1].witness == (0,)
    assert [part.holds for part in polytope(A, {}, [], []).theorem] == [False, True, True, True]
    corners = {0: (F(2), F(0)), 1: (F(-1), F(2)), 2: (F(-1), F(-2))}
    centre, third = (F(0), F(0)), F(1, 3)
    inside = polytope(A, corners, [centre], [dict.fromkeys(range(3), third)])
    assert [part.holds for part in inside.theorem] == [True, True, True, False]
    assert inside.theorem[3].witness == (0,)
    stray = polytope(A, corners, [(F(1, 2), F(1))], [{0: F(1, 2), 1: F(1, 2)}])
    assert ([part.holds for part in stray.theorem], stray.theorem[2].witness) == ([True, True, False, True], (0,))


def test_statements_of_the_theorem_fail_where_they_are_false() -> None:
    """K is a triangle: its corners, the middle of a side, a point off the middle, the centre, and twice a corner."""
    A = ((1, 0), (0, 1))
    corners: dict[int, Any] = {0: (F(2), F(0)), 1: (F(-1), F(2)), 2: (F(-1), F(-2))}
    half, third = F(1, 2), F(1, 3)
    limits: list[Any] = [*corners.values(), (F(-1), F(0)), (F(-1), F(1)), (F(0), F(0))]
    shares = [
        {0: F(1)},
        {1: F(1)},
        {2: F(1)},
        {1: half, 2: half},
        {1: F(3, 4), 2: F(1, 4)},
        dict.fromkeys(corners, third),
    ]
    K = polytope(A, corners, limits, shares)
    assert [place.kind for place in K.places] == [VERTEX, VERTEX, VERTEX, PROJECTION, NEITHER, PROJECTION]
    assert [place.face for place in K.places] == [(0,), (1,), (2,), (1, 2), (1,), (0, 1, 2)]
    assert [(clause.holds, clause.witness) for clause in K.theorem] == [
        (True, ()),
        (True, ()),
        (False, (4,)),
        (False, (5,)),
    ]
    tied = polytope(A, {0: (F(1), F(0)), 1: (F(1), F(1))}, [(F(1), F(0)), (F(1), F(1))], [{0: F(1)}, {1: F(1)}])
    assert [(clause.holds, clause.witness) for clause in tied.theorem][1] == (False, (0,))
    assert not polytope(A, {}, [], []).theorem[0].holds
