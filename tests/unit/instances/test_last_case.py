"""Tests of `exactformer.instances.last_case` and `exactformer.instances.tie_patterns`."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.errors import InvalidInput
from exactformer.instances.last_case import HeldTie, held_tie, solved_tokens
from exactformer.instances.tie_patterns import (
    MARGIN,
    ClusterShape,
    PatternEquations,
    PatternLayer,
    approx_largest,
    one_layer_more,
    propose_solution,
    starting_point,
)

F = Fraction
TWO = ClusterShape(F(8), 2)
#: token 1, which ties with token 0 and a target of its own, is the largest one layer later
CHANGE = [PatternLayer((0, 0), (0, 1)), PatternLayer((1, 1), (-1, 2))]
#: both tokens tie with the same target
NO_CHANGE = [PatternLayer((0, 0), (0, 0)), PatternLayer((1, 1), (-1, 1))]


def test_slopes_are_those_of_the_equations() -> None:
    rng = Random(1)
    pattern, unknown = one_layer_more(TWO, [], None, rng)
    pattern, unknown = one_layer_more(TWO, pattern, unknown, rng)
    equations, step = PatternEquations(TWO, pattern), 1e-6
    found = equations(unknown)
    for k in range(len(unknown)):
        ahead, behind = unknown.copy(), unknown.copy()
        ahead[k] += step
        behind[k] -= step
        more, less = equations(ahead), equations(behind)
        assert np.allclose((more.ties - less.ties) / 2 / step, found.slopes[:, k], atol=1e-5)
        assert np.allclose((more.above - less.above) / 2 / step, found.above_slopes[:, k], atol=1e-5)


@pytest.mark.parametrize("shape", [TWO, ClusterShape(F(3), 3, 3, 3), ClusterShape(F(15), 2, targets=2)])
def test_equations_are_the_scores_of_the_layers(shape: ClusterShape) -> None:
    """Every layer of the pattern carried out, every score written out, in units of r^k."""
    rng = Random(4)
    pattern: list[PatternLayer] = []
    unknown = None
    for _ in range(3):
        pattern, unknown = one_layer_more(shape, pattern, unknown, rng)
    found = PatternEquations(shape, pattern)(unknown)
    rows, n, r = np.array(unknown).reshape(-1, 1 + shape.dim), shape.moving, float(shape.r)
    x, c, ties, above, inside = rows[:n], rows[n:], [], [], []
    for k, layer in enumerate(pattern):
        others = [*x, *(r**k * point for point in c)]
        for i in range(n):
            along = x[i] + np.eye(1 + shape.dim)[0]
            score = [along @ other / r**k for other in others]
            best, tied = layer.follows[i], n + layer.ties[i] if layer.ties[i] >= 0 else None
            ties += [score[best] - score[tied]] if tied is not None else []
            above += [score[j] - score[best] for j in range(len(others)) if j not in (best, tied)]
            inside.append((along @ along - 1) / r**k)
        w = shape.weight
        goals = [
            x[j] if m < 0 else (x[j] + w * r**k * c[m]) / (1 + w)
            for j, m in zip(layer.follows, layer.ties, strict=True)
        ]
        x = r * x + (1 - r) * np.array(goals)
    assert np.allclose(found.ties, ties)
    assert np.allclose(found.above, [*above, *inside])


def test_a_proposal_meets_ties_and_inequalities() -> None:
    proposals = [propose_solution(TWO, CHANGE, starting_point(TWO, 3, Random(seed))) for seed in range(12)]
    found = [PatternEquations(TWO, CHANGE)(unknown) for unknown in proposals if unknown is not None]
    assert found
    assert all(np.abs(each.ties).max() < 1e-9 and each.above.max() < -MARGIN + 1e-9 for each in found)
    hopeless = [PatternLayer((1, 0), (-1, -1))]  # each would be longer than the other
    assert propose_solution(TWO, hopeless, starting_point(TWO, 0, Random(1))) is None


def solved(shape: ClusterShape, pattern: list[PatternLayer], seeds: range) -> list[tuple[int, ...]]:
    """The largest tokens of the exact solutions found from some starts."""
    result = []
    for seed in seeds:
        proposed = propose_solution(shape, pattern, starting_point(shape, shape.count(pattern), Random(seed)))
        exact = None if proposed is None else solved_tokens(shape, pattern, proposed)
        if proposed is not None and exact is not None:
            tokens, largest = exact
            assert (
                held_tie(tokens, range(shape.moving), 2).largest == largest == approx_largest(shape, pattern, proposed)
            )
            assert tokens.dim == shape.dim + 2
            result.append(largest)
    return result


@pytest.mark.parametrize("shape", [TWO, ClusterShape(F(15), 2, 3), ClusterShape(F(15), 2, 2, 3)])
def test_a_change_of_the_largest_is_solved_exactly(shape: ClusterShape) -> None:
    assert (0, 1) in solved(shape, CHANGE, range(12))


def test_without_a_target_of_its_own_the_next_token_is_never_the_largest() -> None:
    """Lemma 11 of the page: floats find no solution of this pattern."""
    assert solved(TWO, NO_CHANGE, range(12)) == []


def test_at_a_change_the_next_largest_is_close_to_the_token_it_follows() -> None:
    """|z_t - z_j|^2 <= 2(|z_g|^2 - E) < alpha sigma^2 (|w_t|^2 - |w_g|^2): the step of Proposition 14, j = g here."""
    seen = 0
    for seed in range(12):
        proposed = propose_solution(TWO, CHANGE, starting_point(TWO, 3, Random(seed)))
        exact = None if proposed is None else solved_tokens(TWO, CHANGE, proposed)
        if exact is None or exact[1] != (0, 1):
            continue
        g, t, _, _, *sides = exact[0].state.rows()
        means = [[(x + y) / 2 for x, y in zip(*sides[k : k + 2], strict=True)] for k in (0, 2)]
        of_g, of_t = (sum(x * x for x in mean) for mean in means)
        lost = 2 * sum(x * (x - y) for x, y in zip(g, t, strict=True))
        assert sum((x - y) ** 2 for x, y in zip(g, t, strict=True)) <= lost < 8 * F(4, 9) * (of_t - of_g)
        seen += 1
    assert seen >= 2


def test_one_token_with_one_target_ties_with_itself_three_times_at_most() -> None:
    """The tie is a sum of four exponentials with at most three changes of sign (alpha = 3, three in the set)."""
    shape = ClusterShape(F(3), 1, targets=1)
    layer = PatternLayer((0,), (0,))
    reached = 0
    for seed in range(6):
        unknown = starting_point(shape, 1, Random(seed))
        for count in range(1, 6):
            found = propose_solution(shape, [layer] * count, unknown)
            if found is None:
                break
            reached, unknown = max(reached, count), found
    assert reached == 3


def test_ties_with_few_targets_are_not_solved_exactly() -> None:
    with pytest.raises(InvalidInput, match="target for every layer"):
        solved_tokens(ClusterShape(F(3), 1, targets=1), [PatternLayer((0,), (0,))], np.zeros(6))


def test_a_tie_is_held_as_long_as_the_definition_says() -> None:
    shape = ClusterShape(F(3), 1)
    rng = Random(2)
    for _ in range(20):
        pattern, unknown = one_layer_more(shape, [], None, rng)
        found = propose_solution(shape, pattern, unknown)
        exact = None if found is None else solved_tokens(shape, pattern, found)
        if exact is not None:
            break
    assert exact is not None
    orbit = PlainOrbit(exact[0])
    held = held_tie(exact[0], [0]).layers
    assert held >= 1
    assert all(0 in orbit[k].follows[0] and len(orbit[k].follows[0]) >= 3 for k in range(held))
    assert orbit[held].follows[0] == (0,) or 0 not in orbit[held].follows[0]


def test_exact_numbers_grow_by_as_many_bits_at_every_layer() -> None:
    """Ties that are solved by dividing have numbers several times as long at every layer."""
    shape, rng = ClusterShape(F(3), 1), Random(2)
    pattern: list[PatternLayer] = []
    unknown, bits = None, []
    for _ in range(150):
        longer, start = one_layer_more(shape, pattern, unknown, rng)
        proposed = propose_solution(shape, longer, start)
        exact = None if proposed is None else solved_tokens(shape, longer, proposed)
        if exact is not None:
            pattern, unknown = longer, proposed
            bits.append(exact[0].state.denominator.bit_length())
        if len(bits) == 7:
            break
    assert len(bits) >= 4  # how many are found depends on the last bits of floats
    assert bits[-1] < 100 * (len(bits) + 1)


def test_changes_are_counted() -> None:
    assert (HeldTie((0, 0, 1, 1, 0)).layers, HeldTie((0, 0, 1, 1, 0)).changes) == (5, 2)
    assert (HeldTie(()).layers, HeldTie(()).changes) == (0, 0)


def test_tokens_of_the_same_norm_do_not_take_turns_by_rounding() -> None:
    """Opposite tokens have one norm, in floats a little more or less from layer to layer."""
    shape = ClusterShape(F(3), 2, targets=1)
    pattern = [PatternLayer((0, 1), (0, 0))] * 3
    for more in (-1e-12, 1e-12):
        solution = np.array([-0.2, 0.3, 0.1, -0.2, -0.3, -0.1 + more, -0.05, 0.0, 0.0])
        assert approx_largest(shape, pattern, solution) == (0, 0, 0)
    assert approx_largest(shape, pattern, np.array([-0.2, 0.3, 0.1, -0.2, 0.3, 0.2, -0.05, 0.0, 0.0])) == (1, 1, 1)
