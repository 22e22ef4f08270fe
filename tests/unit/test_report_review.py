"""The page about one decision on a classifier of eight words, with places, colours, votes and lines by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from exactformer.report.palette import Style, follower_style, leader_style
from exactformer.report.review_page import _bar, _head, _text, _votes, colour_class, write_review_page
from exactformer.report.review_plane import MEAN, decision_line, plane_stage
from exactformer.report.sentiment_plots import plot_planes
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.explanation import Explanation

PLACES = {
    "good": (4, 1), "great": (4, 1), "bad": (-3, 2), "film": (1, 0), "plot": (-1, 0), "scene": (0, -1), "odd": (0, 3),
    "even": (1, 2),
}  # fmt: skip
MODEL = ReviewClassifier(
    tuple(PLACES), np.array(list(PLACES.values()), dtype=np.int64), (2, -1), -1, 2, alpha=Fraction(1), layers=1
)
TEXT = "Good film, great film: bad plot, the scene odd & even, film."
WORDS = ["good", "film", "great", "bad", "plot", "scene", "odd", "even"]
COUNTS = [1, 3, 1, 1, 1, 1, 1, 1]


@pytest.fixture(scope="module")
def found() -> Explanation:
    return MODEL.explain(TEXT)


def test_words_at_one_place_have_one_colour_and_ties_are_grey(found: Explanation) -> None:
    assert [word.word for word in found.words] == WORDS
    votes = {i: abs(found.words[i].vote) for i in (0, 2, 3, 5, 6)}
    assert list(found.leaders) == sorted(votes, key=lambda i: (-votes[i], i))
    rank = {i: k for k, i in enumerate(found.leaders)}
    classes = [colour_class(found, i) for i in range(8)]
    pair = f"w{min(rank[0], rank[2])}"
    assert classes == [pair, pair, pair, f"w{rank[3]}", f"w{rank[3]}", f"w{rank[5]}", f"w{rank[6]}", "wtie"]
    assert found.words[7].follows == (0, 2, 6)


def test_the_text_shows_every_word_and_says_what_was_left_out(found: Explanation) -> None:
    text = unescape(_text(found))
    words = re.findall(r'<span class="(\w+)( leader)?" data-word="(\d+)" title="follows (.*?);.*?">(.*?)</span>', text)
    assert [(int(i), shown) for _, _, i, _, shown in words] == [
        (0, "Good"), (1, "film"), (2, "great"), (1, "film"), (3, "bad"), (4, "plot"), (5, "scene"), (6, "odd"),
        (7, "even"), (1, "film"),
    ]  # fmt: skip
    assert [names for *_, names, _ in words[:3]] == ["good, great"] * 3
    assert [names for *_, names, _ in words[8:9]] == ["good, great, odd"]
    assert [int(i) for _, leads, i, *_ in words if leads] == [0, 2, 3, 5, 6]
    assert "take part." not in text
    short = replace(MODEL, length=4).explain(TEXT)
    assert "The first 4 known words take part." in _text(short)
    assert re.findall(r'data-word="\d+".*?>(\w+)<', _text(short)) == ["Good", "film", "great", "film"]


def test_followers_are_counted_as_often_as_they_occur(found: Explanation) -> None:
    rows = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td>", _votes(found))
    told = {re.sub(r"<.*?>", "", name): (start, followers) for name, start, followers in rows}
    assert told["bad"] == ("0", "1")
    assert told["odd"] == ("0", "1")
    assert told["good"] == told["great"] == ("0", "5"), "three times film, the other of the pair, and even"
    assert told["bias"] == ("", "")
    assert ('class="yes" x="0" width="30.0"' in _bar(0.5), 'class="no" x="-15.0" width="15.0"' in _bar(-0.25)) == (
        True,
    ) * 2


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
    figure = plot_planes([late, MODEL.explain(TEXT)])
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


def test_the_page_has_a_plane_in_two_dimensions_only(found: Explanation, tmp_path: Path) -> None:
    assert _head(found).startswith(f'<p class="decision {found.decision}">')
    for dim in (2, 3):
        places = np.array([[4, 1, 2], [-3, 2, 1]], dtype=np.int64)[:, :dim]
        model = ReviewClassifier(("good", "bad"), places, (2, -1, 1)[:dim], 0, 2, alpha=Fraction(1), layers=1)
        write_review_page(model.explain("good good bad"), tmp_path / "r.html")
        page = (tmp_path / "r.html").read_text()
        assert ("<h2>Layer by layer</h2>" in page) is (dim == 2)
        assert '<div class="verdict accepted">' in page
        assert 'download="decision.jsonl"' in page


def test_twenty_leaders_have_seven_colours_and_twelve_entries() -> None:
    """Twenty words on one circle: all of them lead, in the order of the sizes of their votes."""
    quarter = [(25, 0), (24, 7), (20, 15), (15, 20), (7, 24)]
    circle = [(x * c - y * s, x * s + y * c) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)) for x, y in quarter]
    words = tuple(f"word{'abcdefghijklmnopqrst'[k]}" for k in range(20))
    model = ReviewClassifier(words, np.array(circle, dtype=np.int64), (3, 2), 1, 5, alpha=Fraction(1), layers=1)
    found = model.explain(" ".join(words))
    sizes = [abs(3 * x + 2 * y) for x, y in circle]
    assert list(found.leaders) == sorted(range(20), key=lambda i: (-sizes[i], i))
    assert [colour_class(found, i) for i in found.leaders] == [f"w{k % 7}" for k in range(20)]
    stage = plane_stage(found)
    assert stage.legend == [
        *((leader_style(k), f"{words[i]} and its followers") for k, i in enumerate(found.leaders[:12])),
        (MEAN, "mean of all words"),
    ]
    rows = re.findall(r'<span class="chip (w\d)">(\w+)</span>', _votes(found))
    assert rows == [(f"w{k % 7}", words[i]) for k, i in enumerate(found.leaders[:12])]
