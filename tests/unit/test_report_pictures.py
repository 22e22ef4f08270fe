"""Pictures on plain data: styles, planes, hulls, layouts, scenes."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import exactformer as ef
from exactformer.errors import InvalidInput
from exactformer.model.html import Markup, cell, number, table
from exactformer.report.film import Film, Plane, film_of, planar_hull
from exactformer.report.gallery import configurations
from exactformer.report.graph_plot import a_norms, by_norm
from exactformer.report.orbit_plot import telling_frames
from exactformer.report.palette import COLOURS, Style, follower_style, leader_style
from exactformer.report.scenes import frames_of, orbit_stage
from exactformer.report.svg import SIZE


def test_forty_nine_followers_look_different() -> None:
    assert len({follower_style([rank]) for rank in range(49)}) == 49


def test_colours_differ_in_grey() -> None:
    def luminance(colour: str) -> float:
        return sum(w * int(colour[k : k + 2], 16) for w, k in ((0.2126, 1), (0.7152, 3), (0.0722, 5)))

    neighbours = [abs(luminance(a) - luminance(b)) for a, b in pairwise(COLOURS)]
    assert min(neighbours) > 20


def test_styles_of_ties_and_leaders() -> None:
    assert leader_style(2).shape == "star"
    assert follower_style([0, 1]) == Style("circle", COLOURS[:2])
    assert len(follower_style(range(7)).colours) == 4


def test_emerging_leader_changes_its_style() -> None:
    film = film_of(ef.simulate(configurations()["emerging leader"], layers=3))
    assert film.style(1, 0).shape == "circle"
    assert film.style(1, 1).shape == "star"
    assert film.leaders(0) == [0, 2]
    assert set(film.leaders(1)) == {0, 1, 2}
    assert len(film.polytope(0)) == 2
    assert len(film.polytope(1)) == 3


def test_principal_plane_keeps_distances_within_it() -> None:
    rng = np.random.default_rng(5)
    flat = rng.standard_normal((20, 2)) @ rng.standard_normal((2, 5))
    places = flat @ Plane.of(flat).matrix
    apart = np.linalg.norm(flat[:, None] - flat[None], axis=-1)
    shown = np.linalg.norm(places[:, None] - places[None], axis=-1)
    assert np.allclose(apart, shown)


@pytest.mark.parametrize("axes", [(0, 0), (0, 9), (-1, 0)])
def test_impossible_axes_are_refused(axes: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput):
        Plane.of(np.zeros((3, 3)), axes)


def test_planar_hull_contains_every_point() -> None:
    points = np.random.default_rng(3).standard_normal((60, 2))
    hull = planar_hull(points)
    for a, b in zip(hull, np.roll(hull, -1, axis=0), strict=True):
        edge = b - a
        assert (edge[0] * (points - a)[:, 1] - edge[1] * (points - a)[:, 0] >= -1e-12).all()


def test_edges_of_the_follower_graph_point_upwards() -> None:
    orbit = ef.simulate(configurations()["triangle"], layers=1)
    follows, places = orbit.follows(0), by_norm(orbit.follows(0), a_norms(orbit, 0))
    assert all(places[j][1] > places[i][1] for i, members in enumerate(follows) for j in members if i != j)


def test_telling_frames_have_the_ends() -> None:
    film = film_of(ef.simulate(configurations()["square"], layers=20))
    frames = telling_frames(film)
    assert frames[0] == 0
    assert frames[-1] == 20
    assert len(frames) <= 4


def test_frames_are_spread_over_all_layers() -> None:
    assert frames_of(3, 10) == [0, 1, 2, 3]
    assert frames_of(1000, 5) == [0, 250, 500, 750, 1000]


def test_scene_stays_inside_its_picture() -> None:
    stage = orbit_stage(ef.simulate(configurations()["square"], layers=5))
    for places in stage.scene.json()["places"]:
        assert min(places) >= 0
        assert max(places) <= SIZE


def test_cells_are_the_exact_numbers() -> None:
    orbit = ef.simulate(configurations()["square"], layers=4)
    stage = orbit_stage(orbit)
    width = len(stage.columns) - 1
    x, y = orbit.tokens(4)[4]
    assert stage.cells[4][4 * width] == f"({x}, {y})"


def test_numbers_in_a_page() -> None:
    assert number(Fraction(-3, 2)) == "-3/2"
    assert number(Fraction(10**500)).endswith("(501 digits)")
    assert "<details" in cell(Fraction(10**30 + 1, 7))
    assert str(10**30 + 1) in cell(Fraction(10**30 + 1, 7))
    assert cell("<b>") == "&lt;b&gt;"
    assert cell(Markup("<b>x</b>")) == "<b>x</b>"
    assert "5 more rows" in table(["n"], [[k] for k in range(45)])


def test_numbers_beyond_floats_are_drawn() -> None:
    tokens = ef.Tokens([[10**400, 1], [1, 1], [-(10**500), 3]])
    stage = orbit_stage(ef.simulate(tokens, layers=2))
    assert np.isfinite(stage.scene.json()["places"]).all()


def test_film_of_plain_data() -> None:
    points = [np.array([[0.0, 0.0], [1.0, 1.0]])]
    film = Film([7], points, [[(1,), (1,)]], {1: 7})
    assert film.style(1, 0).shape == "star"
    assert film.style(0, 0).colours == film.style(1, 0).colours
