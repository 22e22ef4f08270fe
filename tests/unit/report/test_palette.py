"""Tests of `exactformer.report.palette`."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np

import exactformer as ef
from exactformer.report.interactive import orbit_stage
from exactformer.report.orbit_frames import OrbitFrames
from exactformer.report.palette import COLOURS, NEUTRAL, SHAPES, Style, colour, follower_style, leader_style
from exactformer.report.svg import Scene, symbols


def test_a_tie_shows_four_colours_that_differ() -> None:
    """Of more colours than four, the first four."""
    assert follower_style([0, 21, 1, 2, 3]) == Style("circle", COLOURS[:4])
    assert follower_style([5, 4, 3, 2, 1, 0]) == Style("circle", COLOURS[5:1:-1])
    assert follower_style([None, 2, None]) == Style("circle", (NEUTRAL, COLOURS[2]))
    assert follower_style([3, 3]) == follower_style([3]) == Style("diamond", (COLOURS[3],))
    assert follower_style([0, 21]) == Style("circle", COLOURS[:1])


def test_twelve_leaders_of_many_are_in_the_legend_of_a_page() -> None:
    quarter = [(25, 0), (24, 7), (20, 15), (15, 20)]
    circle = [(x * c - y * s, x * s + y * c) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)) for x, y in quarter]
    stage = orbit_stage(ef.simulate(ef.Tokens(circle), layers=1))
    assert stage.legend == [
        *((leader_style(i), f"leader {i}; its followers share the colour") for i in range(12)),
        (follower_style([None]), "follows no leader yet"),
    ]


def parsed(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{markup}</div>")


# ---------------------------------------------------------------- films


def test_frames_of_chosen_layers_know_their_layer() -> None:
    film = OrbitFrames([0, 4, 9], [np.eye(3)[:, :2]] * 3, [[(0,), (0, 1), (1,)]] * 3, {0: 0, 1: 4, 2: 9})
    assert [film.leaders(k) for k in range(3)] == [[0], [0, 1], [0, 1, 2]]
    assert [film.style(1, k) for k in range(3)] == [Style("circle", COLOURS[:2]), leader_style(1), leader_style(1)]
    assert film.style(2, 0) == follower_style([1])
    assert len(film) == 3
    assert [len(film.polytope(k)) for k in range(3)] == [1, 2, 3]


def scene(*, fixed: bool) -> Scene:
    points = [np.array([[0.0, 0.0], [4.0, 1.0], [2.0, 2.0]]), np.array([[1.0, 1.0], [3.0, 1.5], [2.0, 1.0]])]
    styles = [[leader_style(0), follower_style([0]), follower_style([None])], [leader_style(0)] * 3]
    outlines = [points[0][:2], np.empty((0, 2))]
    return Scene(["one", "two"], points, styles, outlines, ["a", "b", "c<d"], fixed=fixed)


# ---------------------------------------------------------------- scenes


def test_what_a_script_needs_to_move_the_points() -> None:
    shown = scene(fixed=True)
    told = shown.json()
    assert told["names"] == ["one", "two"]
    assert told["places"] == [[40, 400, 520, 280, 280, 160], [160, 280, 400, 220, 280, 280]]
    assert told["styles"] == [[style.name for style in row] for row in shown.styles]
    assert told["outlines"] == ["M40,400L520,280Z", ""]
    assert told["ranges"] == ["x from 0 to 4, y from 0 to 2"] * 2
    assert shown.sheet == {leader_style(0), follower_style([0]), follower_style([None])}


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


# ---------------------------------------------------------------- what all pictures share


def test_colours_of_ranks_and_of_none() -> None:
    assert [colour(None), colour(0), colour(22)] == [NEUTRAL, COLOURS[0], COLOURS[1]]
    assert len({colour(rank) for rank in range(21)}) == 21
    assert follower_style([None]) == Style("circle", (NEUTRAL,))
    assert follower_style([None, 0]) == Style("circle", (NEUTRAL, COLOURS[0]))
    assert follower_style([1, 1]) == Style("square", (COLOURS[1],))
    assert follower_style([0, 21]) == Style("circle", (COLOURS[0],))
    assert Style("circle", COLOURS[:2]).name == "circle-0072B2-E69F00"


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
