"""Rigorous rollouts: balls around the orbit of a network that starts at exact rows.

Plain ball arithmetic loses about eight bits a step, since it forgets how the errors of a window hang together.
Here the window is c + Q s with a midpoint c, a matrix Q and |s_i| <= r_i (Lohner's scheme): one step maps it
into F(c) + J Q s with the Jacobian J over the whole set (mean value theorem), and Q is turned along, so that r
grows as the network stretches, not faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from exactformer.arithmetic.ball import dyadic
from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput, Undecided
from exactformer.studies.time_delay.network import DelayNetwork

#: bits of precision unless the caller says otherwise, and the radius past which an enclosure says nothing
BITS, WIDEST = 128, 1.0


@dataclass(frozen=True)
class RowBox:
    """One row of a rollout: lower and upper ends of every coordinate, in the units of the series."""

    low: tuple[Fraction, ...]
    high: tuple[Fraction, ...]

    @property
    def radius(self) -> Fraction:
        """Half the widest side."""
        return max(h - l for l, h in zip(self.low, self.high, strict=True)) / 2

    def contains(self, row: Array) -> bool:
        """Whether a row of floats lies in it."""
        return all(l <= Fraction(float(x)) <= h for l, x, h in zip(self.low, row, self.high, strict=True))


def _ball(x: float | Fraction) -> arb:
    f = Fraction(x)
    return arb(fmpq(f.numerator, f.denominator))


def _matrix(array: Array) -> arb_mat:
    return arb_mat([[_ball(x) for x in row] for row in array.tolist()])


def _column(values: list[arb]) -> arb_mat:
    return arb_mat([[v] for v in values])


class BallNetwork:
    """The formula of a network and its Jacobian in balls of the present precision."""

    def __init__(self, network: DelayNetwork) -> None:
        w, self.m, self.d = network.weights, network.window, network.dim
        self.block, self.kind = network.encoding == "block", network.activation
        self.E = [_matrix(w["E"][j if self.block else 0]) for j in range(self.m)]
        self.p = [_matrix(row[:, None]) for row in w["p"]]
        self.A = [_matrix(a) for a in w["A"]]
        self.WQ, self.WK, self.WV, self.L = (_matrix(w[name]) for name in ("WQ", "WK", "WV", "L"))
        self.W1, self.W2 = _matrix(w["W1"]), _matrix(w["W2"])
        self.b1, self.b2 = _matrix(w["b1"][:, None]), _matrix(w["b2"][:, None])

    def step(self, window: list[arb_mat], *, jacobian: bool) -> tuple[arb_mat, list[arb_mat]]:
        """z+ for a window of columns, and dz+/dz_j for every j."""
        x = [E * z + p for E, z, p in zip(self.E, window, self.p, strict=True)]
        query = self.WQ * x[-1]
        r = self.WK.transpose() * query
        a = _softmax([(r.transpose() * xj)[0, 0] for xj in x])
        mixed = _sum(xj * aj for xj, aj in zip(x, a, strict=True))
        u = mixed * arb(self.m) if self.block else x[-1] + self.WV * mixed
        y = self.W1 * u + self.b1
        units = [_activation(y[i, 0], self.kind) for i in range(y.nrows())]
        linear = _sum(A * z for A, z in zip(self.A, window, strict=True))
        value = window[-1] + linear + self.L * u + self.W2 * _column([v for v, _ in units]) + self.b2
        return value, self._jacobian(x, r, a, mixed, [s for _, s in units]) if jacobian else []

    def _jacobian(self, x: list[arb_mat], r: arb_mat, a: list[arb], mixed: arb_mat, slopes: list[arb]) -> list[arb_mat]:
        """dz+/dz_j = [j newest] + A_j + G (dmixed/dx_j) E_j, G from the last layer; see the page of the docs."""
        scaled = arb_mat([[self.W1[i, k] * slopes[i] for k in range(self.W1.ncols())] for i in range(len(slopes))])
        out = self.L + self.W2 * scaled
        G = out * arb(self.m) if self.block else out * self.WV
        parts = []
        for xj, aj, E, A in zip(x, a, self.E, self.A, strict=True):
            parts.append(A + (G * E + (G * (xj - mixed)) * (r.transpose() * E)) * aj)
        spread = _sum(((xj - mixed) * xj.transpose()) * aj for xj, aj in zip(x, a, strict=True))
        last = G * (spread * (self.WK.transpose() * (self.WQ * self.E[-1])))
        parts[-1] = parts[-1] + last + _matrix(np.eye(self.d))
        if not self.block:
            parts[-1] = parts[-1] + out * self.E[-1]
        return parts


def _sum(parts: Iterator[arb_mat]) -> arb_mat:
    total = next(parts)
    for part in parts:
        total = total + part
    return total


def _softmax(logits: list[arb]) -> list[arb]:
    top = arb(max(float(l.mid()) for l in logits))
    powers = [(l - top).exp() for l in logits]
    total = sum(powers, arb(0))
    return [power / total for power in powers]


def _activation(y: arb, kind: str) -> tuple[arb, arb]:
    """The activation and its derivative (for relu across zero: every slope between)."""
    if kind == "relu":
        if y > 0:
            return y, arb(1)
        return (arb(0), arb(0)) if y < 0 else (y.max(arb(0)), arb(0.5, 0.5))
    share = (1 + (y / arb(2).sqrt()).erf()) / 2
    return y * share, share + y * (-y * y / 2).exp() / (2 * arb.pi()).sqrt()


def enclose(
    network: DelayNetwork,
    start: list[tuple[Fraction, ...]],
    steps: int,
    *,
    bits: int = BITS,
    progress: Callable[[int], None] = lambda done: None,
) -> list[RowBox]:
    """Enclosures of the next `steps` rows after `start`, its last m rows, of exactly this network.

    Raises Undecided where an enclosure becomes wider than one standard deviation: more bits go further.
    """
    if len(start) < network.window:
        raise InvalidInput(f"expected at least {network.window} rows to start from, got {len(start)}")
    found = []
    with ctx.workprec(bits):
        orbit = _Orbit(network, start[-network.window :])
        for k in range(steps):
            found.append(orbit.advance())
            progress(k + 1)
            if not orbit.width < WIDEST:
                raise Undecided(f"after {k + 1} steps the enclosure at {bits} bits is too wide; raise `bits`")
    return found


class _Orbit:
    """The window c + Q s, |s_i| <= r_i, of a rollout."""

    def __init__(self, network: DelayNetwork, start: list[tuple[Fraction, ...]]) -> None:
        self.network, self.balls = network, BallNetwork(network)
        self.mean, self.scale = [_ball(x) for x in network.mean], [_ball(x) for x in network.scale]
        n = network.window * network.dim
        exact = [
            (x - Fraction(mean)) / Fraction(scale)
            for row in start
            for x, mean, scale in zip(row, network.mean, network.scale, strict=True)
        ]
        balls = [_ball(x) for x in exact]
        self.centre = [arb(x.mid()) for x in balls]
        self.Q = _matrix(np.eye(n))
        self.r = [arb(x.rad()) for x in balls]
        self.width = 0.0

    def advance(self) -> RowBox:
        """One step on; the enclosure of the new row."""
        m, d = self.network.window, self.network.dim
        n = m * d
        spread = [sum((abs(self.Q[i, j]) * self.r[j] for j in range(n)), arb(0)).abs_upper() for i in range(n)]
        box = [arb(0, float(s) * (1 + 2**-40) + 2**-1000) for s in spread]
        window = [_column([self.centre[j * d + i] + box[j * d + i] for i in range(d)]) for j in range(m)]
        middle = [_column(self.centre[j * d : (j + 1) * d]) for j in range(m)]
        J = self.balls.step(window, jacobian=True)[1]
        value = self.balls.step(middle, jacobian=False)[0]
        new = [value[i, 0] for i in range(d)]
        self._turn(J, new)
        self.centre = self.centre[d:] + [arb(x.mid()) for x in new]
        return self._row()

    def _turn(self, J: list[arb_mat], new: list[arb]) -> None:
        """The new Q and r: M s + e with M the old Q shifted by one row and J Q below, e the rounding of the new row."""
        d, n = self.network.dim, self.Q.nrows()
        wide = arb_mat([[J[j][i, b] for j in range(len(J)) for b in range(d)] for i in range(d)]) * self.Q
        rows = [[self.Q[i, j] for j in range(n)] for i in range(d, n)] + [
            [wide[i, j] for j in range(n)] for i in range(d)
        ]
        M = arb_mat(rows)
        weights = np.array([float(x.abs_upper()) for x in self.r])
        middle = np.array([[float(x.mid()) for x in row] for row in rows])
        order = np.argsort(-np.linalg.norm(middle, axis=0) * (weights + 1e-300), kind="stable")
        turned = _matrix(np.linalg.qr(middle[:, order])[0])
        error = _column([arb(0)] * (n - d) + [x - arb(x.mid()) for x in new])
        moved, rounded = turned.solve(M), turned.solve(error)
        self.r = [
            (sum((abs(moved[i, j]) * self.r[j] for j in range(n)), arb(0)) + abs(rounded[i, 0])).abs_upper()
            for i in range(n)
        ]
        self.Q = turned

    def _row(self) -> RowBox:
        """The newest row of the window, in the units of the series."""
        d, n = self.network.dim, self.Q.nrows()
        low, high, widths = [], [], []
        for i in range(d):
            at = n - d + i
            reach = sum((abs(self.Q[at, j]) * self.r[j] for j in range(n)), arb(0)).abs_upper()
            widths.append(float(reach))
            ends = [self.mean[i] + self.scale[i] * (self.centre[at] + sign * reach) for sign in (-1, 1)]
            low.append(min(map(_lower, ends)))
            high.append(max(map(_upper, ends)))
        self.width = max(widths)
        return RowBox(tuple(low), tuple(high))


def _lower(x: arb) -> Fraction:
    return _dyadic(x.lower())


def _upper(x: arb) -> Fraction:
    return _dyadic(x.upper())


def _dyadic(x: arb) -> Fraction:
    """The exact value of a ball of radius zero."""
    if not x.is_exact():
        raise Undecided("an end of an enclosure is no number: the enclosure is too wide; raise `bits`")
    return dyadic(x)
