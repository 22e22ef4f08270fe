"""What every sequence is to be mapped to, as indices into one list of distinct target points."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from exactformer.arithmetic.integers import Array, integer_array
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import NumberLike
from exactformer.errors import InvalidInput
from exactformer.io.untyped import Given
from exactformer.model.dataset import Dataset

#: the point that a user chose for every label
LabelTargets: TypeAlias = Mapping[Given, Iterable[NumberLike]]


@short_repr
@dataclass(frozen=True)
class Targets:
    """Target set j is {points[t] / scale : t in sets[j]}; `sets[j]` is strictly increasing, the points distinct."""

    points: Array
    scale: int
    sets: tuple[tuple[int, ...], ...]

    def state(self, j: int) -> State:
        """The target points of sequence j."""
        return State(self.points[list(self.sets[j])], self.scale)


def targets_of(data: Dataset, label_targets: LabelTargets | None = None) -> Targets:
    """The target sets of the data, repeated points merged; every label stands for one point of its own."""
    if data.label_texts is not None:
        return _label_targets(data.label_texts, data.dim, label_targets)
    if data.targets is None or data.target_offsets is None:
        raise InvalidInput("expected labels or targets, got a data set with neither")
    if label_targets is not None:
        raise InvalidInput("label targets were given, but the data set has targets instead of labels: leave them out")
    index: dict[tuple[int, ...], int] = {}
    ids = [index.setdefault(tuple(row), len(index)) for row in data.targets.array.tolist()]
    bounds = data.target_offsets.tolist()
    sets = tuple(tuple(sorted(set(ids[a:b]))) for a, b in itertools.pairwise(bounds))
    return Targets(integer_array(list(index), (len(index), data.dim)), data.targets.denominator, sets)


def _label_targets(labels: list[str], dim: int, chosen: LabelTargets | None) -> Targets:
    """The i-th label in alphabetical order gets the point (i, 0, .., 0), or the point the user chose for it."""
    names = sorted(set(labels))
    alone = {name: (i,) for i, name in enumerate(names)}
    sets = tuple([alone[label] for label in labels])
    if chosen is None:
        points = np.zeros((len(names), dim), dtype=np.int64)
        points[:, 0] = np.arange(len(names))
        return Targets(points, 1, sets)
    if not isinstance(chosen, Mapping):
        raise InvalidInput(f"label targets: expected a dict from every label to its point, got {chosen!r:.60}")
    given = {str(label): point for label, point in chosen.items()}
    missing = [name for name in names if name not in given]
    if missing:
        raise InvalidInput(f"label targets: expected a point for every label, got none for {', '.join(missing[:5])}")
    state = State.of([given[name] for name in names], "label targets")
    if state.dim != dim:
        raise InvalidInput(f"label targets: expected points of dimension {dim}, got {state.dim}")
    if len(set(state.rows())) < len(names):
        raise InvalidInput("label targets: expected different points for different labels, got one point twice")
    return Targets(state.array, state.denominator, sets)
