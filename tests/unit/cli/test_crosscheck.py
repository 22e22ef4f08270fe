"""Tests of `exactformer.cli.crosscheck`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from table_kit import flat, point, tables_of

import exactformer as ef
from exactformer.arithmetic.short_text import show
from exactformer.cli.crosscheck import _dynamics_shown
from exactformer.cli.presenter import print_shown
from exactformer.float_comparison.dynamics import crosscheck_dynamics

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(("factor", "more"), [(0.5, ""), (1.0, ""), (1.5, ", more than rounding explains")])
def test_how_far_floats_are_off_where_they_follow_rightly(factor: float, more: str, capsys: Captured) -> None:
    check = crosscheck_dynamics(ef.Tokens([[3, 0], [0, 2], [1, 1]], alpha="1/3"), layers=3)
    off = replace(check, largest_deviation=factor * check.tolerance)
    print_shown(_dynamics_shown(off))
    (shown,) = tables_of(capsys.readouterr().out)
    words = f"float64 chose every follower set of 3 layers rightly; the tokens are off by {off.largest_deviation:.3g}"
    assert " ".join(shown.note.split()) == f"{words}{more}."
    clusters = flat(show(check.clusters_exact))
    assert shown.rows == [["leaders", *[point(list(check.leaders_exact))] * 2], ["clusters", clusters, clusters]]
