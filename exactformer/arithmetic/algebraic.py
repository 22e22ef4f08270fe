"""Real algebraic numbers: elements of Q(theta) as polynomials in theta, with exact order.

theta is one real root of an irreducible polynomial, told from the others by a rational interval. An
element is zero exactly when its reduced polynomial is zero; any other sign is found by refining a ball.
SymPy proposes minimal polynomials and primitive elements; every identity it gives is verified here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache, reduce
from numbers import Rational
from typing import Any

from flint import arb, ctx, fmpq, fmpq_poly, fmpz, fmpz_poly

from exactformer.arithmetic.ball import Ball
from exactformer.arithmetic.grammar import Expression, multiple_of_pi, parse
from exactformer.arithmetic.number_field import NumberField, compositum, real_roots, substitute
from exactformer.errors import InvalidInput, NotExact
from exactformer.io.canonical import canonical
from exactformer.io.untyped import Untyped


class Algebraic:
    """An element of Q(theta): exact +, -, *, /, ==, < with other elements, ints and Fractions.

    >>> root = from_text("sqrt(2)")
    >>> root * root == 2, root < Fraction(3, 2), root + 1
    (True, True, 2.41421356237...)
    """

    __slots__ = ("field", "poly")

    def __init__(self, field: NumberField, poly: fmpq_poly) -> None:
        self.field = field
        self.poly = poly

    # arithmetic ----------------------------------------------------------------------------------
    def __reduce__(self) -> tuple[Any, ...]:
        minpoly = [int(c) for c in self.field.integer_minpoly]
        return _restored, (minpoly, *self.field.interval, self.coefficients)

    def _pair(self, other: object) -> tuple[Algebraic, Algebraic] | None:
        """Both numbers as elements of one field."""
        if isinstance(other, Algebraic):
            return (self, other) if other.field is self.field else _in_one_field(self, other)
        if isinstance(other, Rational):  # ints, Fractions, NumPy integers
            other = fmpq(int(other.numerator), int(other.denominator))
        if isinstance(other, fmpq):
            return self, Algebraic(self.field, fmpq_poly([other]))
        return None

    def __add__(self, other: object) -> Algebraic:
        pair = self._pair(other)
        return Algebraic(pair[0].field, pair[0].poly + pair[1].poly) if pair else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: object) -> Algebraic:
        pair = self._pair(other)
        return Algebraic(pair[0].field, pair[0].poly - pair[1].poly) if pair else NotImplemented

    def __rsub__(self, other: object) -> Algebraic:
        return -(self - other)

    def __mul__(self, other: object) -> Algebraic:
        pair = self._pair(other)
        if not pair:
            return NotImplemented
        return Algebraic(pair[0].field, pair[0].poly * pair[1].poly % pair[0].field.minpoly)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Algebraic:
        pair = self._pair(other)
        return pair[0] * pair[1].inverse() if pair else NotImplemented

    def __rtruediv__(self, other: object) -> Algebraic:
        return self.inverse() * other

    def __pow__(self, exponent: int) -> Algebraic:
        base = self if exponent >= 0 else self.inverse()
        power = Algebraic(self.field, fmpq_poly([1]))
        for bit in bin(abs(exponent))[2:]:
            power = power * power * base if bit == "1" else power * power
        return power

    def __neg__(self) -> Algebraic:
        return Algebraic(self.field, -self.poly)

    def __abs__(self) -> Algebraic:
        return -self if self.sign() < 0 else self

    def inverse(self) -> Algebraic:
        """1/x, by the extended Euclidean algorithm modulo the minimal polynomial."""
        if not self:
            raise ZeroDivisionError("division by the algebraic number 0")
        _, inverse, _ = self.poly.xgcd(self.field.minpoly)
        return Algebraic(self.field, inverse % self.field.minpoly)

    # order ---------------------------------------------------------------------------------------
    def __bool__(self) -> bool:
        return not self.poly.is_zero()

    def sign(self) -> int:
        """-1, 0 or 1: an exact zero test, then ball refinement, which ends because the number is not zero."""
        if not self:
            return 0
        bits = 64
        while True:
            ball = self.enclosure(bits)
            if ball > 0 or ball < 0:
                return 1 if ball > 0 else -1
            bits *= 2

    def enclosure(self, bits: int) -> arb:
        """A ball that contains the number, computed with `bits` of precision."""
        with ctx.workprec(bits + 16):
            value, theta = arb(0), self.field.theta(bits)
            for c in reversed(self.poly.coeffs()):
                value = value * theta + c
            return value

    def _compare(self, other: object) -> int | None:
        """The sign of self - other, a float standing for its exact value; None for what has no order with numbers."""
        if isinstance(other, float) and math.isinf(other):
            return -1 if other > 0 else 1
        pair = self._pair(_exact_float(other))
        return None if pair is None else Algebraic(pair[0].field, pair[0].poly - pair[1].poly).sign()

    def __eq__(self, other: object) -> bool:
        pair = self._pair(_exact_float(other))
        return NotImplemented if pair is None else bool(pair[0].poly == pair[1].poly)

    def __lt__(self, other: object) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order < 0

    def __gt__(self, other: object) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order > 0

    def __le__(self, other: object) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order <= 0

    def __ge__(self, other: object) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order >= 0

    def __floor__(self) -> int:
        rational = self.rational
        if rational is not None:
            return math.floor(rational)
        bits = 64
        while (whole := self._floor_at(bits)) is None:
            bits *= 2  # ends: an irrational number is not an integer
        return int(whole)

    def _floor_at(self, bits: int) -> fmpz | None:
        """The floor, if `bits` of precision tell it; None otherwise."""
        with ctx.workprec(bits + 16):  # the floor too is rounded to the precision of the moment
            return self.enclosure(bits).floor().unique_fmpz()

    def __hash__(self) -> int:
        rational = self.rational
        # the floor of a scaled number is the same in whichever field the number is written
        return hash(rational) if rational is not None else hash(("algebraic", math.floor(self * 2**32)))

    # reading -------------------------------------------------------------------------------------
    @property
    def rational(self) -> Fraction | None:
        """The number as a Fraction, or None where it is irrational."""
        if self.poly.degree() > 0:
            return None
        c = fmpq(self.poly[0])
        return Fraction(int(c.p), int(c.q))

    @property
    def coefficients(self) -> list[Fraction]:
        """c_0, c_1, .. with x = sum c_k theta^k."""
        return [Fraction(int(fmpq(c).p), int(fmpq(c).q)) for c in self.poly.coeffs()]

    def __float__(self) -> float:
        """The float nearest to an enclosure of 60 relative bits: the precision doubles until cancellation is undone."""
        if not self:
            return 0.0
        ball = self._accurate()
        return float(ball.mid())

    def _accurate(self) -> arb:
        """A ball of 60 relative bits around a number that is not 0."""
        bits = 80
        while (ball := self.enclosure(bits)).rel_accuracy_bits() < 60:
            bits *= 2
        return ball

    def __repr__(self) -> str:
        approximate = float(self)
        if not self or 1e-300 < abs(approximate) < math.inf:
            return f"{approximate:.12g}..."
        return f"{self._accurate().mid().str(12, radius=False)}..."  # beyond the range of floats


def _exact_float(value: object) -> object:
    """The exact value of a finite float; anything else as it is."""
    return Fraction(value) if isinstance(value, float) and math.isfinite(value) else value


def _in_one_field(x: Algebraic, y: Algebraic) -> tuple[Algebraic, Algebraic]:
    field, image_x, image_y = compositum(x.field, y.field)
    return Algebraic(field, substitute(x.poly, image_x, field)), Algebraic(field, substitute(y.poly, image_y, field))


def in_one_field(numbers: Iterable[Fraction | int | Algebraic]) -> list[Algebraic] | None:
    """All numbers as elements of one field; None if every one of them is rational."""
    listed = list(numbers)
    fields = list({id(x.field): x.field for x in listed if isinstance(x, Algebraic)}.values())
    if not fields:
        return None
    whole = fields[0]
    images = {id(whole): fmpq_poly([0, 1])}  # the generator of every field, in the generator of the whole
    for field in fields[1:]:
        larger, old, images[id(field)] = compositum(whole, field)
        for key in images:
            if key != id(field):
                images[key] = substitute(images[key], old, larger)
        whole = larger
    rational = Algebraic(whole, fmpq_poly([0]))
    return [
        Algebraic(whole, substitute(x.poly, images[id(x.field)], whole)) if isinstance(x, Algebraic) else rational + x
        for x in listed
    ]


@lru_cache(maxsize=4096)
def from_text(text: str, where: str = "") -> Algebraic | Fraction:
    """The real algebraic number a text such as "sqrt(2)/2" or "cos(2*pi/5)" denotes; rationals as Fractions.

    >>> from_text("cos(2*pi/5)") > Fraction(3, 10), from_text("cos(pi/3)")
    (True, Fraction(1, 2))
    """
    try:
        number = _value(parse(text, where), text, where)
    except RecursionError as problem:
        raise InvalidInput(
            f"{where + ': ' if where else ''}expected a number of a few operations, got {text[:40]!r}.. with hundreds"
        ) from problem
    if isinstance(number, Algebraic):
        rational = number.rational
        return number if rational is None else rational
    return number


def _value(tree: Expression, text: str, where: str) -> Algebraic | Fraction:
    """The number of an expression tree, node by node."""
    if tree.op == "number":
        return tree.value
    if tree.op in ("sin", "cos"):
        turns = multiple_of_pi(tree.args[0])
        if turns is None:
            raise _refuse(text, where, f"{tree.op} of a rational multiple of pi")
        return _trigonometric(tree.op, turns, text, where)
    if tree.op == "pi":
        raise _refuse(text, where, "pi only inside sin or cos: pi itself is not algebraic")
    if tree.op == "sqrt":
        return _root(_value(tree.args[0], text, where), Fraction(1, 2), text, where)
    if tree.op == "**":
        return _root(_value(tree.args[0], text, where), tree.value, text, where)
    left, right = (_value(arg, text, where) for arg in tree.args)
    if tree.op == "/" and not right:
        raise InvalidInput(f"{where + ': ' if where else ''}division by zero in {text!r}")
    results: dict[str, Any] = {"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right}
    value: Algebraic | Fraction = results[tree.op]() if tree.op != "/" else left / right
    return value


def _trigonometric(name: str, turns: Fraction, text: str, where: str) -> Algebraic | Fraction:
    if turns.denominator > 360:
        raise _refuse(text, where, "an angle p*pi/q with q <= 360")
    quarter = turns if name == "cos" else Fraction(1, 2) - turns  # sin(x) = cos(pi/2 - x)
    q = fmpq(quarter.numerator, quarter.denominator)

    def enclosure(bits: int) -> arb:
        with ctx.workprec(bits + 16):
            return arb.cos_pi_fmpq(q)

    doubled = fmpz_poly.cos_minpoly((quarter / 2).denominator)  # vanishes at 2 cos(2 pi p/q), p and q coprime
    return _generator(fmpq_poly(doubled)(fmpq_poly([0, 2])), enclosure)


def _root(base: Algebraic | Fraction, exponent: Fraction, text: str, where: str) -> Algebraic | Fraction:
    """base ** exponent, the nonnegative real root where the exponent is not an integer."""
    if not base and exponent <= 0:
        raise InvalidInput(f"{where + ': ' if where else ''}0 to a power <= 0 in {text!r}")
    power = base**exponent.numerator
    if exponent.denominator == 1:
        return power
    if power < 0:
        raise NotExact(
            f"{where + ': ' if where else ''}expected a real number, got an even root of a negative: {text!r}"
        )
    import sympy

    n, x = exponent.denominator, sympy.Symbol("x")
    annihilator = sympy.Poly(_norm_of_root(power, n, x), x)

    def enclosure(bits: int) -> arb:
        with ctx.workprec(bits + 16):
            return Ball.of(power, bits=bits).arb.nonnegative_part().root(n)

    coefficients = [fmpq(int(c.p), int(c.q)) for c in reversed(annihilator.all_coeffs())]
    return _generator(fmpq_poly(coefficients), enclosure)


def _norm_of_root(power: Algebraic | Fraction, n: int, x: Untyped) -> Untyped:
    """A rational polynomial that vanishes at the n-th root of `power`."""
    import sympy

    if isinstance(power, Fraction):
        return x**n - sympy.Rational(power.numerator, power.denominator)
    t = sympy.Symbol("t")
    rational = [sympy.Rational(c.numerator, c.denominator) for c in power.coefficients]
    element = sum(c * t**k for k, c in enumerate(rational))
    minpoly = sum(
        sympy.Rational(int(fmpq(c).p), int(fmpq(c).q)) * t**k for k, c in enumerate(power.field.minpoly.coeffs())
    )
    return sympy.resultant(minpoly, x**n - element, t)


def _generator(annihilator: fmpq_poly, enclosure: Callable[[int], arb]) -> Algebraic | Fraction:
    """The root of a rational polynomial that the enclosures single out."""
    field = NumberField.of_root(annihilator, enclosure)
    if field.degree == 1:
        root = -fmpq(field.minpoly[0]) / fmpq(field.minpoly[1])
        return Fraction(int(root.p), int(root.q))
    return Algebraic(field, fmpq_poly([0, 1]))


def _refuse(text: str, where: str, remedy: str) -> NotExact:
    place = f"{where}: " if where else ""
    return NotExact(f"{place}expected a real algebraic number, got {text!r}; allowed is {remedy}")


def json_form(number: Algebraic) -> dict[str, list[str]]:
    """The number as sum c_k theta^k, theta the root of `minpoly` in `interval`, as JSON data."""
    low, high = number.field.interval
    return {
        "minpoly": [str(c) for c in number.field.integer_minpoly],
        "interval": [str(low), str(high)],
        "coefficients": [str(fmpq(c.numerator, c.denominator)) for c in number.coefficients],
    }


def _restored(minpoly: list[int], low: Fraction, high: Fraction, coefficients: list[Fraction]) -> Algebraic:
    """The number that was pickled: sum c_k theta^k, theta the root of minpoly between low and high."""

    polynomial = fmpz_poly(minpoly)

    def enclosure(bits: int) -> arb:
        # of the roots that may lie between the ends: a ball of both ends would be wider, and may reach a near root
        with ctx.workprec(bits + 16):
            least, most = (arb(fmpq(end.numerator, end.denominator)) for end in (low, high))
            possible = [root for root in real_roots(polynomial, bits) if not (root < least or root > most)]
            return reduce(arb.union, possible)

    field = NumberField.of_root(fmpq_poly(minpoly), enclosure)
    return Algebraic(field, fmpq_poly([fmpq(c.numerator, c.denominator) for c in coefficients]))


def json_number(number: object) -> object:
    """What JSON writes for an exact number: canonical text, the output form of an algebraic one; a NumPy integer's int.

    >>> import json
    >>> json.dumps([Fraction(1, 2), 3], default=json_number)
    '["1/2", 3]'
    """
    if isinstance(number, Algebraic):
        return json_form(number)
    if hasattr(number, "item"):
        return number.item()
    return canonical(number)
