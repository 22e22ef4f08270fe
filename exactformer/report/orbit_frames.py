"""An orbit made ready for drawing: points of the plane, layer by layer, and the style of every token."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.dynamics.orbit import Orbit
from exactformer.errors import InvalidInput
from exactformer.report.palette import Style, follower_style, leader_style

Sets = Sequence[Sequence[int]]

#: the largest coordinate of a picture
LARGEST = 1e100


@dataclass(frozen=True)
class Plane:
    """A linear map of R^d to the plane, for pictures only, with its description in words."""

    matrix: Array
    words: str

    @classmethod
    def of(cls, points: Array, axes: tuple[int, ...] | None = None) -> Plane:
        """The map for points of dimension d: itself, two chosen coordinates (exact), or the principal axes.

        >>> Plane.of(np.eye(3), axes=(0, 2)).words
        'coordinates 0 and 2 of 3 (an exact projection)'
        """
        points, dim = drawable(points), points.shape[1]
        if axes is not None:
            return cls._coordinates(tuple(axes), dim)
        if dim <= 2:
            return cls(np.eye(dim, 2), "")
        return cls(principal_axes(points, 2), f"principal projection from dimension {dim} (rounded)")

    @classmethod
    def along(cls, ends: Array, points: Array) -> Plane:
        """The map for d > 2 that lays the ends out horizontally, and the rest of the points vertically.

        >>> Plane.along(np.array([[0, 0, 0], [0, 0, 3]]), np.array([[0, 2, 5], [0, -2, 1]])).matrix.T.tolist()
        [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
        """
        across = principal_axes(drawable(ends), 1)
        up = principal_axes(drawable(points) @ (np.eye(len(across)) - across @ across.T), 1)
        words = f"projected from dimension {len(across)} (rounded), targets along the horizontal"
        return cls(np.round(np.hstack([across, up]), 12) + 0.0, words)

    @classmethod
    def _coordinates(cls, axes: tuple[int, ...], dim: int) -> Plane:
        if len(axes) != 2 or axes[0] == axes[1] or not all(0 <= axis < dim for axis in axes):
            raise InvalidInput(f"axes: expected two different coordinates from 0..{dim - 1}, got {axes}")
        words = "" if dim == 2 else f"coordinates {axes[0]} and {axes[1]} of {dim} (an exact projection)"
        return cls(np.eye(dim)[:, list(axes)], words)

    def __call__(self, state: State) -> Array:
        return np.asarray(drawable(state.floats()) @ self.matrix)


def principal_axes(points: Array, count: int) -> Array:
    """The first principal axes of points, as columns; each points towards its largest coordinate."""
    _, _, directions = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    directions = np.vstack([directions, np.zeros((count, points.shape[1]))])[:count]
    signs = np.where(directions[np.arange(count), np.abs(directions).argmax(axis=1)] < 0, -1.0, 1.0)
    return np.asarray((directions * signs[:, None]).T)


def drawable(floats: Array) -> Array:
    """The floats, cut off where they are too large to draw."""
    return np.clip(floats, -LARGEST, LARGEST)


def ranks_of(leads_from: dict[int, int]) -> dict[int, int]:
    """Leader -> rank, by the layer at which it begins to lead, then by index: the same colour in every picture."""
    order = sorted(leads_from, key=lambda i: (leads_from[i], i))
    return {i: rank for rank, i in enumerate(order)}


@dataclass(frozen=True)
class OrbitFrames:
    """Layers of n tokens in the plane: their points, whom they follow, and from which layer on they lead.

    Frame k shows the layer `layers[k]`; leaders are ranked by the layer at which they begin to lead.
    """

    layers: list[int]
    points: list[Array]
    follows: list[Sets]
    leads_from: dict[int, int]
    words: str = ""
    ranks: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranks", ranks_of(self.leads_from))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def is_line(self) -> bool:
        """Whether all tokens lie on the first axis in every frame, as those of dimension 1 do."""
        return not any(points[:, 1].any() for points in self.points)

    def leads(self, token: int, frame: int) -> bool:
        """Whether the token is a leader in this frame."""
        return token in self.leads_from and self.leads_from[token] <= self.layers[frame]

    def leaders(self, frame: int) -> list[int]:
        """The leaders of a frame."""
        return [i for i in self.ranks if self.leads(i, frame)]

    def style(self, token: int, frame: int) -> Style:
        """A star for a leader; a follower has the shape and colours of whom it follows."""
        if self.leads(token, frame):
            return leader_style(self.ranks[token])
        return follower_style(self.ranks.get(j) for j in self.follows[frame][token])

    def polytope(self, frame: int) -> Array:
        """The corners of the leaders' hull in the plane, counter-clockwise (of the picture, rounded)."""
        leaders = self.leaders(frame)
        return planar_hull(self.points[frame][leaders]) if leaders else np.empty((0, 2))


def orbit_frames(
    orbit: Orbit, *, layers: Iterable[int] | None = None, axes: tuple[int, ...] | None = None
) -> OrbitFrames:
    """The frames of some layers of an orbit (of all); more than two dimensions are projected, which `words` says."""
    chosen = list(range(orbit.layers + 1) if layers is None else layers)
    plane = Plane.of(orbit.tokens(0).floats(), axes)
    points = [plane(orbit.tokens(k)) for k in chosen]
    return OrbitFrames(chosen, points, [orbit.follows(k) for k in chosen], orbit.leads_from, plane.words)


_Corner = tuple[float, ...]


def planar_hull(points: Array) -> Array:
    """The corners of the convex hull of rounded points of the plane, counter-clockwise (for pictures).

    >>> planar_hull(np.array([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2]])).tolist()
    [[0, 0], [2, 0], [2, 2], [0, 2]]
    """
    ordered = sorted(map(tuple, np.asarray(points).tolist()))
    if len(ordered) < 3:
        return np.array(ordered).reshape(-1, 2)
    return np.array(_chain(ordered) + _chain(ordered[::-1]))


def _chain(ordered: list[_Corner]) -> list[_Corner]:
    chain: list[_Corner] = []
    for p in ordered:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0:
            chain.pop()
        chain.append(p)
    return chain[:-1]


def _turn(p: _Corner, q: _Corner, r: _Corner) -> float:
    return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))
