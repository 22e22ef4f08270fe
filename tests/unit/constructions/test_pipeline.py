"""Tests of `exactformer.constructions.pipeline`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.constructions.pipeline import construct
from exactformer.errors import InvalidInput, NotExact
from exactformer.model.dataset import Dataset, Sequence

F = Fraction


def labelled(*pairs: tuple[list[Any], str]) -> Dataset:
    return Dataset.of(Sequence.of([v if isinstance(v, list) else [v] for v in x], label=y) for x, y in pairs)


CATS = labelled(([[0, 1], [2, 3]], "cat"), ([[0, 1]], "dog"), ([[2, 3], [0, 1], [2, 3], [0, 1]], "cat"))


def test_the_same_seed_gives_the_same_transformer() -> None:
    assert ef.construct(CATS, seed=3).transformer == ef.construct(CATS, seed=3).transformer


@pytest.mark.parametrize(
    "options", [{"method": "magic"}, {"width": 0}, {"width": 2.5}, {"method": "leaders", "robust": True}]
)
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        ef.construct(CATS, **options)


def test_a_path_that_is_not_there() -> None:
    with pytest.raises(InvalidInput, match=r"cannot read nowhere\.csv"):
        ef.construct("nowhere.csv")


def test_algebraic_tokens_are_refused() -> None:
    with pytest.raises(InvalidInput, match="rational"):
        ef.construct(labelled(([["sqrt(2)"]], "a")))


def test_progress_is_told_and_may_interrupt() -> None:
    told = []
    ef.construct(CATS, method="deep", progress=lambda *step: told.append(step))
    assert [stage for stage, _, _ in told] == ["coordinate", "build", "verify"]
    assert told[-1][1] == told[-1][2]

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ef.construct(CATS, progress=stop)


def test_repeated_targets_are_written_once(tmp_path: Path) -> None:
    data = Dataset.of([Sequence.of([[0], [1]], targets=[[5], [5], ["10/2"]])])
    path = tmp_path / "c.jsonl"
    ef.construct(data).certify(path)
    assert json.loads(path.read_text().splitlines()[3])["targets"] == [["5"]]
    assert ef.check(path).verdict == "accepted"


def data(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


# ---------------------------------------------------------------- figures and bounds


@pytest.mark.parametrize("width", [1, 2, 3, 7])
def test_deep_blocks_are_as_narrow_as_asked(width: int) -> None:
    given = data(*(([k, k + 2], [k * k]) for k in range(5)))
    built = construct(given, method="deep", width=width)
    assert built.report.width <= width
    hinges = built.report.hinges
    assert built.report.bound == -(-(hinges + 1) // width) + -(-5 // width)


@pytest.mark.parametrize(
    "wrong", [{"method": "magic"}, {"width": 0}, {"width": 1.5}, {"method": "paper", "robust": True}]
)
def test_options_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        construct(data(([0], [1])), **wrong)


# ---------------------------------------------------------------- classes


def test_the_class_at_the_origin_costs_extraction_nothing_whatever_its_name() -> None:
    rng = np.random.default_rng(0)
    data = [rng.integers(-20, 21, (3, 4)).tolist() for _ in range(9)]
    points = {"a": [0] * 4, "b": [1, 0, 2, 0], "c": [0, 3, 0, 1]}
    labels = [str(name) for name in rng.choice(list(points), 9)]
    first, last = (
        construct(data, labels=[label.translate(names) for label in labels], method="extraction",
                  label_targets={label.translate(names): point for label, point in points.items()})
        for names in ({}, str.maketrans("a", "z"))
    )  # fmt: skip
    assert first.transformer == last.transformer
    assert first.report.parameters == last.report.parameters


# ---------------------------------------------------------------- room on the line


@pytest.mark.parametrize("method", ["shallow", "deep", "compact"])
def test_a_line_keeps_as_many_tokens_of_a_sequence_apart_as_it_has_targets(method: str) -> None:
    """The first coordinate tells the means apart, and merges the tokens of every sequence."""
    data = [[[j, k] for k in range(2)] for j in range(4)]
    wanted = [[[j, 7], [1, -j]] for j in range(4)]
    built = construct(data, targets=wanted, method=method)
    assert [set(built.transformer(x).rows()) for x in data] == [{tuple(map(F, y)) for y in some} for some in wanted]
    single = construct(data, labels=list("abab"), method=method)
    assert sum(single.transformer(x).rows()[0] == single.transformer(data[0]).rows()[0] for x in data) == 2


def test_the_tokens_left_over_take_the_most_frequent_target() -> None:
    """Each sequence has a target of its own and one that all share; its other tokens go where most tokens go."""
    data = [[[10 * j + k] for k in range(4)] for j in range(5)]
    built = construct(data, targets=[[[0], [j + 1]] for j in range(5)], method="compact")
    outputs = [[row[0] for row in built.transformer(x).rows()] for x in data]
    assert [(some.count(0), some.count(j + 1)) for j, some in enumerate(outputs)] == [(3, 1)] * 5


# ---------------------------------------------------------------- options and figures


@pytest.mark.parametrize(("groups", "right"), [(0, False), (1, True), (3, True), (4, False), (1.5, False)])
def test_groups_are_at_most_as_many_as_sequences(groups: Any, right: bool) -> None:
    data = labelled(([1], "a"), ([2], "b"), ([4], "a"))
    if not right:
        with pytest.raises(InvalidInput, match="expected 1 <= groups <= 3"):
            construct(data, method="compact", groups=groups)
        return
    figures = construct(data, method="compact", groups=groups).report.compact
    assert figures is not None
    assert figures.groups <= groups
    assert figures.shallow_parameters == construct(data).report.parameters


def test_targets_that_are_not_rational_are_refused() -> None:
    for tokens, targets in (([[1]], [["sqrt(2)"]]), ([["sqrt(2)"]], [[1]])):
        with pytest.raises(NotExact):
            construct([tokens], targets=[targets])


def test_positions_leave_the_points_of_labels_on_the_plane() -> None:
    data = labelled(([1, 2], "a"), ([2, 1], "b"))
    built = construct(data, positions=True, label_targets={"a": [7], "b": ["1/2"]})
    assert [built.targets.state(j).rows() for j in (0, 1)] == [[(7, 0)], [(F(1, 2), 0)]]


# ---------------------------------------------------------------- margins


def test_a_placement_ends_below_its_lowest_plateau_and_a_curve_goes_on() -> None:
    data = labelled(([0], "a"), ([4], "a"))
    assert construct(data, robust=True).margin.radius is None
    built = construct(data, method="deep", robust=True)
    assert (built.margin.radius, built.margin.sequence, built.margin.direction) == (5, 0, (-1,))
    assert built.transformer([[-5]]).rows() == built.targets.state(0).rows()
    assert built.margin.failing is not None
    assert built.transformer([[-built.margin.failing]]).rows() != built.targets.state(0).rows()
