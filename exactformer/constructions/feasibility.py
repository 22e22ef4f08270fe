"""Whether a data set can be interpolated at all: necessary and sufficient, with a witness for every no.

The image of a token depends only on the token and on the empirical measure of its sequence (for leader methods:
on the set of its tokens). So equal measures need equal target sets, and a sequence cannot have more targets
than distinct tokens; the constructions show that this is enough.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.text import canonical
from exactformer.constructions.coordinate import Line
from exactformer.constructions.measures import Indices, Problem, Supports
from exactformer.constructions.targets import Targets
from exactformer.errors import Reason
from exactformer.model.dataset import Dataset

#: what may tell sequences apart: their measures (mean pooling) or only their sets of tokens (leaders)
SEMANTICS = ("measure", "set")


def reasons_against(data: Dataset, spread: Supports, targets: Targets, semantics: str) -> list[Reason]:
    """Every violated condition, each with the sequences that violate it; empty exactly if the data are feasible."""
    _, _, conflicts = merge(spread, targets, semantics)
    crowded = [j for j, size in enumerate(spread.sizes.tolist()) if len(targets.sets[j]) > size]
    return [
        *(_conflict(data, spread, i, j, semantics) for i, j in conflicts),
        *(_crowded(data, spread, targets, j) for j in crowded),
    ]


def merge(spread: Supports, targets: Targets, semantics: str) -> tuple[list[int], Indices, list[tuple[int, int]]]:
    """(first sequence of every class, class of every sequence, pairs (i, j) of one class with different targets)."""
    with_counts = semantics == "measure"
    seen: dict[bytes, int] = {}
    firsts: list[int] = []
    member = np.empty(len(spread), dtype=np.int64)
    conflicts = []
    for j in range(len(spread)):
        known = seen.setdefault(spread.key(j, with_counts=with_counts), len(firsts))
        if known == len(firsts):
            firsts.append(j)
        elif targets.sets[firsts[known]] != targets.sets[j]:
            conflicts.append((firsts[known], j))
        member[j] = known
    return firsts, member, conflicts


def merged_problem(line: Line, spread: Supports, targets: Targets, semantics: str) -> Problem:
    """The problem of the different measures (or sets) of feasible data: equal ones are merged."""
    firsts, member, _ = merge(spread, targets, semantics)
    sets = tuple(targets.sets[j] for j in firsts)
    measures = spread.take(firsts, with_counts=semantics == "measure")
    return Problem(line, measures, targets.points, targets.scale, sets, member)


def _conflict(data: Dataset, spread: Supports, i: int, j: int, semantics: str) -> Reason:
    common = _common(data, i, with_counts=semantics == "measure")
    cures = []
    if semantics == "set" and spread.key(i, with_counts=True) != spread.key(j, with_counts=True):
        cures.append("method shallow or deep, which see multiplicities")
    if data[i].tokens != data[j].tokens:
        cures.append("positions, which tell the order of tokens")
    what = "the same empirical measure" if semantics == "measure" else "the same set of tokens"
    why = f"sequences {i} and {j} have {what} and different targets" + _cured_by(cures)
    return Reason(semantics, (i, j), why, {semantics: common, "cures": cures})


def _crowded(data: Dataset, spread: Supports, targets: Targets, j: int) -> Reason:
    wanted, size, length = len(targets.sets[j]), int(spread.sizes[j]), len(data[j].tokens)
    cures = ["positions, which make equal tokens different"] if wanted <= length else []
    why = f"sequence {j} has {wanted} targets but only {size} distinct tokens" + _cured_by(cures)
    return Reason("targets", (j,), why, {"targets": wanted, "distinct_tokens": size, "cures": cures})


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
