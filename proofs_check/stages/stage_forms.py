"""Closed forms whose coefficients are sums of powers: how they go on, and their score gaps (FORMAT.md, section 13)."""

from collections.abc import Iterator
from fractions import Fraction
from math import comb, factorial

from ..core.budget import Budget, division_cost
from ..core.points import bits
from .enclosures import ZERO, Enclosure, product, sign, total
from .exponential_sums import Exponential
from .power_sums import OBJECT, ONE, STEP, Sum, added, enclosure, multiplied, plain, power
from .power_sums import sign as exact_sign

Vector = list[Sum]
Key = tuple[Fraction, int]
Form = dict[Key, Vector]  # (b, m) -> v: the sum of v * b^k * binom(k,m)
Powers = dict[Key, Vector]  # (b, e) -> v: the sum of v * b^k * k^e


def scaled(v: Vector, factor: Sum, budget: Budget) -> Vector:
    """factor * v."""
    return [multiplied(factor, x, budget) for x in v]


def accumulate(form: dict[Key, Vector], key: Key, v: Vector, budget: Budget) -> None:
    """Adds v to the vector of a key."""
    form[key] = [added(x, y, budget) for x, y in zip(form.get(key, [{}] * len(v)), v)]


def value(form: Form, k: int, budget: Budget) -> Vector:
    """z(k)."""
    found: Form = {}
    for (b, m), v in form.items():
        accumulate(
            found, (ONE, 0), scaled(v, multiplied(power(b, k), plain(Fraction(comb(k, m))), budget), budget), budget
        )
    return found[ONE, 0]


def particular(own: Fraction, b: Fraction, m: int) -> Iterator[tuple[Key, Fraction]]:
    """A solution of z(k+1) = own z(k) + b^k binom(k,m), as pairs of a key and its coefficient."""
    if b == own:
        yield (own, m + 1), 1 / own
    else:
        beta = 1 / (b - own)
        for s in range(m, -1, -1):
            yield (b, s), beta
            beta *= -b / (b - own)


def continued(before: Form, time: int, own: Fraction, pulls: list[tuple[Fraction, Form]], budget: Budget) -> Form:
    """The solution of z(k+1) = own z(k) + sum of c * pull(k) that agrees with the form before at the time."""
    found: Form = {}
    for c, pull in pulls:
        for (b, m), v in pull.items():
            for key, factor in particular(own, b, m):
                accumulate(found, key, scaled(v, plain(c * factor), budget), budget)
    rest: Form = {}
    for factor, form in ((ONE, before), (-ONE, dict(found))):
        for (b, m), v in form.items():
            ratio = multiplied(power(b, time), power(own, -time), budget)
            part = multiplied(ratio, plain(factor * comb(time, m)), budget)
            accumulate(rest, (own, 0), scaled(v, part, budget), budget)
    accumulate(found, (own, 0), rest[own, 0], budget)
    return found


def in_powers(form: Form, budget: Budget) -> Powers:
    """The same function with powers of k: binom(k,m) = k (k-1) .. (k-m+1) / m!."""
    found: Powers = {}
    for (b, m), v in form.items():
        budget.spend(m * m * STEP)
        falling = [1]  # k (k-1) .. (k-m+1)
        for s in range(m):
            falling = [x - s * y for x, y in zip([0, *falling], [*falling, 0])]
        for e, c in enumerate(falling):
            accumulate(found, (b, e), scaled(v, plain(Fraction(c, factorial(m))), budget), budget)
    return {key: v for key, v in found.items() if any(v)}


def minus(x: Powers, y: Powers, budget: Budget) -> Powers:
    """x(k) - y(k), without vectors that vanish by their symbols."""
    found = dict(x)
    for key, v in y.items():
        accumulate(found, key, [added({}, c, budget, -1) for c in v], budget)
    return {key: v for key, v in found.items() if any(v)}


def dot(x: Vector, y: Vector, budget: Budget) -> Sum:
    """<x, y>."""
    found: Sum = {}
    for a, b in zip(x, y):
        found = added(found, multiplied(a, b, budget), budget)
    return found


def bases_cost(b: Fraction, c: Fraction) -> int:
    """Operations of b * c."""
    return OBJECT + 4 * division_cost(bits(b.as_integer_ratio()) + bits(c.as_integer_ratio()))


def gap(x: Powers, y: Powers, budget: Budget) -> Exponential:
    """<x(k), y(k)> as an exponential sum; a coefficient whose enclosure has several signs is decided exactly."""
    found: dict[Key, Enclosure] = {}
    boxes = [(key, [enclosure(c, budget) for c in v]) for key, v in y.items()]
    for (b, d), v in x.items():
        box = [enclosure(c, budget) for c in v]
        for (c, e), w in boxes:
            budget.spend(len(w) * STEP + bases_cost(b, c))
            key = b * c, d + e
            for p, q in zip(box, w):
                found[key] = total(found.get(key, ZERO), product(p, q))
    f: Exponential = {}
    for (b, e), box_of in sorted(found.items()):
        decided = coefficient(x, y, (b, e), budget) if sign(box_of) is None else box_of
        if sign(decided) != 0:
            f[b] = [*f.get(b, []), *[ZERO] * (e - len(f.get(b, []))), decided]
    return f


def coefficient(x: Powers, y: Powers, key: Key, budget: Budget) -> Enclosure:
    """The coefficient of b^k k^e in <x(k), y(k)>: ZERO if it is zero."""
    found: Sum = {}
    for (b, d), v in x.items():
        for (c, e), w in y.items():
            budget.spend(bases_cost(b, c))
            if d + e == key[1] and b * c == key[0]:
                found = added(found, dot(v, w, budget), budget)
    return enclosure(found, budget) if exact_sign(found, budget) else ZERO
