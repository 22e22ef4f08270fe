"""Densities on the sphere, written in a small grammar, and tokens placed by them, in floats.

A density is an expression in the coordinates x1, x2, .. and, on the circle, in the angle th; its total mass is brought
to one. Tokens stand at quantiles on the circle, at quasi-random points on the 2-sphere, and are drawn independently in
higher dimensions or where a seed asks for it: N independent tokens miss the mass of a half sphere by about N^(-1/2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from exactformer.arithmetic.grammar import Expression, Vocabulary, parse
from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput

#: one-place functions of the grammar
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "abs": np.abs,
    "step": lambda x: (x > 0).astype(float),
}
#: points at which a density on the circle is looked at, and rows and columns of those on the 2-sphere
CIRCLE, ROWS, COLUMNS = 1 << 18, 512, 1024
#: points drawn at once in higher dimensions, and draws after which a density is too concentrated for them
DRAWN, MOST = 1 << 16, 1 << 26
#: the irrational part of a turn from one quasi-random point to the next
GOLDEN = (np.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Density:
    """rho >= 0 on the sphere of R^d, not normalised.

    >>> Density("1+cos(th-1)/2", 2)(np.array([[1.0, 0.0]])).round(4).tolist()
    [1.2702]
    """

    text: str
    dim: int

    def __post_init__(self) -> None:
        self._tree  # noqa: B018  a text that is no density is refused here

    @classmethod
    def generic(cls, dim: int) -> Density:
        """1 + <n, x>/2 with a unit vector n in general position: symmetric under no reflection of the coordinates.

        >>> Density.generic(2).text
        '1+cos(th-1)/2'
        """
        if dim == 2:
            return cls("1+cos(th-1)/2", 2)
        terms = "+".join(f"x{i}/{i}" for i in range(1, dim + 1))
        return cls(f"1+({terms})/(2*sqrt({'+'.join(f'1/{i**2}' for i in range(1, dim + 1))}))", dim)

    @cached_property
    def _tree(self) -> Expression:
        names = (*(("th",) if self.dim == 2 else ()), *(f"x{i}" for i in range(1, self.dim + 1)), "pi")
        words = "expected a density such as 1, 1+x1/2 or exp(3*x2)" + (", 1+cos(th-1)/2" if self.dim == 2 else "")
        return parse(self.text, "`density`", Vocabulary(tuple(FUNCTIONS), names, words))

    def __call__(self, points: Array) -> Array:
        """The values at points (n, d); refused where one is negative or no number."""
        known = {f"x{i + 1}": column for i, column in enumerate(points.T)} | {"pi": np.full(len(points), np.pi)}
        if self.dim == 2:
            known["th"] = np.arctan2(points[:, 1], points[:, 0]) % (2 * np.pi)
        with np.errstate(all="ignore"):
            values = _evaluated(self._tree, known, len(points))
        bad = ~((values >= 0) & (values < np.inf))
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            where = ", ".join(f"{x:.4g}" for x in points[i])
            raise InvalidInput(
                f"`density`: expected finite values >= 0 on the sphere, got {values[i]:.4g} at ({where}) from "
                f"{self.text!r:.60}; add a constant, or take abs or exp"
            )
        return values

    def tokens(self, count: int, seed: int | None = None) -> Array:
        """So many tokens (n, d): quantiles or quasi-random points without a seed, independent ones with it.

        >>> Density("1", 2).tokens(2).round(6).tolist()
        [[0.0, 1.0], [-0.0, -1.0]]
        """
        rng = np.random.default_rng(0 if seed is None else seed)
        if self.dim > 3:
            return self._drawn(count, rng)
        if seed is None:
            levels = np.column_stack([(np.arange(count) + 0.5) / count, ((np.arange(count) + 0.5) * GOLDEN) % 1])
        else:
            levels = rng.random((count, 2))
        return self._on_circle(levels[:, 0]) if self.dim == 2 else self._on_sphere(levels)

    def _on_circle(self, levels: Array) -> Array:
        grid = (np.arange(CIRCLE) + 0.5) * (2 * np.pi / CIRCLE)
        mass = np.append(0.0, np.cumsum(self(np.column_stack([np.cos(grid), np.sin(grid)]))))
        self._verify_mass(float(mass[-1]))
        angles = np.interp(levels * mass[-1], mass, np.arange(CIRCLE + 1) * (2 * np.pi / CIRCLE))
        return np.column_stack([np.cos(angles), np.sin(angles)])

    def _on_sphere(self, levels: Array) -> Array:
        """Height by the quantiles of its own law, longitude by those of the law at that height."""
        z = (np.arange(ROWS) + 0.5) * (2 / ROWS) - 1
        turn = (np.arange(COLUMNS) + 0.5) * (2 * np.pi / COLUMNS)
        around = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        flat = np.sqrt(1 - z**2)[:, None, None] * around
        points = np.concatenate([flat, np.broadcast_to(z[:, None, None], (ROWS, COLUMNS, 1))], axis=2)
        mass = self(points.reshape(-1, 3)).reshape(ROWS, COLUMNS)
        heights = np.append(0.0, np.cumsum(mass.sum(axis=1)))
        self._verify_mass(float(heights[-1]))
        place = np.interp(levels[:, 0] * heights[-1], heights, np.arange(ROWS + 1.0))
        row = np.minimum(place.astype(int), ROWS - 1)
        along = np.cumsum(mass / mass.sum(axis=1, keepdims=True).clip(1e-300), axis=1) + np.arange(ROWS)[:, None]
        spot = np.interp(row + levels[:, 1], np.append(0.0, along.ravel()), np.arange(mass.size + 1.0))
        longitude = (spot - row * COLUMNS) * (2 * np.pi / COLUMNS)
        height = place * (2 / ROWS) - 1
        flat_ = np.sqrt(np.maximum(1 - height**2, 0))
        return np.column_stack([flat_ * np.cos(longitude), flat_ * np.sin(longitude), height])

    def _drawn(self, count: int, rng: np.random.Generator) -> Array:
        """Rejection from the uniform law; the largest value met so far bounds the density."""
        kept, levels, top, drawn = np.empty((0, self.dim)), np.empty(0), 0.0, 0
        while len(kept) < count:
            points = rng.normal(size=(DRAWN, self.dim))
            points /= np.sqrt((points**2).sum(axis=1, keepdims=True))
            values = self(points)
            higher = max(top, float(values.max()))
            stay = levels * higher <= top  # those kept under a smaller bound are thinned to the new one
            kept, levels = kept[stay], levels[stay] * (higher / top if top else 1.0)
            top, drawn = higher, drawn + DRAWN
            if drawn >= MOST:
                raise InvalidInput(
                    f"`density`: expected one that is not too concentrated to be drawn from, got {len(kept)} tokens "
                    f"out of {drawn} points from {self.text!r:.60}"
                )
            share = rng.random(DRAWN)
            chosen = share * top < values
            kept, levels = np.concatenate([kept, points[chosen]]), np.concatenate([levels, rng.random(chosen.sum())])
        return np.asarray(kept[:count])

    def _verify_mass(self, mass: float) -> None:
        if not 0 < mass < np.inf:
            raise InvalidInput(f"`density`: expected a positive total mass, got {mass:.4g} from {self.text!r:.60}")


def _evaluated(tree: Expression, known: dict[str, Array], count: int) -> Array:
    if tree.op == "number":
        return np.full(count, float(tree.value))
    if tree.op in known:
        return known[tree.op]
    parts = [_evaluated(part, known, count) for part in tree.args]
    if tree.op == "**":
        return np.asarray(parts[0] ** float(tree.value))
    if tree.op in FUNCTIONS:
        return np.asarray(FUNCTIONS[tree.op](parts[0]))
    left, right = parts
    return {"+": left + right, "-": left - right, "*": left * right}[tree.op] if tree.op != "/" else left / right
