"""Tests of `exactformer.report.animation`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import exactformer as ef
from exactformer.errors import InvalidInput
from exactformer.report.animation import glide, save_animation
from exactformer.report.gallery import configurations
from exactformer.report.orbit_frames import OrbitFrames, orbit_frames


def test_animations_end_in_gif_or_mp4(tmp_path: Path) -> None:
    film = OrbitFrames([0, 1], [np.eye(2), 2 * np.eye(2)], [[(0,), (1,)]] * 2, {0: 0, 1: 0})
    with pytest.raises(InvalidInput, match=r"\.gif or \.mp4, got '\.avi'"):
        save_animation(film, tmp_path / "f.avi")


EMERGING = configurations()["emerging leader"]


def test_a_film_glides_and_follows_by_the_layer_it_leaves() -> None:
    film = orbit_frames(ef.simulate(EMERGING, layers=2))
    slow = glide(film, 4)
    assert slow.layers == [0] * 4 + [1] * 4 + [2]
    assert slow.follows == [film.follows[k] for k in slow.layers]
    assert np.allclose(slow.points[5], 0.75 * film.points[1] + 0.25 * film.points[2])
    assert np.array_equal(slow.points[-1], film.points[2])
    assert (slow.leads_from, slow.words) == (film.leads_from, film.words)


def test_a_gliding_film_keeps_the_numbers_of_chosen_layers() -> None:
    film = orbit_frames(ef.simulate(EMERGING, layers=9), layers=[0, 4, 9])
    slow = glide(film, 3)
    assert slow.layers == [0, 0, 0, 4, 4, 4, 9]
    for k, share in ((1, 1 / 3), (2, 2 / 3)):
        assert np.allclose(slow.points[k], (1 - share) * film.points[0] + share * film.points[1])
    assert [slow.leaders(at) for at in (0, 3, 6)] == [film.leaders(at) for at in range(3)]


@pytest.mark.parametrize(("count", "pictures"), [(400, 5), (401, 2)])
def test_few_tokens_glide_and_many_jump(
    count: int, pictures: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    circle = np.column_stack([np.cos(np.arange(count)), np.sin(np.arange(count))])
    film = OrbitFrames([3, 8], [circle, 2 * circle], [[(0,)] * count] * 2, {0: 0})
    asked: list[tuple[int, Path, int, str]] = []

    def titles(figure: Figure, show: Callable[[int], None], frames: int, path: Path, *, frames_per_second: int) -> None:
        show(frames - 1)
        asked.append((frames, path, frames_per_second, figure.axes[0].get_title()))

    monkeypatch.setattr("exactformer.report.animation.save_frames", titles)
    save_animation(film, tmp_path / "f.gif", frames_per_second=5, title="mine")
    assert asked == [(pictures, tmp_path / "f.gif", 5, "mine \N{EM DASH} layer 8")]
