"""Tests of `exactformer.report.svg`."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np

import exactformer as ef
from exactformer.report.gallery import configurations
from exactformer.report.interactive import orbit_stage
from exactformer.report.palette import follower_style, leader_style
from exactformer.report.svg import SIZE, Scene, axes, draw_frame


def test_stars_of_a_frame_lie_on_top_of_its_other_points() -> None:
    star, disc = leader_style(0), follower_style([1])
    points = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    scene = Scene(["a", "b"], [points] * 2, [[disc, disc, star], [star, disc, disc]], [points[:0]] * 2, ["x", "y", "z"])
    for at, order in ((0, ["0", "1", "2"]), (1, ["1", "2", "0"])):
        assert re.findall(r'data-token="(\d)"', draw_frame(scene, at)) == order


def parsed(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{markup}</div>")


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


def test_the_axes_have_round_numbers_where_such_points_stand() -> None:
    own = scene(fixed=False)
    across, up = own.ticks(1)
    assert [text for _, text in across] == ["1", "1.5", "2", "2.5", "3"]
    assert [text for _, text in up] == ["1", "1.1", "1.2", "1.3", "1.4", "1.5"]
    for axis, ticks in enumerate((across, up)):
        for place, text in ticks:
            assert place == own.places(np.full((1, 2), float(text)), 1)[0, axis]
    assert own.json()["axes"] == [axes(own, 0), axes(own, 1)]
    assert scene(fixed=True).json()["axes"] == []
    drawn = parsed(axes(own, 1))
    assert [e.text for e in drawn.findall("text")] == [text for _, text in across + up]
    assert len(drawn.findall("line")) == len(across + up)


def test_points_beyond_floats_have_no_axes() -> None:
    points = np.array([[-1e308, 0.0], [1e308, 1.0]])
    wide = Scene([""], [points], [[leader_style(0)] * 2], [points[:0]], ["x", "y"])
    with np.errstate(over="ignore", invalid="ignore"):
        assert wide.ticks(0)[0] == []


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


def test_scene_stays_inside_its_picture() -> None:
    stage = orbit_stage(ef.simulate(configurations()["square"], layers=5))
    for places in stage.scene.json()["places"]:
        assert min(places) >= 0
        assert max(places) <= SIZE
