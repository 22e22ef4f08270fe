"""Tables of the dynamics: when tokens lead and sets change, rings, hypotheses, forms, positions, limits of options."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.dynamics.families import SMALLEST, sample
from exactformer.dynamics.float_filter import Shadow
from exactformer.dynamics.follow_order import Cycle, follow_order
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.hypotheses import DEFINITE, SYMMETRIC, form_and_violations
from exactformer.dynamics.orbit import count, simulate
from exactformer.dynamics.polytope import NEITHER, PROJECTION, VERTEX, polytope
from exactformer.dynamics.positions import Positions
from exactformer.dynamics.prepared_instance import System
from exactformer.dynamics.score_form import Form
from exactformer.errors import InvalidInput
from exactformer.model.tokens import Tokens

F = Fraction


#: in the last two a set changes at layer 1, and a token leads when the stages that begin there are under way
ORBITS = [(f, 5, s) for f in ("emerging-leader", "metastable-ties") for s in range(4)]
ORBITS += [("metastable-ties", 7, 48), ("metastable-ties", 7, 56)]


@pytest.mark.parametrize(("family", "n", "seed"), ORBITS)
def test_leaders_and_changes_are_those_of_the_sets_however_far_the_layers_go(family: str, n: int, seed: int) -> None:
    told: list[int] = []
    orbit = simulate(sample(family, n, 2, seed), layers=90, progress=told.append)
    sets = [orbit.follows(k) for k in range(91)]
    leads = {i: next((k for k in range(91) if sets[k][i] == (i,)), None) for i in range(n)}
    assert orbit.leads_from == {i: k for i, k in leads.items() if k is not None}
    assert orbit.graph_changes == tuple(k for k in range(1, 91) if sets[k] != sets[k - 1])
    for k in (0, 1, 5, 90):
        assert orbit.leaders_at(k) == tuple(i for i, start in orbit.leads_from.items() if start <= k)
    assert told == sorted(told)
    assert max(told, default=0) <= 90
    for start in {k for k in leads.values() if k}:
        short = simulate(orbit.instance, layers=start - 1)
        assert all(leads[i] != start for i in short.leaders)
        assert short.graph_changes == tuple(k for k in orbit.graph_changes if k < start)


@pytest.mark.parametrize(("targets", "ring"), [([1, 2, 1], (1, 2)), ([0, 2, 3, 1], (1, 2, 3)), ([1, 0, 0], (0, 1))])
def test_a_ring_has_the_positions_on_it_alone(targets: list[int], ring: tuple[int, ...]) -> None:
    assert follow_order(FollowerSets.of_singles(np.array(targets))) == Cycle(ring)


@pytest.mark.parametrize("name", SMALLEST)
def test_families_refuse_what_is_below_their_least_size(name: str) -> None:
    n, d = SMALLEST[name]
    assert sample(name, n, d).state.array.shape == (n, d)
    for size, dim in ((n - 1, d), (n, d - 1)):
        with pytest.raises(InvalidInput, match=f"{name}: expected n >= {n} and d >= {d}, got n = {size} and d = {dim}"):
            sample(name, size, dim)


@pytest.mark.parametrize(("size", "entry", "exact"), [(2, 1, True), (1 << 20, 1, True), (1 << 20, 1 << 20, False)])
def test_scores_are_exact_in_floats_only_while_they_and_their_sums_fit(size: int, entry: int, exact: bool) -> None:
    form = Form([[entry, 0], [0, 2 * entry + 1]])
    assert Shadow.of(np.array([[size, 1], [1, -size]]), 1, form).exact == exact


@pytest.mark.parametrize(
    ("A", "identity"),
    [([[3, 0], [0, 3]], True), ([[-1, 0], [0, -1]], False), ([[1, 0], [0, 2]], False), ([[0, 0], [0, 0]], False)],
)
def test_positive_multiples_of_the_identity_alone_are_taken_for_it(A: Any, identity: bool) -> None:
    form = Form(A)
    assert form.is_identity == identity
    rows = np.array([[1, 2], [-3, 4]])
    expected = rows if identity else rows @ np.array(A).T
    assert form.left(rows).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("A", "violated"),
    [
        (((1, 0), (0, 1)), []),
        (((1, 5), (0, 1)), [SYMMETRIC, DEFINITE]),
        (((1, 1), (0, 1)), [SYMMETRIC]),
        (((1, 1), (1, 1)), [DEFINITE]),
        (((1, 2), (2, 1)), [DEFINITE]),
    ],
)
def test_hypotheses_on_the_matrix(A: Any, violated: list[str]) -> None:
    found = form_and_violations(A)[1]
    assert [v.hypothesis for v in found] == violated
    if violated == [SYMMETRIC, DEFINITE]:
        assert found[1].why.startswith("of A + A', ")


@pytest.mark.parametrize("d", [4, 5, 6])
@pytest.mark.parametrize(
    ("entry", "violated"), [((0, 1, 1), [SYMMETRIC]), ((3, 2, 1), [SYMMETRIC]), ((1, 1, -10), [DEFINITE])]
)
def test_one_entry_of_a_large_matrix_breaks_a_hypothesis(
    d: int, entry: tuple[int, int, int], violated: list[str]
) -> None:
    rows = [[9 * (i == j) + (abs(i - j) == 2) for j in range(d)] for i in range(d)]
    assert form_and_violations(tuple(map(tuple, rows)))[1] == ()
    i, j, change = entry
    rows[i][j] += change
    assert [v.hypothesis for v in form_and_violations(tuple(map(tuple, rows)))[1]] == violated


def test_hypotheses_on_tokens_name_the_first_that_break_them() -> None:
    rows = [[1, 1], [0, 2], [0, 0], [0, 2], [1, 1], [0, 0], [0, 0], [3, 0]]
    zero, equal = System(Tokens(rows)).violations
    assert (zero.why, zero.witness) == ("token 2 is zero: it ties with every token", (2, 5, 6))
    assert (equal.why, equal.witness) == (
        "tokens 0 and 4 are equal: neither can lead alone",
        ((0, 4), (1, 3), (2, 5, 6)),
    )


def test_positions_stand_in_the_order_of_their_first_tokens() -> None:
    found = Positions.of(State.of([[1, 1], [0, 2], [1, 1], [0, 2], [1, 3], [1, 1]]))
    assert found.index.tolist() == [0, 1, 0, 1, 2, 0]
    assert (found.first.tolist(), found.weights.tolist(), len(found)) == ([0, 1, 4], [3, 2, 1], 3)
    assert (found.distinct, found.classes) == (False, ((0, 2, 5), (1, 3), (4,)))
    assert found.tokens_at(np.array([2, 0])) == (0, 2, 4, 5)


@pytest.mark.parametrize("wrong", [True, False, 2.0, -1, "3", None])
def test_layers_are_integers_from_zero_on(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="layers: expected an integer >= 0"):
        count(wrong, "layers")
    assert (count(np.int64(3), "layers"), count(0, "layers")) == (3, 0)


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
