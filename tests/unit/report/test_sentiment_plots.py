"""Tests of `exactformer.report.sentiment_plots`."""

from __future__ import annotations

from collections import Counter

import numpy as np

from exactformer.papers.figures import leader_words
from exactformer.report.sentiment_plots import plot_accuracy, plot_planes, plot_words
from exactformer.studies.sentiment import load
from exactformer.studies.sentiment.families import sample_reviews


def test_accuracies_and_words_of_the_sentiment_study() -> None:
    rows = [
        {"dim": d, "test": 0.1 * d, "without_attention": {"test": 0.2}, "published_best": best, "published_final": 0.4}
        for d, best in ((2, 0.5), (4, None))
    ]
    lines = {line.get_label(): line.get_xydata().tolist() for line in plot_accuracy(rows).axes[0].lines}
    assert lines == {
        "exactformer, hardmax training": [[2, 0.2], [4, 0.4]],
        "exactformer, trained without attention": [[2, 0.2], [4, 0.2]],
        "published, best of 101 epochs on the test part": [[2, 0.5]],
        "published, last epoch": [[2, 0.4], [4, 0.4]],
    }
    left, right = plot_words([["great", 5], ["dull", 3]], [("poor", 7), ("left", None)]).axes
    for ax, words, counts in ((left, ["dull", "great"], [3, 5]), (right, ["left", "poor"], [0, 7])):
        assert [tick.get_text() for tick in ax.get_yticklabels()] == words
        assert [bar.get_width() for bar in ax.patches] == counts
    assert [text.get_text() for text in right.texts] == [" not read off"]


def test_leader_words_of_reviews_decided_wrongly_are_not_counted() -> None:
    left = leader_words().axes[0]
    drawn = {tick.get_text(): bar.get_width() for tick, bar in zip(left.get_yticklabels(), left.patches, strict=True)}
    model, counts = load(), Counter[str]()
    for positive, text in sample_reviews(300, 1):
        bag = model.bag(text).counts
        starts, index = model.ballot(bag).leads_from, model.ballot(bag).index
        leading = [word for word, place in zip(bag, index, strict=True) if starts[place] is not None]
        counts.update(leading if (model.value(bag) > 0) == positive else [])
    assert len(drawn) == 15
    assert drawn == {word: counts[word] for word in drawn}
    assert min(drawn.values()) >= max(n for word, n in counts.items() if word not in drawn)


def test_reviews_are_drawn_at_the_first_and_the_last_layer() -> None:
    found = load().explain("A wonderful film with a boring end.")
    figure = plot_planes([found])
    for ax, layer in zip(figure.axes, (0, 8), strict=True):
        assert ax.get_title() == f"{found.decision}, layer {layer}"
        state = found.ballot.engine.state(layer).floats()[found.ballot.index]
        places = np.round(np.vstack([c.get_offsets() for c in ax.collections]), 9).tolist()
        assert all(place in places for place in np.round(state, 9).tolist())
        assert {text.get_text() for text in ax.texts} == {found.words[i].word for i in found.leaders[:6]}


def test_axes_of_accuracies_and_words() -> None:
    row = {"test": 0.9, "without_attention": {"test": 0.8}, "published_best": None, "published_final": None}
    (ax,) = plot_accuracy([{"dim": d, **row} for d in (2, 8)]).axes
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["2", "8"]
    assert (ax.get_xscale(), ax.get_xlabel(), ax.get_ylabel()) == ("log", "dimension", "test accuracy")
    assert len(ax.lines) == 2, "what was not published is not drawn"
    titles = [ax.get_title() for ax in plot_words([("a", 1)], [("b", 2)], title="ours").axes]
    assert titles == ["ours", "the paper's figure, d = 2"]
