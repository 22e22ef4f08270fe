"""Tests of `exactformer.report.orbit_plot`."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection

import exactformer as ef
from exactformer.errors import InvalidInput
from exactformer.report.canvas import panels
from exactformer.report.gallery import configurations
from exactformer.report.orbit_frames import OrbitFrames, orbit_frames
from exactformer.report.orbit_plot import draw_layer, draw_orbit, telling_frames

SPACE = ef.Tokens([[1, 2, -3], [-1, 6, 5], [-4, -4, 3], [0, 4, -1], [4, -4, 2]], [[2, 1, 0], [1, 2, 0], [0, 0, 1]], 1)


def test_panels_of_an_orbit_are_named_by_its_layers_and_trails_end_there() -> None:
    orbit = ef.simulate(SPACE, layers=9)
    film = orbit_frames(orbit, layers=[0, 2, 5, 9], axes=(2, 0))
    figure = draw_orbit(film, title="mine")
    assert [ax.get_title() for ax in figure.axes] == ["layer 0", "layer 2", "layer 5", "layer 9"]
    assert figure.get_suptitle().replace("\n", " ") == f"mine \N{EM DASH} {film.words}"
    for at, ax in enumerate(figure.axes):
        trails = [c for c in ax.collections if isinstance(c, LineCollection)]
        paths = [path.vertices.tolist() for c in trails for path in c.get_paths()]
        assert paths == ([[film.points[k][i].tolist() for k in range(at + 1)] for i in range(5)] if at else [])
    assert [ax.get_title() for ax in draw_orbit(film, [3, 1]).axes] == ["layer 9", "layer 2"]


def test_telling_frames_count_moves_in_every_direction() -> None:
    """One token goes left by 18: a third of it at once, a half after four layers, two thirds and more after six."""
    places = np.cumsum([0, -6, -1, -1, -1, -1, -6, -1, -1])
    film = OrbitFrames(list(range(9)), [np.array([[x, 0.0], [20.0, 5.0]]) for x in places], [[(0,), (1,)]] * 9, {})
    assert telling_frames(film) == [0, 1, 6, 8]
    assert telling_frames(film, 3) == [0, 4, 8]
    assert telling_frames(film, 9) == list(range(9))
    assert [ax.get_title() for ax in draw_orbit(film).axes] == ["layer 0", "layer 1", "layer 6", "layer 8"]


def test_trails_are_drawn_up_to_a_number_of_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    film = orbit_frames(ef.simulate(SPACE, layers=2), axes=(0, 1))
    for most, drawn in ((5, True), (4, False)):
        monkeypatch.setattr("exactformer.report.orbit_plot.TRAILS", most)
        (ax,) = draw_orbit(film, [2]).axes
        assert any(isinstance(c, LineCollection) for c in ax.collections) is drawn


EMERGING = configurations()["emerging leader"]


# ---------------------------------------------------------------- orbits and growth


def test_a_layer_has_its_tokens_trails_polytope_and_origin() -> None:
    film = orbit_frames(ef.simulate(EMERGING, layers=3))
    (ax,) = panels(1)[1]
    draw_layer(ax, film, 2)
    polygon, origin = ax.lines
    corners = film.polytope(2)
    assert np.allclose(polygon.get_xydata(), np.vstack([corners, corners[:1]]))
    assert origin.get_xydata().tolist() == [[0, 0]]
    trails = next(drawn for drawn in ax.collections if len(drawn.get_offsets()) == 1 and len(drawn.get_paths()) > 1)
    for i, path in enumerate(trails.get_paths()):
        assert np.allclose(path.vertices, [film.points[k][i] for k in range(3)])
    tokens = [drawn for drawn in ax.collections if drawn is not trails]
    assert {tuple(place) for drawn in tokens for place in drawn.get_offsets()} == set(map(tuple, film.points[2]))
    stars = [tuple(place) for drawn in tokens if drawn.get_zorder() == 4 for place in drawn.get_offsets()]
    assert set(stars) == {tuple(film.points[2][i]) for i in film.leaders(2)}
    both = np.vstack([film.points[0], film.points[2]])
    room = 0.09 * np.ptp(both, axis=0).max()
    assert np.allclose(ax.get_xlim(), [both[:, 0].min() - room, both[:, 0].max() + room])


def test_a_ringed_token_and_its_legend() -> None:
    film = orbit_frames(ef.simulate(EMERGING, layers=6))
    figure = draw_orbit(film, [0, 5], title="mine", ringed=3)
    for ax, k in zip(figure.axes, (0, 5), strict=True):
        ring = ax.collections[-1]
        assert ring.get_offsets().tolist() == [film.points[k][3].tolist()]
        assert not len(ring.get_facecolor())
        assert ax.get_title() == f"layer {k}"
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[-1] == "the witness, token 3"
    assert words[:3] == ["leader", "follower, colour of its leader", "follows several (a tie)"]
    assert figure.get_suptitle() == "mine"
    assert len(draw_orbit(film).legends[0].get_texts()) == 5
    for frames in ([7], [-1], []):
        with pytest.raises(InvalidInput, match=r"0\.\.6"):
            draw_orbit(film, frames)


def test_telling_frames_are_where_most_happens() -> None:
    points = [np.array([[float(x), 0.0]]) for x in (0, 0, 0, 6, 6, 6, 12, 12)]
    film = OrbitFrames(list(range(8)), points, [[(0,)]] * 8, {})
    assert telling_frames(film) == [0, 3, 6, 7]
    still = OrbitFrames(list(range(8)), points[:1] * 8, [[(0,)]] * 8, {})
    assert telling_frames(still)[:: len(telling_frames(still)) - 1] == [0, 7]
    assert telling_frames(OrbitFrames(list(range(4)), points[:4], [[(0,)]] * 4, {})) == [0, 1, 2, 3]


def test_tokens_of_one_dimension_are_a_strip_over_the_layers() -> None:
    orbit = ef.simulate(ef.Tokens([[3], [1], [-2]]), layers=4)
    (ax,) = ef.plot(orbit).axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("layer", "token")
    lines = [list(line.get_ydata()) for line in ax.lines]
    assert lines == [[float(state[i][0]) for state in orbit] for i in range(3)]


def test_the_legend_stays_within_the_figure() -> None:
    figure = ef.plot(ef.simulate(ef.Tokens([[3, 1], [1, 2]]), layers=1))
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert 0 <= box.x0 < box.x1 <= figure.bbox.width
