"""Perspective: what is drawn as the polytope of the leaders is its edges."""

from itertools import product

import numpy as np
import pytest

import exactformer as ef
from exactformer.report.space_plot import polytope_edges


def edge_count(points: list[list[int]]) -> int:
    return len(polytope_edges(np.array(points, dtype=float)))


@pytest.mark.parametrize("last", [[0, 0, 0], [2, 1, 1]])
def test_points_inside_and_on_faces_have_no_edges(last: list[int]) -> None:
    cube = [list(corner) for corner in product((-2, 2), repeat=3)]
    assert edge_count(cube) == edge_count([*cube, last]) == 12
    octahedron = [[s * (i == k) for i in range(3)] for k in range(3) for s in (-3, 3)]
    assert edge_count(octahedron) == 12


def test_flat_and_small_polytopes_have_their_sides() -> None:
    assert edge_count([[0, 0, 1], [2, 0, 1], [2, 2, 1], [0, 2, 1], [1, 1, 1]]) == 4
    assert edge_count([[0, 0, 0], [1, 2, 3]]) == 1
    assert edge_count([[1, 1, 1]]) == 0


def test_the_legend_names_a_polytope_only_where_one_is_drawn() -> None:
    corners = ef.Tokens([[3 * x, 3 * y, 3 * z] for x, y, z in product((-1, 1), repeat=3)])
    for tokens, drawn in ((corners, True), (ef.Tokens([[1, 2, 3]]), False)):
        words = [text.get_text() for text in ef.plot(tokens, "space", layers=1).legends[0].get_texts()]
        assert ("polytope of the leaders" in words) is drawn
    strip = ef.plot(ef.Tokens([[1], [2]]), layers=1)
    assert "polytope of the leaders" not in [text.get_text() for text in strip.legends[0].get_texts()]
