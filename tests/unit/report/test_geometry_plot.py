"""Tests of `exactformer.report.geometry_plot`."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import to_hex

import exactformer as ef
from exactformer.papers.inputs import TOKENS
from exactformer.report.geometry_plot import draw_attention, draw_moves
from exactformer.report.palette import COLOURS, NEUTRAL


def test_attention_in_the_plane_names_whom_the_token_follows() -> None:
    instances = {}
    for name in ("figure-1a.json", "figure-1b.json"):
        alpha, A, rows = TOKENS[name]
        instances[name] = ef.Tokens(rows, A=A, alpha=alpha)
    figure = draw_attention(instances, token=1)
    for ax, (name, tokens) in zip(figure.axes, instances.items(), strict=True):
        image = [sum(a * x for a, x in zip(row, tokens.state[1], strict=True)) for row in tokens.A]
        scores = [sum(a * x for a, x in zip(image, z, strict=True)) for z in tokens.state]
        followed = ", ".join(str(j + 1) for j, s in enumerate(scores) if s == max(scores))
        assert ax.get_title() == f"{name}: C_2 = {{{followed}}}"


def test_tokens_that_stay_are_ringed_and_others_have_an_arrow() -> None:
    before = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    after = np.array([[1.0, 0.0], [2.0, 2.0], [2.0, 2.0]])
    (ax,) = draw_moves({"a map": (before, after)}).axes
    rings = [c.get_offsets().tolist() for c in ax.collections if not len(c.get_facecolor())]
    assert rings == [[[1.0, 0.0]], [[2.0, 2.0]]]
    assert [(list(text.xy), list(text.xyann)) for text in ax.texts] == [([2.0, 2.0], [0.0, 1.0])]


def test_tokens_are_grey_before_a_map_and_coloured_once_behind_it() -> None:
    before = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0], [3.0, 1.0]])
    after = np.array([[1.0, 0.0], [2.0, 2.0], [2.0, 2.0], [5.0, 4.0]])
    (ax,) = draw_moves({"a map": (before, after)}).axes
    drawn = {
        to_hex(c.get_facecolor()[0]).upper(): c.get_offsets().tolist() for c in ax.collections if len(c.get_facecolor())
    }
    assert drawn == {NEUTRAL: before.tolist(), COLOURS[4]: [[1, 0], [2, 2], [5, 4]]}
    assert ax.get_xlim()[1] > 5
    assert ax.get_ylim()[1] > 4
