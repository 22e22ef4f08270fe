"""Series to try models on: tones (exact), and Lorenz, a pitching aerofoil and reaction-diffusion (floats)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.time_delay.series import Series

#: (cosine, sine) of frequencies whose tones are rational
PYTHAGOREAN = tuple(
    (Fraction(a, c), Fraction(b, c)) for a, b, c in ((4, 3, 5), (12, 5, 13), (15, 8, 17), (24, 7, 25), (35, 12, 37))
)


def tones(count: int, rows: int, amplitudes: Sequence[tuple[Fraction, Fraction]] | None = None) -> Series:
    """The sum of `count` tones at Pythagorean frequencies, exact: the order of its recurrence is 2*count.

    >>> tones(1, 3).rows()
    [(Fraction(1, 1),), (Fraction(4, 5),), (Fraction(7, 25),)]
    """
    given = amplitudes or [(Fraction(1), Fraction(k, 3)) for k in range(count)]
    values = [Fraction(0)] * rows
    for (c, s), (x, y) in zip(PYTHAGOREAN[:count], given, strict=False):
        for k in range(rows):
            values[k] += x
            x, y = c * x - s * y, s * x + c * y
    return Series.of([[v] for v in values])


def approx_two_tones(rows: int = 1200) -> Array:
    """sin .2t + sin(.2 sqrt2 t + .3)/2."""
    t = np.arange(rows)
    return np.column_stack([np.sin(0.2 * t) + 0.5 * np.sin(0.2 * np.sqrt(2) * t + 0.3)])


def approx_lorenz(rows: int = 9000, step: float = 0.02) -> Array:
    """Lorenz '63 after a transient, by Runge-Kutta with five substeps."""

    def flow(z: Array) -> Array:
        return np.array([10 * (z[1] - z[0]), z[0] * (28 - z[2]) - z[1], z[0] * z[1] - 8 / 3 * z[2]])

    z, out, skip = np.ones(3), np.empty((rows, 3)), 1000
    for k in range(rows + skip):
        if k >= skip:
            out[k - skip] = z
        for _ in range(5):
            z = _runge_kutta(flow, z, step / 5)
    return out


def _runge_kutta(flow: Callable[[Array], Array], z: Array, h: float) -> Array:
    a = flow(z)
    b = flow(z + h / 2 * a)
    c = flow(z + h / 2 * b)
    return np.asarray(z + h / 6 * (a + 2 * b + 2 * c + flow(z + h * c)))


def approx_pitching(rows: int = 1200, step: float = 0.05, seed: int = 0) -> Array:
    """(angle, lift) of a pitching aerofoil: the angle is given, the lift lags behind a curve that stalls.

    c' = (s(angle) - c)/tau + angle'/4 with s the static lift 2 pi angle below 0.2, flattening above: a model with the
    memory and the hysteresis of dynamic stall, not a measurement.
    """
    rng = np.random.default_rng(seed)
    t = np.arange(rows) * step
    phases = rng.uniform(0, 2 * np.pi, 3)
    angle = (
        0.15 + 0.12 * np.sin(t + phases[0]) + 0.05 * np.sin(0.37 * t + phases[1]) + 0.03 * np.sin(2.3 * t + phases[2])
    )
    lift, out = 0.0, np.empty(rows)
    for k in range(rows):
        out[k] = lift
        speed = (angle[min(k + 1, rows - 1)] - angle[k]) / step
        static = 2 * np.pi * 0.2 * np.tanh(angle[k] / 0.2) - 2.0 * max(0.0, angle[k] - 0.2)
        tau = 0.6 if speed > 0 else 1.2
        lift += step * ((static - lift) / tau + speed / 4)
    return np.column_stack([angle, out])


def approx_reaction_diffusion(rows: int = 600, modes: int = 4, cells: int = 48, step: float = 0.2) -> Array:
    """The first POD coefficients of a lambda-omega spiral on a periodic square; modes of the first 60 % of the rows."""
    states = _spiral(rows, cells, step)
    first = int(0.6 * rows)
    mean = states[:first].mean(axis=0)
    basis = np.linalg.svd(states[:first] - mean, full_matrices=False)[2][:modes]
    return np.asarray((states - mean) @ basis.T)


def _spiral(rows: int, cells: int, step: float, length: float = 20.0, substeps: int = 4) -> Array:
    x = np.linspace(-length / 2, length / 2, cells, endpoint=False)
    X, Y = np.meshgrid(x, x)
    r, angle, spacing = np.hypot(X, Y), np.arctan2(Y, X), length / cells
    z = np.stack([np.tanh(r) * np.cos(angle - r), np.tanh(r) * np.sin(angle - r)])

    def flow(w: Array) -> Array:
        u, v = w
        around = sum(np.roll(w, shift, axis) for shift in (1, -1) for axis in (1, 2)) - 4 * w
        size = u * u + v * v
        return np.asarray(0.1 * around / spacing**2 + np.stack([(1 - size) * u + size * v, (1 - size) * v - size * u]))

    out = np.empty((rows, 2 * cells * cells))
    for k in range(rows):
        out[k] = z.ravel()
        for _ in range(substeps):
            z = _runge_kutta(flow, z, step / substeps)
    return out


def sample_rows(system: str, rows: int, *, count: int = 2, seed: int = 0) -> list[tuple[Fraction | float, ...]]:
    """The rows of a named series, exact numbers or floats.

    >>> sample_rows("fibonacci", 5)
    [(Fraction(1, 1),), (Fraction(1, 1),), (Fraction(2, 1),), (Fraction(3, 1),), (Fraction(5, 1),)]
    """
    if system == "tones":
        return list(tones(count, rows).rows())
    if system == "fibonacci":
        pair, numbers = (1, 1), []
        for _ in range(rows):
            numbers.append((Fraction(pair[0]),))
            pair = (pair[1], pair[0] + pair[1])
        return list(numbers)
    makers: dict[str, Callable[[], Array]] = {
        "two-tones": lambda: approx_two_tones(rows),
        "lorenz": lambda: approx_lorenz(rows),
        "pitching": lambda: approx_pitching(rows, seed=seed),
        "reaction-diffusion": lambda: approx_reaction_diffusion(rows),
    }
    return [tuple(row) for row in makers[system]().tolist()]
