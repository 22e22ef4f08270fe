"""Tests of `exactformer.report.float_plot`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.report.float_plot import Departure, departure_of, draw_departure
from exactformer.report.orbit_frames import OrbitFrames


def test_strays_have_an_arrow_to_where_they_belong() -> None:
    exact = OrbitFrames([0], [np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])], [[(0,), (1,), (2,)]], {0: 0})
    floats = OrbitFrames([0], [np.array([[0.0005, 0.0], [1.0, 0.5], [0.0, 1.0]])], [[(0,), (1,), (2,)]], {0: 0})
    left, middle, right = draw_departure(Departure(exact, floats, [0.5], [1]), title="mine").axes
    assert [(list(text.xy), list(text.xyann)) for text in middle.texts] == [([1.0, 0.0], [1.0, 0.5])]
    assert [ax.get_title() for ax in (left, middle)] == ["exact, layer 0", "float64, layer 0"]
    assert (right.get_xlabel(), right.get_yscale()) == ("layer", "log")
    assert left.figure.get_suptitle() == "mine"


def test_floats_are_drawn_where_they_are_and_exact_tokens_where_they_are() -> None:
    tokens = ef.Tokens([[1, 2], [-1, 6], [-4, -4], [4, -4]])
    departure = departure_of(ef.simulate(tokens, layers=2))
    floats = replace(departure.floats, points=[points + np.array([[0.25, -0.5]]) for points in departure.floats.points])
    left, middle, _ = draw_departure(replace(departure, floats=floats)).axes
    exact, moved = departure.exact.points[2], floats.points[2]
    drawn = [{tuple(p) for c in ax.collections for p in np.asarray(c.get_offsets()).tolist()} for ax in (left, middle)]
    assert drawn[0] >= set(map(tuple, exact.tolist()))
    assert not drawn[0] & set(map(tuple, moved.tolist()))
    assert drawn[1] >= set(map(tuple, moved.tolist())) | set(map(tuple, exact.tolist()))
    arrows = [(text.xyann, text.xy) for text in middle.texts if not text.get_text()]
    assert [tuple(map(tuple, arrow)) for arrow in arrows] == [
        (tuple(start), tuple(end)) for start, end in zip(moved.tolist(), exact.tolist(), strict=True)
    ]


def curves(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    """The named lines of a panel."""
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines}


def test_every_layer_with_a_wrong_set_is_marked() -> None:
    film = OrbitFrames([0, 1, 2], [np.eye(2)] * 3, [[(0,), (1,)]] * 3, {0: 0, 1: 0})
    ax = draw_departure(Departure(film, film, [0.0, 0.25, 0.5], [0, 1, 2])).axes[2]
    assert curves(ax)["wrong follower sets"] == ([1, 2], [0.25, 0.5])
    assert curves(ax)["largest error"] == ([0, 1, 2], [0.01, 0.25, 0.5])


def test_floats_depart_from_exact_as_the_definition_says() -> None:
    tokens = ef.Tokens([["7/3", "1/3"], ["-1/3", "7/3"], ["2", "8/3"], ["-3/2", "-2"]], alpha="1/2")
    orbit = ef.simulate(tokens, layers=6)
    found = departure_of(orbit)
    for k in range(7):
        exact, floats = orbit.follows(k), found.floats.follows[k]
        assert found.wrong[k] == sum(tuple(a) != tuple(b) for a, b in zip(exact, floats, strict=True))
        away = found.floats.points[k] - orbit.tokens(k).floats()
        assert found.distances[k] >= np.abs(away).max() * (1 - 1e-9)
    assert found.wrong[0]


SPACE = ef.Tokens([[1, 2, -3], [-1, 6, 5], [-4, -4, 3], [0, 4, -1], [4, -4, 2]], [[2, 1, 0], [1, 2, 0], [0, 0, 1]], 1)


@pytest.mark.parametrize("axes", [None, (2, 0)])
def test_floats_that_round_nothing_have_the_film_of_the_exact_orbit(axes: tuple[int, int] | None) -> None:
    orbit = ef.simulate(SPACE, layers=6)
    found = departure_of(orbit, axes=axes)
    assert found.floats.leads_from == found.exact.leads_from == orbit.leads_from
    assert len(set(orbit.leads_from.values())) > 1
    assert (found.floats.layers, found.floats.words) == (found.exact.layers, found.exact.words)
    assert [list(map(tuple, sets)) for sets in found.floats.follows] == [
        list(map(tuple, sets)) for sets in found.exact.follows
    ]
    for k in range(7):
        assert np.array_equal(found.floats.points[k], found.exact.points[k])
        if axes is not None:
            assert np.array_equal(found.exact.points[k], orbit.tokens(k).floats()[:, [2, 0]])
    assert (found.distances, found.wrong) == ([0.0] * 7, [0] * 7)


def test_floats_that_are_exact_are_said_to_be_so() -> None:
    ax = ef.plot(ef.Tokens([[1, 0], [0, 1], ["1/2", "1/2"]]), "float", layers=3).axes[2]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["exactly 0"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["largest error"]
