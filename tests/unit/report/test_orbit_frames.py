"""Tests of `exactformer.report.orbit_frames`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.errors import InvalidInput
from exactformer.report.gallery import configurations
from exactformer.report.orbit_frames import LARGEST, OrbitFrames, Plane, drawable, orbit_frames, planar_hull, ranks_of
from exactformer.report.orbit_plot import telling_frames

SPACE = ef.Tokens([[1, 2, -3], [-1, 6, 5], [-4, -4, 3], [0, 4, -1], [4, -4, 2]], [[2, 1, 0], [1, 2, 0], [0, 0, 1]], 1)


def test_layers_of_a_film_lie_in_one_plane_whichever_are_chosen() -> None:
    orbit = ef.simulate(SPACE, layers=6)
    whole, part = orbit_frames(orbit), orbit_frames(orbit, layers=[3, 6])
    assert part.words == whole.words == "principal projection from dimension 3 (rounded)"
    for at, layer in enumerate((3, 6)):
        assert np.array_equal(part.points[at], whole.points[layer])
        assert not np.allclose(whole.points[layer], whole.points[0])


EMERGING = configurations()["emerging leader"]


# ---------------------------------------------------------------- films


def test_leaders_are_ranked_by_when_they_begin_and_then_by_number() -> None:
    assert ranks_of({5: 0, 2: 3, 7: 0, 1: 3}) == {5: 0, 7: 1, 1: 2, 2: 3}


def test_a_film_of_chosen_layers_is_that_of_the_orbit() -> None:
    orbit = ef.simulate(EMERGING, layers=5)
    film = orbit_frames(orbit, layers=[1, 4], axes=(1, 0))
    assert film.layers == [1, 4]
    for k, points, follows in zip(film.layers, film.points, film.follows, strict=True):
        assert np.array_equal(points, orbit.tokens(k).floats()[:, ::-1])
        assert follows == orbit.follows(k)
    assert film.leads_from == orbit.leads_from
    assert film.words == ""


def test_planes() -> None:
    line = Plane.of(np.array([[1.0], [2.0]]))
    assert line(ef.Tokens([[3], [4]]).state).tolist() == [[3, 0], [4, 0]]
    rng = np.random.default_rng(2)
    flat = rng.standard_normal((30, 3)) * [5.0, 0.1, -2.0]
    plane = Plane.of(flat)
    assert plane.words == "principal projection from dimension 3 (rounded)"
    assert [int(np.abs(column).argmax()) for column in plane.matrix.T] == [0, 2]
    assert all(column[np.abs(column).argmax()] > 0 for column in plane.matrix.T)
    assert np.allclose(Plane.of(flat + 100).matrix, plane.matrix)
    single = Plane.of(np.array([[1.0, 2.0, 3.0]])).matrix
    assert single.shape == (3, 2)
    assert drawable(np.array([1e200, -1e200, 5.0])).tolist() == [LARGEST, -LARGEST, 5.0]
    assert Plane.of(np.eye(3), (2, 0)).matrix.T.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert Plane.of(np.eye(2), (1, 0)).words == ""
    with pytest.raises(InvalidInput, match=r"0\.\.2, got \(0, 3\)"):
        Plane.of(np.eye(3), (0, 3))
    assert Plane.of(np.eye(3), (0, 2)).words.startswith("coordinates 0 and 2 of 3")


def test_hulls_have_no_points_between_their_corners() -> None:
    square = [[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [0, 2], [1, 1], [0, 1]]
    assert planar_hull(np.array(square)).tolist() == [[0, 0], [2, 0], [2, 2], [0, 2]]
    assert planar_hull(np.array([[2, 1], [0, 1]])).tolist() == [[0, 1], [2, 1]]
    assert planar_hull(np.array([[2, 2], [0, 0], [1, 1]])).tolist() == [[0, 0], [2, 2]]
    assert planar_hull(np.empty((0, 2))).shape == (0, 2)


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


def test_telling_frames_have_the_ends() -> None:
    film = orbit_frames(ef.simulate(configurations()["square"], layers=20))
    frames = telling_frames(film)
    assert frames[0] == 0
    assert frames[-1] == 20
    assert len(frames) <= 4


def test_film_of_plain_data() -> None:
    points = [np.array([[0.0, 0.0], [1.0, 1.0]])]
    film = OrbitFrames([7], points, [[(1,), (1,)]], {1: 7})
    assert film.style(1, 0).shape == "star"
    assert film.style(0, 0).colours == film.style(1, 0).colours


def test_an_animation_is_of_the_axes_and_layers_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    saved: list[tuple[OrbitFrames, Path, str]] = []
    monkeypatch.setattr(
        "exactformer.report.plot.save_animation", lambda film, path, *, title: saved.append((film, path, title))
    )
    ef.plot(SPACE, layers=4, axes=(2, 0), title="mine", path=tmp_path / "f.GIF")
    ((film, path, title),) = saved
    whole = orbit_frames(ef.simulate(SPACE, layers=4), axes=(2, 0))
    assert (path, title, film.layers) == (tmp_path / "f.GIF", "mine", [0, 1, 2, 3, 4])
    assert all(np.array_equal(a, b) for a, b in zip(film.points, whole.points, strict=True))
    assert list(tmp_path.iterdir()) == []
