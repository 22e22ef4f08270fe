"""What the dynamics tells, compared with the definition: graphs, rings, budgets, updates near the range of int64."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.dynamics.closed_form import ClosedForm
from exactformer.dynamics.families import sample
from exactformer.dynamics.float_filter import UNIT, Shadow
from exactformer.dynamics.follow_order import Cycle, follow_order
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.graph import write_graph
from exactformer.dynamics.integer_step import advance
from exactformer.dynamics.limits import Unsettled, _changes, limit, prove
from exactformer.dynamics.orbit import simulate
from exactformer.dynamics.polytope import NEITHER, PROJECTION, polytope
from exactformer.dynamics.prepared_instance import System
from exactformer.dynamics.score_form import Form
from exactformer.errors import InvalidInput
from exactformer.geometry.points import dot
from exactformer.model.tokens import Tokens

F = Fraction


# ---------------------------------------------------------------- graphs


@pytest.mark.parametrize("name", ["emerging-leader", "duplicated", "symmetric-faces", "generic-metric"])
def test_graphs_say_of_every_token_what_its_orbit_says(name: str, tmp_path: Path) -> None:
    orbit = simulate(sample(name, 6, 2, 3), layers=9)
    A = orbit.instance.A
    for k in range(9):
        graph, rows, after, sets = orbit.graph(k), *(orbit.tokens(j).rows() for j in (k, k + 1)), orbit.follows(k)
        led = [[j for j in range(k + 1) if orbit.follows(j)[i] == (i,)] for i in range(6)]
        for i, node in graph.nodes(data=True):
            assert node["token"] == "(" + ", ".join(map(str, rows[i])) + ")"
            assert F(node["norm"]) == dot([dot(row, rows[i]) for row in A], rows[i])
            assert (node["leader"], node["leads_from"]) == (bool(led[i]), led[i][0] if led[i] else -1)
            assert node["fixed"] == (after[i] == rows[i])
            assert [node["position"] == graph.nodes[j]["position"] for j in range(6)] == [rows[i] == z for z in rows]
        assert set(graph.edges) == {(i, j) for i in range(6) for j in sets[i]}
        assert all(loop == (i == j) for i, j, loop in graph.edges(data="loop"))
        assert graph.graph["leaders"] == " ".join(str(i) for i in range(6) if led[i])
        assert graph.graph["changed"] == (k > 0 and sets != orbit.follows(k - 1))
        assert (graph.graph["layer"], graph.graph["alpha"]) == (k, str(orbit.instance.alpha))


def test_leaders_are_drawn_twice_round(tmp_path: Path) -> None:
    graph = simulate(sample("emerging-leader", 5, 2, 3), layers=4).graph(2)
    write_graph(graph, tmp_path / "g.gv")
    text = (tmp_path / "g.gv").read_text()
    for i, node in graph.nodes(data=True):
        assert (f"  {i} [shape=doublecircle" in text) == node["leader"]
        assert (f"  {i} [shape=circle" in text) != node["leader"]
    write_graph(graph, tmp_path / "g.json")
    edges = json.loads((tmp_path / "g.json").read_text())["edges"]
    assert {(edge["source"], edge["target"]) for edge in edges} == set(graph.edges)


# ---------------------------------------------------------------- rings and budgets


@pytest.mark.parametrize(
    ("targets", "ring"),
    [([1, 2, 1], (1, 2)), ([3, 0, 1, 2], (0, 3, 2, 1)), ([0, 2, 3, 4, 3], (3, 4)), ([1, 0, 0], (0, 1))],
)
def test_a_ring_holds_those_who_follow_one_another_and_nobody_else(targets: list[int], ring: tuple[int, ...]) -> None:
    found = follow_order(FollowerSets.of_singles(np.array(targets)))
    assert found == Cycle(ring)
    assert [targets[p] for p in ring] == [*ring[1:], ring[0]]


@pytest.mark.parametrize("tokens", [sample("emerging-leader", 8, 3, 0), sample("metastable-ties", 8, 3, 38)])
def test_a_limit_that_is_given_up_tells_the_changes_before_and_the_next_one(tokens: Tokens) -> None:
    changes = limit(tokens).orbit.graph_changes
    assert len(changes) > 1
    seen = set()
    for budget in range(len(changes) + 1):
        found = prove(System(tokens), budget)
        if not isinstance(found, Unsettled):
            assert found.orbit.graph_changes == changes
            continue
        told = sorted({layer for layer, *_ in found.changes})
        assert told == [k for k in changes if k <= found.layers]
        if found.next_change is not None:
            assert found.next_change == next(k for k in changes if k > found.layers)
            assert str(found).count(f"they will change at layer {found.next_change}") == 1
        orbit = simulate(tokens, layers=changes[-1])
        for layer, token, old, new in found.changes:
            assert (orbit.follows(layer - 1)[token], orbit.follows(layer)[token]) == (old, new)
        seen.add(found.next_change)
    assert seen - {None}


@pytest.mark.parametrize(
    "tokens",
    [sample("emerging-leader", 8, 3, 0), sample("metastable-ties", 8, 3, 38), sample("integer-grid", 8, 2, 16)],
)
def test_the_last_changes_are_told_and_no_more_than_asked_for(tokens: Tokens) -> None:
    found = limit(tokens)
    everything = _changes(found.system, found.course, 1000)
    assert sorted({layer for layer, *_ in everything}) == list(found.orbit.graph_changes)
    for most in range(1, len(everything) + 1):
        told = _changes(found.system, found.course, most)
        assert len(told) == most
        assert told == sorted(told)
        assert set(told) <= set(everything)
        assert all(other in told or other[0] <= told[0][0] for other in everything)


@pytest.mark.parametrize("budget", [5, 30])
def test_in_a_ring_the_budget_counts_layers(budget: int) -> None:
    tokens = Tokens([[-4, -1], [3, -3], [1, 4]], [[1, -2], [2, 1]])
    found = prove(System(tokens, unchecked=True), budget)
    assert isinstance(found, Unsettled)
    assert found.layers == budget
    assert found.ring is not None
    assert sorted(found.ring.positions) == [0, 1, 2]


def test_layers_before_the_first_and_behind_the_last_are_refused() -> None:
    orbit = simulate([[2], [1]], layers=3)
    for layer in (-1, 4):
        for ask in (orbit.tokens, orbit.follows, orbit.leaders_at, orbit.positions, orbit.graph):
            with pytest.raises(InvalidInput, match=r"expected 0\.\.3"):
                ask(layer)


# ---------------------------------------------------------------- updates and bounds


@pytest.mark.parametrize("bits", [20, 50, 56, 58, 59, 60, 61, 62, 70])
@pytest.mark.parametrize("share", [F(1, 2), F(2, 3), F(1, 7)])
def test_updates_of_numbers_of_any_length_are_those_of_the_definition(bits: int, share: Fraction) -> None:
    rng = np.random.default_rng(bits)
    rows = [[int.from_bytes(rng.bytes(16), "big") % (1 << bits + 1) - (1 << bits) for _ in range(2)] for _ in range(9)]
    members = [[0], [1, 2, 4], [0, 1, 2, 3, 8], [3], [4, 5], [0, 2, 4, 6, 7, 8, 1], [6], [8], [2, 5, 7]]
    state, weights = State.of(rows), np.array([1, 2, 1, 1, 3, 1, 1, 1, 1])
    sets = FollowerSets.of_lengths(np.concatenate(list(map(np.array, members))), np.array(list(map(len, members))))
    for z, C, old in zip(advance(state, sets, weights, share).rows(), members, rows, strict=True):
        total = sum(int(weights[j]) for j in C)
        mean = [F(sum(int(weights[j]) * rows[j][c] for j in C), total) for c in range(2)]
        assert z == tuple((1 - share) * x + share * m for x, m in zip(old, mean, strict=True))


def test_the_error_of_a_shadow_grows_with_the_rounding_of_slow_steps() -> None:
    """z(k) = r^k z + (1 - r^k) y: with a = 1/1000 the floats of 400 layers are off by more than those of one."""
    share, form = F(1, 1000), Form([[1, 0], [0, 1]])
    state = State.of(np.random.default_rng(0).standard_normal((40, 2)))
    first = shadow = Shadow.of(state.array, state.denominator, form)
    for _ in range(400):
        shadow = shadow.moved(shadow.values[[0] * 40], float(share), 1)
    rows, rest = state.rows(), (1 - share) ** 400
    exact = [rest * x + (1 - rest) * y for row in rows for x, y in zip(row, rows[0], strict=True)]
    worst = max(abs(F(float(f)) - x) for f, x in zip(shadow.values.flat, exact, strict=True))
    assert first.error < worst <= shadow.error
    assert shadow.error >= first.error + 400 * 8 * UNIT * shadow.size


@pytest.mark.parametrize("c", [-1, -3])
def test_a_negative_multiple_of_the_identity_is_not_the_identity(c: int) -> None:
    rows = [[2, 0], [-1, 1], [0, -3]]
    orbit = simulate(Tokens(rows, [[c, 0], [0, c]]), layers=1, unchecked=True)
    scores = [[c * dot(x, y) for y in rows] for x in rows]
    assert orbit.follows(0) == [tuple(j for j in range(3) if line[j] == max(line)) for line in scores]
    assert "A positive definite" in orbit.hypotheses_violated


def test_a_limit_is_a_projection_only_if_its_leaders_lie_on_the_face() -> None:
    A, vertices = ((F(1), F(0)), (F(0), F(1))), {0: (F(1), F(1)), 1: (F(1), F(-1)), 2: (F(-3), F(0))}
    middle, half = (F(1), F(0)), F(1, 2)
    kinds = [
        polytope(A, vertices, [middle], [share]).places[0].kind
        for share in ({0: half, 1: half}, {0: half, 2: half}, {0: half, 1: F(1, 4), 2: F(1, 4)})
    ]
    assert kinds == [PROJECTION, NEITHER, NEITHER]


def test_closed_forms_are_written_by_decreasing_base_and_increasing_power() -> None:
    half, third, v = F(1, 2), F(1, 3), (F(1), F(2))
    form = ClosedForm.of({(third, 0): v, (half, 2): v, (F(1), 0): v, (half, 0): v, (half, 1): (F(0), F(0))}, 2)
    assert [(term.base, term.power) for term in form.terms] == [(1, 0), (half, 0), (half, 2), (third, 0)]
    assert form.at(3) == tuple(x * (1 + half**3 + 3 * half**3 + third**3) for x in v)
    assert form.limit == v


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
