"""Tests of `exactformer.report.canvas`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

from exactformer.errors import InvalidInput
from exactformer.report.canvas import frame_points, heading, new_figure, panels, save, scatter, set_heading, token_size
from exactformer.report.palette import COLOURS, Style, follower_style, leader_style


def test_headings_are_as_long_as_their_figure_is_wide() -> None:
    for width, height in ((2, 6), (6, 2)):
        figure = new_figure(width, height)
        set_heading(figure, "word " * 30)
        lengths = [len(line) for line in figure.get_suptitle().split("\n")]
        assert int(13.5 * width) - 5 < max(lengths) <= int(13.5 * width)


@pytest.mark.parametrize("sign", [1, -1])
def test_points_on_one_place_have_a_picture_around_them(sign: int) -> None:
    (ax,) = panels(1)[1]
    frame_points(ax, [np.array([[4.0 * sign, 3.0], [4.0 * sign, 5.0]])], equal=False)
    assert np.allclose([ax.get_xlim(), ax.get_ylim()], [(4 * sign - 0.2, 4 * sign + 0.2), (2.8, 5.2)])
    frame_points(ax, [np.array([[4.0 * sign, 8.0 * sign]])])
    assert np.allclose(ax.get_xlim(), (4 * sign - 0.36, 4 * sign + 0.36))
    assert np.allclose(ax.get_ylim(), (8 * sign - 0.36, 8 * sign + 0.36))


# ---------------------------------------------------------------- what all pictures share


def test_sizes_of_markers() -> None:
    assert [token_size(count) for count in (1, 40, 88, 10_000)] == [64, 50, 26, 6]
    (ax,) = panels(1)[1]
    scatter(ax, np.array([[1.0, 2.0]]), leader_style(1), 10)
    scatter(ax, np.array([[1.0, 2.0]]), leader_style(1), 50)
    scatter(ax, np.array([[1.0, 2.0]]), follower_style([2]), 10, zorder=7)
    scatter(ax, np.empty((0, 2)), follower_style([2]), 10)
    scatter(ax, np.array([[3.0, 4.0]]), Style("circle", COLOURS[:2]), 10)
    star, large, disc, *wedges = ax.collections
    assert [drawn.get_sizes()[0] for drawn in (star, large, disc)] == [34, 120, 10]
    assert (disc.get_zorder(), star.get_zorder()) == (7, 3)
    assert [to_hex(drawn.get_facecolor()[0]).upper() for drawn in wedges] == list(COLOURS[:2])
    left, right = (drawn.get_paths()[0].vertices for drawn in wedges)
    assert left[:, 0].max() < 1e-9, "the first half is the left one"
    assert right[:, 0].min() > -1e-9


@pytest.mark.parametrize("equal", [True, False])
def test_limits_leave_some_room(equal: bool) -> None:
    (ax,) = panels(1)[1]
    frame_points(ax, [np.array([[0.0, 0.0]]), np.array([[10.0, 2.0]])], equal=equal)
    wanted = [(-0.9, 10.9), (-0.9, 2.9)] if equal else [(-1, 11), (-0.2, 2.2)]
    assert np.allclose([ax.get_xlim(), ax.get_ylim()], wanted)
    assert ax.get_aspect() == (1 if equal else "auto")


def test_panels_stand_in_rows_of_four() -> None:
    figure, axes = panels(6)
    assert len(axes) == 6
    assert [ax.get_visible() for ax in figure.axes] == [True] * 6 + [False] * 2
    assert tuple(figure.get_size_inches()) == (12, 6)
    assert tuple(panels(1)[0].get_size_inches()) == (4.5, 3)
    assert tuple(panels(3, columns=2, size=3.6)[0].get_size_inches()) == (7.2, 7.2)


def test_headings_are_wrapped_and_only_of_texts_that_are_there(tmp_path: Any) -> None:
    assert heading("a", "", "b") == "a \N{EM DASH} b"
    figure = new_figure(2, 2)
    set_heading(figure, "")
    assert figure.get_suptitle() == ""
    set_heading(figure, "word " * 12)
    assert [len(line) <= 27 for line in figure.get_suptitle().split("\n")] == [True] * 3
    with pytest.raises(InvalidInput, match=r"\.png, \.pdf, \.svg, got '\.jpg'"):
        save(figure, tmp_path / "p.jpg")
    save(figure, tmp_path / "P.SVG")
    assert "<svg" in (tmp_path / "P.SVG").read_text()
    assert figure._repr_png_().startswith(b"\x89PNG")
