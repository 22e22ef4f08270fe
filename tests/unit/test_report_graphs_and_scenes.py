"""Follower graphs, films, scenes and stages: every place, arrow, colour, name and cell, held against the orbit."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput
from exactformer.report.canvas import frame, heading, new_figure, panels, save, scatter, set_heading, token_size
from exactformer.report.film import LARGEST, Film, Plane, drawable, film_of, planar_hull, ranks_of
from exactformer.report.gallery import configurations, draw_gallery
from exactformer.report.graph_plot import NAMES, a_norms, by_norm, draw_graph, pushed_apart
from exactformer.report.growth_plot import draw_growth
from exactformer.report.orbit_plot import draw_layer, draw_orbit, telling_frames
from exactformer.report.palette import COLOURS, NEUTRAL, SHAPES, Style, colour, follower_style, leader_style
from exactformer.report.passage import passage_of
from exactformer.report.scenes import (
    Stage,
    _set,
    draw_stage,
    frames_of,
    graph_scene,
    orbit_stage,
    passage_stage,
    points_stage,
)
from exactformer.report.svg import Scene, draw_frame, symbols
from exactformer.report.svg import draw_graph as svg_graph

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
    assert np.allclose(places[:, 0], [0, 1, 0.5, 0.88, 1.12, 0.5])
    assert places[:, 1].tolist() == norms.tolist()
    chain = by_norm([(0,), (0,), (1,)], np.array([3.0, 2.0, 1.0]))
    assert chain.tolist() == [[0, 3], [0, 2], [0, 1]]
    lower = by_norm([(0,), (2,), (2,)], np.array([3.0, 2.0, 1.0]))
    assert lower[:2, 0].tolist() == [0, 1], "who follows only a token below it is a root of its own"


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
    at = 3 if layer is None else layer
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
    assert (ax.get_ylabel(), list(ax.get_xticks())) == ("norm of A", [])
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


# ---------------------------------------------------------------- films


def test_leaders_are_ranked_by_when_they_begin_and_then_by_number() -> None:
    assert ranks_of({5: 0, 2: 3, 7: 0, 1: 3}) == {5: 0, 7: 1, 1: 2, 2: 3}


def test_frames_of_chosen_layers_know_their_layer() -> None:
    film = Film([0, 4, 9], [np.eye(3)[:, :2]] * 3, [[(0,), (0, 1), (1,)]] * 3, {0: 0, 1: 4, 2: 9})
    assert [film.leaders(k) for k in range(3)] == [[0], [0, 1], [0, 1, 2]]
    assert [film.style(1, k) for k in range(3)] == [Style("circle", COLOURS[:2]), leader_style(1), leader_style(1)]
    assert film.style(2, 0) == follower_style([1])
    assert len(film) == 3
    assert [len(film.polytope(k)) for k in range(3)] == [1, 2, 3]


def test_a_film_of_chosen_layers_is_that_of_the_orbit() -> None:
    orbit = ef.simulate(EMERGING, layers=5)
    film = film_of(orbit, layers=[1, 4], axes=(1, 0))
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


# ---------------------------------------------------------------- scenes


def scene(*, fixed: bool) -> Scene:
    points = [np.array([[0.0, 0.0], [4.0, 1.0], [2.0, 2.0]]), np.array([[1.0, 1.0], [3.0, 1.5], [2.0, 1.0]])]
    styles = [[leader_style(0), follower_style([0]), follower_style([None])], [leader_style(0)] * 3]
    outlines = [points[0][:2], np.empty((0, 2))]
    return Scene(["one", "two"], points, styles, outlines, ["a", "b", "c<d"], fixed=fixed)


def test_one_scale_for_all_frames_or_one_a_frame() -> None:
    same = scene(fixed=True)
    assert same.places(same.points[0], 0).tolist() == [[40, 400], [520, 280], [280, 160]]
    assert same.places(same.points[1], 1).tolist() == [[160, 280], [400, 220], [280, 280]]
    assert same.range(1) == "x from 0 to 4, y from 0 to 2"
    own = scene(fixed=False)
    assert own.places(own.points[1], 1).tolist() == [[40, 520], [520, 40], [280, 520]]
    assert own.range(1) == "x from 1 to 3, y from 1 to 1.5"
    assert own.json()["places"] == [own.places(own.points[k], k).ravel().tolist() for k in (0, 1)]
    assert own.json()["ranges"] == [own.range(0), own.range(1)]
    alone = Scene([""], [np.array([[7.0, 3.0]])], [[leader_style(0)]], [np.empty((0, 2))], ["x"])
    assert alone.places(alone.points[0], 0).tolist() == [[280, 280]]


def test_sets_of_tokens_have_every_point_once() -> None:
    assert _set(State.of([[1, 0]] * 5)) == "{(1, 0)}"
    assert _set(State.of([[1, 0], [0, 1], [1, 0]])) == "{(1, 0), (0, 1)}"
    assert _set(State.of([[1, 0], [0, 1], [1, 0], [2, 2]])) == "{(1, 0), (0, 1), .. 3 points}"


def test_what_a_script_needs_to_move_the_points() -> None:
    shown = scene(fixed=True)
    told = shown.json()
    assert told["names"] == ["one", "two"]
    assert told["places"] == [[40, 400, 520, 280, 280, 160], [160, 280, 400, 220, 280, 280]]
    assert told["styles"] == [[style.name for style in row] for row in shown.styles]
    assert told["outlines"] == ["M40,400L520,280Z", ""]
    assert told["ranges"] == ["x from 0 to 4, y from 0 to 2"] * 2
    assert shown.sheet == {leader_style(0), follower_style([0]), follower_style([None])}


def test_a_frame_has_every_point_with_its_style_and_stars_on_top() -> None:
    shown = scene(fixed=True)
    picture = parsed(draw_frame(shown, 0))[0]
    uses = picture.findall("use")
    assert [use.get("data-token") for use in uses] == ["1", "2", "0"]
    for use in uses:
        i = int(use.get("data-token", ""))
        assert use.get("href") == f"#{shown.styles[0][i].name}"
        assert [float(use.get(key, "nan")) for key in "xy"] == shown.places(shown.points[0], 0)[i].tolist()
        assert use[0].text == shown.titles[i]
    assert picture.get("aria-label") == "one: x from 0 to 4, y from 0 to 2"
    assert picture.get("viewBox") == "0 0 560 560"
    outline = picture.find("path")
    assert outline is not None
    assert outline.get("d") == shown.outline(0)
    assert parsed(draw_frame(shown, 1, label="mine"))[0].get("aria-label") == "mine"


def test_symbols_have_the_shapes_and_colours_of_their_styles() -> None:
    sheet = {Style(shape, (COLOURS[k],)) for k, shape in enumerate((*SHAPES[:6], "star"))}
    sheet |= {Style("cross", (NEUTRAL,)), Style("circle", COLOURS[:3])}
    drawn = {group.get("id"): group for group in parsed(symbols(sheet)).iter("g")}
    assert set(drawn) == {style.name for style in sheet}
    corners = {}
    for style in sheet:
        paths = drawn[style.name].findall("path")
        assert [path.get("fill") for path in paths] == list(style.colours)
        if len(paths) == 1 and style.shape != "circle":
            text = paths[0].get("d", "")[1:-1]
            corners[style.shape] = np.array([[float(x) for x in pair.split(",")] for pair in text.split("L")])
    sizes = {"square": 4, "triangle": 3, "down": 3, "diamond": 4, "plus": 12, "cross": 12, "star": 10}
    assert {shape: len(found) for shape, found in corners.items()} == sizes
    for found in corners.values():
        mirrored = {(round(-x, 1) + 0.0, round(y, 1)) for x, y in found}
        assert mirrored == {(round(x, 1) + 0.0, round(y, 1)) for x, y in found}
        assert 5 < np.abs(found).max() <= 11
    tops = {shape: np.sum(found[:, 1] == found[:, 1].min()) for shape, found in corners.items()}
    assert tops == {"square": 2, "triangle": 1, "down": 2, "diamond": 1, "plus": 2, "cross": 2, "star": 1}
    assert np.allclose(np.linalg.norm(corners["star"], axis=1), [11, 4.6] * 5, atol=0.02)
    (disc,) = drawn[Style("circle", (COLOURS[0],)).name].findall("path")
    assert disc.get("d", "").count("A6.5,6.5") == 2
    turned = corners["plus"] @ [[1, 1], [-1, 1]]
    assert np.allclose(corners["cross"], 0.75 * turned, atol=0.01)


def test_slices_of_a_tie_go_round_once() -> None:
    (group,) = parsed(symbols({Style("circle", COLOURS[:3])})).iter("g")
    ends = []
    for path in group:
        found = re.fullmatch(r"M0,0L(\S+),(\S+)A7.5,7.5 0 0 0 (\S+),(\S+)Z", path.get("d", ""))
        assert found is not None
        ends.append([float(x) for x in found.groups()])
    assert ends[0][:2] == [0, -7.5], "from the top"
    assert ends[0][2] < 0, "to the left, as in the other pictures"
    assert [end[2:] for end in ends] == [end[:2] for end in [*ends[1:], ends[0]]]


def test_the_graph_of_a_page_has_every_arrow_and_number() -> None:
    orbit = ef.simulate(EMERGING, layers=2)
    shown = graph_scene(orbit, 1)
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


# ---------------------------------------------------------------- stages


def test_cells_of_a_stage_are_those_of_the_orbit() -> None:
    orbit = ef.simulate(EMERGING, layers=4)
    stage = orbit_stage(orbit)
    film = film_of(orbit)
    assert stage.columns == ["token", "place", "follows", "leads"]
    assert stage.heads == [str(i) for i in range(8)]
    assert stage.scene.names == [f"layer {k}" for k in range(5)]
    assert stage.scene.titles == [f"token {i}" for i in range(8)]
    for k in range(5):
        rows = [stage.cells[k][3 * i : 3 * i + 3] for i in range(8)]
        assert [row[1] for row in rows] == [", ".join(map(str, members)) for members in orbit.follows(k)]
        assert [i for i, row in enumerate(rows) if row[2]] == sorted(orbit.leaders_at(k))
        assert {row[2] for row in rows} == {"leader", ""}
        assert stage.scene.styles[k] == [film.style(i, k) for i in range(8)]
        assert np.array_equal(stage.scene.outlines[k], film.polytope(k))
    words = [text for _, text in stage.legend]
    leaders = [f"leader {i}; its followers share the colour" for i in film.ranks]
    assert words[: len(leaders)] == leaders
    assert [style for style, _ in stage.legend][: len(leaders)] == [leader_style(k) for k in range(len(leaders))]
    assert stage.legend[-1] == (follower_style([None]), "follows no leader yet")


@pytest.mark.parametrize(("count", "frames"), [(500, 60), (501, 15)])
def test_many_tokens_have_fewer_frames(count: int, frames: int) -> None:
    stage = orbit_stage(ef.simulate(ef.Tokens([[k] for k in range(1, count + 1)]), layers=70))
    assert len(stage.scene.names) == frames
    assert (stage.scene.names[0], stage.scene.names[-1]) == ("layer 0", "layer 70")
    assert len(stage.cells[0]) == 3 * 40
    assert len(stage.heads) == count


def test_long_sets_and_points_are_cut_in_cells() -> None:
    tokens = ef.Tokens([[0, 0, 0, 0], *([1, 2, 3, k] for k in range(8))])
    stage = orbit_stage(ef.simulate(tokens, layers=0, unchecked=True))
    assert stage.cells[0][:2] == ["(0, 0, 0, .. 4)", "0, 1, 2, 3, 4, 5, 6, 7, .. (9)"]
    eight = orbit_stage(ef.simulate(ef.Tokens([[0, 0, 0], *([1, 2, k] for k in range(7))]), layers=0, unchecked=True))
    assert eight.cells[0][:2] == ["(0, 0, 0)", "0, 1, 2, 3, 4, 5, 6, 7"]


def test_frames_are_all_layers_where_there_are_not_more() -> None:
    assert frames_of(4, 5) == [0, 1, 2, 3, 4]
    assert frames_of(5, 5) == [0, 1, 2, 4, 5]
    assert frames_of(0, 4) == [0]


def test_a_passage_on_a_page() -> None:
    data = ef.Dataset.of([[[0], [1], [2]], [[1], [7]]], labels=["a", "b"], names=["x", "y"])
    built = ef.construct(data)
    stage = passage_stage(passage_of(built.transformer, built.data, built.targets.state))
    assert stage.heads == ["x (a)", "y (b)"]
    assert stage.columns == ["sequence", "set of tokens"]
    assert stage.cells[0] == ["{(0), (1), .. 3 points}", "{(1), (7)}"]
    assert stage.scene.titles == [f"x (a), token {i}" for i in range(3)] + [f"y (b), token {i}" for i in range(2)]
    assert stage.scene.names[0] == "input"
    assert not stage.scene.fixed
    assert [text for _, text in stage.legend] == ["a", "b", "a point of several labels"]
    assert stage.legend[2][0].colours == COLOURS[:2]
    plain = ef.construct([[[0]], [[1]]], targets=[[[0]], [[2]]])
    unnamed = passage_stage(passage_of(plain.transformer, plain.data, plain.targets.state))
    assert unnamed.heads == ["sequence 0", "sequence 1"]


def test_named_points_in_one_picture() -> None:
    stage = points_stage({"left": [[0, 1], [2, 3]], "right": [[4, 5]]})
    assert stage.scene.titles == ["left 0", "left 1", "right 0"]
    assert stage.scene.points[0].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert stage.scene.outline(0) == ""
    assert stage.scene.styles[0] == [follower_style([0])] * 2 + [follower_style([1])]
    assert stage.legend == [(follower_style([0]), "left"), (follower_style([1]), "right")]
    page = parsed(draw_stage(stage))
    assert [child.get("class") for child in page] == ["graph"]
    assert ["".join(span.itertext()).strip() for span in page.iter("span")] == ["left", "right"]


def test_the_page_of_a_stage_starts_at_its_first_frame() -> None:
    orbit = ef.simulate(ef.Tokens([[k, 1] for k in range(1, 43)]), layers=3)
    stage = orbit_stage(orbit)
    page = draw_stage(stage)
    found = re.search(r'<script type="application/json">(.*?)</script>', page)
    assert found is not None
    content = json.loads(unescape(found[1]))
    assert content == json.loads(json.dumps(stage.scene.json() | {"cells": stage.cells}))
    assert '<input type="range" min="0" max="3" value="0"' in page
    assert "<output>layer 0</output>" in page
    assert page.count("<td>") == 40
    assert "2 more tokens are drawn, not listed." in page
    cells = re.findall(r'<td class="number" data-cell>(.*?)</td>', page)
    assert cells == stage.cells[0]
    assert re.findall(r"<th>(.*?)</th>", page) == stage.columns
    assert f'<p class="soft range">{stage.scene.range(0)}</p>' in page
    assert page.startswith('<div class="stage wide">')
    space = orbit_stage(ef.simulate(ef.Tokens([[1, 0, 0], [0, 2, 0], [0, 0, 3]]), layers=1))
    assert draw_stage(space).startswith('<p class="soft">principal projection from dimension 3 (rounded)</p>')
    short = Stage(stage.scene, stage.columns, stage.heads[:40], stage.cells, stage.legend)
    assert "not listed" not in draw_stage(short)


def test_the_legend_of_a_page_has_only_what_is_drawn() -> None:
    stage = orbit_stage(ef.simulate(ef.Tokens([[3, 0], [-3, 0], [1, 0]]), layers=1))
    page = draw_stage(stage)
    assert "leader 0; its followers share the colour" in page
    assert "follows no leader yet" not in page
    tie = orbit_stage(ef.simulate(ef.Tokens([[3, 1], [3, -1], [1, 0]]), layers=1))
    assert "a cut disc follows several (a tie)" in draw_stage(tie)


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
    frame(ax, [np.array([[0.0, 0.0]]), np.array([[10.0, 2.0]])], equal=equal)
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


def test_colours_of_ranks_and_of_none() -> None:
    assert [colour(None), colour(0), colour(8)] == [NEUTRAL, COLOURS[0], COLOURS[1]]
    assert follower_style([None]) == Style("circle", (NEUTRAL,))
    assert follower_style([None, 0]) == Style("circle", (NEUTRAL, COLOURS[0]))
    assert follower_style([1, 1]) == Style("square", (COLOURS[1],))
    assert follower_style([0, 7]) == Style("circle", (COLOURS[0],))
    assert Style("circle", COLOURS[:2]).name == "circle-0072B2-E69F00"


# ---------------------------------------------------------------- orbits and growth


def test_a_layer_has_its_tokens_trails_polytope_and_origin() -> None:
    film = film_of(ef.simulate(EMERGING, layers=3))
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
    film = film_of(ef.simulate(EMERGING, layers=6))
    figure = draw_orbit(film, [0, 5], title="mine", ringed=3)
    for ax, k in zip(figure.axes, (0, 5), strict=True):
        ring = ax.collections[-1]
        assert ring.get_offsets().tolist() == [film.points[k][3].tolist()]
        assert not len(ring.get_facecolor())
        assert ax.get_title() == f"layer {k}"
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[-1] == "the witness, token 3"
    assert words[:3] == ["leader", "follows the leader so coloured", "follows several (a tie)"]
    assert figure.get_suptitle() == "mine"
    assert len(draw_orbit(film).legends[0].get_texts()) == 5
    for frames in ([7], [-1], []):
        with pytest.raises(InvalidInput, match=r"0\.\.6"):
            draw_orbit(film, frames)


def test_telling_frames_are_where_most_happens() -> None:
    points = [np.array([[float(x), 0.0]]) for x in (0, 0, 0, 6, 6, 6, 12, 12)]
    film = Film(list(range(8)), points, [[(0,)]] * 8, {})
    assert telling_frames(film) == [0, 3, 6, 7]
    still = Film(list(range(8)), points[:1] * 8, [[(0,)]] * 8, {})
    assert telling_frames(still)[:: len(telling_frames(still)) - 1] == [0, 7]
    assert telling_frames(Film(list(range(4)), points[:4], [[(0,)]] * 4, {})) == [0, 1, 2, 3]


def test_bits_against_layers() -> None:
    (ax,) = draw_growth([3, 60, 5], across="layer").axes
    curve, limit = ax.lines
    assert curve.get_xydata().tolist() == [[0, 3], [1, 60], [2, 5]]
    assert list(limit.get_ydata()) == [53, 53]
    assert (ax.get_xlabel(), ax.get_title(), ax.get_ylim()[0]) == ("layer", "exact numbers grow", 0)
    assert [draw_growth([1] * n, across="x", title="t").axes[0].lines[0].get_marker() for n in (60, 61)] == [
        "o",
        "None",
    ]
    orbit = ef.simulate(ef.Tokens([[4, 0], [0, 6]], alpha="1/3"), layers=4)
    heights = list(ef.plot(orbit, "bits").axes[0].lines[0].get_ydata())
    for k, bits in enumerate(heights):
        state = orbit.tokens(k)
        common = np.lcm.reduce([x.denominator for row in state for x in row])
        numbers = [int(common), *(int(x * int(common)) for row in state for x in row)]
        assert bits == max(abs(n).bit_length() for n in numbers)


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
