"""Tests of `exactformer.dynamics.late_layer`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.dynamics.late_layer import late_layers
from exactformer.model.tokens import Tokens

F = Fraction


def test_a_late_layer_by_hand() -> None:
    """g = (0, 3/4, 1/2) has |g|^2 = 13/16 = <g, (+-2, 13/12, 0)>, and the last token follows it."""
    g, follower = [0, F(3, 4), F(1, 2)], [0, F(1, 2), F(1, 2)]
    rows = [[4, 1, 0], [-4, 1, 0], [2, "13/12", 0], [-2, "13/12", 0], g, follower]
    found = late_layers(Tokens(rows, alpha=3))
    assert found is not None
    now, then = found
    assert now.limit == (0, 1, 0)
    assert now.cluster == [4, 5]
    assert now.largest == 4
    assert now.follows[4] == (2, 3, 4)
    assert now.ties_with_itself(4)
    assert now.x(4) == (0, F(-1, 4), F(1, 2))
    assert now.height(4) == F(1, 4)
    assert now.gap(4) == F(3, 16)
    assert now.excess(4) == F(1, 16) == now.height(4) * -1 + F(5, 16)
    assert now.share(4) == F(2, 3)
    assert now.target(4) == (0, F(1, 12), 0)
    assert now.goal(4) == (0, F(35, 36), F(1, 6))
    assert then.z[4] == (0, F(3, 16) + F(3, 4) * F(35, 36), F(1, 4))


@pytest.mark.parametrize(
    "rows",
    [
        [[4, 1], [-4, 1], [2, 1]],  # nobody in the mirror
        [[4, 1], [-4, 2], [2, 1], [-2, 1], [0, "1/2"]],  # leaders of different height
        [[4, 1], [2, 1], [0, "1/2"]],  # one leader
        [[4, 1], [-4, 1], [0, "1/2"]],  # the cluster follows leaders
        [[4, 1], [-4, 1], [2, "5/4"], [-3, "5/4"], [0, "1/2"]],  # targets at different distances
        [[4, 1], [-4, 1], [2, 1], [-2, 1], [0, 1]],  # the cluster is at its limit
        [[4, 1], [-4, 1], [2, "5/4"], [-2, "5/4"], [0, "1/2"]],  # the cluster passes its limit at layer 1
    ],
)
def test_other_layers_do_not_look_late(rows: list[list[int | str]]) -> None:
    assert late_layers(Tokens(rows, alpha=3)) is None


def test_another_scalar_product_is_not_looked_at() -> None:
    rows = [[4, 1], [-4, 1], [2, "17/16"], [-2, "17/16"], [0, "1/2"]]
    assert late_layers(Tokens(rows, alpha=3)) is not None
    assert late_layers(Tokens(rows, A=[[1, 0], [0, 2]], alpha=3)) is None
