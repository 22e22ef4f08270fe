"""The hardmax dynamics in floats beside the exact orbit: first wrong follower set, wrong leaders, wrong clusters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.text import Exact
from exactformer.display.verbs import Listed
from exactformer.dynamics.follower_sets import Follows
from exactformer.dynamics.limits import limit
from exactformer.dynamics.orbit import Orbit, simulate
from exactformer.errors import ExactformerError
from exactformer.evaluate.float_orbit import ApproxOrbit
from exactformer.evaluate.floats import Backend
from exactformer.io.json_lines import JsonObject
from exactformer.model.tokens import Tokens


@dataclass(frozen=True, repr=False)
class DynamicsCheck(Listed):
    """Floats against exact arithmetic over `layers` layers.

    `first_difference` is the first layer with a different follower set, `tokens` those whose sets differ
    there, `margin` the least exact gap (best minus second-best score) among them; clusters are those of the
    limits: exact ones proved for all layers (None if undecided), float ones observed.
    """

    layers: int
    dtype: str
    first_difference: int | None
    tokens: tuple[int, ...]
    follows_exact: tuple[tuple[int, ...], ...]
    follows_float: tuple[tuple[int, ...], ...]
    margin: Exact | None
    leaders_exact: tuple[int, ...]
    leaders_float: tuple[int, ...]
    largest_deviation: float
    tolerance: float
    clusters_exact: tuple[tuple[int, ...], ...] | None
    clusters_float: tuple[tuple[int, ...], ...]

    @property
    def agrees(self) -> bool:
        """Whether floats chose the exact follower sets in every layer and stayed near the exact tokens."""
        return self.first_difference is None and self.largest_deviation <= self.tolerance

    def __bool__(self) -> bool:
        return self.agrees

    def __repr__(self) -> str:
        where = "agrees in" if self.first_difference is None else f"departs at layer {self.first_difference} of"
        return f"DynamicsCheck({self.dtype} {where} {self.layers} layers, off by {self.largest_deviation:.2g} at most)"

    def json(self) -> JsonObject:
        """The answer of `exactformer crosscheck --json`."""
        return {k: v for k, v in self.__dict__.items() if k != "largest_deviation"} | {
            "largest_deviation": repr(self.largest_deviation)
        }


def crosscheck_dynamics(tokens: Tokens, *, layers: int, backend: Backend | None = None) -> DynamicsCheck:
    """Runs the exact orbit and the float one side by side for `layers` layers."""
    chosen = backend or Backend.of()
    orbit = simulate(tokens, layers=layers, unchecked=True)
    floats = ApproxOrbit(tokens, chosen)
    first, wrong, approx = _first_difference(orbit, floats)
    exact = orbit.follows(first) if first is not None else []
    return DynamicsCheck(
        layers=layers,
        dtype=chosen.name,
        first_difference=first,
        tokens=wrong,
        follows_exact=tuple(exact[i] for i in wrong),
        follows_float=tuple(approx[i] for i in wrong),
        margin=_margin(orbit, first, wrong) if first is not None else None,
        leaders_exact=orbit.leaders,
        leaders_float=floats.leaders,
        largest_deviation=floats.deviation(orbit.final),
        tolerance=_tolerance(orbit, chosen.name),
        clusters_exact=_exact_clusters(tokens),
        clusters_float=floats.clusters(),
    )


def _first_difference(orbit: Orbit, floats: ApproxOrbit) -> tuple[int | None, tuple[int, ...], Follows]:
    """(layer, tokens, float follower sets) where the sets first differ; the floats run to the last layer."""
    first: int | None = None
    wrong: tuple[int, ...] = ()
    shown: Follows = []
    for layer in range(orbit.layers + 1):
        approx = floats.follows()
        if first is None:
            exact = orbit.follows(layer)
            wrong = tuple(i for i, (e, f) in enumerate(zip(exact, approx, strict=True)) if e != f)
            if wrong:
                first, shown = layer, approx
        if layer < orbit.layers:
            floats.advance()
    return first, wrong, shown


def _tolerance(orbit: Orbit, dtype: str) -> float:
    """How far rounding alone may carry a token: half the digits of the type, relative to the largest coordinate."""
    return float(np.sqrt(np.finfo(dtype).eps) * max(1.0, np.abs(orbit.tokens(0).floats()).max()))


def _exact_clusters(tokens: Tokens) -> tuple[tuple[int, ...], ...] | None:
    """The tokens with equal proved limits; None where no proof was found."""
    try:
        return limit(tokens).clusters
    except ExactformerError:
        return None


def _margin(orbit: Orbit, layer: int, tokens: tuple[int, ...]) -> Exact | None:
    """The least gap from the best to the second-best exact score among the given tokens."""
    rows, A = orbit.tokens(layer).rows(), orbit.instance.A
    gaps = []
    for i in tokens:
        image = [sum((a * v for a, v in zip(row, rows[i], strict=True)), Fraction(0)) for row in A]
        scores = sorted({sum((x * y for x, y in zip(image, z, strict=True)), Fraction(0)) for z in rows}, reverse=True)
        gaps += [scores[0] - scores[1]] if len(scores) > 1 else []
    return min(gaps, default=None)
