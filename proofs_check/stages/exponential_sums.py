"""f(k) = sum_b b^k P_b(k) > 0 on a range of integers, or from k0 on (FORMAT.md, section 13, positivity)."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb

from ..core.budget import Budget, division_cost
from ..core.points import bits
from ..core.verdict import holds
from .enclosures import ZERO, Enclosure, enclosed, power, product, sign, total
from .power_sums import OBJECT, STEP

Exponential = dict[Fraction, list[Enclosure]]  # b -> enclosures of the coefficients of P_b in powers of k


def shifted(P: Sequence[Enclosure], k0: int, budget: Budget, more: int = 0) -> list[Enclosure]:
    """The coefficients of P(k0 + x) in powers of x; more operations are charged with them."""
    budget.spend(len(P) ** 2 * STEP + more)
    found = [ZERO] * len(P)
    for e, c in enumerate(P):
        for j in range(e + 1):
            found[j] = total(found[j], product(enclosed(Fraction(comb(e, j) * k0 ** (e - j))), c))
    return found


def base_cost(b: Fraction) -> int:
    """Operations of comparisons and quotients of a base with another one."""
    return 4 * (OBJECT + division_cost(2 * bits(b.as_integer_ratio())))


def difference(f: Exponential, budget: Budget) -> Exponential:
    """g(k+1) - g(k), g(k) = f(k)/b0^k with b0 the largest base: P_b0 loses its highest power."""
    top, found = max(f), {}
    for b, P in f.items():
        base, after = b / top, shifted(P, 1, budget, base_cost(b))
        ratio = enclosed(base)
        found[base] = [total(product(ratio, x), product((-1, -1, 0), y)) for x, y in zip(after, P)]
    found[Fraction(1)].pop()
    return found if found[Fraction(1)] else {b: P for b, P in found.items() if b != 1}


def value(f: Exponential, k: int, budget: Budget) -> Enclosure:
    """f(k)."""
    found = ZERO
    for b, P in f.items():
        budget.spend((len(P) ** 2 + k.bit_length()) * STEP)
        for e, c in enumerate(P):
            term = product(c, enclosed(Fraction(k**e)))
            found = total(found, product(term, power(b, k)))
    return found


def keeps_sign(f: Exponential, u: int, v: int, budget: Budget) -> bool:
    """Whether f >= 0 at all of u..v, or f <= 0 at all of them, by the signs of it and its differences at both ends."""
    while u < v and not alike([c for P in f.values() for c in P]):
        if not alike([value(f, u, budget), value(f, v, budget)]):
            return False
        f, v = difference(f, budget), v - 1 if v > u + 1 else u
    return True


def alike(numbers: list[Enclosure]) -> bool:
    """Whether all numbers are >= 0, or all are <= 0."""
    signs = set(map(sign, numbers))
    return signs <= {0, 1} or signs <= {0, -1}


def verify_range(f: Exponential, places: list[int], exact: Callable[[int], int], why: str, budget: Budget) -> None:
    """f(k) > 0 from the first to the last of the places: at each of them, and f/b0^k is monotone between neighbours."""
    for k in places:
        found = sign(value(f, k, budget))
        holds((exact(k) if found is None else found) > 0, f"{why}, at time {k}")
    for u, v in pairwise(places):
        holds(v <= u + 1 or keeps_sign(difference(f, budget), u, v - 1, budget), f"{why}, between times {u} and {v}")


def verify_dominance(f: Exponential, k0: int, why: str, budget: Budget) -> None:
    """f(k) > 0 for all k >= k0 >= 1: P_b0(k0 + x) has no negative coefficient and outweighs all negative terms of other
    bases, which fall from k0 on."""
    top, weight = max(f), ZERO
    taylor = shifted(f[top], k0, budget)
    falls = True
    for b, P in f.items():
        budget.spend((len(P) ** 2 + k0.bit_length()) * STEP + base_cost(b))
        for e, c in enumerate(P):
            if b < top and c[0] < 0:
                falls = falls and b * (k0 + 1) ** e <= top * k0**e
                weight = total(weight, product(product(c, enclosed(Fraction(k0**e))), power(b / top, k0)))
    holds(min(c[0] for c in taylor) >= 0, f"{why}: the leading term may fall after time {k0}")
    holds(falls, f"{why}: a term grows after time {k0}")
    holds(sign(total(taylor[0], weight)) == 1, f"{why}: the leading term does not dominate at time {k0}")
