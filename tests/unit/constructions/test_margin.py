"""Tests of `exactformer.constructions.margin`."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

from exactformer.constructions.pipeline import construct
from exactformer.model.dataset import Dataset, Sequence

F = Fraction


def data(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize("robust", [True, False])
def test_margins_hold_and_end(method: str, robust: bool) -> None:
    given = data(([0, 4], [0]), ([1, 7], [5]), ([10], [0]), ([2, 2, 9], [7]))
    built = construct(given, method=method, robust=robust)
    found = built.margin
    assert found.radius is not None
    assert (found.radius > 0) == robust or not robust
    moves = [found.radius * s for s in (-1, 1, F(1, 3), F(-2, 3))] if found.radius else [F(0)]
    for j, sequence in enumerate(given):
        wanted = set(given.targets_of(j).rows())
        for steps in itertools.product(moves, repeat=len(sequence)):
            moved = [[x[0] + s] for x, s in zip(sequence.tokens.rows(), steps, strict=True)]
            assert set(built.transformer(moved).rows()) == wanted
    assert found.sequence is not None
    assert found.failing is not None
    assert found.radius < found.failing
    tokens = given[found.sequence].tokens.rows()
    moved = [[x[0] + found.failing * found.direction[0]] for x in tokens]
    assert set(built.transformer(moved).rows()) != set(given.targets_of(found.sequence).rows())


def on_a_line(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


def labelled(*pairs: tuple[list[Any], str]) -> Dataset:
    return Dataset.of(Sequence.of([v if isinstance(v, list) else [v] for v in x], label=y) for x, y in pairs)


def test_the_margin_names_the_first_sequence_of_its_measure() -> None:
    far, near = ([0], [1]), ([100], [2])
    built = construct(on_a_line(far, far, near, ([101], [3]), near), robust=True)
    margin = built.margin
    assert margin.sequence in (2, 3)
    assert margin.radius is not None
    assert F(1, 10) < margin.radius < F(1, 2)
    assert margin.direction == ((1,) if margin.sequence == 2 else (-1,))


CORNERS = labelled(([[0, 0]], "a"), ([[0, 1]], "b"), ([[1, 0]], "c"), ([[1, 1]], "d"))


@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize("data", [CORNERS, labelled(([[0, 7]], "a"), ([[4, 7]], "b"), ([[5, 7], [7, 7]], "c"))])
def test_sequences_may_move_by_the_margin_and_not_by_what_fails(method: str, data: Dataset) -> None:
    """Every token of every sequence by the radius, in all four diagonal directions; the named one by `failing`."""
    built = construct(data, method=method, robust=True)
    margin, targets = built.margin, built.targets
    assert margin.radius is not None
    assert margin.failing is not None
    assert margin.sequence is not None
    for j in range(len(data)):
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            moved = [[x + s * margin.radius for x, s in zip(row, signs, strict=True)] for row in data[j].tokens.rows()]
            assert set(built.transformer(moved).rows()) == set(targets.state(j).rows())
    rows = data[margin.sequence].tokens.rows()
    moved = [[x + s * margin.failing for x, s in zip(row, margin.direction, strict=True)] for row in rows]
    assert set(built.transformer(moved).rows()) != set(targets.state(margin.sequence).rows())
    if method == "shallow" or min(margin.direction) < 0:
        assert margin.radius < margin.failing <= margin.radius * F(9, 8)
    line = built.transformer.blocks[0].feed_forward or built.transformer.blocks[-1].feed_forward
    assert line is not None
    used = [any(row[i] for row in line.U.dense(line.width, 2)) for i in range(2)]
    assert [s != 0 for s in margin.direction] == used
