"""Numbers sum c * b^e * ..: powers too long to write, and their exact signs (FORMAT.md, section 13, numbers)."""

from fractions import Fraction
from typing import Any

from . import enclosures
from .budget import Budget, division_cost
from .certificate import Certificate
from .enclosures import BITS, Enclosure
from .lines import count, entries
from .numbers import number
from .points import bits
from .verdict import well_formed

Monomial = tuple[tuple[Fraction, int], ...]  # ((b, e), ..): the product of b^e, bases increasing, e not 0
Sum = dict[Monomial, Fraction]  # monomial -> c, without zeros
ONE = Fraction(1)
#: operations of one step with enclosures
STEP = 8 * division_cost(2 * BITS)


def plain(c: Fraction) -> Sum:
    """A rational number."""
    return {(): c} if c else {}


def charge(x: Sum, y: Sum, times: int, budget: Budget) -> None:
    """Charges so many operations with the numbers of two sums, by the length of their coefficients."""
    size = sum([max(map(bits, map(Fraction.as_integer_ratio, z.values())), default=0) for z in (x, y)])
    budget.within(size, "bits")
    budget.divisions(times, size)


def added(x: Sum, y: Sum, budget: Budget, factor: int = 1) -> Sum:
    """x + factor * y."""
    charge(x, y, len(x) + len(y), budget)
    found = {key: x.get(key, 0) + factor * y.get(key, Fraction(0)) for key in {**x, **y}}
    return {key: c for key, c in found.items() if c}


def multiplied(x: Sum, y: Sum, budget: Budget) -> Sum:
    """x * y."""
    charge(x, y, 4 * len(x) * len(y), budget)
    found: Sum = {}
    for left, c in x.items():
        for right, d in y.items():
            key = joined(left, right)
            found[key] = found.get(key, Fraction(0)) + c * d
    return {key: c for key, c in found.items() if c}


def joined(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials."""
    exponents = dict(left)
    for base, e in right:
        exponents[base] = exponents.get(base, 0) + e
    return tuple(sorted((base, e) for base, e in exponents.items() if e))


def power(base: Fraction, e: int) -> Sum:
    """base^e, with a base below 1."""
    monomial = ((base, e),) if base < 1 else ((1 / base, -e),)
    return {joined(monomial, ()) if base != 1 else (): ONE}


def enclosure(x: Sum, budget: Budget) -> Enclosure:
    """An enclosure of the number."""
    charge(x, {}, len(x), budget)
    found = enclosures.ZERO
    for key, c in x.items():
        term = enclosures.enclosed(c)
        for base, e in key:
            budget.spend(e.bit_length() * STEP)
            term = enclosures.product(term, enclosures.power(base, e))
        found = enclosures.total(found, term)
    return found


def sign(x: Sum, budget: Budget) -> int:
    """-1, 0 or 1: by the enclosure, and where that has several signs by writing the number out."""
    found = enclosures.sign(enclosure(x, budget))
    return exact_sign(x, budget) if found is None else found


def exact_sign(x: Sum, budget: Budget) -> int:
    """The sign of the number divided by the powers that its terms share, written out."""
    least: dict[Fraction, int] = {}
    for base in {base for key in x for base, _ in key}:
        least[base] = min(dict(key).get(base, 0) for key in x)
    total = Fraction(0)
    for key, c in x.items():
        for base, e in joined(key, tuple((base, -e) for base, e in least.items())):
            size = e * max(base.as_integer_ratio()).bit_length()
            budget.within(size, "bits")
            budget.divisions(4, size)
            c *= base**e
        total += c
    return (total > 0) - (total < 0)


def read_sum(terms: Any, file: Certificate) -> Sum:
    """The number that a list of terms [c, [b, e], ..] denotes, b > 0."""
    well_formed(type(terms) is list, "a number is a list of terms")
    found: Sum = {}
    for term in terms:
        c, *powers = entries(term)
        value = plain(number(c, file.budget))
        for pair in powers:
            base, e = entries(pair, 2)
            read = number(base, file.budget)
            well_formed(read > 0, "a base is positive")
            value = multiplied(value, power(read, count(e, 1)), file.budget)
        found = added(found, value, file.budget)
    return found
