"""Tests of `exactformer.report.compact_plot`."""

from __future__ import annotations

from typing import Any

import pytest

import exactformer as ef
from exactformer.report.compact_plot import dial_of, draw_dial


def test_titles_and_axes_of_the_dial() -> None:
    data = ef.sample("random-classes", n=6, d=2, seed=1)
    reports = dial_of(data)
    figure = draw_dial(reports)
    left, right = figure.axes
    assert figure.get_suptitle() == "the dial: 6 sequences, exactly"
    assert (left.get_xlabel(), left.get_ylabel()) == ("G, slopes that hold the labels", "numbers stored")
    assert right.get_xlabel() == "bits of all numbers"
    assert {ax.get_xscale() for ax in (left, right)} == {"log"}
    assert draw_dial(reports, title="mine").get_suptitle() == "mine"


def test_the_dial_goes_down_to_one_group_or_to_the_most_labels_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ef.sample("random-classes", n=5, d=2, seed=1)
    wanted = [ef.construct(data, method="compact", groups=groups, seed=2).report for groups in (5, 2, 1)]
    assert [report.json() for report in dial_of(data, seed=2)] == [report.json() for report in wanted]
    monkeypatch.setattr("exactformer.report.compact_plot.MOST_LABELS", 2)
    assert len(dial_of(data)) == 1
    assert len(dial_of(ef.sample("random-classes", n=4, d=2, seed=1))) == 2


def curves(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    """The named lines of a panel."""
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines}


def test_the_dial_stands_at_its_reports() -> None:
    from exactformer.instances.named_families import sample

    reports = dial_of(sample("random-classes", n=8, d=2, seed=1))
    left, right = draw_dial(reports).axes
    numbers, looped = [r.parameters for r in reports], [r.looped_parameters for r in reports]
    groups, bits = [r.compact.groups for r in reports if r.compact is not None], [r.weight_bits for r in reports]
    for ax, across in ((left, groups), (right, bits)):
        assert curves(ax)["numbers"] == (across, numbers)
        assert curves(ax)["equal blocks once"] == (across, looped)
    assert curves(right)[f"information, {reports[0].information_bits} bits"][0] == [reports[0].information_bits] * 2
    at = {text.get_text(): text.xy for text in right.texts}
    for chosen in (max(groups), min(groups)):
        k = groups.index(chosen)
        assert at[f"G = {chosen}"] == (bits[k], numbers[k])
    assert len(reports) > 2


def test_numbers_that_hardly_differ_have_more_than_one_tick() -> None:
    figure = draw_dial(dial_of(ef.sample("random-classes", n=8, d=2, seed=1)))
    figure.draw_without_rendering()
    for ax in figure.axes:
        low, high = ax.get_ylim()
        assert sum(low <= tick <= high for tick in ax.get_yticks()) > 1
