"""Euler steps enclosed: radii grow by a proved bound of the derivative, not by wrapping.

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

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from flint import arb, arb_mat, ctx

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.ball import Ball, ends
from exactformer.arithmetic.interval import rational
from exactformer.arithmetic.rational import identity
from exactformer.arithmetic.state import PointsLike, State
from exactformer.arithmetic.text import NumberLike, brief, exact
from exactformer.errors import InvalidInput, Undecided
from exactformer.io.json_lines import PathLike
from exactformer.studies.mean_field.flint_forms import ball_matrix
from exactformer.studies.mean_field.system import System

TokenBalls = list[arb_mat]

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
    system: System | PointsLike | PathLike,
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

    Proof: mathematics/mean_field#euler.

    >>> system = System.of([[1, 0], [0, "1/2"]], [["1/5", 0], [0, 1]])
    >>> orbit = enclose(system, [[3, 4], [-1, 2]], beta=5, steps=3)
    >>> len(orbit.tokens), orbit.approx_growth < 1.05
    (4, True)
    """
    system = System.given(system)
    b, h = (_positive(value, name) for value, name in ((beta, "beta"), (step, "step")))
    points = _directions(tokens, system.dim)
    with ctx.workprec(bits + GUARD):
        flow = _Flow(ball_matrix(system.V), ball_matrix(system.B), _ball(b), _ball(h))
        places, errors = _rounded([_unit(ball_matrix([[x] for x in row])) for row in points])
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


def _largest(radii: list[arb]) -> Fraction:
    return max(ends(radius)[1] for radius in radii)


@dataclass(frozen=True)
class _Flow:
    """V, B, beta and the step h, as balls; vectors are columns."""

    V: arb_mat
    B: arb_mat
    beta: arb
    h: arb

    def step(self, X: TokenBalls) -> TokenBalls:
        """One Euler step of every token."""
        return [_unit(x + _tangent(x, self.V * self._mean(x, X)[1]) * self.h) for x in X]

    def _mean(self, x: arb_mat, X: TokenBalls) -> tuple[list[arb], arb_mat]:
        """(weights, mean) of softmax at x."""
        u = self.B.transpose() * x
        scores = [self.beta * _inner(u, y) for y in X]
        top = max((score.mid() for score in scores), key=float)
        powers = [(score - top).exp() for score in scores]
        total = sum(powers, arb(0))
        weights = [power / total for power in powers]
        return weights, sum((y * w for y, w in zip(X, weights, strict=True)), start=x * 0)

    def spread(self, X: TokenBalls, radii: list[arb]) -> list[arb]:
        """rho'_i of every token, for balls that contain all points within the angles rho_i."""
        return [self._spread_of(i, X, radii) for i in range(len(X))]

    def _spread_of(self, i: int, X: TokenBalls, radii: list[arb]) -> arb:
        """rho'_i."""
        x = X[i]
        weights, m = self._mean(x, X)
        value, u, PV = self.V * m, self.B.transpose() * x, _tangent(x, self.V)
        own = _tangent(x, ball_matrix(identity(x.nrows()))) * (1 - self.h * _inner(x, value))
        total = arb(0)
        for j, (y, w, radius) in enumerate(zip(X, weights, radii, strict=True)):
            away = y - m
            turned = PV * away  # P_i V (x_j - m_i)
            # P_i V Cov_i B' P_i is a sum of such parts of rank one
            own += turned * _tangent(x, self.B * away).transpose() * (self.h * self.beta * w)
            G = PV - PV * y * y.transpose() + turned * _tangent(y, u).transpose() * self.beta
            if j == i:
                own += G * (self.h * w)
            else:
                total += self.h * w * _norm(G) * radius
        r = _norm(own) * radii[i] + total
        q = self.h * self.h * _square(_tangent(x, value))
        return _root((r * r + q * radii[i] * radii[i]) / (1 + q)).upper()


def _norm(G: arb_mat) -> arb:
    """An upper bound of the spectral norm of a map between tangent spaces.

    The Frobenius norm if they are lines; else the eighth root of that of (G'G)^4, which is at most d^(1/16) larger.
    """
    size = _root(_square(G)).upper()
    if G.nrows() == 2 or not size > 0:
        return size
    S = (G / size).transpose() * (G / size)
    for _ in range(2):
        S = S * S
    found = _root(_square(S))
    for _ in range(3):
        found = _root(found)
    return (size * found).upper()


def _rounded(X: TokenBalls) -> tuple[TokenBalls, list[arb]]:
    """Midpoints of unit vectors, and angles within which the vectors lie of the directions of their midpoints.

    If |x - c| <= e and |x| = 1 then |x - c/|c|| <= 2e, and an angle is at most pi/2 times its chord.
    """
    errors = [(4 * _root(sum((c.rad() * c.rad() for c in x.entries()), arb(0)))).upper() for x in X]
    return [x.mid() for x in X], errors


def _widened(places: TokenBalls, radii: list[arb]) -> TokenBalls:
    """Balls around all points within given angles of the directions of some midpoints."""
    return [
        arb_mat([[c + arb(0, radius)] for c in _unit(x).entries()]) for x, radius in zip(places, radii, strict=True)
    ]


def _unit(x: arb_mat) -> arb_mat:
    return x / _root(_square(x))


def _tangent(x: arb_mat, M: arb_mat) -> arb_mat:
    """P_x M = M - x x'M."""
    return M - x * (x.transpose() * M)


def _inner(x: arb_mat, y: arb_mat) -> arb:
    return (x.transpose() * y)[0, 0]


def _square(M: arb_mat) -> arb:
    """The sum of the squares of the entries, >= 0."""
    return sum((c * c for c in M.entries()), arb(0)).nonnegative_part()


def _root(x: arb) -> arb:
    """A ball around the square roots of the nonnegative numbers of a ball."""
    if x > 0:
        return x.sqrt()
    low, high = (_ball(max(end, Fraction(0))).sqrt() for end in ends(x))
    return low.union(high)


def _ball(x: Fraction) -> arb:
    return arb(rational(x))


def _as_balls(rows: TokenBalls, bits: int) -> tuple[tuple[Ball, ...], ...]:
    return tuple(tuple(Ball(c, bits) for c in x.entries()) for x in rows)


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
