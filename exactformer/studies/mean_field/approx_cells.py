"""Cells on the sphere, in floats: coordinates on the faces of a cube, tokens merged cell by cell with a proved error.

A point of the sphere lies on the face of its largest coordinate; the others, divided by it, are tan(pi xi/4) with xi in
[-1, 1]. On the circle xi is the angle from the middle of one of four arcs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.io.untyped import ApiArray
from exactformer.studies.mean_field.approx_softmax import Sources


@dataclass(frozen=True)
class Places:
    """Points of the sphere by face (n,) and coordinates xi (n, d-1)."""

    face: Array
    xi: Array

    @classmethod
    def of(cls, points: Array) -> Places:
        """Where points lie.

        >>> Places.of(np.array([[0.0, -1.0]]))
        Places(face=array([3]), xi=array([[0.]]))
        """
        n, d = points.shape
        rows = np.arange(n)
        axis = np.abs(points).argmax(axis=1)
        top = points[rows, axis]
        others = (axis[:, None] + np.arange(1, d)) % d
        xi = np.arctan(points[rows[:, None], others] / np.abs(top)[:, None]) * (4 / np.pi)
        return cls(2 * axis + (top < 0), xi)

    def points(self) -> Array:
        """The points (n, d) themselves."""
        n, d = len(self.face), self.xi.shape[1] + 1
        axis, rows = self.face // 2, np.arange(n)
        out = np.empty((n, d))
        out[rows[:, None], (axis[:, None] + np.arange(1, d)) % d] = np.tan(self.xi * (np.pi / 4))
        out[rows, axis] = np.where(self.face % 2, -1.0, 1.0)
        return np.asarray(out / np.sqrt((out**2).sum(axis=1, keepdims=True)))

    def take(self, rows: Array) -> Places:
        """The places of some of the points."""
        return Places(self.face[rows], self.xi[rows])

    def cells(self, count: int) -> Groups:
        """The points grouped by cells, every face cut into `count` parts along each of its axes."""
        parts = np.minimum(((self.xi + 1) * (count / 2)).astype(np.int64), count - 1)
        key = self.face.astype(np.int64)
        for column in parts.T:
            key = key * count + column
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        return Groups(order, starts, parts[order[starts]])


@dataclass(frozen=True)
class Groups:
    """Rows in order of their cells, where each cell starts, and its place on the face (cells, d-1)."""

    order: Array
    starts: Array
    corner: Array

    @property
    def sizes(self) -> Array:
        """How many points every cell holds."""
        return np.diff(self.starts, append=len(self.order))

    @property
    def first(self) -> Array:
        """A point of every cell."""
        return np.asarray(self.order[self.starts])


def _pairs(d: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(d) for j in range(i, d)]


def _products(rows: Array) -> Array:
    """The products x_i x_j with i <= j, a row each."""
    return np.stack([rows[:, i] * rows[:, j] for i, j in _pairs(rows.shape[1])], axis=1)


def applied(triangles: Array, w: Array) -> Array:
    """S w for symmetric matrices given by the upper triangles of their rows.

    >>> applied(np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 1.0]]))
    array([[3., 5.]])
    """
    d = w.shape[1]
    place = {pair: k for k, pair in enumerate(_pairs(d))}
    columns = [sum(triangles[:, place[min(i, j), max(i, j)]] * w[:, j] for j in range(d)) for i in range(d)]
    return np.stack(columns, axis=1)


@dataclass(frozen=True)
class MergedTokens:
    """Tokens merged into groups: how many, mean c, covariance S (its upper triangle), and the radius h around c."""

    sizes: Array
    means: Array
    covariances: Array
    radii: Array

    @classmethod
    def of(cls, points: Array, groups: Groups) -> MergedTokens:
        """The groups of points."""
        own, sizes = points[groups.order], groups.sizes
        means = np.add.reduceat(own, groups.starts, axis=0) / sizes[:, None]
        apart = own - np.repeat(means, sizes, axis=0)
        covariances = np.add.reduceat(_products(apart), groups.starts, axis=0) / sizes[:, None]
        radii = np.sqrt(np.maximum.reduceat((apart**2).sum(axis=1), groups.starts))
        return cls(sizes, means, covariances, radii)

    def __len__(self) -> int:
        return len(self.sizes)

    def sources(self, xp: ApiArray, longest: float) -> Sources:
        """Sources with log weight <w,c> + <w,Sw>/2 and mean c + S w, for targets w with |w| <= longest."""
        weights = self.sizes[:, None].astype(float)
        values = np.concatenate([weights, weights * self.means, weights * self.covariances], axis=1)
        features = np.concatenate([self.means, self.covariances], axis=1)
        excess = float((longest * self.radii).max()) ** 2 / 2
        return Sources(xp, xp.asarray(features), xp.asarray(values), float(weights.sum()), self.means.shape[1], excess)

    @staticmethod
    def targets(w: Array) -> Array:
        """What the features of the sources are multiplied by: (w, ww'/2), so that <w,c> + <w,Sw>/2 is the product."""
        d = w.shape[1]
        doubled = np.array([0.5 if i == j else 1.0 for i, j in _pairs(d)])
        return np.concatenate([w, _products(w) * doubled], axis=1)

    def source_error(self, w: Array) -> Array:
        """A bound, for every row w, of the distance of the merged mean from the mean over all tokens.

        In a group X = <w, y-c> has mean zero and |X| <= a = |w|h. K = log E e^X and <w,Sw>/2 both lie in [0, a^2/2],
        and differ by at most 2a^3/(9 sqrt 3), since third central moments on an interval of length l are at most
        l^3/(6 sqrt 3): the true weight is e^D times the computed one, |D| <= eps. The group's own mean is c + S w + r
        with |r| <= h min(a^2, 1+a). With g = c + S w and m~ the computed mean, sum p (g - m~) = 0, so that
        |m - m~| <= sum p [(e^eps - 1)|g - m~| + e^eps |r|] / sum p e^-eps.
        """
        out = np.empty(len(w))
        for i, row in enumerate(w):
            moved = self.means + applied(self.covariances, row[None])
            scores = self.means @ row + (moved - self.means) @ row / 2
            p = self.sizes * np.exp(scores - scores.max())
            p /= p.sum()
            a = np.sqrt(row @ row) * self.radii
            eps = np.minimum(2 * a**3 / (9 * np.sqrt(3)), a**2 / 2)
            rest = self.radii * np.minimum(a**2, 1 + a)
            away = np.sqrt(((moved - p @ moved) ** 2).sum(axis=1))
            with np.errstate(over="ignore", invalid="ignore"):
                wide = np.where(p > 0, p * (np.expm1(eps) * away + np.exp(eps) * rest), 0.0)
                out[i] = wide.sum() / (p @ np.exp(-eps))
        return np.where(np.isnan(out), np.inf, out)
