"""Scramble: K skew tents S(z) = b0 z - (b0 + b1) relu(z - 1/2) turn numbers of [0, 1] into pseudo-random keys.

Two different numbers have the same image for one ratio b0 : b1 of slopes at most, so among slopes of enough
bits there are always some that keep all of them apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from exactformer.arithmetic.rational import common_denominator, simplest_between

#: bits behind those a slope resolves, so that keys are no multiples of the last place
SPARE_BITS = 24


@dataclass(frozen=True)
class Keys:
    """The keys numerators[j] / denominator of [0, 1], all different, and the slopes of the tents that made them."""

    numerators: tuple[int, ...]
    denominator: int
    tents: int
    left: Fraction
    right: Fraction

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The indices by increasing key."""
        return tuple(sorted(range(len(self.numerators)), key=self.numerators.__getitem__))


def scale_into_unit(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """(alpha, kappa), short, with alpha*[low, high] + kappa inside [1/16, 15/16]; alpha a power of two.

    >>> scale_into_unit(Fraction(-3), Fraction(5))
    (Fraction(1, 16), Fraction(1, 2))
    """
    spread = high - low
    if not spread:
        return Fraction(1), Fraction(3, 8) - low
    exponent = spread.denominator.bit_length() - spread.numerator.bit_length()
    alpha = Fraction(2) ** exponent
    while alpha * spread > Fraction(3, 4):
        alpha /= 2
    return alpha, simplest_between(Fraction(1, 16) - alpha * low, Fraction(15, 16) - alpha * high)


def draw_slopes(bits: int, rng: np.random.Generator) -> tuple[int, int]:
    """Odd numerators over 2^bits of slopes b0 in (15/8, 2), b1 in (7/4, 15/8), drawn at random; bits >= 4."""
    room = bits - 3
    draws = [int.from_bytes(rng.bytes(room // 8 + 1), "big") % (1 << room) for _ in range(2)]
    return ((15 << room) + draws[0]) | 1, ((14 << room) + draws[1]) | 1


def scramble(points: Sequence[Fraction], tents: int, bits: int, rng: np.random.Generator) -> Keys:
    """The points of [0, 1], all different, under `tents` equal skew tents of slopes with `bits` bits, all different.

    Slopes that merge two points are drawn again, with more bits.
    """
    scale = 2 * common_denominator(points)
    starts = [x.numerator * (scale // x.denominator) for x in points]
    while True:
        left, right = draw_slopes(bits, rng)
        numbers, denominator = starts, scale
        for _ in range(tents):
            numbers = fold(numbers, denominator >> 1, left, right)
            denominator <<= bits
        if len(set(numbers)) == len(numbers):
            return Keys(tuple(numbers), denominator, tents, Fraction(left, 1 << bits), Fraction(right, 1 << bits))
        bits += 1


def fold(numbers: Sequence[int], half: int, left: int, right: int) -> list[int]:
    """The skew tent with slopes left, right on integers; `half` is where it turns."""
    both = left + right
    return [left * p if p <= half else left * p - both * (p - half) for p in numbers]


def slope_bits(resolved: int, tents: int) -> int:
    """The bits of the slopes for keys that resolve so many bits and SPARE_BITS more."""
    return max(6, math.ceil((resolved + SPARE_BITS) / max(tents, 1)) + 1)
