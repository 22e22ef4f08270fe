"""The parts of the dynamics: filter bound, follower sets, positions, closed forms, positivity, graphs, families."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from exactformer.arithmetic.power_sum import PowerSum, enclosure, power, sign_of
from exactformer.arithmetic.state import State
from exactformer.dynamics.closed_form import ClosedForm, constant, continued, inner, solve
from exactformer.dynamics.families import FAMILIES, SMALLEST, sample
from exactformer.dynamics.float_filter import Shadow, candidates
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.graph import write_graph
from exactformer.dynamics.hypotheses import _proved_by_cholesky
from exactformer.dynamics.integer_step import advance, means
from exactformer.dynamics.limits import limit
from exactformer.dynamics.orbit import simulate
from exactformer.dynamics.positions import Positions
from exactformer.dynamics.positivity import Exponential, Fails, Positive, positive_from, unsettled
from exactformer.dynamics.score_form import Form, float_of
from exactformer.errors import InvalidInput
from exactformer.model.tokens import Tokens

F = Fraction


# ---------------------------------------------------------------- the filter


@pytest.mark.parametrize("seed", range(12))
def test_every_float_score_is_within_its_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 7))
    scale = 10.0 ** rng.integers(-60, 60)
    rows = rng.standard_normal((n, d)) * scale
    B = rng.integers(-5, 6, (d, d)) * 10 ** int(rng.integers(0, 12))
    state, form = State.of(rows), Form((B + B.T).tolist() if np.any(B + B.T) else np.eye(d, dtype=int).tolist())
    third = State(state.numerators, state.denominator * 3)  # not dyadic: the shadow is rounded
    shadow = Shadow.of(third.array, third.denominator, form)
    assert not shadow.exact
    floats = form.approx_left(shadow.values) @ shadow.values.T
    exact_rows = [[F(int(x), third.denominator) for x in row] for row in third.numerators]
    assert all(
        abs(F(float(f)) - x) <= F(shadow.error)
        for fs, xs in zip(shadow.values, exact_rows, strict=True)
        for f, x in zip(fs, xs, strict=True)
    )
    bounds = shadow.errors(form, shadow.values, shadow.error)
    assert shadow.largest_error(form) >= bounds.max() * (1 - 1e-9)
    matrix = form.matrix.tolist()
    for i in range(n):
        image = [sum(F(int(a)) * x for a, x in zip(row, exact_rows[i], strict=True)) for row in matrix]
        for j in range(n):
            score = sum((x * y for x, y in zip(image, exact_rows[j], strict=True)), start=F(0))
            assert abs(F(float(floats[i, j])) - score) <= F(float(bounds[i]))


def test_moved_shadows_stay_within_their_error() -> None:
    rng = np.random.default_rng(5)
    state, form = State.of(rng.standard_normal((6, 3))), Form(np.eye(3, dtype=int).tolist())
    shadow, weights = Shadow.of(state.array, state.denominator, form), np.ones(6, dtype=np.int64)
    for _ in range(40):
        tie = FollowerSets(np.array([0, 2, 5]), np.array([0, 3]))
        sets = FollowerSets.of_singles(rng.integers(0, 6, 6)).replaced(np.array([1]), tie)
        summed = np.add.reduceat(shadow.values[sets.members], sets.offsets[:-1]) / sets.lengths[:, None]
        shadow = shadow.moved(summed, float(F(1, 3)), 3)
        state = advance(state, sets, weights, F(1, 3))
        for f, x in zip(shadow.values.flat, state.numerators.flat, strict=True):
            assert abs(F(float(f)) - F(int(x), state.denominator)) <= F(shadow.error)


def test_candidates_contain_every_maximiser_and_ties_are_near() -> None:
    form = Form([[1, 0], [0, 1]])
    state = State.of([["3/5", "4/5"], [1, 0], ["4/5", "2/5"]])
    shadow = Shadow(state.floats(), 2.0**-50, 1.0)
    sets, near = candidates(shadow, form, shadow.values, shadow.error)
    assert 2 in near.tolist()
    assert set(sets[2].tolist()) >= {0, 1, 2}


def test_small_integers_are_scored_exactly_by_floats() -> None:
    form = Form([[1, 0], [0, 1]])
    assert Shadow.of(np.array([[3, 4], [5, 0]]), 7, form).exact
    assert not Shadow.of(np.array([[2**30, 4], [5, 0]]), 1, form).exact


def test_floats_of_cancelling_algebraic_numbers_are_relatively_accurate() -> None:
    tiny = Tokens([["sqrt(2)-1414213562373095048801688724209698078569671875376948073176679737990732478462/10**75"]])
    value = float_of(tiny.state.array[0, 0])
    assert value != 0
    assert math.isclose(value, float(tiny.state.array[0, 0].enclosure(600).mid()), rel_tol=1e-15)


def test_a_large_definite_matrix_is_proved_by_cholesky_and_a_singular_one_is_not() -> None:
    rng = np.random.default_rng(0)
    B = rng.integers(-3, 4, (12, 12))
    assert _proved_by_cholesky(Form((B.T @ B + np.eye(12, dtype=int)).tolist()))
    C = rng.integers(-3, 4, (11, 12))
    assert not _proved_by_cholesky(Form((C.T @ C).tolist()))
    with pytest.raises(InvalidInput, match="positive definite"):
        simulate(Tokens(np.eye(12, dtype=int), (C.T @ C).tolist()), layers=1)
    assert simulate(Tokens(np.eye(12, dtype=int), (B.T @ B + np.eye(12, dtype=int)).tolist()), layers=1).layers == 1


# ---------------------------------------------------------------- sets and positions


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


def test_positions_count_equal_tokens() -> None:
    positions = Positions.of(State.of([[1, 0], [1, 1], [1, 0], [2, 0]]))
    assert positions.classes == ((0, 2), (1,), (3,))
    assert positions.weights.tolist() == [2, 1, 1]
    assert positions.tokens_at(np.array([2, 0])) == (0, 2, 3)


def test_means_count_multiplicities() -> None:
    sets = FollowerSets(np.array([0, 1, 1]), np.array([0, 2, 3]))
    target, common = means(sets, np.array([[0], [3]]), np.array([2, 1]))
    assert [F(int(x), common) for x in target[:, 0]] == [1, 3]


# ---------------------------------------------------------------- closed forms and positivity


def test_solutions_satisfy_their_recursion() -> None:
    rng = random.Random(3)
    for _ in range(40):
        parts = [constant((F(rng.randint(-5, 5)), F(rng.randint(-5, 5))))]
        for _ in range(4):
            eigenvalue = F(rng.randint(1, 3), 4)
            start = (F(rng.randint(-9, 9), 2), F(rng.randint(-9, 9), 3))
            forcing = [(F(rng.randint(1, 4), 9), rng.choice(parts)) for _ in range(2)]
            form = solve(start, eigenvalue, forcing)
            assert form.at(0) == start
            for k in range(6):
                expected = tuple(
                    eigenvalue * x + sum(c * g.at(k)[i] for c, g in forcing) for i, x in enumerate(form.at(k))
                )
                assert form.at(k + 1) == expected
            parts.append(form)


def test_inner_products_of_closed_forms() -> None:
    one = constant((F(1), F(2)))
    x = solve((F(3), F(1)), F(1, 2), [(F(1, 2), one)])
    y = solve((F(1), F(1)), F(1, 2), [(F(1, 2), x)])  # has a term k (1/2)^k
    assert any(term.power for term in y.terms)
    A = ((F(2), F(1)), (F(1), F(1)))
    f = inner(A, x, y)
    for k in range(8):
        u, v = x.at(k), y.at(k)
        expected = sum(A[i][j] * u[j] * v[i] for i in range(2) for j in range(2))
        assert value_at(f, k) == expected


def value_at(f: dict[F, list[F]], k: int) -> F:
    return sum((b**k * sum(c * k**e for e, c in enumerate(p)) for b, p in f.items()), start=F(0))


def exponential(f: dict[F, list[F]]) -> Exponential:
    balls = {b: [enclosure(c, 192) for c in p] for b, p in f.items()}
    return Exponential(balls, lambda k: sign_of(value_at(f, k)))


def random_exponential(rng: random.Random) -> dict[F, list[F]]:
    """Positive at 0; near ties and several changes of sign are common."""
    while True:
        bases = rng.sample([F(1), F(99, 100), F(9, 10), F(3, 4), F(1, 2), F(1, 3)], rng.randint(1, 4))
        f = {b: [F(rng.randint(-6, 6), rng.choice((1, 1, 50))) for _ in range(rng.randint(1, 3))] for b in bases}
        f = {b: [*p[:-1], p[-1] or F(1)] for b, p in f.items()}
        if value_at(f, 0) > 0:
            return f


def test_positivity_agrees_with_brute_force() -> None:
    rng = random.Random(4)
    outcomes, cuts = set(), 0
    for _ in range(200):
        f = random_exponential(rng)
        verdict = positive_from(exponential(f), 0)
        outcomes.add(type(verdict))
        end = verdict.at - 1 if isinstance(verdict, Fails) else verdict.dominant
        assert all(value_at(f, k) > 0 for k in range(min(end, 100) + 1))
        assert isinstance(verdict, Positive) or value_at(f, verdict.at) <= 0
        parts = [0, *verdict.cuts, end]
        assert parts == sorted(parts)
        cuts += len(verdict.cuts)
        for u, v in pairwise(parts):
            assert unsettled(exponential(f), u, v) is None
    assert outcomes == {Positive, Fails}
    assert cuts > 5


def test_functions_that_are_positive_for_a_million_layers_are_refused_at_once() -> None:
    base = F(10**6 - 1, 10**6)
    late = {F(1): [F(-1, 10**4)], base: [F(1)]}
    verdict = positive_from(exponential(late), 0)
    assert isinstance(verdict, Fails)
    assert 9_210_330 < verdict.at < 9_210_350  # 10^6 log 10^4
    slow = {F(1): [F(1, 8)], base: [F(-1), F(1, 10**6)], F(1, 2): [F(2)]}
    verdict = positive_from(exponential(slow), 0)
    assert verdict == Fails(2, ()) or value_at(slow, verdict.at) <= 0 < value_at(slow, verdict.at - 1)


def test_exact_zeros_at_integers_are_failures() -> None:
    touching = {F(1, 2): [F(36), F(-12), F(1)]}  # (k - 6)^2
    assert positive_from(exponential(touching), 0) == Fails(6, positive_from(exponential(touching), 0).cuts)
    between = {F(1, 2): [F(143), F(-48), F(4)]}  # negative for 11/2 < k < 13/2 only
    assert isinstance(positive_from(exponential(between), 0), Fails)
    passing = {F(1, 2): [F(99), F(-40), F(4)]}  # negative between 9/2 and 11/2 at 5 only
    assert positive_from(exponential(passing), 0).at == 5  # type: ignore[union-attr]
    above = {F(1, 2): [F(1207, 10), F(-44), F(4)]}  # negative between integers only
    assert isinstance(positive_from(exponential(above), 0), Positive) == all(value_at(above, k) > 0 for k in range(9))


def test_continued_forms_agree_where_they_begin() -> None:
    one = constant((F(1), F(2)))
    x = solve((F(3), F(1)), F(1, 2), [(F(1, 2), one)])
    y = continued(x, 7, F(3, 4), [(F(1, 8), x), (F(1, 8), one)])
    assert y.at(7) == x.at(7)
    for k in range(7, 12):
        expected = tuple(
            F(3, 4) * u + F(1, 8) * v + F(1, 8) * w for u, v, w in zip(y.at(k), x.at(k), one.at(k), strict=True)
        )
        assert y.at(k + 1) == expected
    late = continued(x, 10**6, F(1, 2), [(F(1, 2), y)])
    assert late.value(10**6) == x.value(10**6)


# ---------------------------------------------------------------- sums of powers


def test_power_sums_are_the_numbers_they_stand_for() -> None:
    rng = random.Random(5)
    for _ in range(200):
        numbers = []
        for _ in range(2):
            terms = [(F(rng.randint(-4, 4), rng.randint(1, 3)), rng.choice((-3, 0, 700, 2000, 2003))) for _ in range(3)]
            base = F(rng.randint(1, 3), 4)
            symbol = sum((c * power(base, e) for c, e in terms), start=F(0))
            numbers.append((symbol, sum((c * base**e for c, e in terms), start=F(0))))
        (x, u), (y, v) = numbers
        for symbol, plain in ((x + y, u + v), (x - y, u - v), (x * y, u * v), (x / 3, u / 3), (2 - x, 2 - u)):
            assert symbol == plain
            assert sign_of(symbol) == sign_of(plain)
            assert hash(symbol) == hash(plain)
        assert ((x < y), (x <= y), (x > y), (x >= y)) == ((u < v), (u <= v), (u > v), (u >= v))


def test_a_sum_that_is_zero_without_looking_so_is_zero() -> None:
    x = power(F(1, 4), 5000) - power(F(1, 2), 10000)
    assert isinstance(x, PowerSum)
    assert not x
    assert x == 0


def test_power_sums_enclose_their_value() -> None:
    form = ClosedForm.of({(F(1), 0): (F(1, 3),), (F(2, 3), 1): (F(-5),)}, 1)
    (exact,) = form.at(200)
    low, high = (power(F(2, 3), 2000) + F(1, 3)).interval(80)
    assert low <= F(1, 3) <= high
    assert high - low <= F(2, 2**80)
    assert exact == F(1, 3) - 5 * 200 * F(2, 3) ** 200
    (huge,) = form.at(10**7)
    assert isinstance(huge, PowerSum)
    assert {"coefficient": F(-5 * 10**7), "powers": [[F(2, 3), 10**7]]} in huge.json()["terms"]
    assert float(huge) == pytest.approx(1 / 3)


# ---------------------------------------------------------------- graphs


def chain_of_three() -> Tokens:
    return Tokens([[3, 0], [2, 1], [1, 1], [0, "1/2"], [0, "1/2"]])


def test_graphs_carry_what_is_known() -> None:
    orbit = simulate(chain_of_three(), layers=4)
    graph = orbit.graph(0)
    assert [tuple(sorted(graph.successors(i))) for i in graph] == [tuple(s) for s in orbit.follows(0)]
    assert graph.nodes[0]["leader"]
    assert graph.nodes[0]["norm"] == "9"
    assert graph.nodes[3]["position"] == graph.nodes[4]["position"]
    assert graph.edges[0, 0]["loop"]
    graph.remove_edges_from([(i, j) for i, j, loop in graph.edges(data="loop") if loop])
    assert nx.is_directed_acyclic_graph(graph)


def test_graphs_are_written_in_three_forms(tmp_path: Path) -> None:
    graph = simulate(chain_of_three(), layers=1).graph(1)
    for name in ("g.graphml", "g.json", "g.dot"):
        write_graph(graph, tmp_path / name)
    read = nx.read_graphml(tmp_path / "g.graphml", node_type=int)
    assert sorted(read.edges) == sorted(graph.edges)
    assert len(json.loads((tmp_path / "g.json").read_text())["nodes"]) == 5
    assert "0 -> 0;" in (tmp_path / "g.dot").read_text()
    with pytest.raises(InvalidInput, match="graphml"):
        write_graph(graph, tmp_path / "g.png")


def test_graph_changes_are_the_layers_at_which_sets_change() -> None:
    for seed in range(20):
        orbit = simulate(sample("symmetric-faces", 8, 3, seed), layers=12)
        expected = tuple(k for k in range(1, 13) if orbit.follows(k) != orbit.follows(k - 1))
        assert orbit.graph_changes == expected
        if orbit.constant_from is not None:
            assert all(k <= orbit.constant_from for k in expected)


# ---------------------------------------------------------------- families


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_reproducible_and_of_the_shape_asked_for(name: str) -> None:
    least, dimension = SMALLEST.get(name, (1, 1))
    for n, d in ((least, dimension), (least + 5, dimension + 2)):
        tokens = sample(name, n, d, 11)
        assert (len(tokens), tokens.dim) == (n, d)
        assert tokens == sample(name, n, d, np.random.default_rng(11))
    with pytest.raises(InvalidInput):
        sample(name, 0, dimension, 0)


def test_emerging_leaders_emerge() -> None:
    for seed in range(10):
        assert max(simulate(sample("emerging-leader", 6, 3, seed), layers=60).leads_from.values()) > 0


def test_duplicated_tokens_are_duplicated() -> None:
    assert any(len(c) > 1 for c in simulate(sample("duplicated", 8, 2, 0), layers=0).positions(0))


def test_an_unknown_family_is_named() -> None:
    with pytest.raises(InvalidInput, match="integer-grid"):
        sample("nonsense", 3, 2, 0)


def test_results_show_themselves_briefly_however_long_their_numbers_are() -> None:
    tokens = Tokens([[2, 1], [1, Fraction(1, 7**6000)], [0, Fraction(-1, 3)]])
    assert repr(limit(tokens)) == "Limit(3 tokens, follower sets constant from layer 0, leaders [0, 2])"
    assert repr(simulate(tokens, layers=1)) == "Orbit(3 tokens, 1 layers, leaders [0, 2])"
