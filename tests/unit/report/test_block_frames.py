"""Tests of `exactformer.report.block_frames`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.certificates.certificate import Certificate
from exactformer.errors import InvalidInput
from exactformer.report.block_frames import (
    SEQUENCES,
    BlockFrames,
    Choice,
    block_frames,
    choose_sequences,
    coinciding,
    telling_blocks,
    token_styles,
)
from exactformer.report.block_plot import draw_blocks
from exactformer.report.claim_summary import certificate_frames


def built() -> tuple[ef.Built, BlockFrames]:
    data = ef.Dataset.of([[[0], [1]], [[1], [2]], [[1], [5]]], labels=["a", "b", "b"])
    found = ef.construct(data, method="deep", width=1)
    return found, block_frames(found.transformer, found.data, found.targets.state)


# ---------------------------------------------------------------- sequences and blocks


def test_sequences_are_chosen_evenly_and_up_to_a_number() -> None:
    one = ef.Dataset.of([[[k]] for k in range(49)], labels=["a"] * 49)
    chosen = choose_sequences(one)
    assert (len(chosen), chosen[0], chosen[-1]) == (24, 0, 48)
    assert {b - a for a, b in pairwise(chosen)} <= {2, 3}
    assert choose_sequences(ef.Dataset.of([[[k]] for k in range(24)], labels=["a"] * 24)) == list(range(24))
    two = ef.Dataset.of([[[k]] for k in range(60)], labels=["a"] * 30 + ["b"] * 30)
    assert [sum(j < 30 for j in choose_sequences(two)), len(choose_sequences(two))] == [12, 24]
    free = ef.Dataset.of([[[k]] for k in range(12)], targets=[[[k]] for k in range(12)])
    assert choose_sequences(free) == list(range(10))
    named = ef.Dataset.of([[[k]] for k in range(3)], labels=list("abc"), names=["2", "x", "0"])
    assert choose_sequences(named, sequences=["0", 1, "2"]) == [2, 1, 0], "a name goes before an index"
    for wrong in (3, "-1", "y"):
        with pytest.raises(InvalidInput, match=r"0\.\.2 or names such as '2'"):
            choose_sequences(named, sequences=[wrong])
    with pytest.raises(InvalidInput, match="classes"):
        choose_sequences(named, classes=[])


def test_classes_that_are_chosen_share_the_picture_among_themselves() -> None:
    data = ef.Dataset.of([[[k]] for k in range(90)], labels=[("a", "b", "c")[k % 3] for k in range(90)])
    one, two, three = (choose_sequences(data, classes=names) for names in (["b"], ["c", "a"], None))
    assert [len(one), len(two), len(three)] == [24, 24, 24]
    assert {j % 3 for j in one} == {1}
    assert [sum(j % 3 == k for j in two) for k in range(3)] == [12, 0, 12]
    assert [sum(j % 3 == k for j in three) for k in range(3)] == [8, 8, 8]
    assert (min(one), max(one)) == (1, 88), "the first and the last of the class"
    assert two == sorted(two)
    many = ef.Dataset.of([[[k]] for k in range(30)], labels=[f"{k:02}" for k in range(30)])
    assert choose_sequences(many) == list(range(30)), "every class is there"


def test_a_passage_is_that_of_the_transformer() -> None:
    found, shown = built()
    assert len(shown) == len(found.transformer) == len(shown.states) - 1
    for j, sequence in enumerate(found.data):
        for k in range(len(found.transformer) + 1):
            part = ef.Transformer(1, found.transformer.blocks[:k])
            assert set(shown.states[k][j].rows()) == set(part(sequence.tokens).rows())
            assert np.array_equal(shown.points[k][j][:, 0], shown.states[k][j].floats()[:, 0])
    assert shown.classes == ["a", "b"]
    assert shown.groups == ["a", "b", "b"]
    assert shown.names == ["0", "1", "2"]
    assert [(name, goal[0, 0]) for name, goal in shown.goals] == [
        ("a", float(found.targets.state(0)[0][0])),
        ("b", float(found.targets.state(1)[0][0])),
    ]
    assert shown.words == ""


def test_chosen_sequences_stand_where_they_stand_among_all() -> None:
    data = ef.Dataset.of([[[k, k * k, 3 - k], [1, k, 0]] for k in range(5)], labels=list("cabca"))
    found = ef.construct(data)
    whole = block_frames(found.transformer, data, found.targets.state)
    part = block_frames(found.transformer, data, found.targets.state, choice=Choice(sequences=[3, 1]))
    assert (part.names, part.groups, part.classes) == (["3", "1"], ["c", "a"], ["a", "b", "c"])
    for k in range(len(whole) + 1):
        for at, j in enumerate((3, 1)):
            assert np.array_equal(part.points[k][at], whole.points[k][j])
    assert [name for name, _ in part.goals] == ["a", "c"]
    goals = dict(whole.goals)
    assert all(np.array_equal(goal, goals[name]) for name, goal in part.goals)
    assert part.words == "projected from dimension 3 (rounded), targets along the horizontal, 2 of 5 sequences"
    assert (
        np.ptp([points[0, 1] for _, points in whole.goals]) < 1e-9 < np.ptp([points[0, 0] for _, points in whole.goals])
    )


def test_words_of_a_passage_say_what_was_left_out() -> None:
    data = ef.Dataset.of([[[k, 0, k]] for k in range(30)], labels=["a"] * 30)
    found = ef.construct(data)
    shown = block_frames(found.transformer, data, found.targets.state, axes=(0, 2))
    assert shown.words == "coordinates 0 and 2 of 3 (an exact projection), 24 of 30 sequences"


def test_blocks_in_which_nothing_moves_are_left_out() -> None:
    still = ef.State.of([[0], [1]])
    moved = ef.State.of([[5], [1]])
    states = [[still], [still], [moved], [moved], [moved]]
    shown = BlockFrames([[s.floats()] for (s,) in states], states, ["0"], ["a"], ["a"], [], "")
    assert telling_blocks(shown, 8) == [0, 2, 4]
    assert telling_blocks(shown, 2) == [0, 4]


# ---------------------------------------------------------------- constructions


def test_colours_of_labels_do_not_depend_on_what_is_chosen() -> None:
    data = ef.Dataset.of([[[k]] for k in range(6)], labels=list("abcabc"))
    built = ef.construct(data)
    styles = {}
    for classes in (None, ["c"], ["b", "c"]):
        shown = block_frames(built.transformer, data, built.targets.state, choice=Choice(classes=classes))
        for group in shown.groups:
            styles.setdefault(group, set()).add(shown.class_style(group))
    assert {len(found) for found in styles.values()} == {1}
    assert len(set.union(*styles.values())) == 3


RNG = np.random.default_rng(3)


X = RNG.integers(0, 50, (60, 5, 2))


LABELS = ["many"] * 50 + ["few"] * 8 + ["one", "two"]


NAMES = [f"s{j}" for j in range(60)]


BUILT = ef.construct(ef.Dataset.of(X, LABELS, names=NAMES))


def passage(**options: object) -> object:
    return block_frames(BUILT.transformer, BUILT.data, BUILT.targets.state, choice=Choice(**options))


def test_every_class_is_shown_however_small() -> None:
    chosen = choose_sequences(BUILT.data)
    assert {LABELS[j] for j in chosen} == set(LABELS)
    assert len(chosen) <= SEQUENCES
    assert max(j for j in chosen if j < 50) - min(chosen) > 30, "spread over the class, not its first sequences"
    many = ef.Dataset.of([[[k]] for k in range(40)], labels=list(range(40)))
    assert len(choose_sequences(many)) == 40, "one of every class"


def test_sequences_and_classes_can_be_chosen() -> None:
    assert choose_sequences(BUILT.data, sequences=["s3", 7]) == [3, 7]
    assert {LABELS[j] for j in choose_sequences(BUILT.data, classes=["few", "one"])} == {"few", "one"}
    for options, said in [
        ({"sequences": ["nobody"]}, "'s0'"),
        ({"sequences": [60]}, "0..59"),
        ({"classes": ["x"]}, "few"),
    ]:
        with pytest.raises(InvalidInput, match=said):
            choose_sequences(BUILT.data, **options)


def test_a_point_of_several_labels_has_all_their_colours() -> None:
    data = ef.Dataset.of([[[0], [1]], [[1], [2]], [[1], [5]]], labels=["a", "b", "b"])
    built = ef.construct(data)
    styles = token_styles(block_frames(built.transformer, built.data, built.targets.state), 0)
    assert [len(style.colours) for style in styles] == [1, 2, 2, 1, 2, 1]


def test_coinciding_sequences_are_counted_where_they_are() -> None:
    shown = passage()
    last = coinciding(shown, len(shown))
    assert sorted(len(members) for _, members in last) == sorted(shown.groups.count(g) for g in shown.classes)
    figure = draw_blocks(shown)
    notes = {text.get_text() for text in figure.axes[len(figure.axes) - 1].texts}
    assert {f"×{shown.groups.count('many')}", "many", "few"} <= notes
    drawn = np.vstack([c.get_offsets() for c in figure.axes[-1].collections])
    assert set(drawn[:, 1]) == {0.0}, "no invented heights"


def test_panels_are_where_tokens_move() -> None:
    deep = ef.construct(X[:30], LABELS[20:50], method="deep", width=2, label_targets={"many": [1, 0]})
    shown = block_frames(deep.transformer, deep.data, deep.targets.state)
    moments = telling_blocks(shown, 5)
    assert moments[0] == 0
    assert moments[-1] == len(shown)
    assert len(moments) <= 5
    titles = [ax.get_title() for ax in draw_blocks(passage(blocks=[1]), blocks=[1]).axes]
    assert titles == ["input", "after block 1"]
    with pytest.raises(InvalidInput, match=r"0\.\.1"):
        ef.plot(BUILT, blocks=[2])


def test_picture_and_page_have_one_projection_and_one_sample(tmp_path: Path) -> None:
    data = ef.Dataset.of(RNG.standard_normal((30, 4, 5)), labels=[j % 3 for j in range(30)])
    built = ef.construct(data)
    built.certify(tmp_path / "c.jsonl")
    ours = block_frames(built.transformer, built.data, built.targets.state)
    theirs = certificate_frames(Certificate.open(tmp_path / "c.jsonl"))
    assert ours.names == theirs.names
    assert all(np.array_equal(a, b) for a, b in zip(ours.points[0], theirs.points[0], strict=True))
