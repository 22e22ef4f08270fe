"""Tests of `exactformer.report.review_plane`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.report.palette import Style, follower_style, leader_style
from exactformer.report.review_plane import MEAN, decision_line, plane_stage
from exactformer.report.sentiment_plots import plot_planes
from exactformer.studies.sentiment import load
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.explanation import Explanation

TEXT = "A wonderful, touching film: I loved it. The ending is boring, boring, and the plot a waste of time."


def test_words_are_stars_from_the_layer_on_at_which_they_lead() -> None:
    found = load().explain(TEXT)
    scene = plane_stage(found).scene
    for layer, styles in enumerate(scene.styles):
        stars = [i for i, style in enumerate(styles) if style.shape == "star"]
        assert stars == [i for i, w in enumerate(found.words) if w.leads_from is not None and w.leads_from <= layer]
    starts = {word.leads_from for word in found.words}
    assert 0 in starts
    mean = scene.points[-1][:-1]
    shares = np.array([word.count for word in found.words]) / sum(word.count for word in found.words)
    assert np.allclose(scene.points[-1][-1], shares @ mean)


def test_the_decision_line_parts_the_plane_of_a_review() -> None:
    found = load().explain(TEXT)
    stage = plane_stage(found)
    points = np.vstack(stage.scene.points)
    line = decision_line(found, points)
    v = np.array([float(x) for x in found.model.direction])
    assert line.shape == (2, 2)
    assert np.allclose(line @ v + float(found.bias), 0)
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.06 * (high - low).max()
    on_edge = [np.isclose(p, low - room) | np.isclose(p, high + room) for p in line]
    assert all(edge.any() for edge in on_edge)
    mean = stage.scene.points[-1][-1]
    assert (mean @ v + float(found.bias) > 0) == (found.decision == "positive")
    assert len(decision_line(found, line[:1] + 1000 * v)) == 0
    assert stage.scene.styles[0][-1] == MEAN
    assert stage.legend[-1] == (MEAN, "mean of all words")
    assert [text for _, text in stage.legend[:-1]] == [
        f"{found.words[i].word} and its followers" for i in found.leaders[:12]
    ]
    for k in (0, found.model.layers):
        state, follows = found.ballot.engine.state(k), found.follows(k)
        for i in range(len(found.words)):
            place, members = stage.cells[k][2 * i : 2 * i + 2]
            assert place == f"({', '.join(map(str, state[found.ballot.index[i]]))})"[: len(place)] or "~" in place
            assert members == ", ".join(found.words[j].word for j in follows[i][:8])


PLACES = {
    "good": (4, 1), "great": (4, 1), "bad": (-3, 2), "film": (1, 0), "plot": (-1, 0), "scene": (0, -1), "odd": (0, 3),
    "even": (1, 2),
}  # fmt: skip


MODEL = ReviewClassifier(
    tuple(PLACES), np.array(list(PLACES.values()), dtype=np.int64), (2, -1), -1, 2, alpha=Fraction(1), layers=1
)


SHORT_TEXT = "Good film, great film: bad plot, the scene odd & even, film."


WORDS = ["good", "film", "great", "bad", "plot", "scene", "odd", "even"]


COUNTS = [1, 3, 1, 1, 1, 1, 1, 1]


@pytest.fixture(scope="module")
def found() -> Explanation:
    return MODEL.explain(SHORT_TEXT)


def test_the_plane_shows_words_their_mean_and_the_decision_line(found: Explanation) -> None:
    stage = plane_stage(found)
    first = np.array([PLACES[word] for word in WORDS]) / 2
    assert stage.scene.names == ["layer 0", "layer 1"]
    assert stage.scene.titles == [*WORDS, "mean of all words"]
    ends = [
        (2, 1 / 2),
        (5 / 4, 1 / 4),
        (2, 1 / 2),
        (-3 / 2, 1),
        (-1, 1 / 2),
        (0, -1 / 2),
        (0, 3 / 2),
        (11 / 12, 11 / 12),
    ]
    for points, wanted in zip(stage.scene.points, (first, np.array(ends)), strict=True):
        assert np.allclose(points[:8], wanted)
        assert np.allclose(points[8], np.average(wanted, axis=0, weights=COUNTS))
    rank = {i: k for k, i in enumerate(found.leaders)}
    tie = follower_style([rank[0], rank[2], rank[6]])
    pair = follower_style([rank[0], rank[2]])
    assert stage.scene.styles[0] == [
        leader_style(rank[0]), pair, leader_style(rank[2]), leader_style(rank[3]), follower_style([rank[3]]),
        leader_style(rank[5]), leader_style(rank[6]), tie, MEAN,
    ]  # fmt: skip
    box = np.vstack(stage.scene.points)
    line = decision_line(found, box)
    assert all(np.array_equal(outline, line) for outline in stage.scene.outlines)
    assert np.allclose(line @ [1, -0.5], 0.5), "-1/2 + <(1, -1/2), z> = 0"
    room = 0.06 * 3.5
    assert sorted(line[:, 1]) == pytest.approx([-0.5 - room, 1.5 + room])


def test_words_that_begin_to_lead_later_are_stars_from_then_on() -> None:
    places = np.array([[1, 0], [1, 1], [0, 3]], dtype=np.int64)
    model = ReviewClassifier(("early", "middle", "high"), places, (1, 1), -1, 1, alpha=Fraction(1), layers=3)
    late = model.explain("early middle high")
    assert [word.leads_from for word in late.words] == [1, None, 0]
    styles: list[list[Style]] = plane_stage(late).scene.styles
    assert [[style.shape == "star" for style in row[:3]] for row in styles] == [
        [False, False, True], [True, False, True], [True, False, True], [True, False, True],
    ]  # fmt: skip
    figure = plot_planes([late, MODEL.explain(SHORT_TEXT)])
    titles = [ax.get_title() for ax in figure.axes]
    assert [title.split(", ")[1] for title in titles] == ["layer 0", "layer 3", "layer 0", "layer 1"]
    scene = plane_stage(late).scene
    paths = [line.get_xydata().tolist() for line in figure.axes[1].lines[:4]]
    assert paths == [[frame[i].tolist() for frame in scene.points] for i in range(4)]
    assert [len(ax.texts) for ax in figure.axes] == [2, 2, 5, 5]
    both = np.vstack(scene.points)
    ends = [(-0.18, 1.18), (1.18, -0.18)]
    for drawn in (scene.outlines[0], scene.outlines[3], figure.axes[0].lines[-1].get_xydata()):
        assert np.allclose(sorted(drawn.tolist()), ends), "x + y = 1 in the box of all layers"
    room = 0.09 * np.ptp(both, axis=0).max()
    for ax in figure.axes[:2]:
        assert np.allclose(ax.get_xlim(), [both[:, 0].min() - room, both[:, 0].max() + room])
