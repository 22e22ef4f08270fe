"""Number fields Q(theta), theta one real root of an irreducible polynomial, and the field two of them span."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from flint import acb, arb, ctx, fmpq, fmpq_mat, fmpq_poly, fmpz_mat, fmpz_poly

from exactformer.arithmetic.ball import ends
from exactformer.arithmetic.rational import simplest_between
from exactformer.errors import Declined
from exactformer.io.read_limits import spend_work
from exactformer.io.untyped import Untyped

#: a larger degree makes every operation slow and usually means an unintended expression
MAX_DEGREE = 64
#: and so do larger products of degrees where two fields meet, and longer coefficients
MAX_PRODUCT, MAX_HEIGHT = 256, 20_000
#: the most work with which the field of two others is found, in half milliseconds
MAX_WORK = 12_000
#: bits a coefficient with which one generator is sought as a polynomial in the other
_HEIGHTS = (24, 96)


class NumberField:
    """Q(theta): a monic irreducible polynomial and which of its real roots theta is."""

    def __init__(self, minpoly: fmpq_poly, root: Callable[[int], arb]) -> None:
        self.minpoly = minpoly
        self.degree = int(minpoly.degree())
        self._integer = fmpz_poly(minpoly.numer())
        self._root = root
        self._enclosures: dict[int, arb] = {}

    @classmethod
    def of_root(cls, annihilator: fmpq_poly, enclosure: Callable[[int], arb]) -> NumberField:
        """The field of the root of `annihilator` that lies in every `enclosure(bits)`."""
        spend_work(1 + int(annihilator.degree()) ** 2 // 50, "a minimal polynomial")
        _, factors = fmpz_poly(annihilator.numer()).factor()
        bits = 64
        while True:
            ball = enclosure(bits)
            possible = [f for f, _ in factors if _overlapping_roots(f, ball, bits)]
            if len(possible) == 1 and len(_overlapping_roots(possible[0], ball, bits)) == 1:
                break
            bits *= 2  # ends: the roots of distinct irreducible factors are distinct
        if possible[0].degree() > MAX_DEGREE:
            raise Declined(f"an algebraic number of degree {possible[0].degree()}: the limit is {MAX_DEGREE}")
        minpoly = fmpq_poly(possible[0])
        return _intern(cls(minpoly / minpoly[minpoly.degree()], enclosure))

    def theta(self, bits: int) -> arb:
        """A ball around theta that contains no other root, computed with `bits` of precision."""
        if bits not in self._enclosures:
            precision = bits
            while len(roots := _overlapping_roots(self._integer, self._root(precision), precision)) != 1:
                precision *= 2
            self._enclosures[bits] = roots[0]
        return self._enclosures[bits]

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The simplest rationals low < theta < high with no other root of the polynomial between them."""
        bits = 64
        while True:
            ball = self.theta(bits)
            others = [r for r in real_roots(self._integer, bits) if not r.overlaps(ball)]
            if len(others) == len(real_roots(self._integer, bits)) - 1:
                break
            bits *= 2
        below = [ends(r)[1] for r in others if r < ball]
        above = [ends(r)[0] for r in others if r > ball]
        low, high = ends(ball)
        return simplest_between(max(below, default=None), low), simplest_between(high, min(above, default=None))

    @property
    def integer_minpoly(self) -> list[int]:
        """The coefficients c_0, c_1, .. of the primitive integer polynomial."""
        return [int(c) for c in self._integer.coeffs()]

    def __repr__(self) -> str:
        return f"Q(theta), theta = {self.theta(64).str(8)} a root of {self._integer}"


_fields: dict[tuple[int, ...], list[NumberField]] = {}


def _intern(field: NumberField) -> NumberField:
    """One object per field and root, so that equal fields are recognised by identity."""
    known = _fields.setdefault(tuple(field.integer_minpoly), [])
    for other in known:
        if other.theta(64).overlaps(field.theta(64)):
            return other  # two balls that isolate roots and overlap isolate the same one
    known.append(field)
    return field


def real_roots(poly: fmpz_poly, bits: int) -> list[arb]:
    """Balls around the roots of a square-free polynomial that may be real."""
    with ctx.workprec(bits + 16):
        roots = [acb(root) for root, _ in poly.complex_roots()]
    return [r.real for r in roots if r.imag.contains(0)]


def _overlapping_roots(poly: fmpz_poly, ball: arb, bits: int) -> list[arb]:
    """The real roots of a square-free polynomial, as balls, that may lie in the given ball."""
    return [r for r in real_roots(poly, bits) if r.overlaps(ball)]


@lru_cache(maxsize=1024)
def compositum(x: NumberField, y: NumberField) -> tuple[NumberField, fmpq_poly, fmpq_poly]:
    """(Q(theta_x, theta_y), theta_x and theta_y as polynomials in its generator).

    If one field contains the other it is the answer itself; otherwise the generator is theta_x + c*theta_y
    for the least c >= 1 that generates both.
    """
    theta = fmpq_poly([0, 1])
    for height in _HEIGHTS:
        if (image := _inside(x, y, height)) is not None:
            return x, theta, image
        if (image := _inside(y, x, height)) is not None:
            return y, image, theta
    field, image_x, image_y = _primitive(x, y)
    for larger, image in ((x, image_x), (y, image_y)):
        if field.degree == larger.degree:
            theta = _generator_in(image, field)
            return larger, substitute(image_x, theta, larger), substitute(image_y, theta, larger)
    return field, image_x, image_y


def _inside(x: NumberField, y: NumberField, height: int) -> fmpq_poly | None:
    """theta_y as a polynomial in theta_x; None where no such polynomial is found.

    Proposed by a short vector of the lattice of near-relations between 1, theta_x, .., theta_x^(n-1), theta_y, and
    verified: it is a root of the minimal polynomial of theta_y, and of its roots the one that theta_y is.
    """
    if x.degree % y.degree:
        return None
    n, bits = x.degree, (x.degree + 1) * height + 64
    spend_work(n**3 * height // 5_000, "a common field")
    *relation, last = _short_relation(x, y, bits)
    if not last:
        return None
    image = fmpq_poly([fmpq(-a, last) for a in relation])
    if not substitute(y.minpoly, image, x).is_zero():
        return None
    with ctx.workprec(bits + 16):
        place = arb(0)
        for k in reversed(range(n)):
            place = place * x.theta(bits) + image[k]
    roots = _overlapping_roots(y._integer, place, bits)
    return image if len(roots) == 1 and roots[0].overlaps(y.theta(bits)) else None


def _short_relation(x: NumberField, y: NumberField, bits: int) -> list[int]:
    """Short integers a_0, .., a_n with a_0 + a_1 theta_x + .. + a_n theta_y near 0, by LLL; a proposal only."""
    n = x.degree
    with ctx.workprec(2 * bits):
        numbers = [x.theta(bits) ** k for k in range(n)] + [y.theta(bits)]
        rounded = [int((number.mid() * arb(2) ** bits).floor().unique_fmpz()) for number in numbers]
    rows = [[int(i == j) for j in range(n + 1)] + [rounded[i]] for i in range(n + 1)]
    first = fmpz_mat(rows).lll()
    return [int(first[0, j]) for j in range(n + 1)]


def _primitive(x: NumberField, y: NumberField) -> tuple[NumberField, fmpq_poly, fmpq_poly]:
    """The field of theta = theta_x + c*theta_y with both generators in it.

    theta_y is a common root of minpoly_y(t) and minpoly_x(theta - c t). Their gcd over Q(theta) is linear
    exactly when it is the only one; its root is then theta_y. SymPy gives the resultant that theta annihilates.
    """
    _verify_cost(x, y)
    for c in range(1, x.degree * y.degree + 2):
        field = NumberField.of_root(_resultant(x.minpoly, y.minpoly, c), _sum_enclosure(x, y, c))
        work = x.degree * y.degree * min(x.degree, y.degree) * field.degree
        if work > MAX_WORK:
            raise Declined(
                f"algebraic numbers of degrees {x.degree} and {y.degree} in a field of degree {field.degree}: together "
                f"these are too large (the work is {work}, the limit {MAX_WORK})"
            )
        spend_work(work // 2, "a common field")
        image_y = _common_root(x, y, c, field)
        if image_y is not None:
            return field, (fmpq_poly([0, 1]) - c * image_y) % field.minpoly, image_y
    raise AssertionError("a primitive element exists among the first degree(x)*degree(y)+1 combinations")


def _verify_cost(x: NumberField, y: NumberField) -> None:
    """Raises Declined where the field of both may be too large, or its numbers too long, to be found in good time."""
    degree = x.degree * y.degree
    bits = max(int(c).bit_length() for field in (x, y) for c in fmpz_poly(field.minpoly.numer()).coeffs())
    if degree > MAX_PRODUCT or degree * bits > MAX_HEIGHT:
        raise Declined(
            f"algebraic numbers of degrees {x.degree} and {y.degree} with coefficients of {bits} bits together: the "
            f"limits are a product of degrees of {MAX_PRODUCT}, and {MAX_HEIGHT} for that times the bits"
        )


def substitute(poly: fmpq_poly, image: fmpq_poly, field: NumberField) -> fmpq_poly:
    """poly(image) modulo the minimal polynomial of the field."""
    value = fmpq_poly([0])
    for c in reversed(poly.coeffs()):
        value = (value * image + c) % field.minpoly
    return value


def _generator_in(image: fmpq_poly, field: NumberField) -> fmpq_poly:
    """g with theta = g(beta), beta = image(theta) another generator of the same field: a linear system."""
    n = field.degree
    powers, power = [], fmpq_poly([1])
    for _ in range(n):
        powers.append([power[k] for k in range(n)])
        power = power * image % field.minpoly
    matrix = fmpq_mat(n, n, [powers[j][i] for i in range(n) for j in range(n)])
    wanted = fmpq_mat(n, 1, [1 if i == 1 else 0 for i in range(n)])
    return fmpq_poly([row[0] for row in matrix.solve(wanted).tolist()])


def _sum_enclosure(x: NumberField, y: NumberField, c: int) -> Callable[[int], arb]:
    def enclosure(bits: int) -> arb:
        with ctx.workprec(bits + 16):
            return x.theta(bits) + c * y.theta(bits)

    return enclosure


def _resultant(p: fmpq_poly, q: fmpq_poly, c: int) -> fmpq_poly:
    """The rational polynomial whose roots are all alpha + c*beta, alpha a root of p and beta of q."""
    import sympy

    s, t = sympy.symbols("s t")
    result = sympy.Poly(sympy.resultant(_sympy(p, s - c * t), _sympy(q, t), t), s)
    return fmpq_poly([fmpq(int(a.p), int(a.q)) for a in reversed(result.all_coeffs())])


def _sympy(poly: fmpq_poly, at: Untyped) -> Untyped:
    import sympy

    return sympy.expand(
        sum(sympy.Rational(int(fmpq(a).p), int(fmpq(a).q)) * at**k for k, a in enumerate(poly.coeffs()))
    )


def _common_root(x: NumberField, y: NumberField, c: int, field: NumberField) -> fmpq_poly | None:
    """theta_y in Q(theta): the root of gcd(minpoly_y(t), minpoly_x(theta - c t)), if that gcd is linear."""
    m, theta = field.minpoly, fmpq_poly([0, 1])
    one = fmpq_poly([1])
    shifted = [fmpq_poly([0])]
    for a in reversed(x.minpoly.coeffs()):  # Horner: shifted(t) * (theta - c t) + a
        times_theta = [s * theta % m for s in shifted] + [fmpq_poly([0])]
        times_t = [fmpq_poly([0])] + [s * (-c) for s in shifted]
        shifted = [u + v for u, v in zip(times_theta, times_t, strict=True)]
        shifted[0] = shifted[0] + fmpq(a)
    left, right = _trim(shifted), [one * fmpq(a) for a in y.minpoly.coeffs()]
    while right:
        left, right = right, _remainder(left, right, m)
    if len(left) != 2:
        return None
    return -left[0] * _inverse(left[1], m) % m


def _trim(poly: list[fmpq_poly]) -> list[fmpq_poly]:
    while poly and poly[-1].is_zero():
        poly = poly[:-1]
    return poly


def _inverse(a: fmpq_poly, m: fmpq_poly) -> fmpq_poly:
    return a.xgcd(m)[1] % m


def _remainder(left: list[fmpq_poly], right: list[fmpq_poly], m: fmpq_poly) -> list[fmpq_poly]:
    """left mod right, polynomials over Q[theta]/m."""
    lead = _inverse(right[-1], m)
    left = list(left)
    while len(left) >= len(right):
        factor = left[-1] * lead % m
        shift = len(left) - len(right)
        left = _trim([(a - factor * right[k - shift]) % m if k >= shift else a for k, a in enumerate(left)])
    return left
