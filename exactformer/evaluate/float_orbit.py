"""The hardmax dynamics in floating point, as one would write it: for comparison and for pictures, never for proofs."""

from __future__ import annotations

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.evaluate.floats import Backend
from exactformer.io.untyped import ApiArray
from exactformer.model.tokens import Tokens

#: float tokens closer than this (relative to the largest coordinate) count as one cluster
CLUSTER_TOLERANCE = 1e-6
#: layers after which the float orbit is taken to stand where it will end
FLOAT_LAYERS = 3000


class ApproxOrbit:
    """The dynamics in floats, one layer at a time: a tie is a tie of rounded scores."""

    def __init__(self, tokens: Tokens, backend: Backend) -> None:
        self.xp = backend.xp
        self.backend = backend
        self.z = backend.array(tokens.state.floats())
        self.A = backend.array(State.of(tokens.A).floats())
        self.share = float(tokens.alpha / (1 + tokens.alpha))
        self._leaders: set[int] = set()
        self._layer = 0

    def _chosen(self) -> ApiArray:
        with np.errstate(all="ignore"):  # an overflow is a departure to report, not a warning
            scores = self.xp.matmul(
                self.xp.matmul(self.z, self.xp.matrix_transpose(self.A)), self.xp.matrix_transpose(self.z)
            )
        return scores == self.xp.max(scores, axis=-1, keepdims=True)

    def follows(self) -> list[tuple[int, ...]]:
        """The float follower sets of the present layer; they make leaders."""
        sets = [tuple(np.flatnonzero(row).tolist()) for row in np.asarray(self._chosen())]
        self._leaders |= {i for i, c in enumerate(sets) if c == (i,)}
        return sets

    def advance(self) -> None:
        """One layer on."""
        weights = self.xp.astype(self._chosen(), self.backend.dtype)
        with np.errstate(all="ignore"):
            means = self.xp.matmul(weights, self.z) / self.xp.sum(weights, axis=-1, keepdims=True)
            self.z = self.z + self.share * (means - self.z)
        self._layer += 1

    @property
    def leaders(self) -> tuple[int, ...]:
        """The tokens with C_i = {i}, in floats, at some layer looked at."""
        return tuple(sorted(self._leaders))

    @property
    def points(self) -> Array:
        """The tokens of the present layer, n-by-d."""
        return np.array(self.z, dtype=np.float64)

    def deviation(self, exact: State) -> float:
        """The largest coordinate error against the exact tokens of the present layer."""
        with np.errstate(all="ignore"):  # the difference of two infinities is one to report
            errors = np.abs(self.points - exact.floats())
        return float(errors.max()) if np.isfinite(errors).all() else float("inf")

    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """The clusters the floats run into: groups of tokens within the tolerance after many layers."""
        for _ in range(max(0, FLOAT_LAYERS - self._layer)):
            before = self.z
            self.advance()
            if bool(self.xp.all(before == self.z)):
                break
        return _groups(self.points)


def _groups(points: Array) -> tuple[tuple[int, ...], ...]:
    reach = CLUSTER_TOLERANCE * max(1e-300, float(np.abs(points).max()))
    groups: list[list[int]] = []
    for i, p in enumerate(points):
        home = next((g for g in groups if np.abs(points[g[0]] - p).max() <= reach), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    return tuple(tuple(g) for g in groups)
