"""Tests of `exactformer.report.interactive`."""

from __future__ import annotations

import json
import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.report.block_frames import block_frames
from exactformer.report.gallery import configurations
from exactformer.report.interactive import (
    InteractivePicture,
    _set,
    _strip,
    block_stage,
    draw_stage,
    frames_of,
    orbit_stage,
    points_stage,
)
from exactformer.report.orbit_frames import orbit_frames
from exactformer.report.palette import COLOURS, follower_style, leader_style

EMERGING = configurations()["emerging leader"]


# ---------------------------------------------------------------- orbits


def test_pages_show_the_first_the_last_and_two_frames_between() -> None:
    strip = _strip(orbit_stage(ef.simulate(EMERGING, layers=9)))
    assert [k for k in range(10) if f"<figcaption>layer {k}</figcaption>" in strip] == [0, 3, 6, 9]


def parsed(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{markup}</div>")


# ---------------------------------------------------------------- scenes


def test_sets_of_tokens_have_every_point_once() -> None:
    assert _set(State.of([[1, 0]] * 5)) == "{(1, 0)}"
    assert _set(State.of([[1, 0], [0, 1], [1, 0]])) == "{(1, 0), (0, 1)}"
    assert _set(State.of([[1, 0], [0, 1], [1, 0], [2, 2]])) == "{(1, 0), (0, 1), .. 3 points}"


# ---------------------------------------------------------------- stages


def test_cells_of_a_stage_are_those_of_the_orbit() -> None:
    orbit = ef.simulate(EMERGING, layers=4)
    stage = orbit_stage(orbit)
    film = orbit_frames(orbit)
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
    stage = block_stage(block_frames(built.transformer, built.data, built.targets.state))
    assert stage.heads == ["x (a)", "y (b)"]
    assert stage.columns == ["sequence", "set of tokens"]
    assert stage.cells[0] == ["{(0), (1), .. 3 points}", "{(1), (7)}"]
    assert stage.scene.titles == [f"x (a), token {i}" for i in range(3)] + [f"y (b), token {i}" for i in range(2)]
    assert stage.scene.names[0] == "input"
    assert not stage.scene.fixed
    assert [text for _, text in stage.legend] == ["a", "b", "a point of several labels"]
    assert stage.legend[2][0].colours == COLOURS[:2]
    plain = ef.construct([[[0]], [[1]]], targets=[[[0]], [[2]]])
    unnamed = block_stage(block_frames(plain.transformer, plain.data, plain.targets.state))
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
    short = InteractivePicture(stage.scene, stage.columns, stage.heads[:40], stage.cells, stage.legend)
    assert "not listed" not in draw_stage(short)


def test_the_legend_of_a_page_has_only_what_is_drawn() -> None:
    stage = orbit_stage(ef.simulate(ef.Tokens([[3, 0], [-3, 0], [1, 0]]), layers=1))
    page = draw_stage(stage)
    assert "leader 0; its followers share the colour" in page
    assert "follows no leader yet" not in page
    tie = orbit_stage(ef.simulate(ef.Tokens([[3, 1], [3, -1], [1, 0]]), layers=1))
    assert "a cut disc follows several (a tie)" in draw_stage(tie)


def test_frames_are_spread_over_all_layers() -> None:
    assert frames_of(3, 10) == [0, 1, 2, 3]
    assert frames_of(1000, 5) == [0, 250, 500, 750, 1000]


def test_cells_are_the_exact_numbers() -> None:
    orbit = ef.simulate(configurations()["square"], layers=4)
    stage = orbit_stage(orbit)
    width = len(stage.columns) - 1
    x, y = orbit.tokens(4)[4]
    assert stage.cells[4][4 * width] == f"({x}, {y})"


def test_numbers_beyond_floats_are_drawn() -> None:
    tokens = ef.Tokens([[10**400, 1], [1, 1], [-(10**500), 3]])
    stage = orbit_stage(ef.simulate(tokens, layers=2))
    assert np.isfinite(stage.scene.json()["places"]).all()
