"""Numbers sum c * b^e * ..: powers too long to write, and their exact signs (FORMAT.md, section 13, numbers)."""

import marshal
from fractions import Fraction

from ..core.budget import Budget, division_cost
from ..core.certificate import Certificate
from ..core.lines import count, entries
from ..core.numbers import common_denominator, number
from ..core.points import bits
from ..core.verdict import Json, well_formed
from . import enclosures
from .enclosures import BITS, Enclosure


class Base(Fraction):
    """A base of powers, with a hash that no file can foresee; of fractions many are easily found with the same one."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]  # typeshed has it as a property of numbers
        """The hash of the bytes of numerator and denominator."""
        return hash(marshal.dumps(self.as_integer_ratio(), 2))  # that of bytes differs in every process


Monomial = frozenset[tuple[Base, int]]  # {(b, e), ..}: the product of b^e, every base once, e not 0
Sum = dict[Monomial, Fraction]  # monomial -> c, without zeros
ONE = Fraction(1)
UNIT: Monomial = frozenset()
#: operations of one step with enclosures
STEP = 8 * division_cost(2 * BITS)
#: operations of one coefficient or base as an object: made, compared and found again by its hash
OBJECT = 200


def plain(c: Fraction) -> Sum:
    """A rational number."""
    return {UNIT: c} if c else {}


def factors(x: Sum) -> int:
    """The terms of a sum and the bases in all of them."""
    return len(x) + sum(map(len, x))


def charge(x: Sum, y: Sum, times: int, objects: int, budget: Budget) -> None:
    """Charges so many operations with the numbers of two sums, by the length of their coefficients, and objects."""
    size = sum([max(map(bits, map(Fraction.as_integer_ratio, z.values())), default=0) for z in (x, y)])
    budget.within(size, "bits")
    budget.spend(OBJECT * (1 + objects) + times * division_cost(size))


def added(x: Sum, y: Sum, budget: Budget, factor: int = 1) -> Sum:
    """x + factor * y."""
    charge(x, y, len(x) + len(y), len(x) + len(y), budget)
    found = {key: x.get(key, 0) + factor * y.get(key, Fraction(0)) for key in {**x, **y}}
    return {key: c for key, c in found.items() if c}


def multiplied(x: Sum, y: Sum, budget: Budget) -> Sum:
    """x * y."""
    charge(x, y, 4 * len(x) * len(y), len(x) * factors(y) + len(y) * factors(x), budget)
    found: Sum = {}
    for left, c in x.items():
        for right, d in y.items():
            key = joined(left, right)
            found[key] = found.get(key, Fraction(0)) + c * d
    return {key: c for key, c in found.items() if c}


def joined(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials."""
    if not left or not right:
        return left or right
    exponents = dict(left)
    for base, e in right:
        exponents[base] = exponents.get(base, 0) + e
    return frozenset([(base, e) for base, e in exponents.items() if e])


def power(base: Fraction, e: int) -> Sum:
    """base^e, with a base below 1."""
    if base == 1 or e == 0:
        return {UNIT: ONE}
    return {frozenset([(Base(base), e) if base < 1 else (Base(1 / base), -e)]): ONE}


def enclosure(x: Sum, budget: Budget) -> Enclosure:
    """An enclosure of the number."""
    charge(x, {}, len(x), len(x), budget)
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
    """The sign of the number divided by the powers that its terms share, written out over one denominator."""
    ranges = exponent_ranges(x)
    below = common_denominator([c.denominator for c in x.values()], budget)
    size = max(map(bits, map(Fraction.as_integer_ratio, x.values()))) + below.bit_length()
    for (p, q), (least, most) in zip(map(Fraction.as_integer_ratio, ranges), ranges.values()):
        size += (most - least) * max(p, q).bit_length()
    budget.within(size, "bits")
    total = 0
    for key, c in x.items():
        budget.products(3 * len(ranges) + 2, size)
        term, exponents = c.numerator * (below // c.denominator), dict(key)
        for base, (least, most) in ranges.items():
            e = exponents.get(base, 0)
            term *= base.numerator ** (e - least) * base.denominator ** (most - e)
        total += term
    return (total > 0) - (total < 0)


def exponent_ranges(x: Sum) -> dict[Base, tuple[int, int]]:
    """The least and the largest exponent of every base, 0 in terms without it."""
    found: dict[Base, list[int]] = {}
    for key in x:
        for base, e in key:
            found.setdefault(base, []).append(e)
    given = {base: e if len(e) == len(x) else [0, *e] for base, e in found.items()}
    return {base: (min(e), max(e)) for base, e in given.items()}


def read_sum(terms: Json, file: Certificate) -> Sum:
    """The number that a list of terms [c, [b, e], ..] denotes, b > 0."""
    well_formed(type(terms) is list, "a number is a list of terms")
    found: Sum = {}
    for term in terms:
        c, *powers = entries(term)
        found = added(found, {read_monomial(powers, file.budget): number(c, file.budget)}, file.budget)
    return found


def read_monomial(powers: list[Json], budget: Budget) -> Monomial:
    """The product that a list of pairs [b, e] denotes, bases below 1."""
    exponents: dict[Base, int] = {}
    for pair in powers:
        text, e = entries(pair, 2)
        base, e = number(text, budget), count(e, 1)
        well_formed(base > 0, "a base is positive")
        key, e = (Base(base), e) if base < 1 else (Base(1 / base), -e)
        exponents[key] = exponents.get(key, 0) + e
    return frozenset([(base, e) for base, e in exponents.items() if e and base != 1])
