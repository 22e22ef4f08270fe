"""Tests of `exactformer.report.gallery`."""

from __future__ import annotations

import numpy as np

import exactformer as ef
from exactformer.report.gallery import configurations, draw_gallery
from exactformer.report.orbit_frames import orbit_frames


def test_the_gallery_shows_four_layers_of_every_configuration() -> None:
    axes = draw_gallery().axes
    assert [ax.get_title() for ax in axes] == ["layer 0", "layer 1", "layer 3", "layer 12"] * 4
    assert [ax.get_ylabel() for ax in axes[::4]] == list(configurations())
    for row, tokens in enumerate(configurations().values()):
        orbit = ef.simulate(tokens, layers=12)
        for ax, layer in zip(axes[4 * row : 4 * row + 4], (0, 1, 3, 12), strict=True):
            drawn = np.vstack([drawn.get_offsets() for drawn in ax.collections])
            for place in orbit.tokens(layer).floats():
                assert np.abs(drawn - place).sum(axis=1).min() < 1e-9


def test_emerging_leader_changes_its_style() -> None:
    film = orbit_frames(ef.simulate(configurations()["emerging leader"], layers=3))
    assert film.style(1, 0).shape == "circle"
    assert film.style(1, 1).shape == "star"
    assert film.leaders(0) == [0, 2]
    assert set(film.leaders(1)) == {0, 1, 2}
    assert len(film.polytope(0)) == 2
    assert len(film.polytope(1)) == 3
