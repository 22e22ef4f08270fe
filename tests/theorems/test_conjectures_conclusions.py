"""Conclusions of the catalogue against their definitions: small random instances, and the cases of equality."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from exactformer.conjectures.catalogue import (
    clustering,
    conditions,
    frank_wolfe,
    interpolation,
    leaders,
    statement_named,
)
from exactformer.conjectures.proved_limit import fate
from exactformer.conjectures.shrink import shrink
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.verdict import StatementVerdict, conclude, fails, holds, undecided
from exactformer.dynamics.limits import limit
from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.errors import InvalidInput, NotExact, Undecided
from exactformer.geometry.hull import InHull, in_hull
from exactformer.geometry.linear_algebra import rank
from exactformer.instances.frank_wolfe import FrankWolfe
from exactformer.instances.generators import TokenFamily, positive_definite, small_integers
from exactformer.model.tokens import Tokens

F = Fraction
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


def rows(*points: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(F(x) for x in point) for point in points)


ONE, TWO = rows((1,)), rows((1, 0), (0, 1))


# Frank-Wolfe ------------------------------------------------------------------------------------------
def walked(B: Any, tokens: Any, layers: int) -> list[list[tuple[Fraction, ...]]]:
    """The layers of x <- x + 2/(t+2) (mean of the minimisers of <B x, .> - x), in Fractions."""
    found = [list(tokens)]
    for t in range(layers):
        X, moved = found[-1], []
        for x in X:
            image = [sum(a * b for a, b in zip(row, x, strict=True)) for row in B]
            heights = [sum(a * b for a, b in zip(image, y, strict=True)) for y in X]
            best = [y for y, h in zip(X, heights, strict=True) if h == min(heights)]
            mean = [sum(column) / len(best) for column in zip(*best, strict=True)]
            moved.append(tuple(a + F(2, t + 2) * (m - a) for a, m in zip(x, mean, strict=True)))
        found.append(moved)
    return found


def test_the_bound_of_frank_wolfe_by_its_definition() -> None:
    """Diagonal B*, so that lambda_max is its largest entry; with 0 in the hull or not."""
    rng, outcomes = Random(1), []
    for _ in range(60):
        d = rng.choice((1, 2))
        B = tuple(tuple(F((1, 3)[i] * rng.choice((1, 1, 0)) if i == j else 0, 2) for j in range(d)) for i in range(d))
        tokens = tuple(dict.fromkeys(tuple(F(rng.randint(1, 6)) for _ in range(d)) for _ in range(3)))
        walk = FrankWolfe(B, tokens, 5)
        largest = max(B[k][k] for k in range(d))
        D = max(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for x in tokens for y in tokens)
        broken = None
        for t, layer in enumerate(walked(B, tokens, 5)):
            values = [sum(B[k][k] * x[k] ** 2 for k in range(d)) for x in layer]
            if t and D and max(values) / 2 > F(2, t + 1) * largest * D and broken is None:
                broken = t, values.index(max(values)), max(values) * (t + 1) / (4 * D)
        found = frank_wolfe.bound_holds(walk)
        outcomes.append(found.outcome)
        if broken is None:
            assert found.outcome == "true"
            assert 0 <= found.nearness <= 1
        else:
            assert (found.witness["layer"], found.witness["token"]) == broken[:2]
            assert largest <= found.witness["bound"] < broken[2]
    assert set(outcomes) == {"true", "false"}


def test_the_bound_of_frank_wolfe_is_not_broken_by_equality() -> None:
    """Tokens 1 and 2 are both at 1 from layer 1 on: 1/2 against 2/(t+1), equal at t = 3."""
    found = [frank_wolfe.bound_holds(FrankWolfe(ONE, rows((1,), (2,)), layers)) for layers in (1, 2, 3, 4, 9)]
    assert [judgement.outcome for judgement in found] == ["true", "true", "true", "false", "false"]
    assert all(judgement.witness["layer"] == 4 for judgement in found[3:])
    assert found[2].nearness == 1.0
    assert found[0].nearness == 0.5


def test_cells_and_closed_forms_by_their_definition() -> None:
    rng, generic = Random(2), 0
    for _ in range(40):
        tokens = tuple(small_integers(rng, 4, 2))
        found = frank_wolfe.generic_cells(TWO, tokens)
        heights = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in tokens] for x in tokens]
        best = [[j for j, h in enumerate(line) if h == max(line)] for line in heights]
        others = [in_hull(x, tokens[:i] + tokens[i + 1 :]) for i, x in enumerate(tokens)]
        corner = [not isinstance(answer, InHull) for answer in others]
        wanted = (
            len(set(tokens)) == 4
            and all(len(C) == 1 for C in best)
            and all(best[i] == [i] for i in range(4) if corner[i])
            and all(corner[C[0]] for C in best)
        )
        assert (found is not None) == wanted
        if found is not None:
            generic += 1
            assert list(found.target) == [C[0] for C in best]
            for j, weights in found.inside:
                assert not corner[j]
                assert sum(w for _, w in weights) == 1
            walk = FrankWolfe(TWO, tokens, 3, (F(1, 2), F(1, 3)))
            assert frank_wolfe.closed_form_holds(walk).nearness == 0.5
    assert generic > 3


def test_cells_of_vertices_of_equal_norm_are_voronoi_cells_and_others_not() -> None:
    def told(*points: Any, B: Any = TWO) -> StatementVerdict:
        return frank_wolfe.cells_are_voronoi(FrankWolfe(B, rows(*points), 1))

    assert told((1, 0), (-1, 0), (0, 1), ("1/2", "1/4")).nearness == 0.5
    far = told((3, 0), (-1, 0), (0, 1), ("1/10", "1/5"))
    assert (far.outcome, far.witness) == ("false", {"token": 3})
    assert told((1, 0), (-1, 0), (0, 1), (0, "1/4"), B=rows((4, 0), (0, 4))).outcome == "true"
    assert frank_wolfe.bilinear(rows((1, 2), (0, 3)), rows((1, 1))[0], rows((5, 7))[0]) == 36


@pytest.mark.parametrize(
    ("c", "q", "split"),
    [("1/2", "1/2", 1), ("1/2", "2/5", 0), ("3/4", "1/2", 1), ("9/10", "4/5", 7), ("1/5", "4/5", 1)],
)
def test_slow_steps_are_split_where_the_rest_is_small(c: str, q: str, split: int) -> None:
    """The first T with c q^T < 1 - q, strictly."""
    walk = FrankWolfe(ONE, rows((1,), (-1,), ("1/2",)), 4, (F(c), F(q)))
    found = frank_wolfe.exponentially_fast(walk)
    assert found.witness == {"token": 2, "split": split}
    assert F(c) * F(q) ** split < 1 - F(q)
    assert split == 0 or F(c) * F(q) ** (split - 1) >= 1 - F(q)


def test_steps_that_do_not_fall_or_nobody_who_moves() -> None:
    assert (
        frank_wolfe.exponentially_fast(FrankWolfe(ONE, rows((1,), (-1,), ("1/2",)), 4, (F(1, 2), F(1)))).nearness == 0.5
    )
    assert frank_wolfe.exponentially_fast(FrankWolfe(ONE, rows((1,), (-1,)), 4, (F(1, 2), F(1, 2)))).nearness == 0.0


# leaders ----------------------------------------------------------------------------------------------
def small_instances(seed: int, count: int, **changes: Any) -> list[Tokens]:
    rng, family = Random(seed), TokenFamily((3, 4, 5), (1, 2, 2), points=small_integers, **changes)
    return [family(rng) for _ in range(count)]


def test_beliefs_about_leaders_by_their_definition() -> None:
    seen = set()
    for tokens in (Tokens([[1, 1], [1, -1], ["1/2", 0], [-3, 0]]), *small_instances(3, 30)):
        points, end, found = tokens.state.rows(), fate(tokens), limit(tokens)
        n = len(points)
        corner = [
            not (n > 1 and isinstance(in_hull(x, [*points[:i], *points[i + 1 :]]), InHull))
            for i, x in enumerate(points)
        ]
        leading = set(found.leaders)
        judged = leaders.leaders_are_vertices(tokens)
        assert (judged.outcome == "true") == ({i for i in range(n) if corner[i]} == leading)
        if judged.refutes:
            i = judged.witness["token"]
            assert judged.witness["leader"] == (i in leading) != corner[i]
        ends = [found.points[i] for i in range(n)]
        stray = [i for i in range(n) if ends[i] not in [ends[j] for j in leading]]
        told = leaders.tends_to_leader(tokens)
        assert told.witness == ({"token": stray[0]} if stray else {})
        late = [k for k in end.changes if k > n]
        constant = leaders.constant_after_n(tokens)
        assert constant.witness == ({"layers": late[0]} if late else {})
        assert late or constant.nearness == max(end.changes, default=0) / (n + 1)
        seen |= {judged.outcome, told.outcome + " tends"}
    assert seen == {"true", "false", "true tends", "false tends"}


def test_leaders_by_layer_n_by_their_definition() -> None:
    seen = set()
    for _, hypotheses, family in clustering.DROPPED:
        rng = Random(5)
        for _ in range(60):
            tokens = family(rng)
            orbit, n = PlainOrbit(tokens), len(tokens)
            first = [k for k in range(n + 1) if any((i,) == C for i, C in enumerate(orbit[k].follows))]
            found, at_once = clustering.some_leader_by_layer_n(tokens), clustering.some_leader(tokens)
            count = sum((i,) == C for i, C in enumerate(orbit[0].follows))
            assert (at_once.outcome == "true") == bool(count)
            assert at_once.nearness == (1 / (1 + count) if count else 1.0)
            if not first:
                assert found.witness == {"layers": n}
            else:
                assert found.nearness == ((first[0] + 1) / (n + 2) if first[0] else 0.5 / (1 + count))
            seen.add(min(first, default=-1))
            assert all(isinstance(h.holds_for(tokens), bool) for h in hypotheses)
    assert {-1, 0} < seen


@pytest.mark.parametrize(
    ("points", "outcome", "nearness"),
    [
        ([[1], [-1], [0]], "false", 1.0),
        ([[1, 0], [-1, 0], [0, 0]], "true", 0.5),
        ([[1], [2], [0]], "true", 0.0),
        ([*SQUARE, [0, 0]], "false", 1.0),
    ],
)
def test_limits_on_the_boundary_of_the_hull_of_leaders(points: Any, outcome: str, nearness: float) -> None:
    found = clustering.limits_on_boundary(Tokens(points))
    assert (found.outcome, found.nearness) == (outcome, nearness)
    if found.refutes:
        assert found.witness["token"] == len(points) - 1
        weights = found.witness["weights"]
        assert sum(w for _, w in weights) == 1
        assert all(sum(w * F(points[i][k]) for i, w in weights) == 0 for k in range(len(points[0])))
        assert rank([[1, *points[i]] for i, _ in weights]) == len(points[0]) + 1


def test_the_theorem_is_near_to_failing_where_tokens_end_between_leaders() -> None:
    plain = Tokens([[3, 0], [0, 1], [1, 0]])
    assert clustering.theorem_holds(plain).nearness < 0.9
    between = Tokens([[1, 1], [1, -1], ["1/2", 0], [-3, 0]])
    assert clustering.theorem_holds(between).nearness == 0.9


STATEMENTS = {
    "leader-by-layer-n-without-symmetry": ("NOT_SYMMETRIC", "DEFINITE_PART", "NONZERO", "DISTINCT"),
    "leader-by-layer-n-indefinite": ("SYMMETRIC", "INDEFINITE", "NONZERO", "DISTINCT"),
    "leader-by-layer-n-semidefinite": ("SYMMETRIC", "SINGULAR", "NONZERO", "DISTINCT"),
    "leader-by-layer-n-duplicates": ("SPD", "NONZERO", "REPEATED"),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_about_layer_n_keep_their_status_and_their_hypotheses(name: str) -> None:
    found = statement_named(name)
    assert found.status == "false"
    assert found.hypotheses == tuple(getattr(conditions, told) for told in STATEMENTS[name])


def test_unknown_statements_are_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match=r"Did you mean .*lemma-2"):
        statement_named("lema-2")
    with pytest.raises(InvalidInput, match="no statement is called 'xyzzy'"):
        statement_named("xyzzy")


# interpolation ----------------------------------------------------------------------------------------
def test_conditions_on_data_by_their_definition() -> None:
    """Every way to give targets to three sequences of which two are the same measure."""
    a, b, low, high = (F(0),), (F(1),), (F(2),), (F(3),)
    kinds = [(low,), (high,), (low, high), (high, low)]
    for first, second, third in product(kinds, repeat=3):
        pairs = (((a, b), first), ((b, b, a, a), second), ((a,), third))
        found = interpolation.violated_condition(pairs)
        if set(first) != set(second):
            assert found == ("measure", (0, 1))
        elif len(set(third)) == 2:
            assert found == ("targets", (2,))
        else:
            assert found is None
    assert interpolation.violated_condition((((a, a), (low, low)),)) is None
    assert interpolation.violated_condition((((a, a, b), (low,)), ((a, b, b), (high,)))) is None


def test_one_block_is_ruled_out_with_a_normal_that_separates() -> None:
    from exactformer.instances.datasets import dataset_of_pairs

    a, b, c = rows((0, 0), (1, 0), (0, 1))
    alone = [((a,), (b,)), ((b,), (c,)), ((c,), (a,))]
    outside = rows((2, 2))[0]
    found = interpolation.one_block(dataset_of_pairs((*alone, ((a, b, c), (outside,)))))
    assert (found.outcome, found.witness["sequence"]) == ("false", 3)
    normal = found.witness["normal"]
    heights = [sum(x * y for x, y in zip(normal, p, strict=True)) for p in (a, b, c)]
    height = sum(x * y for x, y in zip(normal, outside, strict=True))
    assert height > max(heights) or height < min(heights)
    edge = rows(("1/2", "1/2"))[0]  # on the hull: one block is not ruled out
    assert interpolation.one_block(dataset_of_pairs((*alone, ((a, b, c), (edge,))))).outcome == "undecided"
    assert interpolation.one_block(dataset_of_pairs((*alone, ((a, b), (outside, a))))).outcome == "undecided"


# judgements, orbits, shrinking ------------------------------------------------------------------------
def test_judgements_are_true_false_or_raise() -> None:
    assert (bool(holds()), bool(fails(token=1)), holds(0.25).nearness, fails().nearness) == (True, False, 0.25, 1.0)
    assert (holds().refutes, fails().refutes, undecided("x").refutes) == (False, True, False)
    with pytest.raises(Undecided, match="why not"):
        bool(undecided("why not"))
    assert undecided("x", 0.5).nearness == 0.5
    assert conclude(True, nearness=0.3, token=2) == holds(0.3)
    assert conclude(False, nearness=0.3, token=2) == fails(token=2)


def test_plain_layers_are_of_rational_instances_alone() -> None:
    with pytest.raises(NotExact, match="algebraic coordinate"):
        PlainOrbit(Tokens([["sqrt(2)", 1]]))
    with pytest.raises(NotExact, match="algebraic numbers"):
        PlainOrbit(Tokens([[1, 1]], A=[["sqrt(2)", 0], [0, 1]]))
    orbit = PlainOrbit(Tokens([[2, 0], [1, 1]], A=[["1/2", 0], [0, "1/3"]]))
    assert orbit.A == ((3, 0), (0, 2))
    assert orbit[0].scores == [[12, 6], [6, 5]]
    assert [orbit.first_lead(i, 3) for i in (0, 1)] == [0, None]
    late = PlainOrbit(Tokens([[1, 1], [-1, 1], ["4/5", "11/10"], ["-4/5", "11/10"], [0, "1/2"]]))
    assert [late.first_lead(4, last) for last in (6, 7, 9)] == [None, 7, 7]


def test_shrinking_prefers_fewer_tokens_then_dimensions_then_layers_then_digits() -> None:
    def conclusion(tokens: Tokens) -> StatementVerdict:
        return fails(layers=int(tokens.alpha.denominator)) if len(tokens) >= 2 and tokens.alpha < 1 else holds()

    own = Statement("own", "words", "open", "here", (), conclusion, TokenFamily(matrices=positive_definite))
    start = Tokens([[7, 3], [-5, 2], [1, 9]], A=[[2, 1], [1, 2]], alpha="2/7")
    small, verdict = shrink(own, start)
    assert (len(small), small.dim) == (2, 1)
    assert verdict.witness == {"layers": int(small.alpha.denominator)}
    assert small.alpha == F(1, 2)
    assert all(abs(x) <= 1 for row in small.state.rows() for x in row)
