"""Tests of `exactformer.papers.figures`."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.colors import to_hex

import exactformer as ef
from exactformer.instances.named_families import sample
from exactformer.model.norms import Enclosure
from exactformer.papers import figures
from exactformer.papers.index import papers
from exactformer.papers.inputs import LEMMAS, TOKENS
from exactformer.report.block_plot import STAGES
from exactformer.report.geometry_plot import draw_attention
from exactformer.report.palette import COLOURS, NEUTRAL
from exactformer.report.training_plot import plot_experiment_epochs, plot_experiment_eps
from exactformer.training import train as training
from exactformer.training.experiment import PUBLISHED, Experiment, PapersRun


def points_of_curves(ax: Any) -> dict[str, list[tuple[float, float]]]:
    return {line.get_label(): [tuple(xy) for xy in line.get_xydata().tolist()] for line in ax.lines}


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    ours = ef.train(
        sample("random-classes", n=4, d=1, seed=1),
        eps=["1/20", "1/200", "1/2000", "1/20000"],
        epochs=3,
        start="random",
    )
    runs = tuple(PapersRun(2 * run.eps, 3, run, 0.1) for run in ours.runs)
    return Experiment(Enclosure(Fraction(7), Fraction(7)), Enclosure(Fraction(0), Fraction(0)), runs, ours)


# ---------------------------------------------------------------- training


def test_losses_of_the_published_experiment_against_eps(experiment: Experiment, tmp_path: Path) -> None:
    (ax,) = plot_experiment_eps(experiment, path=tmp_path / "p.png").axes
    drawn, chain = points_of_curves(ax), experiment.runs[:-1]
    ends = [(float(one.run.eps), float(one.run.figures.loss)) for one in chain]
    assert drawn["their training, run again"] == drawn["minimised on the means"] == ends
    objectives = [(float(one.run.eps), float(one.run.figures.objective)) for one in chain]
    assert drawn["its objective E + eps|Theta|^2"] == objectives
    assert drawn["published, read off"] == [(0.05, 3.3e-2), (0.005, 1.3e-2), (0.0005, 5e-4)]
    assert list(PUBLISHED) == [one.weight_decay for one in chain]
    across = [0.0005, 0.005, 0.05]
    assert drawn["guarantee, generating weights = 7 eps"] == [(x, pytest.approx(7 * x)) for x in across]
    norm2 = float(experiment.ours.interpolant.norm2)
    assert drawn[f"guarantee, our interpolant = {norm2:.4g} eps"] == [(x, pytest.approx(norm2 * x)) for x in across]
    stuck = [(float(one.run.eps), float(one.run.figures.loss)) for one in chain if "not" in one.run.verdict]
    assert drawn["proved: no global minimiser"] == stuck
    assert 0 < len(stuck) < 4
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_xlabel()) == ("log", "log", "eps")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_losses_of_the_published_experiment_against_epochs(experiment: Experiment, tmp_path: Path) -> None:
    (ax,) = plot_experiment_epochs(experiment, path=tmp_path / "p.png").axes
    last = experiment.runs[-1].run
    drawn = points_of_curves(ax)
    assert drawn["E, weight decay 0.0001"] == [(step + 1, loss) for _, step, loss, _ in last.history]
    assert [y for _, y in drawn["guarantee, generating weights"]] == [pytest.approx(7 / 20000)] * 2
    ours = float(experiment.ours.interpolant.norm2) / 20000
    assert [y for _, y in drawn["guarantee, ours"]] == [pytest.approx(ours)] * 2
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale(), ax.get_yscale()) == ("epochs", "loss E", "log", "log")
    assert [line.get_linestyle() for line in ax.lines[1:]] == ["--", "-"]
    assert (tmp_path / "p.png").exists()


def test_loss_curves_of_the_paper_lie_beside_their_guarantees(monkeypatch: pytest.MonkeyPatch) -> None:
    short = partial(training.train, epochs=4)
    monkeypatch.setattr(training, "train", short)
    (ax,) = figures.losses().axes
    drawn = points_of_curves(ax)
    found = short(sample("random-classes", n=12, d=2, seed=1), eps=["1/10", "1/100", "1/1000"], start="random")
    for run in found.runs:
        history = [(step, loss) for _, step, loss, _ in run.history]
        assert drawn[f"E, eps = {float(run.eps):g}"] == history
        bound = float(run.guarantee)
        assert drawn[f"guarantee, eps = {float(run.eps):g}"] == [(history[0][0], bound), (history[-1][0], bound)]
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("steps of L-BFGS", "loss E", "12 sequences, d = 2")


# ---------------------------------------------------------------- constructions


def test_the_four_stages_are_those_of_the_construction() -> None:
    figure = figures.stages()
    data = [[[x, 0] for x in range(6) if x != j] for j in range(6)]
    built = ef.construct(data, labels=[f"lacks {j}" for j in range(6)], method="paper")
    assert figure.get_suptitle().startswith(f"the four stages: {built.report.blocks} blocks")
    for ax in figure.axes[1:]:
        if ax.get_visible():
            block = int(ax.get_title().removeprefix("after block "))
            stage = built.stages[block]
            assert STAGES.get(stage, stage) in [text.get_text() for text in ax.texts]
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:6] == [f"lacks {j}" for j in range(6)]


# ---------------------------------------------------------------- geometry


def test_attention_in_the_three_lemmas_is_that_of_the_definition() -> None:
    axes = figures.collapses().axes
    assert [ax.get_title()[:9] for ax in axes] == ["Lemma 4.1", "Lemma 4.2", "Lemma 4.3"]
    for ax, (scores, tokens, ends) in zip(axes, LEMMAS.values(), strict=True):
        arrows = {tuple(text.xyann): tuple(text.xy) for text in ax.texts}
        for x in tokens:
            image = [sum(a * b for a, b in zip(row, x, strict=True)) for row in scores]
            keys = {y: [sum(a * b for a, b in zip(row, y, strict=True)) for row in scores] for y in tokens}
            best = max(tokens, key=lambda y: sum(a * b for a, b in zip(image, keys[y], strict=True)))
            assert arrows.get(x, x) == best
            assert best in ends
        assert {arrows.get(x, x) for x in tokens} == set(ends)


@pytest.mark.parametrize("name", ["figure-1a.json", "figure-1b.json"])
def test_the_half_space_and_the_line_of_the_best_score(name: str) -> None:
    alpha, A, rows = TOKENS[name]
    tokens = ef.Tokens(rows, A=A, alpha=alpha)
    (ax,) = draw_attention({"t": tokens}).axes
    points = tokens.state.floats()
    normal = np.array([[float(x) for x in row] for row in tokens.A]) @ points[0]
    scores = points @ normal
    edge, best, origin = ax.lines
    assert np.allclose(edge.get_xydata() @ normal, scores[0])
    assert np.allclose(best.get_xydata() @ normal, scores.max())
    assert origin.get_xydata().tolist() == [[0, 0]]
    corners = ax.patches[0].get_path().vertices @ normal
    assert corners.min() == pytest.approx(scores[0])
    assert corners.max() > scores.max()
    arrows = [tuple(text.xy) for text in ax.texts if not text.get_text()]
    followed = [j for j in range(4) if np.isclose(scores[j], scores.max())]
    assert np.allclose(arrows[0], points[0] + normal / np.linalg.norm(normal))
    assert arrows[1:] == [tuple(points[j]) for j in followed]
    hues = [to_hex(drawn.get_facecolor()[0]).upper() for drawn in ax.collections]
    assert hues == [COLOURS[4] if j in followed else COLOURS[0] if j == 0 else NEUTRAL for j in range(4)]
    assert [text.get_text() for text in ax.texts if text.get_text()] == [f"$z_{{{j + 1}}}$" for j in range(4)]


def test_figure_1_has_the_tokens_of_its_files() -> None:
    for ax, name in zip(figures.geometry().axes, ("figure-1a.json", "figure-1b.json"), strict=True):
        drawn = [tuple(c.get_offsets()[0]) for c in ax.collections]
        assert drawn == [tuple(float(Fraction(x)) for x in row) for row in TOKENS[name][2]]
    assert [ax.get_title()[:9] for ax in figures.geometry().axes] == ["(a) A = I", "(b) A = ("]


# ---------------------------------------------------------------- Frank-Wolfe, curves


def test_the_first_energy_breaks_the_bound_at_layer_575_first() -> None:
    (ax,) = figures.broken_bound().axes
    drawn = points_of_curves(ax)
    first, second = (drawn[f"energy of token {k} (from {z})"] for k, z in ((1, 3), (2, -1)))
    bound = dict(drawn["bound 2/(t+1) lambda_max diam^2"])
    assert [t for t, _ in first] == [t for t, _ in second] == list(range(1, 3001))
    assert all(value == pytest.approx(2 / (t + 1) * 4**2) for t, value in bound.items())
    assert next(t for t, energy in first if energy > bound[t]) == 575
    points = (Fraction(3), Fraction(-1))
    for t in range(1, 7):
        step = Fraction(2, t + 1)
        points = tuple(x + step * (min(points, key=lambda y: x * y) - x) for x in points)
        assert (first[t - 1][1], second[t - 1][1]) == tuple(pytest.approx(float(x * x / 2)) for x in points)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


# ---------------------------------------------------------------- files and the page


def test_two_reviews_are_drawn_before_and_after() -> None:
    from exactformer.studies.sentiment import load

    titles = [ax.get_title() for ax in figures.trajectories().axes]
    decisions = [load().explain(text).decision for text in figures.TEXTS]
    assert decisions == ["positive", "negative"]
    assert titles == [f"{decision}, layer {layer}" for decision in decisions for layer in (0, 8)]


@pytest.mark.parametrize(("file", "name"), [("tones.png", "tones"), ("lorenz.png", "lorenz")])
def test_rollouts_are_of_the_study_named(file: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from exactformer.studies.time_delay import experiments as studies

    truth = np.array([[0.0, 1.0], [2.0, 3.0], [1.0, 5.0]])
    asked: list[tuple[Any, dict[str, Any]]] = []

    def run(study: Any, **options: Any) -> tuple[Any, list[Any]]:
        asked.append((study.name, {key: value for key, value in options.items() if key != "progress"}))
        measures = cast("Any", None)
        return truth, [
            studies.ExperimentEntry(study.name, model, 0, measures, k * truth) for k, model in enumerate("xy", start=1)
        ]

    monkeypatch.setattr(studies, "run_study", run)
    (drawn,) = [figure for figure in figures.FIGURES if figure.file == file]
    axes = drawn.draw().axes
    assert asked == [(name, {"seeds": 1, "steps": 300})]
    assert [ax.get_ylabel() for ax in axes[::2]] == ["x", "y"]
    assert points_of_curves(axes[2])["y"] == [(0, 0), (1, 4), (2, 2)]
    (words,) = [study.words for study in studies.STUDIES if study.name == name]
    assert axes[0].figure.get_suptitle() == f"{words}; 300 steps of training"


@pytest.mark.parametrize(("file", "panels"), [("phases.png", 1), ("tokens.png", 3)])
def test_phases_are_of_three_temperatures(file: str, panels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from exactformer.studies.mean_field import approx_run
    from exactformer.studies.mean_field.families import sample_system

    asked: list[tuple[Any, ...]] = []

    def run(matrices: Any, limit: Any, tokens: Any, betas: Any, settings: Any) -> Any:
        asked.append((tokens.shape, betas, settings.time, settings.step))
        assert all(np.array_equal(a, b) for a, b in zip(matrices, sample_system("metastable").floats(), strict=True))
        assert np.allclose(np.abs(limit.basis[:, 0]), [0, 1])
        t = np.linspace(0, 20, 21)
        w2 = np.exp(-t) + 1e-4 * np.exp(t / 2)
        runs = tuple(approx_run.Run(beta, t, w2, w2, np.stack([tokens] * 21)) for beta in betas)
        return approx_run.Simulation(runs, runs[0], None)

    monkeypatch.setattr(approx_run, "approx_run", run)
    (drawn,) = [figure for figure in figures.FIGURES if figure.file == file]
    figure = drawn.draw()
    assert asked == [((600, 2), [10.0, 30.0, 100.0], 20.0, 0.2)]
    assert len(figure.axes) == panels
    if panels == 1:
        labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        assert labels == [r"$\beta$ = 10", r"$\beta$ = 30", r"$\beta$ = 100", "zero temperature"]
    else:
        assert figure.get_suptitle() == r"$\beta$ = 100"


def test_every_figure_is_of_a_paper_and_has_its_own_file() -> None:
    assert {figure.paper for figure in figures.FIGURES} == {paper.number for paper in papers()}
    files = [(figure.paper, figure.file) for figure in figures.FIGURES]
    assert len(set(files)) == len(files) == 13
    drawn = {figure.file: figure.draw for figure in figures.FIGURES}
    assert drawn["figure-1.png"] is figures.geometry
    assert drawn["figure-2.png"] is figures.draw_configurations
    assert drawn["trajectories.png"] is figures.trajectories
    assert drawn["leader-words.png"] is figures.leader_words
    assert drawn["figure-4.png"] is figures.collapses
    assert drawn["stages.png"] is figures.stages
    assert drawn["losses.png"] is figures.losses
    assert drawn["comparison.png"] is figures.comparison
    assert drawn["theorem-3.1.png"] is figures.broken_bound
