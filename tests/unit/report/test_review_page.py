"""Tests of `exactformer.report.review_page`."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from kits.page_rows import rows_of

from exactformer.report.palette import COLOURS, leader_style
from exactformer.report.review_page import _bar, _head, _text, _votes, colour_class, write_review_page
from exactformer.report.review_plane import MEAN, plane_stage
from exactformer.studies.sentiment import load
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.explanation import Explanation


def test_votes_of_nothing_are_not_positive() -> None:
    assert 'class="no"' in _bar(0.0)
    assert 'width="0.0"' in _bar(0.0)


TEXT = "A wonderful, touching film: I loved it. The ending is boring, boring, and the plot a waste of time."


# ---------------------------------------------------------------- pages


@pytest.mark.parametrize(("ours", "plain", "words"), [(0.75, 0.875, "costs 12.5"), (0.875, 0.75, "adds 12.5")])
def test_the_page_of_a_review_says_what_attention_costs(ours: float, plain: float, words: str, tmp_path: Path) -> None:
    model = replace(load(), about={"test": ours, "without_attention": {"test": plain}})
    write_review_page(model.explain(TEXT), tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert f"{100 * ours:.1f} % of the reviews rightly, and {100 * plain:.1f} % when" in page
    assert f"attention {words} points" in page


# ---------------------------------------------------------------- reviews


@pytest.mark.parametrize("text", [TEXT, "Boring waste. Awful."])
def test_the_votes_of_a_page_add_up_to_its_value(text: str, tmp_path: Path) -> None:
    found = load().explain(text)
    write_review_page(found, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert f"<title>{found.decision}: a decision and its vote</title>" in page
    exact = [Fraction(text) for text in re.findall(r'data-exact="(.*?)"', page)]
    rows = found.rows(most=12)
    assert exact[:-1] == [row.vote for row in rows]
    assert sum(exact[:-1]) == exact[-1] == found.value
    largest = max(abs(row.vote) for row in rows)
    bars = re.findall(r'<rect class="(yes|no)" x="(.*?)" width="(.*?)"', page)
    for row, (kind, x, size) in zip(rows, bars, strict=True):
        length = round(60 * float(abs(row.vote) / largest), 1)
        assert (kind, float(size)) == ("yes" if row.vote > 0 else "no", length)
        assert float(x) == (0 if row.vote > 0 else -length)
    votes = rows_of(page, "votes")
    for row, cells in zip(rows, votes[1:-1], strict=True):
        assert cells[0] == row.label
        assert cells[1] == ("" if row.start is None else str(row.start))
        followers = sum(found.words[i].count for i in row.followers)
        assert cells[2] == ("" if row.leader is None else str(followers))
        assert cells[5] == f"{float(row.vote):+.6f}"
    assert f"after {found.model.layers} layers of attention." in page
    assert f"The decision is the same at every depth from {found.same_from} layers on." in page
    assert '<div class="verdict accepted"><b>accepted</b>' in page


def test_the_text_of_a_page_is_whole_and_its_words_coloured(tmp_path: Path) -> None:
    found = load().explain(TEXT)
    write_review_page(found, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    (text,) = re.findall(r'<p class="text">(.*?)</p>', page, re.DOTALL)
    assert unescape(re.sub(r"<[^>]*>", "", text)) == TEXT
    words = re.findall(r'<span class="(\w+)( leader)?" data-word="(\d+)" title="(.*?)">(.*?)</span>', text)
    assert len(words) == sum(found.counts.values())
    for colour, leader, index, title, shown in words:
        word = found.words[int(index)]
        assert shown.lower() == word.word
        assert colour == colour_class(found, int(index))
        assert bool(leader) == (word.leads_from is not None)
        names = ", ".join(found.words[i].word for i in word.follows[:8])
        assert unescape(title) == f"follows {names}; weight {float(word.weight):.6f}; score {float(word.score):+.4f}"
    ranks = {i: k for k, i in enumerate(found.leaders)}
    for i, word in enumerate(found.words):
        if len(word.follows) == 1 and word.follows[0] in ranks:
            assert colour_class(found, i) == f"w{ranks[word.follows[0]] % len(COLOURS)}"


PLACES = {
    "good": (4, 1), "great": (4, 1), "bad": (-3, 2), "film": (1, 0), "plot": (-1, 0), "scene": (0, -1), "odd": (0, 3),
    "even": (1, 2),
}  # fmt: skip


MODEL = ReviewClassifier(
    tuple(PLACES), np.array(list(PLACES.values()), dtype=np.int64), (2, -1), -1, 2, alpha=Fraction(1), layers=1
)


SHORT_TEXT = "Good film, great film: bad plot, the scene odd & even, film."


WORDS = ["good", "film", "great", "bad", "plot", "scene", "odd", "even"]


@pytest.fixture(scope="module")
def found() -> Explanation:
    return MODEL.explain(SHORT_TEXT)


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
    short = replace(MODEL, length=4).explain(SHORT_TEXT)
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
