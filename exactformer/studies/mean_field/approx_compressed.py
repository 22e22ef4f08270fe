"""The compressed field on the circle and on the 2-sphere, in floats: merged sources, interpolated targets.

Sources are tokens merged in cells of width h with beta |B| h = `merge` (beta |B|/100)^(1/6), for which the proved error
of the sources (`MergedTokens.source_error`), of the order (beta h)^3/sqrt(beta), hardly depends on beta.
Targets are interpolated: m_beta is a smooth function on the sphere, and a cell with many tokens needs its values at
Chebyshev points only. The values at some tokens of every cell are computed as well; where they differ from the
interpolated ones the cell is cut into smaller ones. That error is measured, not proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import array_api_compat.numpy as xp
import numpy as np
from numpy.polynomial.chebyshev import chebvander

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.studies.mean_field.approx_cells import Groups, MergedTokens, Places, applied
from exactformer.studies.mean_field.approx_softmax import BLOCK, Sources, approx_dense, approx_truncated

#: width of the cells of sources times 100, where beta |B| = 100; the difference at which cells of targets are cut
MERGE, TOLERANCE = 1.0, 1e-5
#: the last coefficient of a cell, over that difference, from which on it is cut, though no check differs
TAIL = 5.0
#: Chebyshev points along an axis, by dimension; parts of a face at first and at last
NODES, COARSEST, FINEST = {2: 8, 3: 6}, 4, 1 << 26
#: pairs from which on sources far away are left out
MANY = 4 * BLOCK


@dataclass(frozen=True)
class CompressedField:
    """m_beta of the measure of some tokens (n, d), d = 2 or 3: call it at points of the sphere."""

    tokens: Array
    B: Array
    beta: float
    merge: float = MERGE
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        if self.tokens.shape[1] not in NODES:
            raise InvalidInput(
                f"method compressed: expected dimension 2 or 3, got {self.tokens.shape[1]}; take method truncated"
            )

    @cached_property
    def places(self) -> Places:
        """Where the tokens lie."""
        return Places.of(self.tokens)

    @cached_property
    def merged(self) -> MergedTokens:
        """The tokens merged in cells, larger ones where small ones save nothing, or none at all, without error."""
        largest = self.beta * float(np.linalg.norm(self.B, 2))
        finest = self.merge * (largest / 100) ** (1 / 6) / largest
        for width in (finest, 1.5 * finest):
            groups = self.places.cells(max(1, int(np.ceil(np.pi / 2 / width))))
            if 3 * len(groups.starts) <= 2 * len(self.tokens):
                return MergedTokens.of(self.tokens, groups)
        alone = np.arange(len(self.tokens))
        return MergedTokens.of(self.tokens, Groups(alone, alone, self.places.xi))

    @cached_property
    def _sources(self) -> Sources:
        return self.merged.sources(xp, self.beta * float(np.linalg.norm(self.B, 2)))

    def at(self, points: Array) -> Array:
        """m_beta at points, each computed by itself over the merged sources."""
        w = self.beta * (points @ self.B)
        many = len(w) * len(self.merged) > MANY
        rows = np.asarray((approx_truncated if many else approx_dense)(self._sources, self.merged.targets(w)))
        return rows[:, : w.shape[1]] + applied(rows[:, w.shape[1] :], w)

    def source_error(self, points: Array) -> Array:
        """The proved error of the merged sources at points."""
        return self.merged.source_error(self.beta * (points @ self.B))

    def __call__(self) -> Array:
        """m_beta at all tokens, by interpolation."""
        return approx_interpolated(self.at, self.tokens, self.places, self.tolerance)


def approx_interpolated(function: Callable[[Array], Array], points: Array, places: Places, tolerance: float) -> Array:
    """A smooth function on the sphere at many points: exact where few lie together, else from Chebyshev points.

    >>> points = np.column_stack([np.cos(t := np.linspace(0, 6, 1000)), np.sin(t)])
    >>> found = approx_interpolated(lambda x: x**3, points, Places.of(points), 1e-9)
    >>> bool(np.abs(found - points**3).max() < 1e-8)
    True
    """
    out = np.empty_like(points)
    nodes = NODES[points.shape[1]]
    todo, count = np.arange(len(points)), COARSEST
    while len(todo):
        groups = places.take(todo).cells(count)
        few = groups.sizes <= nodes ** (points.shape[1] - 1)
        rows = todo[groups.order]
        if few.any():
            alone = rows[np.repeat(few, groups.sizes)]
            out[alone] = function(points[alone])
        leaves = _Leaves.of(places, todo, groups, ~few, count, nodes)
        good = leaves.interpolate(function, points, out, tolerance if count < FINEST else np.inf)
        todo, count = leaves.rows[np.repeat(~good, leaves.sizes)], 2 * count
    return out


@dataclass(frozen=True)
class _Leaves:
    """Cells of targets with many tokens: their rows cell by cell, sizes, faces, corners, the parts of a face."""

    places: Places
    rows: Array
    sizes: Array
    face: Array
    corner: Array
    count: int
    nodes: int

    @classmethod
    def of(cls, places: Places, todo: Array, groups: Groups, chosen: Array, count: int, nodes: int) -> _Leaves:
        rows = todo[groups.order][np.repeat(chosen, groups.sizes)]
        face = places.face[todo[groups.first[chosen]]]
        return cls(places, rows, groups.sizes[chosen], face, groups.corner[chosen], count, nodes)

    def interpolate(self, function: Callable[[Array], Array], points: Array, out: Array, tolerance: float) -> Array:
        """Writes the interpolated values of the cells whose checks agree with them, and says which those are."""
        if not len(self.sizes):
            return np.zeros(0, dtype=bool)
        ends = np.cumsum(self.sizes)
        starts = ends - self.sizes
        checks, grid = self.rows[np.stack([starts, (starts + ends) // 2, ends - 1], axis=1)], self._grid()
        values = function(np.concatenate([grid, points[checks.ravel()]]))
        nodal, true = values[: len(grid)], values[len(grid) :].reshape(*checks.shape, -1)
        coefficients = _to_coefficients(nodal.reshape(len(ends), -1, nodal.shape[1]), self.nodes)
        cells = np.arange(len(ends))
        basis = self._basis(checks.ravel(), np.repeat(cells, checks.shape[1])).reshape(*checks.shape, -1)
        off = np.abs(basis @ coefficients - true).max(axis=(1, 2))
        good = (off <= tolerance) & (_tail(coefficients, self.nodes) <= TAIL * tolerance)
        for cell in cells[good]:
            rows = self.rows[starts[cell] : ends[cell]]
            out[rows] = self._basis(rows, cell) @ coefficients[cell]
        return np.asarray(good)

    def _basis(self, rows: Array, cells: Array) -> Array:
        """The products of Chebyshev's polynomials at tokens of cells, a row per token."""
        local = (self.places.xi[rows] + 1) * self.count - 2 * self.corner[cells] - 1
        out = np.ones((len(rows), 1))
        for column in local.T:
            out = (out[:, :, None] * chebvander(column, self.nodes - 1)[:, None, :]).reshape(len(rows), -1)
        return out

    def _grid(self) -> Array:
        """The points of the sphere at which values are needed, cell by cell."""
        axes = self.corner.shape[1]
        inner = np.stack(np.meshgrid(*[_chebyshev(self.nodes)] * axes, indexing="ij"), axis=-1).reshape(-1, axes)
        xi = (2 * self.corner[:, None] + 1 + inner) / self.count - 1
        return Places(np.repeat(self.face, len(inner)), xi.reshape(-1, axes)).points()


def _chebyshev(count: int) -> Array:
    return np.cos(np.pi * (np.arange(count) + 0.5) / count)


def _tail(coefficients: Array, nodes: int) -> Array:
    """The largest coefficient of highest degree in some axis, cell by cell: what a smooth function hardly has."""
    axes = round(np.log(coefficients.shape[1]) / np.log(nodes))
    last = (np.indices((nodes,) * axes) == nodes - 1).any(axis=0).ravel()
    return np.asarray(np.abs(coefficients[:, last]).max(axis=(1, 2)))


def _to_coefficients(nodal: Array, nodes: int) -> Array:
    """Values (cells, nodes**axes, d) at the products of Chebyshev points as coefficients of products of polynomials."""
    inverse = np.linalg.inv(chebvander(_chebyshev(nodes), nodes - 1))
    matrix = np.ones((1, 1))
    while len(matrix) < nodal.shape[1]:
        matrix = np.kron(matrix, inverse)
    return np.asarray(matrix @ nodal)
