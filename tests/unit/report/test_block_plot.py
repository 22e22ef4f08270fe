"""Tests of `exactformer.report.block_plot`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from matplotlib.colors import to_hex

import exactformer as ef
from exactformer.errors import InvalidInput
from exactformer.report.block_frames import BlockFrames, Choice, block_frames, telling_blocks
from exactformer.report.block_plot import STAGES, draw_blocks, moment
from exactformer.report.interactive import block_stage
from exactformer.report.palette import COLOURS


def built() -> tuple[ef.Built, BlockFrames]:
    data = ef.Dataset.of([[[0], [1]], [[1], [2]], [[1], [5]]], labels=["a", "b", "b"])
    found = ef.construct(data, method="deep", width=1)
    return found, block_frames(found.transformer, found.data, found.targets.state)


# ---------------------------------------------------------------- sequences and blocks


def test_panels_stages_and_targets_of_blocks() -> None:
    found, shown = built()
    last = len(shown)
    figure = draw_blocks(shown, found.stages, title="mine")
    titles = [ax.get_title() for ax in figure.axes if ax.get_visible()]
    assert titles == [moment(k) for k in telling_blocks(shown, 8)]
    assert (titles[0], titles[-1]) == ("input", f"after block {last - 1}")
    assert figure.get_suptitle() == "mine"
    for ax, k in zip(figure.axes, telling_blocks(shown, 8), strict=False):
        words = [text.get_text() for text in ax.texts]
        named = {STAGES.get(stage, stage) for stage in found.stages}
        assert (STAGES.get(found.stages[k - 1], found.stages[k - 1]) in words) if k else not named & set(words)
    crosses = [c for c in figure.axes[len(titles) - 1].collections if not len(c.get_paths()[0].vertices) > 8]
    assert crosses
    first = draw_blocks(shown, blocks=[0])
    assert "target" not in [text.get_text() for text in first.legends[0].get_texts()]
    for wrong in ([], [last], [-1]):
        with pytest.raises(InvalidInput, match=rf"0\.\.{last - 1}"):
            draw_blocks(shown, blocks=wrong)


def test_points_of_several_sequences_say_how_many() -> None:
    _, shown = built()
    ax = draw_blocks(shown, blocks=[0]).axes[0]
    assert {text.get_text(): tuple(text.xy) for text in ax.texts} == {"×3": (1.0, 0.0)}
    assert list(ax.get_yticks()) == []


# ---------------------------------------------------------------- constructions


def test_a_point_of_several_labels_is_drawn_in_all_their_colours() -> None:
    data = ef.Dataset.of([[[0], [1]], [[1], [2]], [[1], [5]]], labels=["a", "b", "b"])
    built = ef.construct(data)
    shown = block_frames(built.transformer, built.data, built.targets.state)
    colours: dict[float, set[str]] = {}
    for drawn in draw_blocks(shown).axes[0].collections:
        for x, _ in drawn.get_offsets():
            colours.setdefault(float(x), set()).add(to_hex(drawn.get_facecolor()[0]))
    own = [{colour.lower() for colour in shown.class_style(label).colours} for label in "ab"]
    assert colours == {0: own[0], 1: own[0] | own[1], 2: own[1], 5: own[1]}


def shown(
    moments: Sequence[Sequence[Sequence[Sequence[int]]]],
    groups: Sequence[str],
    goals: Sequence[tuple[str, Sequence[int]]] = (),
    classes: Sequence[str] | None = None,
) -> BlockFrames:
    """The passage of sequences of plane points: `moments[k][j]` are the tokens of sequence j."""
    states = [[ef.State.of(sequence) for sequence in moment] for moment in moments]
    points = [[state.floats() for state in moment] for moment in states]
    names = [str(j) for j in range(len(groups))]
    targets = [(name, np.array([place], float)) for name, place in goals]
    return BlockFrames(points, states, names, list(groups), list(classes or dict.fromkeys(groups)), targets, "")


def test_stages_are_named_where_there_is_one_for_every_block() -> None:
    passage = shown([[[[0, 0], [1, 3]]], [[[1, 0], [1, 3]]], [[[2, 0], [1, 4]]], [[[2, 5], [1, 5]]]], ["a"])
    figure = draw_blocks(passage, ["unfold", "split", "join"])
    assert [[text.get_text() for text in ax.texts] for ax in figure.axes[:4]] == [[], ["unfold"], ["split"], ["join"]]
    for stages in (["unfold", "split"], ["unfold", "split", "join", "rest"]):
        assert all(not ax.texts for ax in draw_blocks(passage, stages).axes)
    chosen = draw_blocks(passage, ["unfold", "split", "join"], blocks=[2, 0])
    assert [ax.get_title() for ax in chosen.axes] == ["input", "after block 0", "after block 2"]
    assert [[text.get_text() for text in ax.texts] for ax in chosen.axes] == [[], ["unfold"], ["join"]]


def test_points_that_stand_close_say_no_numbers() -> None:
    same = [[0, 0], [100, 0], [100, 100], [104, 100]]
    ax = draw_blocks(shown([[same, same, same[1:]]] * 2, ["a", "b", "b"]), blocks=[0]).axes[0]
    assert {tuple(text.xy): text.get_text() for text in ax.texts} == {(0, 0): "×2", (100, 0): "×3"}
    far = [[0, 0], [100, 0], [100, 100], [140, 100]]
    ax = draw_blocks(shown([[far, far, far[1:]]] * 2, ["a", "b", "b"]), blocks=[0]).axes[0]
    assert {tuple(text.xy): text.get_text() for text in ax.texts} == {
        (0, 0): "×2", (100, 0): "×3", (100, 100): "×3", (140, 100): "×3",
    }  # fmt: skip


def test_only_a_coordinate_that_differs_has_numbers() -> None:
    for points, empty in (([[0, 1], [5, 1]], "y"), ([[2, 0], [2, 7]], "x"), ([[0, 0], [5, 7]], "")):
        (ax, *_) = draw_blocks(shown([[points]] * 2, ["a"]), blocks=[0]).axes
        bare = [name for name, ticks in (("x", ax.get_xticks()), ("y", ax.get_yticks())) if not len(ticks)]
        assert "".join(bare) == empty


@pytest.mark.parametrize("count", [14, 15])
def test_up_to_fourteen_targets_and_points_are_named(count: int) -> None:
    names = [f"label {j}" for j in range(count)]
    ends = [[[10 * j, 7 * j]] * 2 for j in range(count)]
    passage = shown([ends, ends], names, [(name, (10 * j, 7 * j)) for j, name in enumerate(names)])
    ax = draw_blocks(passage).axes[1]
    words = {text.get_text(): tuple(text.xy) for text in ax.texts}
    assert words == ({name: (10 * j, 7 * j) for j, name in enumerate(names)} if count == 14 else {})
    crosses = [tuple(c.get_offsets()[0]) for c in ax.collections if to_hex(c.get_facecolor()[0]) == "#222222"]
    assert crosses == [(10 * j, 7 * j) for j in range(count)]
    pairs = [*ends, *ends]
    twice = draw_blocks(shown([pairs, pairs], names * 2), blocks=[0]).axes[0]
    assert len(twice.texts) == (14 if count == 14 else 0)


def test_the_legend_has_the_labels_that_are_there_and_at_most_twenty() -> None:
    passage = shown([[[[0, 0]], [[1, 3]]]] * 2, ["c", "a"], [("a", (1, 3))], classes=["a", "b", "c"])
    handles = draw_blocks(passage).legends[0]
    assert [text.get_text() for text in handles.get_texts()] == ["a", "c", "target"]
    faces = [line.get_markerfacecolor() for line in handles.legend_handles[:2]]
    assert faces == [COLOURS[0], COLOURS[2]]
    names = [f"{j:02}" for j in range(22)]
    many = shown([[[[j, j * j]] for j in range(22)]] * 2, names)
    words = [text.get_text() for text in draw_blocks(many).legends[0].get_texts()]
    assert words == [*names[:20], "and 2 more"]
    long = shown([[[[0, 0]], [[1, 3]]]] * 2, ["x" * 14, "y" * 15], [("x" * 14, (0, 0)), ("y" * 15, (1, 3))])
    notes = [text.get_text() for text in draw_blocks(long).axes[1].texts]
    assert notes == ["x" * 14, f"{'y' * 12}.."]


RNG = np.random.default_rng(3)


X = RNG.integers(0, 50, (60, 5, 2))


LABELS = ["many"] * 50 + ["few"] * 8 + ["one", "two"]


NAMES = [f"s{j}" for j in range(60)]


BUILT = ef.construct(ef.Dataset.of(X, LABELS, names=NAMES))


def passage(**options: object) -> object:
    return block_frames(BUILT.transformer, BUILT.data, BUILT.targets.state, choice=Choice(**options))


def test_one_colour_per_label_and_one_entry_in_the_legend() -> None:
    shown = passage()
    styles = {group: {shown.style(j) for j, g in enumerate(shown.groups) if g == group} for group in shown.classes}
    assert all(len(s) == 1 for s in styles.values())
    assert len(set.union(*styles.values())) == 4
    figure = draw_blocks(shown)
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:4] == sorted(set(LABELS))
    assert "target" in words
    legend = [text for _, text in block_stage(shown).legend]
    assert legend[:4] == sorted(set(LABELS))
    assert legend[4:] in ([], ["a point of several labels"])


def test_labels_that_would_overprint_each_other_are_left_to_the_legend() -> None:
    names = [f"a long label {j}" for j in range(6)]
    ends = [[[j, 0]] for j in range(6)]
    figure = draw_blocks(shown([ends, ends], names, [(name, (j, 0)) for j, name in enumerate(names)]))
    assert not figure.axes[1].texts
    assert [text.get_text() for text in figure.legends[0].get_texts()][:6] == names


def test_labels_stand_in_their_natural_order() -> None:
    data = ef.Dataset.of([[[k, 0]] for k in range(11)], labels=list(range(11)))
    figure = ef.plot(data)
    assert [text.get_text() for text in figure.legends[0].get_texts()][:11] == [str(k) for k in range(11)]
