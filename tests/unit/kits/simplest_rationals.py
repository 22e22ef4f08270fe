"""The simplest rational of an interval, by trying denominators."""

from __future__ import annotations

from fractions import Fraction

F = Fraction


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The rational of least denominator in (low, high), by trying them."""
    q = 1
    while not (inside := [F(p, q) for p in range(int(low * q) - 1, int(high * q) + 2) if low < F(p, q) < high]):
        q += 1
    return min(inside, key=abs)
