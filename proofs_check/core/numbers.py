"""Canonical numbers and common denominators (FORMAT.md, section 1, Numbers)."""

import math
import re
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction

from .budget import Budget
from .verdict import Json, well_formed

NUMBER = re.compile("0|-?[1-9][0-9]*(?:/(?:[2-9]|1[0-9])[0-9]*)?")
Ratio = tuple[int, int]  # numerator and denominator > 0
Ratios = tuple[tuple[int, ...], tuple[int, ...]]  # the numerators and the denominators of several numbers


def ratio(text: Json, budget: Budget) -> Ratio:
    """Numerator and denominator of a canonical number."""
    well_formed(type(text) is str, "a number must be a string in canonical form")
    budget.within(len(text), "digits")
    well_formed(NUMBER.fullmatch(text) is not None, "a number is not in canonical form")
    above, _, below = text.partition("/")
    p, q = int(above), int(below or 1)
    well_formed(math.gcd(p, q) == 1, "a fraction is not in lowest terms")
    return p, q


def ratios(texts: list[Json], budget: Budget) -> Ratios:
    """Numerators and denominators of canonical numbers, at least one."""
    above, below = zip(*[ratio(text, budget) for text in texts])
    return above, below


def number(text: object, budget: Budget) -> Fraction:
    """The rational number that a canonical text denotes."""
    return Fraction(*ratio(text, budget))


def common_denominator(denominators: Collection[int], budget: Budget) -> int:
    """The least common multiple, within the limits if as many numbers are brought to it."""
    common = 1
    for denominator in budget.distinct(list(denominators)):
        if common >> 64:
            budget.divisions(3, common.bit_length(), denominator.bit_length())  # a gcd, a quotient, a product
        common = math.lcm(common, denominator)
        budget.within(common.bit_length(), "bits")
    if common >> 64:
        budget.divisions(2 * len(denominators), common.bit_length(), max(denominators).bit_length())
        budget.hold(len(denominators), common.bit_length())
    return common


def over_common(numerators: Iterable[int], denominators: Sequence[int], budget: Budget) -> tuple[int, ...]:
    """The numerators of numbers over their least common denominator, followed by that denominator."""
    common = common_denominator(denominators, budget)
    if common == 1:
        return (*numerators, 1)
    return (*[p * (common // q) for p, q in zip(numerators, denominators)], common)
