"""Tests of `exactformer.report.leaders_plot`."""

from __future__ import annotations

from fractions import Fraction

from exactformer.dynamics.limits import limit
from exactformer.instances.token_families import sample
from exactformer.model.tokens import Tokens
from exactformer.report.leaders_plot import LeaderCounts, draw_leaders, leader_counts, leader_table

F = Fraction


def test_leaders_are_those_of_the_proved_limit() -> None:
    (found,) = leader_counts(["emerging-leader"], [F(1, 8)], count=6, n=5)
    leads = []
    for seed in range(6):
        tokens = sample("emerging-leader", 5, 2, seed)
        leads.append(limit(Tokens(tokens.state, tokens.A, F(1, 8))).orbit.leads_from)
    last = [max(layers.values()) for layers in leads]
    assert found == LeaderCounts(
        "emerging-leader", F(1, 8), F(sum(map(len, leads)), 6), F(sum(last), 6), max(last), sum(k > 0 for k in last), 6
    )
    assert found.late > 0


def test_repeated_and_zero_tokens_are_left_out() -> None:
    assert leader_counts(["integer-grid", "duplicated"], [F(1)], count=5, n=12)[1].instances == 5


def test_table_and_picture_have_a_row_and_a_curve_for_every_family() -> None:
    counts = leader_counts(["generic", "mirror-pairs"], [F(1, 2), F(1), F(2)], count=3, n=5)
    table = leader_table(counts).splitlines()
    assert len(table) == 7
    assert table[1].split()[:2] == ["generic", "1/2"]
    left, right = draw_leaders(counts).axes
    assert [line.get_label() for line in left.get_lines()] == ["generic", "mirror-pairs"]
    assert len(right.get_lines()) == 3
    dashed = right.get_lines()[-1].get_ydata()
    assert list(dashed) == [24, 13, 7]  # 1 + the first layer beyond (1-h)/(alpha e) + 1/alpha, e = 1/20, h = 1/2
