"""Tests of `exactformer.arithmetic.interval`."""

from __future__ import annotations

import operator
from fractions import Fraction

from flint import arb, ctx, fmpq

from exactformer.arithmetic.interval import exp_minus, form, hull, minus, outward, plus, product, scaled

F = Fraction


def test_exponentials_of_large_numbers_are_the_least_interval() -> None:
    for bits in (3, 8, 20):
        assert exp_minus(fmpq(bits), bits) == exp_minus(fmpq(bits + 5), bits) == (0, fmpq(1, 2**bits))
        assert exp_minus(fmpq(bits) - fmpq(1, 9), bits)[0] >= 0
    assert exp_minus(fmpq(1), 20)[0] > fmpq(367, 1000)


def test_exponentials_are_enclosed_as_narrowly_as_asked() -> None:
    for bits in (1, 2, 8, 30, 64):
        points = [F(n, d) for n in range(1, 40) for d in (1, 3, 7)] + [F(bits, 2), bits - F(1, 9), F(bits), 3 * F(bits)]
        for x in points:
            low, high = exp_minus(fmpq(x.numerator, x.denominator), bits)
            with ctx.workprec(400):
                value = (-arb(fmpq(x.numerator, x.denominator))).exp()
                assert arb(low) <= value
                assert value <= arb(high)
            assert 0 <= low <= high <= low + fmpq(1, 1 << bits)
    assert exp_minus(fmpq(0), 8) == (1, 1)


def test_intervals_hold_every_combination_of_their_ends_and_no_more() -> None:
    signs = [(-3, -2), (-1, 2), (0, 0), (1, 4), (-2, 0), (0, 3)]
    intervals = [(fmpq(a), fmpq(b)) for a, b in signs]
    for x in intervals:
        for y in intervals:
            for operation, of in ((plus, operator.add), (minus, operator.sub), (product, operator.mul)):
                every = [of(a, b) for a in x for b in y]
                assert operation(x, y) == (min(every), max(every))
            assert hull([x, y]) == (min(*x, *y), max(*x, *y))
        for c in (-2, 0, 3):
            every = [fmpq(c) * a for a in x]
            assert scaled(fmpq(c), x) == form([fmpq(c)], (x,)) == (min(every), max(every))
    for x in ((fmpq(-1, 3), fmpq(1, 3)), (fmpq(1, 5), fmpq(1, 4)), (fmpq(-7, 3), fmpq(-9, 4))):
        low, high = outward(x, 3)
        assert x[0] - fmpq(1, 8) < low <= x[0]
        assert x[1] <= high < x[1] + fmpq(1, 8)
    assert outward((fmpq(1, 3), fmpq(1, 3)), 3) == (fmpq(1, 3), fmpq(1, 3))
