"""Tests of `exactformer.instances.tokens`."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from exactformer.arithmetic.rational import RationalRows, identity
from exactformer.instances import generators
from exactformer.instances.generators import TokenFamily
from exactformer.instances.tokens import (
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
    exact_parts,
    tokens_of,
)

F = Fraction


def rows_of(*rows: Any) -> RationalRows:
    return tuple(tuple(map(F, row)) for row in rows)


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
        rows, A, alpha = exact_parts(z)
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
    found = [exact_parts(z) for z in TokensKind().simpler(tokens_of(rows, A, F(3)))]
    assert [r for r, *_ in found[:3]] == [(rows[2],), (rows[1],), (rows[0],)]
    assert [r for r, *_ in found[3:6]] == [rows[1:], (rows[0], rows[2]), rows[:2]]
    assert found[6] == (rows_of([1], [3], [4]), rows_of([2]), F(3))
    assert found[7] == (rows_of([2], [-2], [5]), rows_of([2]), F(3))
    assert found[8] == (rows, identity(2), F(3))
    assert (rows, A, F(1)) in found
    assert all(alpha > 0 for *_, alpha in found)
    assert all(sum((r != rows, B != A, alpha != 3)) <= 1 for r, B, alpha in found if len(r[0]) == 2)


# ---------------------------------------------------------------- numbers, and one change at a time


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


# ---------------------------------------------------------------- generators, for conjectures


def test_token_families_add_a_zero_or_repetitions() -> None:
    rng = Random(3)
    for _ in range(30):
        rows = exact_parts(TokenFamily(zero=True)(rng))[0]
        assert sum(not any(row) for row in rows) == 1
        rows = exact_parts(TokenFamily(repeats=True)(rng))[0]
        assert len(set(rows)) < len(rows)
        rows, _, alpha = exact_parts(TokenFamily()(rng))
        assert len(set(rows)) == len(rows)
        assert all(map(any, rows))
        assert alpha in generators.STEPS
