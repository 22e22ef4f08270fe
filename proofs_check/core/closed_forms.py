"""Closed forms of tokens and their positivity for all layers (FORMAT.md, section 4, form and obligation 3)."""

import math
from collections.abc import Iterable
from fractions import Fraction
from math import comb
from typing import NamedTuple

from .budget import OF_FRACTIONS, Budget
from .certificate import Certificate
from .lines import count, exact_keys
from .numbers import common_denominator, number
from .points import Point, bits, dot, origin, plus, sum_cost
from .shapes import read_vector
from .verdict import Json, holds, well_formed

ONE = Fraction(1)
Key = tuple[Fraction, int]
Form = dict[Key, Point]  # (b, m) -> v: the sum of v * b^k * binom(k,m); without zero vectors
Powers = dict[Key, Point]  # (b, e) -> v: the sum of v * b^k * k^e; without zero vectors
Margin = dict[Key, Fraction]  # (b, e) -> c: the sum of c * b^k * k^e; without zeros


def read_form(terms: Json, n: int, file: Certificate) -> Form:
    """The closed form stated; terms with equal (b,m) add up."""
    well_formed(type(terms) is list, "a form is a list of terms")
    parts = []
    for term in terms:
        exact_keys(term, "base", "power", "vector")
        base, v = number(term["base"], file.budget), read_vector(term["vector"], file)
        well_formed(0 < base <= 1, "a base is in (0,1]")
        parts.append((ONE, {(base, count(term["power"], 0, 1 if base == 1 else n)): v}))
    file.budget.distinct([base for _, part in parts for base, _ in part], OF_FRACTIONS)
    return combined(parts, file.budget)


def combined(parts: Iterable[tuple[Fraction, Form]], budget: Budget) -> Form:
    """The linear combination of forms with these factors."""
    total: Form = {}
    for factor, form in parts:
        for key, v in form.items():
            total[key] = plus(v, total.get(key, origin(len(v) - 1)), *factor.as_integer_ratio())
            size = bits(total[key])
            budget.within(size, "bits")
            budget.spend(sum_cost(len(v), size))
    return {key: v for key, v in total.items() if any(v[:-1])}


def value_at_zero(form: Form, dim: int, budget: Budget) -> Point:
    """z(0): binom(0,m) is 1 for m = 0, and 0 otherwise."""
    firsts = [(ONE, {(ONE, 0): v}) for (_, m), v in form.items() if m == 0]
    return combined(firsts, budget).get((ONE, 0), origin(dim))


def shifted(form: Form, budget: Budget) -> Form:
    """z(k+1), by b^(k+1) binom(k+1,m) = b * b^k (binom(k,m) + binom(k,m-1))."""
    same = [(b, {(b, m): v}) for (b, m), v in form.items()]
    below = [(b, {(b, m - 1): v}) for (b, m), v in form.items() if m > 0]
    return combined([*same, *below], budget)


def in_powers(form: Form, budget: Budget) -> Powers:
    """The same function with powers of k: binom(k,m) = k (k-1) .. (k-m+1) / m!."""
    parts: list[tuple[Fraction, Form]] = []
    for (b, m), v in form.items():
        size = m * m.bit_length()
        budget.products(2 * m * m, size)
        falling = [1]
        for s in range(m):
            falling = [x - s * y for x, y in zip([0, *falling], [*falling, 0])]
        parts += [(Fraction(c, math.factorial(m)), {(b, e): v}) for e, c in enumerate(falling) if c]
    return combined(parts, budget)


def inner_product(f: Powers, g: Powers, budget: Budget) -> Margin:
    """<f(k), g(k)>."""
    total: Margin = {}
    for (b, d), v in f.items():
        for (c, e), w in g.items():
            budget.products(len(v), bits(v) + bits(w))
            key, more = (b * c, d + e), dot(v, w)
            total[key] = total.get(key, Fraction(0)) + more
            size = total[key].denominator.bit_length() + bits([*b.as_integer_ratio(), *c.as_integer_ratio()])
            budget.divisions(6, size + bits(v) + bits(w))
    return {key: c for key, c in total.items() if c}


class IntegerForm(NamedTuple):
    """Terms (B, e, c) of the sum of c * (B/scale)^k * k^e, all integers, times a positive integer."""

    terms: list[tuple[int, int, int]]
    scale: int


def in_integers(f: Margin, budget: Budget) -> IntegerForm:
    """The same function, times the common denominator of its coefficients; the bases over their common denominator."""
    scale = common_denominator([b.denominator for b, _ in f], budget)
    common = common_denominator([c.denominator for c in f.values()], budget)
    terms = [(int(b * scale), e, int(c * common)) for (b, e), c in f.items()]
    return IntegerForm(terms, scale)


def verify_positive(f: Margin, k0: int, why: str, budget: Budget) -> None:
    """f(k) > 0 for all k >= 0: directly for k < k0, by dominance of the largest base from k0 on."""
    found = in_integers(f, budget)
    highest = max([e for _, e, _ in found.terms], default=0)
    size = k0 * found.scale.bit_length()
    budget.within(size, "bits")
    size += max([c.bit_length() for _, _, c in found.terms], default=0) + highest * k0.bit_length()
    budget.products((k0 + 8) * len(found.terms) * 4 + (highest + 1) ** 2, size)
    verify_first_layers(found, k0, why)
    verify_dominance(found, k0, why)


def verify_first_layers(f: IntegerForm, k0: int, why: str) -> None:
    """f(k) > 0 for k = 0..k0-1."""
    power = dict.fromkeys([B for B, _, _ in f.terms], 1)  # B -> B^k
    for k in range(k0):
        holds(sum(c * power[B] * k**e for B, e, c in f.terms) > 0, f"{why}, {k} layers later")
        power = {B: B * x for B, x in power.items()}


def verify_dominance(f: IntegerForm, k0: int, why: str) -> None:
    """From k0 on the leading base has no negative Taylor coefficient and outweighs all negative terms, which fall."""
    top = max(B for B, _, _ in f.terms)
    leading = [(e, c) for B, e, c in f.terms if top == B]
    taylor = [
        sum(c * comb(e, j) * k0 ** (e - j) for e, c in leading if e >= j) for j in range(1 + max(e for e, _ in leading))
    ]
    holds(min(taylor) >= 0, f"{why}: the leading term may fall after {k0} layers")
    negative = [(B, e, -c) for B, e, c in f.terms if top > B and c < 0]
    falls = all(B * (k0 + 1) ** e <= top * k0**e for B, e, _ in negative)
    holds(falls, f"{why}: a term grows after {k0} layers")
    weight = sum(c * k0**e * B**k0 for B, e, c in negative)
    holds(taylor[0] * top**k0 > weight, f"{why}: the leading term does not dominate")
