"""Tests of `exactformer.constructions.targets`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import exactformer as ef
from exactformer.constructions.targets import targets_of
from exactformer.errors import InvalidInput
from exactformer.model.dataset import Dataset, Sequence

F = Fraction


def labelled(*pairs: tuple[list[Any], str]) -> Dataset:
    return Dataset.of(Sequence.of([v if isinstance(v, list) else [v] for v in x], label=y) for x, y in pairs)


CATS = labelled(([[0, 1], [2, 3]], "cat"), ([[0, 1]], "dog"), ([[2, 3], [0, 1], [2, 3], [0, 1]], "cat"))


def test_labels_get_simple_points_of_their_own() -> None:
    built = ef.construct(CATS)
    assert [built.targets.state(j).rows() for j in range(3)] == [[(0, 0)], [(1, 0)], [(0, 0)]]
    assert built.report.measures == 2


def test_label_targets_of_the_user_are_used() -> None:
    built = ef.construct(CATS, label_targets={"cat": ["1/2", 7], "dog": [0, 0], "unused": [1, 1]})
    assert built.transformer(CATS[0].tokens).rows() == [(Fraction(1, 2), 7)] * 2
    for wrong in ({"cat": [1, 1]}, {"cat": [1, 1], "dog": [1, 1]}, {"cat": [1], "dog": [2]}):
        with pytest.raises(InvalidInput, match="label targets"):
            ef.construct(CATS, label_targets=wrong)


def on_a_line(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


THREE = labelled(([1], "c"), ([2], "a"), ([3], "b"), ([4], "a"))


def test_labels_stand_for_their_place_in_the_alphabet() -> None:
    found = targets_of(THREE)
    assert (found.points.tolist(), found.scale, found.sets) == ([[0], [1], [2]], 1, ((2,), (0,), (1,), (0,)))
    chosen = targets_of(THREE, {"a": ["1/2"], "c": [3], "b": ["-1/3"], "unused": [0]})
    assert [chosen.state(j).rows() for j in range(4)] == [[(3,)], [(F(1, 2),)], [(F(-1, 3),)], [(F(1, 2),)]]


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ({"a": [1], "b": [2], "c": [1]}, "got one point twice"),
        ({"a": [2], "b": [2], "c": [1]}, "got one point twice"),
        ({"a": [1], "b": ["2/2"], "c": ["4/4"]}, "got one point twice"),
        ({"a": [1]}, "got none for b, c"),
        ({"a": [1, 0], "b": [2, 0], "c": [3, 0]}, "expected points of dimension 1, got 2"),
    ],
)
def test_labels_need_points_of_their_own(points: dict[str, list[Any]], words: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        targets_of(THREE, points)
    assert words in str(refusal.value)


def test_target_sets_are_read_once_whatever_their_order() -> None:
    found = targets_of(on_a_line(([1, 2], [7, "1/2"]), ([3, 4], ["2/4", 7, "1/2"]), ([5], [9])))
    assert found.sets == ((0, 1), (0, 1), (2,))
    assert [found.state(j).rows() for j in range(3)] == [[(7,), (F(1, 2),)], [(7,), (F(1, 2),)], [(9,)]]
    with pytest.raises(InvalidInput, match="leave them out"):
        targets_of(on_a_line(([1], [2])), {"a": [1]})
    with pytest.raises(InvalidInput, match="got a data set with neither"):
        targets_of(Dataset.of([[[1]], [[2]]]))
