"""Tests of `exactformer.instances.dataset_families`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from exactformer.errors import InvalidInput
from exactformer.geometry.linear_algebra import rank
from exactformer.instances import dataset_families as data_sets
from exactformer.instances.dataset_families import sample
from exactformer.model.dataset import Dataset

F = Fraction


@pytest.mark.parametrize(("n", "d", "right"), [(1, 1, True), (0, 1, False), (1, 0, False), (0, 0, False)])
def test_families_have_at_least_one_sequence_and_one_dimension(n: int, d: int, right: bool) -> None:
    if right:
        assert len(sample("nested", n, d)) == 1
    else:
        with pytest.raises(InvalidInput, match=f"got n = {n}, d = {d}"):
            sample("nested", n, d)


def dyadic(rows: Any) -> bool:
    return all(x.denominator & (x.denominator - 1) == 0 for row in rows for x in row)


def of_nested(sets: list[Any], data: Dataset) -> bool:
    return all(set(a) < set(b) and len(b) == len(a) + 1 for a, b in pairwise(sets))


def of_windows(sets: list[Any], data: Dataset) -> bool:
    return len({tuple(sum(c) / len(x) for c in zip(*x, strict=True)) for x in sets}) == 1 == len(set(map(len, sets)))


def of_targets(sets: list[Any], data: Dataset) -> bool:
    aims = [data.targets_of(j).rows() for j in range(len(data))]
    shared = {y for j, some in enumerate(aims) for y in some if any(y in other for other in aims[:j])}
    return bool(shared) and all(5 <= len(x) <= 9 and 1 <= len(y) <= 5 for x, y in zip(sets, aims, strict=True))


def of_far(sets: list[Any], data: Dataset) -> bool:
    aims = [data.targets_of(j).rows() for j in range(len(data))]
    signs = all((y[0] > 0) == (j % 2 == 0) for j, some in enumerate(aims) for y in some)
    return signs and all(10**9 <= abs(x) < 10**9 + 1000 for some in aims for y in some for x in y)


def next_tokens(sets: list[Any], data: Dataset) -> bool:
    return all(set(data.targets_of(j).rows()) == set(sets[(j + 1) % len(sets)]) for j in range(len(sets)))


OF_DATA: dict[str, Callable[[list[Any], Dataset], bool]] = {
    "random-classes": lambda sets, data: data.labels == [str(j % 3) for j in range(6)] and max(map(len, sets)) <= 8,
    "random-targets": of_targets,
    "nested": of_nested,
    "all-but-one": lambda sets, data: all(len(set(a) - set(b)) == 1 for a in sets for b in sets if a is not b),
    "windows": of_windows,
    "equal-means": lambda sets, data: all(not any(map(sum, zip(*x, strict=True))) and len(x) == 2 for x in sets),
    "one-token": lambda sets, data: all(len(x) == 1 for x in sets),
    "multiplicities": lambda sets, data: len({frozenset(x) for x in sets}) == 1,
    "with-origin": lambda sets, data: all((0, 0) in x for x in sets) and [(0, 0)] in sets,
    "collinear": lambda sets, data: rank([row for x in sets for row in x]) == 1 and {len(set(x)) for x in sets} == {3},
    "coinciding-targets": lambda sets, data: len({frozenset(data.targets_of(j).rows()) for j in range(6)}) == 1,
    "targets-are-inputs": next_tokens,
    "far-targets": of_far,
    "float-tokens": lambda sets, data: all(dyadic(x) and len(x) == 5 for x in sets),
}


@pytest.mark.parametrize("name", data_sets.FAMILIES)
def test_a_family_of_data_is_what_it_says(name: str) -> None:
    for seed in range(4):
        data = data_sets.sample(name, 6, 2, seed)
        sets = [sequence.tokens.rows() for sequence in data]
        assert OF_DATA[name](sets, data)
        different = len({frozenset((x, F(rows.count(x), len(rows))) for x in rows) for rows in sets})
        assert different == len(data) == 6


def test_families_are_known_by_name() -> None:
    with pytest.raises(InvalidInput, match=r"expected one of the families random-classes, .*, got 'nest'"):
        sample("nest", 2, 2)
