"""Tests of `exactformer.dynamics.closed_form`."""

from __future__ import annotations

import random
from fractions import Fraction

from exactformer.dynamics.closed_form import ClosedForm, constant, continued, inner, solve_recursion

F = Fraction


def test_closed_forms_are_written_by_decreasing_base_and_increasing_power() -> None:
    half, third, v = F(1, 2), F(1, 3), (F(1), F(2))
    form = ClosedForm.of({(third, 0): v, (half, 2): v, (F(1), 0): v, (half, 0): v, (half, 1): (F(0), F(0))}, 2)
    assert [(term.base, term.power) for term in form.terms] == [(1, 0), (half, 0), (half, 2), (third, 0)]
    assert form.at(3) == tuple(x * (1 + half**3 + 3 * half**3 + third**3) for x in v)
    assert form.limit == v


def test_solutions_satisfy_their_recursion() -> None:
    rng = random.Random(3)
    for _ in range(40):
        parts = [constant((F(rng.randint(-5, 5)), F(rng.randint(-5, 5))))]
        for _ in range(4):
            eigenvalue = F(rng.randint(1, 3), 4)
            start = (F(rng.randint(-9, 9), 2), F(rng.randint(-9, 9), 3))
            forcing = [(F(rng.randint(1, 4), 9), rng.choice(parts)) for _ in range(2)]
            form = solve_recursion(start, eigenvalue, forcing)
            assert form.at(0) == start
            for k in range(6):
                expected = tuple(
                    eigenvalue * x + sum(c * g.at(k)[i] for c, g in forcing) for i, x in enumerate(form.at(k))
                )
                assert form.at(k + 1) == expected
            parts.append(form)


def test_inner_products_of_closed_forms() -> None:
    one = constant((F(1), F(2)))
    x = solve_recursion((F(3), F(1)), F(1, 2), [(F(1, 2), one)])
    y = solve_recursion((F(1), F(1)), F(1, 2), [(F(1, 2), x)])  # has a term k (1/2)^k
    assert any(term.power for term in y.terms)
    A = ((F(2), F(1)), (F(1), F(1)))
    f = inner(A, x, y)
    for k in range(8):
        u, v = x.at(k), y.at(k)
        expected = sum(A[i][j] * u[j] * v[i] for i in range(2) for j in range(2))
        assert value_at(f, k) == expected


def value_at(f: dict[F, list[F]], k: int) -> F:
    return sum((b**k * sum(c * k**e for e, c in enumerate(p)) for b, p in f.items()), start=F(0))


def test_continued_forms_agree_where_they_begin() -> None:
    one = constant((F(1), F(2)))
    x = solve_recursion((F(3), F(1)), F(1, 2), [(F(1, 2), one)])
    y = continued(x, 7, F(3, 4), [(F(1, 8), x), (F(1, 8), one)])
    assert y.at(7) == x.at(7)
    for k in range(7, 12):
        expected = tuple(
            F(3, 4) * u + F(1, 8) * v + F(1, 8) * w for u, v, w in zip(y.at(k), x.at(k), one.at(k), strict=True)
        )
        assert y.at(k + 1) == expected
    late = continued(x, 10**6, F(1, 2), [(F(1, 2), y)])
    assert late.value(10**6) == x.value(10**6)
