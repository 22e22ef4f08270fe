"""What a picture chooses to show: sequences, blocks, strays, labels of axes; and how data reach the checker."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.checking import EXIT_CODES, Sequences, _about_sequences
from exactformer.errors import InvalidInput
from exactformer.report.accounts import account_of
from exactformer.report.animation import save_animation
from exactformer.report.block_plot import draw_blocks, moment
from exactformer.report.canvas import panels
from exactformer.report.delay_plot import plot_rollout, plot_study
from exactformer.report.dial_plot import dial_of, draw_dial
from exactformer.report.film import Film
from exactformer.report.float_plot import Departure, draw_departure
from exactformer.report.passage import Choice, Passage, choose, passage_of, telling_blocks
from exactformer.report.sentiment_plots import plot_accuracy, plot_words
from exactformer.report.temperature_plot import TemperatureDistances, _draw_departures, draw_temperatures
from exactformer.studies.time_delay.series import Series


def built() -> tuple[ef.Built, Passage]:
    data = ef.Dataset.of([[[0], [1]], [[1], [2]], [[1], [5]]], labels=["a", "b", "b"])
    found = ef.construct(data, method="deep", width=1)
    return found, passage_of(found.transformer, found.data, found.targets.state)


# ---------------------------------------------------------------- sequences and blocks


def test_sequences_are_chosen_evenly_and_up_to_a_number() -> None:
    one = ef.Dataset.of([[[k]] for k in range(49)], labels=["a"] * 49)
    chosen = choose(one)
    assert (len(chosen), chosen[0], chosen[-1]) == (24, 0, 48)
    assert {b - a for a, b in pairwise(chosen)} <= {2, 3}
    assert choose(ef.Dataset.of([[[k]] for k in range(24)], labels=["a"] * 24)) == list(range(24))
    two = ef.Dataset.of([[[k]] for k in range(60)], labels=["a"] * 30 + ["b"] * 30)
    assert [sum(j < 30 for j in choose(two)), len(choose(two))] == [12, 24]
    free = ef.Dataset.of([[[k]] for k in range(12)], targets=[[[k]] for k in range(12)])
    assert choose(free) == list(range(10))
    named = ef.Dataset.of([[[k]] for k in range(3)], labels=list("abc"), names=["2", "x", "0"])
    assert choose(named, sequences=["0", 1, "2"]) == [2, 1, 0], "a name goes before an index"
    for wrong in (3, "-1", "y"):
        with pytest.raises(InvalidInput, match=r"0\.\.2 or names such as '2'"):
            choose(named, sequences=[wrong])
    with pytest.raises(InvalidInput, match="classes"):
        choose(named, classes=[])


def test_classes_that_are_chosen_share_the_picture_among_themselves() -> None:
    data = ef.Dataset.of([[[k]] for k in range(90)], labels=[("a", "b", "c")[k % 3] for k in range(90)])
    one, two, three = (choose(data, classes=names) for names in (["b"], ["c", "a"], None))
    assert [len(one), len(two), len(three)] == [24, 24, 24]
    assert {j % 3 for j in one} == {1}
    assert [sum(j % 3 == k for j in two) for k in range(3)] == [12, 0, 12]
    assert [sum(j % 3 == k for j in three) for k in range(3)] == [8, 8, 8]
    assert (min(one), max(one)) == (1, 88), "the first and the last of the class"
    assert two == sorted(two)
    many = ef.Dataset.of([[[k]] for k in range(30)], labels=[f"{k:02}" for k in range(30)])
    assert choose(many) == list(range(30)), "every class is there"


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
    whole = passage_of(found.transformer, data, found.targets.state)
    part = passage_of(found.transformer, data, found.targets.state, choice=Choice(sequences=[3, 1]))
    assert (part.names, part.groups, part.classes) == (["3", "1"], ["c", "a"], ["a", "b", "c"])
    for k in range(len(whole) + 1):
        for at, j in enumerate((3, 1)):
            assert np.array_equal(part.points[k][at], whole.points[k][j])
    assert [name for name, _ in part.goals] == ["a", "c"]
    goals = dict(whole.goals)
    assert all(np.array_equal(goal, goals[name]) for name, goal in part.goals)
    assert part.words == "principal projection from dimension 3 (rounded), 2 of 5 sequences"


def test_words_of_a_passage_say_what_was_left_out() -> None:
    data = ef.Dataset.of([[[k, 0, k]] for k in range(30)], labels=["a"] * 30)
    found = ef.construct(data)
    shown = passage_of(found.transformer, data, found.targets.state, axes=(0, 2))
    assert shown.words == "coordinates 0 and 2 of 3 (an exact projection), 24 of 30 sequences"


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
        assert (found.stages[k - 1] in words) if k else not set(found.stages) & set(words)
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


def test_blocks_in_which_nothing_moves_are_left_out() -> None:
    still = ef.State.of([[0], [1]])
    moved = ef.State.of([[5], [1]])
    states = [[still], [still], [moved], [moved], [moved]]
    shown = Passage([[s.floats()] for (s,) in states], states, ["0"], ["a"], ["a"], [], "")
    assert telling_blocks(shown, 8) == [0, 2, 4]
    assert telling_blocks(shown, 2) == [0, 4]


# ---------------------------------------------------------------- floats, temperatures, the dial


def test_strays_have_an_arrow_to_where_they_belong() -> None:
    exact = Film([0], [np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])], [[(0,), (1,), (2,)]], {0: 0})
    floats = Film([0], [np.array([[0.0005, 0.0], [1.0, 0.5], [0.0, 1.0]])], [[(0,), (1,), (2,)]], {0: 0})
    left, middle, right = draw_departure(Departure(exact, floats, [0.5], [1]), title="mine").axes
    assert [(list(text.xy), list(text.xyann)) for text in middle.texts] == [([1.0, 0.0], [1.0, 0.5])]
    assert [ax.get_title() for ax in (left, middle)] == ["exact, layer 0", "float64, layer 0"]
    assert (right.get_xlabel(), right.get_yscale()) == ("layer", "log")
    assert left.figure.get_suptitle() == "mine"


def test_titles_and_axes_of_the_dial() -> None:
    data = ef.sample("random-classes", n=6, d=2, seed=1)
    reports = dial_of(data)
    figure = draw_dial(reports)
    left, right = figure.axes
    assert figure.get_suptitle() == "the dial: 6 sequences, exactly"
    assert (left.get_xlabel(), left.get_ylabel()) == ("G, slopes that hold the labels", "numbers stored")
    assert right.get_xlabel() == "bits of all numbers"
    assert {ax.get_xscale() for ax in (left, right)} == {"log"}
    assert draw_dial(reports, title="mine").get_suptitle() == "mine"


def test_the_dial_goes_down_to_one_group_or_to_the_most_labels_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ef.sample("random-classes", n=5, d=2, seed=1)
    wanted = [ef.construct(data, method="compact", groups=groups, seed=2).report for groups in (5, 2, 1)]
    assert [report.json() for report in dial_of(data, seed=2)] == [report.json() for report in wanted]
    monkeypatch.setattr("exactformer.report.dial_plot.MOST_LABELS", 2)
    assert len(dial_of(data)) == 1
    assert len(dial_of(ef.sample("random-classes", n=4, d=2, seed=1))) == 2


def test_temperatures_of_a_chosen_sequence() -> None:
    data = ef.Dataset.of([[[0, 1], [2, 3]], [[0, 1]]], labels=list("ab"))
    found = ef.construct(data, method="leaders", attention="softmax", beta=2)
    figure = draw_temperatures(found, 1, title="mine")
    assert figure.get_suptitle().startswith("mine \N{EM DASH} sequence 1: exact at ")
    left, right = figure.axes
    assert len(left.lines) == 1, "the second sequence has one token"
    assert (left.get_yscale(), right.get_yscale()) == ("symlog", "log")
    assert [line.get_label() for line in right.lines[:3]] == ["beta = 2", "beta = 3", "beta = 6"]
    assert list(left.get_xticks()) == list(range(len(found.transformer) + 1))


def test_what_is_exact_stands_below_every_distance() -> None:
    (ax,) = panels(1)[1]
    rows = [[0.0, 3e-2, 5e-9, 0.0], [0.0, 2e-3, 4e-12, 0.0], [0.0, 1e-5, 0.0, 0.0]]
    _draw_departures(ax, [TemperatureDistances(Fraction(k, 2), row) for k, row in enumerate(rows, start=1)])
    *found, level = ax.lines
    assert [line.get_label() for line in found] == ["beta = 1/2", "beta = 1", "beta = 3/2"]
    for line, row in zip(found, rows, strict=True):
        assert np.allclose(line.get_ydata(), [d or 1e-14 for d in row], atol=0)
    assert np.allclose(level.get_ydata(), 1e-14, atol=0)
    assert [text.get_text() for text in ax.texts] == ["exactly 0"]
    assert ax.get_yscale() == "log"


def test_animations_end_in_gif_or_mp4(tmp_path: Path) -> None:
    film = Film([0, 1], [np.eye(2), 2 * np.eye(2)], [[(0,), (1,)]] * 2, {0: 0, 1: 0})
    with pytest.raises(InvalidInput, match=r"\.gif or \.mp4, got '\.avi'"):
        save_animation(film, tmp_path / "f.avi")


# ---------------------------------------------------------------- series and words


def test_axes_of_a_study_and_of_a_rollout() -> None:
    truth = np.array([[0.0, 1.0], [2.0, 3.0], [1.0, 0.0]])
    figure = plot_study("a study", truth, {"m": 100 * truth})
    left, right = figure.axes
    assert figure.get_suptitle() == "a study"
    assert left.get_ylim() == (-1, 3)
    assert right.lines[1].get_xydata().max() == 4, "what is far away is cut off"
    series = Series.of([[k, 0, 0, 0, 0] for k in range(100)])
    axes = plot_rollout(series, np.zeros((2, 5)), None).axes
    assert [ax.get_ylabel() for ax in axes] == ["z1", "z2", "z3", "z4"]
    assert list(axes[0].lines[0].get_ydata()) == list(range(40, 100))
    assert axes[-1].get_xlabel() == "steps"


def test_axes_of_accuracies_and_words() -> None:
    row = {"test": 0.9, "without_attention": {"test": 0.8}, "published_best": None, "published_final": None}
    (ax,) = plot_accuracy([{"dim": d, **row} for d in (2, 8)]).axes
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["2", "8"]
    assert (ax.get_xscale(), ax.get_xlabel(), ax.get_ylabel()) == ("log", "dimension", "test accuracy")
    assert len(ax.lines) == 2, "what was not published is not drawn"
    titles = [ax.get_title() for ax in plot_words([("a", 1)], [("b", 2)], title="ours").axes]
    assert titles == ["ours", "the paper's figure, d = 2"]


# ---------------------------------------------------------------- geometry and the checker


@pytest.mark.parametrize(("name", "stays"), [("left", True), ("other", False)])
def test_points_of_a_geometric_claim_are_drawn(name: str, stays: bool, tmp_path: Path) -> None:
    head = '{"exactformer":"certificate","version":[1,0],"claim":"separation","dim":2}'
    body = f'{head}\n{{"{name}":[["0","1"],["1/2","3"]]}}\n{{"normal":["1","0"]}}\n'
    digest = hashlib.sha256(body.encode()).hexdigest()
    (tmp_path / "c.jsonl").write_text(f'{body}{{"end":true,"sha256":"{digest}"}}\n')
    account = account_of(tmp_path / "c.jsonl")
    assert account.title == "A separation"
    assert account.tables[0][2][1][1] == (Fraction(1, 2), Fraction(3))
    assert dict(account.facts)["normal"] == (1, 0)
    assert (account.stage is not None) is stays
    if account.stage is not None:
        assert account.stage.scene.points[0].tolist() == [[0, 1], [0.5, 3]]


def test_sequences_are_handed_to_the_checker_in_lowest_terms() -> None:
    data = ef.Dataset.of([[["1/2", 3]], [[2, 4], ["1/3", 0]]], labels=["a", "b"])
    mine = Sequences(data)
    assert len(mine) == 2
    assert mine[0] == ([(1, 6, 2)], frozenset(), "a")
    assert mine[1] == ([(2, 4, 1), (1, 0, 3)], frozenset(), "b")
    assert mine[:] == [mine[0], mine[1]]
    assert (mine[:1], mine[1:5]) == ([mine[0]], [mine[1]])
    targets = Sequences(ef.Dataset.of([[[1]]], targets=[[["1/2"], [3]]]))
    assert targets[0] == ([(1, 1)], frozenset({(1, 2), (3, 1)}), None)


def test_headers_say_what_a_certificate_is_about(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    for text, sequences in (
        ('{"claim":"interpolation"}', True), ('{"claim":"infeasible"}', True), ('{"claim":"limit"}', False),
        ('{"claim":"loss","sequences":3}', True), ("[]", False), ("no JSON", True),
    ):  # fmt: skip
        path.write_text(text)
        assert _about_sequences(path) is sequences
    assert _about_sequences(tmp_path / "absent") is True
    assert EXIT_CODES == {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}
