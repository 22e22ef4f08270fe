"""Separate: shifts by leaders make all sequences disjoint (the first stage of `leaders` and of `paper`).

One block *rotates* the order of the coordinates at a token c, so that the leader of every sequence, its
largest token, becomes its largest token <= c (or its maximum, if it has none), and then shifts every token of
a sequence by eps times its leader. Sequences with different leaders become disjoint for ever; for two
different sets some c gives different leaders (any token of the one that the other lacks), so every block adds
a class, and at most max(1, N-1) blocks tell N sets apart.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array, add, multiply, narrowed, wide
from exactformer.constructions.empirical_measures import Supports

#: integers tried one by one for the shift before they are drawn from doubling ranges
_TRIED = 64


@dataclass(frozen=True)
class Rotation:
    """One block of this stage, in integers over the scale of the line.

    Coordinates <= `at` get `lift`, all get `shift`; at = None is no rotation. Then every sequence is moved by
    `eps` times its leader (eps = None: the last block, whose attention the caller chooses).
    """

    at: int | None
    successor: int | None
    lift: int
    shift: int
    eps: int | None

    @property
    def gap(self) -> int | None:
        """The length of the gap between `at` and its successor."""
        return None if self.at is None or self.successor is None else self.successor - self.at


@dataclass(frozen=True)
class Separated:
    """The blocks so far, the coordinates of all entries of the supports, and the leader of every sequence."""

    rotations: tuple[Rotation, ...]
    values: Array
    leaders: Array


def with_distinct_leaders(sets: Supports, values: Array, base: int) -> Separated:
    """Rotations and shifts after which all N different sets have different leaders; `values` is per entry.

    `base` is the least coordinate before the first block and after every rotation, so all scores stay
    positive. The last rotation has no shift.
    """
    rotations: list[Rotation] = []
    while True:
        at = best_rotation(sets, values)
        rotation, values = rotate(values, at, base)
        leaders = np.maximum.reduceat(wide(values), sets.starts[:-1])
        rotations.append(rotation)
        if len(set(leaders.tolist())) == len(sets):
            return Separated(tuple(rotations), values, leaders)
        eps = least_shift(values, leaders[sets.owner])
        rotations[-1] = Rotation(rotation.at, rotation.successor, rotation.lift, rotation.shift, eps)
        values = narrowed(add(values, multiply(narrowed(leaders), eps)[sets.owner]))


def best_rotation(sets: Supports, values: Array) -> int | None:
    """The coordinate c whose rotation gives the most different leaders; None (no rotation) if none does better.

    One sweep over increasing c: only the sequences that contain c change their leader, to c.
    """
    owner = sets.owner
    order = np.argsort(values, kind="stable")
    current: list[int] = np.maximum.reduceat(wide(values), sets.starts[:-1]).tolist()
    counted = Counter(current)
    best, best_at = len(counted), None
    ordered, owners = values[order].tolist(), owner[order].tolist()
    for position, c in enumerate(ordered):
        j = owners[position]
        counted[current[j]] -= 1
        if not counted[current[j]]:
            del counted[current[j]]
        current[j] = c
        counted[c] += 1
        last = position + 1 == len(ordered) or ordered[position + 1] != c
        if last and len(counted) > best:
            best, best_at = len(counted), c
    return best_at


def rotate(values: Array, at: int | None, base: int) -> tuple[Rotation, Array]:
    """Coordinates <= `at` above all others, then everything moved so that the least coordinate is `base`."""
    least, most = int(values.min()), int(values.max())
    if at is None or at == most:
        return Rotation(None, None, 0, base - least, None), add(values, np.array([base - least], dtype=object))
    successor = int(values[values > at].min())
    lift = most - least + 1
    lifted = np.asarray(values <= at, dtype=bool).astype(object) * lift
    moved = wide(values) + lifted + (base - successor)
    return Rotation(at, successor, lift, base - successor, None), narrowed(moved)


def least_shift(values: Array, leaders: Array) -> int:
    """A positive integer eps for which s + eps*leader differs for different pairs (s, leader), the least if small.

    Past the first few, eps is drawn from doubling ranges: more than range/gap always works.
    """
    pairs = sorted(set(zip(values.tolist(), leaders.tolist(), strict=True)))
    draw = random.Random(0)
    eps = 1
    while len({s + eps * leader for s, leader in pairs}) < len(pairs):
        eps = eps + 1 if eps < _TRIED else draw.randint(eps + 1, 2 * eps)
    return eps
