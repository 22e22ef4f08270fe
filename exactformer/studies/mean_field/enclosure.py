"""Euler steps enclosed: radii grow by a proved bound of the derivative, a logarithmic norm, not by wrapping.

An Euler step takes x_i to the direction of z_i = x_i + h v_i, v_i = P_i V m_i. Points of the sphere are held as
midpoints with an angle rho_i each. The exact step of the midpoints is enclosed in thin balls. Two orbits whose tokens
are within angles rho_j of each other are within rho'_i after the step,

    rho'_i^2 = (r_i^2 + q rho_i^2)/(1 + q),   q = h^2 |v_i|^2,   r_i = c_ii rho_i + h sum_{j != i} |G_ij| rho_j,
    c_ii = |(1 - h <x_i, V m_i>) P_i + h P_i V beta Cov_i B' P_i + h G_ii|,
    G_ij = a_ij P_i V (I + beta (x_j - m_i)(B'x_i)') P_j,

where a_ij are the weights of softmax, Cov_i is the covariance of the tokens under them, and everything is evaluated in
balls that contain all points between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from flint import arb, ctx

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.ball import Ball, ends
from exactformer.arithmetic.interval import rational
from exactformer.arithmetic.state import PointsLike, State
from exactformer.arithmetic.text import NumberLike, brief, exact
from exactformer.errors import InvalidInput, Undecided
from exactformer.studies.mean_field.system import System

Vector = list[arb]
Rows = list[Vector]

#: -log2 of the first radius unless the caller says otherwise, and bits beyond it in which is computed
BITS, GUARD = 128, 64
#: radii beyond this are no enclosures any more
LARGEST = Fraction(1, 100)


@dataclass(frozen=True)
class EulerOrbit:
    """Tokens after every step, each coordinate in a ball; `radii` are the largest angles rho_i."""

    tokens: tuple[tuple[tuple[Ball, ...], ...], ...]
    radii: tuple[Fraction, ...]

    def intervals(self, step: int, bits: int = BITS) -> list[list[tuple[Fraction, Fraction]]]:
        """Intervals around the coordinates of every token after a step, with ends in 2^-bits Z."""
        unit = 1 << bits
        return [
            [(Fraction(floor(low * unit), unit), Fraction(ceil(high * unit), unit)) for low, high in row]
            for row in ([ends(ball.arb) for ball in token] for token in self.tokens[step])
        ]

    @property
    def approx_growth(self) -> float:
        """The factor by which the largest radius grew a step, in the mean."""
        steps = len(self.radii) - 1
        return float(self.radii[-1] / self.radii[0]) ** (1 / steps) if steps and self.radii[0] else 1.0


def enclose(
    system: System,
    tokens: PointsLike,
    *,
    beta: NumberLike,
    step: NumberLike = Fraction(1, 20),
    steps: int = 20,
    bits: int = BITS,
    progress: Callable[[int], None] = lambda done: None,
) -> EulerOrbit:
    """The orbit of explicit Euler steps of the tokens, directions z standing for z/|z|, rigorously enclosed.

    The balls also contain every orbit whose tokens start within an angle of 2^-bits of the given ones. Raises
    Undecided where the enclosure becomes too wide: more bits help.

    >>> system = System.of([[1, 0], [0, "1/2"]], [["1/5", 0], [0, 1]])
    >>> orbit = enclose(system, [[3, 4], [-1, 2]], beta=5, steps=3)
    >>> len(orbit.tokens), orbit.approx_growth < 1.05
    (4, True)
    """
    b, h = (_positive(value, name) for value, name in ((beta, "beta"), (step, "step")))
    points = _directions(tokens, system.dim)
    with ctx.workprec(bits + GUARD):
        flow = _Flow(_balls(system.V), _balls(system.B), _ball(b), _ball(h))
        places, errors = _rounded([_unit([_ball(x) for x in row]) for row in points])
        radii = [(error + arb(2) ** -bits).upper() for error in errors]
        orbit, largest = [_widened(places, radii)], [_largest(radii)]
        for k in range(steps):
            progress(k)
            grown = flow.spread(_widened(places, radii), radii)
            places, errors = _rounded(flow.step([_unit(x) for x in places]))
            radii = [(radius + error).upper() for radius, error in zip(grown, errors, strict=True)]
            if not _largest(radii) < LARGEST:
                raise Undecided(f"the enclosure is wider than {LARGEST} after {k + 1} steps with {bits} bits: use more")
            orbit.append(_widened(places, radii))
            largest.append(_largest(radii))
    return EulerOrbit(tuple(_as_balls(rows, bits + GUARD) for rows in orbit), tuple(largest))


def _largest(radii: Vector) -> Fraction:
    return max(ends(radius)[1] for radius in radii)


@dataclass(frozen=True)
class _Flow:
    """V, B, beta and the step h, as balls."""

    V: Rows
    B: Rows
    beta: arb
    h: arb

    def step(self, X: Rows) -> Rows:
        """One Euler step of every token."""
        return [_unit(_plus(x, self._velocity(x, self._mean(x, X)[1]), self.h)) for x in X]

    def _mean(self, x: Vector, X: Rows) -> tuple[Vector, Vector]:
        """(weights, mean) of softmax at x."""
        u = _times_columns(self.B, x)  # the rows of B are the columns of B'
        scores = [self.beta * _dot(u, y) for y in X]
        top = max((score.mid() for score in scores), key=float)
        powers = [(score - top).exp() for score in scores]
        total = sum(powers, arb(0))
        weights = [power / total for power in powers]
        return weights, [_dot(weights, [y[k] for y in X]) for k in range(len(x))]

    def _velocity(self, x: Vector, m: Vector) -> Vector:
        """P_x V m."""
        return _tangent(x, _times(self.V, m))

    def spread(self, X: Rows, radii: Vector) -> Vector:
        """rho'_i of every token, for balls that contain all points within the angles rho_i."""
        return [self._spread_of(i, X, radii) for i in range(len(X))]

    def _spread_of(self, i: int, X: Rows, radii: Vector) -> arb:
        """rho'_i."""
        x = X[i]
        weights, m = self._mean(x, X)
        value, u, size = _times(self.V, m), _times_columns(self.B, x), len(x)
        away = [_plus(y, m, arb(-1)) for y in X]
        onto = [_tangent(x, [row[k] for row in self.V]) for k in range(size)]  # the columns of P_i V
        rows = [list(row) for row in zip(*onto, strict=True)]  # those of P_i V; times P_j they are projected
        own = [[(int(a == b) - x[a] * x[b]) * (1 - self.h * _dot(x, value)) for b in range(size)] for a in range(size)]
        turned = [_times_columns(onto, z) for z in away]  # P_i V (x_j - m_i)
        for z, w, t in zip(away, weights, turned, strict=True):  # P_i V Cov_i B' P_i, a sum of rank-one parts
            pulled = _tangent(x, _times(self.B, z))
            own = _outer(own, t, pulled, self.h * self.beta * w)
        total = arb(0)
        for j, (y, t, w, radius) in enumerate(zip(X, turned, weights, radii, strict=True)):
            seen = _tangent(y, u)  # P_j B'x_i
            G = _outer([_tangent(y, row) for row in rows], t, seen, self.beta)
            if j == i:
                own = [_plus(row, other, self.h * w) for row, other in zip(own, G, strict=True)]
            else:
                total += self.h * w * _norm(G) * radius
        r = _norm(own) * radii[i] + total
        q = self.h * self.h * _square(_tangent(x, value))
        return _root((r * r + q * radii[i] * radii[i]) / (1 + q)).upper()


def _norm(G: Rows) -> arb:
    """An upper bound of the spectral norm of a map between tangent spaces.

    The Frobenius norm if they are lines; else the eighth root of that of (G'G)^4, which is at most d^(1/16) larger.
    """
    size = _root(sum((_square(row) for row in G), arb(0))).upper()
    if len(G) == 2 or not size > 0:
        return size
    scaled = [[x / size for x in row] for row in G]
    S = [[_dot(row, other) for other in zip(*scaled, strict=True)] for row in zip(*scaled, strict=True)]
    for _ in range(2):
        S = [[_dot(row, other) for other in zip(*S, strict=True)] for row in S]
    found = _root(sum((_square(row) for row in S), arb(0)))
    for _ in range(3):
        found = _root(found)
    return (size * found).upper()


def _rounded(X: Rows) -> tuple[Rows, Vector]:
    """Midpoints of unit vectors, and angles within which the vectors lie of the directions of their midpoints.

    If |x - c| <= e and |x| = 1 then |x - c/|c|| <= 2e, and an angle is at most pi/2 times its chord.
    """
    errors = [(4 * _root(sum((c.rad() * c.rad() for c in x), arb(0)))).upper() for x in X]
    return [[c.mid() for c in x] for x in X], errors


def _widened(places: Rows, radii: Vector) -> Rows:
    """Balls around all points within given angles of the directions of some midpoints."""
    return [[c + arb(0, radius) for c in _unit(x)] for x, radius in zip(places, radii, strict=True)]


def _unit(x: Vector) -> Vector:
    length = _root(_square(x))
    return [c / length for c in x]


def _tangent(x: Vector, v: Vector) -> Vector:
    """P_x v = v - <x, v> x."""
    return _plus(v, x, -_dot(x, v))


def _plus(x: Vector, y: Vector, c: arb) -> Vector:
    """x + c y."""
    return [a + c * b for a, b in zip(x, y, strict=True)]


def _outer(M: Rows, x: Vector, y: Vector, c: arb) -> Rows:
    """M + c x y'."""
    return [_plus(row, y, c * a) for row, a in zip(M, x, strict=True)]


def _dot(x: Sequence[arb], y: Sequence[arb]) -> arb:
    return sum((a * b for a, b in zip(x, y, strict=True)), arb(0))


def _square(x: Vector) -> arb:
    """|x|^2 >= 0."""
    return sum((c * c for c in x), arb(0)).nonnegative_part()


def _times(M: Rows, x: Vector) -> Vector:
    return [_dot(row, x) for row in M]


def _times_columns(columns: Rows, x: Vector) -> Vector:
    """sum_k x_k c_k for the columns c_k of a matrix."""
    total = [arb(0)] * len(columns[0])
    for c, column in zip(x, columns, strict=True):
        total = _plus(total, column, c)
    return total


def _root(x: arb) -> arb:
    """A ball around the square roots of the nonnegative numbers of a ball."""
    if x > 0:
        return x.sqrt()
    low, high = (_ball(max(end, Fraction(0))).sqrt() for end in ends(x))
    return low.union(high)


def _ball(x: Fraction) -> arb:
    return arb(rational(x))


def _balls(rows: Sequence[Sequence[Fraction]]) -> Rows:
    return [[_ball(x) for x in row] for row in rows]


def _as_balls(rows: Rows, bits: int) -> tuple[tuple[Ball, ...], ...]:
    return tuple(tuple(Ball(c, bits) for c in row) for row in rows)


def _positive(value: NumberLike, name: str) -> Fraction:
    number = exact(value, name)
    if isinstance(number, Algebraic) or number <= 0:
        raise InvalidInput(f"{name}: expected a rational number > 0, got {brief(number)}")
    return number


def _directions(tokens: PointsLike, dim: int) -> list[tuple[Fraction, ...]]:
    """The tokens as rational directions of the right dimension, none of them zero."""
    state = State.of(tokens)
    if not state.is_rational or state.dim != dim:
        raise InvalidInput(f"tokens: expected rational numbers in dimension {dim}, got dimension {state.dim}")
    points = [tuple(Fraction(x, state.denominator) for x in row) for row in state.numerators.tolist()]
    for i, point in enumerate(points):
        if not any(point):
            raise InvalidInput(f"tokens[{i}]: expected a direction, got the zero vector")
    return points
