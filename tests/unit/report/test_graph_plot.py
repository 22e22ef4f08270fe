"""Tests of `exactformer.report.graph_plot`."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

import exactformer as ef
from exactformer.report.gallery import configurations
from exactformer.report.graph_plot import NAMES, a_norms, by_norm, draw_graph, pushed_apart
from exactformer.report.interactive import graph_picture
from exactformer.report.orbit_frames import ranks_of
from exactformer.report.palette import follower_style, leader_style
from exactformer.report.svg import svg_graph as svg_graph


def test_norms_that_hardly_differ_fill_a_twentieth_of_the_largest() -> None:
    (ax,) = draw_graph(ef.simulate(ef.Tokens([[10, 0], [0, "101/10"]]), layers=0)).axes
    reach = 0.62 * 0.05 * 10.1
    assert np.allclose(ax.get_ylim(), [10.05 - reach, 10.05 + reach])


EMERGING = configurations()["emerging leader"]


def markers(ax: Any) -> list[tuple[list[float], str]]:
    """Place and colour of every collection of one point."""
    return [
        (drawn.get_offsets()[0].tolist(), to_hex(drawn.get_facecolor()[0]).upper())
        for drawn in ax.collections
        if len(drawn.get_offsets()) == 1 and len(drawn.get_facecolor())
    ]


def parsed(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{markup}</div>")


# ---------------------------------------------------------------- graphs of matplotlib


def test_heights_of_a_graph_are_norms_of_its_matrix() -> None:
    tokens = ef.Tokens([[1, 0], [0, 2], [1, 1], [0, 0]], A=[[2, 1], [1, 3]])
    assert np.allclose(a_norms(ef.simulate(tokens, layers=1, unchecked=True), 0) ** 2, [2, 12, 7, 0])


def test_a_token_stands_below_the_middle_of_whom_it_follows() -> None:
    norms = np.array([9.0, 8.0, 5.0, 3.0, 2.0, 1.0])
    follows = [(0,), (1,), (0, 1), (1,), (1,), (2,)]
    places = by_norm(follows, norms)
    # room 1/2 + 1/2 * 4/2 for root 0 (2 and 5 are below it), as much for root 1; two side by side are 0.9 rooms apart
    assert np.allclose(places[:, 0], [0.5, 1.5, 1.0, 1.05, 1.95, 1.0])
    assert places[:, 1].tolist() == norms.tolist()
    chain = by_norm([(0,), (0,), (1,)], np.array([3.0, 2.0, 1.0]))
    assert len(set(chain[:, 0])) == 1, "a child stands below its parent, a grandchild below the child"
    lower = by_norm([(0,), (2,), (2,)], np.array([3.0, 2.0, 1.0]))
    assert lower[0, 0] < lower[1, 0], "who follows only a token below it is a root of its own"


def test_no_edge_runs_through_a_token_of_another_leader() -> None:
    """Ten leaders, of which one has five followers and its neighbour four: every fan stays in a room of its own."""
    norms = np.array([5.0] * 10 + [1.9, 1.8, 1.6, 1.2, 0.9, 2.6, 1.5, 0.9, 0.8])
    follows = [*((i,) for i in range(10)), *[(4,)] * 5, *[(5,)] * 4]
    places = by_norm(follows, norms)
    fans = [[places[i, 0] for i in range(19) if follows[i] == (k,)] for k in (4, 5)]
    assert max(fans[0]) < min(fans[1])
    for i in range(10, 19):
        start, end = places[i], places[follows[i][0]]
        for j in range(19):
            if j not in (i, follows[i][0]) and start[1] < places[j, 1] < end[1]:
                at = start[0] + (end[0] - start[0]) * (places[j, 1] - start[1]) / (end[1] - start[1])
                assert abs(at - places[j, 0]) > 0.02 * np.ptp(places[:, 0]), (i, j)


def test_a_follower_of_a_follower_stands_below_it() -> None:
    norms = np.array([9.0, 5.0, 4.0, 1.0])
    places = by_norm([(0,), (0,), (0,), (1,)], norms)
    assert places[3, 0] == places[1, 0] != places[0, 0]


def test_only_points_of_the_same_height_are_pushed_and_as_little_as_needed() -> None:
    far = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.5]])
    assert np.array_equal(pushed_apart(far), far)
    pushed = pushed_apart(np.array([[0.0, 1.0], [0.01, 1.0], [1.0, 0.0]]))
    assert np.allclose(pushed[:, 0], [0.005 - 0.055 * 1.01 / 2, 0.005 + 0.055 * 1.01 / 2, 1])
    equal = pushed_apart(np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]))
    assert equal[0, 0] < equal[1, 0], "the first stands to the left"
    crowd = np.column_stack([np.zeros(201), np.ones(201)])
    assert np.array_equal(pushed_apart(crowd), crowd)
    assert len(set(pushed_apart(crowd[:200], rounds=1)[:, 0])) > 1


@pytest.mark.parametrize("layer", [0, 2, None])
def test_the_graph_of_a_layer(layer: int | None) -> None:
    orbit = ef.simulate(EMERGING, layers=3)
    at = 0 if layer is None else layer
    (ax,) = draw_graph(orbit, layer).axes
    follows = orbit.follows(at)
    places = by_norm(follows, a_norms(orbit, at))
    ranks = ranks_of(orbit.leads_from)
    drawn: dict[int, set[str]] = {}
    for place, hue in markers(ax):
        drawn.setdefault(int(np.abs(places - place).sum(axis=1).argmin()), set()).add(hue)
        assert np.abs(places - place).sum(axis=1).min() < 1e-9
    for i, members in enumerate(follows):
        star = i in orbit.leaders_at(at)
        style = leader_style(ranks[i]) if star else follower_style(ranks.get(j) for j in members)
        assert drawn[i] == {hue.upper() for hue in style.colours}
    names = {text.get_text(): list(text.xy) for text in ax.texts}
    assert names == {str(i): places[i].tolist() for i in range(len(places))}
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == sum(j != i for i, members in enumerate(follows) for j in members)
    assert ax.get_title() == f"follower graph of layer {at}"
    assert (ax.get_ylabel(), list(ax.get_xticks())) == (r"$\|z_i\|_A$", [])
    low, high = places[:, 1].min(), places[:, 1].max()
    assert np.allclose(ax.get_ylim(), [(low + high) / 2 - 0.62 * (high - low), (low + high) / 2 + 0.62 * (high - low)])
    assert draw_graph(orbit, layer, title="mine").axes[0].get_title() == "mine"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count", [NAMES, NAMES + 1])
def test_names_and_arrow_heads_up_to_forty_tokens(count: int) -> None:
    orbit = ef.simulate(ef.Tokens([[k, 1] for k in range(count)]), layers=0)
    (ax,) = draw_graph(orbit).axes
    assert len(ax.texts) == (count if count == 40 else 0)
    assert bool(ax.patches) == (count == 40)


def test_tokens_of_one_norm_have_a_picture_that_is_not_flat() -> None:
    (ax,) = draw_graph(ef.simulate(ef.Tokens([[2, 0], [-2, 0]]), layers=0)).axes
    assert np.allclose(ax.get_ylim(), [2 - 0.062, 2 + 0.062])


# ---------------------------------------------------------------- scenes


def test_the_graph_of_a_page_has_every_arrow_and_number() -> None:
    orbit = ef.simulate(EMERGING, layers=2)
    shown = graph_picture(orbit, 1)
    follows, ranks = orbit.follows(1), ranks_of(orbit.leads_from)
    assert shown.names == ["layer 1"]
    assert list(shown.edges) == [(i, j) for i, members in enumerate(follows) for j in members if i != j]
    assert np.array_equal(shown.points[0], by_norm(follows, a_norms(orbit, 1)))
    for i, style in enumerate(shown.styles[0]):
        leads = i in orbit.leaders_at(1)
        assert style == (leader_style(ranks[i]) if leads else follower_style(map(ranks.get, follows[i])))
    picture = parsed(svg_graph(shown, label="whom"))[0]
    at = shown.places(shown.points[0], 0).tolist()
    lines = [[float(line.get(key, "nan")) for key in ("x1", "y1", "x2", "y2")] for line in picture.iter("line")]
    assert lines == [at[i] + at[j] for i, j in shown.edges]
    texts = [(text.text, float(text.get("x", "0")), float(text.get("y", "0"))) for text in picture.iter("text")]
    assert texts == [(str(i), pytest.approx(x + 9), pytest.approx(y - 7)) for i, (x, y) in enumerate(at)]
    assert picture.get("aria-label") == "whom"


def test_no_two_names_of_a_graph_overlap() -> None:
    places = np.column_stack([np.zeros(12), np.repeat([1.0, 1.001, 2.0], 4)])
    apart = pushed_apart(places)
    assert np.array_equal(apart[:, 1], places[:, 1]), "heights are norms and stay"
    extent = np.ptp(places[:, 1])
    for i in range(12):
        for j in range(i):
            near = abs(apart[i, 1] - apart[j, 1]) / extent < 0.06
            assert not near or abs(apart[i, 0] - apart[j, 0]) > 0.05


def test_edges_of_the_follower_graph_point_upwards() -> None:
    orbit = ef.simulate(configurations()["triangle"], layers=1)
    follows, places = orbit.follows(0), by_norm(orbit.follows(0), a_norms(orbit, 0))
    assert all(places[j][1] > places[i][1] for i, members in enumerate(follows) for j in members if i != j)
