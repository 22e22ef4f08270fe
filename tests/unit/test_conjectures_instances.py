"""Kinds of instances: file forms, variations and simplifications keep what they promise; near misses are ordered."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactformer.arithmetic.rational import RationalRow, RationalRows, identity
from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.instances import kind_of, read_instance
from exactformer.conjectures.instances.datasets import DatasetKind, dataset_of, pairs_of
from exactformer.conjectures.instances.frank_wolfe import FrankWolfe, FrankWolfeKind
from exactformer.conjectures.instances.mean_field import MeanField, MeanFieldKind, _other_bases, _same_matrix
from exactformer.conjectures.instances.numbers import cost, integral_rows, nudged, rounded_rows
from exactformer.conjectures.instances.tokens import (
    FASTEST,
    MOST_BITS,
    MOST_TOKENS,
    SLOWEST,
    TokensKind,
    _change_matrix,
    _change_pair,
    _change_step,
    _change_token,
    _one_more,
    parts_of,
    tokens_of,
)
from exactformer.conjectures.search import ELITE, NearMisses
from exactformer.conjectures.shard import plain_json
from exactformer.errors import ExactformerError, InvalidInput
from exactformer.geometry.points import dot

F = Fraction


def rows_of(*rows: Any) -> RationalRows:
    return tuple(tuple(map(F, row)) for row in rows)


def times(A: RationalRows, x: RationalRow) -> RationalRow:
    return tuple(dot(row, x) for row in A)


def product(A: RationalRows, B: RationalRows) -> RationalRows:
    return tuple(tuple(dot(row, column) for column in zip(*B, strict=True)) for row in A)


#: a statement of every kind of instance
NAMES = ("every-leader-leads-at-once", "one-block-suffices", "exponentially-fast", "frank-wolfe-negative")
NAMES += ("meanfield-limit", "meanfield-w2-rate-is-gap")


@pytest.mark.parametrize("name", NAMES)
def test_instances_come_back_from_their_files_and_variations_are_instances(name: str) -> None:
    rng, statement = Random(1), catalogue()[name]
    changed = 0
    for _ in range(30):
        instance = statement.generate(rng)
        kind = kind_of(instance)
        assert read_instance(plain_json(kind.json(instance))) == instance
        try:
            varied = kind.varied(instance, rng)
        except ExactformerError:
            continue
        assert read_instance(plain_json(kind.json(varied))) == varied
        changed += varied != instance
    assert changed >= 15


@pytest.mark.parametrize("name", NAMES)
def test_simplifications_are_instances_none_of_them_with_more_tokens_or_dimensions(name: str) -> None:
    rng, statement = Random(2), catalogue()[name]
    for _ in range(3):
        instance = statement.generate(rng)
        kind = kind_of(instance)
        size = kind.size(instance)
        found = [candidate for candidate, _ in zip(kind.simpler(instance), range(400), strict=False)]
        assert all(type(candidate) is type(instance) for candidate in found)
        assert all(kind.size(candidate)[0] <= size[0] for candidate in found)
        assert any(kind.size(candidate) < size for candidate in found) or size[0] == 1


# ---------------------------------------------------------------- tokens


def test_a_pair_of_mirror_images_stays_one() -> None:
    rng, both = Random(3), 0
    for _ in range(40):
        (x,), (y,) = _change_pair(rows_of([2], [-2]), rng)
        assert y == -x
        rows = rows_of([2, 1], [-2, 1], [5, 5])
        first, second, third = _change_pair(rows, rng)
        assert third == rows[2] or (first, second) == rows[:2]
        if first != rows[0] and second != rows[1]:
            both += 1
            assert second == (-first[0], first[1])
    assert both


def test_variations_of_tokens_stay_within_their_ranges() -> None:
    rng, kind = Random(4), TokensKind()
    z = tokens_of(rows_of([2, 1], [-2, 1], [0, 3]), None, F(1))
    seen = set()
    for _ in range(400):
        z = kind.varied(z, rng)
        rows, A, alpha = parts_of(z)
        assert 2 <= len(rows) <= MOST_TOKENS
        assert SLOWEST <= alpha <= FASTEST
        assert max(abs(x.numerator).bit_length() for row in rows for x in row) <= MOST_BITS + 8
        seen.add((len(rows), identity(2) == A, alpha))
    assert {n for n, _, _ in seen} >= {2, 3, 4, 5}
    assert {False, True} == {one for _, one, _ in seen}
    assert min(alpha for *_, alpha in seen) < 1 < max(alpha for *_, alpha in seen)


def test_one_more_token_is_near_one_or_its_mirror_image_and_matrices_mostly_stay_symmetric() -> None:
    rng = Random(5)
    rows = rows_of([7, 4])
    for _ in range(40):
        old, new = _one_more(rows, rng)
        assert old == rows[0]
        assert all(abs(x) == abs(y) or abs(x - y) <= 4 for x, y in zip(old, new, strict=True))
    changed = [_change_matrix(identity(2), rng) for _ in range(90)]
    symmetric = sum(tuple(zip(*A, strict=True)) == A for A in changed)
    assert 45 < symmetric < 90


def test_simplifications_of_tokens_leave_out_one_or_two_a_coordinate_or_the_matrix() -> None:
    rows, A = rows_of([2, 1], [-2, 3], [5, 4]), rows_of([2, 1], [1, 2])
    found = [parts_of(z) for z in TokensKind().simpler(tokens_of(rows, A, F(3)))]
    assert [r for r, *_ in found[:3]] == [(rows[2],), (rows[1],), (rows[0],)]
    assert [r for r, *_ in found[3:6]] == [rows[1:], (rows[0], rows[2]), rows[:2]]
    assert found[6] == (rows_of([1], [3], [4]), rows_of([2]), F(3))
    assert found[7] == (rows_of([2], [-2], [5]), rows_of([2]), F(3))
    assert found[8] == (rows, identity(2), F(3))
    assert (rows, A, F(1)) in found
    assert all(alpha > 0 for *_, alpha in found)
    assert all(sum((r != rows, B != A, alpha != 3)) <= 1 for r, B, alpha in found if len(r[0]) == 2)


def test_rows_are_rounded_and_made_integral_by_one_factor() -> None:
    rows = rows_of(["1/2", "-3/4"], ["3/2", 0])
    assert rounded_rows(rows, 2) == rows_of([1, -1], [2, 0])
    assert rounded_rows(rows, 6) == rows_of([2, -3], [6, 0])
    assert integral_rows(rows) == rows_of([2, -3], [6, 0])
    assert rounded_rows(rows_of([0, 0]), 3) == rows_of([0, 0])


def test_nudged_numbers_are_near() -> None:
    rng = Random(6)
    found = {nudged(F(5, 3), rng) for _ in range(300)}
    assert {F(-5, 3), F(5, 6), F(4, 3), F(2), F(1, 1), F(7, 3), F(2, 3), F(11, 6)} <= found
    assert all(y == F(-5, 3) or abs(y - F(5, 3)) <= 2 for y in found)


# ---------------------------------------------------------------- the mean field


def test_other_bases_move_tokens_with_the_matrix() -> None:
    """S V S^-1 at S x is S V x, so that tokens that are the columns of V times x move alike."""
    V, x = rows_of([2, 1], [0, 3]), (F(1), F(2))
    instance = MeanField(V, identity(2), (x, times(V, x)))
    found = list(_other_bases(instance))
    assert len(found) > 10
    assert all(times(other.V, other.tokens[0]) == other.tokens[1] for other in found)
    assert all(identity(2) == other.B and other.V[0][0] + other.V[1][1] == 5 for other in found)
    assert not list(_other_bases(replace(instance, B=rows_of([1, 0], [0, 2]))))


def test_the_same_matrix_is_written_in_other_ways() -> None:
    """M = V B', with B = I and with V = I; then M - c I for entries c of its diagonal, and multiples of M."""
    V, B = rows_of([1, 2], [0, 3]), rows_of([1, 0], [4, 1])
    M = product(V, tuple(zip(*B, strict=True)))
    first, second, *others = _same_matrix(MeanField(V, B, rows_of([1, 1])))
    assert (M, identity(2)) == (first.V, first.B)
    assert identity(2) == second.V
    assert tuple(zip(*second.B, strict=True)) == M
    shifts = [tuple(tuple(x - c * (i == j) for j, x in enumerate(row)) for i, row in enumerate(M)) for c in (1, 3)]
    multiples = [tuple(tuple(x / c for x in row) for row in M) for c in {abs(x) for row in M for x in row if x}]
    assert others
    assert all(identity(2) == other.B and other.V in [*shifts, *multiples] for other in others)
    assert any(other.V in shifts for other in others)


def test_a_coordinate_less_and_what_mean_field_files_may_leave_out() -> None:
    instance = MeanField(rows_of([1, 2], [3, 4]), rows_of([5, 6], [7, 8]), rows_of([0, 1], [2, 3]), F(2), F(1, 3))
    found = [other for other in MeanFieldKind().simpler(instance) if other.dim == 1]
    kept = [(other.V, other.B, other.tokens) for other in found]
    assert (rows_of([4]), rows_of([8]), rows_of([1], [3])) in kept
    assert (rows_of([1]), rows_of([5]), rows_of([2])) in kept
    bare = read_instance({"exactformer": "mean-field", "V": [["1", "2"], ["3", "4"]]})
    assert bare == MeanField(instance.V, identity(2))
    assert kind_of(instance).latex(instance).endswith(r"C = 2,\quad c = \tfrac{1}{3}")
    for wrong in (
        {"V": [["1"]], "W": []},
        {"B": [["1"]]},
        {"V": [["1"]], "tokens": [["0"]]},
        {"V": [["1"]], "rate": "0"},
    ):
        with pytest.raises(InvalidInput):
            read_instance({"exactformer": "mean-field", **wrong})


# ---------------------------------------------------------------- Frank-Wolfe


@pytest.mark.parametrize(
    "wrong",
    [
        {"step": (F(-1, 2), F(1))},
        {"step": (F(1, 2), F(0))},
        {"step": (F(3, 2), F(1))},
        {"tokens": ()},
        {"tokens": rows_of([1, 2])},
        {"B": rows_of([1], [2])},
    ],
)
def test_frank_wolfe_instances_that_are_none(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {"B": identity(1), "tokens": rows_of([1], [2]), "layers": 2, "step": (F(1, 2), F(1))}
    assert FrankWolfe(**right)
    with pytest.raises(InvalidInput):
        FrankWolfe(**{**right, **wrong})


def test_steps_and_layers_of_frank_wolfe() -> None:
    """x <- x + g_t (m - x) with g_t = 2/(t+2) or c q^t: the first open step goes all the way."""
    tokens = rows_of([1], [-2])
    open_loop = FrankWolfe(identity(1), tokens, 2)
    assert [open_loop.share(t) for t in range(3)] == [F(1), F(2, 3), F(1, 2)]
    assert [[layer.point(i) for i in range(2)] for layer in open_loop.orbit(sign=-1)][1] == [(F(-2),), (F(1),)]
    slow = replace(open_loop, step=(F(1, 2), F(1, 3)))
    assert [slow.share(t) for t in range(3)] == [F(1, 2), F(1, 6), F(1, 18)]
    assert len(list(slow.orbit())) == 3


def test_simplifications_of_frank_wolfe_keep_b_symmetric_and_steps_in_range() -> None:
    B, tokens = rows_of([2, 1], [1, 3]), rows_of([1, 0], [0, 2], [3, 3])
    instance = FrankWolfe(B, tokens, 8, (F(1, 2), F(3, 4)))
    found = list(FrankWolfeKind().simpler(instance))
    assert [other.tokens for other in found[:3]] == [tokens[1:], (tokens[0], tokens[2]), tokens[:2]]
    assert {(other.B, other.tokens) for other in found[3:5]} == {
        (rows_of([3]), rows_of([0], [2], [3])),
        (rows_of([2]), rows_of([1], [0], [3])),
    }
    assert {other.layers for other in found} == {4, 6, 7, 8}
    assert all(tuple(zip(*other.B, strict=True)) == other.B for other in found)
    assert {other.step for other in found} - {instance.step}
    assert all(other.step is not None and min(other.step) > 0 and max(other.step) < 1 for other in found)


# ---------------------------------------------------------------- data sets


def test_simplifications_of_data_leave_out_sequences_coordinates_points_and_targets() -> None:
    a, b, c = (F(1), F(0)), (F(0), F(2)), (F(3), F(3))
    pairs = (((a, b), (c,)), ((b,), (a, c)))
    found = [pairs_of(data) for data in DatasetKind().simpler(dataset_of(pairs))]
    assert found[:2] == [pairs[1:], pairs[:1]]
    assert found[2] == ((((F(0),), (F(2),)), ((F(3),),)), (((F(2),),), ((F(0),), (F(3),))))
    assert (((b,), (c,)), pairs[1]) in found
    assert (((a,), (c,)),) in found
    assert (pairs[0], ((b,), (c,))) in found
    assert found[-1] == (((b,), (a, c)), ((b, a), (c,)))
    assert all(x and y for other in found for x, y in other)


def test_variations_of_data_change_one_point_wherever_it_occurs_or_one_sequence() -> None:
    rng, kind = Random(7), DatasetKind()
    a, b, c = (F(1), F(0)), (F(0), F(2)), (F(3), F(3))
    pairs = (((a, b), (c,)), ((b, a), (a, c)))
    lengths = set()
    for _ in range(80):
        other = pairs_of(kind.varied(dataset_of(pairs), rng))
        lengths.add(tuple(len(x) for x, _ in other))
        if [len(x) for x, _ in other] == [2, 2]:
            assert other[0][0] == other[1][0][::-1]
    assert lengths == {(2,), (2, 2), (1, 2), (2, 1), (3, 2), (2, 3)}


# ---------------------------------------------------------------- near misses


def test_near_misses_are_ordered_and_newer_ones_come_first() -> None:
    near = NearMisses()
    for nearness, name in ((0.5, "a"), (0.7, "b"), (0.5, "c"), (0.0, "d"), (0.5, "a"), (0.7, "e")):
        near.add(nearness, name)
    assert near.members == [(0.7, "e"), (0.7, "b"), (0.5, "c"), (0.5, "a")]
    for k in range(ELITE):
        near.add(0.6, str(k))
    assert len(near.members) == ELITE
    assert near.members[:3] == [(0.7, "e"), (0.7, "b"), (0.6, str(ELITE - 1))]
    rng = Random(8)
    drawn = [near.choose(rng) for _ in range(300)]
    assert drawn.count("e") > 2 * drawn.count("2")
    assert set(drawn) <= {name for _, name in near.members}


# ---------------------------------------------------------------- numbers, and one change at a time


@pytest.mark.parametrize(
    ("x", "digits"),
    [("0", 0), ("1", 2), ("-1", 3), ("2", 4), ("3", 4), ("4", 6), ("1/2", 8), ("-1/2", 9), ("7/12", 18)],
)
def test_what_numbers_cost_on_a_blackboard(x: str, digits: int) -> None:
    assert cost(F(x)) == digits


def test_a_variation_of_the_mean_field_changes_one_entry() -> None:
    rng, kind = Random(9), MeanFieldKind()
    instance = MeanField(rows_of([1, 2], [3, 4]), rows_of([5, 6], [7, 8]), rows_of([1, 1], [2, 3]), F(2), F(1, 3))
    changed = set()
    for _ in range(120):
        other = kind.varied(instance, rng)
        places = {
            (name, i, j)
            for name in ("V", "B", "tokens")
            for i, row in enumerate(getattr(instance, name))
            for j, x in enumerate(row)
            if getattr(other, name)[i][j] != x
        }
        assert len(places) <= 1
        assert (other.constant, other.rate) == (F(2), F(1, 3))
        changed |= places
    assert len(changed) == 12
    assert kind.size(instance)[:2] == (2, 2)


def test_a_variation_of_a_token_moves_one_token() -> None:
    rng, rows = Random(10), rows_of([6, 2], [-4, 8], [1, 3])
    kinds = set()
    for _ in range(300):
        new = _change_token(rows, rng)
        moved = [i for i in range(3) if new[i] != rows[i]]
        assert len(moved) <= 1
        for i in moved:
            x, y = rows[i], new[i]
            kinds.add("shuffled" if y == x[::-1] else "scaled" if y[0] * x[1] == y[1] * x[0] else "other")
            kinds |= {
                "mean"
                for other in rows
                if other != x and all(2 * b == a + c for a, b, c in zip(x, y, other, strict=True))
            }
    assert kinds == {"shuffled", "scaled", "mean", "other"}


def test_steps_are_varied_within_their_range() -> None:
    rng = Random(11)
    assert {_change_step(F(3), rng) for _ in range(99)} == {F(3, 4), F(3, 2), F(6), F(1), F(1, 2)}
    assert min(_change_step(SLOWEST, rng) for _ in range(99)) == SLOWEST == F(1, 64)
    assert max(_change_step(FASTEST, rng) for _ in range(99)) == FASTEST == 16


def test_sizes_and_formulas_of_tokens() -> None:
    kind, plain = TokensKind(), tokens_of(rows_of([1, 0], [0, "1/2"]), None, F(1))
    assert kind.size(plain)[:2] == (2, 2)
    assert kind.size(tokens_of(rows_of([1, 0], [0, "1/2"]), rows_of([1, 1], [1, 3]), F(1))) > kind.size(plain)
    assert kind.size(tokens_of(rows_of([1, 0], [0, "1/2"]), None, F(2, 3))) > kind.size(plain)
    shown = kind.latex(plain)
    assert r"\alpha = 1" in shown
    assert "z_{0} = " in shown
    assert "z_{1} = " in shown
    assert plain.state.denominator == 2
