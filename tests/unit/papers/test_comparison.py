"""Tests of `exactformer.papers.comparison`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from exactformer.papers import comparison as beside
from exactformer.papers import figures
from exactformer.papers.comparison import COMPETITORS, competitor_report, draw_comparison, random_data


def points_of_curves(ax: Any) -> dict[str, list[tuple[float, float]]]:
    return {line.get_label(): [tuple(xy) for xy in line.get_xydata().tolist()] for line in ax.lines}


def test_constructions_beside_each_other_in_numbers_and_in_blocks() -> None:
    left, right = draw_comparison({"deep": [(10, 3, 50), (30, 5, 90)], "shallow": [(10, 1, 40)]}).axes
    assert (left.get_ylabel(), right.get_ylabel()) == ("numbers stored", "blocks")
    numbers, blocks = points_of_curves(left), points_of_curves(right)
    assert (numbers["deep"], blocks["deep"]) == ([(10, 50), (30, 90)], [(10, 3), (30, 5)])
    assert (numbers["shallow"], blocks["shallow"]) == ([(10, 40)], [(10, 1)])
    assert numbers["theorem: 4N + 1 blocks"] == blocks["theorem: 4N + 1 blocks"] == [(10, 41), (30, 121)]
    assert numbers["N, one number a label"] == [(10, 10), (30, 30)]
    assert set(numbers) - set(blocks) == {"N, one number a label"}
    for ax in (left, right):
        assert (ax.get_xscale(), ax.get_yscale(), ax.get_xlabel()) == ("log", "log", "N, sequences with two labels")
    words = [text.get_text() for text in left.figure.legends[0].get_texts()]
    assert words == list(numbers)


def test_the_comparison_measures_what_was_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "COMPETITORS", COMPETITORS[:2])
    left, right = figures.comparison().axes
    for competitor in COMPETITORS[:2]:
        reports = [competitor_report(competitor, random_data(count)) for count in (10, 30, 100)]
        assert points_of_curves(left)[competitor.name] == [(r.sequences, r.parameters) for r in reports]
        assert points_of_curves(right)[competitor.name] == [(r.sequences, r.blocks) for r in reports]


@pytest.mark.parametrize("competitor", COMPETITORS, ids=lambda one: one.name)
def test_every_competitor_is_built_with_its_options(competitor: Any) -> None:
    report = competitor_report(competitor, random_data(3))
    assert (report.method, report.sequences, report.dim) == (competitor.method, 3, 4)
    soft = "softmax" in competitor.attention
    assert (report.json().get("attention") == "softmax") == soft
    assert ("beta" in report.json()) == soft


def test_the_same_method_stands_there_with_and_without_softmax() -> None:
    assert [one.name for one in COMPETITORS if one.method == "leaders"] == ["leaders", "softmax leaders"]
    assert [one.name for one in COMPETITORS if one.options] == ["softmax leaders", "temperature"]


def test_random_data_of_a_comparison_depend_on_the_seed_alone() -> None:
    data, again, other = random_data(40), random_data(40), random_data(40, seed=1)
    assert (len(data), {len(sequence) for sequence in data}, data.dim) == (40, {5}, 4)
    assert data.labels[:2] == ["0", "1"]
    assert set(data.labels) == {"0", "1"}
    values = [x for row in data.tokens for x in row]
    assert all(abs(x) <= 1 and (x * 10**6).denominator == 1 for x in values)
    assert max(values) > Fraction(9, 10)
    assert min(values) < Fraction(-9, 10)
    assert data.tokens.rows() == again.tokens.rows() != other.tokens.rows()
