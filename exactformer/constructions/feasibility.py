"""Whether a data set can be interpolated at all: necessary and sufficient, with a witness for every no.

The image of a token depends only on the token and on the empirical measure of its sequence (for leader methods:
on the set of its tokens). So equal measures need equal target sets, and a sequence cannot have more targets
than distinct tokens; the constructions show that this is enough.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.constructions.empirical_measures import Indices, Supports
from exactformer.constructions.targets import Targets
from exactformer.errors import Reason
from exactformer.io.canonical import canonical
from exactformer.model.dataset import Dataset


def reasons_against(
    data: Dataset, measures: Supports, targets: Targets, conflicts: list[tuple[int, int]], semantics: str
) -> list[Reason]:
    """Every violated condition, each with the sequences that violate it; empty exactly if the data are feasible."""
    crowded = [j for j, size in enumerate(measures.sizes.tolist()) if len(targets.sets[j]) > size]
    return [
        *(_conflict(data, measures, i, j, semantics) for i, j in conflicts),
        *(_crowded(data, measures, targets, j) for j in crowded),
    ]


@dataclass(frozen=True)
class Merged:
    """Sequences that no transformer of the kind can tell apart, merged into classes.

    `firsts` has the first sequence of every class, `member` the class of every sequence, `conflicts` the
    pairs of sequences of one class with different targets.
    """

    firsts: Indices
    member: Indices
    conflicts: list[tuple[int, int]]


def merge(measures: Supports, targets: Targets, semantics: str) -> Merged:
    """The classes of sequences with the same measure (or the same set of tokens)."""
    firsts, member = _classes(measures, with_counts=semantics == "measure")
    others = np.flatnonzero(firsts[member] != np.arange(len(member))).tolist()
    pairs = [(int(firsts[member[j]]), j) for j in others]
    return Merged(firsts, member, [(i, j) for i, j in pairs if targets.sets[i] != targets.sets[j]])


def _classes(measures: Supports, *, with_counts: bool) -> tuple[Indices, Indices]:
    """(the first sequence of every class, the class of every sequence); classes in the order of their firsts."""
    if (measures.sizes == 1).all():  # one token each, which counts once: no text is needed to tell them apart
        _, firsts, member = np.unique(measures.ranks, return_index=True, return_inverse=True)
        order = np.argsort(firsts)
        return firsts[order], np.argsort(order)[member.reshape(-1)]
    seen: dict[bytes, int] = {}
    found: list[int] = []
    classes = np.empty(len(measures), dtype=np.int64)
    for j in range(len(measures)):
        classes[j] = seen.setdefault(measures.key(j, with_counts=with_counts), len(found))
        if classes[j] == len(found):
            found.append(j)
    return np.array(found, dtype=np.int64), classes


def _conflict(data: Dataset, measures: Supports, i: int, j: int, semantics: str) -> Reason:
    common = _common(data, i, with_counts=semantics == "measure")
    cures = []
    absolute = measures.key(i, with_counts=True) == measures.key(j, with_counts=True)
    if not absolute:
        planar = " (temperature, for softmax at one temperature)" if data.dim > 1 else ""
        cures.append(f"method shallow or deep{planar}, which see multiplicities")
    if data[i].tokens != data[j].tokens:
        cures.append("positions (`positions`), which tell the order of tokens")
    what = "the same empirical measure" if semantics == "measure" else "the same set of tokens"
    why = f"{data.called(i, j)} have {what} and different {'targets' if data.label_texts is None else 'labels'}"
    if absolute:
        why += ", and the outputs of every transformer depend on the tokens and their proportions alone"
    return Reason(semantics, (i, j), why + _cured_by(cures), {semantics: common, "cures": cures}, absolute)


def _crowded(data: Dataset, measures: Supports, targets: Targets, j: int) -> Reason:
    wanted, size, length = len(targets.sets[j]), int(measures.sizes[j]), len(data[j].tokens)
    cures = ["positions (`positions`), which make equal tokens different"] if wanted <= length else []
    why = f"{data.called(j)} has {wanted} targets but only {size} distinct tokens" + _cured_by(cures)
    return Reason("targets", (j,), why, {"targets": wanted, "distinct_tokens": size, "cures": cures}, True)


def _cured_by(cures: list[str]) -> str:
    return f"; cured by {' or by '.join(cures)}" if cures else ""


def _common(data: Dataset, i: int, *, with_counts: bool) -> list[object]:
    """The common measure as pairs [token, weight], or the common set of tokens, in canonical text."""
    rows = data[i].tokens.rows()
    counted = sorted(Counter(rows).items())
    points = [[canonical(x) for x in row] for row, _ in counted]
    if not with_counts:
        return list(points)
    return [[point, canonical(Fraction(n, len(rows)))] for point, (_, n) in zip(points, counted, strict=True)]
