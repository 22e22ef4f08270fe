"""Pictures of constructions: sequences across the classes, one colour a label, blocks where something happens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.certificates.opened import Certificate
from exactformer.errors import InvalidInput
from exactformer.report.accounts import account_of, certificate_passage
from exactformer.report.block_plot import draw_blocks
from exactformer.report.graph_plot import pushed_apart
from exactformer.report.passage import SEQUENCES, Choice, choose, coinciding, passage_of, telling_blocks, token_styles
from exactformer.report.scenes import passage_stage

RNG = np.random.default_rng(3)
X = RNG.integers(0, 50, (60, 5, 2))
LABELS = ["many"] * 50 + ["few"] * 8 + ["one", "two"]
NAMES = [f"s{j}" for j in range(60)]
BUILT = ef.construct(ef.Dataset.of(X, LABELS, names=NAMES))


def passage(**options: object) -> object:
    return passage_of(BUILT.transformer, BUILT.data, BUILT.targets.state, choice=Choice(**options))


def test_every_class_is_shown_however_small() -> None:
    chosen = choose(BUILT.data)
    assert {LABELS[j] for j in chosen} == set(LABELS)
    assert len(chosen) <= SEQUENCES
    assert max(j for j in chosen if j < 50) - min(chosen) > 30, "spread over the class, not its first sequences"
    many = ef.Dataset.of([[[k]] for k in range(40)], labels=list(range(40)))
    assert len(choose(many)) == 40, "one of every class"


def test_sequences_and_classes_can_be_chosen() -> None:
    assert choose(BUILT.data, sequences=["s3", 7]) == [3, 7]
    assert {LABELS[j] for j in choose(BUILT.data, classes=["few", "one"])} == {"few", "one"}
    for options, said in [
        ({"sequences": ["nobody"]}, "'s0'"),
        ({"sequences": [60]}, "0..59"),
        ({"classes": ["x"]}, "few"),
    ]:
        with pytest.raises(InvalidInput, match=said):
            choose(BUILT.data, **options)


def test_one_colour_per_label_and_one_entry_in_the_legend() -> None:
    shown = passage()
    styles = {group: {shown.style(j) for j, g in enumerate(shown.groups) if g == group} for group in shown.classes}
    assert all(len(s) == 1 for s in styles.values())
    assert len(set.union(*styles.values())) == 4
    figure = draw_blocks(shown)
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:4] == sorted(set(LABELS))
    assert "target" in words
    legend = [text for _, text in passage_stage(shown).legend]
    assert legend[:4] == sorted(set(LABELS))
    assert legend[4:] in ([], ["a point of several labels"])


def test_a_point_of_several_labels_has_all_their_colours() -> None:
    data = ef.Dataset.of([[[0], [1]], [[1], [2]], [[1], [5]]], labels=["a", "b", "b"])
    built = ef.construct(data)
    styles = token_styles(passage_of(built.transformer, built.data, built.targets.state), 0)
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
    shown = passage_of(deep.transformer, deep.data, deep.targets.state)
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
    ours = passage_of(built.transformer, built.data, built.targets.state)
    theirs = certificate_passage(Certificate.open(tmp_path / "c.jsonl"))
    assert ours.names == theirs.names
    assert all(np.array_equal(a, b) for a, b in zip(ours.points[0], theirs.points[0], strict=True))


def test_names_and_weights_are_on_the_page(tmp_path: Path) -> None:
    BUILT.certify(tmp_path / "c.jsonl")
    account = account_of(tmp_path / "c.jsonl", NAMES)
    assert account.stage is not None
    assert account.stage.heads[0] == "s0 (many)"
    assert account.tables[1][2][59] == [], "rows that are only counted"
    assert [title for title, _ in account.folded] == ["Weights of block 0", "Weights of block 1"]
    assert "<b>W</b>" in account.folded[1][1]


def test_a_finding_is_drawn_at_its_witness() -> None:
    found = ef.hunt("every-leader-leads-at-once", seed=1).counterexample
    assert found is not None
    figure = ef.plot(found)
    assert [ax.get_title() for ax in figure.axes] == ["layer 0", "layer 1", "layer 2"]
    assert figure.get_suptitle().startswith("refuted: ")
    assert any("leader" in text.get_text() for text in figure.legends[0].get_texts())


def test_no_two_names_of_a_graph_overlap() -> None:
    places = np.column_stack([np.zeros(12), np.repeat([1.0, 1.001, 2.0], 4)])
    apart = pushed_apart(places)
    assert np.array_equal(apart[:, 1], places[:, 1]), "heights are norms and stay"
    extent = np.ptp(places[:, 1])
    for i in range(12):
        for j in range(i):
            near = abs(apart[i, 1] - apart[j, 1]) / extent < 0.06
            assert not near or abs(apart[i, 0] - apart[j, 0]) > 0.05
